package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/unitproof/unitproof/diagnostics"
)

// cmdStatus is "status N unitproof ARGS...": the program must end with exactly this status.
// Its outputs are there for stdout and stderr.
func cmdStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case err == nil:
	case asExit(err, &exit):
		got = exit.ExitCode()
	default:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func asExit(err error, exit **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*exit = e
	return ok
}

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
	if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
		ts.Fatalf("exit status %d, want %d\n%s", code, exitInterrupted, out.String())
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

// cmdJSON is "json FILE PATH WANT": the value at a path like proofs.0.verdict, as it stands in
// JSON without quotes. "proofs.len" is a length.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: [!] json FILE PATH WANT")
	}
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &value))
	for _, key := range strings.Split(args[1], ".") {
		switch v := value.(type) {
		case map[string]any:
			if _, ok := v[key]; !ok {
				ts.Fatalf("%s: no %q", args[1], key)
			}
			value = v[key]
		case []any:
			if key == "len" {
				value = len(v)
				break
			}
			i, err := strconv.Atoi(key)
			if err != nil || i >= len(v) {
				ts.Fatalf("%s: no %q in a list of %d", args[1], key, len(v))
			}
			value = v[i]
		default:
			ts.Fatalf("%s: no %q in %v", args[1], key, v)
		}
	}
	if got := fmt.Sprint(value); (got == args[2]) == neg {
		ts.Fatalf("%s is %s", args[1], got)
	}
}
