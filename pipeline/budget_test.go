package pipeline

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/vcgen/found"
)

// costly has many candidates for conditions, and none excludes the failure.
const costly = `#include <unitproof.h>
struct pair { int a, b, c, d; };
static int sum(const struct pair *p, int n) {
  int k = 0;
  for (int i = 0; i < n; i++) k += p->a % 7 + p->b % 7;
  return k;
}
int main(void) {
  struct pair p;
  memhavoc(&p, sizeof p);
  int n = nd_int();
  assume(n < 4);
  int k = sum(&p, n);
  sassert((k ^ p.c ^ p.d) != 5);
  return 0;
}
`

// TestExcludeBudget checks that a search ends with its budget if each check uses all of the time that it may use. The
// times are claims of the checks, so that the test does not depend on the machine.
func TestExcludeBudget(t *testing.T) {
	pool := NewPool(PoolOptions{InProcess: true})
	defer pool.Close()
	p := program(t, costly)
	p.Timeout = 1000 * time.Hour
	job := Job{Settings: Settings{Root: paths.Root(filepath.Dir(p.File))}, Proof: p}
	before := pool.Check(t.Context(), job).Proof
	var f *diagnostics.Finding
	for i := range before.Obligations {
		if before.Obligations[i].Verdict == found.Failed {
			f = &before.Obligations[i]
		}
	}
	if f == nil {
		t.Fatalf("%s: nothing fails", before.Verdict)
	}
	const total = 64 * time.Second // 32, 16, 8, 4, 2, 1 and 1 s
	var claimed time.Duration
	checks := 0
	opts := ExcludeOptions{Time: total, Checks: 1000}
	opts.check = func(ctx context.Context, j Job) Result {
		checks++
		r := pool.Check(ctx, j)
		r.Proof.Stats.CPUMS = j.Proof.Timeout.Milliseconds()
		claimed += j.Proof.Timeout
		return r
	}
	if _, err := pool.Exclude(t.Context(), job, &before, f, opts); err != nil {
		t.Fatal(err)
	}
	if claimed > total+leastCheck || checks < 5 {
		t.Errorf("%d checks took %s of %s", checks, claimed, total)
	}
}

// TestBudget checks the limits of single checks.
func TestBudget(t *testing.T) {
	calls := 0
	b := budget{total: 10 * time.Second}
	b.run = func(_ context.Context, j Job) Result {
		calls++
		return Result{Proof: diagnostics.Proof{Stats: diagnostics.Stats{CPUMS: j.Proof.Timeout.Milliseconds()}}}
	}
	var j Job
	for j.Proof.Timeout = time.Hour; !b.used(); {
		b.check(t.Context(), j)
	}
	if b.spent > b.total+leastCheck || calls < 4 {
		t.Errorf("%d checks took %s of %s", calls, b.spent, b.total)
	}
	if r := b.check(t.Context(), j); r.Proof.Verdict != found.Unknown {
		t.Errorf("a check behind the budget is %s", r.Proof.Verdict)
	}
	last := calls
	if b.check(t.Context(), j); calls != last {
		t.Error("a check began behind the budget")
	}
}

// TestFinished checks that a proof that ran out of time is not taken to lack a finding.
func TestFinished(t *testing.T) {
	var c Caller
	for _, p := range []diagnostics.Proof{
		{Verdict: found.Unknown, Why: found.Reason{Why: found.Timeout}},
		{Verdict: found.Failed, Why: found.RestUndecided.Because(found.Reason{Why: found.Timeout})},
		{Verdict: found.Bounded, Why: found.Reason{Why: found.ByFinding}},
		{Verdict: found.Error},
	} {
		if c.take(&p, "f", 1); c.Verdict != found.Unknown {
			t.Errorf("%s: a caller whose proof is %s is %s", p.Why.Why, p.Verdict, c.Verdict)
		}
	}
	if c.take(&diagnostics.Proof{Verdict: found.Proved}, "f", 1); c.Verdict != found.Unreached {
		t.Errorf("a caller that is proved without a call is %s", c.Verdict)
	}
}
