package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A function of a file that nobody prepared gets its first proof by a code action.
func TestScenarioProveThisFunction(t *testing.T) {
	e, dir := workspace(t, files{"src/sum.c": "#include <stddef.h>\nint sum(const int *v, size_t n) {\n\tunsigned s = " +
		"0;\n\tfor (size_t i = 0; i < n; i++)\n\t\ts += (unsigned)v[i];\n\treturn (int)s;\n}\n"})
	d := e.Open(filepath.Join(dir, "src/sum.c"))
	e.Settle()
	a := action(t, e, d, "unsigned s", "Prove this function")
	if a.Command == nil {
		t.Fatalf("the action is %+v", a)
	}
	var out provedFunction
	if err := e.Execute("prove", a.Command.Arguments[0], &out); err != nil || out.Verdict != "proved" {
		t.Fatalf("prove: %+v, %v", out, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "proofs/sum_harness.c")); err != nil ||
		!strings.Contains(string(text), "any_block(n * sizeof *v)") {
		t.Errorf("the proof, %v:\n%s", err, text)
	}
	if err := e.Execute("prove", a.Command.Arguments[0], nil); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("a second time: %v", err)
	}
	for _, a := range e.Actions(d, "#include") {
		if strings.Contains(a.Title, "Prove") {
			t.Error("an action outside of functions")
		}
	}
}
