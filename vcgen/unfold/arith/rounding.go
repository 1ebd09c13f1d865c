package arith

import (
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Mantissa is the number of digits of a float, by its width: so many bits become a float without rounding.
var Mantissa = map[int]int{16: 11, 32: 24, 64: 53}

// NextRounded is the float that an operation may have as its result in a rounding mode instead of the one that is
// nearest to the exact result: the next one in the direction of the mode. In the modes to zero and down that of an
// infinite result is the largest number, and that of the sum +0 in the mode down is -0. Where there is no other, and of
// a NaN, it is nearest itself.
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
