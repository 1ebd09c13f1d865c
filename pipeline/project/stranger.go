package project

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// loadFound is like load for a configuration that was found in a folder or above it, not named by the user. It rejects
// a file that another user left in a world-writable folder, such as /tmp: it would choose the programs that run for
// everyone below that folder.
func loadFound(path string, read func(string) ([]byte, error), extra []string) (*Config, error) {
	file, err := os.Lstat(path)
	if err != nil {
		return load(path, read, extra) // a view may have it nevertheless
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return load(path, read, extra)
	}
	of, known := file.Sys().(*syscall.Stat_t)
	in, too := folder.Sys().(*syscall.Stat_t)
	if known && too && isStrangers(of, in, uint32(os.Geteuid())) {
		return &Config{Dir: filepath.Dir(path)}, Problems{{File: path, Message: fmt.Sprintf("is not read: it belongs to "+
			"user %d, and everyone may write to %s; delete it, or name it with --config", of.Uid, filepath.Dir(path))}}
	}
	return load(path, read, extra)
}

// isStrangers reports whether a file in a world-writable folder is untrusted. The user, the owner of the folder and the
// administrator are trusted.
func isStrangers(file, folder *syscall.Stat_t, user uint32) bool {
	const everyoneWrites = 0o002
	return folder.Mode&everyoneWrites != 0 && file.Uid != user && file.Uid != folder.Uid && file.Uid != 0
}
