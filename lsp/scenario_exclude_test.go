package lsp

import (
	"path/filepath"
	"slices"
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

// Another counterexample is typical, the next one takes another branch, and after the last one the first comes again.
func TestScenarioAnother(t *testing.T) {
	e, dir := workspace(t, files{"need_harness.c": `#include <unitproof.h>
static unsigned need(unsigned n, bool wide) {
	if (wide)
		return 2 * n;
	return n;
}
int main(void) {
	unsigned n = nd_uint(), room = nd_uint();
	bool wide = nd_bool();
	assume(n < 1000 && room < 1000);
	sassert(need(n, wide) < room);
	return 0;
}
`})
	e.Open(filepath.Join(dir, "need_harness.c"))
	e.Settle()
	id := proofItems(e)[0].ID
	var out struct {
		Title, End, FailingSet string
		Inputs                 []struct{ Variable, Value string }
	}
	value := func(name string) string {
		for _, in := range out.Inputs {
			if in.Variable == name {
				return in.Value
			}
		}
		return ""
	}
	next := func(says string) {
		t.Helper()
		out.Inputs = nil
		if err := e.Execute("another", map[string]any{"proof": id}, &out); err != nil || out.End != "fails" ||
			!strings.HasSuffix(out.Title, says) {
			t.Fatalf("another: %+v, %v; want %q", out, err, says)
		}
	}
	next("(2 of 3, a typical one)")
	if n := value("n"); n == "0" || n == "1" {
		t.Errorf("a typical n is %s", n)
	}
	wide := value("wide")
	next("(3 of 3, by other branches)")
	if value("wide") == wide {
		t.Errorf("the same branch, wide = %s", wide)
	}
	if err := e.Execute("vary", map[string]any{"proof": id, "changes": []map[string]any{{"input": 1, "value": "999"}}},
		&out); err != nil || out.End != "holds" {
		t.Errorf("with room for all: %+v, %v", out, err)
	}
	// The changes take the place of the last ones.
	none := map[string]any{"proof": id, "again": true, "changes": []map[string]any{}}
	if err := e.Execute("vary", none, &out); err != nil || out.End != "fails" || value("wide") == wide {
		t.Errorf("without the last change: %+v, %v", out, err)
	}
	next("(1 of 3, the one that was found first)")
	var found excluded
	if err := e.Execute("exclude", map[string]any{"proof": id}, &found); err != nil {
		t.Fatal(err)
	}
	if err := e.Execute("trace", map[string]any{"proof": id}, &out); err != nil || found.FailingSet == nil ||
		out.FailingSet != found.FailingSet.Sentence() {
		t.Errorf("the trace has the failing set %q, and exclude found %+v; %v", out.FailingSet, found.FailingSet, err)
	}
}

// TestScenarioExcludeNamesInputs checks that an input without a name gets one in the edit that assumes a condition.
func TestScenarioExcludeNamesInputs(t *testing.T) {
	e, dir := workspace(t, files{"get_harness.c": strings.NewReplacer("\tunsigned i = nd_uint();\n", "", "get(v, i)",
		"int r = get(v, nd_uint())").Replace(getProof)})
	d := e.Open(filepath.Join(dir, "get_harness.c"))
	e.Settle()
	var out excluded
	ask := action(t, e, d, "v[i]", "Find conditions that exclude this failure")
	if err := e.Execute("exclude", ask.Command.Arguments[0], &out); err != nil ||
		!strings.Contains(out.Set, "it fails whenever `input >= 8`, and only then (input is nd_uint())") {
		t.Fatalf("exclude: %+v, %v", out, err)
	}
	e.Apply(action(t, e, d, "v[i]", "Assume `input < 8` here").Edit)
	e.Settle()
	want := "\tint v[8];\n\tunsigned input = nd_uint();\n\tassume(input < 8);\n\tint r = get(v, input);\n\treturn 0;\n"
	if !strings.Contains(d.Text, want) {
		t.Errorf("the text is\n%s", d.Text)
	}
	if shown := e.Shown(); len(shown) > 0 {
		t.Errorf("the failure is still there: %q", shown)
	}
}

// TestScenarioExcludeEachFinding checks that each of two findings at one place has its own search for conditions, and
// that an answer without conditions names the finding.
func TestScenarioExcludeEachFinding(t *testing.T) {
	e, dir := workspace(t, files{"get_harness.c": "#include <stdlib.h>\n#include <unitproof.h>\n\nint main(void) {\n" +
		"\tunsigned i = nd_uint();\n\tunsigned char *v = malloc(4);\n\tassume(v != NULL);\n\treturn v[i] == 0;\n}\n",
		"unitproof.toml": "[[proof]]\nfile = \"get_harness.c\"\nchecks = { uninitialized-read = true }\n"})
	d := e.Open(filepath.Join(dir, "get_harness.c"))
	e.Settle()
	var summaries []string
	for _, a := range e.Actions(d, "v[i]") {
		if !strings.HasPrefix(a.Title, "Find conditions that exclude this failure") {
			continue
		}
		var out excluded
		if err := e.Execute("exclude", a.Command.Arguments[0], &out); err != nil {
			t.Fatal(err)
		}
		summaries = append(summaries, out.Summary)
	}
	slices.Sort(summaries)
	if len(summaries) != 2 || !strings.Contains(summaries[0], "i < 4") ||
		!strings.HasPrefix(summaries[1], "uninitialized-read: no simple condition") {
		t.Errorf("the answers are %q", summaries)
	}
}
