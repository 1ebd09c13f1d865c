// Package clitest has the commands of test scripts, and the markers of test programs, that the tests of all programs
// use.
//
// Scripts (testscript) call Status and JSON:
//
//	status 1 unitproof check --json out.json a_harness.c
//	json out.json proofs.0.verdict failed
//
// ParseMarkers (markers.go) reads the expectations that a test program states in comments:
//
//	// verdict: failed
//	sassert(x != 3); // want failed assertion
package clitest

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// Status is "status N unitproof ARGS...": the program must end with exactly this status. stdout and stderr can be
// checked afterwards.
func Status(ts *testscript.TestScript, neg bool, args []string) {
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

// JSON is "json FILE PATH WANT": the value at a path like proofs.0.verdict, in its JSON form without quotes.
// "proofs.len" is a length.
func JSON(ts *testscript.TestScript, neg bool, args []string) {
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
