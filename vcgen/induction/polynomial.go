package induction

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Limits of a polynomial.
const (
	maxMonomials = 64
	maxDegree    = 4
)

// polynomial is a sum of products of terms, modulo 2 to the power of their width. Two terms with the same polynomial
// are equal; a solver would have to derive that from the bits of two multiplications.
type polynomial map[string]monomial

// monomial is a factor with a product of terms that are no sums and no products, in ascending order.
type monomial struct {
	factor uint64
	terms  []smt.Term
}

// add adds a monomial. Factors are kept modulo 2^64, and so right modulo any smaller power.
func (p polynomial) add(m monomial) {
	key := fmt.Sprint(m.terms)
	m.factor += p[key].factor
	p[key] = m
}

// times returns a product; false if it is too large.
func (p polynomial) times(q polynomial) (polynomial, bool) {
	out := polynomial{}
	if len(p)*len(q) > maxMonomials*maxDegree {
		return nil, false
	}
	for _, a := range p {
		for _, b := range q {
			terms := slices.Concat(a.terms, b.terms)
			slices.Sort(terms)
			if len(terms) > maxDegree {
				return nil, false
			}
			out.add(monomial{a.factor * b.factor, terms})
		}
	}
	return out, len(out) <= maxMonomials
}

// polynomialOf returns the polynomial of a term of at most 64 bits; false if it is too large.
func polynomialOf(c *smt.Context, t smt.Term) (polynomial, bool) {
	if c.Op(t) == smt.OpMul && !c.IsConst(c.Arg(t, 0)) && !c.IsConst(c.Arg(t, 1)) {
		p, ok := polynomialOf(c, c.Arg(t, 0))
		if !ok {
			return nil, false
		}
		q, ok := polynomialOf(c, c.Arg(t, 1))
		if !ok {
			return nil, false
		}
		return p.times(q)
	}
	konst, parts := c.SumParts(t)
	out := polynomial{}
	out.add(monomial{factor: konst})
	for _, part := range parts {
		of := polynomial{}
		if part.T == t {
			of.add(monomial{1, []smt.Term{t}})
		} else {
			var ok bool
			if of, ok = polynomialOf(c, part.T); !ok {
				return nil, false
			}
		}
		for _, m := range of {
			out.add(monomial{part.Coef * m.factor, m.terms})
		}
	}
	return out, len(out) <= maxMonomials
}

// isZero reports whether a polynomial of terms of w bits is 0 whatever the values of its terms.
func (p polynomial) isZero(w int) bool {
	for _, m := range p {
		if m.factor<<(64-w) != 0 {
			return false
		}
	}
	return true
}
