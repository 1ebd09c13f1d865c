package cache

import (
	"fmt"
	"os"
	"syscall"
)

// Private makes a folder that nobody but the user can write to, or says why an existing one is not: what lies there is
// believed, and run. Checksums find damage, not a forger.
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	return private(dir, info)
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
