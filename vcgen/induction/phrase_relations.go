package induction

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// relation is a comparison: a < b, or a <= b.
type relation struct {
	a, b         smt.Term
	less, signed bool
}

func (ph *phraser) relation(t smt.Term) (r relation, ok bool) {
	c := ph.c
	not := false
	if c.Op(t) == smt.OpNot {
		t, not = c.Arg(t, 0), true
	}
	switch c.Op(t) {
	case smt.OpUlt, smt.OpSlt:
		r = relation{c.Arg(t, 0), c.Arg(t, 1), true, c.Op(t) == smt.OpSlt}
	case smt.OpUle, smt.OpSle:
		r = relation{c.Arg(t, 0), c.Arg(t, 1), false, c.Op(t) == smt.OpSle}
	default:
		return r, false
	}
	if not {
		r.a, r.b, r.less = r.b, r.a, !r.less
	}
	return r, true
}

func (ph *phraser) term(r relation) smt.Term {
	c := ph.c
	switch {
	case r.less && r.signed:
		return c.Slt(r.a, r.b)
	case r.less:
		return c.Ult(r.a, r.b)
	case r.signed:
		return c.Sle(r.a, r.b)
	}
	return c.Ule(r.a, r.b)
}

// plainer returns equivalent bounds as a programmer would write them: without a common factor, i <= k for i-1 < k, and
// unsigned if the index is unsigned.
func (ph *phraser) plainer(list []smt.Term, signed bool) []smt.Term {
	c := ph.c
	var out []smt.Term
	for _, t := range list {
		r, ok := ph.relation(t)
		if !ok || c.Width(r.a) > 64 {
			out = append(out, t)
			continue
		}
		w := c.Width(r.a)
		ka, pa := c.SumParts(r.a)
		kb, pb := c.SumParts(r.b)
		factor := uint64(0)
		for _, p := range slices.Concat(pa, pb) {
			factor = gcd(factor, p.Coef)
		}
		if factor = gcd(gcd(factor, ka), kb); factor > 1 && factor < 1<<20 {
			divide := func(k uint64, parts []smt.Monomial) smt.Term {
				t := c.Int(w, k/factor)
				for _, p := range parts {
					t = c.Add(t, c.Mul(p.T, c.Int(w, p.Coef/factor)))
				}
				return t
			}
			r.a, r.b = divide(ka, pa), divide(kb, pb)
			ka, kb = ka/factor, kb/factor
		}
		one := c.Int(w, 1)
		minus := c.Neg(one)
		switch {
		case r.less && c.Int(w, ka) == minus:
			r.a, r.less = c.Add(r.a, one), false
		case !r.less && c.Int(w, kb) == minus:
			r.b, r.less = c.Add(r.b, one), true
		case r.less && c.Int(w, kb) == one && !c.IsConst(r.b):
			r.b, r.less = c.Sub(r.b, one), false
		}
		r.signed = r.signed && signed
		if t := ph.term(r); !c.IsTrue(t) {
			out = append(out, t)
		}
	}
	return out
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// disjuncts splits a disjunction into its parts.
func (ph *phraser) disjuncts(t smt.Term) []smt.Term {
	if a, b, ok := ph.c.AsOr(t); ok {
		return append(ph.disjuncts(a), ph.disjuncts(b)...)
	}
	return []smt.Term{t}
}
