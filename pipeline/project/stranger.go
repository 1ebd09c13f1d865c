package project

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// loadFound is load for a configuration that nobody has named: it was found in a folder, or above it. One that somebody
// else has left where everyone may write, such as /tmp, would decide what is run for whoever works below.
func loadFound(path string, read func(string) ([]byte, error)) (*Config, error) {
	file, err := os.Lstat(path)
	if err != nil {
		return load(path, read) // a view may know it nevertheless
	}
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return load(path, read)
	}
	of, known := file.Sys().(*syscall.Stat_t)
	in, too := folder.Sys().(*syscall.Stat_t)
	if known && too && isStrangers(of, in, uint32(os.Geteuid())) {
		return &Config{Dir: filepath.Dir(path)}, Problems{{File: path, Message: fmt.Sprintf("is not read: it belongs to "+
			"user %d, and everyone may write to %s; take it away, or name it with --config", of.Uid, filepath.Dir(path))}}
	}
	return load(path, read)
}

// isStrangers tells whether neither the user, nor the owner of the folder, nor the administrator has put a file into a
// folder.
func isStrangers(file, folder *syscall.Stat_t, user uint32) bool {
	const everyoneWrites = 0o002
	return folder.Mode&everyoneWrites != 0 && file.Uid != user && file.Uid != folder.Uid && file.Uid != 0
}
