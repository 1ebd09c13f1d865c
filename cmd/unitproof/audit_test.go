package main

import (
	"os/exec"
	"strings"
	"testing"
)

// A reviewer has no question about the proofs that we ship.
func TestAuditOfExamples(t *testing.T) {
	program := buildProgram(t)
	for _, example := range []struct {
		dir  string
		args []string
	}{
		{"../../testdata/proofs/examples", nil},
		{"../../buildsystems/example", []string{"--source", "src/ring.c", "-I", "include", "-D", "RING_CAPACITY=16",
			"proofs"}},
	} {
		cmd := exec.Command(program, append([]string{"audit", "--no-cache"}, example.args...)...)
		cmd.Dir = example.dir
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), " audited: 0 high, 0 medium, 0 low\n") {
			t.Errorf("%s: %v\n%s", example.dir, err, out)
		}
	}
}
