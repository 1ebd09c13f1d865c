// Package vcgen is the engine: it unfolds a unit proof into SEA-IR, turns it into queries
// and answers with a verdict for every obligation.
//
// Reading order: result.go (what comes out), verify.go (the run), chain.go (what a query
// about an event selects), plan.go (the order of the queries), reach.go (reachability and
// vacuity), feasible.go (which iterations are feasible), cores.go (what contradicts), confirm.go (counterexamples,
// re-run by the interpreter), places.go (positions).
//
// It knows no files, processes or clocks; solvers come from outside.
package vcgen

import (
	"context"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// NewSolver makes a solver for the terms of a context.
type NewSolver func(c *smt.Context) (smt.Solver, error)

// Budgets in conflicts. They bound the work and not the time, so that verdicts do not
// depend on the machine.
const (
	feasibilityBudget = 5_000
	batchBudget       = 50_000
	singleBudget      = 400_000
	coreBudget        = 20_000
)

// engine is one verification.
type engine struct {
	ctx    context.Context
	m      *clangir.Module
	entry  string
	opts   Options
	c      *smt.Context
	make   NewSolver
	solver smt.Solver
	prog   *unfold.Program
	log    *seair.Log
	stats  Stats

	models *pool
	// feasible is what the questions about the next iteration share.
	feasible feasibility
	// based holds the objects whose layout axioms are asserted; visited the terms that
	// were searched for base symbols.
	based   []int
	isBased map[int]bool
	visited map[smt.Term]bool
	// axioms were asserted; axiomVars are their symbols.
	axioms    []smt.Term
	axiomVars [][]smt.Term
	broken    string // why the solver cannot answer any more

	// hashed counts the events whose symbols the memo knows. answeredBefore: the last question was answered from the memo;
	// contradiction: which terms cannot hold together, of the last check that was Unsat.
	hashed         int
	answeredBefore bool
	contradiction  []smt.Term
}

// Verify checks one unit proof of a linked module.
func Verify(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver NewSolver) (*Report, error) {
	began := int64(0)
	if opts.Clock != nil {
		began = opts.Clock()
	}
	e, err := generate(ctx, m, entry, opts, newSolver, 0)
	if err != nil {
		return nil, err
	}
	defer e.solver.Close()
	defer e.stage("questions")()
	p := e.newPlan()
	p.run()
	if q := p.plain; q != nil {
		defer q.solver.Close()
		p.stats.SolverQueries += q.stats.SolverQueries
		p.stats.SolverConflicts += q.stats.SolverConflicts
		p.stats.CacheHits += q.stats.CacheHits
		p.stats.Unsettled += q.stats.Unsettled
	}
	report := p.report()
	if opts.Clock != nil {
		report.Stats.Nanoseconds = opts.Clock() - began
	}
	return report, nil
}

// stage tells Options.Stage of a part of the work: unfold, questions (which to ask, from which events), layout (axioms
// of addresses), keys (of questions, for the memo), simplify, confirm (counterexamples are executed and made small).
func (e *engine) stage(name string) (leave func()) {
	if e.opts.Stage == nil {
		return func() {}
	}
	return e.opts.Stage(name)
}

// generate unfolds the program, up to a number of instructions where that is not 0.
func generate(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver NewSolver,
	maxInstructions int64) (*engine, error) {
	c := smt.NewContext()
	for _, rule := range smt.Rules() {
		if opts.Disable[Mechanism(rule)] {
			c.DisableRule(rule)
		}
	}
	s, err := newSolver(c)
	if err != nil {
		return nil, err
	}
	e := &engine{ctx: ctx, m: m, entry: entry, opts: opts, c: c, make: newSolver, solver: s,
		models: &pool{c: c, held: map[*smt.Evaluator]int{}}, isBased: map[int]bool{}, visited: map[smt.Term]bool{}}
	if opts.Memo != nil {
		opts.Memo.begin(c)
	}
	defer e.stage("unfold")()
	defer e.feasible.close()
	unfolding := e.unfoldOptions()
	unfolding.MaxInstructions = maxInstructions
	prog, err := unfold.Run(ctx, m, entry, c, e, unfolding)
	if err != nil {
		s.Close()
		return nil, err
	}
	e.prog, e.log = prog, prog.Log
	e.assertNewAxioms()
	return e, nil
}

// Unfinished is the error of a run that its context ended before the program was unfolded.
type Unfinished = unfold.Unfinished

// Dump unfolds a unit proof and returns its log, for "unitproof dump".
func Dump(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver NewSolver) (*seair.Log, error) {
	e, err := generate(ctx, m, entry, opts, newSolver, 0)
	if err != nil {
		return nil, err
	}
	e.solver.Close()
	return e.log, nil
}

func (e *engine) unfoldOptions() unfold.Options {
	o := unfold.Options{Checks: e.opts.Checks, MallocMayFail: e.opts.MallocMayFail,
		MissingBody: string(e.opts.MissingBody),
		Unwind:      e.opts.Unwind, Loops: e.opts.Loops,
		Off:     mem.Mechanisms{StoreMap: e.opts.Disable[StoreMap], AddressRangeMap: e.opts.Disable[AddressRangeMap]},
		NoFacts: e.opts.Disable[Facts], NoCursors: e.opts.Disable[Cursors],
		UserFile: e.opts.UserFile,
		Bind:     func(p *unfold.Program) { e.prog, e.log = p, p.Log }}
	if len(e.opts.Accept) > 0 {
		o.Accepted = e.acceptRule
	}
	return o
}

func (e *engine) acceptRule(kind found.Kind, function string) bool {
	for _, a := range e.opts.Accept {
		if a.Kind == kind && (a.Function == "" || a.Function == function) {
			return true
		}
	}
	return false
}

func (e *engine) count(name string) { e.prog.Memory.Stats[name]++ }

// check asks the solver whether the terms hold together with the axioms.
func (e *engine) check(terms []smt.Term, budget int64) smt.Result {
	if e.broken != "" {
		return smt.Result{Answer: smt.Failed, Reason: e.broken}
	}
	e.layout(terms)
	e.assertNewAxioms()
	q, res, known := e.ask(terms, e.axioms, budget)
	if known {
		return res
	}
	res = e.solver.Check(e.ctx, terms, budget)
	e.stats.SolverQueries++
	e.stats.SolverConflicts += res.Steps
	if res.Answer == smt.Unsat {
		e.contradiction = e.solver.Core()
	}
	switch res.Answer {
	case smt.Sat:
		m := e.solver.Model()
		if !e.models.add(m, terms) {
			// The back end's model does not satisfy the query: never trust it.
			e.stats.Unsettled++
			e.broken = "the solver gave a model that does not satisfy the query (a defect of ours)"
			return smt.Result{Answer: smt.Failed, Reason: e.broken}
		}
		e.learn(q, res, m, nil)
	case smt.Failed:
		e.broken = res.Reason
		e.learn(q, res, nil, nil)
	default:
		e.learn(q, res, nil, e.contradiction)
	}
	return res
}

// checkAny asks whether one of the terms holds. A model tells which: the layout axioms are those
// of every term, also where they say less together.
func (e *engine) checkAny(terms []smt.Term, budget int64) smt.Result {
	e.layout(terms)
	return e.check([]smt.Term{e.c.Or(terms...)}, budget)
}

// decide answers a query under facts with a solver of its own, so that everything that
// holds at the top level can be simplified away first. A model is one of the layout axioms of
// the terms in among, too: those that the query joins may say more than it does (p == q or
// p != q says nothing of p), and the model is to tell which of them hold.
func (e *engine) decide(facts []smt.Term, query smt.Term, budget int64, among ...smt.Term) smt.Result {
	if e.broken != "" {
		return smt.Result{Answer: smt.Failed, Reason: e.broken}
	}
	all := append(append([]smt.Term(nil), facts...), query)
	spoken := append(append([]smt.Term(nil), all...), among...)
	e.layout(spoken)
	e.assertNewAxioms()
	axioms := e.axiomsOf(spoken)
	memo, res, known := e.ask(all, axioms, budget)
	if known {
		return res
	}
	leave := e.stage("simplify")
	q := smt.NewQuestion(e.c, append(append([]smt.Term(nil), axioms...), all...))
	q.Simplify()
	leave()
	s, err := e.make(e.c)
	if err != nil {
		e.stats.Unsettled++
		return smt.Result{Answer: smt.Failed, Reason: err.Error()}
	}
	defer s.Close()
	for _, f := range q.Facts {
		s.Assert(f)
	}
	res = s.Check(e.ctx, nil, budget)
	e.stats.SolverQueries++
	e.stats.SolverConflicts += res.Steps
	e.stats.Clauses += int64(s.Stats().Clauses)
	if res.Answer == smt.Sat {
		m := s.Model()
		q.Complete(m)
		if !e.models.add(m, append(append([]smt.Term(nil), facts...), query)) {
			e.stats.Unsettled++
			return smt.Result{Answer: smt.Failed,
				Reason: "the solver gave a model that does not satisfy the query (a defect of ours)"}
		}
		e.learn(memo, res, m, nil)
		return res
	}
	e.learn(memo, res, nil, nil)
	return res
}

// axiomsOf selects the axioms that speak of symbols of the terms.
func (e *engine) axiomsOf(terms []smt.Term) []smt.Term {
	used := map[smt.Term]bool{}
	for _, v := range e.c.Symbols(terms...) {
		used[v] = true
	}
	var out []smt.Term
	taken := make([]bool, len(e.axioms))
	for changed := true; changed; {
		changed = false
		for i, a := range e.axioms {
			if taken[i] {
				continue
			}
			vars := e.axiomVars[i]
			hit := false
			for _, v := range vars {
				hit = hit || used[v]
			}
			if !hit {
				continue
			}
			taken[i], changed = true, true
			out = append(out, a)
			for _, v := range vars {
				used[v] = true
			}
		}
	}
	return out
}

// witnessed reports whether an earlier model satisfies t. A model knows of the layout axioms of
// its own question only: where t speaks of other addresses, they have to hold in it, too.
func (e *engine) witnessed(ev *smt.Evaluator, t smt.Term) bool {
	if !ev.EvalBool(t) {
		return false
	}
	e.layout([]smt.Term{t})
	e.assertNewAxioms()
	// Most models satisfy all axioms, and then nobody has to know which ones matter.
	held := e.models.held[ev]
	for held < len(e.axioms) && ev.EvalBool(e.axioms[held]) {
		held++
	}
	e.models.held[ev] = held
	if held == len(e.axioms) {
		return true
	}
	for _, a := range e.axiomsOf([]smt.Term{t}) {
		if !ev.EvalBool(a) {
			return false
		}
	}
	return true
}

// axiom asserts an axiom in the incremental solver and keeps it for the others.
func (e *engine) axiom(t smt.Term) {
	if e.c.IsTrue(t) {
		return
	}
	e.solver.Assert(t)
	e.axioms = append(e.axioms, t)
	e.axiomVars = append(e.axiomVars, e.c.Symbols(t))
}

// assertNewAxioms asserts the axiom events that were logged since the last time.
func (e *engine) assertNewAxioms() {
	if e.log == nil {
		return
	}
	for ; e.stats.Events < len(e.log.Events); e.stats.Events++ {
		if ev := &e.log.Events[e.stats.Events]; ev.Kind == seair.Axiom {
			e.layout([]smt.Term{ev.Cond})
			e.axiom(ev.Cond)
		}
	}
}

// layout asserts the layout axioms of bases that the terms mention for the first time.
// An axiom may mention further bases (through sizes and lifetimes), hence the loop.
func (e *engine) layout(terms []smt.Term) {
	if slices.ContainsFunc(terms, func(t smt.Term) bool { return !e.visited[t] }) {
		defer e.stage("layout")()
		e.layoutOf(terms)
	}
}

func (e *engine) layoutOf(terms []smt.Term) {
	todo := append([]smt.Term(nil), terms...)
	var fresh []int
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if e.visited[t] {
			continue
		}
		e.visited[t] = true
		if e.c.Op(t) == smt.OpVar {
			if id, ok := e.prog.Memory.ObjectOfBase(t); ok && !e.isBased[id] {
				e.isBased[id] = true
				fresh = append(fresh, id)
			}
			continue
		}
		todo = append(todo, e.c.Args(t)...)
	}
	for _, id := range fresh {
		axioms := []smt.Term{e.prog.Memory.RangeAxiom(id)}
		for _, other := range e.based {
			if t, ok := e.prog.Memory.DisjointAxiom(min(id, other), max(id, other)); ok {
				axioms = append(axioms, t)
			}
		}
		e.based = append(e.based, id)
		for _, t := range axioms {
			e.layoutOf([]smt.Term{t})
			e.axiom(t)
		}
	}
}

func (e *engine) finishStats() Stats {
	s := e.stats
	s.Instructions = e.prog.Instructions
	s.Terms = e.c.NumTerms()
	s.Events = len(e.log.Events)
	s.Objects = len(e.prog.Memory.Objects)
	s.Clauses += int64(e.solver.Stats().Clauses)
	s.Mechanisms = maps.Clone(e.prog.Memory.Stats)
	s.Rules = map[string]int64{}
	for i, n := range e.c.RuleUses() {
		if n > 0 {
			s.Rules[smt.Rules()[i]] = int64(n)
		}
	}
	return s
}

// pool keeps models that were found, to answer later questions without a query.
type pool struct {
	c    *smt.Context
	evs  []*smt.Evaluator
	mods []*smt.Model
	old  []bool // the model is one of an earlier run
	// held is how many of the engine's axioms, from the first, are known to hold in a model of the pool.
	held map[*smt.Evaluator]int
}

// maxPool bounds the models that are asked before the solver is.
const maxPool = 24

func (p *pool) satisfies(t smt.Term) bool {
	for i := len(p.evs) - 1; i >= 0; i-- {
		if p.evs[i].EvalBool(t) {
			return true
		}
	}
	return false
}

// add keeps a model; false when it does not satisfy the query that it answers.
func (p *pool) add(m *smt.Model, query []smt.Term) bool {
	ev := p.c.NewEvaluator(m)
	for _, t := range query {
		if !ev.EvalBool(t) {
			return false
		}
	}
	if len(p.evs) == maxPool {
		delete(p.held, p.evs[0])
		p.evs, p.mods, p.old = p.evs[1:], p.mods[1:], p.old[1:]
	}
	p.evs, p.mods, p.old = append(p.evs, ev), append(p.mods, m), append(p.old, false)
	return true
}

func (p *pool) last() (*smt.Model, *smt.Evaluator) {
	return p.mods[len(p.mods)-1], p.evs[len(p.evs)-1]
}
