package smt

import (
	"math"
	"math/bits"
)

// Question is a conjunction of facts; the last one may be a query.
//
// Simplifying it before it goes to a solver has more effect than the choice of the solver: facts at the top level fix
// and bound variables, and thereby make products narrow and comparisons constant.
type Question struct {
	c *Context
	// Facts are the conjuncts.
	Facts []Term
	// solved lists the eliminated variables, each with a term over the others, for each round of simplification. A
	// model is completed from the last round to the first. The terms of a round contain none of its variables.
	solved [][]solution
	// words: values of functions at constant arguments, and parts of them, count as variables.
	words bool
}

// NewQuestion returns the conjunction of facts.
func NewQuestion(c *Context, facts []Term) *Question { return &Question{c: c, Facts: facts} }

type solution struct {
	v, as Term
}

// maxRounds bounds the number of rounds.
const maxRounds = 12

// Simplify rewrites the facts by each other until nothing changes:
//
//   - a fact is true, and its negation false, in all other facts;
//   - a term that a fact equates with a constant is that constant in all other facts;
//   - a variable that a fact equates with a term without it is replaced by that term;
//   - a variable that facts bound is replaced by a narrower one;
//   - an extension of a sum that a fact keeps from wrapping is a sum of extensions (carry.go);
//   - two facts that differ in the sign of one disjunct are replaced by their common disjuncts (resolve.go);
//   - a comparison of floats is its value if the ranges that facts give them decide it (floatrange.go).
//
// The first two keep the facts that they use; the others record how to complete a model.
func (q *Question) Simplify() {
	for range maxRounds {
		if !q.flatten() {
			return
		}
		resolved := q.resolve()
		if resolved && !q.flatten() {
			return
		}
		if !q.round() && !resolved {
			return
		}
	}
	q.flatten()
}

// flatten splits Facts into different conjuncts. It reports whether they are free of syntactic contradictions.
func (q *Question) flatten() bool {
	c := q.c
	var flat []Term
	seen := map[Term]bool{}
	for _, f := range q.Facts {
		for _, t := range c.Conjuncts(f) {
			if c.IsFalse(t) || seen[c.Not(t)] {
				q.Facts = []Term{c.False()}
				return false
			}
			if !seen[t] {
				seen[t] = true
				flat = append(flat, t)
			}
		}
	}
	q.Facts = flat
	return true
}

// round rewrites the facts once. It reports whether anything changed.
func (q *Question) round() bool {
	c := q.c
	bounds := map[Term]*interval{}
	var order []Term
	for _, f := range q.Facts {
		if v, in, ok := q.bounds(f); ok {
			if bounds[v] == nil {
				bounds[v] = anyOf(c.Width(v))
				order = append(order, v)
			}
			bounds[v].meet(in, c.Width(v))
		}
	}
	s := &substitution{c: c, to: map[Term]Term{}, memo: map[Term]Term{}, deep: true}
	var solved []solution
	solve := func(v, as Term) {
		s.to[v] = as
		solved = append(solved, solution{v, as})
	}
	for _, f := range q.Facts {
		if v, as, ok := q.fixes(f); ok {
			if _, twice := s.to[v]; !twice {
				solve(v, as)
			}
		}
	}
	work := occursWork
	for _, f := range q.Facts {
		if c.Op(f) != OpEq {
			continue
		}
		a, b := c.Arg(f, 0), c.Arg(f, 1)
		if q.replaceable(a, b, bounds) && s.acyclic(a, b, &work) {
			solve(a, b)
		} else if q.replaceable(b, a, bounds) && s.acyclic(b, a, &work) {
			solve(b, a)
		}
	}
	for _, v := range order {
		if _, twice := s.to[v]; twice {
			continue
		}
		if as, _, ok := q.narrow(v, *bounds[v]); ok {
			solve(v, as)
		}
	}
	// The remaining facts are kept, and others are rewritten by them.
	for _, f := range q.Facts {
		core, value := f, c.True()
		if c.Op(f) == OpNot {
			core, value = c.Arg(f, 0), c.False()
		}
		if c.Op(core) == OpVar {
			continue
		}
		s.to[core] = value
		if f == core && c.Op(f) == OpEq {
			if a, b := c.Arg(f, 0), c.Arg(f, 1); c.Op(a) != OpVar && c.IsConst(b) {
				if _, twice := s.to[a]; !twice {
					s.to[a] = b
				}
			}
		}
	}
	for _, f := range q.Facts {
		s.carry(f)
	}
	if !q.floatAtoms(s) {
		q.Facts = []Term{c.False()}
		return true
	}
	changed := false
	for i, f := range q.Facts {
		q.Facts[i] = s.fact(f)
		changed = changed || q.Facts[i] != f
	}
	for i := range solved {
		solved[i].as = s.apply(solved[i].as)
	}
	if len(solved) > 0 {
		q.solved = append(q.solved, solved)
	}
	return changed
}

// occursWork bounds the number of terms that one round searches for variables to replace.
const occursWork = 200_000

// replaceable reports whether a variable may be replaced by an equal term.
//
// The facts of the term must be at least as strong as those of the variable and its bounds.
func (q *Question) replaceable(v, as Term, bounds map[Term]*interval) bool {
	c := q.c
	if c.Op(v) != OpVar {
		return false
	}
	if c.Sort(v).IsBool() {
		return true
	}
	w := c.Width(v)
	if w > 64 {
		return c.VarLow(v) == 0 && (c.IsConst(as) || c.Op(as) == OpVar)
	}
	if zeros, _ := c.KnownBits(as); bits.TrailingZeros64(^zeros) < c.VarLow(v) {
		return false
	}
	width := func(lo, hi uint64) int { return bits.Len64(hi - lo) }
	known := w
	if b := bounds[v]; b != nil && b.lo <= b.hi {
		known = width(b.lo, b.hi)
	}
	lo, hi := c.Range(as)
	if b := bounds[as]; b != nil && b.lo <= b.hi {
		lo, hi = b.lo, b.hi
	}
	return width(lo, hi) <= known
}

// interval bounds a bit-vector of at most 64 bits: unsigned by lo and hi, signed by least and most.
type interval struct {
	lo, hi      uint64
	least, most int64
}

// anyOf returns the interval of all numbers of w bits.
func anyOf(w int) *interval {
	most := int64(mask(w) >> 1)
	return &interval{0, mask(w), -most - 1, most}
}

// unsigned returns an interval without signed bounds, signed one without unsigned bounds.
func unsigned(lo, hi uint64) interval   { return interval{lo, hi, math.MinInt64, math.MaxInt64} }
func signed(least, most int64) interval { return interval{0, math.MaxUint64, least, most} }

// meet intersects in with another interval of w bits. Signed bounds of one sign are also unsigned bounds.
func (in *interval) meet(by interval, w int) {
	in.lo, in.hi = max(in.lo, by.lo), min(in.hi, by.hi)
	in.least, in.most = max(in.least, by.least), min(in.most, by.most)
	if in.least >= 0 || in.most < 0 {
		in.lo, in.hi = max(in.lo, uint64(in.least)&mask(w)), min(in.hi, uint64(in.most)&mask(w))
	}
}

// fixes matches a fact that determines the value of a variable.
func (q *Question) fixes(f Term) (v, as Term, ok bool) {
	c := q.c
	switch c.Op(f) {
	case OpVar:
		return f, c.True(), true
	case OpEq:
		if a, b := c.Arg(f, 0), c.Arg(f, 1); q.isPlain(a) && c.lowZeros(a) == 0 && c.IsConst(b) {
			return a, b, true
		}
	case OpNot:
		if g := c.Arg(f, 0); c.Op(g) == OpVar {
			return g, c.False(), true
		}
	}
	return 0, 0, false
}

// bounds matches a fact that bounds a variable of at most 64 bits.
func (q *Question) bounds(f Term) (v Term, in interval, ok bool) {
	c := q.c
	holds := c.Op(f) != OpNot
	if !holds {
		f = c.Arg(f, 0)
	}
	switch c.Op(f) {
	case OpEq: // not v = 0
		a, b := c.Arg(f, 0), c.Arg(f, 1)
		if k, isConst := c.Uint64(b); !holds && isConst && k == 0 && q.isPlain(a) {
			return a, unsigned(1, math.MaxUint64), true
		}
	case OpUlt:
		a, b := c.Arg(f, 0), c.Arg(f, 1)
		switch {
		case holds && q.isPlain(a): // a < b
			if _, top := c.Range(b); top > 0 {
				return a, unsigned(0, top-1), true
			}
		case holds && q.isPlain(b):
			low, _ := c.Range(a)
			return b, unsigned(low+1, math.MaxUint64), low != math.MaxUint64
		case !holds && q.isPlain(b): // b <= a
			_, top := c.Range(a)
			return b, unsigned(0, top), true
		case !holds && q.isPlain(a): // a >= b
			low, _ := c.Range(b)
			return a, unsigned(low, math.MaxUint64), true
		}
	case OpSlt:
		a, b := c.Arg(f, 0), c.Arg(f, 1)
		switch {
		case holds && q.isPlain(a):
			if _, top := c.SignedRange(b); top > math.MinInt64 {
				return a, signed(math.MinInt64, top-1), true
			}
		case holds && q.isPlain(b):
			if low, _ := c.SignedRange(a); low < math.MaxInt64 {
				return b, signed(low+1, math.MaxInt64), true
			}
		case !holds && q.isPlain(b):
			_, top := c.SignedRange(a)
			return b, signed(math.MinInt64, top), true
		case !holds && q.isPlain(a):
			low, _ := c.SignedRange(b)
			return a, signed(low, math.MaxInt64), true
		}
	}
	return 0, interval{}, false
}

func (q *Question) isPlain(t Term) bool {
	c := q.c
	plain := c.Op(t) == OpVar
	if q.words && !plain {
		_, plain = c.FuncOfWord(t)
	}
	return plain && !c.Sort(t).IsBool() && c.Width(t) <= 64
}

// lowZeros returns how many low bits of a variable are known to be zero; 0 for a word.
func (c *Context) lowZeros(t Term) int {
	if c.Op(t) == OpVar {
		return c.VarLow(t)
	}
	return 0
}

// nameOf returns the name for a variable that stands for a part of t.
func (c *Context) nameOf(t Term) string {
	if f, ok := c.FuncOfWord(t); ok {
		return c.FuncName(f)
	}
	return c.VarName(t)
}

// narrow replaces a variable in [lo, hi] by lo plus the extension of a narrower variable, if that saves bits.
//
// small is the new variable, which lies in [0, hi-lo]; 0 if the value is fixed. Low zero bits of the variable are
// zero in the new one.
func (q *Question) narrow(v Term, in interval) (as, small Term, ok bool) {
	c := q.c
	w := c.Width(v)
	low := c.lowZeros(v)
	in.lo = (in.lo + mask(low)) &^ mask(low)
	in.hi &^= mask(low)
	if in.lo > in.hi {
		return 0, 0, false // contradictory facts, left to the solver
	}
	n := bits.Len64(in.hi - in.lo)
	switch {
	case n >= w:
		return 0, 0, false
	case n == 0:
		return c.Int(w, in.lo), 0, true
	}
	small = c.newVar(c.nameOf(v), BV(n), low)
	return c.Add(c.Zext(small, w), c.Int(w, in.lo)), small, true
}

// Complete extends a model of the simplified question to a model of the original one.
func (q *Question) Complete(m *Model) {
	for i := len(q.solved) - 1; i >= 0; i-- {
		ev := q.c.NewEvaluator(m)
		values := make([]Value, len(q.solved[i]))
		for k, s := range q.solved[i] {
			values[k] = ev.Eval(s.as)
		}
		for k, s := range q.solved[i] {
			m.SetVar(s.v, values[k])
		}
	}
}

// manyConjuncts is the length of a conjunction from which Conjuncts lists each further one once.
const manyConjuncts = 1000

// Conjuncts lists the conjuncts of a Bool, a left-nested conjunction.
func (c *Context) Conjuncts(t Term) []Term {
	var out []Term
	var seen map[Term]bool // of a long conjunction: its parts may be shared
	stack := []Term{t}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(out) > manyConjuncts {
			if seen[x] {
				continue
			}
			if seen == nil {
				seen = map[Term]bool{}
			}
			seen[x] = true
		}
		if c.Op(x) == OpAnd {
			stack = append(stack, c.Args(x)...)
		} else if !c.IsTrue(x) {
			out = append(out, x)
		}
	}
	return out
}
