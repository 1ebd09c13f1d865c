package language

// Float is the operation of a function on floats that the engine computes itself.
type Float uint8

// Operations on floats, as C's library defines them.
const (
	NoFloat Float = iota
	Ceil
	Copysign
	Fabs
	Floor
	Fma
	Fmax
	Fmin
	Fmod
	Rint
	Round
	RoundEven
	Sqrt
	Trunc
)

// Operands returns the number of arguments.
func (f Float) Operands() int {
	switch f {
	case NoFloat:
		return 0
	case Copysign, Fmax, Fmin, Fmod:
		return 2
	case Fma:
		return 3
	}
	return 1
}

// SetsEDOM reports whether the function of C's library sets errno to EDOM on a domain error (C11 7.12.1p2).
//
// A domain error is a NaN result for arguments that are not NaN.
func (f Float) SetsEDOM() bool { return f == Sqrt || f == Fmod }

// bitsOfVariant maps the suffixes of functions on floats to the width of their type. It has no suffix l, because
// the engine does not execute long double.
var bitsOfVariant = map[string]int{"": 64, "f": 32}

// FloatFunction returns the operation of a function of C's library on floats of the given width.
//
// For example, Sqrt is the operation of sqrtf for 32 bits, and NoFloat that of sqrt for 32 bits.
func FloatFunction(name string, bits int) Float {
	if e := byName()[name]; e.bits == bits {
		return e.Float
	}
	return NoFloat
}

// FloatIntrinsic returns the operation of an intrinsic of LLVM on floats, by its name without the type's suffix.
func FloatIntrinsic(name string) Float {
	switch name {
	case "minnum":
		return Fmin
	case "maxnum":
		return Fmax
	}
	return FloatFunction(name, bitsOfVariant[""])
}
