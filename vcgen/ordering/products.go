package ordering

import "github.com/unitproof/unitproof/vcgen/smt"

// maxProducts bounds the products of a query that are compared with each other.
const maxProducts = 12

// Products returns clauses about products with a common factor: if x < y, then x*f + f <= y*f, as long as y and f have
// at most half of the bits, so that nothing wraps. They show that an element m[i*c + j] of a matrix is within r*c
// elements, from i < r and j < c. A solver would derive that from the bits of two multiplications. Each clause is true
// for all values of variables and functions.
func Products(c *smt.Context, facts []smt.Term) (out []smt.Term) {
	var products []smt.Term
	for _, t := range c.Cone(facts...) {
		if c.Op(t) == smt.OpMul && !c.IsConst(c.Arg(t, 1)) && c.Width(t) <= 64 && len(products) < maxProducts {
			products = append(products, t)
		}
	}
	for _, p := range products {
		for _, q := range products {
			if p == q || c.Width(p) != c.Width(q) {
				continue
			}
			for k := range 2 {
				for l := range 2 {
					f := c.Arg(p, 1-k)
					if f == c.Arg(q, 1-l) {
						out = append(out, less(c, p, q, c.Arg(p, k), c.Arg(q, l), f)...)
					}
				}
			}
		}
	}
	return out
}

// less returns the clauses for two products p = x*f and q = y*f.
func less(c *smt.Context, p, q, x, y, f smt.Term) (out []smt.Term) {
	w := c.Width(p)
	half := c.Int(w, 1<<(w/2))
	if w < 2 {
		return nil
	}
	open := c.Or(c.Not(c.Ult(x, y)), c.Not(c.Ult(y, half)), c.Not(c.Ult(f, half)))
	next := c.Add(p, f)
	for _, t := range []smt.Term{c.Ule(p, next), c.Ule(next, q)} {
		if t = c.Or(open, t); !c.IsTrue(t) {
			out = append(out, t)
		}
	}
	return out
}
