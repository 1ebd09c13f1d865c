package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/unitproof/unitproof/diagnostics/paths"
)

// Private makes a folder that nobody but the user can write to, or says why an existing one is not: what lies there is
// believed, and run. Checksums find damage, not a forger. The folder is marked as a cache, so that backups leave it
// out, and so does the search for proofs: the user's cache folder may lie in the project, as on machines for CI.
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := Refusal(dir); err != nil {
		return err
	}
	tag := filepath.Join(dir, paths.CacheTag)
	if _, err := os.Lstat(tag); errors.Is(err, fs.ErrNotExist) {
		// The next to come may write it, if this one cannot: a folder without it works as well.
		_ = WriteFile(tag, []byte(paths.CacheTagText+"# The cache of unitproof: it can be removed at any time.\n"))
	}
	return nil
}

// Refusal says why nothing in a folder is used; nil: it is the user's alone, or not there yet. The folder that it lies
// in counts as well, if that is ours: whoever can write there can put another one in its place.
func Refusal(dir string) error {
	for {
		if info, err := os.Stat(dir); err == nil {
			if err := private(dir, info); err != nil {
				return err
			}
		}
		parent := filepath.Dir(dir)
		if filepath.Base(parent) != folderName || parent == dir {
			return nil
		}
		dir = parent
	}
}

// folderName is the name of our folder in the cache folder of the user.
const folderName = "unitproof"

func private(dir string, info os.FileInfo) error {
	switch owner, ok := info.Sys().(*syscall.Stat_t); {
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", dir)
	case ok && int(owner.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user (%d), so nothing in it is used", dir, owner.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("others can write to %s, so nothing in it is used: chmod 700 '%s'", dir, dir)
	}
	return nil
}
