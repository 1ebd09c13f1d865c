package lsp

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

// TestScenarioLoopThatNeedNotEnd checks the text "if it ends" in lens, title and hovers of a proof with a loop whose
// termination is not evident.
func TestScenarioLoopThatNeedNotEnd(t *testing.T) {
	e, dir := workspace(t, files{"e_harness.c": "#include <unitproof.h>\nvoid e_harness(void) {\n  unsigned n = " +
		"nd_uint();\n  while (n < 10) {\n    if (n > 20)\n      n++;\n  }\n  sassert(n >= 10);\n}\n"})
	d := e.Open(filepath.Join(dir, "e_harness.c"))
	e.Settle()
	const open = "if loop e_harness#1 ends"
	for what, text := range map[string]string{"the lens": e.Lenses(d)[0].Command.Title,
		"the title":                  proofItems(e)[0].Title,
		"the hover of the assertion": e.Hover(d, "n >= 10"), "the hover of the proof": e.Hover(d, "e_harness(")} {
		if !strings.Contains(strings.ReplaceAll(text, `\_`, "_"), open) {
			t.Errorf("%s is %q", what, text)
		}
	}
	if hover := e.Hover(d, "while (n"); !strings.Contains(hover, "termination is not proved") {
		t.Errorf("the hover of the loop is %q", hover)
	}
}

// TestScenarioContractOfAnotherFile checks the proof of a contract that unitproof.toml names (as one imported from a
// kit). It has a lens and a mark at the harness and at the function.
func TestScenarioContractOfAnotherFile(t *testing.T) {
	e, dir := workspace(t, files{
		"proofs/twice_harness.c": "int twice(int x);\n\nvoid harness(void) {\n\tint x;\n\ttwice(x);\n}\n",
		"src/twice.c": "int twice(int x)\n__CPROVER_requires(x > -1000 && x < 1000)\n__CPROVER_ensures(" +
			"__CPROVER_return_value == 2 * x)\n{\n\treturn x + x;\n}\n",
		"unitproof.toml": "[check]\ncontracts = \"inline\"\n[[proof]]\nname = \"twice_contract\"\n" +
			"file = \"proofs/twice_harness.c\"\ncontract = \"twice\"\nsources = [\"src/twice.c\"]\n"})
	if err := e.Call("unitproof/proofs", map[string]any{}, nil); err != nil {
		t.Fatal(err)
	}
	harness, source := e.Open(filepath.Join(dir, "proofs/twice_harness.c")), e.Open(filepath.Join(dir, "src/twice.c"))
	e.Settle()
	for _, at := range []struct {
		d    *lsptest.Document
		line int
		name string
	}{{harness, 2, "harness"}, {source, 0, "twice"}} {
		lenses := e.Lenses(at.d)
		if len(lenses) == 0 || int(lenses[0].Range.Start.Line) != at.line ||
			!strings.HasPrefix(lenses[0].Command.Title, "✓ contract") {
			t.Errorf("%s: lenses %+v", at.d.Path, lenses)
		}
		if hover := e.Hover(at.d, at.name+"("); !strings.Contains(hover, "Unit proof twice") {
			t.Errorf("%s: hover %q", at.d.Path, hover)
		}
		if a := action(t, e, at.d, at.name+"(", "Verify twice"); a.Command == nil {
			t.Errorf("%s: %+v", at.d.Path, a)
		}
		marks := e.Marks(at.d.Path)
		if !slices.ContainsFunc(marks, func(m lsptest.Mark) bool { return m.Line == at.line && m.Verdict == "proved" }) {
			t.Errorf("%s: marks %+v", at.d.Path, marks)
		}
	}
}

// hintsOf returns the inlay hints of a document, each with its line.
func hintsOf(e *lsptest.Editor, d *lsptest.Document) string {
	var list []inlayHint
	e.Must("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": d.URI},
		"range": protocol.Range{End: protocol.Position{Line: 1000}}}, &list)
	var b strings.Builder
	for _, h := range list {
		b.WriteString(strings.TrimSpace(strings.Split(d.Text, "\n")[h.Position.Line]) + "→" + h.Label + "\n")
	}
	return b.String()
}

// compiles checks that ordinary compilers accept a file.
func compiles(t *testing.T, file string) {
	t.Helper()
	header, err := filepath.Abs("../pipeline/clang")
	if err != nil {
		t.Fatal(err)
	}
	for _, compiler := range []string{"gcc", "clang", "clang-14"} {
		if _, err := exec.LookPath(compiler); err != nil {
			continue
		}
		out, err := exec.Command(compiler, "-fsyntax-only", "-Wall", "-Wno-unused", "-Werror", "-I", header,
			file).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", compiler, err, out)
		}
	}
}

// TestScenarioLoops checks that inferred invariants are shown at their loop and can be written as clauses. The
// program is still accepted by any compiler, and is proved with the clauses.
func TestScenarioLoops(t *testing.T) {
	const scale = `/* A comment. */
extern unsigned nd_uint(void);
extern void assume(_Bool), sassert(_Bool);
int main(void) {
	unsigned n = nd_uint(), sum = 0;
	assume(n <= 1000000);
	for (unsigned i = 0; i < n; i++)
		sum += 2;
	sassert(sum == 2 * n);
	return 0;
}
`
	e, dir := workspace(t, files{"scale_harness.c": scale})
	d := e.Open(filepath.Join(dir, "scale_harness.c"))
	e.Settle()
	if got := hintsOf(e, d); !strings.Contains(got, "for (unsigned i = 0; i < n; i++)→keeps i <= n, sum == 2 * i\n") {
		t.Errorf("hints: %s", got)
	}
	if got := e.Hover(d, "for (unsigned"); !strings.Contains(got, "Loop main#1") ||
		!strings.Contains(got, "sum == 2 * i") {
		t.Errorf("hover: %s", got)
	}
	write := "Write down the invariants of this loop"
	e.Apply(action(t, e, d, "for (unsigned", write).Edit)
	want := "\tfor (unsigned i = 0; i < n; i++)\n" +
		"\t__CPROVER_loop_invariant(i <= n)\n\t__CPROVER_loop_invariant(sum == 2 * i)\n"
	if !strings.Contains(d.Text, want) || !strings.HasPrefix(d.Text, "/* A comment. */\n#if !defined __UNITPROOF__") {
		t.Errorf("written down:\n%s", d.Text)
	}
	e.Save(d)
	e.Settle()
	if items := proofItems(e); len(items) != 1 || items[0].Verdict != "proved" {
		t.Errorf("with the invariants: %+v", items)
	}
	compiles(t, d.Path)
	if got := hintsOf(e, d); got != "" {
		t.Errorf("hints beside what is written: %s", got)
	}
	for _, a := range e.Actions(d, "for (unsigned") {
		if a.Title == write {
			t.Error("what is written is offered again")
		}
	}
	// An edit of the loop removes its hints.
	e.SetText(d, strings.Replace(scale, "sum += 2", "sum += 4", 1))
	if got := hintsOf(e, d); got != "" {
		t.Errorf("hints before the loop was checked: %s", got)
	}
}

// TestScenarioPartOfAnInvariant checks a loop whose contract says too little: its head shows the invariants that
// induction found. They need not hold at the first arrival, so the editor does not offer to write them down.
func TestScenarioPartOfAnInvariant(t *testing.T) {
	e, dir := workspace(t, files{"part_harness.c": `#include <unitproof.h>
void part_harness(void) {
	unsigned n = nd_uint(), i = 0, s = 0;
	assume(n < 100000);
	while (i < n)
		__CPROVER_loop_invariant(i <= n)
	{
		i++;
		s += 2;
	}
	sassert(s == 2 * n);
}
`})
	d := e.Open(filepath.Join(dir, "part_harness.c"))
	e.Settle()
	hover := e.Hover(d, "while (i")
	for _, want := range []string{"by induction from iteration 2 on", "Found at each later arrival", "s == 2 * i"} {
		if !strings.Contains(hover, want) {
			t.Errorf("the hover of the loop lacks %q: %q", want, hover)
		}
	}
	if hints := hintsOf(e, d); !strings.Contains(hints, "while (i < n)→from iteration 2 on: s == 2 * i") {
		t.Errorf("the hints are %q", hints)
	}
	for _, a := range e.Actions(d, "while (i") {
		if strings.HasPrefix(a.Title, "Write down") {
			t.Errorf("%s is offered", a.Title)
		}
	}
}

// TestScenarioWrittenInvariants does the same for programs of the corpus, all of them if UNITPROOF_LOOPS is "all"
// (make written).
func TestScenarioWrittenInvariants(t *testing.T) {
	names := []string{"lower_bound_ok", "fill_down_ok", "ring_wraps_ok", "line_counter_ok", "fill_then_check",
		"escape_quotes_ok", "copy_pairs_ok", "find_first_by_two_ok"}
	if os.Getenv("UNITPROOF_LOOPS") != "all" {
		names = names[:2]
	}
	both := false
	for _, name := range names {
		text, err := os.ReadFile("../testdata/acceptance/unbounded/" + name + ".c")
		if err != nil {
			t.Fatal(err)
		}
		for _, which := range []string{"this loop", "all"} {
			t.Run(name+"/"+which, func(t *testing.T) {
				e, dir := workspace(t, files{name + ".c": string(text)})
				d := e.Open(filepath.Join(dir, name+".c"))
				e.Settle()
				edit := json.RawMessage(nil)
				for _, head := range strings.Split(string(text), "\n") {
					if head = strings.TrimSpace(head); strings.HasPrefix(head, "for (") || strings.HasPrefix(head, "while (") {
						for _, a := range e.Actions(d, head) {
							if strings.HasPrefix(a.Title, "Write down the invariants of "+which) {
								edit = a.Edit
							}
						}
					}
				}
				if edit == nil && which == "all" {
					return // the program has one loop; both is checked at the end
				} else if edit == nil {
					t.Fatal("nothing to write down")
				}
				both = both || which == "all"
				e.Apply(edit)
				e.Save(d)
				e.Settle()
				if items := proofItems(e); len(items) != 1 || items[0].Verdict != "proved" {
					t.Errorf("with the invariants: %+v\n%s", items, d.Text)
				}
				compiles(t, d.Path)
			})
		}
	}
	if !both {
		t.Error("no program has several loops")
	}
}

// TestScenarioContractLens checks that the lens of a contract is over its function, with the verdict and the number
// of loops.
func TestScenarioContractLens(t *testing.T) {
	const text = `#include <unitproof.h>
unsigned twice(unsigned n)
__CPROVER_requires(n <= 1000)
__CPROVER_ensures(__CPROVER_return_value == 2 * n)
{
  unsigned sum = 0;
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n && sum == 2 * i)
    sum += 2;
  return sum;
}
`
	e, dir := workspace(t, files{"twice.c": text})
	d := e.Open(filepath.Join(dir, "twice.c"))
	e.Settle()
	title := func() string {
		for _, l := range e.Lenses(d) {
			if at := l.Range.Start; at.Line == 1 && at.Character == uint32(len("unsigned ")) && l.Command != nil {
				return l.Command.Title
			}
		}
		return ""
	}
	if got := title(); !strings.HasPrefix(got, "✓ contract, 1 loop") {
		t.Errorf("the lens says %q", got)
	}
	e.Replace(d, "== 2 * n)", "== 3 * n)")
	e.Save(d)
	e.Settle()
	if got := title(); !strings.HasPrefix(got, "✗ 1 failed of its contract") {
		t.Errorf("the lens of what does not hold says %q", got)
	}
	expectShown(t, e, "twice.c:4 error ")
}

// TestScenarioStateInTheWay checks that the hover of an assertion has its counterexample to induction.
func TestScenarioStateInTheWay(t *testing.T) {
	const text = `#include <unitproof.h>
int main(void) {
	unsigned n = nd_uint(), s = 0, i = 0;
	assume(n < 100000);
	while (i < n)
	__CPROVER_loop_invariant(i <= n)
	{
		s = s * 1664525 + 1013904223;
		i++;
	}
	sassert(s != 1000);
	return 0;
}
`
	e, dir := workspace(t, files{"sum_harness.c": text})
	d := e.Open(filepath.Join(dir, "sum_harness.c"))
	e.Settle()
	hover := e.Hover(d, "sassert(s")
	for _, want := range []string{"in the way, not an execution", "line 6", "- s = ", "- n = ",
		"there: `s != 1000` is false"} {
		if !strings.Contains(hover, want) {
			t.Errorf("the hover lacks %q:\n%s", want, hover)
		}
	}
}
