// Package induction finds out what holds at the heads of loops, whatever the number of iterations.
//
// What unrolling leaves open, since a loop was cut off after some iterations, may hold for every number of them. Then
// the loop is executed once, from a state that is arbitrary in what it can change (unfold/induction.go), and what is
// known of that state is found out: many conditions are taken to be meant (candidates.go, quantified.go), and those
// that a query refutes are dropped until the others hold on entry and are kept by an iteration, all together (Flanagan
// and Leino, "Houdini, an Annotation Assistant for ESC/Java", 2001). What is left is assumed at the heads, and the log
// is settled as any other.
//
// Conditions on all elements of an array speak of one element that is arbitrary, and are instantiated where something
// is read (Jana, Khedker, Datar, Venkatesh and Niyas, "Scaling Bounded Model Checking by Transforming Programs with
// Arrays", 2016, have the same witness, in the source).
//
// This proves and does nothing else: a state that is arbitrary need be one of no execution.
//
// It does not know what its invariants are good for: who asks for them settles the obligations.
package induction

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/invariant"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// Limits of induction, so that it costs little where it does not help.
const (
	maxCandidates   = 700    // of one loop
	maxInstances    = 4_000  // of all conditions on elements
	houdiniBudget   = 2_000  // conflicts of a question
	hardBudget      = 8_000  // of one about elements, or about one that was too hard among others
	inductionBudget = 80_000 // of all
)

// Program is what invariants are looked for in: one that was unfolded with its loops cut at their heads.
type Program struct {
	Module   *clangir.Module
	Entry    string
	C        *smt.Context
	Unfolded *unfold.Program
	Heads    []*unfold.Head
	// User tells whether a source file belongs to the user.
	User func(file string) bool
}

// Finder looks for invariants of a program.
type Finder struct {
	asker *ask.Asker
	ctx   context.Context // of the call that is under way
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
	samples   []samples
	// iterations is, by head, how often an execution arrived there at most; MaxInt if one was stopped.
	iterations []int
	terms      *invariant.Terms
	gens       []int       // of readings: how many instances led there
	done       int         // readings that were instantiated
	count      int         // instances
	asking     ask.Session // about candidates without elements
	spent      int64
}

// New returns a Finder for a program, and the asker that knows it.
func New(p Program, asker *ask.Asker) *Finder {
	return &Finder{asker: asker, m: p.Module, entry: p.Entry, c: p.C, prog: p.Unfolded, log: p.Unfolded.Log, user: p.User,
		heads: p.Heads, terms: invariant.NewTerms(p.C, p.Unfolded.Memory), asking: ask.Session{Whole: true}}
}

// Close frees the solver.
func (in *Finder) Close() { in.asking.Close() }

// lemma is a candidate: a condition on the state at a loop's head.
type lemma struct {
	*invariant.Condition
	text string
	// triggers tell of a read of which element it is.
	triggers  []trigger
	copies    bool // it says that something is as it was: reads that it leads to are of older content
	instances []smt.Term
	has       map[smt.Term]bool
	readings  map[smt.Term][]smt.Term // the values of readings that led to an instance
	dropped   bool
	// holds are the events in which it was shown to hold: droppedBefore then, plus 1.
	holds map[int]int
	// over is the symbol of the place whose values the condition is about, 0 where it is about an object's bytes or its
	// elements of so many bytes (unit).
	over smt.Term
	unit int64
}

// trigger finds the element that is read of arbitrary content.
type trigger struct {
	fn    smt.Func
	solve func(off smt.Term, n int64) []smt.Term
}

// Find drops candidates until those that are left are inductive together: first those without elements, for which what
// is known of elements is left out, since arbitrary content is what makes questions hard. Where those about elements
// take more than there is, the others are inductive without them. False: nothing was found.
func (in *Finder) Find(ctx context.Context) bool {
	in.ctx = ctx
	in.prepare()
	for i := range in.heads {
		in.scalars(i)
		in.quantified(i)
	}
	if !in.dropAll(false) {
		return false
	}
	if !in.dropAll(true) {
		for _, l := range slices.Concat(in.lemmas...) {
			l.dropped = l.dropped || l.Quantified()
		}
	}
	return in.ctx.Err() == nil
}

// dropAll drops candidates, those about elements or the others, until the rest is inductive; false: that took too long.
func (in *Finder) dropAll(elements bool) bool {
	for changed := true; changed; {
		if in.ctx.Err() != nil || in.spent > inductionBudget {
			return false
		}
		changed = false
		for i, h := range in.heads {
			changed = in.drop(i, h.Entry, h.Guard, in.states[i].Entry, elements) || changed
		}
		for i, h := range in.heads {
			for k, b := range h.Back {
				changed = in.drop(i, b.Event, b.Guard, in.states[i].Back[k], elements) || changed
			}
		}
	}
	return in.ctx.Err() == nil && in.spent <= inductionBudget
}

// drop asks which candidates of a head, those about elements or the others, do not hold in a state that leads there.
func (in *Finder) drop(head, event int, guard smt.Term, to *invariant.State, elements bool) (some bool) {
	c := in.c
	var open []*lemma
	var any []smt.Term
	rests := in.droppedBefore(event)
	for _, l := range in.lemmas[head] {
		if l.dropped || elements != l.Quantified() || l.holds[event] == rests+1 {
			continue
		}
		if goal := l.In(to); !c.IsTrue(goal) {
			open, any = append(open, l), append(any, c.Not(goal))
		}
	}
	if len(open) == 0 {
		return false
	}
	held := []smt.Term{in.held(event), guard}
	if elements {
		in.instantiate()
		return in.dropElements(open, any, append(held, in.facts(event)...), event)
	}
	q := ask.Question{Facts: append(held, in.facts(event)...), Any: any, Budget: houdiniBudget, Undecided: ask.Halve,
		Session: &in.asking}
	for i, o := range in.asker.Each(in.ctx, q, func(_ []int, o ask.Outcome) { in.spent += o.Steps }) {
		if o.Answer == smt.StepLimit && in.spent <= inductionBudget {
			o = in.asker.Ask(in.ctx, ask.Question{Facts: q.Facts, Any: any[i : i+1], Budget: hardBudget})
			in.spent += o.Steps
		}
		some = in.answer(open[i], event, rests, o) || some
	}
	return some
}

// dropElements asks of each candidate by itself, so that all that holds at the top level simplifies it.
func (in *Finder) dropElements(open []*lemma, any, facts []smt.Term, event int) (some bool) {
	rests := in.droppedBefore(event)
	for i, l := range open {
		if in.ctx.Err() != nil || in.spent > inductionBudget {
			return some
		}
		known := in.relevant(event, append(slices.Clone(facts), any[i]))
		o := in.asker.Ask(in.ctx, ask.Question{Facts: slices.Concat(facts, known), Any: any[i : i+1], Budget: hardBudget})
		in.spent += o.Steps
		some = in.answer(l, event, rests, o) || some
	}
	return some
}

// answer takes in whether a candidate holds in an event, given what was left of those before it.
func (in *Finder) answer(l *lemma, event, rests int, o ask.Outcome) (dropped bool) {
	if o.Answer != smt.Unsat {
		l.dropped = true
		return true
	}
	l.holds[event] = rests + 1
	return false
}

// droppedBefore counts the candidates of the heads before an event that were dropped. While it stays the same, what was
// shown of the event holds.
func (in *Finder) droppedBefore(event int) (n int) {
	for i, h := range in.heads {
		for _, l := range in.lemmas[i] {
			if h.Event < event && l.dropped {
				n++
			}
		}
	}
	return n
}

// held is what is assumed and held before an event, without what is found about heads.
func (in *Finder) held(event int) smt.Term {
	return seair.ChainOf(in.log, func(int) bool { return false }).Held[event]
}

// facts are what the candidates without elements say that are left, of the heads before an event.
func (in *Finder) facts(event int) []smt.Term {
	var out []smt.Term
	for i, h := range in.heads {
		if h.Event >= event {
			continue
		}
		for _, t := range in.known(i) {
			out = append(out, in.c.Implies(h.Guard, t))
		}
	}
	return out
}

// relevant are the instances of candidates that are left, of the heads before an event, that speak of what the given
// terms read, or of what other such instances read.
func (in *Finder) relevant(event int, terms []smt.Term) []smt.Term {
	type instance struct{ fact, guard smt.Term }
	of := map[smt.Term][]instance{} // by readings that led to them
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

// known is what the candidates of a head without elements say that are left.
func (in *Finder) known(i int) (out []smt.Term) {
	for _, l := range in.lemmas[i] {
		if !l.dropped && !l.Quantified() {
			out = append(out, l.Fact())
		}
	}
	return out
}

// instances are what the candidates of a head about elements say that are left, of the elements that are read.
func (in *Finder) instances(i int) (out []smt.Term) {
	for _, l := range in.lemmas[i] {
		if !l.dropped {
			out = append(out, l.instances...)
		}
	}
	return out
}

// Conclude writes down in the log what was found. That it holds was asked under the condition that the obligations
// before do; so nothing is proved where one of them is not.
func (in *Finder) Conclude() {
	in.instantiate()
	for i, h := range in.heads {
		in.log.Events[h.Event].Cond = in.c.And(append(in.known(i), in.instances(i)...)...)
	}
}

// instantiate says what the conditions on elements say of those that are read.
func (in *Finder) instantiate() {
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

// add makes a candidate of a condition without a quantifier, if it is one on the state at the head.
func (in *Finder) add(head int, text string, fact smt.Term) {
	if len(in.lemmas[head]) >= maxCandidates || slices.ContainsFunc(in.lemmas[head], func(l *lemma) bool {
		return !l.Quantified() && l.Fact() == fact
	}) {
		return
	}
	if x, ok := in.states[head].Condition(fact); ok {
		in.lemmas[head] = append(in.lemmas[head], &lemma{Condition: x, text: text, holds: map[int]int{}})
	}
}

// addAll makes a candidate of a condition on all elements, if it is one on the state at the head: of(y) is asked of a
// witness. The candidate has the properties of l.
func (in *Finder) addAll(head int, witness smt.Term, of func(y smt.Term) smt.Term, l lemma) bool {
	if len(in.lemmas[head]) >= maxCandidates {
		return false
	}
	x, ok := in.states[head].ForAll(witness, of)
	if !ok {
		return false
	}
	l.Condition, l.has, l.holds, l.readings = x, map[smt.Term]bool{}, map[int]int{}, map[smt.Term][]smt.Term{}
	in.lemmas[head] = append(in.lemmas[head], &l)
	return true
}

// literals are the conditions that hold on a way back and are not known at the head, those that are assumed among them.
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
