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
// Terms: a head is a loop head that was cut (unfold.Head); a place is a scalar that the loop changes; a lemma is a
// candidate, also after it was dropped; a reading is a read of arbitrary content.
//
// Reading order: finder.go (Finder and Find, the search), candidates.go and quantified.go (candidates: a function for
// each template, called by Finder.scalarCandidates or Finder.quantified), arrivals.go and arrivals_state.go (Attack,
// which evaluates the invariants in executions), samples.go (candidates that executions propose), hull.go and
// modular.go (linear equations), relevant.go (which places matter), invariants.go, phrase.go and phrase_terms.go
// (Invariants, which writes invariants in C).
//
// The package has no notion of obligations or verdicts: its caller settles the obligations with the invariants.
package induction

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/invariant"
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

// allowances are the conflicts that a query about candidates may take, and those for its repetition, 0 for none. They
// fall as the search spends its total. Undecided candidates are dropped, so a few hard ones, such as the inverse of a
// hash, do not cost all others.
var allowances = []struct{ until, first, repeated int64 }{
	{inductionBudget * 3 / 4, houdiniBudget, hardBudget},
	{inductionBudget, 500, 0},
	{inductionBudget * 5 / 4, 100, 0},
	{inductionBudget * 3 / 2, 10, 0},
}

// allowance returns the current entry of allowances.
func (in *Finder) allowance() (first, repeated int64) {
	for _, a := range allowances {
		if in.spent < a.until {
			return a.first, a.repeated
		}
	}
	return 1, 0
}

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
	hulls     [][]*hull // by head
	// irrelevant are the symbols of places about which candidates are useless.
	irrelevant map[smt.Term]bool
	// iterations is, by head, how often an execution arrived there at most; MaxInt if one was stopped.
	iterations []int
	terms      *invariant.Terms
	gens       []int // by reading: number of instances that led to it
	done       int   // number of readings that were instantiated
	count      int   // instances
	prover     *ordering.Prover
	noOrdering bool
	// sessions are for queries about candidates without elements, by event: a query is slower in a solver that also knows
	// all other events.
	sessions map[int]*ask.Session
	spent    int64
	// open are the obligations that are not assumed to hold; chain are the conditions of events without them.
	open  map[int]bool
	chain seair.Chain
}

// New returns a Finder for a program; asker answers its queries.
func New(p Program, asker *ask.Asker) *Finder {
	return &Finder{asker: asker, m: p.Module, entry: p.Entry, c: p.C, prog: p.Unfolded, log: p.Unfolded.Log, user: p.User,
		heads: p.Heads, prover: ordering.NewProver(p.C), noOrdering: p.NoOrdering,
		terms: invariant.NewTerms(p.C, p.Unfolded.Memory), sessions: map[int]*ask.Session{}}
}

// Close releases the solvers.
func (in *Finder) Close() {
	for _, s := range in.sessions {
		s.Close()
	}
	clear(in.sessions)
}

// session returns the session for queries about an event.
func (in *Finder) session(event int) *ask.Session {
	s := in.sessions[event]
	if s == nil {
		s = &ask.Session{Whole: true}
		in.sessions[event] = s
	}
	return s
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
	lost    int  // the event in which it was dropped
	late    bool // it has no elements, and may follow from candidates about elements
	// holds maps an event in which the lemma was proved to 1 plus the value of droppedBefore at that time.
	holds map[int]int
	// over is the symbol of the place whose values the lemma quantifies over. It is 0 if the lemma quantifies over the
	// bytes of an object, or its elements of unit bytes.
	over smt.Term
	unit int64
}

// A phase is a part of the search. Its candidates are tried with those that survive the phases before as facts.
type phase int

const (
	scalars  phase = iota // candidates without elements; arbitrary content makes queries hard, so none is a fact
	elements              // candidates about elements
	again                 // late candidates
)

// phase returns the phase in which a candidate is tried.
func (l *lemma) phase() phase {
	switch {
	case l.late:
		return again
	case l.Quantified():
		return elements
	}
	return scalars
}

// trigger finds the elements that a read of arbitrary content needs.
type trigger struct {
	fn    smt.Func
	solve func(off smt.Term, n int64) []smt.Term
}

// Find drops candidates until the remaining ones are inductive together. It reports whether it finished within its
// limits. If the candidates about elements exceed the budget, all of them are dropped; the others are inductive without
// them.
func (in *Finder) Find(ctx context.Context) bool {
	in.ctx = ctx
	in.rechain()
	in.prepare()
	for i := range in.heads {
		in.scalarCandidates(i)
		in.quantified(i)
	}
	if !in.dropAll(scalars) {
		return false
	}
	if !in.dropAll(elements) {
		in.forget(elements)
	}
	return in.ctx.Err() == nil
}

// forget drops the candidates of a phase.
func (in *Finder) forget(p phase) {
	for _, l := range slices.Concat(in.lemmas...) {
		l.dropped = l.dropped || l.phase() == p
	}
}

// Refine tries candidates without elements again, with the facts about elements: the sum of an array is at most its
// length if each element is at most 1. It follows Conclude, adds what it finds to the log, and reports whether that is
// anything.
func (in *Finder) Refine(ctx context.Context) (some bool) {
	in.ctx, in.spent = ctx, 0
	if !in.late() {
		return false
	}
	in.retract()
	if !in.dropAll(again) {
		in.forget(again)
	}
	in.Conclude()
	return slices.ContainsFunc(slices.Concat(in.lemmas...), func(l *lemma) bool { return l.late && !l.dropped })
}

// late makes late candidates of those that an iteration may violate without facts about elements, and that depend on
// content that it reads. It reports whether there are any.
func (in *Finder) late() (some bool) {
	about := false // a head so far has an invariant about elements
	for i, h := range in.heads {
		about = about || slices.ContainsFunc(in.lemmas[i], func(l *lemma) bool { return l.Quantified() && !l.dropped })
		made := 0
		for _, l := range slices.Clone(in.lemmas[i]) {
			if !about || !l.dropped || l.phase() != scalars || l.lost == h.Entry || made == maxLate ||
				!in.readsContent(i, l) {
				continue
			}
			in.lemmas[i] = append(in.lemmas[i], &lemma{Condition: l.Condition, text: l.text, late: true, members: l.members,
				holds: map[int]int{}})
			made++
		}
		some = some || made > 0
	}
	return some
}

// readsContent reports whether a candidate depends on content that an iteration reads.
func (in *Finder) readsContent(head int, l *lemma) bool {
	return slices.ContainsFunc(in.states[head].Back, func(b *invariant.State) bool {
		return len(in.terms.Reads(l.In(b))) > 0
	})
}

// dropAll drops candidates of a phase until the rest is inductive. It reports whether it finished within its limits.
func (in *Finder) dropAll(p phase) bool {
	for changed := true; changed; {
		if in.ctx.Err() != nil || in.spent > in.limit(p) {
			return false
		}
		changed = false
		before := in.candidates()
		for i, h := range in.heads {
			changed = in.drop(i, h.Entry, h.Guard, in.states[i].Entry, p) || changed
		}
		for i, h := range in.heads {
			for k, b := range h.Back {
				changed = in.drop(i, b.Event, b.Guard, in.states[i].Back[k], p) || changed
			}
		}
		changed = changed || in.candidates() > before // some have not been queried in the events before
	}
	return in.ctx.Err() == nil && in.spent <= in.limit(p)
}

// candidates returns the number of candidates, also of those that were dropped.
func (in *Finder) candidates() (n int) {
	for _, ls := range in.lemmas {
		n += len(ls)
	}
	return n
}

// limit returns the conflicts after which the search for candidates of a phase is given up.
func (in *Finder) limit(p phase) int64 {
	if p == scalars {
		return 2 * inductionBudget
	}
	return inductionBudget
}

// drop drops the candidates of a phase that may be false in a state that leads to their head. It reports whether it
// dropped any.
func (in *Finder) drop(head, event int, guard smt.Term, to *invariant.State, p phase) (some bool) {
	c := in.c
	var open []*lemma
	var any []smt.Term
	rests := in.droppedBefore(event, p)
	for _, equations := range []bool{true, false} {
		for _, l := range in.lemmas[head] {
			if l.dropped || l.phase() != p || l.holds[event] == rests+1 || in.isEquation(l) != equations {
				continue
			}
			if goal := l.In(to); !c.IsTrue(goal) {
				open, any = append(open, l), append(any, c.Not(goal))
			}
		}
	}
	if len(open) == 0 {
		return false
	}
	held := append([]smt.Term{in.factsBefore(event), guard}, in.facts(event, p)...)
	if p != scalars {
		in.instantiate()
		return in.dropElements(open, any, held, event, rests)
	}
	if event == in.heads[head].Entry {
		in.seen(head, held, to)
	}
	some = in.dropScalars(head, open, any, held, event, rests, to)
	some = in.widen(head, open, to) || some
	for _, l := range open {
		if l.dropped && l.weaker != 0 && event == in.heads[head].Entry {
			in.add(head, "<=", l.weaker)
		}
	}
	return some
}

// dropScalars queries the candidates together. It reports whether it dropped any. A short query drops most of those
// that may be false. If it does not suffice for the others, linear arithmetic shows most of them, and the rest is
// queried: few together, since a proof of many that are hard is a sum of theirs, and more if those were easy.
func (in *Finder) dropScalars(head int, open []*lemma, any, facts []smt.Term, event, rests int, to *invariant.State,
) (some bool) {
	together := hardTogether
	for short := true; len(open) > 0 && in.ctx.Err() == nil; short = false {
		budget, repeated := in.allowance()
		q := ask.Question{Facts: facts, Any: any, Budget: budget, Undecided: ask.Halve, Session: in.session(event)}
		if short {
			q.Budget, q.Undecided = min(budget, shortBudget), ask.Leave
		} else {
			q.Any = any[:min(len(any), together)]
			together *= 2
		}
		settled := make([]bool, len(open))
		for i, o := range in.asker.Each(in.ctx, q, func(_ []int, o ask.Outcome) { in.spent += o.Steps }) {
			if o.Answer == smt.StepLimit && short {
				continue
			}
			if o.Steps > budget/2 {
				together = hardTogether
			}
			if o.Answer == smt.StepLimit && repeated > 0 {
				o = in.asker.Ask(in.ctx, ask.Question{Facts: q.Facts, Any: any[i : i+1], Budget: repeated})
				in.spent += o.Steps
			}
			some = in.record(open[i], event, rests, o) || some
			settled[i] = true
			if now, _ := in.allowance(); now < budget {
				break // the others are queried with the smaller budget
			}
		}
		var openLeft []*lemma
		var anyLeft []smt.Term
		for i := range open {
			if !settled[i] {
				openLeft, anyLeft = append(openLeft, open[i]), append(anyLeft, any[i])
			}
		}
		if open, any = openLeft, anyLeft; short && len(open) > 0 {
			open, any = in.shown(head, open, any, facts, event, rests, to)
		}
	}
	return some
}

// shown returns the candidates, with their violations, that neither a difference nor linear arithmetic shows in an
// event. rests is the number of candidates that were dropped when the facts were collected: they may include some that
// were dropped since.
func (in *Finder) shown(head int, open []*lemma, any, facts []smt.Term, event, rests int, to *invariant.State,
) (left []*lemma, violated []smt.Term) {
	known := in.prover.Facts(facts...)
	for i, l := range open {
		if event != in.heads[head].Entry && in.isEquation(l) && in.keeps(l.Fact(), to) ||
			!in.noOrdering && known.Work() < maxEliminations && known.Implies(in.c.Not(any[i])) {
			l.holds[event] = rests + 1
			continue
		}
		left, violated = append(left, l), append(violated, any[i])
	}
	in.asker.Spend(int64(known.Work()) * eliminationWork)
	return left, violated
}

// dropElements queries each candidate separately, so that all facts at the top level simplify it. It reports whether
// it dropped any.
func (in *Finder) dropElements(open []*lemma, any, facts []smt.Term, event, rests int) (some bool) {
	for i, l := range open {
		if in.ctx.Err() != nil || in.spent > inductionBudget {
			return some
		}
		known := in.relevant(event, append(slices.Clone(facts), any[i]))
		o := in.asker.Ask(in.ctx, ask.Question{Facts: slices.Concat(facts, known), Any: any[i : i+1], Budget: hardBudget})
		in.spent += o.Steps
		some = in.record(l, event, rests, o) || some
	}
	return some
}

// record records whether a candidate holds in an event, and reports whether it was dropped. rests is the number of
// candidates that had been dropped before.
func (in *Finder) record(l *lemma, event, rests int, o ask.Outcome) (dropped bool) {
	if o.Answer != smt.Unsat {
		l.dropped, l.lost = true, event
		if o.Answer == smt.Sat {
			l.model = o.Model
		}
		return true
	}
	l.holds[event] = rests + 1
	return false
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
	for i, h := range in.heads {
		if h.Event >= event {
			continue
		}
		for _, t := range in.known(i, p) {
			out = append(out, in.c.Implies(h.Guard, t))
		}
	}
	return out
}

// relevant returns the instances of surviving candidates that concern the reads of the given terms, or, transitively,
// the reads of other such instances. The candidates belong to heads before the event.
func (in *Finder) relevant(event int, terms []smt.Term) []smt.Term {
	type instance struct{ fact, guard smt.Term }
	of := map[smt.Term][]instance{} // by the readings that led to them
	for i, h := range in.heads {
		if h.Event >= event {
			continue
		}
		for _, l := range in.lemmas[i] {
			if l.dropped {
				continue
			}
			for _, f := range l.instances {
				for _, r := range l.readings[f] {
					of[r] = append(of[r], instance{f, h.Guard})
				}
			}
		}
	}
	var out []smt.Term
	took, read := map[instance]bool{}, map[smt.Term]bool{}
	for terms = slices.Clone(terms); len(terms) > 0; {
		t := terms[len(terms)-1]
		terms = terms[:len(terms)-1]
		for _, r := range in.terms.Reads(t) {
			if read[r.Value] {
				continue
			}
			read[r.Value] = true
			terms = append(terms, r.Off)
			for _, x := range of[r.Value] {
				if !took[x] {
					took[x] = true
					terms = append(terms, x.fact)
					out = append(out, in.c.Implies(x.guard, x.fact))
				}
			}
		}
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

// instances returns the instances of the surviving quantified candidates of a head.
func (in *Finder) instances(i int) (out []smt.Term) {
	for _, l := range in.lemmas[i] {
		if !l.dropped {
			out = append(out, l.instances...)
		}
	}
	return out
}

// Conclude adds the invariants to the log. They were proved under the condition that all earlier obligations hold, so
// nothing is proved if one of these is violated.
func (in *Finder) Conclude() {
	in.instantiate()
	for i, h := range in.heads {
		in.log.Events[h.Event].Cond = in.c.And(append(in.known(i, again), in.instances(i)...)...)
	}
	in.rechain()
}

// retract takes the invariants out of the log.
func (in *Finder) retract() {
	for _, h := range in.heads {
		in.log.Events[h.Event].Cond = in.c.True()
	}
	in.rechain()
}

// Without drops the invariants that do not hold if some obligations need not hold, and adds the others to the log. It
// reports whether it dropped any, and whether it finished within its limits.
func (in *Finder) Without(ctx context.Context, open map[int]bool) (dropped, ok bool) {
	defer in.Close()
	in.ctx, in.open, in.spent = ctx, open, 0
	in.retract()
	before := 0
	for _, l := range slices.Concat(in.lemmas...) {
		clear(l.holds)
		if !l.dropped {
			before++
		}
	}
	if !in.dropAll(scalars) || !in.dropAll(elements) || !in.dropAll(again) {
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

// instantiate creates the instances of quantified candidates for new readings, and those of the program's quantifiers
// for the readings in these.
func (in *Finder) instantiate() {
	for in.done < len(in.prog.Memory.Reads) && in.count <= maxInstances {
		in.instantiateCandidates()
		in.prog.Instantiate()
	}
}

func (in *Finder) instantiateCandidates() {
	m := in.prog.Memory
	byFunc := map[smt.Func][]*lemma{}
	for _, ls := range in.lemmas {
		for _, l := range ls {
			if l.dropped {
				continue
			}
			var fns []smt.Func
			for _, t := range l.triggers {
				if !slices.Contains(fns, t.fn) {
					fns = append(fns, t.fn)
					byFunc[t.fn] = append(byFunc[t.fn], l)
				}
			}
		}
	}
	for ; in.done < len(m.Reads); in.done++ {
		r := m.Reads[in.done]
		for len(in.gens) <= in.done {
			in.gens = append(in.gens, 0)
		}
		gen := in.gens[in.done]
		if gen > 2 {
			continue
		}
		for _, l := range byFunc[r.Func] {
			for _, t := range l.triggers {
				if t.fn != r.Func {
					continue
				}
				for _, y := range t.solve(r.Off, r.N) {
					if in.count > maxInstances {
						return
					}
					before := len(m.Reads)
					fact := l.Instance(y)
					next := gen
					if !l.copies {
						next++
					}
					for len(in.gens) < before {
						in.gens = append(in.gens, 0)
					}
					for len(in.gens) < len(m.Reads) {
						in.gens = append(in.gens, next)
					}
					if in.c.IsTrue(fact) {
						continue
					}
					l.readings[fact] = append(l.readings[fact], r.Value)
					if l.has[fact] {
						continue
					}
					l.has[fact] = true
					l.instances = append(l.instances, fact)
					in.count++
				}
			}
		}
	}
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
		in.lemmas[head] = append(in.lemmas[head], &lemma{Condition: x, text: text, holds: map[int]int{}, members: members})
	}
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
