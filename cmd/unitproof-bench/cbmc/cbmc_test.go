package cbmc

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/contract"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// printed is CBMC 6.3.1's output for a proof with a cut loop, a violation and a function without a body.
const printed = `CBMC version 6.3.1 (cbmc-6.3.1) 64-bit x86_64 linux
Type-checking a
Generating GOTO Program
Adding CPROVER library (x86_64)
Removal of function pointers and virtual functions
Generic Property Instrumentation
Starting Bounded Model Checking
Passing problem to propositional reduction
converting SSA
Running propositional reduction
SAT checker: instance is SATISFIABLE

** Results:
`

func TestParse(t *testing.T) {
	const (
		holds   = "a.c function main\n[main.assertion.1] line 3 assertion [x] < 3: y: SUCCESS\n"
		fails   = "[f.pointer_dereference.1] line 9 dereference failure: pointer NULL in *p: FAILURE\n"
		other   = "[memcpy.precondition.1] file <builtin-library-memcpy> line 30 memcpy source region readable: FAILURE\n"
		behind  = "[main.assertion.2] line 12 assertion y: UNKNOWN\n"
		cut     = "[f.unwind.0] line 4 unwinding assertion loop 0: FAILURE\n"
		deep    = "[f.recursion] line 5 recursion unwinding assertion: FAILURE\n"
		nobody  = "[main.no-body.get] line 7 no body for callee get: FAILURE\n"
		good    = "VERIFICATION SUCCESSFUL\n"
		bad     = "VERIFICATION FAILED\n"
		counted = "\n** %s failed (2 iterations)\n"
	)
	countLine := func(n string) string { return strings.Replace(counted, "%s", n, 1) }
	for _, test := range []struct {
		name, text, verdict     string
		failed, holding, bodies int
	}{
		{"all hold", holds + countLine("0 of 1") + good, "proved", 0, 1, 0},
		{"nothing to check", good, "proved", 0, 0, 0},
		{"one fails", holds + fails + other + cut + countLine("3 of 4") + bad, "failed", 3, 1, 0},
		{"one fails and others lie behind it", holds + fails + behind + countLine("1 of 3") + bad, "failed", 1, 1, 0},
		{"loops only", holds + cut + deep + countLine("2 of 3") + bad, "bounded", 2, 1, 0},
		{"no body", holds + nobody + countLine("1 of 2") + bad, "proved", 0, 1, 1},
		{"no body, and what lies behind is not decided", holds + nobody + behind + countLine("1 of 3") + bad, "", 0, 1, 1},
		{"no body and a loop", cut + nobody + countLine("2 of 2") + bad, "bounded", 1, 0, 1},
		{"a description of two lines", holds +
			"[f.array_bounds.5] line 9 array lower bound in { 5, x, \n    7 }[(signed long int)i]: FAILURE\n" +
			countLine("1 of 2") +
			bad, "failed", 1, 1, 0},
		{"a description that does not end", holds + "[f.array_bounds.5] line 9 array lower bound in { 5, x, \n\n" +
			countLine("0 of 2") + good, "", 0, 1, 0},
		{"cut off", holds + countLine("0 of 1") + "VERIF", "", 0, 1, 0},
		{"cut off in the results", holds + "[main.ass", "", 0, 1, 0},
		{"not all that were counted", holds + countLine("0 of 2") + good, "", 0, 1, 0},
		{"failure without a property", holds + countLine("0 of 1") + bad, "", 0, 1, 0},
		{"success with a failure", fails + countLine("1 of 1") + good, "", 1, 0, 0},
		{"success with one that is not decided", behind + countLine("0 of 1") + good, "", 0, 0, 0},
	} {
		out := Parse([]byte(printed+test.text), nil)
		if out.Verdict != test.verdict || len(out.Failed) != test.failed || out.Holding != test.holding ||
			len(out.NoBody) != test.bodies ||
			out.Program != "CBMC version 6.3.1 (cbmc-6.3.1) 64-bit x86_64 linux" {
			t.Errorf("%s: %+v", test.name, out)
		}
	}
	out := Parse([]byte(printed+fails+other+countLine("2 of 2")+bad), nil)
	if got := out.Failed[0].String() + "; " +
		out.Failed[1].String(); got != "f.pointer_dereference.1: line 9: dereference failure: pointer NULL in *p; "+
		"memcpy.precondition.1: line 30: memcpy source region readable" {
		t.Errorf("properties are %q", got)
	}
	out = Parse([]byte("CBMC version 6.3.1 (cbmc-6.3.1) 64-bit x86_64 linux\nType-checking a\n"),
		[]byte("**** WARNING: no body for function f\nfile a.c line 7: syntax error before 'x'\nPARSING ERROR\n"))
	if out.Verdict != "" || !slices.Equal(out.Errors, []string{"file a.c line 7: syntax error before 'x'",
		"PARSING ERROR"}) {
		t.Errorf("errors are %+v", out)
	}
}

func TestExplain(t *testing.T) {
	all := known()
	if len(all) == 0 {
		t.Fatal("no differences")
	}
	seen := map[string]bool{}
	for _, d := range all {
		key := d.proof + " " + d.ours + " " + d.theirs
		if seen[key] || d.ours == d.theirs || len(d.why) < 10 {
			t.Errorf("%+v", d)
		}
		seen[key] = true
		if Explain(d.proof, d.ours, d.theirs) != d.why || Explain(d.proof, d.theirs, d.ours) == d.why {
			t.Errorf("%s is not explained by its verdicts", key)
		}
	}
}

func TestCommand(t *testing.T) {
	p := &project.Proof{Entry: "f_harness", EntryUnit: project.Unit{File: "/w/f.c", Dir: "/w",
		Flags: []string{"-Iinc", "-I", "/abs", "-DA=1", "-D", "B", "-std=gnu99", "-Wall", "-O2", "-fstack-protector",
			"-include", "x.h"}},
		Sources: []project.Unit{{File: "/w/g.c", Dir: "/w/sub", Flags: []string{"-Iinc", "-DA=1", "-fstack-protector"}},
			{File: "/w/f.c", Dir: "/w"}},
		Options: vcgen.Options{
			Semantics: found.Semantics{Checks: map[found.Kind]bool{"array-bounds": true, "signed-overflow": false,
				"memory-leak": true}}}}
	c, err := commandOf(p, "/h", true)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"--function", "f_harness", "-I", "/h", "--no-standard-checks", "--bounds-check",
		"--memory-leak-check", "--unwinding-assertions",
		"-I", "/w/inc", "-I", "/abs", "-D", "A=1", "-D", "B", "--c99", "--include", "/w/x.h", "-I", "/w/sub/inc", "/w/f.c",
		"/w/g.c"}
	if !slices.Equal(c.args, want) {
		t.Errorf("arguments are\n%q, not\n%q", c.args, want)
	}
	if !slices.Equal(c.dropped, []string{"-fstack-protector"}) {
		t.Errorf("dropped are %q", c.dropped)
	}
	if b := boundsOf(p); !slices.Equal(b, bounds) {
		t.Errorf("automatic bounds are %v", b)
	}
	p.Options.Unwind, p.Options.Loops = 5, map[string]int{"g#1": 9}
	if b := boundsOf(p); !slices.Equal(b, []int{9}) {
		t.Errorf("bounds are %v", b)
	}
	if u := unwind(9); !slices.Equal(u, []string{"--unwind", "10"}) {
		t.Errorf("the option is %v", u)
	}
	p.Overrides = []project.Unit{{File: "/w/stub.c"}}
	if c, err := commandOf(p, "/h", true); err != nil || !slices.Equal(c.args[len(c.args)-3:],
		[]string{"/w/stub.c", "/w/f.c", "/w/g.c"}) {
		t.Errorf("an override does not come first: %v, %v", c, err)
	}
	p.RemoveBodies = []string{"g"}
	if _, err := commandOf(p, "/h", true); err == nil || !strings.Contains(err.Error(), "goto-instrument") {
		t.Errorf("removed bodies: %v", err)
	}
}

// TestHeader compiles each example proof without a record of writes against the header for CBMC. CBMC's own functions
// are declared as in CBMC, so that a missing name of the proof language is an error.
func TestHeader(t *testing.T) {
	clang, err := exec.LookPath("clang-14")
	if err != nil {
		t.Fatal("no clang-14: apt-get install clang-14")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "unitproof.h"), header, 0o600); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(dir, "cprover.h")
	if err := os.WriteFile(own,
		[]byte("void __CPROVER_assume(_Bool); void __CPROVER_assert(_Bool, const char *); void __CPROVER_havoc_slice(void "+
			"*, unsigned long); _Bool __CPROVER_r_ok(const void *, unsigned long);\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("../../../testdata/proofs/*/*.c")
	more, _ := filepath.Glob("../../../testdata/proofs/*.c")
	var read, refused []string
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// Clauses are not C before rewriting; CBMC parses them itself.
		if !strings.Contains(string(text), "<unitproof.h>") || contract.Mentions(text) {
			continue
		}
		// -E finds the same header; a file that fails with the shipped header too is skipped.
		args := []string{"-fsyntax-only", "-w", "-include", own, "-I", dir, "-I", filepath.Dir(file), file}
		out, err := exec.Command(clang, args...).CombinedOutput()
		writes := strings.Contains(string(text), "sea_is_modified") || strings.Contains(string(text), "sea_tracking") ||
			strings.Contains(string(text), "sea_reset")
		switch {
		case writes && err == nil:
			t.Errorf("%s asks whether something was written, and the header lets it", file)
		case writes:
			refused = append(refused, file)
		case err != nil && (strings.Contains(string(out), "undeclared") || strings.Contains(string(out),
			"unknown type name")):
			t.Errorf("%s: %s", file, out)
		default:
			read = append(read, file)
		}
	}
	if len(read) < 20 {
		t.Errorf("only %d example proofs were read: %q (refused: %q)", len(read), read, refused)
	}
}

func TestMeasure(t *testing.T) {
	out, status, cost, err := Measure(context.Background(), 1<<40, "", nil, "sh", "-c",
		"echo word; echo other >&2; exit 10")
	if err != nil || status != 10 || string(out.Out) != "word\n" || string(out.Err) != "other\n" || cost.Wall <= 0 ||
		cost.MemoryMB <= 0 {
		t.Errorf("%q, %d, %+v, %v", out, status, cost, err)
	}
	if _, _, _, err := Measure(context.Background(), 1<<40, "", nil, filepath.Join(t.TempDir(), "nothing")); err == nil {
		t.Error("a program that is not there runs")
	}
	if _, _, _, err := Measure(context.Background(), 1<<25, "", nil, "sh", "-c",
		"sleep 100 & sleep 100"); err != ErrTimeout {
		t.Errorf("a limit ends with %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, _, err := Measure(ctx, 1<<40, "", nil, "sh", "-c", "sleep 100"); err != context.Canceled {
		t.Errorf("a cancelled run ends with %v", err)
	}
}
