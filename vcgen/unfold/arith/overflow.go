package arith

import (
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Overflowing returns the result of sadd, uadd, ssub, usub, smul or umul, and whether it overflows.
func Overflowing(c *smt.Context, op string, x, y smt.Term) (result, overflow smt.Term) {
	if c.Sort(x).IsBool() {
		result, overflow = Overflowing(c, op, Bits(c, x), Bits(c, y))
		return c.BVToBool(result), overflow
	}
	w := c.Width(x)
	signed := op[0] == 's'
	if result, overflow = constantOverflow(c, op, x, y); overflow != 0 {
		return result, overflow
	}
	wider := w + 1
	if op[1:] == "mul" {
		wider = 2 * w
	}
	ext := func(t smt.Term) smt.Term {
		if signed {
			return c.Sext(t, wider)
		}
		return c.Zext(t, wider)
	}
	switch op {
	case "uadd":
		result = c.Add(x, y)
		return result, c.Ult(result, x)
	case "usub":
		return c.Sub(x, y), c.Ult(x, y)
	case "sadd":
		result = c.Add(x, y)
	case "ssub":
		result = c.Sub(x, y)
	default:
		result = c.Mul(x, y)
	}
	var exact smt.Term
	switch op[1:] {
	case "add":
		exact = c.Add(ext(x), ext(y))
	case "sub":
		exact = c.Sub(ext(x), ext(y))
	default:
		exact = c.Mul(ext(x), ext(y))
	}
	return result, c.Ne(exact, ext(result))
}

// SmallFactors reports whether the ranges of two factors exclude overflow, with a sign and without.
func SmallFactors(c *smt.Context, x, y smt.Term) bool {
	if c.Width(x) > 64 {
		return false
	}
	_, a := c.Range(x)
	_, b := c.Range(y)
	hi, lo := bits.Mul64(a, b)
	return hi == 0 && lo>>(c.Width(x)-1) == 0
}

// Saturating returns sadd, uadd, ssub or usub, limited to the range of the type.
func Saturating(c *smt.Context, op string, x, y smt.Term) smt.Term {
	w := c.Width(x)
	t, overflow := Overflowing(c, op, x, y)
	limit := c.Int(w, 0) // usub
	switch {
	case op == "uadd":
		limit = c.BvNot(c.Int(w, 0))
	case op[0] == 's':
		lowest := c.Shl(c.Int(w, 1), c.Int(w, uint64(w-1)))
		limit = c.Ite(c.Slt(x, c.Int(w, 0)), lowest, c.BvNot(lowest))
	}
	return c.Ite(overflow, limit, t)
}

// constantOverflow is Overflowing for one constant operand of at most 64 bits: the result fits if the other operand is
// in an interval. Range analysis decides comparisons with constants, and relates two of them, whereas sums in a wider
// type would be compared bit by bit. overflow is 0 if no operand is a constant.
func constantOverflow(c *smt.Context, op string, x, y smt.Term) (result, overflow smt.Term) {
	w := c.Width(x)
	if w > 64 {
		return 0, 0
	}
	if c.IsConst(x) && op[1:] != "sub" {
		x, y = y, x
	}
	if op[0] == 'u' {
		most := ^uint64(0) >> (64 - w)
		k, ok := c.Uint64(y)
		switch {
		case !ok:
			return 0, 0
		case op == "uadd":
			return c.Add(x, y), c.Ugt(x, c.Int(w, most-k))
		case op == "umul" && k == 0:
			return y, c.False()
		case op == "umul":
			return c.Mul(x, y), c.Ugt(x, c.Int(w, most/k))
		}
		return 0, 0
	}
	most := int64(^uint64(0) >> (65 - w))
	least := -most - 1
	below := func(t smt.Term, k int64) smt.Term { return c.Slt(t, c.IntS(w, k)) }
	above := func(t smt.Term, k int64) smt.Term { return c.Slt(c.IntS(w, k), t) }
	k, constant := c.Int64(y)
	switch op {
	case "sadd":
		switch result = c.Add(x, y); {
		case constant && k >= 0:
			return result, above(x, most-k)
		case constant:
			return result, below(x, least-k)
		}
	case "ssub":
		result = c.Sub(x, y)
		from, minuend := c.Int64(x)
		switch {
		case constant && k >= 0:
			return result, below(x, least+k)
		case constant:
			return result, above(x, most+k)
		case minuend && from >= 0:
			return result, below(y, from-most)
		case minuend:
			return result, above(y, from-least)
		}
	case "smul":
		switch result = c.Mul(x, y); {
		case constant && k == 0:
			return result, c.False()
		case constant && k == -1:
			return result, c.Eq(x, c.IntS(w, least))
		case constant && k > 0: // divisions round to the inside
			return result, c.Or(below(x, least/k), above(x, most/k))
		case constant:
			return result, c.Or(below(x, most/k), above(x, least/k))
		}
	}
	return 0, 0
}
