package smt

import (
	"math/bits"
	"slices"
)

// The bitwise operators are flat, with up to maxParts operands in ascending order of handles. At most one is a
// constant, and it is last.

// BvAnd returns the bitwise conjunction.
func (c *Context) BvAnd(a, b Term) Term { return c.bitwise("BvAnd", OpBvAnd, a, b) }

// BvOr returns the bitwise disjunction.
func (c *Context) BvOr(a, b Term) Term { return c.bitwise("BvOr", OpBvOr, a, b) }

// BvXor returns the bitwise exclusive or.
func (c *Context) BvXor(a, b Term) Term { return c.bitwise("BvXor", OpBvXor, a, b) }

func (c *Context) bitwise(what string, op Op, a, b Term) Term {
	w := c.mustBV(what, a, b)
	s := Sort(w)
	zero, ones := c.Int(w, 0), c.IntS(w, -1)
	neutral, absorbing := zero, Term(0)
	switch op {
	case OpBvAnd:
		neutral, absorbing = ones, zero
	case OpBvOr:
		absorbing = ones
	}
	k := neutral
	var buf [2*maxParts + 2]Term
	args := buf[:0]
	take := func(t Term) {
		if op == OpBvXor && c.nodes[t].op == OpBvNot {
			t, k = c.arg0(t), c.mk(op, s, 0, k, ones)
		}
		if c.nodes[t].op == OpConst {
			k = c.mk(op, s, 0, k, t)
			return
		}
		args = append(args, t)
	}
	for _, t := range [2]Term{a, b} {
		if c.nodes[t].op == op {
			for _, x := range c.Args(t) {
				take(x)
			}
		} else {
			take(t)
		}
	}
	if k == absorbing {
		return k
	}
	slices.Sort(args)
	n := 0
	for i := 0; i < len(args); i++ {
		if i+1 < len(args) && args[i] == args[i+1] {
			if op == OpBvXor {
				i++ // a pair cancels
			}
			continue
		}
		args[n] = args[i]
		n++
	}
	args = args[:n]
	if op != OpBvXor {
		for _, t := range args {
			if c.nodes[t].op == OpBvNot && slices.Contains(args, c.arg0(t)) && c.use(ruleBitwiseComplement) {
				return absorbing
			}
		}
	}
	if len(args) > maxParts {
		// Too long: the operands remain nested.
		if a > b {
			a, b = b, a
		}
		if c.nodes[a].op == OpConst {
			a, b = b, a
		}
		return c.intern(op, s, 0, []Term{a, b})
	}
	if c.enter() {
		r := c.bitwiseRules(op, w, args, k, neutral)
		c.leave()
		if r != 0 {
			return r
		}
	}
	return c.bitwiseNode(op, s, args, k, neutral)
}

func (c *Context) bitwiseNode(op Op, s Sort, args []Term, k, neutral Term) Term {
	switch {
	case len(args) == 0:
		return k
	case len(args) == 1 && k == neutral:
		return args[0]
	case len(args) == 1 && op == OpBvXor && k == c.IntS(int(s), -1):
		return c.BvNot(args[0])
	}
	if k != neutral {
		args = append(args, k)
	}
	return c.intern(op, s, 0, args)
}

// bitwiseRules simplifies by known bits and by the positions of narrower pieces. It returns 0 if no rule applies.
func (c *Context) bitwiseRules(op Op, w int, args []Term, k, neutral Term) Term {
	s := Sort(w)
	if len(args) == 0 {
		return 0
	}
	if k != neutral && w <= 64 {
		m := mask(w)
		v := c.nodes[k].aux
		switch op {
		case OpBvAnd:
			all := m
			for _, t := range args {
				all &= c.possible(t)
			}
			if all&^v == 0 && c.use(ruleAndClearsNothing) {
				return c.bitwiseNode(op, s, args, neutral, neutral)
			}
		case OpBvOr:
			var have uint64
			for _, t := range args {
				have |= c.nodes[t].ones
			}
			if v&have != 0 && c.use(ruleOrSetsWhatIsSet) {
				k = c.Int(w, v&^have)
				return c.bitwise("BvOr", op, c.bitwiseNode(op, s, args, neutral, neutral), k)
			}
		}
		if len(args) == 1 {
			if r := c.maskRule(op, w, args[0], v); r != 0 {
				return r
			}
		}
	}
	if k != neutral && len(args) == 1 {
		x := args[0]
		if r := c.overIte(ruleBitwiseChoice, x, func(t Term) Term { return c.mk(op, s, 0, t, k) }); r != 0 {
			return r
		}
		if c.nodes[x].op == OpZext {
			y := c.arg0(x)
			iw := c.Width(y)
			if (op == OpBvAnd || c.isZero(c.Extract(k, w-1, iw))) && c.use(ruleBitwiseZextConstant) {
				return c.Zext(c.bitwise("", op, y, c.Extract(k, iw-1, 0)), w)
			}
		}
		return 0
	}
	if k != neutral {
		return 0
	}
	if op != OpBvAnd {
		if r := c.joinPieces(w, args); r != 0 {
			return r
		}
	}
	if len(args) != 2 {
		return 0
	}
	a, b := args[0], args[1]
	switch p := c.nodes[a].op; {
	case (p == OpZext || p == OpSext) && c.nodes[b].op == p && c.use(ruleBitwiseExtended):
		x, y := c.arg0(a), c.arg0(b)
		iw := max(c.Width(x), c.Width(y))
		if p == OpZext {
			return c.Zext(c.bitwise("", op, c.Zext(x, iw), c.Zext(y, iw)), w)
		}
		return c.Sext(c.bitwise("", op, c.Sext(x, iw), c.Sext(y, iw)), w)
	}
	return 0
}

// maskRule simplifies x op v, of at most 64 bits. v is neither neutral nor absorbing. It returns 0 if no rule
// applies.
func (c *Context) maskRule(op Op, w int, x Term, v uint64) Term {
	m := mask(w)
	possible, ones := c.possible(x), c.nodes[x].ones
	switch op {
	case OpBvAnd:
		cleared := possible &^ v
		if cleared&^ones == 0 && c.use(ruleAndClearsOnes) { // all cleared bits are known to be one: no borrow
			return c.sum(w, x, 1, c.Int(w, -cleared), 1)
		}
		if v&(v+1) == 0 && c.use(ruleAndLowBits) {
			return c.Zext(c.Extract(x, bits.Len64(v)-1, 0), w)
		}
		if c.nodes[x].op == OpConcat {
			hi, lo := c.arg0(x), c.arg1(x)
			lw := c.Width(lo)
			kh, kl := v>>uint(lw), v&mask(lw)
			if (kh == 0 || kl == 0 || kh == m>>uint(lw) || kl == mask(lw)) && c.use(ruleAndConcat) {
				return c.Concat(c.BvAnd(hi, c.Int(w-lw, kh)), c.BvAnd(lo, c.Int(lw, kl)))
			}
		}
	case OpBvOr:
		if v&possible == 0 && c.use(ruleOrWithoutCarry) { // no carry
			return c.sum(w, x, 1, c.Int(w, v), 1)
		}
	case OpBvXor:
		// Bits known to be zero are set, bits known to be one are cleared.
		if v != m && v&^(m&^possible|ones) == 0 && c.use(ruleXorOfKnownBits) {
			return c.sum(w, x, 1, c.Int(w, v&^ones-v&ones), 1)
		}
	}
	return 0
}

// piece is a term at bit off of a wider term whose other bits are zero.
type piece struct {
	off int
	t   Term
}

// pieces splits a term of w bits, placed at bit base, into pieces; all other bits are zero.
//
// It returns false if t has another form, or too many pieces.
func (c *Context) pieces(t Term, base int, out []piece, inner bool) ([]piece, bool) {
	if len(out) >= 2*maxParts {
		return nil, false
	}
	w := c.Width(t)
	switch c.nodes[t].op {
	case OpConst:
		if c.isZero(t) {
			return out, true
		}
	case OpZext:
		return c.pieces(c.arg0(t), base, out, true)
	case OpConcat:
		out, ok := c.pieces(c.arg1(t), base, out, true)
		if !ok {
			return nil, false
		}
		return c.pieces(c.arg0(t), base+c.Width(c.arg1(t)), out, true)
	case OpMul:
		k, ok := c.Uint64(c.arg1(t))
		if !ok || k&(k-1) != 0 {
			break
		}
		n := bits.TrailingZeros64(k)
		return c.pieces(c.Extract(c.arg0(t), w-1-n, 0), base+n, out, true)
	case OpBvAnd:
		if c.NumArgs(t) != 2 {
			break
		}
		m, ok := c.Uint64(c.arg1(t))
		if !ok || w > 64 {
			break
		}
		if hi, lo := bits.Len64(m)-1, bits.TrailingZeros64(m); m == mask(hi+1)&^mask(lo) {
			return append(out, piece{base + lo, c.Extract(c.arg0(t), hi, lo)}), true
		}
	}
	if !inner {
		return nil, false
	}
	return append(out, piece{base, t}), true
}

// joinPieces rewrites a disjunction of non-overlapping pieces to a concatenation, as in p[0] | p[1]<<8.
//
// Exclusive disjunctions are treated alike.
func (c *Context) joinPieces(w int, args []Term) Term {
	var buf [2*maxParts + 2]piece
	ps := buf[:0]
	ok := true
	for _, t := range args {
		switch c.nodes[t].op { // cheap refusal
		case OpZext, OpConcat, OpMul, OpBvAnd:
		default:
			return 0
		}
		if ps, ok = c.pieces(t, 0, ps, false); !ok {
			return 0
		}
	}
	if len(ps) < 2 {
		return 0
	}
	slices.SortFunc(ps, func(x, y piece) int { return x.off - y.off })
	end := 0
	for _, p := range ps {
		if p.off < end {
			return 0
		}
		end = p.off + c.Width(p.t)
	}
	if !c.use(ruleOrJoinsPieces) {
		return 0
	}
	r := Term(0)
	at := 0
	for _, p := range ps {
		if gap := p.off - at; gap > 0 {
			r = c.concat0(c.Int(gap, 0), r)
		}
		r = c.concat0(p.t, r)
		at = p.off + c.Width(p.t)
	}
	return c.Zext(r, w)
}

func (c *Context) concat0(hi, lo Term) Term {
	if lo == 0 {
		return hi
	}
	return c.Concat(hi, lo)
}

// constAmount returns a constant shift amount, capped at w.
func (c *Context) constAmount(b Term, w int) (int, bool) {
	if c.nodes[b].op != OpConst {
		return 0, false
	}
	v, ok := c.Uint64(b)
	if !ok || v >= uint64(w) {
		return w, true
	}
	return int(v), true
}

// Shl shifts left; an amount of w or more gives 0.
//
// A shift of up to 64 bits by a constant becomes a product, so that sums remain sums.
func (c *Context) Shl(a, b Term) Term {
	w := c.mustBV("Shl", a, b)
	n, ok := c.constAmount(b, w)
	switch {
	case !ok:
		if (w <= 64 && c.nodes[b].lo >= uint64(w) || c.isZero(a)) && c.use(ruleShlNothingLeft) {
			return c.Int(w, 0)
		}
		return c.mk(OpShl, Sort(w), 0, a, b)
	case n == 0:
		return a
	case n == w:
		return c.Int(w, 0)
	case w <= 64:
		return c.Mul(a, c.Int(w, 1<<uint(n)))
	}
	return c.Concat(c.Extract(a, w-1-n, 0), c.Int(n, 0))
}

// Lshr shifts right and fills with zeros; an amount of w or more gives 0.
func (c *Context) Lshr(a, b Term) Term {
	w := c.mustBV("Lshr", a, b)
	n, ok := c.constAmount(b, w)
	switch {
	case !ok:
		if (w <= 64 && c.nodes[b].lo >= uint64(w) || c.isZero(a)) && c.use(ruleLshrNothingLeft) {
			return c.Int(w, 0)
		}
		return c.mk(OpLshr, Sort(w), 0, a, b)
	case n == 0:
		return a
	case n == w:
		return c.Int(w, 0)
	}
	return c.Zext(c.Extract(a, w-1, n), w)
}

// Ashr shifts right and fills with the sign bit; an amount of w or more gives the sign in each bit.
func (c *Context) Ashr(a, b Term) Term {
	w := c.mustBV("Ashr", a, b)
	if c.nonNegative(a) && c.use(ruleAshrNonnegative) {
		return c.Lshr(a, b)
	}
	n, ok := c.constAmount(b, w)
	switch {
	case !ok:
		return c.mk(OpAshr, Sort(w), 0, a, b)
	case n == 0:
		return a
	}
	return c.Sext(c.Extract(a, w-1, min(n, w-1)), w)
}
