package solver

import (
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// IEEE-754 circuits on bit patterns, rounding to nearest even, with canonical NaN results. Sources: IEEE Std 754-2019;
// for the structure of the adder, multiplier and fused multiply-add Muller et al., "Handbook of Floating-Point
// Arithmetic" (2nd ed., chapters 8 and 9).
//
// Exponents are biased and signed words, wide enough for all sums below. A significand is a word whose highest bit has
// the weight 2^(exp-bias).

// format has eb exponent bits and sb significand bits, including the hidden one.
type format struct{ eb, sb int }

func formatOf(width int) format {
	switch width {
	case 16:
		return format{5, 11}
	case 32:
		return format{8, 24}
	case 64:
		return format{11, 53}
	}
	panic("no floating-point format of this width")
}

func (f format) width() int { return f.eb + f.sb }
func (f format) bias() int  { return 1<<(f.eb-1) - 1 }

func (f format) inf(sign lit) word {
	w := make(word, f.width())
	for i := 0; i < f.eb; i++ {
		w[f.sb-1+i] = litTrue
	}
	w[len(w)-1] = sign
	return w
}

func (f format) nan() word {
	w := f.inf(litFalse)
	w[f.sb-2] = litTrue
	return w
}

func (f format) zero(sign lit) word {
	w := make(word, f.width())
	w[len(w)-1] = sign
	return w
}

// number is an operand split into its parts. Subnormals have exponent 1 and no hidden bit.
type number struct {
	f                    format
	sign, nan, inf, zero lit
	exp                  word // eb bits, unsigned
	sig                  word // sb bits
	mag                  word // exponent and fraction as in the pattern
}

func (g *aig) unpack(w word) number {
	f := formatOf(len(w))
	frac, e := w[:f.sb-1], w[f.sb-1:f.sb-1+f.eb]
	full := g.andAll(e)
	none := g.isZero(e)
	fz := g.isZero(frac)
	exp := append(word(nil), e...)
	exp[0] = g.or(exp[0], none)
	return number{
		f:    f,
		sign: w[len(w)-1],
		nan:  g.and(full, fz^1),
		inf:  g.and(full, fz),
		zero: g.and(none, fz),
		exp:  exp,
		sig:  word{none ^ 1}.above(frac),
		mag:  w[:len(w)-1],
	}
}

// signedConst returns the n-bit two's complement word of v.
func signedConst(n, v int) word {
	w := make(word, n)
	for i := range w {
		w[i] = lit(v >> min(i, 63) & 1)
	}
	return w
}

func (g *aig) addConst(a word, v int) word {
	r, _ := g.add(a, signedConst(len(a), v), litFalse)
	return r
}

// nonPositive builds: a signed word is at most zero.
func (g *aig) nonPositive(a word) lit {
	return g.or(a[len(a)-1], g.isZero(a))
}

// normalised returns the significand of a nonzero number with its highest bit set, and the matching exponent, n bits
// wide.
func (g *aig) normalised(x number, n int) (sig, exp word) {
	sig, lz := g.normalise(x.sig)
	return sig, g.sub(x.exp.zext(n), lz.zext(n))
}

type rounding struct {
	// normal: the highest bit of the significand is set, unless the significand is zero.
	normal bool
	// large: the exponent is at least 1; so is the result's, unless normalization lowers it.
	large bool
}

// round encodes (-1)^sign * sig * 2^(exp - bias - (len(sig)-1)).
func (g *aig) round(f format, sign lit, exp, sig word, how rounding) word {
	if n := f.sb + 2; len(sig) < n {
		sig = sig.above(make(word, n-len(sig)))
	}
	switch {
	case how.normal:
	case how.large:
		sig, exp = g.normaliseDownTo1(sig, exp)
	default:
		var lz word
		sig, lz = g.normalise(sig)
		exp = g.sub(exp, lz.zext(len(exp)))
	}
	// Keep sb bits, one more bit, and the rest as a sticky bit.
	cut := len(sig) - (f.sb + 1)
	sig = sig[cut:].above(word{g.orAll(sig[:cut])})
	if !how.large {
		sub := g.nonPositive(exp)
		amount := g.andBit(sub, g.addConst(exp.not(), 2)) // 1 - exp
		sig = g.shiftRightSticky(sig, amount)
	}
	hidden := sig[len(sig)-1]
	over := g.and(hidden, g.and(exp[len(exp)-1]^1, g.ule(signedConst(len(exp)-1, 1<<f.eb-1), exp[:len(exp)-1])))
	field := g.andBit(hidden, exp[:f.eb])
	mag := field.above(sig[2 : len(sig)-1])
	up := g.and(sig[1], g.or(sig[0], sig[2]))
	mag = g.inc(mag, up) // a carry out of the fraction is the next exponent
	return word{sign}.above(g.muxWord(over, f.inf(litFalse)[:f.width()-1], mag))
}

// normaliseDownTo1 shifts left while the highest bit is clear and the exponent stays at least 1. The result is normal,
// or a subnormal in place.
func (g *aig) normaliseDownTo1(a, exp word) (word, word) {
	n := len(a)
	for i := bits.Len(uint(n-1)) - 1; i >= 0; i-- {
		k := 1 << i
		z := litTrue
		for j := max(0, n-k); j < n; j++ {
			z = g.and(z, a[j]^1)
		}
		lower := g.addConst(exp, -k)
		z = g.and(z, g.nonPositive(lower)^1)
		t := make(word, n)
		for j := range t {
			from := litFalse
			if j >= k {
				from = a[j-k]
			}
			t[j] = g.mux(z, from, a[j])
		}
		a = t
		exp = g.muxWord(z, lower, exp)
	}
	return a, exp
}

// choose returns the first word whose condition holds, else last.
func (g *aig) choose(last word, pairs ...any) word {
	r := last
	for i := len(pairs) - 2; i >= 0; i -= 2 {
		r = g.muxWord(pairs[i].(lit), pairs[i+1].(word), r)
	}
	return r
}

func (g *aig) fadd(a, b word) word {
	f := formatOf(len(a))
	x, y := g.unpack(a), g.unpack(b)
	swap := g.ult(x.mag, y.mag)
	el, es := g.muxWord(swap, y.exp, x.exp), g.muxWord(swap, x.exp, y.exp)
	sl, ss := g.muxWord(swap, y.sig, x.sig), g.muxWord(swap, x.sig, y.sig)
	signL := g.mux(swap, y.sign, x.sign)
	exp, sig := g.addMagnitudes(f.eb+2, el.zext(f.eb+2), sl, g.sub(el, es), ss, g.xor(x.sign, y.sign))
	zero := g.isZero(sig)
	sign := g.mux(zero, g.and(x.sign, y.sign), signL)
	r := g.round(f, sign, exp, sig, rounding{large: true})
	nan := g.or(g.or(x.nan, y.nan), g.and(g.and(x.inf, y.inf), g.xor(x.sign, y.sign)))
	return g.choose(r, nan, f.nan(), g.or(x.inf, y.inf), f.inf(signL))
}

// addMagnitudes adds the smaller magnitude, whose exponent is less by d, to the larger one, or subtracts it. With three
// more low bits the sum is exact or, with the lowest as a sticky bit, on the right side of every rounding boundary.
func (g *aig) addMagnitudes(n int, expL, sigL, d, sigS word, subtract lit) (exp, sig word) {
	low := make(word, 3)
	l := sigL.above(low)
	s := g.shiftRightSticky(sigS.above(low), d)
	r, c := g.add(l, g.xorBit(subtract, s), subtract)
	r = word{g.and(c, subtract^1)}.above(r)
	return g.addConst(expL.zext(n), 1), r
}

func (g *aig) fmul(a, b word) word {
	f := formatOf(len(a))
	x, y := g.unpack(a), g.unpack(b)
	n := f.eb + 3
	sign := g.xor(x.sign, y.sign)
	exp, _ := g.add(x.exp.zext(n), y.exp.zext(n), litFalse)
	exp = g.addConst(exp, 1-f.bias())
	sig := g.mulUnsigned(x.sig, y.sig, 2*f.sb)
	r := g.round(f, sign, exp, sig, rounding{})
	nan := g.or(g.or(x.nan, y.nan), g.or(g.and(x.inf, y.zero), g.and(x.zero, y.inf)))
	return g.choose(r, nan, f.nan(), g.or(x.inf, y.inf), f.inf(sign))
}

func (g *aig) fdiv(a, b word) word {
	f := formatOf(len(a))
	x, y := g.unpack(a), g.unpack(b)
	n := f.eb + 3
	sign := g.xor(x.sign, y.sign)
	sx, ex := g.normalised(x, n)
	sy, ey := g.normalised(y, n)
	exp := g.addConst(g.sub(ex, ey), f.bias())
	// sb+3 quotient bits, the first of weight one.
	q := make(word, f.sb+3)
	rem := sx.zext(f.sb + 1)
	div := sy.zext(f.sb + 1)
	for i := len(q) - 1; i >= 0; i-- {
		diff, geq := g.add(rem, div.not(), litTrue)
		q[i] = geq
		rem = g.muxWord(geq, diff, rem)
		if i > 0 {
			rem = rem[:f.sb].above(word{litFalse})
		}
	}
	sig := q.above(word{g.isZero(rem) ^ 1})
	small := sig[len(sig)-1] ^ 1
	sig = g.muxWord(small, sig.shl(1), sig)
	exp = g.sub(exp, word{small}.zext(n))
	r := g.round(f, sign, exp, sig, rounding{normal: true})
	nan := g.or(g.or(x.nan, y.nan), g.or(g.and(x.inf, y.inf), g.and(x.zero, y.zero)))
	return g.choose(r, nan, f.nan(), g.or(x.inf, y.zero), f.inf(sign), g.or(x.zero, y.inf), f.zero(sign))
}

func (g *aig) fsqrt(a word) word {
	f := formatOf(len(a))
	x := g.unpack(a)
	n := f.eb + 2
	sig, e := g.normalised(x, n)
	t := g.addConst(e, -f.bias())
	odd := t[0]
	exp := g.addConst(t[1:].sext(n), f.bias())
	// The radicand has 2*sb+2 bits, so the root has sb+1, the last below the significand.
	r0 := word{litFalse}.above(sig).above(make(word, f.sb+1))
	rad := g.muxWord(odd, r0.shl(1), r0)
	var root, rem word
	for i := f.sb; i >= 0; i-- {
		rem = rem.above(word{rad[2*i], rad[2*i+1]})
		trial := root.above(word{litTrue, litFalse})
		k := max(len(rem), len(trial))
		diff, geq := g.add(rem.zext(k), trial.zext(k).not(), litTrue)
		rem = g.muxWord(geq, diff, rem.zext(k))
		root = root.above(word{geq})
		rem = rem[:min(len(rem), len(root)+1)] // rem <= 2*root
	}
	sig = root.above(word{g.isZero(rem) ^ 1})
	r := g.round(f, litFalse, exp, sig, rounding{normal: true, large: true})
	nan := g.or(x.nan, g.and(x.sign, x.zero^1))
	return g.choose(r, nan, f.nan(), x.zero, a, x.inf, f.inf(litFalse))
}

func (g *aig) ffma(a, b, c word) word {
	f := formatOf(len(a))
	x, y, z := g.unpack(a), g.unpack(b), g.unpack(c)
	n := f.eb + 4
	signP := g.xor(x.sign, y.sign)
	ep, _ := g.add(x.exp.zext(n), y.exp.zext(n), litFalse)
	ep = g.addConst(ep, 1-f.bias())
	sp, lz := g.normalise(g.mulUnsigned(x.sig, y.sig, 2*f.sb))
	ep = g.sub(ep, lz.zext(n))
	sz, ez := g.normalised(z, n)
	sz = sz.above(make(word, f.sb))
	// A zero has the least exponent, so that it is never the larger summand.
	least := signedConst(n, -1<<(n-2))
	ep = g.muxWord(g.or(x.zero, y.zero), least, ep)
	ez = g.muxWord(z.zero, least, ez)
	swap := g.slt(ep.above(sp), ez.above(sz))
	el, es := g.muxWord(swap, ez, ep), g.muxWord(swap, ep, ez)
	sl, ss := g.muxWord(swap, sz, sp), g.muxWord(swap, sp, sz)
	subtract := g.xor(signP, z.sign)
	d := g.sub(el, es)
	exp := g.addConst(el, 1)
	_, sig := g.addMagnitudes(n, el, sl, d, ss, subtract)
	sign := g.mux(g.isZero(sig), g.and(signP, z.sign), g.mux(swap, z.sign, signP))
	r := g.round(f, sign, exp, sig, rounding{})
	infP := g.or(x.inf, y.inf)
	nan := g.or(g.or(x.nan, y.nan), g.or(z.nan, g.or(g.and(x.inf, y.zero), g.and(x.zero, y.inf))))
	nan = g.or(nan, g.and(g.and(infP, z.inf), subtract))
	return g.choose(r, nan, f.nan(), infP, f.inf(signP), z.inf, f.inf(z.sign))
}

func (g *aig) feq(a, b word) lit {
	x, y := g.unpack(a), g.unpack(b)
	return g.and(g.or(x.nan, y.nan)^1, g.or(g.eqWord(a, b), g.and(x.zero, y.zero)))
}

func (g *aig) flt(a, b word) lit {
	x, y := g.unpack(a), g.unpack(b)
	return g.and(g.or(x.nan, y.nan)^1, g.and(g.and(x.zero, y.zero)^1, g.ordered(x, y)))
}

// ordered builds x < y on signed magnitudes; -0 < +0.
func (g *aig) ordered(x, y number) lit {
	same := g.mux(x.sign, g.ult(y.mag, x.mag), g.ult(x.mag, y.mag))
	return g.mux(g.xor(x.sign, y.sign), x.sign, same)
}

func (g *aig) fle(a, b word) lit {
	return g.or(g.flt(a, b), g.feq(a, b))
}

// fminmax builds libm's fmin or fmax, which ignore a NaN operand.
func (g *aig) fminmax(a, b word, isMax bool) word {
	f := formatOf(len(a))
	x, y := g.unpack(a), g.unpack(b)
	first := g.ordered(x, y)
	if isMax {
		first = g.ordered(y, x)
	}
	r := g.muxWord(first, a, b)
	return g.choose(r, g.and(x.nan, y.nan), f.nan(), x.nan, b, y.nan, a)
}

// ftoint truncates to n bits; the result is zero if out of range or NaN.
func (g *aig) ftoint(a word, n int, signed bool) word {
	x := g.unpack(a)
	f := x.f
	en := max(f.eb, bits.Len(uint(n))) + 2
	e := g.addConst(x.exp.zext(en), -f.bias())
	neg := e[en-1]
	big := g.and(neg^1, g.ule(signedConst(en-1, n), e[:en-1]))
	reg := g.shift(x.sig.zext(n+f.sb-1), e[:bits.Len(uint(n-1))+b2i(n == 1)], shiftLeft)
	mag := g.andBit(neg^1, reg[f.sb-1:])
	bad := g.or(g.or(x.nan, x.inf), big)
	if signed {
		// The magnitude may be 2^(n-1) only for a negative number.
		top := mag[n-1]
		bad = g.or(bad, g.and(top, g.or(x.sign^1, g.orAll(mag[:n-1]))))
		mag = g.negIf(x.sign, mag)
	} else {
		bad = g.or(bad, g.and(x.sign, g.orAll(mag)))
	}
	return g.andBit(bad^1, mag)
}

func b2i(b bool) int { return int(b2u(b)) }

// inttof converts an integer to the format of the given width.
func (g *aig) inttof(a word, width int, signed bool) word {
	f := formatOf(width)
	sign := litFalse
	mag := a
	if signed {
		sign = a[len(a)-1]
		mag = g.negIf(sign, a)
	}
	if n := mag.active(); n < len(mag) {
		mag = mag[:max(n, 1)]
	}
	n := max(f.eb, bits.Len(uint(len(mag)))) + 3
	exp := signedConst(n, f.bias()+len(mag)-1)
	sig, lz := g.normalise(mag)
	exp = g.sub(exp, lz.zext(n))
	return g.round(f, sign, exp, sig, rounding{normal: true, large: true})
}

// ftof converts between formats.
func (g *aig) ftof(a word, width int) word {
	x := g.unpack(a)
	f := formatOf(width)
	n := max(f.eb, x.f.eb) + 3
	shift := f.bias() - x.f.bias()
	var r word
	if shift > 0 {
		sig, exp := g.normalised(x, n)
		r = g.round(f, x.sign, g.addConst(exp, shift), sig, rounding{normal: true, large: true})
	} else {
		r = g.round(f, x.sign, g.addConst(x.exp.zext(n), shift), x.sig, rounding{})
	}
	return g.choose(r, x.nan, f.nan(), x.inf, f.inf(x.sign))
}

// fround rounds to an integral value of the same format. Between 1 and 2^(sb-1) the last integral bit of the pattern
// has a position p. Clear all lower bits of the pattern and add one at p: this gives the next integral number, across
// binades, too.
func (g *aig) fround(mode smt.RoundMode, a word) word {
	x := g.unpack(a)
	f := x.f
	m := f.sb - 1 // fraction bits
	e := a[m : m+f.eb]
	// below[i]: fraction bit i has a weight below one, in numbers of at least one.
	below := make(word, m)
	for i := range below {
		below[i] = g.ult(e, constWord(f.eb, uint64(f.bias()+m-i)))
	}
	small := g.ult(e, constWord(f.eb, uint64(f.bias())))     // below one
	half := g.eqWord(e, constWord(f.eb, uint64(f.bias()-1))) // in [1/2, 1)
	fracZero := g.isZero(a[:m])
	// guard (half) and sticky bit of numbers of at least one; lsb is the last integral bit.
	guard, sticky, lsb := litFalse, litFalse, litFalse
	mag := make(word, m+f.eb)
	unit := make(word, m+f.eb)
	copy(mag, x.mag)
	for i := 0; i < m; i++ {
		next := litFalse
		if i+1 < m {
			next = below[i+1]
		}
		first := g.and(below[i], next^1) // highest bit below one
		guard = g.or(guard, g.and(first, a[i]))
		sticky = g.or(sticky, g.and(next, a[i]))
		mag[i] = g.and(below[i]^1, a[i])
		prev := litTrue
		if i > 0 {
			prev = below[i-1]
		}
		isUnit := g.and(below[i]^1, prev)
		unit[i] = isUnit
		lsb = g.or(lsb, g.and(isUnit, a[i]))
	}
	// If all fraction bits are below one, the unit is the hidden bit: the lowest exponent bit in the pattern. The hidden
	// bit is set.
	all := below[m-1]
	unit[m] = all
	lsb = g.or(lsb, all)
	guard = g.mux(small, half, guard)
	sticky = g.mux(small, g.mux(half, fracZero^1, x.zero^1), sticky)
	lsb = g.and(lsb, small^1)
	inexact := g.or(guard, sticky)
	var up lit
	switch mode {
	case smt.RoundFloor:
		up = g.and(inexact, x.sign)
	case smt.RoundCeil:
		up = g.and(inexact, x.sign^1)
	case smt.RoundTrunc:
		up = litFalse
	case smt.RoundNearestEven:
		up = g.and(guard, g.or(sticky, lsb))
	case smt.RoundNearestAway:
		up = guard
	}
	normal, _ := g.add(mag, g.andBit(up, unit), litFalse)
	one := constWord(f.eb, uint64(f.bias())).above(make(word, m))
	r := word{x.sign}.above(g.muxWord(small, g.andBit(up, one), normal))
	return g.muxWord(x.nan, f.nan(), r)
}
