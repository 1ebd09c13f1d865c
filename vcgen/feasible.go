package vcgen

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Whether the next iteration of a loop is feasible is asked again and again while the program is unfolded, each time of
// a little more than before. All these questions go to one solver: what was assumed and held so far only grows, so it
// is asserted for good, what the iteration adds is assumed, and every term becomes clauses once. The model of the
// iteration before is where the search for the next one begins (Eén and Sörensson, "Temporal Induction by Incremental
// SAT Solving", 2003). In a solver of its own each question could be simplified by all of its facts, which pays less
// than the clauses cost anew: docs/solvers.md has the figures.

// maxPatience bounds how many feasibility questions in a row go unasked.
const maxPatience = 15

// feasibility is what the questions of one unfolding share.
type feasibility struct {
	solver   smt.Solver        // nil before the first question and after the last
	asserted map[smt.Term]bool // conjunctions, too
	alone    bool              // the solver broke: each question gets one of its own
	// patience is how many questions were left out after the last hard one, pause how many still will be.
	patience, pause int
}

// assert asserts the conjuncts of a term that are not asserted yet.
func (f *feasibility) assert(c *smt.Context, t smt.Term) {
	stack := []smt.Term{t}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if f.asserted[x] || c.IsTrue(x) {
			continue
		}
		f.asserted[x] = true
		if c.Op(x) == smt.OpAnd {
			args := c.Args(x)
			for i := len(args) - 1; i >= 0; i-- {
				stack = append(stack, args[i])
			}
			continue
		}
		f.solver.Assert(x)
	}
}

// close frees the solver.
func (f *feasibility) close() {
	if f.solver != nil {
		f.solver.Close()
		f.solver, f.asserted = nil, nil
	}
}

// Feasible implements unfold.Oracle: an earlier model may answer, else the solver within
// a small budget; an unknown counts as feasible.
func (e *engine) Feasible(ctx context.Context, alive, guard smt.Term) bool {
	if e.opts.Disable[Feasibility] {
		return true
	}
	cond := e.c.And(alive, guard)
	if e.models.satisfies(cond) {
		e.count("feasible-by-model")
		return true
	}
	f := &e.feasible
	if f.pause > 0 {
		f.pause--
		return true
	}
	e.count("feasible-by-query")
	res := e.decideFeasible(alive, guard, cond)
	if res.Answer == smt.StepLimit {
		// Where one is hard the next ones are: ask less and less often.
		f.patience = min(2*f.patience+1, maxPatience)
		f.pause = f.patience
	} else {
		f.patience = 0
	}
	return res.Answer != smt.Unsat
}

// decideFeasible asks the solver of this unfolding. cond is the conjunction of alive and guard.
func (e *engine) decideFeasible(alive, guard, cond smt.Term) smt.Result {
	f := &e.feasible
	if f.alone || e.broken != "" || e.opts.Disable[SharedFeasibility] {
		return e.decide(nil, cond, feasibilityBudget)
	}
	terms := []smt.Term{cond}
	e.layout(terms)
	e.assertNewAxioms()
	axioms := e.axiomsOf(terms)
	memo, res, known := e.ask(terms, axioms, feasibilityBudget)
	if known {
		return res
	}
	if f.solver == nil {
		s, err := e.make(e.c)
		if err != nil {
			e.stats.Unsettled++
			return smt.Result{Answer: smt.Failed, Reason: err.Error()}
		}
		f.solver, f.asserted = s, map[smt.Term]bool{}
	}
	for _, t := range axioms {
		f.assert(e.c, t)
	}
	f.assert(e.c, alive)
	var assumed []smt.Term
	for _, t := range e.c.Conjuncts(guard) {
		if !f.asserted[t] {
			assumed = append(assumed, t)
		}
	}
	before := f.solver.Stats().Clauses
	res = f.solver.Check(e.ctx, assumed, feasibilityBudget)
	e.stats.SolverQueries++
	e.stats.SolverConflicts += res.Steps
	e.stats.Clauses += int64(f.solver.Stats().Clauses - before)
	if res.Answer == smt.Failed {
		// All questions together may be too large where each is not.
		f.close()
		f.alone = true
		return e.decide(nil, cond, feasibilityBudget)
	}
	if res.Answer != smt.Sat {
		e.learn(memo, res, nil, nil)
		return res
	}
	m := f.solver.Model()
	if !e.models.add(m, terms) {
		e.stats.Unsettled++
		return smt.Result{Answer: smt.Failed,
			Reason: "the solver gave a model that does not satisfy the query (a defect of ours)"}
	}
	e.learn(memo, res, m, nil)
	return res
}
