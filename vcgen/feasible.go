package vcgen

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// During the unfolding, each next iteration of a loop leads to a feasibility query, with slightly more facts than the
// previous one. All of them use one session. Assumptions and held obligations so far only grow, so they are Given
// facts; the condition of the iteration is assumed. The search starts from the model of the previous iteration (Eén
// and Sörensson, "Temporal Induction by Incremental SAT Solving", 2003). In separate solvers each query could be
// simplified by all of its facts, which saves less than the repeated translation to clauses costs: docs/benchmarks.md
// has the figures.

// maxPatience bounds the number of consecutive feasibility queries that are skipped.
const maxPatience = 15

// feasibility is the shared state of the feasibility queries of one unfolding.
type feasibility struct {
	ask.Session
	// patience is the number of queries skipped after the last hard one; pause is the number still to be skipped.
	patience, pause int
}

// Feasible implements unfold.Oracle. An earlier model may answer, otherwise the solver within a small budget. It
// reports whether the guard is feasible; true if undecided.
func (e *engine) Feasible(ctx context.Context, alive, guard smt.Term) bool {
	if e.opts.Disable[Feasibility] {
		return true
	}
	if e.Satisfied(e.ctx, e.c.And(alive, guard)) {
		e.count("feasible-by-model")
		return true
	}
	f := &e.feasible
	if f.pause > 0 {
		f.pause--
		return true
	}
	e.count("feasible-by-query")
	budget := int64(feasibilityBudget)
	if e.extent.induction != nil { // a loop with more iterations than a few is cut anyway
		budget = inductiveFeasibility
	}
	q := ask.Question{Given: []smt.Term{alive}, Facts: e.c.Conjuncts(guard), Budget: budget, Session: &f.Session,
		Rough: true}
	if e.opts.Disable[SharedFeasibility] {
		q.Session = nil
	}
	answered := e.unrolled().question()
	o := e.Ask(e.ctx, q)
	answered()
	if o.Answer == smt.StepLimit {
		// After a hard query the next ones are hard as well: skip more and more of them.
		f.patience = min(2*f.patience+1, maxPatience)
		f.pause = f.patience
	} else {
		f.patience = 0
	}
	return o.Answer != smt.Unsat
}
