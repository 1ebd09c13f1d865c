// Package ask answers queries about an unfolded program with a solver, and caches the answers across runs.
//
//	int a[4];
//	void f(unsigned i) {
//	  assume(i < 4);
//	  a[i] = 1;      // obligation: the access is in bounds
//	}
//
// The query for a violation of this obligation has the fact i < 4 and the alternative "the access is out of bounds".
// An Asker adds the axioms for its symbols, such as the address range of a, and returns an Outcome: here Unsat, so no
// execution violates the obligation.
//
// Terms:
//
//   - A Question is a query: is there a model of all facts and of at least one alternative? The method Each decides
//     all alternatives separately.
//   - An axiom holds in every execution: axioms of the program (seair.Axiom), the layout of objects in memory
//     (layout.go), and instances of quantifiers (quantifiers.go).
//   - A session is a solver that is used for many queries; other queries get a solver of their own.
//   - A Memo caches answers across runs, by the structure of the queries; a segment is its encoding for one run.
//   - Work is a deterministic measure of cost (work.go), so that searches pause and end at the same place on every
//     machine.
//
// A query is answered from the memo (recall.go, memo.go, members.go), otherwise by a solver (ask.go). A query that is
// too hard as a whole is simplified by its own consequences (decided.go) or split into cases (cases.go). Every model
// is evaluated before it counts, and is kept in a pool for later queries (models.go). RecheckSegment checks the
// answers of a segment again (recheck.go).
//
// Reading order: asker.go, ask.go, layout.go, quantifiers.go, cases.go, memo.go, recall.go, members.go.
//
// The package has no notion of obligations or verdicts: its callers choose queries and budgets.
package ask

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// NewSolver returns a solver for the terms of a context.
type NewSolver func(c *smt.Context) (smt.Solver, error)

// SingleBudget is the default budget of a query about one obligation, in conflicts.
const SingleBudget = 400_000

// Options are the settings of an Asker. With the zero value there is no cache and no pause.
type Options struct {
	// Memo caches answers across runs; nil: every query is solved.
	Memo *Memo
	// Budget is the work after which the run ends, 0 for no limit. If a query is under way then, that is cached for
	// runs with the same budget.
	Budget int64
	// Recurs reports whether the cause for which a context ended occurs again in a run that does the same work.
	Recurs func(cause error) bool
	// Pause is called regularly, to let other goroutines work. It may cancel the context of the query.
	Pause func()
	// Interrupts reports whether long searches also pause while they run, not only before they begin.
	Interrupts func() bool
	// NoCases disables the split into cases.
	NoCases bool
	// NoOrdering disables clauses about what comparisons imply of each other (package ordering).
	NoOrdering bool
	// NoBackbones disables the simplification of hard queries by conditions that their facts decide.
	NoBackbones bool
	// Stage is called at the beginning of a phase of work; it returns a function that is called at its end.
	Stage func(name string) (leave func())
}

// Counts are the statistics of an Asker.
type Counts struct {
	Queries   int // solver queries
	Conflicts int64
	Clauses   int64
	Hits      int // queries answered by the memo
	Unsettled int // queries that ended by time, by cancelling or by a failure
}

// Asker answers queries about one program, during its unfolding and afterwards.
type Asker struct {
	c    *smt.Context
	make NewSolver
	opts Options
	prog *unfold.Program
	log  *seair.Log

	counts   Counts
	searched int64 // the work of searches, including cached ones
	began    effort

	models pool
	// based holds the objects whose layout axioms exist. visited are the terms that were searched for base symbols of
	// objects.
	based   []int
	isBased map[int]bool
	visited map[smt.Term]bool
	// axioms are the axioms of all queries so far; axiomVars are their symbols.
	axioms    []smt.Term
	axiomVars [][]smt.Term

	taken  int // number of events whose axioms were taken
	hashed int // number of events whose symbols the memo has hashed
}

// New returns an Asker for the terms of a context; Bind sets its program. New begins a run of the memo.
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

// Bind sets the program of the queries. It is called when the unfolding begins.
func (x *Asker) Bind(p *unfold.Program) { x.prog, x.log = p, p.Log }

// Counts returns the statistics so far.
func (x *Asker) Counts() Counts { return x.counts }

// Models returns the most recent models, the newest last.
func (x *Asker) Models() []*Model { return x.models.list }

// Satisfied reports whether a term is true in one of the most recent models. It tries no more of them once ctx has
// ended: a term of a long unfolding takes a while.
func (x *Asker) Satisfied(ctx context.Context, t smt.Term) bool { return x.models.satisfies(ctx, t) }

// Placed reports whether any query contained the address of an object, so that the address in models is meaningful.
func (x *Asker) Placed(object int) bool { return x.isBased[object] }
