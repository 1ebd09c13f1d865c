package unfold

import "github.com/unitproof/unitproof/vcgen/smt"

// constantOverflow is overflowing where one operand is a constant of at most 64 bits: the result fits where the other
// operand lies in an interval. Comparisons with constants are settled by ranges, and two of them by each other, where
// sums in a wider type would be compared bit by bit. overflow is 0 where no operand is a constant.
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
