package diagnostics

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
)

// TestProbeDead: what is called dead is an error in the text, on the line where it stood.
func TestProbeDead(t *testing.T) {
	source := "int f(int x) {\n\tif (x > 5 && x < 9)\n\t\treturn 1;\n\twhile (x == 3)\n\t\tx++;\n\treturn x;\n}\n"
	branch := func(line, column int, yes, no vcgen.Taken) Branch {
		return Branch{Text: "c", File: "f.c", Line: line, Column: column, Entered: true,
			Ways: []BranchWay{{Way: "true", Taken: yes}, {Way: "false", Taken: no}}}
	}
	list := []Branch{
		branch(2, 12, vcgen.TakenBy, vcgen.NeverTaken), // the operand before &&
		branch(2, 6, vcgen.NeverTaken, vcgen.TakenBy),  // the last operand
		branch(4, 2, vcgen.NeverTaken, vcgen.TakenBy),
	}
	text, n := ProbeDead(func(string) []byte { return []byte(source) }, "f.c", list)
	if n != 3 {
		t.Errorf("%d ways are errors, want 3", n)
	}
	_, body, ok := strings.Cut(string(text), "#line 1\n")
	want := "int f(int x) {\n\tif (((x > 5) ? 1 : (unitproof_dead_way(), 0)) && " +
		"((x < 9) ? (unitproof_dead_way(), 1) : 0))\n\t\treturn 1;\n\twhile (((x == 3) ? (unitproof_dead_way(), 1) : 0))\n"
	if !ok || !strings.HasPrefix(body, want) {
		t.Errorf("the text is\n%s", text)
	}
	if _, n := ProbeDead(func(string) []byte { return nil }, "f.c", list); n != 0 {
		t.Errorf("%d ways of a file that is not there", n)
	}
}
