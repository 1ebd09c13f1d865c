package interp

import (
	"cmp"
	"maps"
	"slices"
)

// Layout of addresses. Objects that are alive together are disjoint, an object of size 0
// takes one byte. Where the inputs do not say where an object lies it is put behind all
// earlier ones with a gap, so that addresses are not used again.
const (
	firstPage = 4096 // accesses below are dereferences of NULL
	firstBase = 1 << 32
	highest   = 1 << 47
	gap       = 16
	minAlign  = 16
	maxObject = highest - 2*firstPage // bytes; an allocation beyond it fails
	// maxVariable is what the largest array of variable length may take.
	maxVariable = 1 << 40
)

// layout gives addresses to objects.
type layout struct {
	next   uint64
	placed []*object // live objects at wanted addresses
	laid   map[*object]bool
}

func (o *object) extent() uint64 { return max(o.size, 1) }

func (o *object) overlaps(base, extent uint64) bool {
	return o.base < base+extent && base < o.base+o.extent()
}

// place gives o an address; false when there is no room. wanted is taken where it is free.
func (l *layout) place(o *object, align uint64, wanted uint64, ok bool) bool {
	if ok && l.free(o, wanted) {
		o.base = wanted
		l.placed = append(l.placed, o)
		return true
	}
	align = max(align, minAlign)
	if l.next == 0 {
		l.next = firstBase
	}
	base := (l.next + align - 1) &^ (align - 1)
	for again := true; again; {
		again = false
		for _, p := range l.placed {
			if p.live && p.overlaps(base-gap, o.extent()+2*gap) {
				base = (p.base + p.extent() + gap + align - 1) &^ (align - 1)
				again = true
			}
		}
		if base >= highest || o.extent() > highest-base {
			return false
		}
	}
	o.base = base
	l.next = base + o.extent() + gap
	if l.laid == nil {
		l.laid = map[*object]bool{}
	}
	l.laid[o] = true
	return true
}

// free reports whether o may lie at base.
func (l *layout) free(o *object, base uint64) bool {
	if base < firstPage || base >= highest || o.extent() > highest-base {
		return false
	}
	clash := func(p *object) bool {
		return p.live && p.overlaps(base, o.extent()) && !(p.mergeable && o.mergeable)
	}
	if slices.ContainsFunc(l.placed, clash) {
		return false
	}
	if base < l.next && base+o.extent() > firstBase {
		for p := range l.laid {
			if clash(p) {
				return false
			}
		}
	}
	return true
}

// drop forgets an object whose life has ended.
func (l *layout) drop(o *object) {
	delete(l.laid, o)
	if i := slices.Index(l.placed, o); i >= 0 {
		l.placed = slices.Delete(l.placed, i, i+1)
	}
}

// containing returns the live object, among those whose address was seen as a number, in
// which an address lies; one past the end counts where no object begins there.
func (l *layout) containing(exposed []*object, addr uint64) *object {
	var end *object
	for _, o := range exposed {
		switch {
		case !o.live:
		case addr-o.base < o.size:
			return o
		case addr-o.base == o.size:
			end = o
		}
	}
	return end
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K {
	return slices.Sorted(maps.Keys(m))
}
