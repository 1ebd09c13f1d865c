package vcgen

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Whether the next iteration of a loop is feasible is asked again and again while the program is unfolded, each time of
// a little more than before. All these questions go to one session: what was assumed and held so far only grows, so it
// is given, and what the iteration adds is assumed. The model of the iteration before is where the search for the next
// one begins (Eén and Sörensson, "Temporal Induction by Incremental SAT Solving", 2003). In a solver of its own each
// question could be simplified by all of its facts, which pays less than the clauses cost anew: docs/solvers.md has the
// figures.

// maxPatience bounds how many feasibility questions in a row go unasked.
const maxPatience = 15

// feasibility is what the questions of one unfolding share.
type feasibility struct {
	ask.Session
	// patience is how many questions were left out after the last hard one, pause how many still will be.
	patience, pause int
}

// Feasible implements unfold.Oracle: an earlier model may answer, else the solver within
// a small budget; an unknown counts as feasible.
func (e *engine) Feasible(ctx context.Context, alive, guard smt.Term) bool {
	if e.opts.Disable[Feasibility] {
		return true
	}
	if e.Satisfied(e.c.And(alive, guard)) {
		e.count("feasible-by-model")
		return true
	}
	f := &e.feasible
	if f.pause > 0 {
		f.pause--
		return true
	}
	e.count("feasible-by-query")
	q := ask.Question{Given: []smt.Term{alive}, Facts: e.c.Conjuncts(guard), Budget: feasibilityBudget,
		Session: &f.Session, Rough: true}
	if e.opts.Disable[SharedFeasibility] {
		q.Session = nil
	}
	answered := e.unrolled().question()
	o := e.Ask(e.ctx, q)
	answered()
	if o.Answer == smt.StepLimit {
		// Where one is hard the next ones are: ask less and less often.
		f.patience = min(2*f.patience+1, maxPatience)
		f.pause = f.patience
	} else {
		f.patience = 0
	}
	return o.Answer != smt.Unsat
}
