package minimize

import (
	"math"
	"math/big"

	"github.com/unitproof/unitproof/vcgen/interp/state"
)

// shrinkNumber searches for a smaller number and reports whether it found one.
//
// It tries 1, for signed numbers -1, then powers of two in ascending order, and finally bisection; for negative
// numbers the same from below.
func (s *search) shrinkNumber(c *chosen) bool {
	one := big.NewInt(1)
	before := c.Value
	if c.Value.Cmp(one) == 0 || s.try(c, one) {
		return before != c.Value
	}
	end := new(big.Int).Lsh(one, uint(c.bits))
	negative := c.isSigned() && c.Value.Bit(c.bits-1) == 1
	if negative && s.try(c, new(big.Int).Sub(end, one)) {
		return before.Cmp(c.Value) != 0
	}
	top := uint(c.bits)
	if c.isSigned() {
		top--
	}
	s.climb(c, top, func(v *big.Int) *big.Int { return v })
	s.scan(c)
	if negative && c.Value.Bit(c.bits-1) == 1 {
		s.climb(c, uint(c.bits), func(v *big.Int) *big.Int { return new(big.Int).Sub(end, v) })
	}
	return before.Cmp(c.Value) != 0
}

// climb tries the magnitudes 2, 4, 8 … below 2^top, and bisects below the first that succeeds, or below the current
// value.
func (s *search) climb(c *chosen, top uint, of func(*big.Int) *big.Int) {
	low := big.NewInt(1)
	for k := uint(1); k < top; k++ {
		v := new(big.Int).Lsh(big.NewInt(1), k)
		if of(c.Value).CmpAbs(v) <= 0 && of(c.Value).Sign() > 0 {
			s.bisect(c, low, of, of(c.Value))
			return
		}
		if s.try(c, of(v)) {
			s.bisect(c, low, of, v)
			return
		}
		low = v
	}
	if v := of(c.Value); v.Cmp(low) > 0 && v.BitLen() <= int(top) {
		s.bisect(c, low, of, v)
	}
}

// maxScan is the largest number up to which all are tried if bisection ends at a larger one.
//
// Remainders and masks are not monotonic.
const maxScan = 96

// scan tries all small numbers.
func (s *search) scan(c *chosen) {
	if !c.Value.IsUint64() || c.Value.Uint64() <= 16 {
		return
	}
	for v := uint64(2); v <= maxScan && v < c.Value.Uint64() && !s.done(); v++ {
		if s.try(c, new(big.Int).SetUint64(v)) {
			return
		}
	}
}

// bisect searches for the smallest magnitude above low, which fails, up to high, which succeeds.
func (s *search) bisect(c *chosen, low *big.Int, of func(*big.Int) *big.Int, high *big.Int) {
	low, high = new(big.Int).Set(low), new(big.Int).Set(high)
	for {
		mid := new(big.Int).Add(low, high)
		mid.Rsh(mid, 1)
		if mid.Cmp(low) <= 0 || mid.Cmp(high) >= 0 || s.done() {
			return
		}
		if s.try(c, of(mid)) {
			high = mid
		} else {
			low = mid
		}
	}
}

// shrinkFloat prefers whole and round numbers. It reports whether the number changed.
func (s *search) shrinkFloat(c *chosen) bool {
	if c.bits != 32 && c.bits != 64 {
		return false
	}
	before := c.Value
	x := state.ToFloat(state.IntValue(c.Value.Uint64()), c.bits)
	list := []float64{1, -1, 2, -2, 0.5, 10, 100, 1000, 1e4, 1e5, 1e6}
	if x != 0 && !math.IsInf(x, 0) && x == x {
		for digits := 1; digits < 8; digits++ {
			unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-float64(digits-1))
			list = append(list, math.Round(x/unit)*unit)
		}
		list = append(list, math.Trunc(x))
	}
	for _, y := range list {
		v := state.FromFloat(y, c.bits)
		if v.Bits == c.Value.Uint64() {
			return false // cannot become rounder
		}
		if s.try(c, new(big.Int).SetUint64(v.Bits)) {
			break
		}
	}
	return before.Cmp(c.Value) != 0
}
