package diagnostics

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestProbeDead checks that each dead way is an error in the text, on its original line.
func TestProbeDead(t *testing.T) {
	source := "int f(int x) {\n\tif (x > 5 && x < 9)\n\t\treturn 1;\n\twhile (x == 3)\n\t\tx++;\n\treturn x;\n}\n"
	branch := func(line, column int, yes, no found.Taken) Branch {
		return Branch{Text: "c", File: "f.c", Line: line, Column: column, Entered: true,
			Ways: []BranchWay{{Way: "true", Taken: yes}, {Way: "false", Taken: no}}}
	}
	list := []Branch{
		branch(2, 12, found.TakenBy, found.NeverTaken), // the operand before &&
		branch(2, 6, found.NeverTaken, found.TakenBy),  // the last operand
		branch(4, 2, found.NeverTaken, found.TakenBy),
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

// TestProbeDeadCases checks that a switch compares its value with the values of its dead ways.
func TestProbeDeadCases(t *testing.T) {
	source := "int f(int x) {\n\tswitch (x + 1) { case 1: return 2; case -2: case 7: return 3; }\n\treturn x;\n}\n"
	way := func(taken found.Taken, values ...string) BranchWay {
		w := BranchWay{Way: "default", Values: values, Taken: taken}
		if len(values) > 0 {
			w.Way = "case " + strings.Join(values, ", ")
		}
		return w
	}
	for _, c := range []struct {
		branches []BranchWay
		want     string
		n        int
	}{
		{[]BranchWay{way(found.TakenBy, "1"), way(found.NeverTaken, "-2", "7"), way(found.TakenBy)},
			"(unitproof_v == (__typeof__(unitproof_v))0xfffffffffffffffeull || " +
				"unitproof_v == (__typeof__(unitproof_v))0x7ull)", 1},
		{[]BranchWay{way(found.NeverTaken, "1"), way(found.TakenBy, "-2", "7"), way(found.NeverTaken)},
			"(unitproof_v == (__typeof__(unitproof_v))0x1ull) || ((unitproof_v != (__typeof__(unitproof_v))0x1ull) && " +
				"(unitproof_v != (__typeof__(unitproof_v))0xfffffffffffffffeull && " +
				"unitproof_v != (__typeof__(unitproof_v))0x7ull))", 2},
	} {
		text, n := ProbeDead(func(string) []byte { return []byte(source) }, "f.c",
			[]Branch{{Text: "x + 1", File: "f.c", Line: 2, Column: 2, Entered: true, Ways: c.branches}})
		want := "switch (({ __typeof__(+(x + 1)) unitproof_v = (x + 1); if (" + c.want +
			") unitproof_dead_way(); unitproof_v; })) { case 1"
		if n != c.n || !strings.Contains(string(text), want) {
			t.Errorf("%d ways are errors, want %d, in\n%s, want\n%s", n, c.n, text, want)
		}
	}
}

// TestProbesTogether compiles a file with probes that includes another file with probes.
func TestProbesTogether(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		probed, n := ProbeDead(func(string) []byte { return []byte(text) }, name,
			[]Branch{{Text: "x", File: name, Line: 3, Column: 6, Entered: true,
				Ways: []BranchWay{{Way: "true", Taken: found.NeverTaken}, {Way: "false", Taken: found.TakenBy}}}})
		if n != 1 {
			t.Fatalf("%s has %d ways, want 1", name, n)
		}
		if err := os.WriteFile(filepath.Join(dir, name), probed, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.h", "static int f(int x)\n{\n\tif (x)\n\t\treturn 1;\n\treturn 0;\n}\n")
	write("b.c", "#include \"a.h\"\nint g(int x) {\n\tif (x)\n\t\treturn 1;\n\treturn f(x);\n}\n")
	cmd := exec.Command("clang-14", "-fsyntax-only", "-Werror", "b.c")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
