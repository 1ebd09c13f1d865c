package smt

import "testing"

// TestProductsOfQuotients compares rewritten products of quotients with their values, for all operands.
func TestProductsOfQuotients(t *testing.T) {
	c := NewContext()
	x, a := c.Var("x", BV(3)), c.Var("a", BV(3))
	wide := c.Zext(a, 5)
	type product struct {
		term  Term
		value func(q, x, a uint64) uint64
	}
	products := []product{
		{c.Zext(c.Mul(a, c.Udiv(x, a)), 5), func(q, x, a uint64) uint64 { return a * q & 7 }},
		{c.Mul(wide, c.Zext(c.Udiv(x, a), 5)), func(q, x, a uint64) uint64 { return a * q & 31 }},
		{c.Mul(c.Zext(c.Udiv(c.Sub(x, c.Int(3, 1)), a), 5), wide), func(_, x,
			a uint64) uint64 {
			return a * quotient((x-1)&7, a, 7) & 31
		}},
		{c.Mul(c.Udiv(c.Zext(x, 5), wide), wide), func(_, x, a uint64) uint64 { return a * quotient(x, a, 31) & 31 }},
	}
	for _, k := range []uint64{1, 3, 30} {
		for _, d := range []uint64{0, 1, 7, 31} {
			sum := c.Add(c.Mul(c.Zext(c.Udiv(x, a), 5), c.Int(5, k)), c.Int(5, d))
			products = append(products, product{c.Mul(sum, wide), func(q, _, a uint64) uint64 { return (k*q + d) * a & 31 }})
		}
	}
	for _, p := range products {
		if hasProduct(c, p.term) {
			t.Errorf("a product is left in %s", c.String(p.term))
		}
		for v := range uint64(8) {
			for d := range uint64(8) {
				m := NewModel()
				m.SetVar(x, UintValue(3, v))
				m.SetVar(a, UintValue(3, d))
				if got, want := c.NewEvaluator(m).Eval(p.term), UintValue(5, p.value(quotient(v, d, 7), v, d)); !got.Equal(want) {
					t.Errorf("%s for x = %d, a = %d is %v, want %v", c.String(p.term), v, d, got, want)
				}
			}
		}
	}
}

// quotient returns SMT-LIB's quotient of numbers up to most.
func quotient(x, a, most uint64) uint64 {
	if a == 0 {
		return most
	}
	return x / a
}

// hasProduct reports whether two variable terms are multiplied somewhere in t.
func hasProduct(c *Context, t Term) bool {
	if c.Op(t) == OpMul && !c.IsConst(c.Arg(t, 1)) {
		return true
	}
	for _, a := range c.Args(t) {
		if hasProduct(c, a) {
			return true
		}
	}
	return false
}
