package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// An entry is one file, KIND/XX/KEY with XX the first two digits of the key: a checksum (SHA-256 over the key and the
// content), then the content. It is written beside its place and renamed, so a reader sees the old entry or the new
// one. Reading takes one file and no look at anything else: what nothing has changed since costs mostly these reads.
// (The go command's cache, whose form this had before, looks at 256 folders of each kind when it is opened, which took
// longer than all the rest of a check that finds everything.)

// checksumSize is the length in bytes of what stands before an entry's content.
const checksumSize = sha256.Size

// path is where an entry is, or would be.
func (s *Store) path(kind Kind, key Key) string {
	name := hex.EncodeToString(key[:])
	return filepath.Join(s.dir, string(kind), name[:2], name)
}

var errCorrupt = errors.New("the entry is corrupt")

// readEntry returns the content of an entry. mark has the use remembered, for the eviction.
func readEntry(path string, key Key, mark bool) ([]byte, error) {
	file, err := regular.ReadOwn(path)
	if err != nil {
		return nil, err
	}
	if len(file) < checksumSize {
		return nil, errCorrupt
	}
	data := file[checksumSize:]
	if checksum(key, data) != [checksumSize]byte(file) {
		return nil, errCorrupt
	}
	if mark {
		markUsed(path)
	}
	return data, nil
}

// usedInterval is how exactly the time of the last use is known. Noting each would be a write for each read.
const usedInterval = time.Hour

func markUsed(path string) {
	now := time.Now()
	if info, err := os.Lstat(path); err == nil && now.Sub(info.ModTime()) >= usedInterval {
		_ = os.Chtimes(path, now, now) // only decides what is evicted first
	}
}

// writeEntry makes the content the one of the entry.
func writeEntry(path string, key Key, data []byte) error {
	sum := checksum(key, data)
	return WriteFile(path, sum[:], data)
}

func checksum(key Key, data []byte) [checksumSize]byte {
	h := sha256.New()
	h.Write(key[:])
	h.Write(data)
	return [checksumSize]byte(h.Sum(nil))
}
