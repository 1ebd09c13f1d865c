package smt

import "fmt"

// mustFloat checks that all operands have the same float width and returns it.
func (c *Context) mustFloat(what string, ts ...Term) int {
	w := c.mustBV(what, ts...)
	if w != 32 && w != 64 {
		panic(fmt.Sprintf("smt: %s: no float of %d bits", what, w))
	}
	return w
}

func (c *Context) float2(what string, op Op, a, b Term) Term {
	w := c.mustFloat(what, a, b)
	switch op {
	case OpFAdd, OpFMul, OpFMin, OpFMax: // commutative, because all NaN results are equal
		if a > b {
			a, b = b, a
		}
	}
	return c.mk(op, Sort(w), 0, a, b)
}

// FAdd returns a+b, rounded to nearest even.
//
// Like all float operations it takes and returns bit patterns of 32 or 64 bits. A NaN result is the canonical quiet
// NaN.
func (c *Context) FAdd(a, b Term) Term { return c.float2("FAdd", OpFAdd, a, b) }

// FSub returns a-b, rounded to nearest even.
func (c *Context) FSub(a, b Term) Term { return c.float2("FSub", OpFSub, a, b) }

// FMul returns a*b, rounded to nearest even.
func (c *Context) FMul(a, b Term) Term { return c.float2("FMul", OpFMul, a, b) }

// FDiv returns a/b, rounded to nearest even.
func (c *Context) FDiv(a, b Term) Term { return c.float2("FDiv", OpFDiv, a, b) }

// FRem returns C's fmod(a, b), which is exact and has the sign of a.
func (c *Context) FRem(a, b Term) Term { return c.float2("FRem", OpFRem, a, b) }

// FMin returns C's fmin: the other operand if one is a NaN; -0 counts as less than +0.
func (c *Context) FMin(a, b Term) Term { return c.float2("FMin", OpFMin, a, b) }

// FMax returns C's fmax: the other operand if one is a NaN; -0 counts as less than +0.
func (c *Context) FMax(a, b Term) Term { return c.float2("FMax", OpFMax, a, b) }

// FSqrt returns the square root, rounded to nearest even.
func (c *Context) FSqrt(a Term) Term {
	return c.mk(OpFSqrt, Sort(c.mustFloat("FSqrt", a)), 0, a)
}

// FFma returns a*b+x with a single rounding to nearest even.
func (c *Context) FFma(a, b, x Term) Term {
	w := c.mustFloat("FFma", a, b, x)
	if a > b {
		a, b = b, a
	}
	return c.mk(OpFFma, Sort(w), 0, a, b, x)
}

// FNeg flips the sign bit, even of a NaN.
func (c *Context) FNeg(a Term) Term {
	w := c.mustFloat("FNeg", a)
	return c.BvXor(a, c.Int(w, 1<<uint(w-1)))
}

// FAbs clears the sign bit, even of a NaN.
func (c *Context) FAbs(a Term) Term {
	w := c.mustFloat("FAbs", a)
	return c.BvAnd(a, c.Int(w, mask(w-1)))
}

// FEq is IEEE equality: false on NaN, true between -0 and +0.
func (c *Context) FEq(a, b Term) Term {
	c.mustFloat("FEq", a, b)
	if a == b && c.use(ruleFeqSelf) {
		return c.Not(c.FIsNaN(a))
	}
	if a > b {
		a, b = b, a
	}
	return c.mk(OpFEq, Bool, 0, a, b)
}

// FLt is IEEE less-than: false on NaN.
func (c *Context) FLt(a, b Term) Term {
	c.mustFloat("FLt", a, b)
	if a == b && c.use(ruleFltSelf) {
		return termFalse
	}
	return c.mk(OpFLt, Bool, 0, a, b)
}

// FLe is IEEE less-or-equal: false on NaN.
func (c *Context) FLe(a, b Term) Term {
	c.mustFloat("FLe", a, b)
	if a == b && c.use(ruleFleSelf) {
		return c.Not(c.FIsNaN(a))
	}
	return c.mk(OpFLe, Bool, 0, a, b)
}

// FIsNaN returns, by bit operations alone, whether a (of 32 or 64 bits) is any NaN.
func (c *Context) FIsNaN(a Term) Term {
	w := c.mustFloat("FIsNaN", a)
	inf := uint64(0x7f800000)
	if w == 64 {
		inf = 0x7ff0000000000000
	}
	return c.Ugt(c.Extract(a, w-2, 0), c.Int(w-1, inf))
}

// FToS rounds a float toward zero to a signed integer of w bits; 0 if the result is out of range or a is a NaN.
func (c *Context) FToS(a Term, w int) Term {
	c.mustFloat("FToS", a)
	return c.mk(OpFToS, BV(w), 0, a)
}

// FToU rounds a float toward zero to an unsigned integer of w bits; 0 if the result is out of range or a is a NaN.
func (c *Context) FToU(a Term, w int) Term {
	c.mustFloat("FToU", a)
	return c.mk(OpFToU, BV(w), 0, a)
}

func checkFloatWidth(what string, w int) {
	if w != 32 && w != 64 {
		panic(fmt.Sprintf("smt: %s: no float of %d bits", what, w))
	}
}

// SToF converts a signed integer of any width to a float of w (32 or 64) bits, rounding to nearest even.
func (c *Context) SToF(a Term, w int) Term {
	c.mustBV("SToF", a)
	checkFloatWidth("SToF", w)
	return c.mk(OpSToF, BV(w), 0, a)
}

// UToF converts an unsigned integer of any width to a float of w (32 or 64) bits, rounding to nearest even.
func (c *Context) UToF(a Term, w int) Term {
	c.mustBV("UToF", a)
	checkFloatWidth("UToF", w)
	return c.mk(OpUToF, BV(w), 0, a)
}

// FToF converts between floats of 16, 32 and 64 bits, rounding to nearest even.
//
// A conversion between equal widths is the identity, even for NaNs.
func (c *Context) FToF(a Term, w int) Term {
	aw := c.mustBV("FToF", a)
	if aw != 16 {
		checkFloatWidth("FToF", aw)
	}
	if w != 16 {
		checkFloatWidth("FToF", w)
	}
	if aw == w {
		return a
	}
	return c.mk(OpFToF, BV(w), 0, a)
}

// FRound rounds to an integral value in the given direction; a zero result has the sign of a.
func (c *Context) FRound(mode RoundMode, a Term) Term {
	w := c.mustFloat("FRound", a)
	if mode > RoundNearestAway {
		panic("smt: FRound: " + mode.String())
	}
	return c.mk(OpFRound, Sort(w), uint64(mode), a)
}
