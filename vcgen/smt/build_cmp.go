package smt

import "math/bits"

// Comparisons have two forms, OpUlt and OpSlt; the others are their negations with exchanged operands. A constant is
// the right operand: k < x is Not(x < k+1).

// Ult returns a < b, unsigned.
func (c *Context) Ult(a, b Term) Term {
	w := c.mustBV("Ult", a, b)
	if a == b {
		return termFalse
	}
	if r := c.ultFacts(a, b); r != 0 && c.use(ruleUltRange) {
		return r
	}
	if w > 64 {
		if r := c.ultWide(a, b); r != 0 {
			return r
		}
	}
	if c.nodes[a].op == OpConst {
		if c.nodes[b].op == OpConst {
			return c.mk(OpUlt, Bool, 0, a, b)
		}
		if next := c.Add(a, c.Int(w, 1)); !c.isZero(next) {
			return c.Not(c.Ult(b, next))
		}
		return termFalse // nothing exceeds all ones
	}
	if c.enter() {
		r := c.ultRules(a, b)
		c.leave()
		if r != 0 {
			return r
		}
	}
	return c.intern(OpUlt, Bool, 0, []Term{a, b})
}

// Ule returns a <= b, unsigned.
func (c *Context) Ule(a, b Term) Term { return c.Not(c.Ult(b, a)) }

// Ugt returns a > b, unsigned.
func (c *Context) Ugt(a, b Term) Term { return c.Ult(b, a) }

// Uge returns a >= b, unsigned.
func (c *Context) Uge(a, b Term) Term { return c.Not(c.Ult(a, b)) }

// ultFacts decides the comparison by intervals, or returns 0.
func (c *Context) ultFacts(a, b Term) Term {
	x, y := &c.nodes[a], &c.nodes[b]
	switch {
	case x.sort > 64:
		if c.isZero(b) {
			return termFalse
		}
	case x.hi < y.lo:
		return termTrue
	case x.lo >= y.hi:
		return termFalse
	}
	return 0
}

// ultWide compares operands of more than 64 bits whose values fit in 64.
func (c *Context) ultWide(a, b Term) Term {
	x, okx := c.narrowU(a)
	y, oky := c.narrowU(b)
	switch {
	case okx && oky && c.use(ruleUltNarrow):
		return c.Ult(x, y)
	case okx && !oky && c.nodes[b].op == OpConst && c.use(ruleUltNarrow):
		return termTrue // b does not fit
	case oky && !okx && c.nodes[a].op == OpConst && c.use(ruleUltNarrow):
		return termFalse
	}
	return 0
}

// ultRules simplifies a < b if a is not a constant. It returns 0 if no rule applies.
func (c *Context) ultRules(a, b Term) Term {
	w := c.Width(a)
	p, q := c.nodes[a].op, c.nodes[b].op
	switch {
	case p == OpZext && q == OpZext && c.use(ruleUltZext):
		x, y := c.arg0(a), c.arg0(b)
		iw := max(c.Width(x), c.Width(y))
		return c.Ult(c.Zext(x, iw), c.Zext(y, iw))
	case p == OpSext && q == OpSext: // sign extension keeps the unsigned order
		x, y := c.arg0(a), c.arg0(b)
		iw := max(c.Width(x), c.Width(y))
		if iw < w && c.use(ruleUltSext) {
			return c.Ult(c.Sext(x, iw), c.Sext(y, iw))
		}
	case p == OpConcat && q == OpConcat && c.arg1(a) == c.arg1(b) && c.use(ruleUltConcat):
		return c.Ult(c.arg0(a), c.arg0(b))
	case p == OpConcat && q == OpConcat && c.arg0(a) == c.arg0(b) && c.use(ruleUltConcat):
		return c.Ult(c.arg1(a), c.arg1(b))
	case p == OpUdiv:
		if r := c.ultQuotient(a, b); r != 0 {
			return r
		}
	case q == OpUdiv:
		if r := c.quotientUlt(a, b); r != 0 {
			return r
		}
	case p == OpIte && q == OpConst:
		x, y := c.arg1(a), c.arg2(a)
		if (c.ultFacts(x, b) != 0 || c.ultFacts(y, b) != 0) && c.use(ruleUltChoice) {
			return c.Ite(c.arg0(a), c.Ult(x, b), c.Ult(y, b))
		}
	}
	if q == OpConst {
		if p == OpZext && c.use(ruleUltZextConstant) {
			x := c.arg0(a)
			iw := c.Width(x)
			if !c.isZero(c.Extract(b, w-1, iw)) {
				return termTrue
			}
			return c.Ult(x, c.Extract(b, iw-1, 0))
		}
		if w <= 64 {
			k := c.nodes[b].aux
			if lo, hi := c.Range(a); lo == k-1 && k > 0 && c.use(ruleUltAtEndOfRange) {
				return c.Eq(a, c.Int(w, lo))
			} else if hi == k && c.use(ruleUltAtEndOfRange) {
				return c.Not(c.Eq(a, b))
			}
			return c.ultSolve(a, k)
		}
		return 0
	}
	if q == OpIte && (c.ultFacts(a, c.arg1(b)) != 0 || c.ultFacts(a, c.arg2(b)) != 0) && c.use(ruleUltChoice) {
		return c.Ite(c.arg0(b), c.Ult(a, c.arg1(b)), c.Ult(a, c.arg2(b)))
	}
	if w <= 64 && (c.isLinear(a) || c.isLinear(b)) {
		return c.ultCancel(a, b)
	}
	return 0
}

// ultSolve solves coef*x + d < k for x.
//
// It returns 0 if the left side has another form or may wrap around.
func (c *Context) ultSolve(a Term, k uint64) Term {
	if op := c.nodes[a].op; op != OpAdd && op != OpMul {
		return 0
	}
	w := c.Width(a)
	l := linear{w: w}
	c.addLinear(&l, a, 1)
	if l.n != 1 {
		return 0
	}
	q, ok := c.period(&l)
	if !ok {
		return 0
	}
	// coef*x + d is exact with the signed coefficient and d = signed konst (q = 0) or d = unsigned konst (q = -1).
	coef := signExtend64(l.parts[0].Coef, w)
	d := signExtend64(l.konst, w)
	room := int128{lo: k} // k - d
	switch {
	case q == 0 && d >= 0:
		room.sub(uint64(d))
	case q == 0:
		room.add(uint64(-d))
	case q == -1 && d < 0:
		room.sub(l.konst)
	default:
		return 0
	}
	x := l.parts[0].T
	if coef > 0 { // x < ceil(room / coef)
		if (room.hi < 0 || room.hi == 0 && room.lo == 0) && c.use(ruleUltSolve) {
			return termFalse
		}
		if room.hi != 0 || room.lo == 0 {
			return 0
		}
		n := (room.lo-1)/uint64(coef) + 1
		if n > mask(w) || !c.use(ruleUltSolve) {
			return 0
		}
		return c.Ult(x, c.Int(w, n))
	}
	// -|coef|*x < room: x > floor(-room / |coef|)
	if room.hi > 0 || room.hi == 0 && room.lo > 0 {
		if c.use(ruleUltSolve) {
			return termTrue
		}
		return 0
	}
	if room.hi < -1 || room.hi == -1 && room.lo == 0 {
		return 0
	}
	n := -room.lo / uint64(-coef)
	if n > mask(w) || !c.use(ruleUltSolve) {
		return 0
	}
	return c.Ult(c.Int(w, n), x)
}

// period returns q if the exact value of the sum l lies within [q*2^w, (q+1)*2^w).
//
// The sum is taken over the integers, with signed coefficients.
func (c *Context) period(l *linear) (q int64, ok bool) {
	var lo, hi int128
	if k := signExtend64(l.konst, l.w); k >= 0 {
		lo.add(uint64(k))
		hi.add(uint64(k))
	} else {
		lo.sub(uint64(-k))
		hi.sub(uint64(-k))
	}
	for _, p := range l.parts[:l.n] {
		n := &c.nodes[p.T]
		if k := signExtend64(p.Coef, l.w); k >= 0 {
			ok = lo.addProduct(uint64(k), n.lo) && hi.addProduct(uint64(k), n.hi)
		} else {
			ok = lo.subProduct(uint64(-k), n.hi) && hi.subProduct(uint64(-k), n.lo)
		}
		if !ok {
			return 0, false
		}
	}
	x, y := lo.shr(l.w), hi.shr(l.w)
	return int64(x.lo), x == y && x.hi == int64(x.lo)>>63
}

// ultCancel drops the common parts of two sums that do not wrap around and subtract nothing.
//
// It returns 0 if there is no common part.
func (c *Context) ultCancel(a, b Term) Term {
	w := c.Width(a)
	x, y := linear{w: w}, linear{w: w}
	c.addLinear(&x, a, 1)
	c.addLinear(&y, b, 1)
	for _, l := range []*linear{&x, &y} {
		if signExtend64(l.konst, w) < 0 {
			return 0
		}
		for _, p := range l.parts[:l.n] {
			if signExtend64(p.Coef, w) < 0 {
				return 0
			}
		}
		if q, ok := c.period(l); !ok || q != 0 {
			return 0
		}
	}
	changed := false
	drop := func(l *linear, t Term, k uint64) {
		l.put(t, -k)
		changed = true
	}
	if k := min(x.konst, y.konst); k > 0 {
		x.konst -= k
		y.konst -= k
		changed = true
	}
	for i := 0; i < x.n; i++ {
		p := x.parts[i]
		for _, r := range y.parts[:y.n] {
			if p.T == r.T {
				k := min(p.Coef, r.Coef)
				drop(&x, p.T, k)
				drop(&y, p.T, k)
				i = -1
				break
			}
		}
	}
	if !changed || !c.use(ruleUltCancel) {
		return 0
	}
	return c.Ult(c.fromLinear(&x), c.fromLinear(&y))
}

// Slt returns a < b, signed.
func (c *Context) Slt(a, b Term) Term {
	w := c.mustBV("Slt", a, b)
	if a == b {
		return termFalse
	}
	if w <= 64 {
		if r := c.sltFacts(a, b); r != 0 && c.use(ruleSltRange) {
			return r
		}
		alo, ahi := c.SignedRange(a)
		blo, bhi := c.SignedRange(b)
		if (alo >= 0 && blo >= 0 || ahi < 0 && bhi < 0) && c.use(ruleSltAsUlt) {
			return c.Ult(a, b)
		}
	} else if x, ok := c.narrowS(a); ok {
		if y, ok := c.narrowS(b); ok && c.use(ruleSltNarrow) {
			return c.Slt(x, y)
		}
	}
	if c.nodes[a].op == OpConst {
		if c.nodes[b].op == OpConst {
			return c.mk(OpSlt, Bool, 0, a, b)
		}
		next := c.Add(a, c.Int(w, 1))
		if c.mk(OpSlt, Bool, 0, a, next) == termFalse {
			return termFalse // nothing exceeds the greatest
		}
		return c.Not(c.Slt(b, next))
	}
	if c.enter() {
		r := c.sltRules(a, b)
		c.leave()
		if r != 0 {
			return r
		}
	}
	return c.intern(OpSlt, Bool, 0, []Term{a, b})
}

// Sle returns a <= b, signed.
func (c *Context) Sle(a, b Term) Term { return c.Not(c.Slt(b, a)) }

// Sgt returns a > b, signed.
func (c *Context) Sgt(a, b Term) Term { return c.Slt(b, a) }

// Sge returns a >= b, signed.
func (c *Context) Sge(a, b Term) Term { return c.Not(c.Slt(a, b)) }

// sltFacts decides operands of at most 64 bits by intervals, or returns 0.
func (c *Context) sltFacts(a, b Term) Term {
	alo, ahi := c.SignedRange(a)
	blo, bhi := c.SignedRange(b)
	switch {
	case ahi < blo:
		return termTrue
	case alo >= bhi:
		return termFalse
	}
	return 0
}

func (c *Context) sltRules(a, b Term) Term {
	w := c.Width(a)
	p, q := c.nodes[a].op, c.nodes[b].op
	switch {
	case p == OpSext && q == OpSext && c.use(ruleSltSext):
		x, y := c.arg0(a), c.arg0(b)
		iw := max(c.Width(x), c.Width(y))
		return c.Slt(c.Sext(x, iw), c.Sext(y, iw))
	case p == OpSext && q == OpConst:
		x := c.arg0(a)
		low := c.Extract(b, c.Width(x)-1, 0)
		if c.Sext(low, w) == b && c.use(ruleSltSextConstant) {
			return c.Slt(x, low)
		}
	case p == OpIte && q == OpConst && w <= 64:
		x, y := c.arg1(a), c.arg2(a)
		if (c.sltFacts(x, b) != 0 || c.sltFacts(y, b) != 0) && c.use(ruleSltChoice) {
			return c.Ite(c.arg0(a), c.Slt(x, b), c.Slt(y, b))
		}
	case q == OpIte && w <= 64 && (c.sltFacts(a, c.arg1(b)) != 0 || c.sltFacts(a, c.arg2(b)) != 0) &&
		c.use(ruleSltChoice):
		return c.Ite(c.arg0(b), c.Slt(a, c.arg1(b)), c.Slt(a, c.arg2(b)))
	case p == OpSdiv && q == OpConst && w <= 64:
		return c.sltQuotient(a, signExtend64(c.nodes[b].aux, w))
	case p == OpAdd && q == OpConst && w <= 64:
		// x + d < k is x < k - d if x + d does not overflow.
		l := linear{w: w}
		c.addLinear(&l, a, 1)
		if l.n != 1 || l.parts[0].Coef != 1 {
			break
		}
		x := l.parts[0].T
		lo, hi := c.SignedRange(x)
		d, k := signExtend64(l.konst, w), signExtend64(c.nodes[b].aux, w)
		least, most := -int64(mask(w-1))-1, int64(mask(w-1))
		if d >= 0 && hi > most-d || d < 0 && lo < least-d || !c.use(ruleSltOffset) {
			break
		}
		r := k - d
		switch {
		case d < 0 && r < k || d < 0 && r > most: // k - d exceeds every x
			return termTrue
		case d > 0 && r > k || d > 0 && r < least:
			return termFalse
		}
		return c.Slt(x, c.IntS(w, r))
	}
	return 0
}

// narrowU returns a term of more than 64 bits in 64 bits, if its structure shows that the value fits.
func (c *Context) narrowU(t Term) (Term, bool) {
	switch c.nodes[t].op {
	case OpConst:
		v, ok := c.Uint64(t)
		if !ok {
			return 0, false
		}
		return c.Int(64, v), true
	case OpZext:
		if x := c.arg0(t); c.Width(x) <= 64 {
			return c.Zext(x, 64), true
		}
	}
	return 0, false
}

// narrowS is narrowU for signed values.
func (c *Context) narrowS(t Term) (Term, bool) {
	switch c.nodes[t].op {
	case OpConst:
		v, ok := c.Int64(t)
		if !ok {
			return 0, false
		}
		return c.IntS(64, v), true
	case OpZext:
		if x := c.arg0(t); c.Width(x) <= 64 {
			if x = c.Zext(x, 64); c.nodes[x].hi < 1<<63 {
				return x, true
			}
		}
	case OpSext:
		if x := c.arg0(t); c.Width(x) <= 64 {
			return c.Sext(x, 64), true
		}
	}
	return 0, false
}

// addProduct adds a*b. It reports whether the product is small enough to continue.
func (x *int128) addProduct(a, b uint64) bool {
	hi, lo := bits.Mul64(a, b)
	if hi >= 1<<56 {
		return false
	}
	x.add(lo)
	x.hi += int64(hi)
	return true
}
