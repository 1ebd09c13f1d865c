package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
)

// cmdInterrupt is "interrupt DUR unitproof ARGS...": the program gets a SIGINT after a while
// and must end with the status 130 soon after. What it wrote is in $WORK/interrupted.txt.
func cmdInterrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: interrupt DUR PROGRAM ARGS...")
	}
	after, err := time.ParseDuration(args[0])
	ts.Check(err)
	program, err := exec.LookPath(args[1])
	ts.Check(err)
	cmd := exec.Command(program, args[2:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+ts.Getenv("XDG_CACHE_HOME"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	ts.Check(cmd.Start())
	time.Sleep(after)
	ts.Check(cmd.Process.Signal(syscall.SIGINT))
	interrupted := time.Now()
	_ = cmd.Wait() // looked at below
	ts.Check(os.WriteFile(filepath.Join(cmd.Dir, "interrupted.txt"), out.Bytes(), 0o600))
	if code := cmd.ProcessState.ExitCode(); code != cli.ExitInterrupted {
		ts.Fatalf("exit status %d, want %d\n%s", code, cli.ExitInterrupted, out.String())
	}
	if took := time.Since(interrupted); took > 5*time.Second {
		ts.Fatalf("it took %s to end", took)
	}
}

// cmdValid is "valid FILE": a document of check --json that the shipped schema allows.
func cmdValid(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: valid FILE")
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(diagnostics.JSONSchema))
	ts.Check(err)
	c := jsonschema.NewCompiler()
	ts.Check(c.AddResource("schema.json", schema))
	compiled, err := c.Compile("schema.json")
	ts.Check(err)
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(compiled.Validate(document))
}
