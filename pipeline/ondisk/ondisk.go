// Package ondisk tells what is at a path at the moment: by the hash of its content, and by stamps that tell states
// of a file apart without reading it.
//
// It knows nothing of what files are for, of documents in editors and of proofs.
package ondisk

import (
	"crypto/sha256"
	"errors"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/unitproof/unitproof/pipeline/regular"
)

// Hash is the SHA-256 of a file's content. The zero value stands for a file that is not there.
type Hash = [sha256.Size]byte

// Folder stands for a folder, Unreadable for what is there and cannot be read.
var (
	Folder     = sha256.Sum256([]byte("unitproof: a folder"))
	Unreadable = sha256.Sum256([]byte("unitproof: cannot be read"))
)

// Stamp tells one state of a file on disk from another without reading it. The time of the last
// change of the inode cannot be set by programs, unlike the time of modification.
type Stamp struct {
	size            int64
	modified        int64  // ns
	Changed         int64  // when the inode changed last, in ns
	Inode           uint64 // another one: another file has the name
	device          uint64
	mode            uint32
	Missing, Failed bool // nothing is there; nobody knows what is
}

// StampOf looks at a path, and follows links.
func StampOf(path string) Stamp {
	var st syscall.Stat_t
	err := syscall.Stat(path, &st)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return Stamp{Missing: true}
	case err != nil:
		return Stamp{Failed: true}
	}
	modified, changed := statTimes(&st)
	return Stamp{size: st.Size, modified: modified, Changed: changed, Inode: uint64(st.Ino), device: uint64(st.Dev),
		mode: uint32(st.Mode)}
}

// IsDir tells whether a folder was there.
func (s Stamp) IsDir() bool { return s.mode&syscall.S_IFMT == syscall.S_IFDIR }

// stampAge is how long ago a file must have changed for its stamp to tell contents apart: the
// system's clock for files is coarse, and two writes within one tick give the same stamp.
const stampAge = 100 * time.Millisecond

// Hashes remembers contents of files by their stamps. The zero value is ready for use, by several goroutines.
type Hashes struct{ known sync.Map } // path -> known

type known struct {
	stamp Stamp
	hash  Hash
}

// Of is the hash of what is at a path now: zero for nothing.
func (h *Hashes) Of(path string) (Hash, Stamp) {
	stamp := StampOf(path)
	switch {
	case stamp.Missing:
		return Hash{}, stamp
	case stamp.Failed:
		return Unreadable, stamp
	case stamp.IsDir():
		return Folder, stamp
	}
	if k, ok := h.known.Load(path); ok && k.(known).stamp == stamp {
		return k.(known).hash, stamp
	}
	now := time.Now()
	text, err := regular.Source(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return Hash{}, Stamp{Missing: true}
	case err != nil:
		return Unreadable, stamp
	}
	hash := sha256.Sum256(text)
	if now.UnixNano()-max(stamp.Changed, stamp.modified) > int64(stampAge) && int64(len(text)) == stamp.size {
		h.known.Store(path, known{stamp, hash})
	}
	return hash, stamp
}
