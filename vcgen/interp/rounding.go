package interp

import (
	"math"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// mantissa is the number of binary digits of a float, by its width.
var mantissa = map[int]int{16: 11, 32: 24, 64: 53}

// roundings are the functions that round to integral values, by rounding mode.
var roundings = []func(float64) float64{language.RoundNearest: math.RoundToEven, language.RoundZero: math.Trunc,
	language.RoundUp: math.Ceil, language.RoundDown: math.Floor}

// rounding returns the rounding mode of the execution (see package unfold).
func (m *Machine) rounding() uint64 {
	var mode uint64
	read := func(name string) (uint64, bool) {
		g := m.m.GlobalByName[name]
		if g == nil {
			return 0, false
		}
		v, _ := m.fetch(m.global(g), 0, intType(32))
		return v.Bits, true
	}
	if n, ok := read(language.Rounding); ok && n < uint64(len(roundings)) {
		mode = n
	}
	if n, ok := read(language.RoundingCBMC); ok && n > 0 && n < uint64(len(language.RoundingOfCBMC)) {
		mode = language.RoundingOfCBMC[n]
	}
	return mode
}

// rounded returns the result of a rounding operation.
//
// In the mode to nearest that is nearest; otherwise it is nearest or the next float in the direction of the mode.
func (m *Machine) rounded(in *llvmir.Instr, nearest state.Value, width int) state.Value {
	mode := m.rounding()
	next := nextRounded(nearest.Bits, mode, width)
	if next == nearest.Bits {
		return nearest
	}
	if m.arbitrary(intType(1), in.ID, choice.Rounding, func(r *state.Input) { r.Unmodelled = true }).Bits != 0 {
		return state.IntValue(next)
	}
	return nearest
}

// nextRounded is arith.NextRounded on bit patterns.
func nextRounded(bits, mode uint64, width int) uint64 {
	infinity := map[int]uint64{16: 0x7c00, 32: 0x7f800000, 64: 0x7ff << 52}[width]
	sign := uint64(1) << (width - 1)
	size := bits &^ sign
	negative := bits&sign != 0
	away, towards := bits, bits
	if size < infinity {
		away++
	}
	if size != 0 {
		towards--
	}
	switch {
	case size > infinity, mode == language.RoundNearest:
		return bits
	case mode == language.RoundUp && !negative, mode == language.RoundDown && negative:
		return away
	case mode == language.RoundDown && size == 0:
		return bits ^ sign
	}
	return towards
}
