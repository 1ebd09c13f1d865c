// Package ondisk determines the state of a path: the hash of its content, and stamps that distinguish states of a file
// without reading it.
//
//	var h ondisk.Hashes
//	hash, stamp := h.Of("main.c") // reads the file only if its stamp has changed
//
// It does not depend on the purpose of files, on documents of editors or on proofs.
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

// Hash is the SHA-256 of a file's content. The zero value represents a missing file.
type Hash = [sha256.Size]byte

// Folder represents a folder, Unreadable a path that exists and cannot be read.
var (
	Folder     = sha256.Sum256([]byte("unitproof: a folder"))
	Unreadable = sha256.Sum256([]byte("unitproof: cannot be read"))
)

// Stamp distinguishes states of a file on disk without reading it. Programs cannot set the time of the last change of
// the inode, unlike the time of modification.
type Stamp struct {
	size            int64
	modified        int64  // ns
	Changed         int64  // time of the inode's last change, in ns
	Inode           uint64 // if it differs, the name belongs to another file
	device          uint64
	mode            uint32
	Missing, Failed bool // nothing is there; stat failed otherwise
}

// StampOf returns the stamp of a path, following links.
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

// IsDir reports whether the path was a folder.
func (s Stamp) IsDir() bool { return s.mode&syscall.S_IFMT == syscall.S_IFDIR }

// stampAge is the minimal age of a change for a stamp to determine the content: the system's clock for files is coarse,
// and two writes within one tick have the same stamp.
const stampAge = 100 * time.Millisecond

// Hashes caches hashes of files by their stamps. The zero value is ready for use, and safe for concurrent use.
type Hashes struct{ known sync.Map } // path -> known

type known struct {
	stamp Stamp
	hash  Hash
}

// Of returns the current hash and stamp of a path; the zero hash if nothing is there.
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
