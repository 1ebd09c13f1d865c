package smt

import (
	"fmt"
	"math/bits"
)

// Eq returns a == b; the operands must have one sort.
func (c *Context) Eq(a, b Term) Term {
	if a == 0 || b == 0 || c.nodes[a].sort != c.nodes[b].sort {
		panic(fmt.Sprintf("smt: Eq: operands %s and %s have different sorts", c.String(a), c.String(b)))
	}
	if c.nodes[a].sort == Bool {
		return c.eqBool(a, b)
	}
	if t := c.eqDecided(a, b); t != 0 {
		return t
	}
	if w := c.Width(a); w <= 64 && (c.isLinear(a) || c.isLinear(b)) && c.use(ruleEqOfSums) {
		l := linear{w: w}
		c.addLinear(&l, a, 1)
		c.addLinear(&l, b, mask(w))
		return c.eqLinear(a, b, &l)
	}
	return c.eqRest(a, b)
}

// Ne returns a != b; the operands must have one sort.
func (c *Context) Ne(a, b Term) Term { return c.Not(c.Eq(a, b)) }

// isLinear reports whether addLinear splits t further than into a constant.
func (c *Context) isLinear(t Term) bool {
	switch c.nodes[t].op {
	case OpAdd, OpBvNot:
		return true
	case OpMul:
		return c.nodes[c.arg1(t)].op == OpConst
	}
	return false
}

// eqQuick decides an equality by identity and facts, or returns 0.
func (c *Context) eqQuick(a, b Term) Term {
	if a == b {
		return termTrue
	}
	x, y := &c.nodes[a], &c.nodes[b]
	if x.op == OpConst && y.op == OpConst {
		return termFalse // hash-consed, so different
	}
	if x.sort <= 64 && (x.hi < y.lo || y.hi < x.lo || x.ones&y.zeros != 0 || x.zeros&y.ones != 0) {
		return termFalse
	}
	return 0
}

// eqDecided is eqQuick, except that it respects whether the rule about facts is enabled.
func (c *Context) eqDecided(a, b Term) Term {
	t := c.eqQuick(a, b)
	if t == termFalse && (c.nodes[a].op != OpConst || c.nodes[b].op != OpConst) && !c.use(ruleEqFacts) {
		return 0
	}
	return t
}

// eqLinear builds l = 0. l is a - b, without the parts that cancel.
//
// An equation in one part is solved for it. Otherwise the parts with "negative" coefficients (top bit set) move to
// the right side, so that all ways to write an equality of sums have one form.
func (c *Context) eqLinear(a, b Term, l *linear) Term {
	w := l.w
	m := mask(w)
	if l.n == 0 {
		return c.BoolConst(l.konst == 0)
	}
	even := 64
	for _, p := range l.parts[:l.n] {
		even = min(even, bits.TrailingZeros64(p.Coef))
	}
	if l.konst&mask(even) != 0 { // the parts sum to a multiple of 2^even
		if c.use(ruleEqParity) {
			return termFalse
		}
		return c.eqRest(a, b)
	}
	if l.n == 1 && c.use(ruleEqSolve) {
		// 2^even * odd * x = k: multiply by the inverse of odd, then the low w-even bits of x are determined.
		x := l.parts[0].T
		k := -l.konst * inverse(l.parts[0].Coef>>uint(even)) & m
		if even == 0 {
			return c.Eq(x, c.Int(w, k))
		}
		return c.Eq(c.Extract(x, w-1-even, 0), c.Int(w-even, k>>uint(even)))
	}
	top := uint64(1) << uint(w-1)
	if l.parts[0].Coef&top != 0 && l.parts[0].Coef != top {
		for i := range l.parts[:l.n] {
			l.parts[i].Coef = -l.parts[i].Coef & m
		}
		l.konst = -l.konst & m
	}
	left, right := linear{w: w}, linear{w: w, konst: -l.konst & m}
	for _, p := range l.parts[:l.n] {
		if p.Coef&top != 0 && p.Coef != top {
			right.put(p.T, -p.Coef)
		} else {
			left.put(p.T, p.Coef)
		}
	}
	if left.n > maxParts || right.n > maxParts {
		return c.eqRest(a, b)
	}
	return c.eqPair(c.fromLinear(&left), c.fromLinear(&right))
}

// inverse returns the inverse of an odd number modulo 2^64.
//
// It uses Newton's iteration: each step doubles the number of correct bits, initially 3.
func inverse(a uint64) uint64 {
	x := a
	for i := 0; i < 5; i++ {
		x *= 2 - a*x
	}
	return x
}

// eqPair is Eq without solving sums.
func (c *Context) eqPair(a, b Term) Term {
	if t := c.eqDecided(a, b); t != 0 {
		return t
	}
	return c.eqRest(a, b)
}

// eqRest applies the rules that inspect one level of structure, then creates the node.
func (c *Context) eqRest(a, b Term) Term {
	if c.nodes[a].op == OpConst || c.nodes[b].op != OpConst && a > b {
		a, b = b, a
	}
	if c.enter() {
		var r Term
		if c.nodes[b].op == OpConst {
			r = c.eqConst(a, b)
		} else if r = c.eqTerms(a, b); r == 0 {
			r = c.eqTerms(b, a)
		}
		c.leave()
		if r != 0 {
			return r
		}
	}
	return c.intern(OpEq, Bool, 0, []Term{a, b})
}

// eqConst simplifies a = k. It returns 0 if no rule applies.
func (c *Context) eqConst(a, k Term) Term {
	n := c.nodes[a]
	w := int(n.sort)
	switch n.op {
	case OpZext:
		if !c.use(ruleEqZextConstant) {
			break
		}
		x := c.arg0(a)
		iw := c.Width(x)
		if !c.isZero(c.Extract(k, w-1, iw)) {
			return termFalse
		}
		return c.Eq(x, c.Extract(k, iw-1, 0))
	case OpSext:
		if !c.use(ruleEqSextConstant) {
			break
		}
		x := c.arg0(a)
		low := c.Extract(k, c.Width(x)-1, 0)
		if c.Sext(low, w) != k {
			return termFalse
		}
		return c.Eq(x, low)
	case OpConcat:
		if !c.use(ruleEqConcatConstant) {
			break
		}
		hi, lo := c.arg0(a), c.arg1(a)
		lw := c.Width(lo)
		h := c.Eq(hi, c.Extract(k, w-1, lw))
		if h == termFalse {
			return h
		}
		return c.and2(h, c.Eq(lo, c.Extract(k, lw-1, 0)))
	case OpIte:
		x, y := c.arg1(a), c.arg2(a)
		if (c.eqQuick(x, k) != 0 || c.eqQuick(y, k) != 0) && c.use(ruleEqChoiceConstant) {
			return c.Ite(c.arg0(a), c.Eq(x, k), c.Eq(y, k))
		}
	case OpUdiv:
		if c.isZero(k) { // another constant replaces the quotient elsewhere
			return c.ultQuotient(a, c.Int(w, 1))
		}
	case OpBvXor:
		args := c.Args(a)
		last := args[len(args)-1]
		if c.nodes[last].op == OpConst && c.use(ruleEqXorConstant) {
			rest := args[0]
			for _, x := range args[1 : len(args)-1] {
				rest = c.BvXor(rest, x)
			}
			return c.Eq(rest, c.BvXor(k, last))
		}
		if len(args) == 2 && c.isZero(k) && c.use(ruleEqXorZero) {
			return c.Eq(args[0], args[1])
		}
	}
	if w > 64 {
		return 0
	}
	v := c.nodes[k].aux
	switch n.op {
	case OpBvAnd:
		if c.NumArgs(a) != 2 || c.nodes[c.arg1(a)].op != OpConst {
			break
		}
		x, m := c.arg0(a), c.nodes[c.arg1(a)].aux
		lo, hi := bits.TrailingZeros64(m), bits.Len64(m)-1
		if m == mask(hi+1)&^mask(lo) && v&^m == 0 && c.use(ruleEqMaskedRun) { // one run of ones: compare the run
			return c.Eq(c.Extract(x, hi, lo), c.Int(hi-lo+1, v>>uint(lo)))
		}
	case OpExtract:
		// The bits cut off above are known to be zero: compare the whole term.
		x := c.arg0(a)
		hi, lo := c.ExtractBounds(a)
		if lo == 0 && c.Width(x) <= 64 && c.possible(x)>>uint(hi+1) == 0 && c.use(ruleEqTruncated) {
			return c.Eq(x, c.Int(c.Width(x), v))
		}
	}
	if w == 1 && v == 0 && c.use(ruleEqOneBit) {
		return c.Not(c.Eq(a, c.Int(1, 1)))
	}
	return 0
}

// eqTerms simplifies a = b of non-constants by the form of a. It returns 0 if no rule applies.
func (c *Context) eqTerms(a, b Term) Term {
	p, q := c.nodes[a].op, c.nodes[b].op
	switch {
	case p == OpZext && q == OpZext && c.use(ruleEqZext):
		x, y := c.arg0(a), c.arg0(b)
		iw := max(c.Width(x), c.Width(y))
		return c.Eq(c.Zext(x, iw), c.Zext(y, iw))
	case p == OpSext && q == OpSext && c.use(ruleEqSext):
		x, y := c.arg0(a), c.arg0(b)
		iw := max(c.Width(x), c.Width(y))
		return c.Eq(c.Sext(x, iw), c.Sext(y, iw))
	case p == OpConcat && q == OpConcat && c.Width(c.arg1(a)) == c.Width(c.arg1(b)) && c.use(ruleEqConcat):
		h := c.Eq(c.arg0(a), c.arg0(b))
		if h == termFalse {
			return h
		}
		return c.and2(h, c.Eq(c.arg1(a), c.arg1(b)))
	case p == OpUdiv && c.nodes[b].op != OpVar:
		return c.eqQuotient(a, b)
	case p == OpIte:
		k, x, y := c.arg0(a), c.arg1(a), c.arg2(a)
		switch {
		case x == b && c.use(ruleEqBranch):
			return c.Or(k, c.Eq(y, b))
		case y == b && c.use(ruleEqBranch):
			return c.Or(c.Not(k), c.Eq(x, b))
		case q == OpIte && c.arg0(b) == k && (x == c.arg1(b) || y == c.arg2(b)) && c.use(ruleEqChoices):
			return c.Ite(k, c.Eq(x, c.arg1(b)), c.Eq(y, c.arg2(b)))
		}
	}
	return 0
}

// isZero reports whether t is the bit-vector constant 0.
func (c *Context) isZero(t Term) bool {
	v, ok := c.Uint64(t)
	return ok && v == 0
}
