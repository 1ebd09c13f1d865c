package remotetest

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/remote/network"
)

// Main is the main of unitproof-remote, for tests that serve as that program.
func Main() {
	if err := network.Run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Program makes the test itself available as unitproof-remote in PATH; in a process of that name it does not return. It
// is for TestMain; done cleans up.
func Program() (done func()) {
	if filepath.Base(os.Args[0]) == remote.Program {
		Main()
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", remote.Program+"-*")
	self, err2 := os.Executable()
	if err == nil && err2 == nil {
		err = os.Symlink(self, filepath.Join(dir, remote.Program))
	}
	if err == nil {
		err = os.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	if err != nil || err2 != nil {
		fmt.Fprintln(os.Stderr, err, err2)
		os.Exit(1)
	}
	return func() { _ = os.RemoveAll(dir) } // in the folder for temporary files
}
