package unfold

import (
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// C and IEEE 754 leave the sign and the payload of a NaN that an operation yields to the machine (0.0/0.0 is negative
// on x86 and positive on ARM). The terms have one NaN, so a program that looks at the bits could be proved to see
// these. Hence a result that may be a NaN carries arbitrary bits beside it,
//
//	ite(isNaN(r), pattern, r)
//
// for whoever looks at bits, and arithmetic, which gives the same for every NaN, goes on with r.

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

// isNaN is FIsNaN, also of 16 bits.
func (r *run) isNaN(t smt.Term) smt.Term {
	if c := r.c; c.Width(t) == 16 {
		return c.Ugt(c.Extract(t, 14, 0), c.Int(15, 0x7c00))
	}
	return r.c.FIsNaN(t)
}

// computed is the result of a floating-point operation: any NaN where it is one.
func (fr *frame) computed(in *llvmir.Instr, p *path, result smt.Term) smt.Term {
	r, c := fr.r, fr.r.c
	nan := r.isNaN(result)
	if p == nil || c.IsFalse(nan) {
		return result
	}
	w := c.Width(result)
	choice := r.input(choice.Undef, p, in.ID, "NaN")
	choice.Guard = c.And(choice.Guard, nan)
	choice.Value = c.Var(choice.Name, smt.BV(w))
	pattern := c.BvOr(choice.Value, c.Int(w, quietNaN(w)))
	r.nans[pattern] = true
	return c.Ite(nan, pattern, result)
}

// extreme is fmin or fmax. Which of two zeros of different sign it yields is left open, too.
func (fr *frame) extreme(in *llvmir.Instr, p *path, f func(x, y smt.Term) smt.Term, x, y smt.Term) smt.Term {
	r, c := fr.r, fr.r.c
	x, y = r.number(x), r.number(y)
	result := fr.computed(in, p, f(x, y))
	zeros := c.And(c.FEq(x, y), c.Ne(x, y))
	if p == nil || c.IsFalse(zeros) {
		return result
	}
	choice := r.input(choice.Undef, p, in.ID, "zero")
	choice.Guard = c.And(choice.Guard, zeros)
	choice.Value = c.Var(choice.Name, smt.BV(1))
	return c.Ite(zeros, c.Ite(c.Eq(choice.Value, c.Int(1, 1)), y, x), result)
}

// number is a term that differs from a float at most in the bits of a NaN: what computed has put beside it taken away.
func (r *run) number(t smt.Term) smt.Term {
	c := r.c
	if len(r.nans) == 0 || c.Op(t) != smt.OpIte {
		return t
	}
	if n, ok := r.numbers[t]; ok {
		return n
	}
	cond, a, b := c.Arg(t, 0), c.Arg(t, 1), c.Arg(t, 2)
	n := t
	switch {
	case r.nans[a] && cond == r.isNaN(b):
		n = r.number(b)
	case r.nans[b] && cond == c.Not(r.isNaN(a)):
		n = r.number(a)
	default:
		n = c.Ite(cond, r.number(a), r.number(b))
	}
	r.numbers[t] = n
	return n
}

// signed applies a function of a float's bits that changes the sign only, also that of a NaN.
func (r *run) signed(t smt.Term, f func(smt.Term) smt.Term) smt.Term {
	c := r.c
	if c.Op(t) == smt.OpIte && r.nans[c.Arg(t, 1)] && c.Arg(t, 0) == r.isNaN(c.Arg(t, 2)) {
		pattern, n := f(c.Arg(t, 1)), f(c.Arg(t, 2))
		r.nans[pattern] = true
		return c.Ite(r.isNaN(n), pattern, n)
	}
	return f(t)
}
