package smt

import "math"

// Rounding to nearest is monotone, so the rounded results at the corners of a box bound those within it (Moore,
// "Interval Analysis", 1966; here without outward rounding, because a corner is rounded as the operation rounds it).
// That decides most comparisons of filters, controllers and averages, for which a solver would multiply mantissas.

// FloatRange contains the values of a float: numbers from Lo to Hi, and NaN if NaN is set. There are no numbers if
// Lo > Hi. Both zeros are equal.
type FloatRange struct {
	Lo, Hi float64
	NaN    bool
}

var (
	anyFloat = FloatRange{math.Inf(-1), math.Inf(1), true}
	noFloat  = FloatRange{math.Inf(1), math.Inf(-1), false}
)

// Empty reports whether the range has no numbers.
func (r FloatRange) Empty() bool { return r.Lo > r.Hi }

// Join returns the smallest range that contains both.
func (r FloatRange) Join(s FloatRange) FloatRange {
	return FloatRange{min(r.Lo, s.Lo), max(r.Hi, s.Hi), r.NaN || s.NaN}
}

// Meet returns the intersection.
func (r FloatRange) Meet(s FloatRange) FloatRange {
	m := FloatRange{max(r.Lo, s.Lo), min(r.Hi, s.Hi), r.NaN && s.NaN}
	if m.Empty() {
		m.Lo, m.Hi = noFloat.Lo, noFloat.Hi
	}
	return m
}

// has reports whether the range contains a number.
func (r FloatRange) has(x float64) bool { return r.Lo <= x && x <= r.Hi }

// infinite reports whether the range contains an infinity.
func (r FloatRange) infinite() bool { return r.has(math.Inf(1)) || r.has(math.Inf(-1)) }

// nextFloat returns the next float of w bits in a direction.
func nextFloat(x, towards float64, w int) float64 {
	if w == 32 {
		return float64(math.Nextafter32(float32(x), float32(towards)))
	}
	return math.Nextafter(x, towards)
}

// valid returns r, or all floats if a bound is no number.
func (r FloatRange) valid() FloatRange {
	if r.Lo != r.Lo || r.Hi != r.Hi {
		return anyFloat
	}
	return r
}

func roundTo(f float64, w int) float64 { return decodeFloat(encodeFloat(f, w), w) }

func (r FloatRange) negated() FloatRange { return FloatRange{-r.Hi, -r.Lo, r.NaN} }

func (r FloatRange) magnitude() FloatRange {
	switch {
	case r.Empty() || r.Lo >= 0:
		return r
	case r.Hi <= 0:
		return r.negated()
	}
	return FloatRange{0, max(-r.Lo, r.Hi), r.NaN}
}

// corners returns the range of an operation that is monotone in each operand.
func corners(op Op, w int, args []FloatRange) FloatRange {
	out, infinite := noFloat, false
	for _, r := range args {
		out.NaN = out.NaN || r.NaN
		infinite = infinite || r.infinite()
	}
	for _, r := range args {
		if r.Empty() {
			return out // NaN at most
		}
	}
	if infinite && op != OpFAdd && op != OpFSub || op == OpFDiv && args[1].has(0) {
		return anyFloat
	}
	if infinite { // inf - inf
		a, b := args[0], args[1]
		if op == OpFSub {
			b = b.negated()
		}
		inf, neg := math.Inf(1), math.Inf(-1)
		if a.has(inf) && b.has(neg) || a.has(neg) && b.has(inf) {
			return anyFloat
		}
	}
	vals := make([]Value, len(args))
	for k := range 1 << len(args) {
		for i, r := range args {
			at := r.Lo
			if k>>i&1 != 0 {
				at = r.Hi
			}
			vals[i] = UintValue(w, encodeFloat(at, w))
		}
		at := decodeFloat(applyFloat(op, w, 0, vals), w)
		if at != at {
			return anyFloat
		}
		out.Lo, out.Hi = min(out.Lo, at), max(out.Hi, at)
	}
	return out
}

// minimum returns the range of fmin: of the other operand if one is a NaN.
func minimum(a, b FloatRange) FloatRange {
	out := FloatRange{min(a.Lo, b.Lo), min(a.Hi, b.Hi), a.NaN && b.NaN}
	if a.Empty() || b.Empty() {
		out.Lo, out.Hi = noFloat.Lo, noFloat.Hi
	}
	if a.NaN {
		out.Lo, out.Hi = min(out.Lo, b.Lo), max(out.Hi, b.Hi)
	}
	if b.NaN {
		out.Lo, out.Hi = min(out.Lo, a.Lo), max(out.Hi, a.Hi)
	}
	return out
}

// remainder returns the range of fmod: no larger than either operand, with the sign of the first.
func remainder(a, b FloatRange) FloatRange {
	out := FloatRange{0, 0, a.NaN || b.NaN || a.infinite() || b.has(0)}
	most := b.magnitude().Hi
	if a.Lo < 0 {
		out.Lo = max(a.Lo, -most)
	}
	if a.Hi > 0 {
		out.Hi = min(a.Hi, most)
	}
	return out.valid()
}

// compareRanges returns the value of a comparison if all floats of two ranges agree on it.
func compareRanges(op Op, a, b FloatRange) (value, ok bool) {
	if a.Empty() || b.Empty() {
		return false, true // an operand is a NaN, or the facts contradict each other
	}
	sure := !a.NaN && !b.NaN
	switch op {
	case OpFLt:
		return a.Hi < b.Lo && sure, a.Hi < b.Lo && sure || a.Lo >= b.Hi
	case OpFLe:
		return a.Hi <= b.Lo && sure, a.Hi <= b.Lo && sure || a.Lo > b.Hi
	}
	same := a.Lo == a.Hi && b.Lo == b.Hi && a.Lo == b.Lo && sure
	return same, same || a.Hi < b.Lo || b.Hi < a.Lo
}
