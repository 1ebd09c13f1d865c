package ordering

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Limits of a polynomial.
const (
	maxMonomials     = 64
	maxDegree        = 4
	maxSubstitutions = 24
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

// IsZero reports whether a term of at most 64 bits is shown to be 0 as a polynomial.
func IsZero(c *smt.Context, t smt.Term) bool {
	p, ok := polynomialOf(c, t)
	return ok && p.isZero(c.Width(t))
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

// equation states that a variable equals a polynomial.
type equation struct {
	variable smt.Term
	is       polynomial
}

// solve solves p == 0, of terms of w bits, for the newest variable that has a factor of 1 or -1 and is in no product.
func (p polynomial) solve(c *smt.Context, w int) (e equation, ok bool) {
	sign := uint64(0)
	for _, m := range p {
		if one := signed(m.factor, w); len(m.terms) != 1 || one != 1 && one != -1 {
			continue
		}
		if v := m.terms[0]; v > e.variable && c.Op(v) == smt.OpVar && p.uses(v) == 1 {
			e.variable, sign = v, -m.factor
		}
	}
	if e.variable == 0 {
		return e, false
	}
	e.is = polynomial{}
	for _, m := range p {
		if len(m.terms) != 1 || m.terms[0] != e.variable {
			e.is.add(monomial{sign * m.factor, m.terms})
		}
	}
	return e, true
}

// uses returns the number of monomials that have a variable as a factor.
func (p polynomial) uses(variable smt.Term) (n int) {
	for _, m := range p {
		if m.factor != 0 && slices.Contains(m.terms, variable) {
			n++
		}
	}
	return n
}

// substitute replaces variables of w bits by what equations say of them, as often as its limits allow.
func (p polynomial) substitute(list map[smt.Term]polynomial, w int) polynomial {
	for range maxSubstitutions {
		out, some := polynomial{}, false
		for _, m := range p {
			at := slices.IndexFunc(m.terms, func(t smt.Term) bool { return list[t] != nil })
			if at < 0 || some {
				out.add(m)
				continue
			}
			some = true
			rest := polynomial{}
			rest.add(monomial{m.factor, slices.Delete(slices.Clone(m.terms), at, at+1)})
			by, ok := rest.times(list[m.terms[at]])
			if !ok {
				return p
			}
			for _, x := range by {
				out.add(x)
			}
		}
		for key, m := range out {
			if m.factor<<(64-w) == 0 {
				delete(out, key)
			}
		}
		if p = out; !some || len(p) > maxMonomials {
			break
		}
	}
	return p
}

// equations returns what the facts, and further ones, say of variables of w bits: by a == b, or by a <= b and b <= a.
func (x *Facts) equations(more []smt.Term, w int) map[smt.Term]polynomial {
	c := x.p.c
	out := map[smt.Term]polynomial{}
	add := func(a, b smt.Term) {
		if c.Width(a) != w {
			return
		}
		if p, ok := polynomialOf(c, c.Sub(a, b)); ok {
			if e, ok := p.substitute(out, w).solve(c, w); ok && out[e.variable] == nil {
				out[e.variable] = e.is
			}
		}
	}
	holds := map[smt.Term]bool{}
	for _, l := range slices.Concat(literals(c, c.And(more...)), x.atoms) {
		if !isComparison(c, l) {
			continue
		}
		holds[l] = true
		switch c.Op(l) {
		case smt.OpEq:
			add(c.Arg(l, 0), c.Arg(l, 1))
		case smt.OpNot: // b <= a
			l = c.Arg(l, 0)
			a, b := c.Arg(l, 0), c.Arg(l, 1)
			if c.Op(l) == smt.OpUlt && holds[c.Ule(a, b)] || c.Op(l) == smt.OpSlt && holds[c.Sle(a, b)] {
				add(a, b)
			}
		}
	}
	return out
}

// equal reports whether the facts, and further ones, are found to imply an equation of polynomials.
func (x *Facts) equal(goal smt.Term, more []smt.Term) bool {
	c := x.p.c
	if c.Op(goal) != smt.OpEq || !isComparison(c, goal) || c.Size(goal) > maxProverSize {
		return false
	}
	w := c.Width(c.Arg(goal, 0))
	p, ok := polynomialOf(c, c.Sub(c.Arg(goal, 0), c.Arg(goal, 1)))
	return ok && p.substitute(x.equations(more, w), w).isZero(w)
}
