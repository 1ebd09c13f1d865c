package smt

// A sum of a narrow type that is extended hides its parts: with w and n of 32 bits, zext(w + n) - zext(n) is no sum of
// which anything cancels, since w + n may wrap. Where a fact says that it does not, it is zext(w) + zext(n).

// carry rewrites extensions of a sum that a fact keeps from wrapping: of a >= b follows that zext(a) is zext(b) plus
// zext(a - b).
// Replaced is the one of the three whose parts the two others are made of. So what stands in the fact stands below what
// it replaces, and that below what it is replaced in: facts never rewrite each other in a circle, in which all of them
// would become true and be lost.
func (s *substitution) carry(f Term) {
	c := s.c
	if c.Op(f) != OpNot {
		return
	}
	f = c.Arg(f, 0)
	if c.Op(f) != OpUlt {
		return
	}
	a, b := c.Arg(f, 0), c.Arg(f, 1)
	w := c.Width(a)
	if w >= 64 || c.IsConst(a) || c.IsConst(b) {
		return
	}
	d := c.Sub(a, b)
	const wide = 64
	zext := func(t Term) Term { return c.Zext(t, wide) }
	replace := func(t, as Term) {
		if x := zext(t); c.Op(x) == OpZext && c.Arg(x, 0) == t {
			if _, twice := s.to[x]; !twice {
				s.to[x] = as
			}
		}
	}
	switch {
	case c.madeOf(a, b, d):
		replace(a, c.Add(zext(b), zext(d)))
	case c.madeOf(d, a, b):
		replace(d, c.Sub(zext(a), zext(b)))
	case c.madeOf(b, a, d):
		replace(b, c.Sub(zext(a), zext(d)))
	}
}

// madeOf tells whether a sum has more parts than two others, all of whose parts are parts of it.
func (c *Context) madeOf(t, x, y Term) bool {
	if c.Op(t) != OpAdd {
		return false
	}
	_, all := c.SumParts(t)
	part := func(o Term) bool {
		_, some := c.SumParts(o)
		if len(some) >= len(all) {
			return false
		}
		for _, p := range some {
			found := false
			for _, q := range all {
				found = found || p.T == q.T
			}
			if !found {
				return false
			}
		}
		return true
	}
	return part(x) && part(y)
}
