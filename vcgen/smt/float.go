package smt

import (
	"fmt"
	"math"
	"math/big"
)

// Bit patterns of the canonical NaN, the only one that operations return.
const (
	nan16 = 0x7e00
	nan32 = 0x7fc00000
	nan64 = 0x7ff8000000000000
)

// decodeFloat converts an IEEE-754 binary16, binary32 or binary64 pattern; each is exact in a float64.
func decodeFloat(v uint64, w int) float64 {
	switch w {
	case 16:
		return decodeHalf(uint16(v))
	case 32:
		return float64(math.Float32frombits(uint32(v)))
	case 64:
		return math.Float64frombits(v)
	}
	panic(fmt.Sprintf("smt: no float of %d bits", w))
}

// encodeFloat rounds f to nearest even in w bits; each NaN becomes the canonical one.
func encodeFloat(f float64, w int) uint64 {
	switch w {
	case 16:
		return uint64(encodeHalf(f))
	case 32:
		if f != f {
			return nan32
		}
		return uint64(math.Float32bits(float32(f)))
	case 64:
		if f != f {
			return nan64
		}
		return math.Float64bits(f)
	}
	panic(fmt.Sprintf("smt: no float of %d bits", w))
}

func decodeHalf(h uint16) float64 {
	sign, exp, man := h>>15, int(h>>10&31), float64(h&1023)
	var f float64
	switch exp {
	case 31:
		if man != 0 {
			return math.NaN()
		}
		f = math.Inf(1)
	case 0:
		f = math.Ldexp(man, -24)
	default:
		f = math.Ldexp(man+1024, exp-25)
	}
	if sign != 0 {
		return -f
	}
	return f
}

func encodeHalf(f float64) uint16 {
	if f != f {
		return nan16
	}
	var sign uint16
	if math.Signbit(f) {
		sign = 0x8000
		f = -f
	}
	if f >= 65520 { // halfway between the greatest half and 2^16: ties to even goes up
		return sign | 0x7c00
	}
	_, e := math.Frexp(f) // f in [2^(e-1), 2^e)
	quantum := max(e-11, -24)
	// Exact scaling by a power of two, one rounding to an integer.
	n := uint16(math.RoundToEven(math.Ldexp(f, -quantum)))
	if n == 0 {
		return sign
	}
	if n == 2048 {
		n, quantum = 1024, quantum+1
		if quantum+25 >= 31 {
			return sign | 0x7c00
		}
	}
	if n < 1024 {
		return sign | n // subnormal: quantum is -24
	}
	return sign | uint16(quantum+25)<<10 | n&1023
}

// applyFloat computes a float operator if operands and result have at most 64 bits.
func applyFloat(op Op, w int, aux uint64, a []Value) uint64 {
	aw := int(a[0].sort)
	switch op {
	case OpFToS, OpFToU, OpSToF, OpUToF:
		return applyFloatWide(op, w, a[0]).v
	}
	x := decodeFloat(a[0].v, aw)
	var y float64
	if len(a) > 1 {
		y = decodeFloat(a[1].v, aw)
	}
	switch op {
	case OpFEq:
		return b2u(x == y)
	case OpFLt:
		return b2u(x < y)
	case OpFLe:
		return b2u(x <= y)
	case OpFToF, OpFRound:
		if op == OpFRound {
			x = roundIntegral(RoundMode(aux), x)
		}
		return encodeFloat(x, w)
	case OpFSqrt:
		return encodeFloat(math.Sqrt(x), w) // 53 >= 2*24+2 bits: rounding twice is harmless for a float32
	case OpFRem:
		return encodeFloat(math.Mod(x, y), w) // exact, and representable in the operands' width
	case OpFMin:
		return encodeFloat(fmin(x, y), w)
	case OpFMax:
		return encodeFloat(-fmin(-x, -y), w)
	case OpFFma:
		z := decodeFloat(a[2].v, aw)
		if w == 32 {
			return encodeFloat(fma32(x, y, z), w)
		}
		return encodeFloat(math.FMA(x, y, z), w)
	}
	if w == 32 {
		// Native float32 arithmetic; the conversions prevent fused operations.
		p, q := float32(x), float32(y)
		switch op {
		case OpFAdd:
			return encodeFloat(float64(float32(p+q)), w)
		case OpFSub:
			return encodeFloat(float64(float32(p-q)), w)
		case OpFMul:
			return encodeFloat(float64(float32(p*q)), w)
		case OpFDiv:
			return encodeFloat(float64(float32(p/q)), w)
		}
	} else {
		switch op {
		case OpFAdd:
			return encodeFloat(float64(x+y), w)
		case OpFSub:
			return encodeFloat(float64(x-y), w)
		case OpFMul:
			return encodeFloat(float64(x*y), w)
		case OpFDiv:
			return encodeFloat(float64(x/y), w)
		}
	}
	panic(fmt.Sprintf("smt: cannot evaluate %v", op))
}

// fmin is C's fmin: if one operand is a NaN, the result is the other one; -0 is less than +0.
func fmin(x, y float64) float64 {
	switch {
	case x != x:
		return y
	case y != y:
		return x
	}
	return math.Min(x, y)
}

func roundIntegral(m RoundMode, x float64) float64 {
	switch m {
	case RoundFloor:
		return math.Floor(x)
	case RoundCeil:
		return math.Ceil(x)
	case RoundTrunc:
		return math.Trunc(x)
	case RoundNearestEven:
		return math.RoundToEven(x)
	case RoundNearestAway:
		return math.Round(x)
	}
	panic(fmt.Sprintf("smt: invalid rounding mode %d", m))
}

// fma32 computes x*y+z for float32 values, such that one further rounding to float32 is correct.
//
// The product is exact in a float64 (24+24 <= 53 bits). The sum is rounded to odd; rounding that to 24 bits gives the
// same result as rounding the exact sum (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved
// algorithms using rounding to odd", 2008).
func fma32(x, y, z float64) float64 {
	p := x * y
	s := float64(p) + z
	if s != s || math.IsInf(s, 0) || s == 0 {
		return s // exact: a float64 sum is zero only if it is exactly zero
	}
	// Knuth's two-sum: p+z = s+e exactly.
	b := float64(s - p)
	e := float64(p-float64(s-b)) + float64(z-b)
	if e == 0 {
		return s
	}
	u := math.Float64bits(s)
	if u&1 == 0 {
		if (e > 0) == (s > 0) {
			u++
		} else {
			u--
		}
	}
	return math.Float64frombits(u)
}

// applyFloatWide computes conversions between floats and integers of any width.
func applyFloatWide(op Op, w int, a Value) Value {
	switch op {
	case OpFToS, OpFToU:
		x := math.Trunc(decodeFloat(a.Uint64(), int(a.sort)))
		if x != x || math.IsInf(x, 0) {
			return UintValue(w, 0)
		}
		i, _ := big.NewFloat(x).Int(nil)
		lo, hi := new(big.Int), bigMask(w)
		if op == OpFToS {
			lo.Neg(new(big.Int).Lsh(bigOne, uint(w-1)))
			hi = bigMask(w - 1)
		}
		if i.Cmp(lo) < 0 || i.Cmp(hi) > 0 {
			return UintValue(w, 0)
		}
		return BigValueOf(w, i)
	case OpSToF, OpUToF:
		i := a.Big()
		if op == OpSToF {
			i = bigSigned(i, int(a.sort))
		}
		f := new(big.Float).SetInt(i) // exact
		switch w {
		case 32:
			r, _ := f.Float32()
			return UintValue(w, encodeFloat(float64(r), 32))
		case 64:
			r, _ := f.Float64()
			return UintValue(w, encodeFloat(r, 64))
		}
	}
	panic(fmt.Sprintf("smt: cannot evaluate %v at %d bits", op, w))
}
