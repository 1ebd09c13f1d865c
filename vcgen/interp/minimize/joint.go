package minimize

import (
	"maps"
	"math/big"
	"math/bits"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Numbers that are related by an assumption (a + b == c, start <= end, a checksum of bytes) cannot be made smaller
// one at a time. Here two or three of them are changed together such that frequent relations are preserved: a
// difference, a sum, a sum of three, a bitwise difference, a quotient, equality. A change is accepted if the
// violation remains and the numbers become shorter, so the search terminates. One run with a step of 1 decides
// whether a relation is worth trying at all.

const (
	// plainNumber is the magnitude up to which a number is easy to read.
	plainNumber = 16
	// maxJoint and maxTriple bound the numbers that are tried in pairs and in triples.
	maxJoint  = 16
	maxTriple = 6
)

// slot is a number among the choices: a value, or a scalar in content.
type slot struct {
	c      *chosen
	off    uint64 // in content
	bits   int    // up to 64
	signed bool
}

func (x slot) get() uint64 {
	if !x.c.Content {
		return x.c.Value.Uint64()
	}
	v := uint64(0)
	for i := range x.bits / 8 {
		v |= uint64(x.c.Bytes[x.off+uint64(i)]) << (8 * i)
	}
	return v
}

func (x slot) set(v uint64) {
	if !x.c.Content {
		x.c.Value = new(big.Int).SetUint64(v & state.Mask(x.bits))
		return
	}
	content := maps.Clone(x.c.Bytes) // the old one may be in use
	for i := range x.bits / 8 {
		if b := byte(v >> (8 * i)); b != 0 {
			content[x.off+uint64(i)] = b
		} else {
			delete(content, x.off+uint64(i))
		}
	}
	x.c.Bytes = content
}

// size returns the magnitude of a value in the slot.
func (x slot) size(v uint64) uint64 {
	v &= state.Mask(x.bits)
	if x.signed && v>>(x.bits-1) != 0 {
		return -v & state.Mask(x.bits)
	}
	return v
}

// slots returns the numbers that are not zero, in execution order.
func (s *search) slots() []slot {
	var out []slot
	add := func(x slot) {
		if x.get() != 0 && len(out) < maxJoint {
			out = append(out, x)
		}
	}
	for _, c := range s.order {
		switch {
		case c.Kind == choice.Object || c.Float || c.IsZero():
		case !c.Content:
			if c.bits > 1 && c.bits <= 64 {
				add(slot{c: c, bits: c.bits, signed: c.isSigned()})
			}
		case c.made != nil && !c.isText():
			t := c.made.DIType
			if t == nil {
				t = c.made.Points
			}
			scalarsOf(t, 0, func(off uint64, t *llvmir.DIType) {
				add(slot{c: c, off: off, bits: int(t.Bits), signed: t.Signed})
			})
		}
	}
	return out
}

// maxScalars bounds the scalars of a content that are considered.
const maxScalars = 256

// scalarsOf calls f for the numbers in an object of type t.
func scalarsOf(t *llvmir.DIType, off uint64, f func(off uint64, t *llvmir.DIType)) {
	remaining := maxScalars
	var visit func(t *llvmir.DIType, off uint64)
	visit = func(t *llvmir.DIType, off uint64) {
		if t == nil || remaining <= 0 {
			return
		}
		switch t.Kind {
		case llvmir.DIStruct:
			for i := range t.Fields {
				if m := &t.Fields[i]; !m.BitField {
					visit(m.Type, off+uint64(m.BitOffset/8))
				}
			}
		case llvmir.DIArray:
			for i := int64(0); i < t.Count && remaining > 0; i++ {
				visit(t.Elem, off+uint64(i*explain.TypeSize(t.Elem)))
			}
		case llvmir.DIInt, llvmir.DIChar:
			remaining--
			if t.Bits == 8 || t.Bits == 16 || t.Bits == 32 || t.Bits == 64 {
				f(off, t)
			}
		}
	}
	visit(t, off)
}

// moveTo sets slots to new values, and reports whether the violation remains and the numbers are shorter.
//
// Otherwise it restores the old values.
func (s *search) moveTo(slots []slot, values []uint64) bool {
	var before, after, largestBefore, largestAfter uint64
	for i, x := range slots {
		b, a := x.size(x.get()), x.size(values[i])
		before, after = before+uint64(bits.Len64(b)), after+uint64(bits.Len64(a))
		largestBefore, largestAfter = max(largestBefore, b), max(largestAfter, a)
	}
	if after > before || after == before && largestAfter >= largestBefore {
		return false
	}
	if s.allows(slots, values) {
		for i, x := range slots {
			x.set(values[i])
		}
		return true
	}
	return false
}

// allows reports whether the violation remains with other values.
func (s *search) allows(slots []slot, values []uint64) bool {
	old := make([]uint64, len(slots))
	for i, x := range slots {
		old[i] = x.get()
		x.set(values[i])
	}
	ok := s.holds()
	for i, x := range slots {
		x.set(old[i])
	}
	return ok
}

// jointly makes numbers smaller that must change together. It reports whether it succeeded.
func (s *search) jointly() bool {
	changed := s.equals()
	slots := s.slots()
	for i, x := range slots {
		if x.size(x.get()) <= plainNumber {
			continue
		}
		for k, y := range slots {
			if s.done() {
				return changed
			}
			if i == k || x.get() == 0 || y.get() == 0 {
				continue
			}
			pair := []slot{x, y}
			for _, factors := range [][]int64{{-1, -1}, {-1, 1}, {-1, -2}} {
				changed = s.along(pair, factors) || changed
			}
			changed = s.bitwise(pair) || changed
			changed = s.quotient(pair) || changed
			if len(slots) > maxTriple {
				continue
			}
			for l, z := range slots {
				if l != i && l != k && k > i && z.get() != 0 && !s.done() {
					changed = s.along([]slot{x, y, z}, []int64{-1, -1, -2}) || changed
					changed = s.along([]slot{x, y, z}, []int64{-1, -1, 2}) || changed
				}
			}
		}
	}
	return changed
}

// along moves slots by a multiple of their factors, such that the first one, with factor -1, approaches zero.
//
// It reports whether a slot changed.
func (s *search) along(slots []slot, factors []int64) bool {
	x := slots[0]
	v := x.get()
	changed := false
	if x.size(v) > plainNumber && (!x.signed || v>>(x.bits-1)&1 == 0) {
		changed = s.toward(slots, factors, 1, v)
	}
	// From below; for an unsigned number, from the greatest values, which wrap around to zero.
	if v = x.get(); x.size(v) > plainNumber && v>>(x.bits-1)&1 != 0 {
		changed = s.toward(slots, factors, -1, -v&state.Mask(x.bits)) || changed
	}
	return changed
}

func (s *search) toward(slots []slot, factors []int64, sign int64, distance uint64) bool {
	values := make([]uint64, len(slots))
	by := func(d uint64) []uint64 {
		for i, x := range slots {
			values[i] = (x.get() + uint64(sign*factors[i])*d) & state.Mask(x.bits)
		}
		return values
	}
	if s.moveTo(slots, by(distance)) {
		return true
	}
	if !s.allows(slots, by(1)) {
		return false
	}
	// The remaining distance: the least power of two that succeeds, then bisection below it.
	low, high := uint64(0), uint64(0)
	for gap := uint64(1); gap < distance && !s.done(); gap *= 2 {
		if s.moveTo(slots, by(distance-gap)) {
			high = gap
			break
		}
		low = gap
		if gap > distance/2 {
			break
		}
	}
	if high == 0 {
		return false
	}
	for high-low > 1 && !s.done() {
		if mid := low + (high-low)/2; s.moveTo(slots, by(high-mid)) {
			high = mid
		} else {
			low = mid
		}
	}
	return true
}

// bitwise clears the bits of the first slot and flips them in the second. It reports whether that succeeded.
func (s *search) bitwise(pair []slot) bool {
	x, y := pair[0], pair[1]
	v, w := x.get(), y.get()
	return s.moveTo(pair, []uint64{0, (v ^ w) & state.Mask(y.bits)})
}

// quotient makes the first slot small if the second is a multiple of it. It reports whether it succeeded.
func (s *search) quotient(pair []slot) bool {
	v, w := pair[0].get(), pair[1].get()
	if v < 2 || w%v != 0 || w == v {
		return false
	}
	for t := uint64(1); t <= 8 && t < v; t++ {
		if s.moveTo(pair, []uint64{t, t * (w / v)}) {
			return true
		}
	}
	return false
}

// equals moves slots with equal values to the smallest common value. It reports whether a slot changed.
func (s *search) equals() bool {
	groups := map[uint64][]slot{}
	var order []uint64
	for _, x := range s.slots() {
		if v := x.get(); x.size(v) > plainNumber {
			if groups[v] == nil {
				order = append(order, v)
			}
			groups[v] = append(groups[v], x)
		}
	}
	changed := false
	for _, v := range order {
		group := groups[v]
		if len(group) < 2 {
			continue
		}
		to := func(n uint64) bool { return s.moveTo(group, slices.Repeat([]uint64{n}, len(group))) }
		low, high := uint64(0), v // high succeeds, low does not
		for n := uint64(0); n < v && !s.done(); n = max(2*n, 1) {
			if to(n) {
				high, changed = n, true
				break
			}
			low = n
		}
		for high-low > 1 && high != 0 && !s.done() {
			if mid := low + (high-low)/2; to(mid) {
				high, changed = mid, true
			} else {
				low = mid
			}
		}
	}
	return changed
}
