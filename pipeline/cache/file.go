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

// An entry is one file, KIND/XX/KEY, with the first two digits XX of the key. It consists of a checksum (SHA-256 over
// the key and the content) and the content. It is written to a temporary file beside it and renamed, so a reader sees
// the old entry or the new one. Reading an entry reads one file and nothing else, and these reads are most of the cost
// of a run without changes. (The format used to be the go command's, whose cache stats 256 folders of each kind when it
// is opened. That took longer than the rest of a check with only hits.)

// checksumSize is the length in bytes of the checksum before an entry's content.
const checksumSize = sha256.Size

// path returns the path of an entry, existing or not.
func (s *Store) path(kind Kind, key Key) string {
	name := hex.EncodeToString(key[:])
	return filepath.Join(s.dir, string(kind), name[:2], name)
}

var errCorrupt = errors.New("the entry is corrupt")

// readEntry returns the content of an entry. With mark, it updates the time of the last use, for the eviction.
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

// usedInterval is the resolution of the time of the last use. An exact time would require a write for each read.
const usedInterval = time.Hour

func markUsed(path string) {
	now := time.Now()
	if info, err := os.Lstat(path); err == nil && now.Sub(info.ModTime()) >= usedInterval {
		_ = os.Chtimes(path, now, now) // only affects the order of eviction
	}
}

// writeEntry replaces the content of an entry.
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
