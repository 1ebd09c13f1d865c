package arith

import (
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// C and IEEE 754 leave the sign and the payload of a NaN that an operation returns to the machine: 0.0/0.0 is negative
// on x86 and positive on ARM. Terms have a single NaN, so a program that inspects the bits could be proved to see one
// pattern only. Therefore a result that may be a NaN gets arbitrary bits,
//
//	ite(isNaN(r), pattern, r)
//
// Code that inspects the bits reads this term. Arithmetic, whose result is the same for every NaN, continues with r.

// Floats holds the floats of one execution that may be NaN.
type Floats struct {
	c *smt.Context
	// nans are the arbitrary patterns of NaN results. numbers maps floats to the terms without these patterns.
	nans    map[smt.Term]bool
	numbers map[smt.Term]smt.Term
}

// NewFloats returns a Floats without any NaN.
func NewFloats(c *smt.Context) *Floats {
	return &Floats{c: c, nans: map[smt.Term]bool{}, numbers: map[smt.Term]smt.Term{}}
}

// quietNaN returns the bits that every NaN of an operation contains: exponent and quiet bit.
func quietNaN(w int) uint64 {
	switch w {
	case 16:
		return 0x7e00
	case 32:
		return 0x7fc00000
	}
	return 0x7ff8000000000000
}

// IsNaN is FIsNaN, extended to 16 bits.
func IsNaN(c *smt.Context, t smt.Term) smt.Term {
	if c.Width(t) == 16 {
		return c.Ugt(c.Extract(t, 14, 0), c.Int(15, 0x7c00))
	}
	return c.FIsNaN(t)
}

// Signals returns the condition that a float is a signaling NaN: one without the quiet bit. No operation returns one.
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

// NaN returns a quiet NaN of w bits.
func (f *Floats) NaN(w int) smt.Term { return f.c.Int(w, quietNaN(w)) }

// Any returns a result, with arbitrary bits if it is a NaN.
func (f *Floats) Any(result, bits smt.Term) smt.Term {
	c := f.c
	pattern := c.BvOr(bits, c.Int(c.Width(result), quietNaN(c.Width(result))))
	f.nans[pattern] = true
	return c.Ite(IsNaN(c, result), pattern, result)
}

// Number returns a float without the pattern that Any has added; it differs at most in the bits of a NaN.
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

// Signed applies a function that changes only the sign bit of a float, including that of a NaN.
func (f *Floats) Signed(t smt.Term, change func(smt.Term) smt.Term) smt.Term {
	c := f.c
	if c.Op(t) == smt.OpIte && f.nans[c.Arg(t, 1)] && c.Arg(t, 0) == IsNaN(c, c.Arg(t, 2)) {
		pattern, n := change(c.Arg(t, 1)), change(c.Arg(t, 2))
		f.nans[pattern] = true
		return c.Ite(IsNaN(c, n), pattern, n)
	}
	return change(t)
}
