package smt

const maxParts = 8

func (c *Context) Not(a Term) Term {
	c.mustBool("Not", a)
	if c.nodes[a].op == OpNot {
		return c.arg0(a)
	}
	return c.mk(OpNot, Bool, 0, a)
}
func (c *Context) and2(a, b Term) Term {
	switch {
	case a == termTrue || a == b:
		return b
	case b == termTrue:
		return a
	case a == termFalse || b == termFalse || c.Not(a) == b:
		return termFalse
	}
	return c.mk(OpAnd, Bool, 0, a, b)
}
func (c *Context) And(ts ...Term) Term {
	c.mustBool("And", ts...)
	r := termTrue
	for _, t := range ts {
		r = c.and2(r, t)
	}
	return r
}
func (c *Context) Or(ts ...Term) Term {
	c.mustBool("Or", ts...)
	r := termTrue
	for _, t := range ts {
		r = c.and2(r, c.Not(t))
	}
	return c.Not(r)
}
func (c *Context) Xor(a, b Term) Term     { return c.Not(c.Iff(a, b)) }
func (c *Context) Implies(a, b Term) Term { return c.Or(c.Not(a), b) }
func (c *Context) Iff(a, b Term) Term {
	c.mustBool("Iff", a, b)
	return c.Eq(a, b)
}
func (c *Context) Ite(k, a, b Term) Term {
	c.mustBool("Ite", k)
	if c.Sort(a) != c.Sort(b) {
		panic("smt: Ite: branches of different sorts")
	}
	if k == termTrue || a == b {
		return a
	} else if k == termFalse {
		return b
	}
	return c.mk(OpIte, c.Sort(a), 0, k, a, b)
}
func (c *Context) Eq(a, b Term) Term {
	if c.Sort(a) != c.Sort(b) {
		panic("smt: Eq: different sorts")
	}
	if a == b {
		return termTrue
	}
	if c.IsConst(a) || !c.IsConst(b) && a > b {
		a, b = b, a
	}
	if b == termTrue {
		return a
	} else if b == termFalse {
		return c.Not(a)
	}
	return c.mk(OpEq, Bool, 0, a, b)
}
func (c *Context) Ne(a, b Term) Term  { return c.Not(c.Eq(a, b)) }
func (c *Context) Ult(a, b Term) Term { c.mustBV("Ult", a, b); return c.mk(OpUlt, Bool, 0, a, b) }
func (c *Context) Ule(a, b Term) Term { return c.Not(c.Ult(b, a)) }
func (c *Context) Ugt(a, b Term) Term { return c.Ult(b, a) }
func (c *Context) Uge(a, b Term) Term { return c.Not(c.Ult(a, b)) }
func (c *Context) Slt(a, b Term) Term { c.mustBV("Slt", a, b); return c.mk(OpSlt, Bool, 0, a, b) }
func (c *Context) Sle(a, b Term) Term { return c.Not(c.Slt(b, a)) }
func (c *Context) Sgt(a, b Term) Term { return c.Slt(b, a) }
func (c *Context) Sge(a, b Term) Term { return c.Not(c.Slt(a, b)) }
func (c *Context) bin(what string, op Op, a, b Term) Term {
	return c.mk(op, BV(c.mustBV(what, a, b)), 0, a, b)
}
func (c *Context) Add(a, b Term) Term {
	c.mustBV("Add", a, b)
	if z, ok := c.Uint64(b); ok && z == 0 {
		return a
	} else if z, ok := c.Uint64(a); ok && z == 0 {
		return b
	}
	return c.bin("Add", OpAdd, a, b)
}
func (c *Context) Mul(a, b Term) Term {
	if c.IsConst(a) {
		a, b = b, a
	}
	return c.bin("Mul", OpMul, a, b)
}
func (c *Context) Neg(a Term) Term      { return c.Mul(a, c.IntS(c.mustBV("Neg", a), -1)) }
func (c *Context) Sub(a, b Term) Term   { c.mustBV("Sub", a, b); return c.Add(a, c.Neg(b)) }
func (c *Context) Udiv(a, b Term) Term  { return c.bin("Udiv", OpUdiv, a, b) }
func (c *Context) Urem(a, b Term) Term  { return c.bin("Urem", OpUrem, a, b) }
func (c *Context) Sdiv(a, b Term) Term  { return c.bin("Sdiv", OpSdiv, a, b) }
func (c *Context) Srem(a, b Term) Term  { return c.bin("Srem", OpSrem, a, b) }
func (c *Context) BvAnd(a, b Term) Term { return c.bin("BvAnd", OpBvAnd, a, b) }
func (c *Context) BvOr(a, b Term) Term  { return c.bin("BvOr", OpBvOr, a, b) }
func (c *Context) BvXor(a, b Term) Term { return c.bin("BvXor", OpBvXor, a, b) }
func (c *Context) BvNot(a Term) Term    { return c.mk(OpBvNot, BV(c.mustBV("BvNot", a)), 0, a) }
func (c *Context) Shl(a, b Term) Term   { return c.bin("Shl", OpShl, a, b) }
func (c *Context) Lshr(a, b Term) Term  { return c.bin("Lshr", OpLshr, a, b) }
func (c *Context) Ashr(a, b Term) Term  { return c.bin("Ashr", OpAshr, a, b) }
func (c *Context) Concat(hi, lo Term) Term {
	return c.mk(OpConcat, BV(c.mustBV("Concat", hi)+c.mustBV("Concat", lo)), 0, hi, lo)
}
func (c *Context) Extract(t Term, hi, lo int) Term {
	w := c.mustBV("Extract", t)
	if lo < 0 || hi < lo || hi >= w {
		panic("smt: Extract: bounds")
	}
	if hi-lo+1 == w {
		return t
	}
	return c.mk(OpExtract, BV(hi-lo+1), uint64(hi)<<32|uint64(lo), t)
}
func (c *Context) Zext(t Term, w int) Term {
	if c.mustBV("Zext", t) == w {
		return t
	}
	return c.mk(OpZext, BV(w), 0, t)
}
func (c *Context) Sext(t Term, w int) Term {
	if c.mustBV("Sext", t) == w {
		return t
	}
	return c.mk(OpSext, BV(w), 0, t)
}
func (c *Context) BoolToBV(b Term, w int) Term { return c.Ite(b, c.Int(w, 1), c.Int(w, 0)) }
func (c *Context) BVToBool(t Term) Term        { return c.Ne(t, c.Int(c.Width(t), 0)) }

type Monomial struct {
	Coef uint64
	T    Term
}

func (c *Context) SumParts(t Term) (konst uint64, parts []Monomial) {
	return 0, []Monomial{{1, t}}
}
