package smt

import "fmt"

// Concatenations lean to the right and their parts are as large as possible: a term that is split into slices and
// joined again is the same term. Zeros on top are an OpZext.

// Concat returns hi followed by lo; hi is the more significant part.
func (c *Context) Concat(hi, lo Term) Term {
	return c.concat(BV(c.mustBV("Concat", hi)+c.mustBV("Concat", lo)), hi, lo)
}

func (c *Context) concat(s Sort, hi, lo Term) Term {
	if c.nodes[hi].op == OpConst && c.nodes[lo].op == OpConst {
		return c.mk(OpConcat, s, 0, hi, lo)
	}
	if c.nodes[hi].op == OpConcat {
		return c.Concat(c.arg0(hi), c.Concat(c.arg1(hi), lo))
	}
	if c.enter() {
		r := c.join(hi, lo)
		if r == 0 && c.nodes[lo].op == OpConcat {
			if m := c.join(hi, c.arg0(lo)); m != 0 {
				r = c.Concat(m, c.arg1(lo))
			}
		}
		c.leave()
		if r != 0 {
			return r
		}
	}
	switch {
	case c.isZero(hi):
		return c.Zext(lo, int(s))
	case c.nodes[hi].op == OpZext:
		return c.Zext(c.Concat(c.arg0(hi), lo), int(s))
	}
	return c.intern(OpConcat, s, 0, []Term{hi, lo})
}

// join returns one term for two adjacent parts, other than a concatenation; 0 if there is none.
func (c *Context) join(a, b Term) Term {
	p, q := c.nodes[a].op, c.nodes[b].op
	aw, bw := c.Width(a), c.Width(b)
	if p == OpConst && q == OpConst {
		return c.Concat(a, b)
	}
	// Slices of one term: one side is still an extract of it, and the other side is the extract of the neighbouring
	// bits.
	if p == OpExtract {
		t := c.arg0(a)
		if hi, lo := c.ExtractBounds(a); bw <= lo && c.Extract(t, lo-1, lo-bw) == b && c.use(ruleConcatSlices) {
			return c.Extract(t, hi, lo-bw)
		}
	}
	if q == OpExtract {
		t := c.arg0(b)
		if hi, lo := c.ExtractBounds(b); hi+aw < c.Width(t) && c.Extract(t, hi+aw, hi+1) == a && c.use(ruleConcatSlices) {
			return c.Extract(t, hi+aw, lo)
		}
	}
	switch {
	case p == OpIte && q == OpIte && c.arg0(a) == c.arg0(b) && c.use(ruleConcatChoices):
		return c.Ite(c.arg0(a), c.Concat(c.arg1(a), c.arg1(b)), c.Concat(c.arg2(a), c.arg2(b)))
	case q == OpConst:
		return c.overIte(ruleConcatChoiceConstant, a, func(t Term) Term { return c.Concat(t, b) })
	case p == OpConst && !c.isZero(a):
		return c.overIte(ruleConcatChoiceConstant, b, func(t Term) Term { return c.Concat(a, t) })
	}
	return 0
}

// constLeaves reports whether t is a constant, or a choice of constants nested at most depth times.
func (c *Context) constLeaves(t Term, depth int) bool {
	switch c.nodes[t].op {
	case OpConst:
		return true
	case OpIte:
		return depth > 0 && c.constLeaves(c.arg1(t), depth-1) && c.constLeaves(c.arg2(t), depth-1)
	}
	return false
}

// overIte applies f, which folds constants, to the leaves of a choice of constants. It returns 0 if t is not one.
func (c *Context) overIte(r rule, t Term, f func(Term) Term) Term {
	if c.nodes[t].op != OpIte || !c.constLeaves(t, 4) || !c.use(r) {
		return 0
	}
	return c.mapLeaves(t, f)
}

func (c *Context) mapLeaves(t Term, f func(Term) Term) Term {
	if c.nodes[t].op != OpIte {
		return f(t)
	}
	return c.Ite(c.arg0(t), c.mapLeaves(c.arg1(t), f), c.mapLeaves(c.arg2(t), f))
}

// Extract returns bits hi down to lo of t, both inclusive, counted from 0 at the least significant.
func (c *Context) Extract(t Term, hi, lo int) Term {
	w := c.mustBV("Extract", t)
	if lo < 0 || hi < lo || hi >= w {
		panic(fmt.Sprintf("smt: Extract: bits %d to %d of %d", hi, lo, w))
	}
	n := hi - lo + 1
	if n == w {
		return t
	}
	switch c.nodes[t].op {
	case OpConst:
		return c.mk(OpExtract, Sort(n), extractAux(hi, lo), t)
	case OpExtract:
		_, l := c.ExtractBounds(t)
		return c.Extract(c.arg0(t), hi+l, lo+l)
	case OpConcat:
		a, b := c.arg0(t), c.arg1(t)
		bw := c.Width(b)
		switch {
		case hi < bw:
			return c.Extract(b, hi, lo)
		case lo >= bw:
			return c.Extract(a, hi-bw, lo-bw)
		}
		return c.Concat(c.Extract(a, hi-bw, 0), c.Extract(b, bw-1, lo))
	case OpZext:
		x := c.arg0(t)
		iw := c.Width(x)
		switch {
		case hi < iw:
			return c.Extract(x, hi, lo)
		case lo >= iw:
			return c.Int(n, 0)
		}
		return c.Zext(c.Extract(x, iw-1, lo), n)
	case OpSext:
		x := c.arg0(t)
		iw := c.Width(x)
		switch {
		case hi < iw:
			return c.Extract(x, hi, lo)
		case lo < iw:
			return c.Sext(c.Extract(x, iw-1, lo), n)
		}
	}
	if c.enter() {
		r := c.extractRules(t, hi, lo)
		c.leave()
		if r != 0 {
			return r
		}
	}
	return c.intern(OpExtract, Sort(n), extractAux(hi, lo), []Term{t})
}

func extractAux(hi, lo int) uint64 { return uint64(hi)<<32 | uint64(lo) }

func (c *Context) extractRules(t Term, hi, lo int) Term {
	n := hi - lo + 1
	w := c.Width(t)
	switch c.nodes[t].op {
	case OpIte:
		if r := c.overIte(ruleExtractChoice, t, func(x Term) Term { return c.Extract(x, hi, lo) }); r != 0 {
			return r
		}
	case OpMul:
		k, ok := c.Uint64(c.arg1(t))
		if !ok || k&(k-1) != 0 || w > 64 {
			break
		}
		sh := 0
		for k>>uint(sh) != 1 {
			sh++
		}
		switch {
		case hi < sh && c.use(ruleExtractProduct):
			return c.Int(n, 0)
		case lo >= sh && c.use(ruleExtractProduct):
			return c.Extract(c.arg0(t), hi-sh, lo-sh)
		}
	case OpBvAnd, OpBvOr, OpBvXor:
		// If the constant keeps or fixes each bit of the slice, the operator disappears.
		k := c.arg1(t)
		if c.NumArgs(t) != 2 || c.nodes[k].op != OpConst {
			break
		}
		part := c.Extract(k, hi, lo)
		x := c.arg0(t)
		zero, ones := c.isZero(part), part == c.IntS(n, -1)
		switch op := c.nodes[t].op; {
		case (op == OpBvAnd && zero || op == OpBvOr && ones) && c.use(ruleExtractMasked):
			return part
		case (op == OpBvAnd && ones || op == OpBvOr && zero || op == OpBvXor && zero) && c.use(ruleExtractMasked):
			return c.Extract(x, hi, lo)
		case op == OpBvXor && ones && c.use(ruleExtractMasked):
			return c.BvNot(c.Extract(x, hi, lo))
		}
	}
	if lo == 0 && c.lowSimple(t, 3) && c.use(ruleExtractLow) {
		return c.low(t, n)
	}
	return 0
}

// lowSimple reports whether the low bits of t are a simple function of the low bits of its operands.
//
// The operands must not become larger by the slicing.
func (c *Context) lowSimple(t Term, depth int) bool {
	switch c.nodes[t].op {
	case OpConst, OpZext, OpSext, OpConcat, OpExtract:
		return true
	case OpAdd, OpMul, OpBvAnd, OpBvOr, OpBvXor, OpBvNot:
		if depth == 0 {
			return false
		}
		for _, a := range c.Args(t) {
			if !c.lowSimple(a, depth-1) {
				return false
			}
		}
		return true
	case OpIte:
		return depth > 0 && c.lowSimple(c.arg1(t), depth-1) && c.lowSimple(c.arg2(t), depth-1)
	}
	return false
}

// low returns the n low bits of a term for which lowSimple holds.
func (c *Context) low(t Term, n int) Term {
	var f func(a, b Term) Term
	switch c.nodes[t].op {
	case OpIte:
		return c.Ite(c.arg0(t), c.low(c.arg1(t), n), c.low(c.arg2(t), n))
	case OpBvNot:
		return c.BvNot(c.low(c.arg0(t), n))
	case OpAdd:
		f = c.Add
	case OpMul:
		f = c.Mul
	case OpBvAnd:
		f = c.BvAnd
	case OpBvOr:
		f = c.BvOr
	case OpBvXor:
		f = c.BvXor
	default:
		return c.Extract(t, n-1, 0)
	}
	args := c.Args(t)
	r := c.low(args[0], n)
	for _, a := range args[1:] {
		r = f(r, c.low(a, n))
	}
	return r
}

// Zext extends t with zeros to w bits; w is the new width.
func (c *Context) Zext(t Term, w int) Term {
	iw := c.mustBV("Zext", t)
	if w < iw {
		panic(fmt.Sprintf("smt: Zext from %d to %d bits", iw, w))
	}
	if iw == w {
		return t
	}
	switch c.nodes[t].op {
	case OpConst:
		return c.mk(OpZext, BV(w), 0, t)
	case OpZext:
		return c.Zext(c.arg0(t), w)
	case OpIte:
		if r := c.overIte(ruleZextChoice, t, func(x Term) Term { return c.Zext(x, w) }); r != 0 {
			return r
		}
	case OpAdd, OpMul:
		if r := c.extendSum(t, w, false); r != 0 {
			return r
		}
	}
	return c.intern(OpZext, BV(w), 0, []Term{t})
}

// Sext extends t with copies of the sign bit to w bits; w is the new width.
func (c *Context) Sext(t Term, w int) Term {
	iw := c.mustBV("Sext", t)
	if w < iw {
		panic(fmt.Sprintf("smt: Sext from %d to %d bits", iw, w))
	}
	if iw == w {
		return t
	}
	if c.nonNegative(t) && c.use(ruleSextNonnegative) {
		return c.Zext(t, w)
	}
	switch c.nodes[t].op {
	case OpConst:
		return c.mk(OpSext, BV(w), 0, t)
	case OpSext:
		return c.Sext(c.arg0(t), w)
	case OpIte:
		if r := c.overIte(ruleSextChoice, t, func(x Term) Term { return c.Sext(x, w) }); r != 0 {
			return r
		}
	case OpAdd, OpMul:
		if r := c.extendSum(t, w, true); r != 0 {
			return r
		}
	}
	return c.intern(OpSext, BV(w), 0, []Term{t})
}

// maxExtended is the greatest number of monomials of a narrow sum that extendSum rewrites to a wide one.
const maxExtended = 3

// extendSum rewrites the extension of a sum that cannot wrap around to a sum of extensions.
//
// For example, the index i+1 of 32 bits becomes i+1 of 64 bits, and is added to an address as parts of one sum. It
// returns 0 if the sum may wrap, or for more than 64 bits.
func (c *Context) extendSum(t Term, w int, signed bool) Term {
	iw := c.Width(t)
	l := linear{w: iw}
	if w > 64 || iw >= 63 || !c.isLinear(t) {
		return 0
	}
	c.addLinear(&l, t, 1)
	name := ruleZextSum
	if signed {
		name = ruleSextSum
	}
	if l.n > maxExtended {
		return 0
	}
	konst := signExtend64(l.konst, iw)
	if signed {
		if !c.fitsSigned(&l) {
			return 0
		}
	} else {
		q, ok := c.period(&l)
		if !ok || q < -4 || q > 4 {
			return 0
		}
		konst -= q << uint(iw)
	}
	r := linear{w: w, konst: uint64(konst) & mask(w)}
	for _, p := range l.parts[:l.n] {
		x := p.T
		if signed {
			x = c.Sext(x, w)
		} else {
			x = c.Zext(x, w)
		}
		k := uint64(signExtend64(p.Coef, iw))
		// An extended part may be a short sum itself.
		part := linear{w: w}
		c.addLinear(&part, x, k)
		if r.n+part.n > maxParts {
			return 0
		}
		r.konst = (r.konst + part.konst) & mask(w)
		for _, q := range part.parts[:part.n] {
			r.put(q.T, q.Coef)
		}
	}
	if !c.use(name) {
		return 0
	}
	return c.fromLinear(&r)
}

// fitsSigned reports whether the exact signed value of the sum l is within the signed numbers of l.w bits.
func (c *Context) fitsSigned(l *linear) bool {
	var lo, hi int128
	addTo := func(x *int128, k, v int64) bool {
		switch {
		case (k < 0) == (v < 0):
			return x.addProduct(magnitude(k), magnitude(v))
		default:
			return x.subProduct(magnitude(k), magnitude(v))
		}
	}
	k := signExtend64(l.konst, l.w)
	ok := addTo(&lo, 1, k) && addTo(&hi, 1, k)
	for _, p := range l.parts[:l.n] {
		a, b := c.SignedRange(p.T)
		coef := signExtend64(p.Coef, l.w)
		if coef < 0 {
			a, b = b, a
		}
		ok = ok && addTo(&lo, coef, a) && addTo(&hi, coef, b)
	}
	least := -int64(mask(l.w-1)) - 1
	most := int64(mask(l.w - 1))
	return ok && lo.int64() >= least && lo.fits() && hi.int64() <= most && hi.fits()
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return uint64(-v)
	}
	return uint64(v)
}

func (x int128) int64() int64 { return int64(x.lo) }
func (x int128) fits() bool   { return x.hi == int64(x.lo)>>63 }
