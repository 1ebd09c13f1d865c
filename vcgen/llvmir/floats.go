package llvmir

import (
	"math"
	"math/big"
)

// Constants of floating point. LLVM up to 22 writes float and double as decimals if these are exact, otherwise as the
// bits of a double. Other types are written as their own bits after a letter. From version 23 on, all types are
// written as the decimal that is nearest to the constant and to no other number of the type, or as their own bits
// after f0x, or as a word: +inf, -qnan, +nan(0x123), +snan(0x1).

// float reads a number that begins with a digit, or with a sign and a digit.
func (r *reader) float(t *Type) *Const {
	w := string(r.Word())
	if t.Kind != FloatType {
		r.Fail("%q is no constant of type %s", w, t)
	}
	if t.Name == "bfloat" {
		r.Next()
		return r.unsupportedConst(t, "a constant of type "+t.String())
	}
	bits := new(big.Int)
	if len(w) < 3 || w[1] != 'x' {
		bits = r.decimalBits(t, w)
	} else {
		prefix, digits := w[:2], w[2:]
		if c := w[2]; c >= 'G' && c <= 'Z' {
			prefix, digits = w[:3], w[3:]
		}
		if prefix != floatPrefix[t.Bits] && (t.Bits != 128 || prefix != "0xL" && prefix != "0xM") {
			r.Fail("%q is no constant of type %s", w, t)
		}
		if _, ok := bits.SetString(digits, 16); !ok || bits.Sign() < 0 || len(digits) > 32 {
			r.Fail("%q is no number", w)
		}
		switch {
		case t.Bits == 128:
			r.Next()
			return r.unsupportedConst(t, "a constant of type "+t.String())
		case prefix == "0x":
			if bits.BitLen() > 64 {
				r.Fail("%q has more than 64 bits", w)
			}
			r.doubleBits(bits, t, bits.Uint64())
		case bits.BitLen() > t.Bits:
			r.Fail("%q has more than %d bits", w, t.Bits)
		}
	}
	r.Next()
	return &Const{Kind: ConstFloat, Type: t, Int: bits}
}

// floatPrefix is the prefix of hexadecimal constants, by the width of their type.
var floatPrefix = map[int]string{16: "0xH", 32: "0x", 64: "0x", 80: "0xK"}

// doubleBits sets bits to the encoding in type t, float or double, of a number written as a double.
func (r *reader) doubleBits(bits *big.Int, t *Type, double uint64) {
	if t.Bits == 64 {
		bits.SetUint64(double)
		return
	}
	x := math.Float64frombits(double)
	if x != x {
		// The payload of a NaN keeps its leading bits.
		sign, payload := uint32(double>>63)<<31, uint32(double>>29&(1<<23-1))
		bits.SetUint64(uint64(sign | math.Float32bits(float32(math.Inf(1))) | payload))
		return
	}
	if f := float32(x); float64(f) != x {
		r.Fail("%q is no constant of type float", r.Word())
	}
	bits.SetUint64(uint64(math.Float32bits(float32(x))))
}

// floatFormat is the encoding of a floating point type: a sign, the exponent, and the fraction.
//
// explicit: the leading bit of the significand is stored, too.
type floatFormat struct {
	exponent, fraction int
	explicit           bool
}

var floatFormats = map[int]floatFormat{16: {5, 10, false}, 32: {8, 23, false}, 64: {11, 52, false}, 80: {15, 63, true}}

// pack returns the bits of a number; the exponent is already encoded.
func (f floatFormat) pack(negative bool, exponent int64, fraction *big.Int) *big.Int {
	bits := big.NewInt(exponent)
	width := f.fraction
	if f.explicit {
		width++
		if exponent > 0 {
			fraction = new(big.Int).SetBit(fraction, f.fraction, 1)
		}
	}
	bits.Lsh(bits, uint(width)).Or(bits, fraction)
	if negative {
		bits.SetBit(bits, f.exponent+width, 1)
	}
	return bits
}

// special returns the exponent of NaN and infinity.
func (f floatFormat) special() int64 { return 1<<f.exponent - 1 }

// decimalBits returns the encoding of the number of a type that is nearest to a decimal.
func (r *reader) decimalBits(t *Type, text string) *big.Int {
	f, ok := floatFormats[t.Bits]
	x, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
	if !ok || err != nil || len(text) > 1<<10 {
		r.Fail("%q is no constant of type %s", text, t)
	}
	if x.Sign() == 0 {
		return f.pack(x.Signbit(), 0, new(big.Int))
	}
	bias := int64(1)<<(f.exponent-1) - 1
	// x is m * 2^e with 1/2 <= m < 1; the least exponent is that of subnormal numbers.
	round := func(x *big.Float) int64 { return max(int64(x.MantExp(nil))-1, 1-bias) }
	e := round(x)
	for {
		scaled := new(big.Float).SetMantExp(x, int(int64(f.fraction)-e))
		n, _ := new(big.Float).Add(new(big.Float).SetPrec(512).Abs(scaled), big.NewFloat(0.5)).Int(nil)
		if back := new(big.Float).SetPrec(512).SetInt(n); n.Bit(0) == 1 && // tie: round to even
			back.Cmp(new(big.Float).Add(new(big.Float).SetPrec(512).Abs(scaled), big.NewFloat(0.5))) == 0 {
			n.Sub(n, big.NewInt(1))
		}
		if n.BitLen() > f.fraction+1 { // rounded up to a power of two
			e++
			continue
		}
		exponent := e + bias
		if n.BitLen() <= f.fraction {
			exponent = 0
		}
		if exponent >= f.special() {
			r.Fail("%q is too large for %s", text, t)
		}
		return f.pack(x.Signbit(), exponent, n.SetBit(n, f.fraction, 0))
	}
}

// ownBits reads the bits of a number after f0x.
func (r *reader) ownBits(t *Type) *Const {
	w := string(r.Word())
	bits, ok := new(big.Int).SetString(w[len("f0x"):], 16)
	switch {
	case !ok || bits.Sign() < 0 || len(w) > 64 || bits.BitLen() > t.Bits:
		r.Fail("%q is no constant of type %s", w, t)
	case t.Bits == 128 || t.Name != "":
		r.Next()
		return r.unsupportedConst(t, "a constant of type "+t.String())
	}
	r.Next()
	return &Const{Kind: ConstFloat, Type: t, Int: bits}
}

// signedWord reads the words of NaN and infinity.
func (r *reader) signedWord(t *Type) *Const {
	negative := r.Is('-')
	r.Next()
	word := string(r.Word())
	r.Next()
	f, known := floatFormats[t.Bits]
	payload := new(big.Int)
	quiet := new(big.Int).Lsh(big.NewInt(1), uint(f.fraction-min(1, f.fraction)))
	switch word {
	case "inf":
	case "qnan":
		payload = quiet
	case "nan", "snan":
		r.Expect('(')
		digits := string(r.Word())
		ok := false
		if len(digits) > 2 && digits[:2] == "0x" && len(digits) < 40 {
			payload, ok = payload.SetString(digits[2:], 16)
		}
		if !ok || known && payload.BitLen() >= f.fraction {
			r.Fail("%q is no payload of type %s", digits, t)
		}
		r.Next()
		r.Expect(')')
		if word == "nan" {
			payload.Or(payload, quiet)
		} else if payload.Sign() == 0 {
			r.Fail("an infinite number is no snan")
		}
	default:
		r.Fail("%q is no constant of type %s", word, t)
	}
	if !known || t.Name != "" {
		return r.unsupportedConst(t, "a constant of type "+t.String())
	}
	return &Const{Kind: ConstFloat, Type: t, Int: f.pack(negative, f.special(), payload)}
}
