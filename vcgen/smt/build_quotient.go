package smt

// A solver divides bit by bit, and two divisions of related numbers have nothing in common for it: that done*100/total
// is at most 100 for done <= total takes it millions of conflicts. A comparison with a quotient is therefore rewritten
// to one of the dividend with a multiple of the divisor. If the multiple does not fit, it exceeds the dividend.

// ultQuotient rewrites a/b < k, unsigned. It holds for b = 0, too: all ones are not below k then, and a is not below 0.
// It returns 0 if q is no quotient, or the product may not fit.
func (c *Context) ultQuotient(q, k Term) Term {
	w := c.Width(q)
	if c.nodes[q].op != OpUdiv || w > 64 || c.nodes[k].op == OpUdiv {
		return 0
	}
	a, b := c.arg0(q), c.arg1(q)
	v, isConst := c.Uint64(k)
	switch {
	case isConst && (v == 0 || !c.use(ruleUltQuotient)):
		return 0
	case isConst:
		return c.Or(c.Ugt(b, c.Int(w, mask(w)/v)), c.Ult(a, c.Mul(b, k)))
	}
	if _, hi := c.Range(k); !c.productFits(b, hi) || !c.use(ruleUltQuotient) {
		return 0
	}
	return c.Ult(a, c.Mul(b, k))
}

// quotientUlt rewrites k < a/b, unsigned: b*(k+1) is at most a, also for b = 0. It returns 0 if q is no quotient, k is
// a constant, or the product may not fit.
func (c *Context) quotientUlt(k, q Term) Term {
	w := c.Width(q)
	if c.nodes[q].op != OpUdiv || w > 64 || c.nodes[k].op == OpUdiv || c.nodes[k].op == OpConst {
		return 0
	}
	a, b := c.arg0(q), c.arg1(q)
	_, hi := c.Range(k)
	if hi == mask(w) || !c.productFits(b, hi+1) || !c.use(ruleUltQuotient) {
		return 0
	}
	return c.Ule(c.Mul(b, c.Add(k, c.Int(w, 1))), a)
}

// eqQuotient rewrites a/b = k, for all b: b*k is at most a, and b*(k+1) exceeds it. It returns 0 if the product may not
// fit.
func (c *Context) eqQuotient(q, k Term) Term {
	over := c.ultQuotient(q, k)
	if over == 0 {
		return 0
	}
	if under := c.quotientUlt(k, q); under != 0 {
		return c.And(c.Not(over), c.Not(under))
	}
	return 0
}

// productFits reports whether the product of a term with numbers up to most fits in its width.
func (c *Context) productFits(t Term, most uint64) bool {
	_, hi := c.Range(t)
	product, ok := mulFits(hi, most)
	return ok && product <= mask(c.Width(t))
}

// sltQuotient rewrites a/b < k, signed, for all b. It returns 0 if q is no quotient.
func (c *Context) sltQuotient(q Term, k int64) Term {
	w := c.Width(q)
	least, most := -int64(mask(w-1))-1, int64(mask(w-1))
	if c.nodes[q].op != OpSdiv || w == 1 || w > 64 || k == least || !c.use(ruleSltQuotient) {
		return 0
	}
	a, b := c.arg0(q), c.arg1(q)
	times := func(k int64) Term { return c.Mul(b, c.IntS(w, k)) }
	var up, down Term // for positive and negative divisors
	if k > 0 {        // |a| < k*|b|, or the signs differ
		up = c.Or(c.Sgt(b, c.IntS(w, most/k)), c.Slt(a, times(k)))
		down = c.Or(c.Slt(b, c.IntS(w, least/k)), c.Sgt(a, times(k)))
	} else { // a/b <= m
		m := k - 1
		up = c.Sle(a, times(m))
		if m < -1 { // b = -1*b fits for all positive b
			up = c.And(c.Sle(b, c.IntS(w, least/m)), up)
		}
		down = c.And(c.Sge(b, c.IntS(w, most/m)), c.Sge(a, times(m)))
	}
	wraps := c.And(c.Eq(b, c.IntS(w, -1)), c.Eq(a, c.IntS(w, least))) // the quotient is the least number
	zero := c.Ite(c.Slt(a, c.Int(w, 0)), c.BoolConst(1 < k), c.BoolConst(-1 < k))
	return c.Ite(c.Sgt(b, c.Int(w, 0)), up, c.Ite(c.Eq(b, c.Int(w, 0)), zero, c.Or(wraps, down)))
}
