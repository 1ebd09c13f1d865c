package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TestSuggested writes the conditions that suggest finds for failing programs into their texts, and checks these anew
// without any cache: the failure is gone, the proof is not vacuous, and an execution satisfies the condition.
func TestSuggested(t *testing.T) {
	program, cache := buildProgram(t), keptOfCorpus(t)
	tried := 0
	for _, p := range testPrograms(t, corpora...) {
		if !*everything && strings.Count(p.text, "want failed") > 4 {
			continue
		}
		if p.expect.Verdict != found.Failed || filepath.Ext(p.file) != ".c" || !*everything && !p.sampled(64) &&
			!(strings.Count(p.name, "/") == 1 && strings.HasPrefix(p.name, "acceptance/") && p.sampled(4)) {
			continue
		}
		tried++
		t.Run(p.title(), func(t *testing.T) {
			t.Parallel()
			for k, x := range suggested(t, program, cache, "2s", &p) {
				if k == 3 && !*everything {
					break
				}
				for i := range x.Conditions {
					if i == 2 && !*everything {
						break
					}
					c := &x.Conditions[i]
					t.Run(fmt.Sprintf("%d/%s", x.Line, c.Condition), func(t *testing.T) { confirm(t, program, &p, x, c) })
				}
			}
		})
	}
	if tried < 5 {
		t.Errorf("only %d programs were tried", tried)
	}
}

// suggested runs suggest on a program.
func suggested(t *testing.T, program, cache, budget string, p *testProgram) []*pipeline.Exclusion {
	t.Helper()
	output := filepath.Join(t.TempDir(), "out.json")
	cmd := exec.Command(program, append([]string{"suggest", "--budget", budget, "--json", output}, p.args()...)...)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	said, err := cmd.CombinedOutput()
	var doc suggestDocument
	data, readErr := os.ReadFile(output)
	if readErr == nil {
		readErr = json.Unmarshal(data, &doc)
	}
	if readErr != nil || doc.Schema != diagnostics.Schema {
		t.Fatalf("suggest: %v, %v\n%s", err, readErr, said)
	}
	return doc.Findings
}

// confirm checks a program with a condition as the user would write it.
func confirm(t *testing.T, program string, p *testProgram, x *pipeline.Exclusion, c *pipeline.Precondition) {
	if filepath.Base(c.File) != filepath.Base(p.file) {
		t.Fatalf("the condition belongs into %s", c.File)
	}
	lines := strings.SplitAfter(p.text, "\n")
	// check writes the condition, or another one, with a statement behind the assumption.
	check := func(condition, behind string, more ...string) (doc diagnostics.Document, f *diagnostics.Finding,
		said []byte) {
		statement := strings.Replace(c.Text, "("+c.Condition+");", "("+condition+");"+behind, 1)
		edited := slices.Clone(lines)
		rest := lines[c.Line-1][c.Column-1:]
		if c.EndLine > 0 { // the text replaces a statement
			rest = lines[c.EndLine-1][c.EndColumn-1:]
			for i := c.Line; i < c.EndLine; i++ {
				edited[i] = ""
			}
		}
		edited[c.Line-1] = lines[c.Line-1][:c.Column-1] + statement + "\n" + rest
		copied := filepath.Join(t.TempDir(), filepath.Base(p.file))
		if err := os.WriteFile(copied, []byte(strings.Join(edited, "")), 0o600); err != nil {
			t.Fatal(err)
		}
		args := slices.Concat([]string{"-I", filepath.Dir(p.file), "--no-cache"}, p.expect.Flags, more, []string{copied})
		doc, said, _ = runCheck(t, program, t.TempDir(), args...)
		for i := range doc.Proofs {
			if doc.Proofs[i].Entry != x.Entry {
				continue
			}
			if doc.Proofs[i].Verdict == found.Error {
				t.Fatalf("%s does not compile:\n%s", statement, said)
			}
			if f = doc.Proofs[i].Finding(x.Finding); doc.Proofs[i].Verdict == found.Vacuous {
				t.Errorf("%s makes the proof vacuous:\n%s", statement, said)
			}
		}
		return doc, f, said
	}
	doc, f, said := check(c.Condition, "")
	reached := false // by a check of the place, and not always by the one for NULL
	for i := range doc.Proofs {
		reached = reached || slices.ContainsFunc(doc.Proofs[i].Obligations, func(o diagnostics.Finding) bool {
			return (o.Line == x.Line || o.Line == x.Line+1) && (o.Verdict == found.Proved || o.Verdict == found.Bounded)
		})
	}
	switch {
	case f != nil && f.Verdict == found.Failed:
		t.Errorf("it still fails:\n%s", said)
	case c.Reaches == pipeline.ReachesPlace && !reached:
		t.Errorf("the failing place is not reached:\n%s", said)
	}
	doc, _, said = check(c.Condition, " { extern void __ESBMC_assert(_Bool, const char *); __ESBMC_assert(0, \"\"); }")
	before, _, _ := strings.Cut(c.Text, "("+c.Condition+");")
	assumed := c.Line + strings.Count(before, "\n")
	reached = false
	for i := range doc.Proofs {
		reached = reached || slices.ContainsFunc(doc.Proofs[i].Obligations, func(o diagnostics.Finding) bool {
			return o.Line == assumed && o.Kind == found.Assertion && o.Verdict == found.Failed
		})
	}
	if !reached {
		t.Errorf("no execution satisfies the condition:\n%s", said)
	}
	if !c.Exact {
		return
	}
	if _, f, said := check(c.Negation, ""); f == nil || f.Verdict != found.Failed {
		t.Errorf("`%s` is called exact, and its negation does not fail:\n%s", c.Condition, said)
	}
	// Of the failing set, no execution comes to an end.
	lines = append(slices.Clone(lines), endOfFailingSet)
	lines[0] = "static int unitproof_t; " + lines[0]
	var flags []string
	if c.Allocated {
		flags = []string{"--malloc-may-fail=false"}
	}
	doc, _, said = check(c.Negation, " unitproof_t = 1;", flags...)
	for i := range doc.Proofs {
		for _, o := range doc.Proofs[i].Obligations {
			if o.Function == "unitproof_e" && o.Kind == found.Assertion && o.Verdict == found.Failed {
				t.Errorf("`%s` is called exact, and an execution with its negation does not fail:\n%s", c.Condition, said)
			}
		}
	}
}

// endOfFailingSet violates an assertion at the end of executions that come to the place of a condition.
const endOfFailingSet = `
extern void __ESBMC_assert(_Bool, const char *);
__attribute__((destructor)) static void unitproof_e(void) { if (unitproof_t) __ESBMC_assert(0, ""); }
`

// TestInputsWithoutNames checks in which statements inputs without a name get one. A macro that repeats its argument
// makes several inputs of one text, and a loop one each time: neither is one value.
func TestInputsWithoutNames(t *testing.T) {
	program, cache := buildProgram(t), t.TempDir()
	for _, test := range []struct{ statement, set string }{
		{"get(v, nd_uint());", "it fails whenever `input >= 8`, and only then (input is nd_uint())"},
		{"int r = get(v, nd_uint() % 9); (void)r;",
			"it fails whenever `input % 9 == 8`, and only then (input is nd_uint())"},
		{"get(v, TWICE(nd_uint() & 7));", ""},
		{"for (int k = 0; k < 3; k++) get(v, nd_uint());", ""},
		{"if (nd_uint() > 3) get(v, 9);", ""},
	} {
		text := "#include <unitproof.h>\n#define TWICE(x) ((x) + (x))\nstatic int get(const int *v, unsigned i) { return " +
			"v[i]; }\nint main(void) {\n  int v[8];\n  " + test.statement + "\n  return 0;\n}\n"
		p := testProgram{file: filepath.Join(t.TempDir(), "a_harness.c"), name: "a_harness.c", text: text}
		if err := os.WriteFile(p.file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, x := range suggested(t, program, cache, "1m", &p) {
			if x.FailingSet != nil {
				said += x.FailingSet.Sentence()
			}
		}
		if test.set == "" && strings.Contains(said, "input") || test.set != "" && said != test.set {
			t.Errorf("%s: %q, want %q", test.statement, said, test.set)
		}
	}
}
