package quantify

import (
	"cmp"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// solving searches values of variables for which a term equals another.
type solving struct {
	c    *smt.Context
	vars []smt.Term
	// syntactic: sums are divided summand by summand, and inexact is set if that leaves a remainder. Otherwise sums
	// are divided as numbers.
	syntactic, inexact bool
	values             map[smt.Term]smt.Term
}

// solve solves x = y for the variables and reports whether it found values. They need not be a solution, since any
// instance is true.
func (s *solving) solve(x, y smt.Term) bool {
	c := s.c
	if slices.Contains(s.vars, x) {
		if _, twice := s.values[x]; !twice {
			s.values[x] = y
		}
		return true
	}
	w := c.Width(x)
	switch c.Op(x) {
	case smt.OpZext, smt.OpSext:
		in := c.Arg(x, 0)
		return s.solve(in, c.Extract(y, c.Width(in)-1, 0))
	case smt.OpExtract:
		in := c.Arg(x, 0)
		hi, lo := c.ExtractBounds(x)
		if lo != 0 || hi >= c.Width(in) {
			return false
		}
		return s.solve(in, c.Sext(y, c.Width(in)))
	case smt.OpConcat: // a shift by a constant
		hi, lo := c.Arg(x, 0), c.Arg(x, 1)
		switch {
		case !speaks(c, lo, s.vars):
			return s.solve(hi, c.Extract(y, w-1, c.Width(lo)))
		case !speaks(c, hi, s.vars):
			return s.solve(lo, c.Extract(y, c.Width(lo)-1, 0))
		}
		return s.solve(hi, c.Extract(y, w-1, c.Width(lo))) && s.solve(lo, c.Extract(y, c.Width(lo)-1, 0))
	case smt.OpAdd, smt.OpMul, smt.OpBvNot:
	default:
		return false
	}
	if w > 64 {
		return false
	}
	konst, parts := c.SumParts(x)
	var open []smt.Monomial
	rest := c.Int(w, konst)
	for _, p := range parts {
		if speaks(c, p.T, s.vars) {
			open = append(open, p)
		} else {
			rest = c.Add(rest, c.Mul(p.T, c.Int(w, p.Coef)))
		}
	}
	if len(open) == 1 && open[0].T == x {
		return false
	}
	slices.SortStableFunc(open, func(a, b smt.Monomial) int {
		return cmp.Compare(magnitude(b.Coef, w), magnitude(a.Coef, w))
	})
	difference := c.Sub(y, rest)
	for i, p := range open {
		k := magnitude(p.Coef, w)
		quotient, remainder := s.divide(difference, k, w, i == len(open)-1)
		if uint64(k)&(1<<w-1) != p.Coef && k != 1<<(w-1) { // p.Coef is below zero
			quotient = c.Neg(quotient)
		}
		if !s.solve(p.T, quotient) {
			return false
		}
		difference = remainder
	}
	return len(open) > 0
}

// divide divides by a constant. last: the remainder is not used.
func (s *solving) divide(t smt.Term, by int64, w int, last bool) (quotient, remainder smt.Term) {
	c := s.c
	if by == 1 {
		return t, c.Int(w, 0)
	}
	d := c.Int(w, uint64(by))
	if !s.syntactic {
		return c.Udiv(t, d), c.Urem(t, d)
	}
	konst, parts := c.SumParts(t)
	signed := int64(konst<<(64-w)) >> (64 - w)
	factor := signed / by
	if signed%by < 0 {
		factor--
	}
	quotient, remainder = c.IntS(w, factor), c.IntS(w, signed-factor*by)
	for _, p := range parts {
		coef := int64(p.Coef<<(64-w)) >> (64 - w)
		if coef%by == 0 {
			quotient = c.Add(quotient, c.Mul(p.T, c.IntS(w, coef/by)))
		} else {
			remainder = c.Add(remainder, c.Mul(p.T, c.IntS(w, coef)))
		}
	}
	if last && !c.IsConst(remainder) {
		s.inexact = true
		return c.Udiv(t, d), c.Int(w, 0)
	}
	return quotient, remainder
}
