package vcgen

import (
	"iter"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Budgets in conflicts. They bound the work and not the time, so that verdicts do not
// depend on the machine.
const (
	feasibilityBudget = 5_000
	failuresBudget    = 1_000
	failuresWork      = 750_000 // of a question with this budget: two million clauses make conflicts that slow
	failuresTogether  = 100_000 // of as many questions as each has obligations; failuresBudget is the least for one
	batchBudget       = 50_000
	singleBudget      = 400_000
	coreBudget        = 20_000
)

// single is the budget of a question about one obligation.
func (e *engine) single() int64 {
	if e.opts.SolverSteps > 0 {
		return int64(e.opts.SolverSteps)
	}
	return singleBudget
}

// batch is that of a question about several, which are asked about by themselves where it ends.
func (e *engine) batch() int64 { return e.share(batchBudget) }

// share is a budget that grows and shrinks with that of a single obligation.
func (e *engine) share(budget int64) int64 { return max(e.single()*budget/singleBudget, 1) }

// question asks for an execution: a model of the axioms, of all that is given, of all facts, and of one alternative at
// least. It is what all questions to a solver are, and ask the one way to ask them.
type question struct {
	// given holds in every later question of the session, too. Who asks again when more of a program was unfolded gives
	// the longer prefix: what stands there already is not asserted twice, and nothing is ever taken back.
	given []smt.Term
	facts []smt.Term
	// any are the alternatives. A model tells which of them hold: it is one of the axioms of each, also where they say
	// less together (p == q or p != q says nothing of p). None: what is asked is whether the facts hold together.
	any []smt.Term
	// budget is in conflicts.
	budget int64
	// work ends the question earlier where conflicts cost much (deepen.go): at a pause of the search; 0: never.
	work int64
	// postpones: where the budget ends it is asked again later, with more. A run that knows the later answer waits for it,
	// too.
	postpones bool
	// session answers; nil: a solver of the question's own, so that all that holds at the top level can be simplified away
	// first.
	session *session
	// rough: a model need not satisfy all instances of quantifiers.
	rough bool
	// executed: a model is executed before it counts, so one that violates quantifiers may be an answer, too.
	executed bool
	// core: of an Unsat it is to be found out what contradicts. It takes a session.
	core bool
	// undecided is what each does when the budget ends; rounds bounds how many questions it asks, 0: as many as it takes.
	undecided undecided
	rounds    int
}

// undecided says what becomes of several alternatives when the budget of the question about them ends.
type undecided int

const (
	leave undecided = iota // all of them are undecided
	halve                  // each half is asked by itself, so that a hard one drags no other along
)

// outcome is the answer to a question.
type outcome struct {
	smt.Result
	// model, of a Sat, satisfies the question: that was evaluated.
	model *knownModel
	// core, of an Unsat, are terms of the question that cannot hold together; nil where nobody found out.
	core []smt.Term
	// loose: the model of a Sat may violate a quantifier, whose instances did not suffice. Only who executes it gets it.
	loose bool
	// old: an earlier run knew.
	old bool
}

// decided tells whether the answer is yes or no.
func (o outcome) decided() bool { return o.Answer == smt.Sat || o.Answer == smt.Unsat }

// session is a solver that is asked again and again: every term becomes clauses once, and the search begins where the
// last one ended.
type session struct {
	solver   smt.Solver        // nil before the first question, and once it broke
	asserted map[smt.Term]bool // conjunctions, too
	// whole: every question is asked under all axioms, and not only under those that speak of its symbols.
	whole bool
	// broke: questions get solvers of their own. All of them together may be too large where each is not.
	broke bool
}

// open makes the solver.
func (s *session) open(c *smt.Context, newSolver NewSolver) (err error) {
	if s.solver == nil {
		s.solver, err = newSolver(c)
		s.asserted = map[smt.Term]bool{}
	}
	return err
}

// assert asserts the conjuncts of a term that are not asserted yet.
func (s *session) assert(c *smt.Context, t smt.Term) {
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

// close frees the solver.
func (s *session) close() {
	if s.solver != nil {
		s.solver.Close()
		s.solver, s.asserted = nil, nil
	}
}

// terms are the conjunction that a question asks about, without axioms.
func (e *engine) terms(q question) []smt.Term {
	terms := append(append([]smt.Term(nil), q.given...), q.facts...)
	if len(q.any) > 0 {
		terms = append(terms, e.c.Or(q.any...))
	}
	return terms
}

// conjunction lists what a question asks about, and the axioms that it is asked under.
func (e *engine) conjunction(q question) (terms, axioms []smt.Term) {
	terms = e.terms(q)
	spoken := append(append([]smt.Term(nil), terms...), q.any...)
	e.layout(spoken)
	e.takeNewAxioms()
	if q.session != nil && q.session.whole {
		return terms, e.axioms
	}
	return terms, e.axiomsOf(spoken)
}

// ask answers a question. A model that violates a quantifier is no answer: the question is asked again with more of its
// instances, and is undecided where that does not end.
func (e *engine) ask(q question) outcome {
	o := e.askOnce(q)
	for k := 0; o.Answer == smt.Sat && !q.rough; k++ {
		added, cut := e.refine(o.model.Model(), k >= fewRefinements)
		if added == 0 || k == e.maxRefinements() {
			o.loose = added > 0 || cut || e.prog != nil && e.prog.Loose
			break
		}
		o = e.askOnce(q)
	}
	if o.loose && !q.executed {
		o.Result = smt.Result{Answer: smt.StepLimit, Steps: o.Steps}
	}
	return o
}

// askOnce answers a question: from what earlier runs know, else by a solver.
func (e *engine) askOnce(q question) outcome {
	if e.ctx.Err() != nil { // to build a question takes time, too
		return e.stopped()
	}
	terms, axioms := e.conjunction(q)
	e.pause()
	if e.ctx.Err() != nil {
		return e.stopped()
	}
	key, o, known := e.recall(terms, axioms, q)
	if known {
		return o
	}
	e.began = effort{whole: e.work()}
	var m *smt.Model
	if q.session != nil && !q.session.broke {
		o, m = e.askSession(q, axioms)
		if q.session.broke = o.Answer == smt.Failed; q.session.broke {
			q.session.close()
		}
	}
	if q.session == nil || q.session.broke {
		o, m = e.askAlone(terms, axioms, q)
	}
	if o.Answer == smt.Sat {
		e.fill(m)
		if o.model = e.models.add(m, terms); o.model == nil { // never trust it
			o = outcome{Result: smt.Result{Answer: smt.Failed, Steps: o.Steps,
				Reason: "the solver gave a model that does not satisfy the query (a defect of ours)"}}
		}
	}
	e.learn(key, o, m)
	return o
}

// askSession asks the solver of a session.
func (e *engine) askSession(q question, axioms []smt.Term) (outcome, *smt.Model) {
	s := q.session
	if err := s.open(e.c, e.make); err != nil {
		return outcome{Result: smt.Result{Answer: smt.Failed, Reason: err.Error()}}, nil
	}
	for _, t := range append(append([]smt.Term(nil), axioms...), q.given...) {
		s.assert(e.c, t)
	}
	var assumed []smt.Term
	for _, t := range e.terms(question{facts: q.facts, any: q.any}) {
		if !s.asserted[t] {
			assumed = append(assumed, t)
		}
	}
	o, m := e.put(s.solver, assumed, q)
	if o.Answer == smt.Unsat && q.core {
		o.core = s.solver.Core()
	}
	return o, m
}

// askAlone asks a solver that is made for the question.
func (e *engine) askAlone(terms, axioms []smt.Term, q question) (outcome, *smt.Model) {
	leave := e.stage("simplify")
	simpler := smt.NewQuestion(e.c, append(append([]smt.Term(nil), axioms...), terms...))
	simpler.Simplify()
	leave()
	s, err := e.make(e.c)
	if err != nil {
		return outcome{Result: smt.Result{Answer: smt.Failed, Reason: err.Error()}}, nil
	}
	defer s.Close()
	for _, f := range simpler.Facts {
		s.Assert(f)
	}
	o, m := e.put(s, nil, q)
	if m != nil {
		simpler.Complete(m)
	}
	return o, m
}

// put puts a question to a solver, and counts it. The model is that of a Sat, else nil.
func (e *engine) put(s smt.Solver, assumed []smt.Term, q question) (outcome, *smt.Model) {
	res := e.search(s, assumed, q.budget, q.work)
	e.stats.SolverQueries++
	e.stats.SolverConflicts += res.Steps
	if res.Answer != smt.Sat {
		return outcome{Result: res}, nil
	}
	return outcome{Result: res}, s.Model()
}

// each settles the alternatives of a question one by one: an alternative is a Sat with a model in which it holds, an
// Unsat, or has the answer that there is instead. It asks about all that are left, and a model settles those that hold
// in it. asked is told of each question: which alternatives it was about, and its answer.
func (e *engine) each(q question, asked func(open []int, o outcome)) iter.Seq2[int, outcome] {
	return func(yield func(int, outcome) bool) {
		rounds := 0
		var settle func(open []int) bool
		settle = func(open []int) bool {
			for len(open) > 0 {
				part := q
				part.any = make([]smt.Term, len(open))
				for k, i := range open {
					part.any[k] = q.any[i]
				}
				o := outcome{Result: smt.Result{Answer: smt.StepLimit, Reason: "too many questions"}}
				switch {
				case e.c.IsFalse(e.c.Or(part.any...)):
					o.Result = smt.Result{Answer: smt.Unsat}
				case q.rounds == 0 || rounds < q.rounds:
					rounds++
					o = e.ask(part)
					asked(open, o)
				}
				if o.Answer == smt.StepLimit && q.undecided == halve && len(open) > 1 {
					return settle(open[:len(open)/2]) && settle(open[len(open)/2:])
				}
				var holds, left []int
				for k, i := range open {
					if o.Answer != smt.Sat || o.model.EvalBool(part.any[k]) {
						holds = append(holds, i)
					} else {
						left = append(left, i)
					}
				}
				if len(holds) == 0 { // cannot be: the model satisfies the question
					holds, left = open, nil
					o = outcome{Result: smt.Result{Answer: smt.Failed, Reason: "a model of no alternative (a defect of ours)"}}
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
		all := make([]int, len(q.any))
		for i := range all {
			all[i] = i
		}
		settle(all)
	}
}
