// Package guard represents path conditions as chains of branch conditions (guard.go), and derives bounds of numbers
// from them (narrow.go).
//
//	if (a) {         // guard a
//	  if (b) return; // guard a, b
//	  x();           // guard a, !b
//	}
//	y();             // guard !(a && b)
//
// A Guard is immutable. Root is the guard of the entry, Extend adds a branch condition, Or merges two guards.
//
// The package uses neither states nor instructions.
package guard

import "github.com/unitproof/unitproof/vcgen/smt"

// Guard is a path condition: a chain of branch conditions from the entry. Merging two guards that differ only in the
// direction of one branch returns the guard before the branch. So a guard collapses at the post-dominator of the
// branch that extended it.
type Guard struct {
	T      smt.Term // the conjunction of the chain
	parent *Guard   // nil for the root
	lit    smt.Term // last condition
	depth  int
}

// Root is the guard of the entry.
func Root(c *smt.Context) *Guard { return &Guard{T: c.True(), lit: c.True()} }

// Extend returns the conjunction of g and lit; nil if it is false.
func (g *Guard) Extend(c *smt.Context, lit smt.Term) *Guard {
	if c.IsTrue(lit) {
		return g
	}
	if c.IsFalse(lit) {
		return nil
	}
	t := c.And(g.T, lit)
	if c.IsFalse(t) {
		return nil
	}
	if t == g.T {
		return g
	}
	return &Guard{T: t, parent: g, lit: lit, depth: g.depth + 1}
}

// Since returns the conjunction of the conditions of g after its ancestor h.
func (g *Guard) Since(c *smt.Context, h *Guard) smt.Term {
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

// Extends reports whether g or one of its ancestors is among guards.
func (g *Guard) Extends(guards map[*Guard]bool) bool {
	for ; g != nil; g = g.parent {
		if guards[g] {
			return true
		}
	}
	return false
}

// Common returns the longest common prefix of two guards.
func Common(a, b *Guard) *Guard {
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

// Or returns the disjunction of a and b, which exclude each other. isA distinguishes a from b if one of them holds.
func Or(c *smt.Context, a, b *Guard) (g *Guard, isA smt.Term) {
	if a == b {
		return a, c.True()
	}
	if a.parent == b.parent && a.parent != nil && a.lit == c.Not(b.lit) {
		return a.parent, a.lit
	}
	h := Common(a, b)
	if h == a {
		return a, c.Not(b.Since(c, a))
	}
	if h == b {
		return b, a.Since(c, b)
	}
	ra, rb := a.Since(c, h), b.Since(c, h)
	lit := c.Or(ra, rb)
	if c.IsTrue(lit) {
		return h, ra
	}
	return &Guard{T: c.And(h.T, lit), parent: h, lit: lit, depth: h.depth + 1}, ra
}
