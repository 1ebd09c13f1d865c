package smt

import (
	"strings"
	"testing"
)

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

// TestComparisonsOfQuotients compares rewritten comparisons of quotients with their values, for all operands.
func TestComparisonsOfQuotients(t *testing.T) {
	for _, w := range []int{2, 3, 4} {
		c := NewContext()
		x, a := c.Var("x", BV(w)), c.Var("a", BV(w))
		for k := range uint64(1) << w {
			terms := map[string]Term{"ult": c.Ult(c.Udiv(x, a), c.Int(w, k)), "slt": c.Slt(c.Sdiv(x, a), c.Int(w, k)),
				"sgt": c.Sgt(c.Sdiv(x, a), c.Int(w, k)), "zero": c.Eq(c.Udiv(x, a), c.Int(w, 0))}
			for name, term := range terms {
				if strings.Contains(c.String(term), "div") && !(name != "ult" && int64(k) == 1<<(w-1)) {
					t.Errorf("%s %d of %d bits: a quotient is left in %s", name, k, w, c.String(term))
				}
				for v := range uint64(1) << w {
					for d := range uint64(1) << w {
						m := NewModel()
						m.SetVar(x, UintValue(w, v))
						m.SetVar(a, UintValue(w, d))
						q, s := quotient(v, d, 1<<w-1), signedQuotient(v, d, w)
						want := map[string]bool{"ult": q < k, "slt": s < signExtend64(k, w), "sgt": s > signExtend64(k, w),
							"zero": q == 0}[name]
						if got := c.NewEvaluator(m).Eval(term); got.Bool() != want {
							t.Errorf("%s %d of %d bits for x = %d, a = %d is %v, want %v", name, k, w, v, d, got, want)
						}
					}
				}
			}
		}
	}
}

// signedQuotient returns SMT-LIB's signed quotient of numbers of w bits.
func signedQuotient(x, a uint64, w int) int64 {
	p, q := signExtend64(x, w), signExtend64(a, w)
	switch {
	case q == 0 && p < 0:
		return 1
	case q == 0:
		return -1
	}
	return signExtend64(uint64(p/q), w)
}

// TestQuotientsAndVariables compares rewritten comparisons of quotients with variables with their values.
func TestQuotientsAndVariables(t *testing.T) {
	c := NewContext()
	x, a, z := c.Var("x", BV(5)), c.Var("a", BV(2)), c.Var("z", BV(2))
	wide, bound := c.Zext(a, 5), c.Zext(z, 5)
	q := c.Udiv(x, wide)
	terms := []Term{c.Ult(q, bound), c.Ult(bound, q), c.Ult(q, c.Add(bound, c.Int(5, 1))), c.Ule(q, bound),
		c.Eq(q, bound)}
	for i, term := range terms {
		if strings.Contains(c.String(term), "div") {
			t.Errorf("a quotient is left in %s", c.String(term))
		}
		for v := range uint64(32) {
			for d := range uint64(4) {
				for k := range uint64(4) {
					m := NewModel()
					m.SetVar(x, UintValue(5, v))
					m.SetVar(a, UintValue(2, d))
					m.SetVar(z, UintValue(2, k))
					q := quotient(v, d, 31)
					want := []bool{q < k, k < q, q < k+1, q <= k, q == k}[i]
					if got := c.NewEvaluator(m).Eval(term); got.Bool() != want {
						t.Errorf("%s for x = %d, a = %d, z = %d is %v, want %v", c.String(term), v, d, k, got, want)
					}
				}
			}
		}
	}
	free := c.Var("free", BV(5))
	if term := c.Ult(q, free); !strings.Contains(c.String(term), "div") {
		t.Errorf("the product may not fit: %s", c.String(term))
	}
}
