package ask

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/quantify"
)

// A model of a question satisfies the instances of quantifiers that were made, and may violate others: then the
// quantifiers are instantiated at the values for which it does, and the question is asked again (model-based
// instantiation: Ge and de Moura, 2009). Values up to a limit are looked at, so a model that is left may still be none;
// what it violates, the interpreter has to confirm anyway.

// Limits of that.
const (
	maxRefinements = 8 // of a question
	fewRefinements = 4 // after which the first values of a quantifier's variable are instances, violated or not
	// manyRefinements is the same in a program with scans, whose instances are short, and with quantifiers within others,
	// of which each model repairs few.
	manyRefinements = 24
	// lateRefinements is the number of refinements after which a scan that a model violates gets instances at its first
	// positionsOfScan positions: in a set of 45 characters, each model violates it at another one.
	lateRefinements = manyRefinements / 2
	positionsOfScan = perQuantifier
	maxRefining     = 2_000   // axioms of one
	perQuantifier   = 256     // instances of one in one refinement
	perNesting      = 16      // of one with others within others, each of which is a copy
	maxWithin       = 1 << 16 // values that are looked at of a variable with bounds
	maxNested       = 256     // values of a variable whose quantifier has others within
	maxGuessed      = 3       // quantifiers within, of which it is tried whether they matter
	maxEvaluated    = 1 << 18 // bodies that are evaluated for one
)

// lookedAt is how many values of each variable are looked at, from 0, by the number of variables.
var lookedAt = [...]int{0, 1024, 256, 32}

// firstOfMany bounds the values of all variables but the last one of several, which are the outer ones.
const firstOfMany = 8

func (x *Asker) maxRefinements() int {
	if x.prog != nil && slices.ContainsFunc(x.prog.Quantifiers, func(q *quantify.Quantifier) bool {
		return q.To != 0 || len(q.Inner) > 0
	}) {
		return manyRefinements
	}
	return maxRefinements
}

// refine adds instances that a model violates. It reports how many, and whether so much was to be looked at that the
// model may violate others. After some rounds a quantifier that is violated gets all instances at small values: each
// model repairs some elements, and breaks others.
func (x *Asker) refine(m *smt.Model, round int) (added int, cut bool) {
	if x.prog == nil || len(x.prog.Quantifiers) == 0 || m == nil {
		return 0, false
	}
	ev := x.c.NewEvaluator(m)
	look := &look{c: x.c, left: maxEvaluated}
	for _, q := range x.prog.Quantifiers {
		if !ev.EvalBool(q.Sym) || added >= maxRefining {
			continue
		}
		deep := slices.ContainsFunc(q.Inner, func(in *quantify.Quantifier) bool { return len(in.Inner) > 0 })
		most := perQuantifier
		if deep {
			most = perNesting
		}
		violated := look.violating(q, m, most)
		before := len(violated)
		small := uint64(0)
		switch {
		case len(violated) == 0 || len(q.Vars) != 1 || deep:
		case q.To == 0 && round >= fewRefinements:
			small = perQuantifier
		case q.To != 0 && round >= lateRefinements:
			small = positionsOfScan
		}
		for k := range small {
			violated = append(violated, []uint64{k})
		}
		for n, values := range violated {
			terms := make([]smt.Term, len(values))
			for i, v := range values {
				terms[i] = x.c.Int(64, v)
			}
			t, made := q.Instance(x.c, terms)
			if x.c.IsTrue(t) {
				cut = cut || n < before // there is that instance, and it did not suffice
				continue
			}
			x.prog.Quantifiers = append(x.prog.Quantifiers, made...)
			x.layout([]smt.Term{t})
			x.axiom(t)
			added++
		}
	}
	if added > 0 {
		x.prog.Memory.Stats["quantifier-refinements"]++
	}
	return added, cut || look.left == 0
}

// look is a search for values that violate quantifiers. What is evaluated grows with each quantifier within another
// one, so that has a limit.
type look struct {
	c      *smt.Context
	left   int  // bodies of quantifiers with others within, and of these, that may be evaluated
	within bool // another quantifier
}

// violating lists values for which a quantifier's body is false in a model, so many at most.
func (l *look) violating(q *quantify.Quantifier, m *smt.Model, most int) (out [][]uint64) {
	if len(q.Vars) >= len(lookedAt) {
		return nil
	}
	if q.To != 0 {
		return l.violatingWithin(q, m, most)
	}
	each := lookedAt[len(q.Vars)]
	if len(q.Inner) > 0 {
		each = min(each, maxNested)
	}
	at := m.Clone()
	ev := l.c.NewEvaluator(at)
	values := make([]uint64, len(q.Vars))
	var next func(i int)
	next = func(i int) {
		if len(out) >= most || l.ends(q) {
			return
		}
		if i == len(values) {
			if !l.holds(q, ev) {
				out = append(out, append([]uint64(nil), values...))
			}
			return
		}
		n := each
		if i < len(values)-1 {
			n = firstOfMany
		}
		for v := range n {
			values[i] = uint64(v)
			at.SetVar(q.Vars[i], smt.UintValue(64, uint64(v)))
			next(i + 1)
		}
	}
	next(0)
	return out
}

// ends tells whether the limit is reached, for a quantifier that it is for.
func (l *look) ends(q *quantify.Quantifier) bool {
	return l.left == 0 && (l.within || len(q.Inner) > 0)
}

// holds tells whether a quantifier's body is true in a model, or nobody may look any more.
func (l *look) holds(q *quantify.Quantifier, ev *smt.Evaluator) bool {
	body := func() bool {
		ev.Forget()
		return ev.EvalBool(q.Body)
	}
	if l.ends(q) {
		return true
	}
	if l.within || len(q.Inner) > 0 {
		l.left--
	}
	if len(q.Inner) == 0 {
		return body()
	}
	// Mostly it is false that a value is one that counts, and those within need not be looked at.
	if len(q.Inner) <= maxGuessed {
		whatever := true
		for guess := range 1 << len(q.Inner) {
			for i, in := range q.Inner {
				ev.Model().SetVar(in.Sym, smt.BoolValue(guess>>i&1 != 0))
			}
			if whatever = body(); !whatever {
				break
			}
		}
		if whatever {
			return true
		}
	}
	around := l.within
	l.within = true
	for _, in := range q.Inner {
		ev.Model().SetVar(in.Sym, smt.BoolValue(len(l.violating(in, ev.Model(), 1)) == 0))
	}
	l.within = around
	return l.left == 0 || body()
}

// within are the values that are looked at of the variable of a quantifier with bounds.
func within(q *quantify.Quantifier, ev *smt.Evaluator) (from, to uint64) {
	from, to = ev.EvalUint(q.From), ev.EvalUint(q.To)
	return from, min(to, from+maxWithin)
}

// violatingWithin is violating for a quantifier with bounds.
func (l *look) violatingWithin(q *quantify.Quantifier, m *smt.Model, most int) (out [][]uint64) {
	from, to := within(q, l.c.NewEvaluator(m))
	at := m.Clone()
	ev := l.c.NewEvaluator(at)
	for k := from; k < to && len(out) < most; k++ {
		at.SetVar(q.Vars[0], smt.UintValue(64, k))
		if ev.Forget(); !ev.EvalBool(q.Body) {
			out = append(out, []uint64{k})
		}
	}
	return out
}

// filler is eight times a byte that programs seldom look for.
const filler = 'q' * 0x0101010101010101

// fill gives arbitrary content that a model says nothing of, and that lies where a scan passed, bytes that most scans
// pass. Without that, each of these would be an instance.
func (x *Asker) fill(m *smt.Model) {
	if x.prog == nil {
		return
	}
	ev := x.c.NewEvaluator(m)
	for _, q := range x.prog.Quantifiers {
		if q.To == 0 {
			continue
		}
		from, to := within(q, ev)
		for content, words := range q.Words(x.c, ev, from, to) {
			for w := words[0]; w <= words[1]; w++ {
				at := smt.UintValue(61, w)
				if _, known := m.Func(content, at); !known {
					m.SetFunc(content, at, smt.UintValue(64, filler))
				}
			}
		}
	}
}
