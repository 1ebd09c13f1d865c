package ask

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/quantify"
)

// A model of a query satisfies the existing instances of quantifiers, and may violate further ones. Then the
// quantifiers are instantiated at the violating values, and the query is repeated (model-based instantiation: Ge and
// de Moura, 2009). Only values up to a limit are tried, so the final model may still violate a quantifier; the
// interpreter has to confirm such a violation anyway.

// Limits of refinement.
const (
	maxRefinements = 8 // per query
	fewRefinements = 4 // rounds after which the smallest values of a variable are instantiated, violated or not
	// manyRefinements replaces maxRefinements in a program with scans, whose instances are short, or with nested
	// quantifiers, because each model repairs few of them.
	manyRefinements = 24
	// lateRefinements is the number of rounds after which a violated scan is instantiated at its first positionsOfScan
	// positions: in a set of 45 characters, each model violates it at another position.
	lateRefinements = manyRefinements / 2
	positionsOfScan = perQuantifier
	maxRefining     = 2_000   // axioms per round
	perQuantifier   = 256     // instances per quantifier and round
	perNesting      = 16      // the same for a quantifier nested twice or more, whose instances copy the inner quantifiers
	maxWithin       = 1 << 16 // tried values of a bounded variable
	maxNested       = 256     // tried values of a variable with inner quantifiers
	maxGuessed      = 3       // inner quantifiers whose values are guessed before they are evaluated
	maxEvaluated    = 1 << 18 // evaluated bodies per round
)

// lookedAt is the number of values, from 0, that are tried for each variable, by the number of variables.
var lookedAt = [...]int{0, 1024, 256, 32}

// firstOfMany bounds the values of all variables but the last, that is, of the outer ones.
const firstOfMany = 8

func (x *Asker) maxRefinements() int {
	if x.prog != nil && slices.ContainsFunc(x.prog.Quantifiers, func(q *quantify.Quantifier) bool {
		return q.To != 0 || len(q.Inner) > 0
	}) {
		return manyRefinements
	}
	return maxRefinements
}

// refine adds instances that a model violates, and returns their number. cut is set if a limit was reached, so that
// the model may violate further ones. After some rounds a violated quantifier gets all instances at small values,
// because each model repairs some elements and breaks others.
func (x *Asker) refine(m *smt.Model, round int) (added int, cut bool) {
	if x.prog == nil || len(x.prog.Quantifiers) == 0 || m == nil {
		return 0, false
	}
	ev := x.c.NewEvaluator(m)
	look := &look{c: x.c, remaining: maxEvaluated}
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
				terms[i] = x.c.Int(x.c.Width(q.Vars[i]), v)
			}
			t, made := q.Instance(x.c, terms)
			if x.c.IsTrue(t) {
				cut = cut || n < before // the instance exists, and did not suffice
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
	return added, cut || look.remaining == 0
}

// look is a search for values that violate quantifiers. Its cost grows with each level of nesting, so it is limited.
type look struct {
	c         *smt.Context
	remaining int  // remaining evaluations of bodies of nested quantifiers
	within    bool // the search is in an inner quantifier
}

// violating returns up to most values for which a quantifier's body is false in a model.
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
			at.SetVar(q.Vars[i], smt.UintValue(l.c.Width(q.Vars[i]), uint64(v)))
			next(i + 1)
		}
	}
	next(0)
	return out
}

// ends reports whether the limit is reached, for a quantifier to which it applies.
func (l *look) ends(q *quantify.Quantifier) bool {
	return l.remaining == 0 && (l.within || len(q.Inner) > 0)
}

// holds reports whether a quantifier's body is true in a model; true if the limit is reached.
func (l *look) holds(q *quantify.Quantifier, ev *smt.Evaluator) bool {
	body := func() bool {
		ev.Forget()
		return ev.EvalBool(q.Body)
	}
	if l.ends(q) {
		return true
	}
	if l.within || len(q.Inner) > 0 {
		l.remaining--
	}
	if len(q.Inner) == 0 {
		return body()
	}
	// Usually the premise on the value is false, and the inner quantifiers do not matter.
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
	return l.remaining == 0 || body()
}

// within returns the range of values that are tried for the variable of a bounded quantifier.
func within(q *quantify.Quantifier, ev *smt.Evaluator) (from, to uint64) {
	from, to = ev.EvalUint(q.From), ev.EvalUint(q.To)
	return from, min(to, from+maxWithin)
}

// violatingWithin is violating for a bounded quantifier.
func (l *look) violatingWithin(q *quantify.Quantifier, m *smt.Model, most int) (out [][]uint64) {
	from, to := within(q, l.c.NewEvaluator(m))
	at := m.Clone()
	ev := l.c.NewEvaluator(at)
	for k := from; k < to && len(out) < most; k++ {
		at.SetVar(q.Vars[0], smt.UintValue(l.c.Width(q.Vars[0]), k))
		if ev.Forget(); !ev.EvalBool(q.Body) {
			out = append(out, []uint64{k})
		}
	}
	return out
}

// filler is a word of eight bytes that programs seldom search for.
const filler = 'q' * 0x0101010101010101

// fill sets arbitrary content that a model leaves open, in the range that a scan passed, to bytes that most scans
// pass. Otherwise each of these bytes would need an instance.
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
