package pipeline

import (
	"context"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/vcgen/found"
)

// budget is the CPU time that the checks of a search share. A check may use half of what is left, so that another one
// can follow, but at least leastCheck. So the search ends at most leastCheck behind its budget.
type budget struct {
	total, spent time.Duration
	run          func(context.Context, Job) Result // checks a job: Pool.Check
}

// leastCheck is the CPU time that decides a small proof.
const leastCheck = time.Second

// limit returns the CPU time of the next check.
func (b *budget) limit() time.Duration { return max((b.total-b.spent)/2, leastCheck) }

// used reports whether no further check may begin.
func (b *budget) used() bool { return b.spent >= b.total }

// charge adds what a check cost. A worker that was killed reports no CPU time; its time by the clock counts then.
func (b *budget) charge(r *Result, clock time.Duration) {
	cpu := time.Duration(r.Proof.Stats.CPUMS) * time.Millisecond
	if cpu == 0 {
		cpu = clock
	}
	b.spent += cpu
}

// check checks a job within the budget, or returns a proof that is unknown if the budget is used.
func (b *budget) check(ctx context.Context, j Job) Result {
	if b.used() || ctx.Err() != nil {
		return Result{Proof: unknownProof(metaOf(j.Root, &j.Proof), found.Reason{Why: found.Timeout})}
	}
	j.Proof.Timeout = min(j.Proof.Timeout, b.limit())
	began := time.Now()
	r := b.run(ctx, j)
	b.charge(&r, time.Since(began))
	return r
}

// finished reports whether a check came to its end. Otherwise a finding that it lacks may be in a part of the program
// that was not executed.
func finished(p *diagnostics.Proof) bool {
	undecided := p.Verdict == found.Unknown || p.Verdict == found.Bounded
	return p.Verdict != found.Error && p.Why.Why != found.RestUndecided && (!undecided || p.Why.Why == found.ByFinding)
}

// work runs a part of a search in this process, whose time by the clock counts.
func (b *budget) work(f func()) {
	began := time.Now()
	f()
	b.spent += time.Since(began)
}
