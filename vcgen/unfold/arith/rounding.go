package arith

import (
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Mantissa maps the width of a float to its digits: an integer of so many bits is converted without rounding.
var Mantissa = map[int]int{16: 11, 32: 24, 64: 53}

// NextRounded returns the next float after nearest, the result in the mode to nearest, in the direction of another
// rounding mode. In the modes to zero and down, the result for infinity is the largest number. In the mode down, the
// result for a sum of +0 is -0. For a NaN, or if there is no other result, it is nearest itself.
func NextRounded(c *smt.Context, nearest, mode smt.Term) smt.Term {
	w := c.Width(nearest)
	infinity := map[int]uint64{16: 0x7c00, 32: 0x7f800000, 64: 0x7ff << 52}[w]
	sign := c.Extract(nearest, w-1, w-1)
	size := c.Extract(nearest, w-2, 0)
	negative, zero := c.Eq(sign, c.Int(1, 1)), c.Eq(size, c.Int(w-1, 0))
	is := func(m uint64) smt.Term { return c.Eq(mode, c.Int(32, m)) }

	// Away from zero the next pattern is one more, towards zero one less.
	away := c.Ite(c.Ult(size, c.Int(w-1, infinity)), c.Add(nearest, c.Int(w, 1)), nearest)
	towards := c.Ite(zero, nearest, c.Sub(nearest, c.Int(w, 1)))
	up := c.Ite(negative, towards, away)
	down := c.Ite(negative, away, c.Ite(zero, c.BvXor(nearest, c.Int(w, 1<<uint(w-1))), towards))
	next := c.Ite(is(language.RoundUp), up,
		c.Ite(is(language.RoundDown), down, c.Ite(is(language.RoundZero), towards, nearest)))
	return c.Ite(c.Ugt(size, c.Int(w-1, infinity)), nearest, next)
}
