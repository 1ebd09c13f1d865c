package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/unitproof/unitproof/cmd/internal/clitest"
)

// TestMain makes the test binary usable as the program: for its workers, and for the scripts.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "worker" {
		main()
		return
	}
	testscript.Main(m, map[string]func(){"unitproof-bench": main})
}

// TestScripts runs testdata/*.txtar. $UNITPROOF is the program to measure.
func TestScripts(t *testing.T) {
	cache, program := t.TempDir(), filepath.Join(t.TempDir(), "unitproof")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, "../unitproof")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_CACHE_HOME", cache)
			e.Setenv("GORACE", os.Getenv("GORACE")) // see the Makefile
			e.Setenv("UNITPROOF", program)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"status": clitest.Status,
			"json": clitest.JSON},
	})
}
