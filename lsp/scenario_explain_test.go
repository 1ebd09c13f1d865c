package lsp

import (
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/lsp/lsptest"
)

// What a proof rests on is asked for, shown as hints, and gone with the next edit.
func TestScenarioExplain(t *testing.T) {
	e, dir := workspace(t, files{
		"unitproof.toml": "[check]\non = \"save\"\n",
		"proofs/fine_harness.c": "#include <unitproof.h>\nstatic int twice(int x) {\n\tif (x > 1000)\n\t\treturn 0;\n" +
			"\treturn 2 * x;\n}\nint main(void) {\n\tint x = nd_int(), y = nd_int();\n\tassume(x > 0);\n\tassume(x < 100);\n" +
			"\tassume(y != 7);\n\tsassert(twice(x) > x);\n\tsassert(sizeof(int) == 4);\n}\n"})
	path := filepath.Join(dir, "proofs/fine_harness.c")
	d := e.Open(path)
	e.Settle()
	expectShown(t, e) // nobody asked
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
		3:  "no execution gets here (faded)",
		10: "no verdict rests on this assumption (faded)"} {
		if len(hints[line]) != 1 || hints[line][0] != want {
			t.Errorf("line %d from 0 shows %q, want %q; all: %v", line, hints[line], want, hints)
		}
	}
	if got := e.Hover(d, "sassert"); !strings.Contains(got, "rests on `x > 0` (line 9), `x < 100` (line 10)") ||
		!strings.Contains(got, "it depends on x (nd") {
		t.Errorf("hover says %q", got)
	}
	// An edit takes it back.
	e.Replace(d, "x < 100", "x < 90")
	e.Save(d)
	e.Settle()
	expectShown(t, e)
}

// Code that no execution of any explained proof gets to is greyed.
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
	// clang asks of `x < 0 || y < 0` one question: what is behind it is not known of its operands.
	if got := dead("a_harness.c"); got != "{ return 2; } | x = 3; | trace(2); | trace(3);" {
		t.Errorf("a alone: %q", got)
	}
	if got := dead("b_harness.c"); got != "{ return 2; } | trace(2);" {
		t.Errorf("both: %q", got)
	}
}
