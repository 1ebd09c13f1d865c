package cbmc

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
)

func TestParse(t *testing.T) {
	const head = `[ {"program": "CBMC 6.6.0 (cbmc-6.6.0)"}, {"messageText": "Passing problem to propositional reduction", "messageType": "STATUS-MESSAGE"},`
	const holds = `{"description": "assertion x", "property": "main.assertion.1", "sourceLocation": {"file": "a.c", "line": "3"}, "status": "SUCCESS"}`
	const fails = `{"description": "dereference failure: pointer NULL in *p", "property": "f.pointer_dereference.1", "status": "FAILURE"}`
	const cut = `{"description": "unwinding assertion loop 0", "property": "f.unwind.0", "status": "FAILURE"}`
	const deep = `{"description": "recursion unwinding assertion", "property": "f.recursion", "status": "FAILURE"}`
	for _, test := range []struct {
		name, text, verdict string
		failed, errors      int
	}{
		{"all hold", head + `{"result": [` + holds + `]}, {"cProverStatus": "success"}]`, "proved", 0, 0},
		{"nothing to check", head + `{"result": []}, {"cProverStatus": "success"}]`, "proved", 0, 0},
		{"one fails", head + `{"result": [` + holds + `,` + fails + `,` + cut + `]}, {"cProverStatus": "failure"}]`, "failed", 2, 0},
		{"loops only", head + `{"result": [` + holds + `,` + cut + `,` + deep + `]}, {"cProverStatus": "failure"}]`, "bounded", 2, 0},
		{"error", head + `{"messageText": "syntax error before 'x'", "messageType": "ERROR", "sourceLocation": {"file": "a.c", "line": "7"}}, {"messageText": "PARSING ERROR", "messageType": "ERROR"}]`, "", 0, 2},
		{"cut off", head + `{"result": [` + holds + `]}, {"cProv`, "", 0, 0},
		{"cut off in the results", head + `{"result": [` + holds + `, {"desc`, "", 0, 0},
		{"failure without a property", head + `{"result": [` + holds + `]}, {"cProverStatus": "failure"}]`, "", 0, 0},
		{"success with a failure", head + `{"result": [` + fails + `]}, {"cProverStatus": "success"}]`, "", 1, 0},
	} {
		out, err := Parse([]byte(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if out.Verdict != test.verdict || len(out.Failed) != test.failed || len(out.Errors) != test.errors || out.Program != "CBMC 6.6.0 (cbmc-6.6.0)" {
			t.Errorf("%s: %+v", test.name, out)
		}
	}
	if out, _ := Parse([]byte(head + `{"messageText": "syntax error", "messageType": "ERROR", "sourceLocation": {"file": "a.c", "line": "7"}}]`)); out.Errors[0] != "a.c:7: syntax error" {
		t.Errorf("error is %q", out.Errors[0])
	}
	if _, err := Parse([]byte("CBMC version 6.6.0\n")); err == nil {
		t.Error("text that is no JSON is read")
	}
}

func TestCommand(t *testing.T) {
	p := &project.Proof{Entry: "f_harness", EntryUnit: project.Unit{File: "/w/f.c", Dir: "/w", Flags: []string{"-Iinc", "-I", "/abs", "-DA=1", "-D", "B", "-std=gnu99", "-Wall", "-O2", "-fstack-protector", "-include", "x.h"}},
		Sources: []project.Unit{{File: "/w/g.c", Dir: "/w/sub", Flags: []string{"-Iinc", "-DA=1", "-fstack-protector"}}, {File: "/w/f.c", Dir: "/w"}},
		Options: vcgen.Options{Checks: map[vcgen.Kind]bool{"array-bounds": true, "signed-overflow": false, "memory-leak": true}}}
	c, err := commandOf(p, "/h", true)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"--json-ui", "--function", "f_harness", "-I", "/h", "--no-standard-checks", "--bounds-check", "--memory-leak-check", "--unwinding-assertions",
		"-I", "/w/inc", "-I", "/abs", "-D", "A=1", "-D", "B", "--c99", "--include", "/w/x.h", "-I", "/w/sub/inc", "/w/f.c", "/w/g.c"}
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
	if _, err := commandOf(p, "/h", true); err == nil || !strings.Contains(err.Error(), "override") {
		t.Errorf("overrides: %v", err)
	}
}

// TestHeader compiles every example proof that needs no record of writes against the header for CBMC. What is CBMC's own is declared as
// CBMC declares it, so a word of the proof language that the header lacks shows.
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
	if err := os.WriteFile(own, []byte("void __CPROVER_assume(_Bool); void __CPROVER_assert(_Bool, const char *); void __CPROVER_havoc_slice(void *, unsigned long); _Bool __CPROVER_r_ok(const void *, unsigned long);\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob("../../testdata/proofs/*/*.c")
	more, _ := filepath.Glob("../../testdata/proofs/*.c")
	var read, refused []string
	for _, file := range append(files, more...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "<unitproof.h>") {
			continue
		}
		// -E finds the same header; what fails with the shipped one as well is not the header's fault.
		args := []string{"-fsyntax-only", "-w", "-include", own, "-I", dir, "-I", filepath.Dir(file), file}
		out, err := exec.Command(clang, args...).CombinedOutput()
		writes := strings.Contains(string(text), "sea_is_modified") || strings.Contains(string(text), "sea_tracking") || strings.Contains(string(text), "sea_reset")
		switch {
		case writes && err == nil:
			t.Errorf("%s asks whether something was written, and the header lets it", file)
		case writes:
			refused = append(refused, file)
		case err != nil && (strings.Contains(string(out), "undeclared") || strings.Contains(string(out), "unknown type name")):
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
	out, status, cost, err := Measure(context.Background(), 1<<40, "", "sh", "-c", "echo word; exit 10")
	if err != nil || status != 10 || string(out) != "word\n" || cost.Wall <= 0 || cost.MemoryMB <= 0 {
		t.Errorf("%q, %d, %+v, %v", out, status, cost, err)
	}
	if _, _, _, err := Measure(context.Background(), 1<<40, "", filepath.Join(t.TempDir(), "nothing")); err == nil {
		t.Error("a program that is not there runs")
	}
	if _, _, _, err := Measure(context.Background(), 1<<25, "", "sh", "-c", "sleep 100 & sleep 100"); err != ErrTimeout {
		t.Errorf("a limit ends with %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, _, err := Measure(ctx, 1<<40, "", "sh", "-c", "sleep 100"); err != context.Canceled {
		t.Errorf("a cancelled run ends with %v", err)
	}
}
