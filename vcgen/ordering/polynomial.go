package ordering

import (
	"fmt"
	"maps"
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
		for _, key := range slices.Sorted(maps.Keys(p)) {
			m := p[key]
			at := slices.IndexFunc(m.terms, func(t smt.Term) bool { return list[t] != nil })
			if at < 0 || some || m.factor<<(64-w) == 0 {
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
		if p = out; !some || len(p) > maxMonomials {
			break
		}
	}
	return p
}

// equations are what conditions say of variables of one width.
type equations struct {
	x     *Facts
	w     int
	holds map[smt.Term]bool // the comparisons so far
	list  map[smt.Term]polynomial
}

// equations returns the equations of the facts between numbers of w bits.
func (x *Facts) equations(w int) *equations {
	e := x.equal[w]
	if e == nil {
		e = &equations{x, w, map[smt.Term]bool{}, map[smt.Term]polynomial{}}
		e.add(x.atoms)
		x.equal[w] = e
	}
	return e
}

// with returns these equations and those of further conditions.
func (e *equations) with(more []smt.Term) *equations {
	if len(more) == 0 {
		return e
	}
	out := &equations{e.x, e.w, maps.Clone(e.holds), maps.Clone(e.list)}
	out.add(literals(e.x.p.c, e.x.p.c.And(more...)))
	return out
}

// add adds the equations that follow from comparisons: from a == b, or from a <= b and b <= a. Each is reduced by those
// before it.
func (e *equations) add(comparisons []smt.Term) {
	c := e.x.p.c
	for _, l := range comparisons {
		if !isComparison(c, l) {
			continue
		}
		e.holds[l] = true
		t := l
		if c.Op(l) == smt.OpNot { // b <= a
			t = c.Arg(l, 0)
		}
		a, b := c.Arg(t, 0), c.Arg(t, 1)
		switch op := c.Op(t); {
		case c.Width(a) != e.w, (op == smt.OpEq) != (t == l):
			continue
		case op == smt.OpUlt && !e.holds[c.Ule(a, b)], op == smt.OpSlt && !e.holds[c.Sle(a, b)]:
			continue
		}
		e.x.work++
		if p, ok := polynomialOf(c, c.Sub(a, b)); ok {
			if s, ok := p.substitute(e.list, e.w).solve(c, e.w); ok && e.list[s.variable] == nil {
				e.list[s.variable] = s.is
			}
		}
	}
}

// equals reports whether the facts, and further ones, are found to imply an equation of polynomials.
func (x *Facts) equals(goal smt.Term, more []smt.Term) bool {
	c := x.p.c
	if c.Op(goal) != smt.OpEq || !isComparison(c, goal) || c.Size(goal) > maxProverSize {
		return false
	}
	w := c.Width(c.Arg(goal, 0))
	x.work++
	p, ok := polynomialOf(c, c.Sub(c.Arg(goal, 0), c.Arg(goal, 1)))
	return ok && p.substitute(x.equations(w).with(more).list, w).isZero(w)
}
