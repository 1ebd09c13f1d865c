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

// Private creates a folder that only the user can write to, or returns the reason why an existing one is not private.
// The content is trusted, and executed: checksums detect damage, not forgery. The folder is marked as a cache, so that
// backups and the search for proofs skip it: on CI machines the user's cache folder may be in the project.
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := Refusal(dir); err != nil {
		return err
	}
	tag := filepath.Join(dir, paths.CacheTag)
	if _, err := os.Lstat(tag); errors.Is(err, fs.ErrNotExist) {
		// Another process may write it if this one cannot: the folder works without it.
		_ = WriteFile(tag, []byte(paths.CacheTagText+"# The cache of unitproof: it can be removed at any time.\n"))
	}
	return nil
}

// Refusal returns the reason why a folder is not used, or nil if only the user can write to it or it does not exist.
// The parent folder is checked, too, if it is ours: a user with write access there could replace the folder.
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

// folderName is the name of our folder in the user's cache folder.
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
