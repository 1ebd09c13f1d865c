package lsp

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
)

// TestScenarioStrength checks that surviving mutants are shown until an edit. Mutants that another proof kills, and
// accepted ones, are not shown.
func TestScenarioStrength(t *testing.T) {
	const config = "[check]\non = \"save\"\n[[proof]]\nfile = \"a_harness.c\"\nsources = [\"src/clamp.c\"]\n" +
		"[[proof]]\nfile = \"b_harness.c\"\nsources = [\"src/clamp.c\"]\n"
	e, dir := workspace(t, files{
		"unitproof.toml": config,
		"src/clamp.c":    "int clamp(int x, int lo, int hi) {\n\tif (x < lo)\n\t\treturn lo;\n\treturn x > hi ? hi : x;\n}\n",
		"a_harness.c": "#include <unitproof.h>\nint clamp(int x, int lo, int hi);\nint main(void) {\n\tint x = nd_int();\n" +
			"\tsassert(clamp(x, 0, 9) <= 9);\n}\n",
		"b_harness.c": "#include <unitproof.h>\nint clamp(int x, int lo, int hi);\nint main(void) {\n\tint x = nd_int();\n" +
			"\tsassert(clamp(x, 0, 9) >= 0);\n}\n"})
	path := filepath.Join(dir, "src/clamp.c")
	d := e.Open(path)
	harness := e.Open(filepath.Join(dir, "a_harness.c"))
	e.Settle()
	survivors := func() (list []string) {
		e.Settle()
		for _, h := range e.Diagnostics(path) {
			if h.Source != strengthSource || h.Code != "survivor" || h.Severity != protocol.DiagnosticSeverityInformation {
				t.Errorf("%+v is no survivor", h)
			}
			before, rest, _ := strings.Cut(h.Message, ", but all checks of the proof still pass")
			if !strings.Contains(rest, "x = ") {
				t.Errorf("%q has no execution", h.Message)
			}
			list = append(list, before)
		}
		slices.Sort(list)
		return list
	}
	run := func(file, want string) {
		t.Helper()
		var list struct {
			Proofs []struct {
				Verdict, Summary string
				Survived         int
			}
		}
		uri := map[string]any{"uri": e.Open(filepath.Join(dir, file)).URI}
		if err := e.Execute("strength", uri, &list); err != nil || len(list.Proofs) != 1 ||
			!strings.HasPrefix(list.Proofs[0].Summary, want) {
			t.Fatalf("strength of %s: %+v, %v, want %q", file, list, err, want)
		}
	}
	run("a_harness.c", "")
	expect := func(what string, want ...string) {
		t.Helper()
		if got := survivors(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
	}
	const equalLow, equalHigh, branch = "`<` becomes `<=`", "`>` becomes `>=`", "the branch goes the other way"
	expect("a alone", equalLow, equalHigh, branch)
	// The score stays over the proof until the next edit.
	score := func() bool {
		return strings.Contains(e.Lenses(harness)[0].Command.Title, " · strength ")
	}
	if !score() {
		t.Errorf("the lens is %q", e.Lenses(harness)[0].Command.Title)
	}
	run("b_harness.c", "")
	expect("b notices what a does not", equalLow, equalHigh)
	e.Replace(harness, "<= 9", "<= 10")
	expect("an edit of a", equalLow, equalHigh, branch)
	if score() {
		t.Errorf("after an edit the lens is %q", e.Lenses(harness)[0].Command.Title)
	}
	e.Replace(harness, "<= 10", "<= 9")
	expect("undone", equalLow, equalHigh)
	e.Replace(d, "x < lo", "x <= lo")
	expect("an edit of the code")
	e.Replace(d, "x <= lo", "x < lo")

	// Accepted survivors.
	e.WriteFile(filepath.Join(dir, "unitproof.toml"), config+"[[accept]]\nsurvivor = \"`<` becomes `<=`\"\n"+
		"function = \"clamp\"\nreason = \"the same\"\n[[accept]]\nsurvivor = \"*\"\nfunction = \"other\"\n")
	run("a_harness.c", "")
	expect("accepted", equalHigh, branch)

	// An unproved proof has no strength.
	e.Replace(harness, "<= 9", "<= 8")
	e.Save(harness)
	run("a_harness.c", "not measured: 1 failed")
	expect("failed")
}
