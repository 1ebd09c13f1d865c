// Package induction finds loop invariants that hold for any number of iterations, and explains them in C.
//
// Unrolling leaves an assertion open if a loop was cut off after some iterations, though the assertion may hold for
// every number of them. Then the loop is executed once, from a state in which everything that it changes is arbitrary
// (unfold/induction.go), and invariants of that state are searched:
//
//	unsigned i = 0;
//	while (i < n) {   // candidates: i < n, i <= n, a[k] == 0 for all k < i, ...
//	  a[i] = 0;
//	  i++;
//	}
//	sassert(i == n);
//
// Many candidates are guessed from the program (candidates.go, quantified.go). A candidate is dropped if a query finds
// that it may be false on entry, or after one iteration that starts with all remaining candidates; here i < n is
// dropped. This is repeated until the rest is inductive together (Flanagan and Leino, "Houdini, an Annotation
// Assistant for ESC/Java", 2001). The rest is assumed at the heads, and the log is then settled like any other.
//
// Candidates about all elements of an array are stated for one arbitrary element, the witness, and instantiated for
// each read (the same witness, at source level, is in Jana, Khedker, Datar, Venkatesh and Niyas, "Scaling Bounded
// Model Checking by Transforming Programs with Arrays", 2016).
//
// Induction can only prove: an arbitrary state need not be reachable, so a violation in it means nothing.
//
// Terms: a head is a loop head that was cut, or the begin or the end of an activation of a recursive function
// (unfold.Head); a place is a scalar that the loop changes; a lemma is a candidate, also after it was dropped; a
// reading is a read of arbitrary content.
//
// Reading order: finder.go (Finder), phases.go (Find and Refine, the search), queries.go (how candidates are queried),
// material.go, candidates.go, quantified.go with lines.go, and asserted.go (candidates: a function for each template,
// called by Finder.scalarCandidates or Finder.quantified), recursion.go (candidates of the ends of activations),
// instances.go (what candidates about elements say of those that are read), arrivals.go, arrivals_state.go and
// activations.go (Attack, which evaluates the invariants in executions), samples.go (candidates that executions
// propose), hull.go and modular.go (linear equations), relevant.go (which places matter), measure.go (whether a loop
// ends), invariants.go, phrase.go, phrase_relations.go and phrase_terms.go (Invariants, which writes invariants in C).
//
// The package has no notion of obligations or verdicts: its caller settles the obligations with the invariants.
package induction

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/invariant"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/ordering"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// Limits of induction, so that it costs little if it does not help.
const (
	maxCandidates   = 700    // of one loop
	maxInstances    = 4_000  // of all conditions on elements
	maxLate         = 24     // late candidates of one loop
	shortBudget     = 150    // conflicts of the first query about candidates
	houdiniBudget   = 2_000  // conflicts per query
	hardTogether    = 8      // candidates in one query, if a short query about all of them was too hard
	hardBudget      = 8_000  // conflicts of a query about elements, or one that was too hard
	inductionBudget = 80_000 // conflicts in total, as far as they buy answers
	maxEliminations = 6_000  // for the candidates of one event
	eliminationWork = 30     // microseconds
)

// Program is an unfolded program whose loops were cut at their heads.
type Program struct {
	Module   *clangir.Module
	Entry    string
	C        *smt.Context
	Unfolded *unfold.Program
	Heads    []*unfold.Head
	// User reports whether a source file belongs to the user.
	User func(file string) bool
	// NoOrdering disables linear arithmetic (package ordering): only queries decide about candidates.
	NoOrdering bool
}

// Finder searches loop invariants of a program.
type Finder struct {
	asker *ask.Asker
	ctx   context.Context // of the current call
	m     *clangir.Module
	entry string
	c     *smt.Context
	prog  *unfold.Program
	log   *seair.Log
	user  func(file string) bool

	heads  []*unfold.Head
	lemmas [][]*lemma        // by head
	states []*invariant.Head // by head
	// materials and samples are by head; samples is empty if the program was not executed.
	materials []*material
	floating  map[int][]int // by head: the places that are floats
	samples   []samples
	hulls     [][]*hull               // by head
	older     map[int][]mem.Written   // by object: writes of single elements before the heads so far
	before    map[*unfold.Head]bounds // by head: given by the facts before it
	// irrelevant are the symbols of places about which candidates are useless.
	irrelevant map[smt.Term]bool
	// iterations is, by head, how often an execution arrived there at most; MaxInt if one was stopped.
	iterations []int
	terms      *invariant.Terms
	gens       []int // by reading: number of instances that led to it
	done       int   // number of readings that were instantiated
	count      int   // instances, at least those of the surviving candidates
	prover     *ordering.Prover
	noOrdering bool
	// sessions are for queries about candidates without elements, by event: a query is slower in a solver that also knows
	// all other events.
	sessions map[int]*ask.Session
	spent    int64 // conflicts
	// spentOnPlain and spentOnOthers are the parts of it for candidates without elements.
	spentOnPlain, spentOnOthers int64

	begun     bool  // the candidates are there
	among     phase // plain or scalars: where the search for those without elements is
	refined   phase // elements or again if these have been tried
	measuring int64 // work of the searches for measures
	// open are the obligations that are not assumed to hold; chain are the conditions of events without them.
	open  map[int]bool
	chain seair.Chain
}

// New returns a Finder for a program; asker answers its queries.
func New(p Program, asker *ask.Asker) *Finder {
	return &Finder{asker: asker, m: p.Module, entry: p.Entry, c: p.C, prog: p.Unfolded, log: p.Unfolded.Log, user: p.User,
		heads: p.Heads, prover: ordering.NewProver(p.C), noOrdering: p.NoOrdering,
		older: map[int][]mem.Written{}, before: map[*unfold.Head]bounds{}, sessions: map[int]*ask.Session{},
		terms: invariant.NewTerms(p.C, p.Unfolded.Memory)}
}

// Close releases the solvers.
func (in *Finder) Close() {
	for _, s := range in.sessions {
		s.Close()
	}
	clear(in.sessions)
}

// lemma is a candidate: a condition on the state at a loop head.
type lemma struct {
	*invariant.Condition
	text string
	// triggers find the elements about which a read requires an instance.
	triggers  []trigger
	copies    bool // it states that memory is unchanged: the reads of its instances are reads of older content
	instances []smt.Term
	// weaker becomes a candidate if this one is false on entry to the loop; 0 for none.
	weaker   smt.Term
	has      map[smt.Term]bool
	readings map[smt.Term][]smt.Term // the values of the readings that led to an instance
	// members has the condition for each member of a structure that is an object, if it is one on an arbitrary member.
	members []smt.Term
	// hull is set if it is a linear equation, and model then is the one that violated it, until its state was added.
	hull    *hull
	model   *ask.Model
	dropped bool
	paused  bool  // it is dropped until the search for candidates about elements goes on
	among   phase // plain or scalars, for one without elements
	lost    int   // the event in which it was dropped
	late    bool  // it has no elements, and may follow from candidates about elements
	// holds maps an event in which the lemma was proved to 1 plus the value of droppedBefore at that time.
	holds map[int]int
	// over is the symbol of the place whose values the lemma quantifies over. It is 0 if the lemma quantifies over the
	// bytes of an object, or its elements of unit bytes.
	over smt.Term
	unit int64
}

// dropAll drops candidates of a phase until the rest is inductive: until each of them was shown in each event that
// leads to its head, with no fact that was dropped since. It reports whether it finished within its limits.
func (in *Finder) dropAll(p phase) bool {
	for unshown := true; unshown; {
		if in.ctx.Err() != nil || in.spent > in.limit(p) {
			return false
		}
		unshown = false
		for i, h := range in.heads {
			if h.Begin == nil {
				unshown = in.drop(i, h.Entry, h.Guard, in.states[i].Entry, p) || unshown
			}
		}
		for i, h := range in.heads {
			for k, b := range h.Back {
				unshown = in.drop(i, b.Event, b.Guard, in.states[i].Back[k], p) || unshown
			}
		}
	}
	return in.ctx.Err() == nil && in.spent <= in.limit(p)
}

// limit returns the conflicts after which the search for candidates of a phase is given up.
func (in *Finder) limit(p phase) int64 {
	if p <= scalars {
		return 2 * inductionBudget
	}
	return inductionBudget
}

// unshown returns the candidates of a phase that were not shown in an event with the current facts, equations first.
func (in *Finder) unshown(head, event int, to *invariant.State, p phase) (open []*lemma) {
	rests := in.droppedBefore(event, p)
	for _, equations := range []bool{true, false} {
		for _, l := range in.lemmas[head] {
			if !l.dropped && l.phase() == p && l.holds[event] != rests+1 && in.isEquation(l) == equations &&
				!in.c.IsTrue(l.In(to)) {
				open = append(open, l)
			}
		}
	}
	return open
}

// drop drops the candidates of a phase that may be false in a state that leads to their head. It reports whether there
// were any that it had to show, so that what it dropped, or added, may matter elsewhere.
func (in *Finder) drop(head, event int, guard smt.Term, to *invariant.State, p phase) (some bool) {
	open := in.unshown(head, event, to, p)
	if len(open) == 0 {
		return false
	}
	any := make([]smt.Term, len(open))
	for i, l := range open {
		any[i] = in.c.Not(l.In(to))
	}
	rests := in.droppedBefore(event, p)
	held := append([]smt.Term{in.factsBefore(event), guard}, in.facts(event, p)...)
	if p > scalars {
		in.instantiate()
		in.dropElements(open, any, held, event, rests)
		return true
	}
	if event == in.heads[head].Entry {
		in.seen(head, held, to)
	}
	in.dropScalars(head, open, any, held, event, rests, to)
	in.widen(head, open, to)
	for _, l := range open {
		if l.dropped && l.weaker != 0 && event == in.heads[head].Entry {
			in.add(head, "<=", l.weaker)
		}
	}
	return true
}

// droppedBefore returns the number of dropped candidates of the heads before an event, up to a phase. While it stays
// the same, results of the phase about the event remain valid.
func (in *Finder) droppedBefore(event int, p phase) (n int) {
	for i, h := range in.heads {
		for _, l := range in.lemmas[i] {
			if h.Event < event && l.dropped && l.phase() <= p {
				n++
			}
		}
	}
	return n
}

// factsBefore returns the assumptions before an event, and the obligations that are assumed to hold, without any
// invariants.
func (in *Finder) factsBefore(event int) smt.Term {
	return in.chain.Held[event]
}

// facts returns the surviving candidates without elements of the heads before an event, up to a phase.
func (in *Finder) facts(event int, p phase) []smt.Term {
	var out []smt.Term
	for i := range in.heads {
		for _, x := range in.assumed(i) {
			if x.event >= event {
				continue
			}
			for _, t := range in.known(i, p) {
				out = append(out, in.c.Implies(x.guard, x.of(t)))
			}
		}
	}
	return out
}

// assumed is a place at which the invariants of a head are assumed: the head itself, or a call that was replaced by the
// end of an activation.
type assumed struct {
	event int
	guard smt.Term
	state *invariant.State // nil at the head
}

// of returns a condition on the state at a head as a condition at the place.
func (x assumed) of(t smt.Term) smt.Term {
	if x.state == nil {
		return t
	}
	return x.state.Evaluate(t)
}

// assumed returns the places at which the invariants of a head are assumed.
func (in *Finder) assumed(i int) []assumed {
	h := in.heads[i]
	if h.Begin == nil {
		return []assumed{{event: h.Event, guard: h.Guard}}
	}
	out := make([]assumed, len(h.Calls))
	for k, u := range h.Calls {
		out[k] = assumed{u.Event, u.Guard, in.states[i].Calls[k]}
	}
	return out
}

// known returns the formulas of the surviving candidates of a head without elements, up to a phase.
func (in *Finder) known(i int, p phase) (out []smt.Term) {
	for _, l := range in.lemmas[i] {
		if !l.dropped && !l.Quantified() && l.phase() <= p {
			out = append(append(out, l.Fact()), l.members...)
		}
	}
	return out
}

// Conclude adds the invariants to the log. They were proved under the condition that all earlier obligations hold, so
// nothing is proved if one of these is violated.
func (in *Finder) Conclude() {
	in.instantiate()
	for i := range in.heads {
		known := in.c.And(append(in.known(i, again), in.instances(i)...)...)
		for _, x := range in.assumed(i) {
			in.log.Events[x.event].Cond = x.of(known)
		}
	}
	in.rechain()
}

// spend begins a search with all of its budget.
func (in *Finder) spend() { in.spent, in.spentOnPlain, in.spentOnOthers = 0, 0, 0 }

// retract takes the invariants out of the log.
func (in *Finder) retract() {
	for i := range in.heads {
		for _, x := range in.assumed(i) {
			in.log.Events[x.event].Cond = in.c.True()
		}
	}
	in.rechain()
}

// Without drops the invariants that do not hold if some obligations need not hold, and adds the others to the log. It
// reports whether it dropped any, and whether it finished within its limits.
func (in *Finder) Without(ctx context.Context, open map[int]bool) (dropped, ok bool) {
	defer in.Close()
	in.ctx, in.open = ctx, open
	in.spend()
	in.retract()
	before := 0
	for _, l := range slices.Concat(in.lemmas...) {
		clear(l.holds)
		if !l.dropped {
			before++
		}
	}
	in.among = plain
	if !in.dropUnquantified() || !in.dropAll(elements) || !in.dropAll(again) {
		return false, false
	}
	in.Conclude()
	for _, l := range slices.Concat(in.lemmas...) {
		if !l.dropped {
			before--
		}
	}
	return before > 0, true
}

// rechain computes the conditions before all events.
func (in *Finder) rechain() {
	in.chain = seair.ChainOf(in.log, func(k int) bool { return in.open[k] })
}

// add adds an unquantified candidate, if the condition depends only on the state at the head.
func (in *Finder) add(head int, text string, fact smt.Term) {
	if len(in.lemmas[head]) >= maxCandidates || slices.ContainsFunc(in.lemmas[head], func(l *lemma) bool {
		return !l.Quantified() && l.Fact() == fact
	}) {
		return
	}
	if in.concernsIrrelevant(fact) {
		return
	}
	fact, members := in.ofMembers(head, fact)
	if x, ok := in.states[head].Condition(fact); ok {
		in.addLemma(head, &lemma{Condition: x, text: text, holds: map[int]int{}, members: members})
	}
}

// addLemma adds a candidate without elements to those that are tried next, or later if it is not plain.
func (in *Finder) addLemma(head int, l *lemma) {
	if l.among = in.among; l.among == plain && !in.isPlain(head, l) {
		l.among = scalars
	}
	in.lemmas[head] = append(in.lemmas[head], l)
}

// addAll adds the candidate that of(y) holds for all y, if it depends only on the state at the head. of is called with
// a witness. The candidate has the properties of l. It reports whether it was added.
func (in *Finder) addAll(head int, witness smt.Term, of func(y smt.Term) smt.Term, l lemma) bool {
	if len(in.lemmas[head]) >= maxCandidates {
		return false
	}
	x, ok := in.states[head].ForAll(witness, of)
	if !ok || in.concernsIrrelevant(x.Fact()) {
		return false
	}
	l.Condition, l.has, l.holds, l.readings = x, map[smt.Term]bool{}, map[int]int{}, map[smt.Term][]smt.Term{}
	in.lemmas[head] = append(in.lemmas[head], &l)
	return true
}

// literals returns the conditions that hold on a back edge but not at the head, including the assumptions in between.
func (in *Finder) literals(h *unfold.Head, b *unfold.Back) []smt.Term {
	c := in.c
	outer := map[smt.Term]bool{}
	for _, t := range c.Conjuncts(h.Guard) {
		outer[t] = true
	}
	var out []smt.Term
	for _, t := range c.Conjuncts(b.Guard) {
		if !outer[t] {
			out = append(out, t)
		}
	}
	for k := h.Event + 1; k < b.Event; k++ {
		if ev := &in.log.Events[k]; ev.Kind == seair.Assume && !c.IsConst(ev.Cond) {
			out = append(out, c.Conjuncts(ev.Cond)...)
		}
	}
	return out
}
