package remotetest

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/remote/network"
)

// Main is unitproof-remote, for tests that are that program, too.
func Main() {
	if err := network.Run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Program has a test find unitproof-remote in PATH: it is the test itself, as a process that this call does not return
// in. For TestMain; done takes away what was made.
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
	return func() { _ = os.RemoveAll(dir) } // in a folder for such things
}
