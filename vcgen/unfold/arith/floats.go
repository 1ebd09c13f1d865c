package arith

import (
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Compare returns a comparison of floats.
func (f *Floats) Compare(pred llvmir.Pred, x, y smt.Term) smt.Term {
	c := f.c
	x, y = Wide(c, f.Number(x)), Wide(c, f.Number(y))
	nan := c.Or(c.FIsNaN(x), c.FIsNaN(y))
	switch pred {
	case llvmir.PredFalse:
		return c.False()
	case llvmir.PredOEQ:
		return c.FEq(x, y)
	case llvmir.PredOGT:
		return c.FLt(y, x)
	case llvmir.PredOGE:
		return c.FLe(y, x)
	case llvmir.PredOLT:
		return c.FLt(x, y)
	case llvmir.PredOLE:
		return c.FLe(x, y)
	case llvmir.PredONE:
		return c.And(c.Not(nan), c.Not(c.FEq(x, y)))
	case llvmir.PredORD:
		return c.Not(nan)
	case llvmir.PredUEQ:
		return c.Or(nan, c.FEq(x, y))
	case llvmir.PredFUGT:
		return c.Not(c.FLe(x, y))
	case llvmir.PredFUGE:
		return c.Not(c.FLt(x, y))
	case llvmir.PredFULT:
		return c.Not(c.FLe(y, x))
	case llvmir.PredFULE:
		return c.Not(c.FLt(y, x))
	case llvmir.PredUNE:
		return c.Not(c.FEq(x, y))
	case llvmir.PredUNO:
		return nan
	default:
		return c.True()
	}
}

// FitsInt returns the condition that a float can be converted to an integer of w bits: it lies strictly between min-1
// and max+1. These bounds are powers of two and exact as floats, except for min-1 of wide types. Therefore the lower
// bound of signed types is min, for the truncated float.
func FitsInt(c *smt.Context, x smt.Term, w int, signed bool) smt.Term {
	x = Wide(c, x)
	fw := c.Width(x)
	pow := func(e int, negative bool) smt.Term { // +-2^e
		bias, mant := 127, 23
		if fw == 64 {
			bias, mant = 1023, 52
		}
		if e > bias {
			e = bias + 1 // infinity
		}
		bits := uint64(e+bias) << mant
		if negative {
			bits |= 1 << (fw - 1)
		}
		return c.Int(fw, bits)
	}
	if !signed {
		return c.And(c.FLt(c.FNeg(pow(0, false)), x), c.FLt(x, pow(w, false)))
	}
	return c.And(c.FLe(pow(w-1, true), c.FRound(smt.RoundTrunc, x)), c.FLt(x, pow(w-1, false)))
}

// InClass returns the condition that a float belongs to one of the classes.
func InClass(c *smt.Context, x smt.Term, classes language.FPClass) smt.Term {
	w := c.Width(x)
	negative := c.Eq(c.Extract(x, w-1, w-1), c.Int(1, 1))
	magnitude := c.Extract(x, w-2, 0)
	is := c.False()
	for _, part := range classes.Ranges(w) {
		in := c.And(c.Ule(c.Int(w-1, part.Least), magnitude), c.Ule(magnitude, c.Int(w-1, part.Most)))
		switch {
		case !part.Positive:
			in = c.And(in, negative)
		case !part.Negative:
			in = c.And(in, c.Not(negative))
		}
		is = c.Or(is, in)
	}
	return is
}

// OutsideDomain returns the condition that an operation that sets errno to EDOM has no result: the square root of a
// number below 0, or the remainder of an infinity or by 0.
func OutsideDomain(c *smt.Context, op language.Float, args ...smt.Term) smt.Term {
	w := c.Width(args[0])
	zero := c.Int(w, 0)
	if op == language.Sqrt {
		return c.FLt(args[0], zero)
	}
	infinity := c.Int(64, 0x7ff<<52)
	if w == 32 {
		infinity = c.Int(32, 0xff<<23)
	}
	x, y := args[0], args[1]
	return c.And(c.Not(c.FIsNaN(x)), c.Not(c.FIsNaN(y)), c.Or(c.FEq(c.FAbs(x), infinity), c.FEq(y, zero)))
}
