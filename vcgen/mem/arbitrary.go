package mem

import "github.com/unitproof/unitproof/vcgen/smt"

// A loop head of an induction step has an arbitrary state: one iteration stands for all. This file havocs parts of a
// state, and compares two states to check that nothing else differs. All writes, ends of lifetimes and changes of
// write permissions go through State; therefore the comparison is complete.

// Cell is the range [Off, Off+N) of bytes of object Obj.
type Cell struct {
	Obj    int
	Off, N int64
}

// Cells lists the ranges at constant offsets that were written to the top of an object's content.
//
// It returns at most limit of them. It sees through symbolic stores, fills and copies, and returns nil at a merge.
func (m *Memory) Cells(id int, v *Version, limit int) []Cell {
	var out []Cell
	for v != nil && v.kind != layerMap {
		if v.kind != layerStore && v.kind != layerFill && v.kind != layerCopy {
			return nil
		}
		v = v.parent
	}
	if v == nil {
		return nil
	}
	v.cells.all(func(c cell) {
		if len(out) < limit {
			out = append(out, Cell{id, c.off, c.n})
		}
	})
	return out
}

// WithCells returns v with values written at constant offsets.
func (m *Memory) WithCells(v *Version, at []Cell, values []smt.Term) *Version {
	for i, x := range at {
		v = m.WriteNumber(v, m.C.True(), m.IntS(x.Off), values[i], x.N)
	}
	return v
}

// ReadCell returns the value at a constant offset.
func (m *Memory) ReadCell(v *Version, x Cell) smt.Term { return m.ReadNumber(v, m.IntS(x.Off), x.N) }

// DifferInCells lists the ranges at constant offsets in which v differs from an older version of the same object.
//
// It returns false if the versions may differ elsewhere.
func (m *Memory) DifferInCells(id int, v, old *Version) ([]Cell, bool) {
	if v == old {
		return nil, true
	}
	pa, pb := v, old
	var ca, cb *treap
	if v.kind == layerMap {
		pa, ca = v.parent, v.cells
	}
	if old.kind == layerMap {
		pb, cb = old.parent, old.cells
	}
	if pa != pb {
		return nil, false
	}
	var ranges []cell
	diff(ca, cb, func(o cell) { ranges = append(ranges, o) })
	var out []Cell
	for _, r := range pieces(ranges) {
		out = append(out, Cell{id, r.off, r.n})
	}
	return out, true
}

// DifferInElements is DifferInCells for a small array of numbers that is also written at symbolic offsets.
//
// It lists the elements if there are at most so many, each write is one of an element, and none is as wide as a
// pointer.
func (m *Memory) DifferInElements(id int, v, old *Version, most int64) (out []Cell, ok bool) {
	size, isConst := m.C.Uint64(m.Objects[id].Size)
	writes, cells, bottoms, complete := m.WritesSince(id, v, old)
	if !isConst || !complete || len(bottoms) > 0 || len(writes) == 0 {
		return nil, false
	}
	n := writes[0].N
	if n <= 0 || n == m.Space.Bytes() || n&(n-1) != 0 || int64(size)%n != 0 || int64(size)/n > most {
		return nil, false
	}
	for _, w := range writes {
		if zeros, _ := m.C.KnownBits(w.Off); w.Len != 0 || w.N != n || int64(zeros)&(n-1) != n-1 {
			return nil, false
		}
	}
	for _, k := range cells {
		if k.N != n || k.Off%n != 0 {
			return nil, false
		}
	}
	for off := int64(0); off < int64(size); off += n {
		out = append(out, Cell{id, off, n})
	}
	return out, true
}

// Written is a write that is part of a version. N is the size in bytes of a single value, Len that of a range.
type Written struct {
	Off, Val, Len smt.Term
	N             int64
}

// WritesSince lists the writes that lead from version old to version v.
//
// writes are those at symbolic offsets, cells those at constant offsets, and bottoms the arbitrary contents that do
// not come from old. complete is false if v has a layer that this list cannot describe.
func (m *Memory) WritesSince(id int, v, old *Version) (writes []Written, cells []Cell, bottoms []smt.Func,
	complete bool) {
	complete = true
	seen := map[*Version]bool{old: true}
	if old.kind == layerMap {
		seen[old.parent] = true
	}
	var walk func(v *Version)
	walk = func(v *Version) {
		for !seen[v] {
			seen[v] = true
			switch v.kind {
			case layerStore:
				writes = append(writes, Written{Off: v.off, Val: v.val, N: v.n})
			case layerFill, layerCopy:
				if v.wholeObject {
					complete = false
					return
				}
				writes = append(writes, Written{Off: v.off, Len: v.len})
			case layerMap:
				var base *treap
				if old.kind == layerMap && old.parent == v.parent {
					base = old.cells
				}
				diff(v.cells, base, func(o cell) { cells = append(cells, Cell{id, o.off, o.n}) })
			case layerMerge:
				walk(v.a)
				v = v.b
				continue
			case layerDelta:
				bottoms = append(bottoms, v.fn)
				return
			default:
				complete = false
				return
			}
			v = v.parent
		}
	}
	walk(v)
	return writes, cells, bottoms, complete
}

// Change describes how the shadow state of an object differs between two states.
type Change struct {
	Obj      int
	Content  bool
	Modified bool
	Freed    bool
	// Other: it was allocated, or parts of it became constant.
	Other bool
}

// Changes lists the objects with IDs less than below that differ between two states.
func (m *Memory) Changes(from, to *State, below int) []Change {
	var out []Change
	differences(&from.objects, &to.objects, func(id int, x, y *shadow) {
		if id >= below {
			return
		}
		if x == nil || y == nil {
			out = append(out, Change{Obj: id, Other: true})
			return
		}
		ch := Change{Obj: id, Content: x.content != y.content, Modified: x.modified != y.modified,
			Freed: x.freed != y.freed, Other: x.made != y.made || x.constant != y.constant}
		if ch.Content || ch.Modified || ch.Freed || ch.Other {
			out = append(out, ch)
		}
	})
	return out
}

// SetModified sets the condition under which an object was written since the last reset.
func (m *Memory) SetModified(s *State, id int, when smt.Term) {
	if p := s.get(id); p != nil {
		o := *p
		o.modified = when
		s.set(id, &o)
	}
}

// MayLeak reports whether an object is allocated on the heap and possibly alive.
func (m *Memory) MayLeak(s *State, id int) bool {
	return m.Objects[id].Kind == Heap && !m.C.IsFalse(m.Live(s, id))
}

// Aligned reports whether an offset is certainly a multiple of n, a power of two.
func (m *Memory) Aligned(off smt.Term, n int64) bool {
	zeros, _ := m.C.KnownBits(off)
	return n > 0 && n&(n-1) == 0 && zeros&uint64(n-1) == uint64(n-1)
}

// HasBase reports whether the value of t is computed from the address of an object.
func (m *Memory) HasBase(t smt.Term) bool { return m.hasBase(t) }

// Reading is a read of N bytes at an offset of arbitrary content, with the value read.
type Reading struct {
	Func  smt.Func
	Off   smt.Term
	N     int64
	Value smt.Term
}

// ReadArbitrary reads arbitrary content directly, without any layers above it.
func (m *Memory) ReadArbitrary(f smt.Func, off smt.Term, n int64) smt.Term {
	return m.Read(&Version{kind: layerDelta, fn: f}, off, n)
}

// noteRead appends a read to Reads if it is new.
func (m *Memory) noteRead(r Reading) {
	if !m.Reading || m.noted[r] {
		return
	}
	if m.noted == nil {
		m.noted = map[Reading]bool{}
	}
	m.noted[r] = true
	m.Reads = append(m.Reads, r)
}
