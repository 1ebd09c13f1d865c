// Package ask puts questions about an unfolded program to solvers, and remembers what they said.
//
// A Question is a set of conditions, of which an Asker adds what all questions rest on: the axioms of the program and
// of where its objects lie (layout.go), and instances of its quantifiers (quantifiers.go). It is answered by what
// earlier runs know (recall.go, memo.go, members.go), else by a solver (ask.go), whose models are evaluated before
// anybody believes them and kept for later questions (models.go). Work is counted (work.go), so that searches can pause
// and end at the same place on every machine.
//
// It does not know what is asked, nor why: obligations, verdicts and budgets are for those who ask.
package ask

import (
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// NewSolver makes a solver for the terms of a context.
type NewSolver func(c *smt.Context) (smt.Solver, error)

// SingleBudget is the budget of a question about one obligation, in conflicts, where nobody wishes for another one.
const SingleBudget = 400_000

// Options are how an Asker asks. The zero value asks everything, without a pause.
type Options struct {
	// Memo holds answers from run to run; nil: every question is asked.
	Memo *Memo
	// Budget is the work after which the run ends, 0 for any. That a question was under way then is remembered for runs
	// with the same budget.
	Budget int64
	// Recurs tells of the cause for which a context ended whether it comes again whenever the same was done.
	Recurs func(cause error) bool
	// Pause lets others work; it may end the context of the question.
	Pause func()
	// Interrupts tells whether searches that take long are to pause, too, and not only before they begin.
	Interrupts func() bool
	// NoCases: no question is tried by cases.
	NoCases bool
	// NoOrdering: no solver is told what comparisons imply of each other.
	NoOrdering bool
	// NoBackbones: no question is rewritten by what its facts decide of conditions.
	NoBackbones bool
	// Stage is told when a part of the work begins; what it returns, when that ends.
	Stage func(name string) (leave func())
}

// Counts tell what an Asker did.
type Counts struct {
	Queries   int // to solvers
	Conflicts int64
	Clauses   int64
	Hits      int // questions that were answered from what earlier runs know
	Unsettled int // questions that ended by time, by cancelling or by a failure
}

// Asker asks about one program, while it is unfolded and afterwards.
type Asker struct {
	c    *smt.Context
	make NewSolver
	opts Options
	prog *unfold.Program
	log  *seair.Log

	counts   Counts
	searched int64 // the work of searches, those that are remembered included
	began    effort

	models pool
	// based holds the objects whose layout axioms are known; visited the terms that
	// were searched for base symbols.
	based   []int
	isBased map[int]bool
	visited map[smt.Term]bool
	// axioms are those of all questions so far; axiomVars are their symbols.
	axioms    []smt.Term
	axiomVars [][]smt.Term

	taken  int // events of which axioms were taken
	hashed int // events whose symbols the memo knows
}

// New returns an Asker for the terms of a context, which knows no program yet. The memo begins a run.
func New(c *smt.Context, newSolver NewSolver, o Options) *Asker {
	if o.Recurs == nil {
		o.Recurs = func(error) bool { return false }
	}
	if o.Pause == nil {
		o.Pause = func() {}
	}
	if o.Interrupts == nil {
		o.Interrupts = func() bool { return false }
	}
	if o.Stage == nil {
		o.Stage = func(string) func() { return func() {} }
	}
	if o.Memo != nil {
		o.Memo.begin(c)
	}
	return &Asker{c: c, make: newSolver, opts: o, models: pool{c: c}, isBased: map[int]bool{},
		visited: map[smt.Term]bool{}}
}

// Bind tells which program questions are about, as soon as there is anything of it.
func (x *Asker) Bind(p *unfold.Program) { x.prog, x.log = p, p.Log }

// Counts tells what was done so far.
func (x *Asker) Counts() Counts { return x.counts }

// Models are those that questions had, the newest last. Only so many are kept.
func (x *Asker) Models() []*Model { return x.models.list }

// Satisfied tells whether a term holds in one of them.
func (x *Asker) Satisfied(t smt.Term) bool { return x.models.satisfies(t) }

// Placed tells whether any question speaks of where an object lies, so that models have an address of it that counts.
func (x *Asker) Placed(object int) bool { return x.isBased[object] }
