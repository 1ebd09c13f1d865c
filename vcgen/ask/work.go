package ask

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// A unit of work takes about a microsecond. Work is computed from counters, not measured by a clock, so that every
// machine does the same. A cached answer counts with the work of the original query.
const (
	workOfTerm     = 10    // to unfold, to simplify and to select
	workOfConflict = 100   // plus an amount for large formulas:
	workOfClauses  = 1_000 // one more unit per so many clauses
	// A search may pause after firstSearch conflicts; the distance to the next pause doubles each time.
	firstSearch = 500
)

// Work returns the work done so far.
func (x *Asker) Work() int64 {
	return workOfTerm*int64(x.c.NumTerms()) + x.counts.Clauses*3/2 + x.searched
}

// Spend adds work that was done elsewhere, or that the counters underestimate.
func (x *Asker) Spend(work int64) { x.searched += work }

// search runs a solver, with pauses if the search is long. It ends at a pause once it has cost work units; 0 for no
// limit.
func (x *Asker) search(ctx context.Context, s smt.Solver, assumed []smt.Term, budget, work int64) smt.Result {
	slice, remaining, steps := int64(firstSearch), budget, int64(0)
	for {
		if !x.opts.Interrupts() || remaining < 2*slice {
			slice = remaining
		}
		before := s.Stats().Clauses
		res := s.Check(ctx, assumed, slice)
		clauses := int64(s.Stats().Clauses)
		price := workOfConflict + clauses/workOfClauses
		x.counts.Clauses += clauses - int64(before)
		x.searched += res.Steps * price
		remaining -= max(res.Steps, slice) // a solver may count steps differently
		steps += res.Steps
		res.Steps = steps
		if res.Answer != smt.StepLimit || remaining <= 0 || work > 0 && steps*price >= work {
			return res
		}
		x.pause()
		slice *= 2
	}
}

// pause calls Options.Pause during a query.
func (x *Asker) pause() {
	x.began.paused = x.Work()
	x.opts.Pause()
}
