package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// TestScenarioProveThisFunction writes the first proof of a function by a lens or a code action.
func TestScenarioProveThisFunction(t *testing.T) {
	e, dir := workspace(t, files{"src/sum.c": "#include <stddef.h>\nint sum(const int *v, size_t n) {\n\tunsigned s = " +
		"0;\n\tfor (size_t i = 0; i < n; i++)\n\t\ts += (unsigned)v[i];\n\treturn (int)s;\n}\n"})
	d := e.Open(filepath.Join(dir, "src/sum.c"))
	e.Settle()
	lenses := func() (titles []string) {
		var list []protocol.CodeLens
		e.Must("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": d.URI}}, &list)
		for _, l := range list {
			e.Must("codeLens/resolve", l, &l)
			titles = append(titles, l.Command.Title)
		}
		return titles
	}
	if got := lenses(); !slices.Equal(got, []string{"Prove this function"}) {
		t.Errorf("the lenses are %q", got)
	}
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
	e.Settle()
	if got := lenses(); !slices.Equal(got, []string{"1 proof ✓"}) {
		t.Errorf("the lenses of a function with a proof are %q", got)
	}
	for _, a := range e.Actions(d, "#include") {
		if strings.Contains(a.Title, "Prove") {
			t.Error("an action outside of functions")
		}
	}
}

// TestScenarioLensAboveTheType checks that lenses are above the whole definition if the name has a line of its own.
func TestScenarioLensAboveTheType(t *testing.T) {
	e, dir := workspace(t, files{"a.c": "/* Adds one. */\nint\nnext(int x)\n{\n\treturn x + 1;\n}\n"})
	d := e.Open(filepath.Join(dir, "a.c"))
	e.Settle()
	if list := e.Lenses(d); len(list) != 1 || list[0].Range.Start.Line != 1 || list[0].Range.End.Line != 1 {
		t.Errorf("the lenses are %+v", list)
	}
}
