package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

// TestScenarioExplain requests the core of a proof, checks the hints, and that the next edit removes them.
func TestScenarioExplain(t *testing.T) {
	e, dir := workspace(t, files{
		"unitproof.toml": "[check]\non = \"save\"\n",
		"proofs/fine_harness.c": "#include <unitproof.h>\nstatic int twice(int x) {\n\tif (x > 1000)\n\t\treturn 0;\n" +
			"\treturn 2 * x;\n}\nint main(void) {\n\tint x = nd_int(), y = nd_int();\n\tassume(x > 0);\n\tassume(x < 100);\n" +
			"\tassume(y != 7);\n\tsassert(twice(x) > x);\n\tsassert(sizeof(int) == 4);\n}\n"})
	path := filepath.Join(dir, "proofs/fine_harness.c")
	d := e.Open(path)
	e.Settle()
	expectShown(t, e) // no explanation was requested
	var list struct{ Proofs []item1 }
	if err := e.Execute("verify", map[string]any{"uri": d.URI, "explain": true}, &list); err != nil ||
		len(list.Proofs) != 1 || list.Proofs[0].Verdict != "proved" {
		t.Fatalf("verify with an explanation: %+v, %v", list, err)
	}
	e.Settle()
	hints := map[int][]string{}
	for _, h := range e.Diagnostics(path) {
		if h.Severity != protocol.DiagnosticSeverityHint {
			t.Errorf("%+v is no hint", h)
		}
		word := h.Message
		if len(h.Tags) == 1 && h.Tags[0] == protocol.DiagnosticTagUnnecessary {
			word += " (faded)"
		}
		line := int(h.Range.Start.Line)
		hints[line] = append(hints[line], word)
	}
	for line, want := range map[int]string{2: "`x > 1000` is always false under these assumptions",
		3:  "no execution reaches this line (faded)",
		10: "no verdict rests on this assumption (faded)"} {
		if len(hints[line]) != 1 || hints[line][0] != want {
			t.Errorf("line %d from 0 shows %q, want %q; all: %v", line, hints[line], want, hints)
		}
	}
	if got := e.Hover(d, "sassert"); !strings.Contains(got, "rests on `x > 0` (line 9), `x < 100` (line 10)") ||
		!strings.Contains(got, "it depends on x (nd") {
		t.Errorf("hover says %q", got)
	}
	// An edit removes the hints.
	e.Replace(d, "x < 100", "x < 90")
	e.Save(d)
	e.Settle()
	expectShown(t, e)
}

// TestScenarioDeadCode checks that code is greyed if no execution of any explained proof reaches it.
func TestScenarioDeadCode(t *testing.T) {
	e, dir := workspace(t, files{
		"unitproof.toml": "[check]\non = \"save\"\n[[proof]]\nfile = \"a_harness.c\"\nsources = [\"sign.c\"]\n" +
			"[[proof]]\nfile = \"b_harness.c\"\nsources = [\"sign.c\"]\n",
		"sign.c": "int last;\nvoid trace(int n) { last = n * last; }\n" +
			"int sign(int x, int y) {\n\tif (x > 0 && x > 2000) {\n\t\treturn 2;\n\t}\n\tif (!(x <= 0))\n\t\treturn 1;\n" +
			"\telse\n\t\tx = 3;\n\tif (x < 0 || y < 0) trace(1);\n\tif (y > 5) trace(2); else trace(3);\n\treturn 0;\n}\n",
		"a_harness.c": "#include <unitproof.h>\nint sign(int x, int y);\nint main(void) {\n\tint x = nd_int();\n" +
			"\tassume(x > 0 && x < 9);\n\tsassert(sign(x, nd_int()) > 0);\n}\n",
		"b_harness.c": "#include <unitproof.h>\nint sign(int x, int y);\nint main(void) {\n\tint x = nd_int();\n" +
			"\tassume(x < 9);\n\tint y = nd_int();\n\tassume(y < 3);\n\tsassert(sign(x, y) < 4);\n}\n"})
	path := filepath.Join(dir, "sign.c")
	d := e.Open(path)
	dead := func(file string) string {
		t.Helper()
		if err := e.Execute("verify", map[string]any{"uri": e.Open(filepath.Join(dir, file)).URI, "explain": true},
			nil); err != nil {
			t.Fatal(err)
		}
		e.Settle()
		var list []string
		for _, h := range e.Diagnostics(path) {
			if h.Code == "dead-code" {
				if len(h.Tags) != 1 || h.Tags[0] != protocol.DiagnosticTagUnnecessary {
					t.Errorf("%+v is not faded", h)
				}
				start, _ := lsptest.Offset(d.Text, h.Range.Start)
				end, _ := lsptest.Offset(d.Text, h.Range.End)
				list = append(list, strings.Join(strings.Fields(d.Text[start:end]), " "))
			}
		}
		return strings.Join(list, " | ")
	}
	// clang compiles `x < 0 || y < 0` to one branch, so its operands are unknown.
	if got := dead("a_harness.c"); got != "{ return 2; } | x = 3; | trace(2); | trace(3);" {
		t.Errorf("a alone: %q", got)
	}
	if got := dead("b_harness.c"); got != "{ return 2; } | trace(2);" {
		t.Errorf("both: %q", got)
	}
}

// TestScenarioDeadCases checks that cases of a switch are greyed if no execution enters or falls into them.
func TestScenarioDeadCases(t *testing.T) {
	e, dir := workspace(t, files{
		"unitproof.toml": "[check]\non = \"save\"\n",
		"case_harness.c": "#include <unitproof.h>\nenum color { RED, GREEN = 5, BLUE = 6 };\n" +
			"static int f(int x) {\n\tint y = 1;\n\tswitch (x) {\n\tcase 1: y = 5; break;\n\tcase 2: y = 7; break;\n" +
			"\tcase GREEN: y = 3; /* falls through */\n\tcase 9:\n\tcase 'a': y++; break;\n" +
			"\tcase BLUE: if (y > 0) { y = 2; }\n\t\treturn y;\n\tcase 20: { y = x * x; return y; }\n" +
			"\tcase 30:\n\tcase 31: y = 4; break;\n\tdefault: y = 0;\n\t}\n\treturn y;\n}\n" +
			"int main(void) {\n\tint x = nd_int();\n\tassume(x > 1 && x < 6);\n\tsassert(f(x) < 8);\n}\n"})
	path := filepath.Join(dir, "case_harness.c")
	d := e.Open(path)
	if err := e.Execute("verify", map[string]any{"uri": d.URI, "explain": true}, nil); err != nil {
		t.Fatal(err)
	}
	e.Settle()
	var dead, messages []string
	for _, h := range e.Diagnostics(path) {
		start, _ := lsptest.Offset(d.Text, h.Range.Start)
		end, _ := lsptest.Offset(d.Text, h.Range.End)
		switch h.Code {
		case "dead-code":
			if len(h.Tags) != 1 || h.Tags[0] != protocol.DiagnosticTagUnnecessary ||
				!strings.Contains(h.Message, "no execution takes this case of `switch (x)`") {
				t.Errorf("%+v is not faded, or says something else", h)
			}
			dead = append(dead, strings.Join(strings.Fields(d.Text[start:end]), " "))
		case "dead-branch":
			messages = append(messages, h.Message)
		}
	}
	want := "case 1: y = 5; break; | case BLUE: if (y > 0) { y = 2; } return y; | " +
		"case 20: { y = x * x; return y; } | case 30: case 31: y = 4; break;"
	if got := strings.Join(dead, " | "); got != want {
		t.Errorf("greyed is %q, want %q", got, want)
	}
	if len(messages) == 0 || messages[0] != "no execution takes case 1, case 9, 97, case 6, case 20, case 30, 31 of "+
		"`switch (x)` under these assumptions" {
		t.Errorf("hints: %q", messages)
	}
}

// TestScenarioBranchCoverage checks that a run with coverage includes the branches of the lines.
func TestScenarioBranchCoverage(t *testing.T) {
	e, dir := workspace(t, files{
		"unitproof.toml": "[check]\non = \"save\"\n",
		"sign_harness.c": "#include <unitproof.h>\nstatic int sign(int x) {\n\tif (x > 0 && x < 90) return 1;\n" +
			"\tswitch (x) { case 0: return 0; case -1: x = 2; }\n\treturn x;\n}\n" +
			"int main(void) {\n\tint x = nd_int();\n\tassume(x >= 0 && x < 9);\n\tsassert(sign(x) >= 0);\n}\n"})
	d := e.Open(filepath.Join(dir, "sign_harness.c"))
	var list struct{ Proofs []item1 }
	if err := e.Execute("verify", map[string]any{"uri": d.URI, "explain": true, "coverage": true}, &list); err != nil ||
		len(list.Proofs) != 1 || list.Proofs[0].Verdict != "proved" {
		t.Fatalf("verify: %+v, %v", list, err)
	}
	var covered struct {
		Files []struct{ Lines []coverageLine }
	}
	if err := e.Execute("coverage", map[string]any{"proofs": []string{list.Proofs[0].ID}}, &covered); err != nil ||
		len(covered.Files) != 1 {
		t.Fatalf("coverage: %+v, %v", covered, err)
	}
	var got []string
	for _, l := range covered.Files[0].Lines {
		for _, b := range l.Branches {
			s := fmt.Sprintf("%d:%d `%s`", l.Line, b.Character, b.Text)
			for _, w := range b.Ways {
				s += fmt.Sprintf(" %s %s", w.Way, w.Taken)
			}
			got = append(got, s)
		}
	}
	want := []string{"2:5 `x > 0` true taken false taken", "2:14 `x < 90` true taken false never",
		"3:9 `x` case 0 taken case -1 never default never"}
	if !slices.Equal(got, want) {
		t.Errorf("branches: %q, want %q", got, want)
	}
}
