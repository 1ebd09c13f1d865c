package state

import "math"

// halfToFloat returns the value of a float of 16 bits.
func halfToFloat(h uint16) float64 {
	exponent, fraction := int(h>>10&31), float64(h&1023)
	f := math.Ldexp(1024+fraction, exponent-25)
	switch {
	case exponent == 0:
		f = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		f = math.Inf(1)
	case exponent == 31:
		f = math.NaN()
	}
	if h>>15 != 0 {
		return -f
	}
	return f
}

// floatToHalf rounds a number, which is not NaN, to nearest even in 16 bits.
func floatToHalf(f float64) uint16 {
	sign, f := uint16(0), f
	if math.Signbit(f) {
		sign, f = 0x8000, -f
	}
	if f >= 65520 {
		return sign | 0x7c00
	}
	if f == 0 {
		return sign
	}
	// The exponent of the last digit: -24, or more for normal numbers.
	_, e := math.Frexp(f)
	last := max(e-11, -24)
	digits := uint16(math.RoundToEven(math.Ldexp(f, -last)))
	return sign + digits + uint16(last+24)<<10 // a carry is the next exponent
}
