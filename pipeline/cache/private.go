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
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if err := private(dir, info); err != nil {
		return err
	}
	tag := filepath.Join(dir, paths.CacheTag)
	if _, err := os.Lstat(tag); errors.Is(err, fs.ErrNotExist) {
		// The next to come may write it, if this one cannot: a folder without it works as well.
		_ = WriteFile(tag, []byte(paths.CacheTagText+"# The cache of unitproof: it can be removed at any time.\n"))
	}
	return nil
}

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
