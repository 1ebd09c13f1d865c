package clang

import (
	"crypto/sha256"
	"os"
	"sync"
	"time"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// contentHash is the hash of the content of a file.
type contentHash [16]byte

func hashOf(data []byte) contentHash {
	sum := sha256.Sum256(data)
	return contentHash(sum[:16])
}

// fileHashes caches hashes of files for the life of the process. All units share headers, and reading them again for
// each unit would cost more than the rest of a cache lookup.
type fileHashes struct{ files sync.Map } // path -> fileHash

type fileHash struct {
	size    int64
	changed time.Time
	inode   string // see inodeState
	hash    contentHash
}

// settled is the age from which an equal time stamp implies equal content. Time stamps are coarse: a file may be
// written twice within one tick.
const settled = 2 * time.Second

// of returns the hash of the file's current content and the time of its last change.
func (h *fileHashes) of(path string) (contentHash, time.Time, error) {
	info, err := os.Stat(path)
	if err != nil {
		return contentHash{}, time.Time{}, err
	}
	if known, ok := h.files.Load(path); ok {
		if k := known.(fileHash); k.size == info.Size() && k.changed.Equal(info.ModTime()) && k.inode == inodeState(info) {
			return k.hash, k.changed, nil
		}
	}
	now := time.Now()
	data, err := regular.Source(path)
	if err != nil {
		return contentHash{}, time.Time{}, err
	}
	k := fileHash{info.Size(), info.ModTime(), inodeState(info), hashOf(data)}
	if int64(len(data)) == k.size && now.Sub(k.changed) > settled {
		h.files.Store(path, k)
	}
	return k.hash, k.changed, nil
}
