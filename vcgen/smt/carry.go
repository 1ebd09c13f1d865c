package smt

// The extension of a narrow sum hides its parts: with w and n of 32 bits, nothing cancels in zext(w + n) - zext(n),
// because w + n may wrap around. If a fact excludes that, it is zext(w) + zext(n) - zext(n).

// carry rewrites extensions of sums that a fact keeps from wrapping: if a >= b, zext(a) is zext(b) plus zext(a - b).
//
// Of the terms a, b and a - b it replaces the one that has all parts of the other two. Thus the terms in a
// replacement are smaller than the replaced term, which is smaller than the terms that contain it. So facts never
// rewrite each other in a cycle, in which all of them would become true and be lost.
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

// madeOf reports whether the sum t has more parts than x and y, and all of their parts are parts of t.
func (c *Context) madeOf(t, x, y Term) bool {
	if c.Op(t) != OpAdd {
		return false
	}
	_, all := c.SumParts(t)
	part := func(o Term) bool {
		_, parts := c.SumParts(o)
		if len(parts) >= len(all) {
			return false
		}
		for _, p := range parts {
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
