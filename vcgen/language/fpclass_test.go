package language

import (
	"math"
	"testing"
)

func TestFPClass(t *testing.T) {
	numbers := map[FPClass][]uint64{
		SignalingNaN:      {0x7ff0000000000001, 0xfff7ffffffffffff},
		QuietNaN:          {math.Float64bits(math.NaN()), 0xffffffffffffffff, 0x7ff8000000000000},
		NegativeInfinity:  {math.Float64bits(math.Inf(-1))},
		NegativeNormal:    {math.Float64bits(-1), math.Float64bits(-math.MaxFloat64), 0x8010000000000000},
		NegativeSubnormal: {math.Float64bits(-math.SmallestNonzeroFloat64), 0x800fffffffffffff},
		NegativeZero:      {1 << 63},
		PositiveZero:      {0},
		PositiveSubnormal: {1, 0x000fffffffffffff},
		PositiveNormal:    {math.Float64bits(0.5), math.Float64bits(math.MaxFloat64)},
		PositiveInfinity:  {math.Float64bits(math.Inf(1))},
	}
	for class, all := range numbers {
		for _, bits := range all {
			for other := range numbers {
				if got := other.Holds(bits, 64); got != (other == class) {
					t.Errorf("%#x is of class %#x: %v", bits, other, got)
				}
				if !(class | other).Holds(bits, 64) {
					t.Errorf("%#x is not of class %#x", bits, class|other)
				}
			}
		}
	}
	for bits, class := range map[uint64]FPClass{0x7f800001: SignalingNaN, 0xffc00000: QuietNaN,
		0x7f800000: PositiveInfinity,
		0x80000001: NegativeSubnormal, 0x00800000: PositiveNormal, 0x80000000: NegativeZero} {
		if !class.Holds(bits, 32) || (^class&0x3ff).Holds(bits, 32) {
			t.Errorf("%#x is not of class %#x alone", bits, class)
		}
	}
}
