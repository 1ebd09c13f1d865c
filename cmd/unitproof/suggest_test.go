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
		if p.expect.Verdict != found.Failed || filepath.Ext(p.file) != ".c" || !*everything && !p.sampled(t, 64) &&
			!(strings.Count(p.name, "/") == 1 && strings.HasPrefix(p.name, "acceptance/") && p.sampled(t, 8)) {
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
					t.Run(fmt.Sprintf("%d/%s", x.Line, c.Condition), func(t *testing.T) { confirm(t, program, cache, &p, x, c) })
				}
			}
		})
	}
	if tried < 2 {
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
func confirm(t *testing.T, program, cache string, p *testProgram, x *pipeline.Exclusion, c *pipeline.Precondition) {
	if filepath.Base(c.File) != filepath.Base(p.file) {
		t.Fatalf("the condition belongs into %s", c.File)
	}
	lines := strings.SplitAfter(p.text, "\n")
	clause, end := false, ";"
	if !strings.Contains(c.Text, end) {
		clause, end = true, "" // of a contract
	}
	atEnd := func(f *diagnostics.Finding, line int) bool {
		return clause && f.Kind == found.Postcondition && f.Line == line && f.Column > c.Column
	}
	// check writes the condition, or another one, with a statement behind the assumption.
	check := func(condition, behind string, more ...string) (doc diagnostics.Document, f *diagnostics.Finding,
		said []byte) {
		statement := strings.Replace(c.Text, "("+c.Condition+")"+end, "("+condition+")"+end+behind, 1)
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
		doc, said, _ = runCheck(t, program, cache, args...) // with compiled models
		for i := range doc.Proofs {
			if doc.Proofs[i].Entry != x.Entry {
				continue
			}
			if doc.Proofs[i].Verdict == found.Error {
				t.Fatalf("%s does not compile:\n%s", statement, said)
			}
			if f = doc.Proofs[i].Finding(x.Finding); f == nil && c.EndLine > 0 { // its text has another name for an input
				for k := range doc.Proofs[i].Obligations {
					o := &doc.Proofs[i].Obligations[k]
					if behind := o.Line - c.Line; o.Kind == x.Kind && o.Verdict == found.Failed && behind > 0 &&
						behind <= strings.Count(statement, "\n")+1 {
						f = o
					}
				}
			}
			if doc.Proofs[i].Verdict == found.Vacuous {
				t.Errorf("%s makes the proof vacuous:\n%s", statement, said)
			}
		}
		return doc, f, said
	}
	doc, f, said := check(c.Condition, "")
	reached := false // by a check of the place, and not always by the one for NULL
	for i := range doc.Proofs {
		reached = reached || slices.ContainsFunc(doc.Proofs[i].Obligations, func(o diagnostics.Finding) bool {
			moved := o.Line - x.Line
			return moved >= 0 && moved <= 1+strings.Count(c.Text, "\n") &&
				(o.Verdict == found.Proved || o.Verdict == found.Bounded)
		})
	}
	switch {
	case f != nil && f.Verdict == found.Failed:
		t.Errorf("it still fails:\n%s", said)
	case c.Reaches == pipeline.ReachesPlace && !reached:
		t.Errorf("the failing place is not reached:\n%s", said)
	}
	fails := " { extern void __ESBMC_assert(_Bool, const char *); __ESBMC_assert(0, \"\"); }"
	if clause {
		fails = " __CPROVER_ensures(0)"
	}
	doc, _, said = check(c.Condition, fails)
	before, _, _ := strings.Cut(c.Text, "("+c.Condition+")"+end)
	assumed := c.Line + strings.Count(before, "\n")
	reached = false
	for i := range doc.Proofs {
		reached = reached || slices.ContainsFunc(doc.Proofs[i].Obligations, func(o diagnostics.Finding) bool {
			return o.Verdict == found.Failed && (o.Line == assumed && o.Kind == found.Assertion || atEnd(&o, assumed))
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
	var flags []string
	if c.Allocated {
		flags = []string{"--malloc-may-fail=false"}
	}
	if clause {
		doc, _, said = check(c.Negation, fails, flags...)
		for i := range doc.Proofs {
			for _, o := range doc.Proofs[i].Obligations {
				if atEnd(&o, assumed) && o.Verdict == found.Failed {
					t.Errorf("`%s` is called exact, and an execution with its negation does not fail:\n%s", c.Condition, said)
				}
			}
		}
		return
	}
	lines = append(slices.Clone(lines), endOfFailingSet)
	lines[0] = "static int unitproof_t; " + lines[0]
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

// TestFailingSets searches the sets of small programs, and checks each in both directions.
func TestFailingSets(t *testing.T) {
	program, cache := buildProgram(t), t.TempDir()
	for _, test := range []struct{ name, text, set string }{
		{"contract", `static int table[10];
int lookup(int i)
  unitproof_requires(i >= 0)
  unitproof_ensures(unitproof_return_value == table[0] || i > 0)
{ return table[i]; }`, "i >= 10"},
		{"clauses that are no C", `int first(int *a, int n)
  __CPROVER_requires(n >= 0 && n <= 4 && __CPROVER_is_fresh(a, n * sizeof *a))
  __CPROVER_requires(__CPROVER_forall { int k; (0 <= k && k < 4) ==> (k < n ==> a[k] == 0) })
{ return a[0]; }`, "n == 0"},
		{"postcondition", `int twice(short x)
  unitproof_ensures(unitproof_return_value < 1000)
{ return 2 * x; }`, "x >= 500"},
		{"two values", `int main(void) {
  unsigned x = nd_uint(), y = nd_uint();
  sassert((x == 3) + 2 * (y == 4) != 3);
}`, "x == 3 && y == 4"},
		{"bit and pointer", `static int use(int *p, unsigned flags) { return flags & 4u ? *p : p ? *p : 0; }
int main(void) {
  static int cell;
  unsigned flags = nd_uint();
  int *p = nd_bool() ? &cell : 0;
  return use(p, flags);
}`, "p == NULL && (flags & 4) != 0"},
		{"no number", `static float larger(float a, float b) { return a > b ? a : b; }
int main(void) {
  float a = nd_float(), b = nd_float();
  float m = larger(a, b);
  sassert(m >= a);
}`, "a != a || b != b"},
		{"bound of a float", `int main(void) {
  double v = nd_double();
  assume(v >= 0.0);
  sassert(v < 2.5);
}`, "!(v < 2.5)"},
		{"made of an input", `enum mode { READ, WRITE, APPEND };
static char buffer[16];
static void put(enum mode mode, unsigned at) {
  if (mode == APPEND) at += 4;
  if (mode != READ) buffer[at] = 'x';
}
int main(void) {
  enum mode mode = (enum mode)(nd_uint() % 3);
  unsigned at = nd_uint();
  assume(at < 16);
  put(mode, at);
}`, "mode == APPEND && at >= 12"},
		{"other branches fail elsewhere", `static unsigned next(unsigned x) { return x + 1; }
int main(void) {
  unsigned a = nd_uint();
  if (nd_bool()) {
    sassert(next(a) != 0);
  } else {
    sassert(a != 9);
  }
  unsigned b = nd_uint();
  sassert(b != 7);
}`, "a > UINT32_MAX - 1; a == 9; b == 7"},
		{"member of an element", `struct item { unsigned weight; unsigned char kind; };
static const unsigned price[3] = {5, 7, 9};
static unsigned total(const struct item *items) { return price[items[0].kind] + price[items[1].kind]; }
int main(void) {
  struct item items[2];
  memhavoc(items, sizeof items);
  assume(items[0].kind < 3);
  total(items);
}`, "items[1].kind >= 3"},
		{"loop", `static int table[8];
int main(void) {
  unsigned n = nd_uint();
  assume(n <= 20);
  for (unsigned i = 0; i < n; i++) table[i] = 1;
}`, "n > 8"},
		{"failed allocation and number", `#include <stdlib.h>
int main(void) {
  unsigned n = nd_uint();
  char *a = malloc(8);
  sassert(a != NULL || n > 3);
  free(a);
}`, "a == NULL && n <= 3"},
		{"all of several bits", `static unsigned legs(unsigned kind) { return kind == 3 ? 0 : 2; }
int main(void) {
  unsigned n = nd_uint();
  sassert(legs(n & 3) == 2);
}`, "(n & 3) == 3"},
		{"a later iteration", `static bool check(unsigned x) { return x != 5; }
int main(void) {
  unsigned x = nd_uint();
  for (unsigned i = 0; i < 2; i++) {
    if (i == 1) {
      sassert(check(x));
    }
  }
}`, "x == 5"},
		{"in each iteration", `static bool check(unsigned x, unsigned i) { return x < 10 || i == 0; }
int main(void) {
  for (unsigned i = 0; i < 3; i++) {
    unsigned x = nd_uint();
    sassert(check(x, i));
    assume(x < 10);
  }
}`, ""}, // a condition there is assumed in each iteration
		{"body of an if", `static void shut(unsigned level) { sassert(level != 2); }
int main(void) {
  bool open = nd_bool();
  if (open)
    shut(nd_uint());
}`, "input == 2"},
		{"in the failing statement", `int main(void) {
  if (nd_bool()) {
    sassert(nd_int() < 3);
  }
}`, "input >= 3"},
		{"in an earlier statement", `static int half(int x) { return x < 0 ? 0 : x / 2; }
int main(void) {
  int r = half(nd_int());
  sassert(r <= 100);
}`, "input >= 202"},
		{"each of the first elements", `static unsigned length(const char *s) { unsigned n = 0; while (s[n]) n++; return n; }
int main(void) {
  char text[5];
  memhavoc(text, sizeof text);
  text[4] = 0;
  sassert(length(text) < 4);
}`, "text[0] != 0 && text[1] != 0 && text[2] != 0 && text[3] != 0"},
		{"no input", `int main(void) {
  int a[1], b[1];
  sassert(a + 1 != b);
}`, "1"},
		{"a jump back", `static bool check(unsigned x) { return x != 5; }
int main(void) {
  unsigned x = nd_uint(), i = 0;
again:
  if (i == 1) {
    sassert(check(x));
  }
  if (i++ == 0)
    goto again;
}`, "x == 5"},
		{"exit before the postcondition", `#include <stdlib.h>
int leave(int x)
  unitproof_ensures(unitproof_return_value > 0)
{ if (x > 5) exit(1); return x; }`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := testProgram{file: filepath.Join(t.TempDir(), "a.c"), name: "a.c",
				text: "/* A small program. */\n#include <unitproof.h>\n#include <stddef.h>\n" + test.text + "\n"}
			if err := os.WriteFile(p.file, []byte(p.text), 0o600); err != nil {
				t.Fatal(err)
			}
			var sets []string
			for _, x := range suggested(t, program, cache, "1m", &p) {
				if set := x.FailingSet; set != nil && set.Exact {
					sets = append(sets, set.Condition)
				}
				for i := range x.Conditions {
					confirm(t, program, cache, &p, x, &x.Conditions[i])
				}
			}
			if got := strings.Join(sets, "; "); got != test.set {
				t.Errorf("%q, want %q", got, test.set)
			}
		})
	}
}
