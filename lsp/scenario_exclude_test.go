package lsp

import (
	"path/filepath"
	"strings"
	"testing"
)

const getProof = `#include <unitproof.h>
static int get(const int *v, unsigned i) { return v[i]; }
int main(void) {
	int v[8];
	unsigned i = nd_uint();
	get(v, i);
	return 0;
}
`

// The code action finds the conditions that exclude a failure, and they are offered as edits from then on.
func TestScenarioExclude(t *testing.T) {
	e, dir := workspace(t, files{"get_harness.c": getProof})
	d := e.Open(filepath.Join(dir, "get_harness.c"))
	e.Settle()
	ask := action(t, e, d, "v[i]", "Find conditions that exclude this failure")
	if ask.Command == nil {
		t.Fatalf("the action is %+v", ask)
	}
	var out excluded
	if err := e.Execute("exclude", ask.Command.Arguments[0], &out); err != nil || len(out.Conditions) != 1 ||
		len(out.Edits) != 1 || out.Edits[0].Title != "assume(i < 8);" ||
		!strings.Contains(out.Summary, "`i < 8`") {
		t.Fatalf("exclude: %+v, %v", out, err)
	}
	if text := e.Hover(d, "v[i]"); !strings.Contains(strings.ReplaceAll(text, "`", ""), "it fails whenever i >= 8") {
		t.Errorf("the hover is %q", text)
	}
	for _, a := range e.Actions(d, "v[i]") {
		if strings.Contains(a.Title, "What would") {
			t.Error("it is known now, and still asked for")
		}
	}
	fix := action(t, e, d, "v[i]", "Assume `i < 8` here (excludes this failure; do the callers of get guarantee it?)")
	e.Apply(fix.Edit)
	e.Settle()
	if !strings.Contains(d.Text, "\tassume(i < 8);\n\tget(v, i);\n") {
		t.Errorf("the text is\n%s", d.Text)
	}
	if shown := e.Shown(); len(shown) > 0 {
		t.Errorf("the failure is still there: %q", shown)
	}
}
