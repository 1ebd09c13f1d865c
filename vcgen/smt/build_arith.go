package smt

import "math/bits"

// Add returns a+b.
func (c *Context) Add(a, b Term) Term {
	w := c.mustBV("Add", a, b)
	if w <= 64 {
		return c.sum(w, a, 1, b, 1)
	}
	return c.addWide(w, a, b)
}

// Sub returns a-b.
func (c *Context) Sub(a, b Term) Term {
	w := c.mustBV("Sub", a, b)
	if w <= 64 {
		return c.sum(w, a, 1, b, mask(w))
	}
	if a == b && c.use(ruleSubSelfWide) {
		return c.Int(w, 0)
	}
	if x, ok := c.narrowU(a); ok {
		if y, ok := c.narrowU(b); ok && c.nodes[x].lo >= c.nodes[y].hi && c.use(ruleSubNarrowUnsigned) {
			return c.Zext(c.Sub(x, y), w)
		}
	}
	if x, ok := c.narrowS(a); ok {
		if y, ok := c.narrowS(b); ok {
			xl, xh := c.SignedRange(x)
			yl, yh := c.SignedRange(y)
			if halved(xl, xh) && halved(yl, yh) && c.use(ruleSubNarrowSigned) {
				return c.Sext(c.Sub(x, y), w)
			}
		}
	}
	return c.addWide(w, a, c.Neg(b))
}

// halved reports whether sums and differences of two numbers in [lo, hi] fit in 64 bits.
func halved(lo, hi int64) bool { return lo >= -1<<62 && hi < 1<<62 }

// Neg returns -a.
func (c *Context) Neg(a Term) Term {
	w := c.mustBV("Neg", a)
	if w <= 64 {
		l := linear{w: w}
		c.addLinear(&l, a, mask(w))
		return c.fromLinear(&l)
	}
	return c.Mul(a, c.IntS(w, -1))
}

// BvNot returns the bitwise complement.
func (c *Context) BvNot(a Term) Term {
	w := c.mustBV("BvNot", a)
	if w <= 64 {
		if r := c.overIte(ruleNotChoice, a, c.BvNot); r != 0 {
			return r
		}
		l := linear{w: w, konst: mask(w)}
		c.addLinear(&l, a, mask(w))
		return c.fromLinear(&l)
	}
	if c.nodes[a].op == OpBvNot && c.use(ruleNotNotWide) {
		return c.arg0(a)
	}
	return c.mk(OpBvNot, Sort(w), 0, a)
}

// addWide adds operands of more than 64 bits.
//
// It collects constants and cancels x + -x. If the values are known to fit, it builds the sum in 64 bits.
func (c *Context) addWide(w int, a, b Term) Term {
	if c.nodes[a].op == OpConst {
		a, b = b, a
	}
	if c.isZero(b) && c.use(ruleAddZeroWide) {
		return a
	}
	if x, ok := c.narrowU(a); ok {
		if y, ok := c.narrowU(b); ok {
			s, carry := bits.Add64(c.nodes[x].hi, c.nodes[y].hi, 0)
			if carry == 0 && s != ^uint64(0) && c.use(ruleAddNarrowUnsigned) {
				return c.Zext(c.Add(x, y), w)
			}
		}
	}
	if x, ok := c.narrowS(a); ok {
		if y, ok := c.narrowS(b); ok {
			xl, xh := c.SignedRange(x)
			yl, yh := c.SignedRange(y)
			if halved(xl, xh) && halved(yl, yh) && c.use(ruleAddNarrowSigned) {
				return c.Sext(c.Add(x, y), w)
			}
		}
	}
	if c.nodes[a].op == OpAdd && c.nodes[c.arg1(a)].op == OpConst && c.use(ruleAddGatherWide) {
		if c.nodes[b].op == OpConst {
			return c.addWide(w, c.arg0(a), c.mk(OpAdd, Sort(w), 0, c.arg1(a), b))
		}
		return c.addWide(w, c.addWide(w, c.arg0(a), b), c.arg1(a))
	}
	if c.nodes[b].op == OpAdd && c.nodes[c.arg1(b)].op == OpConst && c.use(ruleAddGatherWide) {
		return c.addWide(w, c.addWide(w, a, c.arg0(b)), c.arg1(b))
	}
	if (c.isNegOf(a, b) || c.isNegOf(b, a)) && c.use(ruleAddNegationWide) {
		return c.Int(w, 0)
	}
	// a + (b - a) = b, a + (-a + b) = b
	for range 2 {
		if c.nodes[b].op == OpAdd {
			x, y := c.arg0(b), c.arg1(b)
			if (c.isNegOf(a, x) || c.isNegOf(x, a)) && c.use(ruleAddDifferenceWide) {
				return y
			}
			if (c.isNegOf(a, y) || c.isNegOf(y, a)) && c.use(ruleAddDifferenceWide) {
				return x
			}
		}
		a, b = b, a
	}
	if c.nodes[b].op != OpConst && a > b {
		a, b = b, a
	}
	return c.mk(OpAdd, Sort(w), 0, a, b)
}

// isNegOf reports whether b is Mul(a, -1).
func (c *Context) isNegOf(a, b Term) bool {
	if c.nodes[b].op != OpMul || c.arg0(b) != a {
		return false
	}
	v, ok := c.Int64(c.arg1(b))
	return ok && v == -1
}

// Mul returns a*b. A constant factor of at most 64 bits distributes over a sum.
func (c *Context) Mul(a, b Term) Term {
	w := c.mustBV("Mul", a, b)
	if c.nodes[a].op == OpConst {
		a, b = b, a
	}
	if w > 64 {
		return c.mulWide(w, a, b)
	}
	if c.nodes[b].op == OpConst {
		l := linear{w: w}
		c.addLinear(&l, a, c.nodes[b].aux)
		return c.fromLinear(&l)
	}
	// Constant factors move outward, where the rules for sums see them.
	coef := uint64(1)
	for _, t := range []*Term{&a, &b} {
		if c.nodes[*t].op == OpMul {
			if k := &c.nodes[c.arg1(*t)]; k.op == OpConst && c.use(ruleMulConstantOutward) {
				coef *= k.aux
				*t = c.arg0(*t)
			}
		}
	}
	for range 2 {
		if r := c.mulIte(a, b); r != 0 {
			return c.scale(w, r, coef)
		}
		if r := c.mulQuotient(a, b); r != 0 {
			return c.scale(w, r, coef)
		}
		a, b = b, a
	}
	if a > b {
		a, b = b, a
	}
	return c.scale(w, c.intern(OpMul, Sort(w), 0, []Term{a, b}), coef)
}

func (c *Context) scale(w int, t Term, coef uint64) Term {
	if coef == 1 {
		return t
	}
	l := linear{w: w}
	c.addLinear(&l, t, coef)
	return c.fromLinear(&l)
}

// mulIte turns a product with a choice of 0 and 1 into a choice. It returns 0 if b is not such a choice.
func (c *Context) mulIte(a, b Term) Term {
	if c.nodes[b].op != OpIte {
		return 0
	}
	x, okx := c.Uint64(c.arg1(b))
	y, oky := c.Uint64(c.arg2(b))
	if !okx || !oky || x > 1 || y > 1 || !c.use(ruleMulChoice) {
		return 0
	}
	zero := c.Int(c.Width(a), 0)
	if x == 1 {
		return c.Ite(c.arg0(b), a, zero)
	}
	return c.Ite(c.arg0(b), zero, a)
}

// mulQuotient rewrites the product of a divisor and its quotient to a sum: x/a*a is x - x%a.
//
// This holds for a = 0, too: the remainder is x then. b may also be a multiple of the quotient plus a constant, so
// that rounding up to a multiple, a*((x-1)/a+1), has no product. It returns 0 if b has another form.
func (c *Context) mulQuotient(a, b Term) Term {
	w := c.Width(a)
	l := linear{w: w}
	c.addLinear(&l, b, 1)
	if l.n != 1 {
		return 0
	}
	quotient := c.unextended(l.parts[0].T)
	if c.nodes[quotient].op != OpUdiv {
		return 0
	}
	x, divisor := c.arg0(quotient), c.arg1(quotient)
	n, factor := c.Width(divisor), c.unextended(a)
	switch m := c.Width(factor); {
	case m < n:
		factor = c.Zext(factor, n)
	case m > n:
		if _, hi := c.Range(factor); hi > mask(n) {
			return 0
		}
		factor = c.Extract(factor, n-1, 0)
	}
	if factor != divisor {
		return 0
	}
	product := linear{w: w}
	c.addLinear(&product, c.Zext(x, w), l.parts[0].Coef)
	c.addLinear(&product, c.Zext(c.Urem(x, divisor), w), -l.parts[0].Coef)
	c.addLinear(&product, a, l.konst)
	if product.n > maxParts || !c.use(ruleMulQuotient) {
		return 0
	}
	return c.fromLinear(&product)
}

// unextended returns t without its zero extensions.
func (c *Context) unextended(t Term) Term {
	for c.nodes[t].op == OpZext {
		t = c.arg0(t)
	}
	return t
}

func (c *Context) mulWide(w int, a, b Term) Term {
	if v, ok := c.Uint64(b); ok {
		switch {
		case v == 0 && c.use(ruleMulZeroWide):
			return b
		case v == 1 && c.use(ruleMulOneWide):
			return a
		case v > 1 && v&(v-1) == 0 && c.use(ruleMulPowerWide):
			return c.Shl(a, c.Int(w, uint64(bits.TrailingZeros64(v))))
		}
	}
	if x, ok := c.narrowU(a); ok {
		if y, ok := c.narrowU(b); ok {
			if _, ok := mulFits(c.nodes[x].hi, c.nodes[y].hi); ok && c.use(ruleMulNarrowUnsigned) {
				return c.Zext(c.Mul(x, y), w)
			}
		}
	}
	if v, ok := c.Int64(b); ok && v == -1 && c.isNegOf(c.arg0Of(a, OpMul), a) && c.use(ruleMulNegationTwice) {
		return c.arg0(a)
	}
	if c.nodes[b].op != OpConst && a > b {
		a, b = b, a
	}
	return c.mk(OpMul, Sort(w), 0, a, b)
}

// arg0Of returns the first argument of t if its operator is op, otherwise 0.
func (c *Context) arg0Of(t Term, op Op) Term {
	if c.nodes[t].op != op {
		return 0
	}
	return c.arg0(t)
}

// Udiv returns the unsigned quotient; all ones if b = 0.
func (c *Context) Udiv(a, b Term) Term {
	w := c.mustBV("Udiv", a, b)
	if k, ok := c.Uint64(b); ok && k != 0 && k&(k-1) == 0 && c.use(ruleUdivPower) {
		return c.Lshr(a, c.Int(w, uint64(bits.TrailingZeros64(k))&mask(w)))
	}
	if w <= 64 {
		x, y := &c.nodes[a], &c.nodes[b]
		if y.lo > 0 && x.hi < y.lo && c.use(ruleUdivSmaller) {
			return c.Int(w, 0)
		}
		if a == b && y.lo > 0 && c.use(ruleUdivSelf) {
			return c.Int(w, 1)
		}
		if y.lo > 0 {
			if p, q, iw, ok := c.narrowPair(a, b); ok && c.use(ruleUdivNarrow) {
				return c.Zext(c.Udiv(c.Extract(p, iw-1, 0), c.Extract(q, iw-1, 0)), w)
			}
		}
	}
	return c.mk(OpUdiv, Sort(w), 0, a, b)
}

// Urem returns the unsigned remainder; a if b = 0.
func (c *Context) Urem(a, b Term) Term {
	w := c.mustBV("Urem", a, b)
	if k, ok := c.Uint64(b); ok && k != 0 && k&(k-1) == 0 && c.use(ruleUremPower) {
		if k == 1 {
			return c.Int(w, 0)
		}
		return c.Zext(c.Extract(a, bits.TrailingZeros64(k)-1, 0), w)
	}
	if a == b && c.use(ruleUremSelf) {
		return c.Int(w, 0) // 0 urem 0 = 0 too
	}
	if w <= 64 {
		x, y := &c.nodes[a], &c.nodes[b]
		if y.lo > 0 && x.hi < y.lo && c.use(ruleUremSmaller) {
			return a
		}
		if p, q, iw, ok := c.narrowPair(a, b); ok && c.use(ruleUremNarrow) {
			return c.Zext(c.Urem(c.Extract(p, iw-1, 0), c.Extract(q, iw-1, 0)), w)
		}
	}
	return c.mk(OpUrem, Sort(w), 0, a, b)
}

// narrowPair returns a smaller width that can hold both operands, which must be zero extensions or constants.
func (c *Context) narrowPair(a, b Term) (p, q Term, iw int, ok bool) {
	for _, t := range [2]Term{a, b} {
		switch n := &c.nodes[t]; n.op {
		case OpZext:
			iw = max(iw, c.Width(c.arg0(t)))
		case OpConst:
			iw = max(iw, bits.Len64(n.aux), 1)
		default:
			return 0, 0, 0, false
		}
	}
	return a, b, iw, iw < c.Width(a)
}

// nonNegative reports whether the sign bit of t is known to be zero.
func (c *Context) nonNegative(t Term) bool {
	w := c.Width(t)
	if w > 64 {
		_, ok := c.narrowU(t)
		return ok
	}
	return c.nodes[t].hi>>uint(w-1) == 0
}

// Sdiv returns the quotient rounded toward zero.
//
// For b = 0 it is 1 if a is negative, otherwise -1. The least number divided by -1 is itself.
func (c *Context) Sdiv(a, b Term) Term {
	w := c.mustBV("Sdiv", a, b)
	if v, ok := c.Int64(b); ok {
		switch {
		case v == 1 && c.use(ruleSdivOne):
			return a
		case v == -1 && c.use(ruleSdivMinusOne):
			return c.Neg(a)
		}
	}
	if c.nonNegative(a) && c.nonNegative(b) && c.use(ruleSdivNonnegative) {
		return c.Udiv(a, b)
	}
	return c.mk(OpSdiv, Sort(w), 0, a, b)
}

// Srem returns the remainder with the sign of a; a if b = 0.
func (c *Context) Srem(a, b Term) Term {
	w := c.mustBV("Srem", a, b)
	if v, ok := c.Int64(b); ok && (v == 1 || v == -1) && c.use(ruleSremOne) {
		return c.Int(w, 0)
	}
	if a == b && c.use(ruleSremSelf) {
		return c.Int(w, 0)
	}
	if c.nonNegative(a) && c.nonNegative(b) && c.use(ruleSremNonnegative) {
		return c.Urem(a, b)
	}
	return c.mk(OpSrem, Sort(w), 0, a, b)
}
