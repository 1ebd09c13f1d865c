package unfold

import "github.com/unitproof/unitproof/vcgen/smt"

// guard is a path condition: a chain of branch conditions from the entry. Merging two
// guards that differ in the sense of one branch gives the guard before the branch, so a
// guard collapses at the post-dominator of the branch that made it.
type guard struct {
	t      smt.Term // the conjunction of the chain
	parent *guard   // nil for the root
	lit    smt.Term // last condition
	depth  int
}

func rootGuard(c *smt.Context) *guard { return &guard{t: c.True(), lit: c.True()} }

// extend returns g and lit; nil when that is false.
func (g *guard) extend(c *smt.Context, lit smt.Term) *guard {
	if c.IsTrue(lit) {
		return g
	}
	if c.IsFalse(lit) {
		return nil
	}
	t := c.And(g.t, lit)
	if c.IsFalse(t) {
		return nil
	}
	if t == g.t {
		return g
	}
	return &guard{t: t, parent: g, lit: lit, depth: g.depth + 1}
}

// since returns the conditions of g below its ancestor h.
func (g *guard) since(c *smt.Context, h *guard) smt.Term {
	var lits []smt.Term
	for x := g; x != h; x = x.parent {
		lits = append(lits, x.lit)
	}
	t := c.True()
	for i := len(lits) - 1; i >= 0; i-- {
		t = c.And(t, lits[i])
	}
	return t
}

func common(a, b *guard) *guard {
	for a != b {
		switch {
		case a.depth > b.depth:
			a = a.parent
		case b.depth > a.depth:
			b = b.parent
		default:
			a, b = a.parent, b.parent
		}
	}
	return a
}

// or returns the guard of a or b, which exclude each other, and the condition that tells
// a from b where one of them holds.
func or(c *smt.Context, a, b *guard) (g *guard, isA smt.Term) {
	if a == b {
		return a, c.True()
	}
	if a.parent == b.parent && a.parent != nil && a.lit == c.Not(b.lit) {
		return a.parent, a.lit
	}
	h := common(a, b)
	if h == a {
		return a, c.Not(b.since(c, a))
	}
	if h == b {
		return b, a.since(c, b)
	}
	ra, rb := a.since(c, h), b.since(c, h)
	lit := c.Or(ra, rb)
	if c.IsTrue(lit) {
		return h, ra
	}
	return &guard{t: c.And(h.t, lit), parent: h, lit: lit, depth: h.depth + 1}, ra
}
