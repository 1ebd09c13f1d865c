package guard

import (
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// maxLiterals bounds the conditions of a guard that are inspected.
const maxLiterals = 256

// Narrow returns t, a factor or an operand of a division, in as few bits as the branches of g permit. Behind `if (n ==
// 0) return`, n - 1 is no larger than n, though as a term it wraps for n = 0. The value of the result differs from t
// only off the path, on which it is not used. Only operations that are hard for solvers profit; elsewhere n - 1 + 1
// should simplify to n. done reports whether the result differs.
func (g *Guard) Narrow(c *smt.Context, t smt.Term) (narrow smt.Term, done bool) {
	w := c.Width(t)
	if w > 64 || c.Op(t) != smt.OpAdd {
		return t, false
	}
	konst, parts := c.SumParts(t)
	if w < 64 {
		konst = uint64(int64(konst<<(64-w)) >> (64 - w))
	}
	var from, take smt.Term
	switch {
	case len(parts) == 1 && parts[0].Coef == 1 && int64(konst) < 0:
		from, take = parts[0].T, c.IntS(w, -int64(konst))
		if g.atLeast(c, from) < -konst && g.atLeast(c, g.chosen(c, from)) < -konst {
			return t, false
		}
	case len(parts) == 2 && konst == 0:
		minus := smt.Term(0)
		for _, part := range parts {
			if part.Coef == 1 {
				from = part.T
			} else if part.Coef == ^uint64(0)>>(64-w) || part.Coef == ^uint64(0) {
				minus = part.T
			}
		}
		if from == 0 || minus == 0 || !g.Implies(c, c.Ule(minus, from)) {
			return t, false
		}
		take = minus
	default:
		return t, false
	}
	_, hi := c.Range(from)
	n := max(bits.Len64(hi), 1)
	if n >= w {
		return t, false
	}
	return c.Zext(c.Sub(c.Extract(from, n-1, 0), c.Extract(take, n-1, 0)), w), true
}

// Implies reports whether cond follows from single conditions of g; false if undecided.
func (g *Guard) Implies(c *smt.Context, cond smt.Term) bool {
	known := map[smt.Term]bool{c.True(): true}
	g.literals(c, func(lit smt.Term) { known[lit] = true })
	var follows, fails func(t smt.Term, depth int) bool
	follows = func(t smt.Term, depth int) bool {
		switch {
		case known[t]:
			return true
		case depth > 0 && c.Op(t) == smt.OpNot:
			return fails(c.Arg(t, 0), depth-1)
		case depth > 0 && c.Op(t) == smt.OpAnd:
			return follows(c.Arg(t, 0), depth-1) && follows(c.Arg(t, 1), depth-1)
		}
		return false
	}
	fails = func(t smt.Term, depth int) bool {
		switch {
		case known[c.Not(t)]:
			return true
		case depth > 0 && c.Op(t) == smt.OpNot:
			return follows(c.Arg(t, 0), depth-1)
		case depth > 0 && c.Op(t) == smt.OpAnd:
			return fails(c.Arg(t, 0), depth-1) || fails(c.Arg(t, 1), depth-1)
		}
		return false
	}
	return follows(cond, 8)
}

// chosen returns the alternative of an if-then-else that remains if g holds.
func (g *Guard) chosen(c *smt.Context, t smt.Term) smt.Term {
	w := c.Width(t)
	inner := t
	for c.Op(inner) == smt.OpZext {
		inner = c.Arg(inner, 0)
	}
	for c.Op(inner) == smt.OpIte {
		switch cond := c.Arg(inner, 0); {
		case g.Implies(c, cond):
			inner = c.Arg(inner, 1)
		case g.Implies(c, c.Not(cond)):
			inner = c.Arg(inner, 2)
		default:
			return c.Zext(inner, w)
		}
	}
	return c.Zext(inner, w)
}

// literals calls f with the last conditions of g, and with their conjuncts.
func (g *Guard) literals(c *smt.Context, f func(lit smt.Term)) {
	n := 0
	var each func(t smt.Term)
	each = func(t smt.Term) {
		if n++; n > maxLiterals {
			return
		}
		f(t)
		if c.Op(t) == smt.OpAnd {
			each(c.Arg(t, 0))
			each(c.Arg(t, 1))
		}
	}
	for ; g != nil && n < maxLiterals; g = g.parent {
		each(g.lit)
	}
}

// atLeast returns a lower bound of t (at most 64 bits, unsigned) if g holds.
func (g *Guard) atLeast(c *smt.Context, t smt.Term) uint64 {
	for c.Op(t) == smt.OpZext {
		t = c.Arg(t, 0)
	}
	low, _ := c.Range(t)
	isNot := map[uint64]bool{}
	g.literals(c, func(lit smt.Term) {
		not := c.Op(lit) == smt.OpNot
		if not {
			lit = c.Arg(lit, 0)
		}
		op := c.Op(lit)
		if op != smt.OpEq && op != smt.OpUlt {
			return
		}
		a, b := c.Arg(lit, 0), c.Arg(lit, 1)
		switch {
		case op == smt.OpEq && not:
			if k, ok := c.Uint64(b); ok && a == t {
				isNot[k] = true
			}
		case op == smt.OpUlt && not && a == t: // not below b
			k, _ := c.Range(b)
			low = max(low, k)
		case op == smt.OpUlt && !not && b == t: // above a
			k, _ := c.Range(a)
			low = max(low, k+1) // no k is the largest number: then a < t would be false
		}
	})
	for isNot[low] && low != ^uint64(0) {
		low++
	}
	return low
}
