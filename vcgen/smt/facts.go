package smt

import "math/bits"

// facts are implied by the structure of a bit-vector of at most 64 bits, for all values of its variables.
//
// They are an unsigned interval [lo, hi] and the bits known to be zero and one. Other terms have trivial facts (0,
// MaxUint64, 0, 0). Bits above the width are set neither in zeros nor in ones.
type facts struct{ lo, hi, zeros, ones uint64 }

var noFacts = facts{hi: ^uint64(0)}

// Range returns an unsigned interval that contains all possible values of t.
//
// It is (0, MaxUint64) for Bools and for more than 64 bits.
func (c *Context) Range(t Term) (lo, hi uint64) {
	f := &c.nodes[t].facts
	return f.lo, f.hi
}

// KnownBits returns the bits of t that are always zero and always one.
//
// Both are 0 for Bools and for more than 64 bits.
func (c *Context) KnownBits(t Term) (zeros, ones uint64) {
	f := &c.nodes[t].facts
	return f.zeros, f.ones
}

// possible returns the bits of t (at most 64) that may be one.
func (c *Context) possible(t Term) uint64 {
	n := &c.nodes[t]
	return mask(int(n.sort)) &^ n.zeros
}

// SignedRange returns the least and the largest value of t, of at most 64 bits, as a signed number.
func (c *Context) SignedRange(t Term) (lo, hi int64) {
	n := &c.nodes[t]
	w := int(n.sort)
	half := uint64(1) << uint(w-1)
	if n.hi < half || n.lo >= half {
		return signExtend64(n.lo, w), signExtend64(n.hi, w)
	}
	if n.op == OpSext {
		return c.SignedRange(c.arg0(t))
	}
	return -int64(half-1) - 1, int64(half - 1)
}

func constFacts(v uint64, m uint64) facts { return facts{v, v, m &^ v, v} }

// factsOf computes the facts of a node before it exists.
func (c *Context) factsOf(op Op, s Sort, aux uint64, args []Term) facts {
	w := int(s)
	if s == Bool || w > 64 {
		return noFacts
	}
	m := mask(w)
	top := facts{hi: m}
	f := top
	var a, b *facts
	aw := 0
	if len(args) > 0 {
		n := &c.nodes[args[0]]
		a, aw = &n.facts, int(n.sort)
	}
	if len(args) > 1 {
		b = &c.nodes[args[1]].facts
	}
	switch op {
	case OpConst:
		return constFacts(aux, m)
	case OpBvNot:
		f = facts{m &^ a.hi, m &^ a.lo, a.ones, a.zeros}
	case OpBvAnd:
		f = *a
		for _, t := range args[1:] {
			x := &c.nodes[t].facts
			f = facts{0, min(f.hi, x.hi), f.zeros | x.zeros, f.ones & x.ones}
		}
		f.lo = 0
	case OpBvOr:
		f = *a
		for _, t := range args[1:] {
			x := &c.nodes[t].facts
			f = facts{max(f.lo, x.lo), m, f.zeros & x.zeros, f.ones | x.ones}
		}
	case OpBvXor:
		f = *a
		for _, t := range args[1:] {
			x := &c.nodes[t].facts
			k := (f.zeros | f.ones) & (x.zeros | x.ones)
			v := (f.ones ^ x.ones) & k
			f = facts{0, m, k &^ v, v}
		}
	case OpAdd:
		f = c.addFacts(w, args)
	case OpMul:
		f.zeros, f.ones = mulBits(a, b, m)
		if p, ok := mulFits(a.hi, b.hi); ok && p <= m {
			f.lo, f.hi = a.lo*b.lo, p
		}
	case OpUdiv:
		if b.hi > 0 {
			f.lo = a.lo / b.hi
		}
		if b.lo > 0 {
			f.hi = a.hi / b.lo
		}
	case OpUrem:
		f.hi = a.hi
		if b.lo > 0 {
			f.hi = min(a.hi, b.hi-1)
		}
	case OpShl:
		n := min(uint64(bits.TrailingZeros64(^a.zeros)), 64) + min(b.lo, 64)
		f.zeros = mask(int(min(n, 64))) & m
	case OpLshr:
		f.hi = a.hi >> min(b.lo, 64)
		if b.hi < uint64(w) {
			f.lo = a.lo >> b.hi
		}
	case OpAshr:
		if a.hi>>uint(w-1) == 0 {
			f.hi = a.hi >> min(b.lo, 64)
			f.lo = a.lo >> min(b.hi, 63)
		}
	case OpConcat:
		lw := uint(w - aw)
		f = facts{a.lo<<lw | b.lo, a.hi<<lw | b.hi, a.zeros<<lw | b.zeros, a.ones<<lw | b.ones}
	case OpExtract:
		if aw <= 64 {
			lo := uint(uint32(aux))
			f.zeros, f.ones = a.zeros>>lo&m, a.ones>>lo&m
			if a.hi>>lo <= m {
				f.lo, f.hi = a.lo>>lo, a.hi>>lo
			}
		}
	case OpZext:
		f = *a
		f.zeros |= m &^ mask(aw)
	case OpSext:
		f.zeros, f.ones = a.zeros, a.ones
		high := m &^ mask(aw)
		sign := uint64(1) << uint(aw-1)
		switch {
		case a.hi < sign:
			f.lo, f.hi = a.lo, a.hi
			f.zeros |= high
		case a.lo >= sign:
			f.lo, f.hi = a.lo|high, a.hi|high
			f.ones |= high
		}
	case OpIte:
		x, y := c.where(args[0], true, args[1]), c.where(args[0], false, args[2])
		f = facts{min(x.lo, y.lo), max(x.hi, y.hi), x.zeros & y.zeros, x.ones & y.ones}
	default:
		return top
	}
	return f.refine(m)
}

// where returns the facts of t given the value of a condition, by a bounded search.
//
// For example, the facts of a minimum or maximum need the comparison that chooses.
func (c *Context) where(cond Term, val bool, t Term) facts {
	f := c.nodes[t].facts
	for i := 0; i < spineLook; i++ {
		rest := Term(0)
		l, is := cond, val
		if c.nodes[l].op == OpNot {
			l, is = c.arg0(l), !is
		}
		if c.nodes[l].op == OpAnd && is {
			rest = c.arg0(l)
			if l = c.arg1(l); c.nodes[l].op == OpNot {
				l, is = c.arg0(l), false
			}
		}
		if c.nodes[l].op == OpUlt {
			x, y := c.arg0(l), c.arg1(l)
			less, more := c.nodes[x].facts, c.nodes[y].facts
			switch {
			case is && t == x && more.hi > 0: // x < y
				f.hi = min(f.hi, more.hi-1)
			case is && t == y:
				f.lo = max(f.lo, less.lo+1)
			case !is && t == x: // y <= x
				f.lo = max(f.lo, more.lo)
			case !is && t == y:
				f.hi = min(f.hi, less.hi)
			}
		}
		if rest == 0 {
			break
		}
		cond, val = rest, true
	}
	if f.lo > f.hi { // the condition never has this value
		return c.nodes[t].facts
	}
	return f
}

// refine tightens the interval by the known bits and the known bits by the interval, once.
func (f facts) refine(m uint64) facts {
	f.lo = max(f.lo, f.ones)
	f.hi = min(f.hi, m&^f.zeros)
	if f.lo > f.hi { // contradictory facts are impossible: claim nothing
		return facts{hi: m}
	}
	prefix := m &^ mask(bits.Len64(f.lo^f.hi))
	f.zeros |= prefix &^ f.lo
	f.ones |= prefix & f.lo
	return f
}

// mulBits returns the known bits of a product.
//
// Its low n bits depend only on the low n bits of the factors, and trailing zeros add up.
func mulBits(a, b *facts, m uint64) (zeros, ones uint64) {
	n := min(bits.TrailingZeros64(^(a.zeros | a.ones)), bits.TrailingZeros64(^(b.zeros | b.ones)))
	low := mask(n) & m
	v := a.ones * b.ones & low
	tz := bits.TrailingZeros64(^a.zeros) + bits.TrailingZeros64(^b.zeros)
	return (low &^ v) | mask(min(tz, 64))&m, v
}

// addFacts computes the facts of an n-ary Add.
//
// Known bits as in LLVM's KnownBits::computeForAddCarry: a bit is known if both operands and the carry into it are.
// The interval is summed exactly in 128 bits, with products by a negative constant as negative numbers; it holds
// modulo 2^w if both ends are in the same period.
func (c *Context) addFacts(w int, args []Term) facts {
	m := mask(w)
	var f facts
	var lo, hi int128
	exact := true
	for i, t := range args {
		n := &c.nodes[t]
		x := n.facts
		if i == 0 {
			f.zeros, f.ones = x.zeros, x.ones
		} else {
			most := (m &^ f.zeros) + (m &^ x.zeros)
			least := f.ones + x.ones
			// the carry is known to be zero if the greatest sum has none, and one if the least sum has one
			carryZero := ^(most ^ (m &^ f.zeros) ^ (m &^ x.zeros))
			carryOne := least ^ f.ones ^ x.ones
			carry := carryZero | carryOne
			k := (f.zeros | f.ones) & (x.zeros | x.ones) & carry & m
			f.zeros, f.ones = k&^most, k&least
		}
		if !exact {
			continue
		}
		if n.op == OpMul {
			k := &c.nodes[c.arg1(t)]
			if k.op == OpConst && k.aux>>uint(w-1) != 0 {
				neg := -k.aux & m
				y := &c.nodes[c.arg0(t)].facts
				exact = lo.subProduct(neg, y.hi) && hi.subProduct(neg, y.lo) && exact
				continue
			}
		}
		if n.op == OpConst && n.aux>>uint(w-1) != 0 {
			lo.sub(-n.aux & m)
			hi.sub(-n.aux & m)
			continue
		}
		lo.add(x.lo)
		hi.add(x.hi)
	}
	f.hi = m
	if exact && lo.shr(w) == hi.shr(w) {
		f.lo, f.hi = lo.lo&m, hi.lo&m
	}
	return f
}

// int128 is a signed number of 128 bits; the sums here remain far below its limits.
type int128 struct {
	hi int64
	lo uint64
}

func (x *int128) add(v uint64) {
	var carry uint64
	x.lo, carry = bits.Add64(x.lo, v, 0)
	x.hi += int64(carry)
}

func (x *int128) sub(v uint64) {
	var borrow uint64
	x.lo, borrow = bits.Sub64(x.lo, v, 0)
	x.hi -= int64(borrow)
}

// subProduct subtracts a*b. It reports whether the product is small enough to continue.
func (x *int128) subProduct(a, b uint64) bool {
	hi, lo := bits.Mul64(a, b)
	if hi >= 1<<56 {
		return false
	}
	x.sub(lo)
	x.hi -= int64(hi)
	return true
}

// shr is an arithmetic right shift by 1 <= w <= 64 bits.
func (x int128) shr(w int) int128 {
	if w == 64 {
		return int128{x.hi >> 63, uint64(x.hi)}
	}
	return int128{x.hi >> uint(w), x.lo>>uint(w) | uint64(x.hi)<<uint(64-w)}
}
