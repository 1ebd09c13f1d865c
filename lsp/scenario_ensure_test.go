package lsp

import (
	"path/filepath"
	"strings"
	"testing"
)

const largerProof = `#include <unitproof.h>
static int larger(int a, int b) { return a > b ? a : b; }
int main(void) {
	int a = nd_int(), b = nd_int();
	larger(a, b);
	return 0;
}
`

// The code action finds facts that hold behind the call, and they are offered as edits until the text changes.
func TestScenarioEnsure(t *testing.T) {
	e, dir := workspace(t, files{"larger_harness.c": largerProof})
	d := e.Open(filepath.Join(dir, "larger_harness.c"))
	e.Settle()
	ask := action(t, e, d, "larger(a, b);", "Find postconditions of larger")
	if ask.Command == nil {
		t.Fatalf("the action is %+v", ask)
	}
	var out ensured
	if err := e.Execute("ensure", ask.Command.Arguments[0], &out); err != nil || len(out.Facts) == 0 ||
		len(out.Edits) != len(out.Facts) || !strings.Contains(out.Summary, "`result >= a`") {
		t.Fatalf("ensure: %+v, %v", out, err)
	}
	if strings.Contains(d.Text, "sassert") {
		t.Error("a fact was written that nobody picked")
	}
	for _, a := range e.Actions(d, "larger(a, b);") {
		if strings.HasPrefix(a.Title, "Assert `result >= a`") {
			e.Apply(a.Edit)
			break
		}
	}
	e.Settle()
	if !strings.Contains(d.Text, "\tint result = larger(a, b);\n\tsassert(result >= a);\n\treturn 0;") {
		t.Errorf("the text is\n%s", d.Text)
	}
	if shown := e.Shown(); len(shown) > 0 {
		t.Errorf("it fails: %q", shown)
	}
}

// The callers of a function are asked whether they guarantee a condition; one of them does not.
func TestScenarioCallers(t *testing.T) {
	e, dir := workspace(t, files{"cell.h": "int cell(const int *v, unsigned n, unsigned i);\n",
		"cell.c": "#include \"cell.h\"\nint cell(const int *v, unsigned n, unsigned i) { return v[i]; }\n",
		"walk.c": "#include \"cell.h\"\n" +
			"int first(const int *v, unsigned n) { return n > 0 ? cell(v, n, 0) : 0; }\n" +
			"int next(const int *v, unsigned n, unsigned i) { return i < n ? cell(v, n, i + 1) : 0; }\n",
		"unitproof.toml": "[[proof]]\nfile = \"cell_harness.c\"\nsources = [\"cell.c\"]\n",
		"cell_harness.c": "#include <unitproof.h>\n#include <stdlib.h>\n#include \"cell.h\"\nint main(void) {\n" +
			"\tunsigned n = nd_uint(), i = nd_uint();\n\tassume(n <= 4);\n\tint *v = malloc(n * sizeof *v);\n\tassume(v);\n" +
			"\tmemhavoc(v, n * sizeof *v);\n\tcell(v, n, i);\n\treturn 0;\n}\n"})
	d := e.Open(filepath.Join(dir, "cell.c"))
	e.Settle()
	ask := action(t, e, d, "v[i]", "Find conditions that exclude this failure in cell")
	var out excluded
	if err := e.Execute("exclude", ask.Command.Arguments[0], &out); err != nil || len(out.Conditions) == 0 {
		t.Fatalf("exclude: %+v, %v", out, err)
	}
	ask = action(t, e, d, "v[i]", "Ask the callers of cell whether they guarantee it")
	if err := e.Execute("callers", ask.Command.Arguments[0], &out); err != nil || len(out.Callers) != 2 {
		t.Fatalf("callers: %+v, %v", out, err)
	}
	for _, c := range out.Callers {
		if want := map[string]bool{"first": true, "next": false}[c.Function]; (c.Verdict == "proved") != want {
			t.Errorf("%s: %s", c.Function, c.Sentence())
		}
	}
	if !strings.Contains(out.Summary, "next (walk.c:3): it does not guarantee it") {
		t.Errorf("the summary is %q", out.Summary)
	}
}
