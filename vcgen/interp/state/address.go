package state

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/space"
)

// Layout of addresses. Objects that are alive at the same time are disjoint; an object of size 0 occupies one byte.
// If the inputs do not choose an address, an object is placed after all earlier ones with a gap, so that addresses
// are not reused.
const (
	gap      = 16
	MinAlign = 16
)

// Layout assigns addresses to objects.
type Layout struct {
	Space space.Space
	// BigEndian is the byte order of numbers.
	BigEndian bool
	Next      uint64
	Placed    []*Object // live objects at chosen addresses
	Laid      map[*Object]bool
}

func (o *Object) extent() uint64 {
	if o.Part {
		return o.Size
	}
	return max(o.Size, 1)
}

func (o *Object) overlaps(base, extent uint64) bool {
	return o.Base < base+extent && base < o.Base+o.extent()
}

// shares reports whether constants o and other may overlap with other at base: their common bytes are equal.
func (o *Object) shares(other *Object, base uint64) bool {
	if !o.Mergeable || !other.Mergeable {
		return false
	}
	for i, b := range other.Data {
		if at := base + uint64(i) - o.Base; at < o.Size && o.Data[at] != b {
			return false
		}
	}
	return true
}

// place assigns an address to o, and reports whether there is room. It uses the address wanted if that is free.
func (l *Layout) place(o *Object, align, wanted uint64) bool {
	if wanted != 0 && l.free(o, wanted) {
		o.Base = wanted
		l.Placed = append(l.Placed, o)
		return true
	}
	align = max(align, MinAlign)
	if l.Next == 0 {
		l.Next = l.Space.First
	}
	base := (l.Next + align - 1) &^ (align - 1)
	for again := true; again; {
		again = false
		for _, p := range l.Placed {
			if p.Live && p.overlaps(base-gap, o.extent()+2*gap) {
				base = (p.Base + p.extent() + gap + align - 1) &^ (align - 1)
				again = true
			}
		}
		if base >= l.Space.Highest || o.extent() > l.Space.Highest-base {
			return false
		}
	}
	o.Base = base
	l.Next = base + o.extent() + gap
	if l.Laid == nil {
		l.Laid = map[*Object]bool{}
	}
	l.Laid[o] = true
	return true
}

// free reports whether o may be placed at base.
func (l *Layout) free(o *Object, base uint64) bool {
	if base < l.Space.Lowest || base >= l.Space.Highest || o.extent() > l.Space.Highest-base {
		return false
	}
	clash := func(p *Object) bool {
		return p.Live && p.overlaps(base, o.extent()) && !p.shares(o, base)
	}
	if slices.ContainsFunc(l.Placed, clash) {
		return false
	}
	if base < l.Next && base+o.extent() > l.Space.First {
		for p := range l.Laid {
			if clash(p) {
				return false
			}
		}
	}
	return true
}

// drop removes an object whose lifetime has ended.
func (l *Layout) drop(o *Object) {
	delete(l.Laid, o)
	if i := slices.Index(l.Placed, o); i >= 0 {
		l.Placed = slices.Delete(l.Placed, i, i+1)
	}
}

// containing returns the live object of exposed that contains an address.
//
// An object that ends at the address is returned if no other object begins there.
func (l *Layout) containing(exposed []*Object, addr uint64) *Object {
	var end *Object
	for _, o := range exposed {
		switch {
		case !o.Live:
		case addr-o.Base < o.Size:
			return o
		case addr-o.Base == o.Size:
			end = o
		}
	}
	return end
}
