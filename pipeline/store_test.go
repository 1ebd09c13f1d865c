package pipeline

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// twoParts is a proof about two independent functions, with a loop whose bound is a query, a violation, and a dead
// assertion.
const twoParts = `#include <unitproof.h>
#include <stdlib.h>
static unsigned scale(unsigned a, unsigned b) {
  unsigned product = a * 5 + b;
  sassert(product >= a);
  return product;
}
static int walk(const int *values, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += values[i] & 7;
  }
  sassert(sum <= 7 * n);
  sassert(sum != 21);
  return sum;
}
int main(void) {
  unsigned a = nd_uint(), b = nd_uint();
  assume(a < 3000 && b > 0 && b < 1000);
  unsigned p = scale(a, b);
  sassert(p < 16000);
  int n = nd_int();
  assume(n >= 0 && n <= 5);
  int *values = malloc(n * sizeof *values);
  if (!values) return 0;
  memhavoc(values, n * sizeof *values);
  int sum = walk(values, n);
  sassert(sum >= 0);
  if (n > 5) {
    sassert(sum == 3);
  }
  free(values);
}
`

// cacheTest checks versions of one program with one store.
type cacheTest struct {
	t        *testing.T
	proof    project.Proof
	settings Settings
}

func newCacheTest(t *testing.T) *cacheTest {
	p := program(t, twoParts)
	return &cacheTest{t, p, Settings{Root: paths.Root(filepath.Dir(p.File)), CacheDir: t.TempDir()}}
}

// check checks a text with a new Checker, as a new process does.
func (c *cacheTest) check(text string) diagnostics.Proof {
	c.t.Helper()
	if err := os.WriteFile(c.proof.EntryUnit.File, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	r := NewChecker(c.settings).Check(context.Background(), c.proof, nil)
	if r.Proof.Verdict == found.Error {
		c.t.Fatal(r.Proof.Reason)
	}
	return r.Proof
}

// summary lists the findings with verdict and position.
func summary(p *diagnostics.Proof) []string {
	list := []string{string(p.Verdict)}
	for _, f := range p.Obligations {
		line := fmt.Sprintf("%s %s %d:%d %s %s", f.Kind, f.Verdict, f.Line, f.Column, f.Function, f.Reason)
		for _, e := range f.VacuityCore {
			line += fmt.Sprintf(" core %d:%d", e.Line, e.Column)
		}
		for _, in := range f.Inputs {
			line += fmt.Sprintf(" %s=%s", in.Function, in.Value)
		}
		list = append(list, line)
	}
	return list
}

func (c *cacheTest) same(what string, got, want diagnostics.Proof) {
	c.t.Helper()
	if a, b := summary(&got), summary(&want); !slices.Equal(a, b) {
		c.t.Errorf("%s:\n%s\nwant\n%s", what, strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

// fresh checks a text without any cache.
func (c *cacheTest) fresh(text string) diagnostics.Proof {
	c.t.Helper()
	with := c.settings
	c.settings.CacheDir = ""
	p := c.check(text)
	c.settings = with
	return p
}

// edits do not change the queries.
var edits = []struct {
	name string
	edit func(string) string
}{
	{"nothing", func(s string) string { return s }},
	{"a comment", func(s string) string { return strings.Replace(s, "int sum = 0;", "int sum = 0; // of all", 1) }},
	{"a comment of two lines", func(s string) string {
		return strings.Replace(s, "  int sum = 0;", "  /* The sum\n     of all values. */ int sum = 0;", 1)
	}},
	{"a blank line", func(s string) string { return strings.Replace(s, "int main", "\n\nint main", 1) }},
	{"a renamed variable", func(s string) string { return strings.ReplaceAll(s, "product", "result") }},
	{"another order of functions", func(s string) string {
		from, to := strings.Index(s, "static unsigned scale"), strings.Index(s, "static int walk")
		end := strings.Index(s, "int main")
		return s[:from] + s[to:end] + s[from:to] + s[end:]
	}},
	{"a function that nobody calls", func(s string) string { return "int unused(int x) { return x + 1; }\n" + s }},
}

func TestEditsThatAskNothing(t *testing.T) {
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			c := newCacheTest(t)
			cold := c.check(twoParts)
			if cold.Stats.SolverQueries < 4 || cold.Stats.CacheHits != 0 {
				t.Fatalf("cold: %+v", cold.Stats)
			}
			edited := e.edit(twoParts)
			warm := c.check(edited)
			if warm.Stats.SolverQueries != 0 || warm.Stats.CacheHits == 0 {
				t.Errorf("%d queries and %d hits", warm.Stats.SolverQueries, warm.Stats.CacheHits)
			}
			c.same("warm", warm, c.fresh(edited))
		})
	}
}

// TestReadOnlyResults checks that a read-only cache is used and never extended.
func TestReadOnlyResults(t *testing.T) {
	c := newCacheTest(t)
	c.check(twoParts)
	usages := func() string {
		list, err := cache.Usages(c.settings.CacheDir)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(list)
	}
	before := usages()
	c.settings.CacheReadOnly = true
	if p := c.check(edits[2].edit(twoParts)); p.Stats.SolverQueries != 0 {
		t.Errorf("%d queries", p.Stats.SolverQueries)
	}
	changed := strings.Replace(twoParts, "21", "22", 1)
	first := c.check(changed)
	if second := c.check(changed); second.Stats.SolverQueries != first.Stats.SolverQueries ||
		first.Stats.SolverQueries == 0 {
		t.Errorf("%d queries, then %d", first.Stats.SolverQueries, second.Stats.SolverQueries)
	}
	if after := usages(); after != before {
		t.Errorf("it grew from %s to %s", before, after)
	}
}

// TestOtherEngine checks that another engine, another solver, or other options do not use these entries.
func TestOtherEngine(t *testing.T) {
	c := newCacheTest(t)
	cold := c.check(twoParts)
	r := NewChecker(c.settings)
	r.results.engine = "another one"
	if p := r.Check(context.Background(), c.proof, nil); p.Proof.Stats.CacheHits != 0 {
		t.Errorf("another engine: %+v", p.Proof.Stats)
	}
	c.settings.Solver = "z3"
	if p := c.check(twoParts); p.Stats.CacheHits != 0 || p.Stats.SolverQueries == 0 {
		t.Errorf("another solver: %+v", p.Stats)
	}
	c.settings.Solver = ""
	c.proof.Options.Unwind = 2
	if p := c.check(twoParts); p.Verdict == cold.Verdict && len(p.Obligations) == len(cold.Obligations) &&
		p.Stats.SolverQueries == 0 {
		t.Errorf("another bound: %+v", p.Stats)
	}
}

// twoFunctions is a proof of two independent functions, one after the other. (A loop that ends under a condition on n
// makes all code behind it depend on n.)
const twoFunctions = `#include <unitproof.h>
static int walk(const int *values, int n) {
  int sum = 0;
  for (int i = 0; i < 4; i++) {
    if (i < n) sum += values[i] & 7;
  }
  sassert(sum <= 7 * n);
  return sum;
}
static unsigned scale(unsigned a, unsigned b) {
  unsigned product = a * 5 + b;
  sassert(product >= a);
  return product;
}
int main(void) {
  int values[4];
  memhavoc(values, sizeof values);
  int n = nd_int();
  assume(n >= 0 && n <= 4);
  int sum = walk(values, n);
  sassert(sum >= 0);
  unsigned a = nd_uint(), b = nd_uint();
  assume(a < 3000 && b < 1000);
  unsigned p = scale(a, b);
  sassert(p < 16000);
  sassert(p != 77);
}
`

// TestEditInOneFunction checks that only obligations with changed conditions are solved again.
func TestEditInOneFunction(t *testing.T) {
	c := newCacheTest(t)
	cold := c.check(twoFunctions)
	for _, f := range cold.Obligations {
		if f.Cached {
			t.Errorf("cold: %s at line %d is cached", f.Kind, f.Line)
		}
	}
	edited := strings.Replace(twoFunctions, "values[i] & 7", "values[i] & 3", 1)
	warm := c.check(edited)
	c.same("warm", warm, c.fresh(edited))
	if warm.Stats.SolverQueries == 0 || warm.Stats.CacheHits == 0 || warm.Stats.SolverQueries >= cold.Stats.SolverQueries {
		t.Errorf("%d queries and %d hits after %d queries", warm.Stats.SolverQueries, warm.Stats.CacheHits,
			cold.Stats.SolverQueries)
	}
	asked, reused := 0, 0
	for _, f := range warm.Obligations {
		inScale := f.Function == "scale" || f.Function == "main" && f.Line > 24
		switch {
		case inScale && !f.Cached:
			t.Errorf("%s at line %d was asked again", f.Kind, f.Line)
		case f.Kind == "assertion" && f.Function == "walk" && f.Cached:
			t.Errorf("%s at line %d is cached though it changed", f.Kind, f.Line)
		case f.Cached:
			reused++
		default:
			asked++
		}
	}
	if asked == 0 || reused < 3 {
		t.Errorf("%d findings were asked for, %d kept", asked, reused)
	}
	// Undone, all answers are in the cache.
	if again := c.check(twoFunctions); again.Stats.SolverQueries != 0 || !again.Obligations[0].Cached {
		t.Errorf("undone: %+v", again.Stats)
	}
}

// TestContradictionElsewhere checks the cached proof of an obligation that holds only because unrelated assumptions
// contradict each other: it is not reused without them.
func TestContradictionElsewhere(t *testing.T) {
	const text = `#include <unitproof.h>
int main(void) {
  unsigned x = nd_uint();
  assume(x > 5);
  assume(x * x % 4 == 2);
  unsigned y = nd_uint();
  assume(y < 10);
  sassert(y != 3);
}
`
	c := newCacheTest(t)
	if p := c.check(text); p.Verdict != found.Vacuous {
		t.Fatalf("%s", p.Verdict)
	}
	edited := strings.Replace(text, "  assume(x > 5);\n  assume(x * x % 4 == 2);\n", "", 1)
	if p := c.check(edited); p.Verdict != found.Failed {
		t.Errorf("without the contradiction: %s", p.Verdict)
	}
	edited = strings.Replace(text, "x * x % 4 == 2", "x * x % 4 == 1", 1)
	if p := c.check(edited); p.Verdict != found.Failed {
		t.Errorf("with an assumption that can hold: %s", p.Verdict)
	}
}
