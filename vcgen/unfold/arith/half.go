package arith

import "github.com/unitproof/unitproof/vcgen/smt"

// Terms have floats of 32 and 64 bits only. A float of 16 bits is converted to 32, and the result back to 16. The
// result is correctly rounded, since 24 digits are at least twice 11 plus 2 (Figueroa 1995). This does not hold for a
// fused multiplication and addition.

// Wide returns a float of at least 32 bits with the value of x.
func Wide(c *smt.Context, x smt.Term) smt.Term {
	if c.Width(x) == 16 {
		return c.FToF(x, 32)
	}
	return x
}

// Widely applies a function of floats, all of one width, to floats of any width.
func Widely(c *smt.Context, f func(xs ...smt.Term) smt.Term, xs ...smt.Term) smt.Term {
	if c.Width(xs[0]) != 16 {
		return f(xs...)
	}
	wide := make([]smt.Term, len(xs))
	for i, x := range xs {
		wide[i] = Wide(c, x)
	}
	return c.FToF(f(wide...), 16)
}

// Negated flips the sign bit of a float of any width, of a NaN too.
func Negated(c *smt.Context, x smt.Term) smt.Term {
	w := c.Width(x)
	return c.BvXor(x, c.Int(w, 1<<uint(w-1)))
}

// Magnitude clears the sign bit of a float of any width, of a NaN too.
func Magnitude(c *smt.Context, x smt.Term) smt.Term {
	w := c.Width(x)
	return c.BvAnd(x, c.Int(w, 1<<uint(w-1)-1))
}
