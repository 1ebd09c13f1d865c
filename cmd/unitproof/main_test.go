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
	"github.com/unitproof/unitproof/pipeline/wrap"
)

// TestMain makes the test binary usable as the program: for its workers, for the scripts, in place of compilers.
func TestMain(m *testing.M) {
	wrap.Intercept()
	if len(os.Args) == 2 && os.Args[1] == "worker" {
		main()
		return
	}
	testscript.Main(&inFolder{m}, map[string]func(){"unitproof": main, remote.Program: remotetest.Main})
}

// shared is a folder that exists during all tests.
var shared string

// inFolder runs tests with the shared folder.
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

// TestScripts runs testdata/*.txtar: the command line with its visible output. The files of a script are unit proofs.
func TestScripts(t *testing.T) {
	cache := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			// One for all scripts: compiling the models of libc takes a second.
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("GORACE", os.Getenv("GORACE")) // see the Makefile
			// rustup's rustc finds the compiler through the home directory, which scripts lack.
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

// run runs the program in this process, and returns the exit status.
func run(ctx context.Context, args []string, std cli.Streams) int {
	return cli.Run(ctx, rootCommand(std, args), args, std)
}
