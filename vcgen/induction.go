package vcgen

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

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

// Limits of induction, so that it costs little where it does not help.
const (
	inductionPasses = 24
	maxCandidates   = 700    // of one loop
	maxInstances    = 4_000  // of all conditions on elements
	houdiniBudget   = 2_000  // conflicts of a question
	hardBudget      = 8_000  // of one about elements, or about one that was too hard among others
	inductionBudget = 80_000 // of all
)

// inductor looks for invariants of a program whose loops were cut at their heads.
type inductor struct {
	*engine
	heads  []*unfold.Head
	lemmas [][]*lemma // by head
	images []images   // by head
	reads  map[smt.Term]mem.Reading
	known  int     // readings that are in reads
	gens   []int   // of readings: how many instances led there
	done   int     // readings that were instantiated
	count  int     // instances
	asking session // about candidates without elements
	spent  int64
}

// lemma is a candidate: a condition on the state at a loop's head.
type lemma struct {
	head int
	text string
	fact smt.Term // of one without a quantifier
	// at is the condition for one element, and witness an arbitrary one.
	at      func(y smt.Term) smt.Term
	witness smt.Term
	// others are symbols that were made behind the head, such as an input that an iteration reads, with arbitrary values
	// in their place: the condition is one for all values of these, too, since the next iteration makes others.
	others map[smt.Term]smt.Term
	// triggers tell of a read of which element it is.
	triggers  []trigger
	copies    bool // it says that something is as it was: reads that it leads to are of older content
	instances []smt.Term
	has       map[smt.Term]bool
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

// images are the states that a condition on a head's state is asked of: on entry, and on each way back.
type images struct {
	entry image
	back  []image
}

// image takes conditions to another state.
type image struct {
	vars     map[smt.Term]smt.Term
	contents map[smt.Func]*mem.Version
	memo     map[smt.Term]smt.Term
}

// inducted is a program cut at its loops, with what was found to hold there written down in its log.
type inducted struct {
	*engine
	finder *inductor
	told   []found.Loop
}

// report tells what holds, where other runs have shown that some findings are violated: what comes first is that the
// obligations of those hold, as where they are violated in the same run.
func (x *inducted) report(violated map[findingKey]bool) (*Report, error) {
	defer x.standing.close() // the next question opens it again
	x.extent.violated = violated
	return x.settle()
}

// induct finds invariants of a program that is cut at its loops; nil: nothing came of it.
func induct(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver NewSolver, loops []string,
	x extent) *inducted {
	x.induction = unfold.NewInduction(loops)
	opts.Found, opts.Coverage = nil, false
	memo := opts.Memo
	var e *engine
	for pass := 0; ; pass++ {
		if memo != nil {
			opts.Memo = memo.beside()
		}
		var err error
		if e, err = generate(ctx, m, entry, opts, newSolver, x); err != nil {
			return nil
		}
		if !x.induction.Changed {
			break
		}
		e.standing.close()
		if pass == inductionPasses || ctx.Err() != nil || x.induction.Refused != "" {
			return nil
		}
	}
	if x.induction.Refused != "" || len(x.induction.Heads) == 0 {
		e.standing.close()
		return nil
	}
	in := &inductor{engine: e, heads: x.induction.Heads, reads: map[smt.Term]mem.Reading{}, asking: session{whole: true}}
	in.find()
	in.asking.close()
	if ctx.Err() != nil || in.spent > inductionBudget {
		e.standing.close()
		return nil
	}
	in.conclude()
	e.prog.CutByContract = true
	return &inducted{engine: e, finder: in}
}

// find drops candidates until those that are left are inductive together: first those without elements, for which what
// is known of elements is left out, since arbitrary content is what makes questions hard.
func (in *inductor) find() {
	for i, h := range in.heads {
		in.images = append(in.images, in.imagesOf(h))
		in.lemmas = append(in.lemmas, nil)
		in.learnReads()
		in.scalars(i)
		in.quantified(i)
	}
	for _, elements := range []bool{false, true} {
		for changed := true; changed && in.ctx.Err() == nil && in.spent <= inductionBudget; {
			changed = false
			for i, h := range in.heads {
				changed = in.drop(i, h.Entry, h.Guard, in.images[i].entry, elements) || changed
			}
			for i, h := range in.heads {
				for k, b := range h.Back {
					changed = in.drop(i, b.Event, b.Guard, in.images[i].back[k], elements) || changed
				}
			}
		}
	}
}

// drop asks which candidates of a head, those about elements or the others, do not hold in a state that leads there.
func (in *inductor) drop(head, event int, guard smt.Term, to image, elements bool) (some bool) {
	c := in.c
	var open []*lemma
	var any []smt.Term
	rests := in.droppedBefore(event)
	for _, l := range in.lemmas[head] {
		if l.dropped || elements != (l.at != nil) || l.holds[event] == rests+1 {
			continue
		}
		if goal := in.goal(l, to); !c.IsTrue(goal) {
			open, any = append(open, l), append(any, c.Not(goal))
		}
	}
	if len(open) == 0 {
		return false
	}
	held := []smt.Term{in.held(event), guard}
	if elements {
		in.instantiate()
		return in.dropElements(open, any, append(held, in.facts(event, true)...), event)
	}
	q := question{facts: append(held, in.facts(event, false)...), any: any, budget: houdiniBudget, undecided: halve,
		session: &in.asking}
	for i, o := range in.each(q, func(_ []int, o outcome) { in.spent += o.Steps }) {
		if o.Answer == smt.StepLimit && in.spent <= inductionBudget {
			o = in.ask(question{facts: q.facts, any: any[i : i+1], budget: hardBudget})
			in.spent += o.Steps
		}
		some = in.answer(open[i], event, rests, o) || some
	}
	return some
}

// dropElements asks of each candidate by itself, so that all that holds at the top level simplifies it.
func (in *inductor) dropElements(open []*lemma, any, facts []smt.Term, event int) (some bool) {
	rests := in.droppedBefore(event)
	for i, l := range open {
		if in.ctx.Err() != nil || in.spent > inductionBudget {
			return some
		}
		o := in.ask(question{facts: facts, any: any[i : i+1], budget: hardBudget})
		in.spent += o.Steps
		some = in.answer(l, event, rests, o) || some
	}
	return some
}

// answer takes in whether a candidate holds in an event, given what was left of those before it.
func (in *inductor) answer(l *lemma, event, rests int, o outcome) (dropped bool) {
	if o.Answer != smt.Unsat {
		l.dropped = true
		return true
	}
	l.holds[event] = rests + 1
	return false
}

// droppedBefore counts the candidates of the heads before an event that were dropped. While it stays the same, what was
// shown of the event holds.
func (in *inductor) droppedBefore(event int) (n int) {
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
func (in *inductor) held(event int) smt.Term {
	return chainOf(in.log, func(int) bool { return false }).held[event]
}

// goal is a candidate in another state, of a witness where it is about all elements.
func (in *inductor) goal(l *lemma, to image) smt.Term {
	t := l.fact
	if l.at != nil {
		t = in.arbitrary(l, l.at(l.witness))
	}
	return in.translate(t, to)
}

// arbitrary is a condition for one element, with arbitrary values of what was made behind the head.
func (in *inductor) arbitrary(l *lemma, t smt.Term) smt.Term {
	if len(l.others) == 0 {
		return t
	}
	return in.replace(t, l.others, map[smt.Term]smt.Term{})
}

// facts are what the candidates say that are left, of the heads before an event.
func (in *inductor) facts(event int, elements bool) []smt.Term {
	var out []smt.Term
	for i, h := range in.heads {
		if h.Event >= event {
			continue
		}
		for _, t := range in.knownAt(i, elements) {
			out = append(out, in.c.Implies(h.Guard, t))
		}
	}
	return out
}

// knownAt is what the candidates of a head say that are left.
func (in *inductor) knownAt(i int, elements bool) []smt.Term {
	var out []smt.Term
	for _, l := range in.lemmas[i] {
		switch {
		case l.dropped:
		case l.at != nil:
			if elements {
				out = append(out, l.instances...)
			}
		default:
			out = append(out, l.fact)
		}
	}
	return out
}

// conclude writes down in the log what was found. That it holds was asked under the condition that the obligations
// before do; so nothing is proved where one of them is not.
func (in *inductor) conclude() {
	in.instantiate()
	for i, h := range in.heads {
		in.log.Events[h.Event].Cond = in.c.And(in.knownAt(i, true)...)
	}
}

// instantiate says what the conditions on elements say of those that are read.
func (in *inductor) instantiate() {
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
					fact := l.at(y)
					fact = in.c.And(fact, in.arbitrary(l, fact))
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
					if in.c.IsTrue(fact) || l.has[fact] {
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

// learnReads takes in what was read since.
func (in *inductor) learnReads() {
	for rs := in.prog.Memory.Reads; in.known < len(rs); in.known++ {
		in.reads[rs[in.known].Value] = rs[in.known]
	}
}

func (in *inductor) imagesOf(h *unfold.Head) images {
	entry := image{vars: map[smt.Term]smt.Term{h.First: in.c.True()}, contents: map[smt.Func]*mem.Version{},
		memo: map[smt.Term]smt.Term{}}
	for _, p := range h.Places {
		if p.Sym != 0 {
			entry.vars[p.Sym] = p.Old
		}
	}
	for _, d := range h.Contents {
		entry.contents[d.Func] = d.Old
	}
	out := images{entry: entry}
	for _, b := range h.Back {
		im := image{vars: map[smt.Term]smt.Term{h.First: in.c.False()}, contents: map[smt.Func]*mem.Version{},
			memo: map[smt.Term]smt.Term{}}
		for i, p := range h.Places {
			if p.Sym != 0 {
				im.vars[p.Sym] = b.Values[i]
			}
		}
		for _, d := range h.Contents {
			im.contents[d.Func] = b.State.Content(d.Obj)
		}
		out.back = append(out.back, im)
	}
	return out
}

// translate takes a term over a head's state to another state.
func (in *inductor) translate(t smt.Term, to image) smt.Term {
	m, c := in.prog.Memory, in.c
	in.learnReads()
	return c.Rewrite(t, to.memo, func(x smt.Term) (smt.Term, bool) {
		if v, ok := to.vars[x]; ok {
			return v, true
		}
		if r, ok := in.reads[x]; ok {
			if v := to.contents[r.Func]; v != nil {
				return m.Read(v, in.translate(r.Off, to), r.N), true
			}
		}
		if c.Op(x) == smt.OpApply {
			if v := to.contents[c.FuncOf(x)]; v != nil {
				return m.Read(v, c.Concat(in.translate(c.Arg(x, 0), to), c.Int(3, 0)), 8), true
			}
		}
		return 0, false
	})
}

// replace puts other values for symbols, in offsets of what is read, too.
func (in *inductor) replace(t smt.Term, vars, memo map[smt.Term]smt.Term) smt.Term {
	m, c := in.prog.Memory, in.c
	in.learnReads()
	return c.Rewrite(t, memo, func(x smt.Term) (smt.Term, bool) {
		if v, ok := vars[x]; ok {
			return v, true
		}
		if r, ok := in.reads[x]; ok {
			if off := in.replace(r.Off, vars, memo); off != r.Off {
				return m.ReadArbitrary(r.Func, off, r.N), true
			}
		}
		return 0, false
	})
}

// add makes a candidate of a condition without a quantifier.
func (in *inductor) add(head int, text string, fact smt.Term) {
	if in.c.IsConst(fact) || len(in.lemmas[head]) >= maxCandidates {
		return
	}
	for _, l := range in.lemmas[head] {
		if l.fact == fact {
			return
		}
	}
	in.lemmas[head] = append(in.lemmas[head], &lemma{head: head, text: text, fact: fact, holds: map[int]int{}})
}

// addAll makes a candidate of a condition on all elements, and for all values of what was made behind the head.
func (in *inductor) addAll(l *lemma) {
	l.has, l.holds, l.others = map[smt.Term]bool{}, map[int]int{}, map[smt.Term]smt.Term{}
	c, h := in.c, in.heads[l.head]
	own, t := in.symbols(h), l.at(l.witness)
	if len(in.lemmas[l.head]) >= maxCandidates || in.readsLater(t, h) {
		return
	}
	for _, s := range c.Symbols(t) {
		if s > h.First && !own[s] && !slices.Contains(c.Symbols(l.witness), s) {
			l.others[s] = c.Var("another", c.Sort(s))
		}
	}
	in.lemmas[l.head] = append(in.lemmas[l.head], l)
}

// literals are the conditions that hold on a way back and are not known at the head, those that are assumed among them.
func (in *inductor) literals(h *unfold.Head, b *unfold.Back) []smt.Term {
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

// invariant tells whether an instance is one of the conditions that were found.
func invariant(i Instance) bool { return i.Kind == found.LoopInvariant }
