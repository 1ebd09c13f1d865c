package ask

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Work is counted in what takes about a microsecond, and not by a clock, so that the same is done on every machine. The
// work of a question whose answer is remembered counts as it did when it was asked.
const (
	workOfTerm     = 10    // to unfold, to simplify and to select
	workOfConflict = 100   // and more where formulas are large:
	workOfClauses  = 1_000 // clauses cost another unit
	// A search may pause after firstSearch conflicts, and then after twice as many, and so on.
	firstSearch = 500
)

// Work is what was done so far.
func (x *Asker) Work() int64 {
	return workOfTerm*int64(x.c.NumTerms()) + x.counts.Clauses*3/2 + x.searched
}

// Spend counts work that somebody else did, or that was harder than it looks.
func (x *Asker) Spend(work int64) { x.searched += work }

// search has a solver check, with pauses where that takes long. It ends at a pause when it has cost so much work, 0 for
// any.
func (x *Asker) search(ctx context.Context, s smt.Solver, assumed []smt.Term, budget, work int64) smt.Result {
	slice, left, steps := int64(firstSearch), budget, int64(0)
	for {
		if !x.opts.Interrupts() || left < 2*slice {
			slice = left
		}
		before := s.Stats().Clauses
		res := s.Check(ctx, assumed, slice)
		clauses := int64(s.Stats().Clauses)
		price := workOfConflict + clauses/workOfClauses
		x.counts.Clauses += clauses - int64(before)
		x.searched += res.Steps * price
		left -= max(res.Steps, slice) // a solver need not count as we do
		steps += res.Steps
		res.Steps = steps
		if res.Answer != smt.StepLimit || left <= 0 || work > 0 && steps*price >= work {
			return res
		}
		x.pause()
		slice *= 2
	}
}

// pause lets others work while a question is asked.
func (x *Asker) pause() {
	x.began.paused = x.Work()
	x.opts.Pause()
}
