package arith

import (
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// C and IEEE 754 leave the sign and the payload of a NaN that an operation yields to the machine (0.0/0.0 is negative
// on x86 and positive on ARM). The terms have one NaN, so a program that looks at the bits could be proved to see
// these. Hence a result that may be a NaN carries arbitrary bits beside it,
//
//	ite(isNaN(r), pattern, r)
//
// for whoever looks at bits, and arithmetic, which gives the same for every NaN, goes on with r.

// Floats are the numbers of one execution, of which some may be NaN.
type Floats struct {
	c *smt.Context
	// nans are the bits of results that are no numbers, numbers what is left without them.
	nans    map[smt.Term]bool
	numbers map[smt.Term]smt.Term
}

// NewFloats are none so far.
func NewFloats(c *smt.Context) *Floats {
	return &Floats{c: c, nans: map[smt.Term]bool{}, numbers: map[smt.Term]smt.Term{}}
}

// quietNaN is the pattern that every NaN an operation yields contains: exponent and quiet bit.
func quietNaN(w int) uint64 {
	switch w {
	case 16:
		return 0x7e00
	case 32:
		return 0x7fc00000
	}
	return 0x7ff8000000000000
}

// IsNaN is FIsNaN, also of 16 bits.
func IsNaN(c *smt.Context, t smt.Term) smt.Term {
	if c.Width(t) == 16 {
		return c.Ugt(c.Extract(t, 14, 0), c.Int(15, 0x7c00))
	}
	return c.FIsNaN(t)
}

// Signals tells whether a float is a signaling NaN: one without the quiet bit, which no operation yields.
func (f *Floats) Signals(t smt.Term) smt.Term {
	c := f.c
	switch t = f.Number(t); c.Op(t) {
	case smt.OpFAdd, smt.OpFSub, smt.OpFMul, smt.OpFDiv, smt.OpFRem, smt.OpFSqrt, smt.OpFFma, smt.OpFMin, smt.OpFMax,
		smt.OpSToF, smt.OpUToF, smt.OpFToF, smt.OpFRound:
		return c.False()
	}
	w := c.Width(t)
	quiet := bits.TrailingZeros64(quietNaN(w))
	return c.And(IsNaN(c, t), c.Eq(c.Extract(t, quiet, quiet), c.Int(1, 0)))
}

// NaN is one of w bits that does not signal.
func (f *Floats) NaN(w int) smt.Term { return f.c.Int(w, quietNaN(w)) }

// Any is a result, or a NaN with arbitrary bits where it is one.
func (f *Floats) Any(result, bits smt.Term) smt.Term {
	c := f.c
	pattern := c.BvOr(bits, c.Int(c.Width(result), quietNaN(c.Width(result))))
	f.nans[pattern] = true
	return c.Ite(IsNaN(c, result), pattern, result)
}

// Number is a term that differs from a float at most in the bits of a NaN: what Any has put beside it taken away.
func (f *Floats) Number(t smt.Term) smt.Term {
	c := f.c
	if len(f.nans) == 0 || c.Op(t) != smt.OpIte {
		return t
	}
	if n, ok := f.numbers[t]; ok {
		return n
	}
	cond, a, b := c.Arg(t, 0), c.Arg(t, 1), c.Arg(t, 2)
	n := t
	switch {
	case f.nans[a] && cond == IsNaN(c, b):
		n = f.Number(b)
	case f.nans[b] && cond == c.Not(IsNaN(c, a)):
		n = f.Number(a)
	default:
		n = c.Ite(cond, f.Number(a), f.Number(b))
	}
	f.numbers[t] = n
	return n
}

// Signed applies a function of a float's bits that changes the sign only, also that of a NaN.
func (f *Floats) Signed(t smt.Term, change func(smt.Term) smt.Term) smt.Term {
	c := f.c
	if c.Op(t) == smt.OpIte && f.nans[c.Arg(t, 1)] && c.Arg(t, 0) == IsNaN(c, c.Arg(t, 2)) {
		pattern, n := change(c.Arg(t, 1)), change(c.Arg(t, 2))
		f.nans[pattern] = true
		return c.Ite(IsNaN(c, n), pattern, n)
	}
	return change(t)
}
