package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/cmd/internal/clitest"
	"github.com/unitproof/unitproof/pipeline/remote"
	"github.com/unitproof/unitproof/pipeline/remote/remotetest"
)

// TestMain makes the test binary stand for the program: for its workers, and for the scripts.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "worker" {
		main()
		return
	}
	testscript.Main(&inFolder{m}, map[string]func(){"unitproof": main, remote.Program: remotetest.Main})
}

// shared is a folder that lives as long as the tests do.
var shared string

// inFolder are tests with the folder that they share.
type inFolder struct{ *testing.M }

func (m *inFolder) Run() int {
	var err error
	if shared, err = os.MkdirTemp("", "unitproof-test"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(shared)
	return m.M.Run()
}

// TestScripts runs testdata/*.txtar: the command line as users see it. A script describes what
// it shows; its files are unit proofs.
func TestScripts(t *testing.T) {
	cache := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			// One for all scripts: compiling the models of libc takes a second.
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("GORACE", os.Getenv("GORACE")) // see the Makefile
			// Where rustc is rustup's, it finds the compiler by the home directory, which scripts do not have.
			home, err := os.UserHomeDir()
			if err != nil {
				return err
			}
			e.Setenv("RUSTUP_HOME", cmp.Or(os.Getenv("RUSTUP_HOME"), filepath.Join(home, ".rustup")))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":    clitest.Status,
			"interrupt": cmdInterrupt,
			"valid":     cmdValid,
			"json":      clitest.JSON,
			"server":    cmdServer,
			"cluster":   cmdCluster,
			"rebuild":   cmdRebuild,
		},
	})
}

// run is the program without the process around it; it returns the exit status.
func run(ctx context.Context, args []string, std cli.Streams) int {
	return cli.Run(ctx, rootCommand(std, args), args, std)
}
