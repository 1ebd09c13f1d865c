package ask

import (
	"context"
	"iter"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Question asks for an execution: a model of the axioms, of all that is given, of all facts, and of one alternative at
// least. It is what all questions to a solver are, and ask the one way to ask them.
type Question struct {
	// Given holds in every later question of the session, too. Who asks again when more of a program was unfolded gives
	// the longer prefix: what stands there already is not asserted twice, and nothing is ever taken back.
	Given []smt.Term
	Facts []smt.Term
	// Any are the alternatives. A model tells which of them hold: it is one of the axioms of each, also where they say
	// less together (p == q or p != q says nothing of p). None: what is asked is whether the facts hold together.
	Any []smt.Term
	// Budget is in conflicts.
	Budget int64
	// Work ends the question earlier where conflicts cost much (work.go): at a pause of the search; 0: never.
	Work int64
	// Cases: where a part of the budget ends it is tried by cases, which have budgets of their own (cases.go). It takes a
	// question without a session.
	Cases bool
	// Postpones: where the budget ends it is asked again later, with more. A run that knows the later answer waits for it,
	// too.
	Postpones bool
	// Session answers; nil: a solver of the question's own, so that all that holds at the top level can be simplified away
	// first.
	Session *Session
	// Rough: a model need not satisfy all instances of quantifiers.
	Rough bool
	// Executed: a model is executed before it counts, so one that violates quantifiers may be an answer, too.
	Executed bool
	// Core: of an Unsat it is to be found out what contradicts. It takes a session.
	Core bool
	// Undecided is what Each does when the budget ends; Rounds bounds how many questions it asks, 0: as many as it takes.
	Undecided Undecided
	Rounds    int
}

// Undecided says what becomes of several alternatives when the budget of the question about them ends.
type Undecided int

// What becomes of them.
const (
	Leave Undecided = iota // all of them are undecided
	Halve                  // each half is asked by itself, so that a hard one drags no other along
)

// Outcome is the answer to a question.
type Outcome struct {
	smt.Result
	// Model, of a Sat, satisfies the question: that was evaluated.
	Model *Model
	// Core, of an Unsat, are terms of the question that cannot hold together; nil where nobody found out.
	Core []smt.Term
	// Loose: the model of a Sat may violate a quantifier, whose instances did not suffice. Only who executes it gets it.
	Loose bool
	// Old: an earlier run knew.
	Old bool
}

// Decided tells whether the answer is yes or no.
func (o Outcome) Decided() bool { return o.Answer == smt.Sat || o.Answer == smt.Unsat }

// Session is a solver that is asked again and again: every term becomes clauses once, and the search begins where the
// last one ended.
type Session struct {
	solver   smt.Solver        // nil before the first question, and once it broke
	asserted map[smt.Term]bool // conjunctions, too
	// Whole: every question is asked under all axioms, and not only under those that speak of its symbols.
	Whole bool
	// Outlook is what most of its questions are expected to be answered with.
	Outlook smt.Outlook
	// broke: questions get solvers of their own. All of them together may be too large where each is not.
	broke bool
}

// Open makes the solver, if there is none.
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

// Close frees the solver; the next question makes another one.
func (s *Session) Close() {
	if s.solver != nil {
		s.solver.Close()
		s.solver, s.asserted = nil, nil
	}
}

// terms are the conjunction that a question asks about, without axioms.
func (x *Asker) terms(q Question) []smt.Term {
	terms := append(append([]smt.Term(nil), q.Given...), q.Facts...)
	if len(q.Any) > 0 {
		terms = append(terms, x.c.Or(q.Any...))
	}
	return terms
}

// conjunction lists what a question asks about, and the axioms that it is asked under.
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

// Ask answers a question, until its context ends. A model that violates a quantifier is no answer: the question is
// asked again with more of its instances, and is undecided where that does not end.
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

// askOnce answers a question: from what earlier runs know, else by a solver.
func (x *Asker) askOnce(ctx context.Context, q Question) Outcome {
	if ctx.Err() != nil { // to build a question takes time, too
		return x.stopped(ctx)
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
	x.began = effort{whole: x.Work()}
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

// askSession asks the solver of a session.
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

// askAlone asks a solver that is made for the question.
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

// put puts a question to a solver, and counts it. The model is that of a Sat, else nil.
func (x *Asker) put(ctx context.Context, s smt.Solver, assumed []smt.Term, q Question) (Outcome, *smt.Model) {
	res := x.search(ctx, s, assumed, q.Budget, q.Work)
	x.counts.Queries++
	x.counts.Conflicts += res.Steps
	if res.Answer != smt.Sat {
		return Outcome{Result: res}, nil
	}
	return Outcome{Result: res}, s.Model()
}

// Each settles the alternatives of a question one by one: an alternative is a Sat with a model in which it holds, an
// Unsat, or has the answer that there is instead. It asks about all that are left, and a model settles those that hold
// in it. asked is told of each question: which alternatives it was about, and its answer.
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
				var holds, left []int
				for k, i := range open {
					if o.Answer != smt.Sat || o.Model.EvalBool(part.Any[k]) {
						holds = append(holds, i)
					} else {
						left = append(left, i)
					}
				}
				if len(holds) == 0 { // cannot be: the model satisfies the question
					holds, left = open, nil
					o = Outcome{Result: smt.Result{Answer: smt.Failed, Reason: "a model of no alternative (a defect of ours)"}}
				}
				for _, i := range holds {
					if !yield(i, o) {
						return false
					}
				}
				open = left
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
