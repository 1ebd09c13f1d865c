package smt

import (
	"maps"
	"math"
	"slices"
)

// FloatRanges computes the ranges of floats under some facts.
type FloatRanges struct {
	c      *Context
	bounds map[Term]FloatRange // by facts
	memo   map[Term]FloatRange
	none   bool // a term has no value: the facts contradict each other
	nested int  // choices around the facts
}

// NewFloatRanges returns the ranges of floats if each of the facts is true. Comparisons of a float with a constant, or
// with a variable that is compared with constants, count; all other facts are ignored.
func NewFloatRanges(c *Context, facts []Term) *FloatRanges {
	x := &FloatRanges{c: c, bounds: map[Term]FloatRange{}, memo: map[Term]FloatRange{}}
	x.learnAll(facts)
	return x
}

// learnAll records the bounds that facts give.
func (x *FloatRanges) learnAll(facts []Term) {
	var open []Term // with a variable on one side
	for _, f := range facts {
		for _, t := range x.c.Conjuncts(f) {
			if x.bounding(t) && !x.learn(t, x.c.IsConst) {
				open = append(open, t)
			}
		}
	}
	for _, t := range open {
		x.learn(t, func(side Term) bool { return x.c.Op(side) == OpVar && x.bounds[side] != (FloatRange{}) })
	}
	clear(x.memo)
}

// bounding reports whether a literal may give a bound.
func (x *FloatRanges) bounding(literal Term) bool {
	core := literal
	if x.c.Op(core) == OpNot {
		core = x.c.Arg(core, 0)
	}
	_, isNaN := x.c.isNaNOf(core)
	switch x.c.Op(core) {
	case OpFLt, OpFLe, OpFEq:
		return true
	}
	return isNaN
}

// Bound restricts a term to a range, beside what the facts say.
func (x *FloatRanges) Bound(t Term, r FloatRange) {
	if old, ok := x.bounds[t]; ok {
		r = r.Meet(old)
	}
	x.bounds[t] = r
	clear(x.memo)
}

// Float returns a constant of w (32 or 64) bits, rounded to nearest even.
func (c *Context) Float(w int, f float64) Term { return c.Int(w, encodeFloat(f, w)) }

// IsFloatResult reports whether a term is the result of an operation on floats.
func (c *Context) IsFloatResult(t Term) bool {
	switch op := c.Op(t); op {
	case OpFEq, OpFLt, OpFLe, OpFToS, OpFToU:
		return false
	default:
		return op >= OpFAdd && op <= OpFRound
	}
}

// ComparedFloats calls f for each comparison of floats within a condition.
func (c *Context) ComparedFloats(t Term, f func(a, b Term)) {
	switch c.Op(t) {
	case OpNot, OpAnd:
		for _, a := range c.Args(t) {
			c.ComparedFloats(a, f)
		}
	case OpFLt, OpFLe, OpFEq:
		f(c.Arg(t, 0), c.Arg(t, 1))
	}
}

// FloatConst returns the value of a constant of 32 or 64 bits; false for NaN and other terms.
func (c *Context) FloatConst(t Term) (f float64, ok bool) {
	v, ok := c.Uint64(t)
	if w := c.Width(t); !ok || w != 32 && w != 64 {
		return 0, false
	}
	f = decodeFloat(v, c.Width(t))
	return f, f == f
}

// learn records the bounds that a literal gives by a side that is known. It reports whether there is one.
func (x *FloatRanges) learn(literal Term, known func(side Term) bool) (some bool) {
	core, holds := literal, true
	if x.c.Op(core) == OpNot {
		core, holds = x.c.Arg(core, 0), false
	}
	if t, ok := x.c.isNaNOf(core); ok {
		if !holds {
			x.Bound(t, FloatRange{math.Inf(-1), math.Inf(1), false})
		}
		return true
	}
	for side := range 2 {
		if t, other := x.c.Arg(core, side), x.c.Arg(core, 1-side); !x.c.IsConst(t) && known(other) {
			x.Bound(t, x.c.compared(x.c.Op(core), holds, side == 0, x.Of(other), x.c.Width(t)))
			some = true
		}
	}
	return some
}

// compared returns the range of one side of a comparison of floats of w bits, whose other side has a range.
func (c *Context) compared(op Op, holds, left bool, other FloatRange, w int) FloatRange {
	r := anyFloat
	if other.Empty() {
		return r
	}
	switch {
	case op == OpFEq && holds:
		return FloatRange{other.Lo, other.Hi, false}
	case op == OpFEq:
		return r
	case !holds && other.NaN: // the comparison may be false for that
		return r
	case holds == left: // t < other, not other < t
		r.Hi = other.Hi
		if (op == OpFLt) == holds {
			r.Hi = nextFloat(other.Hi, math.Inf(-1), w)
		}
	default:
		r.Lo = other.Lo
		if (op == OpFLt) == holds {
			r.Lo = nextFloat(other.Lo, math.Inf(1), w)
		}
	}
	r.NaN = !holds
	return r
}

// isNaNOf returns t if a term is FIsNaN(t).
func (c *Context) isNaNOf(core Term) (t Term, ok bool) {
	if c.Op(core) != OpUlt {
		return 0, false
	}
	if t, ok = c.magnitudeOf(c.Arg(core, 1)); !ok {
		return 0, false
	}
	infinity, isConst := c.Uint64(c.Arg(core, 0))
	return t, isConst && infinity == encodeFloat(math.Inf(1), c.Width(t))
}

// magnitudeOf returns t if a term is the pattern of the float t without its sign.
func (c *Context) magnitudeOf(bits Term) (t Term, ok bool) {
	if c.Op(bits) != OpExtract {
		return 0, false
	}
	t = c.Arg(bits, 0)
	w := c.Width(t)
	return t, (w == 32 || w == 64) && bits == c.Extract(t, w-2, 0)
}

// maxRangeDepth bounds the nesting of terms whose range is computed.
const maxRangeDepth = 400

// Of returns a range of a float of 32 or 64 bits.
func (x *FloatRanges) Of(t Term) FloatRange { return x.of(t, maxRangeDepth) }

func (x *FloatRanges) of(t Term, depth int) FloatRange {
	if w := x.c.Width(t); depth == 0 || w != 32 && w != 64 {
		return anyFloat
	}
	if r, ok := x.memo[t]; ok {
		return r
	}
	r := x.computed(t, depth-1)
	if b, ok := x.bounds[t]; ok {
		r = r.Meet(b)
	}
	x.memo[t] = r
	x.none = x.none || r.Empty() && !r.NaN
	return r
}

// computed returns the range of a term by its operator.
func (x *FloatRanges) computed(t Term, depth int) FloatRange {
	c, op, w := x.c, x.c.Op(t), x.c.Width(t)
	arg := func(i int) FloatRange { return x.of(c.Arg(t, i), depth) }
	switch op {
	case OpConst:
		v, _ := c.Uint64(t)
		if f := decodeFloat(v, w); f == f {
			return FloatRange{f, f, false}
		}
		return FloatRange{noFloat.Lo, noFloat.Hi, true}
	case OpIte:
		cond := c.Arg(t, 0)
		if v, ok := x.decide(cond, depth); ok {
			if v {
				return arg(1)
			}
			return arg(2)
		}
		return x.where(cond, c.Arg(t, 1), depth).Join(x.where(c.Not(cond), c.Arg(t, 2), depth))
	case OpFAdd, OpFSub, OpFMul, OpFDiv, OpFFma:
		var args []FloatRange
		for i := range c.Args(t) {
			args = append(args, arg(i))
		}
		if op == OpFMul && c.Arg(t, 0) == c.Arg(t, 1) {
			args[0] = args[0].magnitude()
			args[1] = args[0]
		}
		return corners(op, w, args)
	case OpFSqrt:
		r := arg(0)
		r.NaN = r.NaN || r.Lo < 0
		r = r.Meet(FloatRange{0, math.Inf(1), true})
		return FloatRange{roundTo(math.Sqrt(r.Lo), w), roundTo(math.Sqrt(r.Hi), w), r.NaN}.valid()
	case OpFToF:
		if from := c.Width(c.Arg(t, 0)); from != 32 && from != 64 {
			return anyFloat
		}
		r := arg(0)
		return FloatRange{roundTo(r.Lo, w), roundTo(r.Hi, w), r.NaN}.valid()
	case OpFRound:
		r, mode := arg(0), RoundMode(c.nodes[t].aux)
		return FloatRange{roundIntegral(mode, r.Lo), roundIntegral(mode, r.Hi), r.NaN}.valid()
	case OpFMin:
		return minimum(arg(0), arg(1))
	case OpFMax:
		return minimum(arg(0).negated(), arg(1).negated()).negated()
	case OpFRem:
		return remainder(arg(0), arg(1))
	case OpSToF, OpUToF:
		return x.converted(op, c.Arg(t, 0), w)
	case OpBvXor:
		for side := range 2 {
			if v, ok := c.Uint64(c.Arg(t, side)); ok && v == 1<<uint(w-1) {
				return arg(1 - side).negated()
			}
		}
	case OpBvAnd:
		for side := range 2 {
			if v, ok := c.Uint64(c.Arg(t, side)); ok && v == mask(w-1) {
				return arg(1 - side).magnitude()
			}
		}
	}
	return anyFloat
}

// maxNested bounds the nesting of choices in which the conditions restrict ranges.
const maxNested = 3

// where returns the range of t if a condition is true.
func (x *FloatRanges) where(cond, t Term, depth int) FloatRange {
	literals := x.c.Conjuncts(cond)
	if x.nested == maxNested || !slices.ContainsFunc(literals, x.bounding) {
		return x.of(t, depth)
	}
	there := &FloatRanges{c: x.c, bounds: maps.Clone(x.bounds), memo: map[Term]FloatRange{}, nested: x.nested + 1}
	there.learnAll(literals)
	r := there.of(t, depth)
	if there.none {
		return noFloat
	}
	return r
}

// converted returns the range of a float that an integer is converted to.
func (x *FloatRanges) converted(op Op, from Term, w int) FloatRange {
	aw := x.c.Width(from)
	if aw > 64 {
		return FloatRange{math.Inf(-1), math.Inf(1), false}
	}
	lo, hi := x.c.Range(from)
	if op == OpSToF {
		least, most := x.c.SignedRange(from)
		lo, hi = uint64(least)&mask(aw), uint64(most)&mask(aw)
	}
	at := func(v uint64) float64 { return decodeFloat(applyFloatWide(op, w, UintValue(aw, v)).v, w) }
	return FloatRange{at(lo), at(hi), false}
}

// decide returns the value of a condition about floats; ok is false if their ranges do not decide it.
func (x *FloatRanges) decide(t Term, depth int) (value, ok bool) {
	c := x.c
	switch c.Op(t) {
	case OpNot:
		value, ok = x.decide(c.Arg(t, 0), depth)
		return !value, ok
	case OpFLt, OpFLe, OpFEq:
		return compareRanges(c.Op(t), x.of(c.Arg(t, 0), depth), x.of(c.Arg(t, 1), depth))
	case OpUlt, OpSlt, OpEq:
		if c.Sort(c.Arg(t, 0)).IsBool() || c.Width(c.Arg(t, 0)) > 64 {
			return false, false
		}
		lo, hi, some := x.integer(c.Arg(t, 0), c.Op(t) == OpSlt, depth)
		lo2, hi2, too := x.integer(c.Arg(t, 1), c.Op(t) == OpSlt, depth)
		if !some && !too {
			return false, false // nothing about floats
		}
		switch {
		case c.Op(t) == OpEq:
			return false, hi < lo2 || hi2 < lo
		case hi < lo2:
			return true, true
		}
		return false, lo >= hi2
	}
	return false, false
}

// halfRange is the distance that keeps unsigned numbers of 64 bits in order as signed ones.
const halfRange = math.MinInt64

// integer returns bounds of an integer as ordered numbers: signed ones, or unsigned ones minus 2^63. some is true if a
// float gave them.
func (x *FloatRanges) integer(t Term, isSigned bool, depth int) (lo, hi int64, some bool) {
	c := x.c
	if l, h, ok := x.ofFloat(t, isSigned, depth); ok {
		return l, h, true
	}
	if isSigned {
		lo, hi = c.SignedRange(t)
		return lo, hi, false
	}
	l, h := c.Range(t)
	return int64(l) + halfRange, int64(h) + halfRange, false
}

// ofFloat is integer for what is computed from a float: its magnitude as a pattern, or a conversion.
func (x *FloatRanges) ofFloat(t Term, isSigned bool, depth int) (lo, hi int64, ok bool) {
	c := x.c
	if f, isMagnitude := c.magnitudeOf(t); isMagnitude && !isSigned {
		r := x.of(f, depth).magnitude()
		if r.NaN || r.Empty() {
			return 0, 0, false
		}
		w := c.Width(f)
		return int64(encodeFloat(r.Lo, w)&mask(w-1)) + halfRange, int64(encodeFloat(r.Hi, w)&mask(w-1)) + halfRange, true
	}
	op, w := c.Op(t), c.Width(t)
	if op != OpFToS && op != OpFToU || isSigned != (op == OpFToS) {
		return 0, 0, false
	}
	if from := c.Width(c.Arg(t, 0)); from != 32 && from != 64 {
		return 0, 0, false
	}
	r := x.of(c.Arg(t, 0), depth)
	least, most := 0.0, math.Ldexp(1, w)
	if isSigned {
		least, most = -math.Ldexp(1, w-1), math.Ldexp(1, w-1)
	}
	if r.NaN || r.Empty() || math.Trunc(r.Lo) < least || math.Trunc(r.Hi) >= most {
		return 0, 0, false // it may be 0 for that
	}
	if isSigned {
		return int64(math.Trunc(r.Lo)), int64(math.Trunc(r.Hi)), true
	}
	return int64(uint64(math.Trunc(r.Lo))) + halfRange, int64(uint64(math.Trunc(r.Hi))) + halfRange, true
}

// FloatsContradict reports whether the ranges of floats show that facts contradict a question. It is for queries to
// solvers that have facts from before, and are not simplified by them. It subtracts the number of inspected conjuncts
// from left.
func (c *Context) FloatsContradict(facts []Term, question Term, left *int) bool {
	if !c.nodes[question].has(markFloats) {
		return false
	}
	var parts []Term
	for _, f := range facts {
		parts = append(parts, c.Conjuncts(f)...)
	}
	asked := c.Conjuncts(question)
	parts = append(parts, asked...)
	*left -= len(parts)
	return NewFloatRanges(c, c.consequences(parts)).contradict(asked)
}

// contradict reports whether the ranges exclude one of some facts.
func (x *FloatRanges) contradict(facts []Term) bool {
	for _, f := range facts {
		if !x.c.nodes[f].has(markFloats) {
			continue
		}
		core, holds := f, true
		if x.c.Op(f) == OpNot {
			core, holds = x.c.Arg(f, 0), false
		}
		v, ok := x.decide(core, maxRangeDepth)
		if x.c.Op(core) == OpAnd { // the fact is that one of its conjuncts is false
			v, ok = true, !slices.ContainsFunc(x.c.Conjuncts(core), func(part Term) bool {
				is, known := x.decide(part, maxRangeDepth)
				return !known || !is
			})
		}
		if ok && v != holds || x.none {
			return true
		}
	}
	return false
}

// aboutFloats reports whether a term contains an operation on floats, or asks for a NaN.
func (c *Context) aboutFloats(t Term) bool {
	if c.nodes[t].has(markFloats) {
		return true
	}
	if c.Op(t) == OpNot {
		t = c.Arg(t, 0)
	}
	_, ok := c.isNaNOf(t)
	return ok
}

// consequences returns the conjuncts of facts that are about floats, and of implications the conclusion if the premises
// are conjuncts.
func (c *Context) consequences(facts []Term) []Term {
	var out []Term
	known := map[Term]bool{}
	learn := func(f Term) {
		for _, t := range c.Conjuncts(f) {
			if !known[t] {
				known[t] = true
				if c.aboutFloats(t) {
					out = append(out, t)
				}
			}
		}
	}
	for _, f := range facts {
		learn(f)
	}
	allKnown := func(t Term) bool {
		return !slices.ContainsFunc(c.Conjuncts(t), func(part Term) bool { return !known[part] })
	}
	for i := 0; i < len(out); i++ {
		premise, conclusion, ok := c.AsOr(out[i])
		switch {
		case !ok:
			continue
		case allKnown(c.Not(premise)):
		case allKnown(c.Not(conclusion)):
			conclusion = premise
		default:
			continue
		}
		learn(conclusion)
	}
	return out
}

// floatAtoms replaces conditions about floats that the ranges decide. A fact itself is kept: its bounds count. It
// reports whether no fact contradicts the others.
func (q *Question) floatAtoms(s *substitution) bool {
	c := q.c
	if !slices.ContainsFunc(q.Facts, func(f Term) bool { return c.nodes[f].has(markFloats) }) {
		return true
	}
	x := NewFloatRanges(c, q.Facts)
	if x.contradict(q.Facts) {
		return false
	}
	seen := map[Term]bool{}
	for stack := append([]Term(nil), q.Facts...); len(stack) > 0; {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[t] || !c.aboutFloats(t) {
			continue
		}
		seen[t] = true
		if _, done := s.to[t]; !done && c.Sort(t).IsBool() && c.Op(t) != OpNot {
			if v, ok := x.decide(t, maxRangeDepth); ok {
				s.to[t] = c.BoolConst(v)
				continue
			}
		}
		stack = append(stack, c.Args(t)...)
	}
	return !x.none
}
