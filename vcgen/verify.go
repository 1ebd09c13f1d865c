// Package vcgen is the engine: it unfolds a unit proof into SEA-IR, solves queries about it, and returns a verdict for
// every obligation.
//
//	int main(void) {
//	  int x = nd_int();
//	  assume(x < 100);
//	  sassert(x != 42);       // failed, with a counterexample: x = 42
//	  sassert(x < 200);       // proved
//	}
//
// Terms:
//
//   - An obligation is an event of the log that must hold: an assertion, or a check for undefined behavior.
//   - An Instance is an obligation reached through one call path; a finding is the set of instances with the same kind
//     and position.
//   - An obligation is bounded if no unfolded execution violates it, but a cut that may be reached can lead to it
//     (cuts.go and plan.report).
//   - An obligation is unknown if a query about it was not answered within its budget, if no counterexample of it was
//     confirmed, or if it depends on an unknown check or an unsupported construct (found/reason.go). So bounded is a
//     statement about all executions up to the cuts; unknown states nothing.
//   - The whole is the run that unfolds loops as far as the proof's settings allow. A round is a run of the same proof
//     with few iterations per loop, for which the whole pauses.
//   - A mechanism is a part that --disable switches off, which changes no verdict except by its cost (mechanism.go):
//     cursors, outcomes, lifting, induction and others.
//   - A core is a minimal set of assumptions and branches that contradict each other, or on which a proof rests.
//
// Principal types: Verify takes Options and returns a Report. Inside, engine is one run, plan settles the obligations
// of a run, status is the state of one obligation, deepening coordinates the whole with rounds, executions and
// induction.
//
// Reading order: result.go (Report and Instance), verify.go (one run), plan.go (the order of queries; each query
// selects from the log with seair.Chain and is solved by package ask), violations.go, dependents.go and cuts.go
// (violations, dependences, cuts), reach.go (reachability and vacuity), feasible.go (feasible iterations), deepen.go
// and merge.go (rounds), extent.go and limits.go (the end of a run), join.go (the combination of runs), induction.go
// and inductive.go (loops with any number of iterations), explore.go (random inputs), contract.go and obstacle.go
// (contracts of loops), cores.go (contradictions), confirm.go (counterexamples, confirmed by the interpreter),
// explanation.go (what a proof rests on), places.go (positions).
//
// The answer does not depend on the speed of the machine. Budgets, and the order of rounds, induction and random
// inputs, count work (ask.Asker.Work) in place of time. Time matters only if a proof uses a large part of its limit
// (Limits), or if a unit of work takes more than two microseconds (engine.lag).
//
// The package and its children use no files, processes, networks, clocks or goroutines; solvers come from outside.
package vcgen

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// engine is one run of a verification.
type engine struct {
	*ask.Asker // for the program, from the beginning of the unfolding

	ctx   context.Context
	m     *clangir.Module
	entry string
	opts  Options
	c     *smt.Context
	make  ask.NewSolver
	prog  *unfold.Program
	log   *seair.Log
	stats Stats // without the asker's counts

	extent    extent
	searching bool  // the program is unfolded, and invariants of its loops are searched for
	lagged    int64 // the part of the work that represents time (lag)
	metered   int64 // the work that opts.meter has counted

	// standing is the session of queries after the unfolding other than violations: cuts, reachability, cores.
	standing ask.Session
	// feasible is the shared state of queries about the next iteration.
	feasible feasibility
}

// Verify checks one unit proof of a linked module.
func Verify(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
) (*Report, error) {
	if opts.Explain {
		opts.meter = &meter{}
	}
	report, err := verifyAll(ctx, m, entry, opts, newSolver)
	if err == nil {
		report.noteUnseen()
		report.noteUnreached()
		report.Assumed = assumedPlaces(m, opts.UserFile)
	}
	if err == nil && opts.Explain {
		report.Explained = explainVerified(ctx, m, entry, opts, newSolver, report)
	}
	return report, err
}

// noteUnreached makes findings unknown that no execution reaches within bounds set by time or memory. The whole proof
// becomes unknown if no execution reaches any of its own assertions within the bounds, whatever set them (contract,
// section 2).
func (r *Report) noteUnreached() {
	r.joinReached()
	own, reached := 0, 0
	var cut found.Reason
	for i := range r.Instances {
		in := &r.Instances[i]
		beyond := in.Verdict == found.Bounded && in.Reason.Why == found.BeyondBounds
		if in.own() {
			if own++; !beyond {
				reached++
			} else {
				cut = in.Reason
			}
		}
		if beyond && in.Reason.Cause != nil {
			in.Verdict = found.Unknown
		}
	}
	if own > 0 && reached == 0 && r.Reason.None() {
		r.Reason = found.Reason{Why: found.NoneReached, Name: cut.Name, N: cut.N, Cause: cut.Cause}
	}
}

// joinReached changes instances that no execution reaches within the bounds, if one reaches another instance of their
// finding. The finding holds within these bounds, and its message must not say that it was not reached.
func (r *Report) joinReached() {
	held := map[findingKey]*Instance{}
	for i := range r.Instances {
		in := &r.Instances[i]
		if is := held[keyOf(in)]; in.reached && (is == nil || is.Reason.Why != found.HoldsInBounds) {
			held[keyOf(in)] = in
		}
	}
	for i := range r.Instances {
		in := &r.Instances[i]
		if in.Verdict != found.Bounded || in.Reason.Why != found.BeyondBounds {
			continue
		}
		if is := held[keyOf(in)]; is != nil && is.Reason.Why == found.HoldsInBounds {
			in.Reason, in.Loop, in.Bound = is.Reason, is.Loop, is.Bound
		} else if is != nil && is.Verdict == found.Proved {
			in.Reason.Why = found.HoldsInBounds
		}
	}
}

// own reports whether an instance belongs to an assertion of the proof itself.
func (in *Instance) own() bool {
	return (in.Kind == found.Assertion || in.Kind == found.Postcondition) && in.InEntryFile && !in.ConstFalse
}

// verifyAll is Verify without an explanation.
func verifyAll(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
) (*Report, error) {
	if hasLoopContracts(m) && !opts.NoLoopContracts {
		return verifyLoops(ctx, m, entry, opts, newSolver)
	}
	return verifyWith(ctx, m, entry, opts, newSolver, checkedLoops(opts))
}

// verifyWith is Verify with a fixed treatment of loops that have contracts.
func verifyWith(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
	loops language.Loops) (*Report, error) {
	return newDeepening(ctx, m, entry, opts, newSolver, loops).timed()
}

// assumedPlaces returns the positions of assumptions in the user's code, sorted by position.
func assumedPlaces(m *clangir.Module, user func(file string) bool) (list []found.Pos) {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Loc != nil && in.Loc.Line > 0 && assumes(in) && (user == nil || user(in.Loc.File)) {
					list = append(list, found.Pos{Function: f.SourceName, File: in.Loc.File, Line: in.Loc.Line, Column: in.Loc.Col})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b found.Pos) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(list)
}

// runExtent executes one run, limited by its extent.
func runExtent(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
	x extent) (*Report, error) {
	e, err := generate(ctx, m, entry, opts, newSolver, x)
	if err != nil {
		return nil, err
	}
	defer e.standing.Close()
	return e.settle()
}

// settle decides every obligation of an unfolded program.
func (e *engine) settle() (*Report, error) {
	defer e.stage("questions")()
	p := e.newPlan()
	p.run()
	if p.leaves() {
		return nil, context.Cause(e.ctx)
	}
	if q := p.plain; q != nil {
		defer q.standing.Close()
		p.stats.addQuestions(q.Counts())
	}
	return p.report(), nil
}

// stage calls Options.Stage for a phase of the work: unfold, questions (selecting queries and their events), layout
// (axioms of addresses), keys (of queries, for the memo), simplify, confirm (counterexamples are executed and
// minimized).
func (e *engine) stage(name string) (leave func()) {
	if e.opts.Stage == nil {
		return func() {}
	}
	return e.opts.Stage(name)
}

// generate unfolds the program, limited by the extent.
func generate(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
	x extent) (*engine, error) {
	c := smt.NewContext()
	for _, rule := range smt.Rules() {
		if opts.Disable[Mechanism(rule)] {
			c.DisableRule(rule)
		}
	}
	e := &engine{ctx: ctx, m: m, entry: entry, opts: opts, extent: x, c: c, make: newSolver,
		standing: ask.Session{Whole: true, Outlook: smt.Mixed},
		feasible: feasibility{Session: ask.Session{Outlook: smt.MostlySat}}}
	if err := e.standing.Open(c, newSolver); err != nil {
		return nil, err
	}
	e.Asker = ask.New(c, newSolver, ask.Options{Memo: opts.Memo, Budget: x.budget, Recurs: recurs, Pause: e.pause,
		Interrupts: e.interrupts, NoCases: opts.Disable[Cases],
		NoOrdering: opts.Disable[Ordering], NoBackbones: opts.Disable[Backbones], Stage: opts.Stage})
	defer e.stage("unfold")()
	defer e.feasible.Close()
	unfolding := e.unfoldOptions()
	unfolding.MaxInstructions, unfolding.Depth, unfolding.Every, unfolding.Poll = x.instructions, x.depth, x.every, e.pause
	unfolding.Input = x.input
	if n := opts.MaxInstructions; n > 0 && (x.instructions == 0 || n < x.instructions) {
		unfolding.MaxInstructions = n
	}
	prog, err := unfold.Run(ctx, m, entry, c, e, unfolding)
	if err != nil {
		e.standing.Close()
		return nil, err
	}
	e.bind(prog)
	e.TakeNewAxioms()
	return e, nil
}

// Unfinished is the error of a run whose context ended before the program was unfolded.
type Unfinished = unfold.Unfinished

// Dump unfolds a unit proof and returns its log, for "unitproof dump".
func Dump(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
) (*seair.Log, error) {
	e, err := generate(ctx, m, entry, opts, newSolver, extent{loops: language.LoopsChecked})
	if err != nil {
		return nil, err
	}
	e.standing.Close()
	return e.log, nil
}

// bind sets the program. It is called when the unfolding begins.
func (e *engine) bind(p *unfold.Program) {
	e.prog, e.log = p, p.Log
	e.Bind(p)
}

func (e *engine) unfoldOptions() unfold.Options {
	o := unfold.Options{Semantics: e.opts.Semantics, LoopContracts: e.extent.loops,
		Unwind: e.opts.Unwind, MaxUnwind: e.opts.MaxUnwind, Loops: e.opts.Loops,
		Off:     mem.Mechanisms{StoreMap: e.opts.Disable[StoreMap], AddressRangeMap: e.opts.Disable[AddressRangeMap]},
		NoFacts: e.opts.Disable[Facts], NoCursors: e.opts.Disable[Cursors], NoOutcomes: e.opts.Disable[Outcomes],
		NoLifting: e.opts.Disable[Lifting], Drop: e.dropped(), Ways: e.opts.branches,
		Lines: e.opts.Coverage,
		Bind:  e.bind}
	if o.Induction = e.extent.induction; o.Induction != nil { // terms have to keep their symbols
		o.NoFacts, o.NoCursors, o.NoOutcomes, o.NoLifting = true, true, true, true
	}
	if u := e.unrolled(); u != nil {
		o.At = u.move
	}
	if len(e.opts.Accept) > 0 {
		o.Accepted, o.ReadsFreed = e.acceptRule, e.readsFreed()
	}
	return o
}

// dropped returns a function that reports whether an assumption of the program is ignored; nil if none is.
func (e *engine) dropped() func(*seair.Site) bool {
	if len(e.opts.Without) == 0 {
		return e.opts.drop
	}
	return func(site *seair.Site) bool {
		at := e.place(site).pos
		return e.opts.drop != nil && e.opts.drop(site) || slices.ContainsFunc(e.opts.Without, func(p found.Pos) bool {
			return p.File == at.File && p.Line == at.Line && p.Column == at.Column
		})
	}
}

func (e *engine) acceptRule(kind found.Kind, frame found.Pos, innermost bool) bool {
	return slices.ContainsFunc(e.opts.Accept, func(a AcceptRule) bool { return a.Covers(kind, frame, innermost) })
}

// readsFreed returns a function that reports whether reads of freed memory at a position return its old content; nil
// if they never do. They do if a rule with lines accepts them: such rules come from programs that read freed memory on
// purpose.
func (e *engine) readsFreed() func(at found.Pos) bool {
	acceptsFreed := func(a AcceptRule) bool { return a.Kind == found.UseAfterFree && a.Lines != found.Lines{} }
	if !slices.ContainsFunc(e.opts.Accept, acceptsFreed) {
		return nil
	}
	return func(at found.Pos) bool {
		return slices.ContainsFunc(e.opts.Accept, func(a AcceptRule) bool { return acceptsFreed(a) && a.Lines.Has(at) })
	}
}

func (e *engine) count(name string) { e.prog.Memory.Stats[name]++ }

func (e *engine) finishStats() Stats {
	s := e.stats
	s.addQuestions(e.Counts())
	s.Clauses = e.Counts().Clauses
	s.Instructions = e.prog.Instructions
	e.tellMeter()
	s.Steps = e.Work()
	s.Terms = e.c.NumTerms()
	s.Events = len(e.log.Events)
	s.Objects = len(e.prog.Memory.Objects)
	s.Mechanisms = maps.Clone(e.prog.Memory.Stats)
	s.Rules = map[string]int64{}
	for i, n := range e.c.RuleUses() {
		if n > 0 {
			s.Rules[smt.Rules()[i]] = int64(n)
		}
	}
	return s
}
