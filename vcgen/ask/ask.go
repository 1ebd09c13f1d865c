package ask

import (
	"context"
	"iter"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Question is a query for an execution: a model of the axioms, of Given, of Facts, and of at least one of Any. All
// solver queries have this form, and Ask is the only way to solve them.
type Question struct {
	// Given are facts that hold in every later query of the session, too. When more of a program was unfolded, callers
	// pass the same list with more terms appended: old terms are not asserted twice, and no term is ever retracted.
	Given []smt.Term
	Facts []smt.Term
	// Any are the alternatives. A model decides which of them hold, so their symbols get axioms even if they vanish
	// from the disjunction (p == q or p != q says nothing about p). If Any is empty, the query is whether the facts
	// are satisfiable together.
	Any []smt.Term
	// Budget is in conflicts.
	Budget int64
	// Work is a limit in units of work (work.go), checked at pauses of the search; 0 for none. It ends queries earlier
	// if conflicts are expensive.
	Work int64
	// Cases: if the first part of the budget does not suffice, the query is split into cases, which have their own
	// budgets (cases.go). Session must be nil.
	Cases bool
	// Postpones: if the budget does not suffice, the caller repeats the query later with a larger one, or in parts. A run
	// that has cached the later answer also waits for the repetition.
	Postpones bool
	// Session solves the query; nil: a solver of its own, so that all facts at the top level can be simplified away.
	Session *Session
	// Rough: a model need not satisfy all instances of quantifiers.
	Rough bool
	// Executed: the caller executes a model before it counts, so a model that may violate quantifiers is returned.
	Executed bool
	// Core: for Unsat, compute a contradicting subset. Session must not be nil.
	Core bool
	// Undecided selects how Each proceeds if the budget does not suffice. Rounds limits the queries of Each; 0 for no
	// limit.
	Undecided Undecided
	Rounds    int
}

// Undecided selects how Each proceeds if a query about several alternatives has no answer.
type Undecided int

// The values of Undecided.
const (
	Leave Undecided = iota // all alternatives are undecided
	Halve                  // each half is queried separately, so that a hard alternative affects no other
)

// Outcome is the answer to a query.
type Outcome struct {
	smt.Result
	// Model, for Sat, is a model of the query; it was evaluated.
	Model *Model
	// Core, for Unsat, is a contradicting subset of the query's terms; nil if it was not computed.
	Core []smt.Term
	// Loose: the model may violate a quantifier, because its instances did not suffice. Only queries with Executed get
	// such a model.
	Loose bool
	// Old: the answer is from the memo, that is, from an earlier run.
	Old bool
}

// Decided reports whether the answer is Sat or Unsat.
func (o Outcome) Decided() bool { return o.Answer == smt.Sat || o.Answer == smt.Unsat }

// Session is an incremental solver for many queries: each term is translated to clauses once, and a search starts from
// the state of the last one.
type Session struct {
	solver   smt.Solver        // nil before the first query, and after it broke
	asserted map[smt.Term]bool // includes conjunctions
	// Whole: every query gets all axioms, not only the ones for its symbols.
	Whole bool
	// Outlook is the answer that most of its queries are expected to have.
	Outlook smt.Outlook
	// broke: queries get solvers of their own. All terms together may be too large though each query is not.
	broke bool
}

// Open creates the solver unless it exists.
func (s *Session) Open(c *smt.Context, newSolver NewSolver) (err error) {
	if s.solver == nil {
		if s.solver, err = newSolver(c); err != nil {
			return err
		}
		s.solver.Expect(s.Outlook)
		s.asserted = map[smt.Term]bool{}
	}
	return nil
}

// assert asserts the conjuncts of a term that are not asserted yet.
func (s *Session) assert(c *smt.Context, t smt.Term) {
	stack := []smt.Term{t}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if s.asserted[x] || c.IsTrue(x) {
			continue
		}
		s.asserted[x] = true
		if c.Op(x) == smt.OpAnd {
			args := c.Args(x)
			for i := len(args) - 1; i >= 0; i-- {
				stack = append(stack, args[i])
			}
			continue
		}
		s.solver.Assert(x)
	}
}

// Close releases the solver; the next query creates another one.
func (s *Session) Close() {
	if s.solver != nil {
		s.solver.Close()
		s.solver, s.asserted = nil, nil
	}
}

// terms returns the conjunction of a query, without axioms.
func (x *Asker) terms(q Question) []smt.Term {
	terms := append(append([]smt.Term(nil), q.Given...), q.Facts...)
	if len(q.Any) > 0 {
		terms = append(terms, x.c.Or(q.Any...))
	}
	return terms
}

// conjunction returns the terms of a query, and the axioms for them.
func (x *Asker) conjunction(q Question) (terms, axioms []smt.Term) {
	terms = x.terms(q)
	spoken := append(append([]smt.Term(nil), terms...), q.Any...)
	x.layout(spoken)
	x.TakeNewAxioms()
	if q.Session != nil && q.Session.Whole {
		return terms, x.axioms
	}
	return terms, x.axiomsOf(spoken)
}

// Ask answers a query, unless ctx is cancelled. A model that violates a quantifier is no answer: the query is repeated
// with more instances, and is undecided if they do not suffice.
func (x *Asker) Ask(ctx context.Context, q Question) Outcome {
	o := x.askOnce(ctx, q)
	for k := 0; o.Answer == smt.Sat && !q.Rough; k++ {
		added, cut := x.refine(o.Model.Model(), k)
		if added == 0 || k == x.maxRefinements() {
			o.Loose = added > 0 || cut || x.prog != nil && x.prog.Loose
			break
		}
		o = x.askOnce(ctx, q)
	}
	if o.Loose && !q.Executed {
		o.Result = smt.Result{Answer: smt.StepLimit, Steps: o.Steps}
	}
	return o
}

// askOnce answers a query from the memo, otherwise by a solver.
func (x *Asker) askOnce(ctx context.Context, q Question) Outcome {
	if ctx.Err() != nil { // building a query takes time, too
		return x.stopped(ctx)
	}
	if q.Session != nil && !q.Core && len(q.Any) > 0 {
		if q.Any = x.withFloats(q); len(q.Any) == 0 {
			return Outcome{Result: smt.Result{Answer: smt.Unsat}}
		}
	}
	terms, axioms := x.conjunction(q)
	x.opts.Pause()
	if ctx.Err() != nil {
		return x.stopped(ctx)
	}
	key, o, known := x.recall(ctx, terms, axioms, q)
	if known {
		return o
	}
	x.began = effort{total: x.Work()}
	var m *smt.Model
	if q.Session != nil && !q.Session.broke {
		o, m = x.askSession(ctx, q, axioms)
		if q.Session.broke = o.Answer == smt.Failed; q.Session.broke {
			q.Session.Close()
		}
	}
	if q.Session == nil || q.Session.broke {
		o, m = x.askAlone(ctx, terms, axioms, q)
	}
	if o.Answer == smt.Sat {
		x.fill(m)
		if o.Model = x.models.add(m, terms); o.Model == nil { // never trust it
			o = Outcome{Result: smt.Result{Answer: smt.Failed, Steps: o.Steps,
				Reason: "the solver gave a model that does not satisfy the query (a defect of ours)"}}
		}
	}
	x.learn(ctx, key, o, m)
	return o
}

// withFloats returns the alternatives that the ranges of floats do not exclude. A solver of a session would multiply
// mantissas; other queries are simplified by their facts anyway.
func (x *Asker) withFloats(q Question) []smt.Term {
	facts, left := slices.Concat(q.Given, q.Facts), maxFloatConjuncts
	return slices.DeleteFunc(slices.Clone(q.Any), func(alternative smt.Term) bool {
		return left > 0 && x.c.FloatsContradict(facts, alternative, &left)
	})
}

// maxFloatConjuncts bounds the conjuncts that withFloats inspects for one query. Each of thousands of alternatives may
// have thousands of them.
const maxFloatConjuncts = 200_000

// askSession solves a query with the solver of a session.
func (x *Asker) askSession(ctx context.Context, q Question, axioms []smt.Term) (Outcome, *smt.Model) {
	s := q.Session
	if err := s.Open(x.c, x.make); err != nil {
		return Outcome{Result: smt.Result{Answer: smt.Failed, Reason: err.Error()}}, nil
	}
	for _, t := range append(append([]smt.Term(nil), axioms...), q.Given...) {
		s.assert(x.c, t)
	}
	var assumed []smt.Term
	for _, t := range x.terms(Question{Facts: q.Facts, Any: q.Any}) {
		if !s.asserted[t] {
			assumed = append(assumed, t)
		}
	}
	o, m := x.put(ctx, s.solver, assumed, q)
	if o.Answer == smt.Unsat && q.Core {
		o.Core = s.solver.Core()
	}
	return o, m
}

// askAlone solves a query with a new solver.
func (x *Asker) askAlone(ctx context.Context, terms, axioms []smt.Term, q Question) (Outcome, *smt.Model) {
	leave := x.opts.Stage("simplify")
	simpler := smt.NewQuestion(x.c, append(append([]smt.Term(nil), axioms...), terms...))
	simpler.Simplify()
	leave()
	o, m := x.solve(ctx, simpler, q, split{})
	if m != nil {
		simpler.Complete(m)
	}
	return o, m
}

// put passes a query to a solver and counts it. The model is nil unless the answer is Sat.
func (x *Asker) put(ctx context.Context, s smt.Solver, assumed []smt.Term, q Question) (Outcome, *smt.Model) {
	res := x.search(ctx, s, assumed, q.Budget, q.Work)
	x.counts.Queries++
	x.counts.Conflicts += res.Steps
	if res.Answer != smt.Sat {
		return Outcome{Result: res}, nil
	}
	return Outcome{Result: res}, s.Model()
}

// Each returns an iterator over the alternatives of a query with their outcomes. The outcome of an alternative is Sat
// with a model of that alternative, Unsat, or the reason why there is neither. Each queries all open alternatives
// together, and a model decides every alternative that holds in it. asked is called after each query with the
// alternatives in it and its answer.
func (x *Asker) Each(ctx context.Context, q Question, asked func(open []int, o Outcome)) iter.Seq2[int, Outcome] {
	return func(yield func(int, Outcome) bool) {
		rounds := 0
		var settle func(open []int) bool
		settle = func(open []int) bool {
			for len(open) > 0 {
				part := q
				part.Any = make([]smt.Term, len(open))
				for k, i := range open {
					part.Any[k] = q.Any[i]
				}
				o := Outcome{Result: smt.Result{Answer: smt.StepLimit, Reason: "too many questions"}}
				switch {
				case x.c.IsFalse(x.c.Or(part.Any...)):
					o.Result = smt.Result{Answer: smt.Unsat}
				case q.Rounds == 0 || rounds < q.Rounds:
					rounds++
					o = x.Ask(ctx, part)
					asked(open, o)
				}
				if o.Answer == smt.StepLimit && q.Undecided == Halve && len(open) > 1 {
					return settle(open[:len(open)/2]) && settle(open[len(open)/2:])
				}
				var holds, undecided []int
				for k, i := range open {
					if o.Answer != smt.Sat || o.Model.EvalBool(part.Any[k]) {
						holds = append(holds, i)
					} else {
						undecided = append(undecided, i)
					}
				}
				if len(holds) == 0 { // impossible: the model satisfies the query
					holds, undecided = open, nil
					o = Outcome{Result: smt.Result{Answer: smt.Failed, Reason: "a model of no alternative (a defect of ours)"}}
				}
				for _, i := range holds {
					if !yield(i, o) {
						return false
					}
				}
				open = undecided
			}
			return true
		}
		all := make([]int, len(q.Any))
		for i := range all {
			all[i] = i
		}
		settle(all)
	}
}
