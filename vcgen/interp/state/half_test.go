package state

import (
	"math"
	"testing"
)

// TestHalf checks that each float of 16 bits converts to itself, and numbers between two of them to the nearest.
//
// Ties are rounded to even.
func TestHalf(t *testing.T) {
	for h := range uint16(0x7c00) {
		for _, bits := range []uint16{h, h | 0x8000} {
			if got := floatToHalf(halfToFloat(bits)); got != bits {
				t.Fatalf("%#x becomes %#x", bits, got)
			}
		}
		low, high := halfToFloat(h), halfToFloat(h+1)
		if h+1 == 0x7c00 {
			high = 65536
		}
		middle := (low + high) / 2
		even := h + h&1
		for _, c := range []struct {
			f    float64
			want uint16
		}{{middle, even}, {math.Nextafter(middle, low), h}, {math.Nextafter(middle, high), h + 1}} {
			if got := floatToHalf(c.f); got != c.want {
				t.Fatalf("%g becomes %#x, not %#x", c.f, got, c.want)
			}
		}
	}
	if floatToHalf(math.Inf(-1)) != 0xfc00 || floatToHalf(1e300) != 0x7c00 {
		t.Error("infinities")
	}
}
