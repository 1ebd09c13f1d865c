package vcgen

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// verified checks the entry main of a C source.
func verified(t *testing.T, source string, accept ...AcceptRule) *Report {
	t.Helper()
	m, err := clangir.Read([]byte(clangtest.Compile(t, source)), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{
		Semantics: found.Semantics{Checks: found.DefaultChecks(), MallocMayFail: true,
			UserFile: func(string) bool { return true }},
		Vacuity: VacuityOff, Accept: accept}
	report, err := Verify(context.Background(), m, "main", opts, realSolver)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestListsAreFolded checks that the consistency of a list's links, whichever of its allocations fail, is decided
// during the unfolding, almost without the solver. It took 4,000 conflicts when conditions were compared by their
// structure.
func TestListsAreFolded(t *testing.T) {
	report := verified(t, `
typedef unsigned long size_t;
void *malloc(size_t);
void sassert(_Bool);
struct node { struct node *next, *prev; };
int main(void) {
  struct node head, tail, *last = &head;
  head.prev = tail.next = 0;
  for (int i = 0; i < 20; i++) {
    struct node *n = malloc(sizeof *n);
    if (n == 0) break;
    last->next = n;
    n->prev = last;
    last = n;
  }
  last->next = &tail;
  tail.prev = last;
  for (struct node *n = &head; n != &tail; n = n->next)
    sassert(n->next != 0 && n->next->prev == n);
}`)
	for _, in := range report.Instances {
		if in.Verdict != found.Proved && in.Verdict != found.Unreached {
			t.Errorf("%s at line %d is %s", in.Kind, in.Pos.Line, in.Verdict)
		}
	}
	if report.Stats.SolverConflicts > 1_000 {
		t.Errorf("%d questions, %d conflicts", report.Stats.SolverQueries, report.Stats.SolverConflicts)
	}
}

// TestFactsOfAWay checks that an assumption narrows only inputs that exist under its guard.
func TestFactsOfAWay(t *testing.T) {
	for _, row := range []struct {
		name, body string
		facts      int64
	}{
		{"made on the way", "if (nd_int() == 1) { unsigned x = nd_uint(); assume(x <= 5); sassert(x != 6); }", 1},
		{"a field that was never set", "if (nd_int() == 1) { struct s v; take(&v); assume(v.n <= 5); sassert(v.n != 6); }",
			1},
		{"made before", "unsigned x = nd_uint(); if (nd_int() == 1) assume(x <= 5); sassert(x != 6);", 0},
		{"assumed on a part of the way",
			"if (nd_int() == 1) { unsigned x = nd_uint(); if (nd_int() == 2) assume(x <= 5); sassert(x != 6); }", 0},
		{"behind an end of the way",
			"if (nd_int() == 1) { unsigned x = nd_uint(); if (x == 6) { sassert(0); return 0; } assume(x <= 5); }", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			report := verified(t, `
int nd_int(void);
unsigned nd_uint(void);
void assume(_Bool);
void sassert(_Bool);
struct s { unsigned n, m; };
static void take(struct s *p) { (void)p; }
int main(void) { `+row.body+` return 0; }`)
			if n := report.Stats.Mechanisms["facts-learned"]; n != row.facts {
				t.Errorf("%d facts, want %d", n, row.facts)
			}
			failed := false
			for _, in := range report.Instances {
				failed = failed || in.Kind == found.Assertion && in.Verdict == found.Failed
			}
			if failed != (row.facts == 0) {
				t.Errorf("an assertion fails: %v", failed)
			}
		})
	}
}
