package main

import (
	"os"
	"os/exec"
	"path/filepath"
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
		statement := filepath.Join(t.TempDir(), "STATEMENT.md")
		cmd := exec.Command(program, append([]string{"audit", "--no-cache", "--assurance", statement}, example.args...)...)
		cmd.Dir = example.dir
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), " audited: 0 high, 0 medium, 0 low\n") {
			t.Errorf("%s: %v\n%s", example.dir, err, out)
		}
		if example.args == nil {
			continue
		}
		text, err := os.ReadFile(statement)
		if err != nil {
			t.Fatal(err)
		}
		page, err := os.ReadFile("../../docs/audit.md")
		if err != nil {
			t.Fatal(err)
		}
		if _, rest, ok := strings.Cut(string(text), "\n\n2 proofs"); !ok || !strings.Contains(string(page), "2 proofs"+rest) {
			t.Errorf("docs/audit.md has another statement than\n%s", text)
		}
	}
}
