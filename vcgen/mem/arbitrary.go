package mem

import "github.com/unitproof/unitproof/vcgen/smt"

// What a loop can change is arbitrary at its head, when one iteration stands for all of them: this file makes states
// arbitrary in a part of them, and tells whether another state differs in nothing else. Whatever writes memory, ends
// lifetimes or says what may be written goes through State, so that nothing is missed here.

// Cell is a place of constant offset in an object, with the value that it has.
type Cell struct {
	Obj    int
	Off, N int64
}

// Cells lists the values at constant offsets that the content of an object consists of at its top, at most limit of
// them.
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

// WithCells is a version with values at constant offsets on top.
func (m *Memory) WithCells(v *Version, at []Cell, values []smt.Term) *Version {
	for i, x := range at {
		v = m.Write(v, m.C.True(), m.C.IntS(64, x.Off), values[i], x.N)
	}
	return v
}

// ReadCell is the value at a constant offset.
func (m *Memory) ReadCell(v *Version, x Cell) smt.Term { return m.Read(v, m.C.IntS(64, x.Off), x.N) }

// DifferInCells lists the places at constant offsets in which a version differs from an older one of an object; false:
// they may differ elsewhere.
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

// Written is a write that is part of a version: Len is that of a range in bytes, N that of a single value.
type Written struct {
	Off, Val, Len smt.Term
	N             int64
}

// WritesSince lists the writes at offsets that are not constant by which a version came from an older one, and the
// arbitrary contents at the bottom where it came from others; cells are the constant offsets.
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
				if v.whole {
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

// Shadow changes of an object from one state to another.
type Change struct {
	Obj      int
	Content  bool
	Modified bool
	// Other: it was made or freed, or parts of it became constant.
	Other bool
}

// Changes lists the objects with numbers below a limit that differ between two states.
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
			Other: x.made != y.made || x.freed != y.freed || x.kept != y.kept}
		if ch.Content || ch.Modified || ch.Other {
			out = append(out, ch)
		}
	})
	return out
}

// SetModified says when an object was written since the last reset.
func (m *Memory) SetModified(s *State, id int, when smt.Term) {
	if p := s.get(id); p != nil {
		o := *p
		o.modified = when
		s.set(id, &o)
	}
}

// MayLeak tells when an object of the heap is alive.
func (m *Memory) MayLeak(s *State, id int) bool {
	return m.Objects[id].Kind == Heap && !m.C.IsFalse(m.Live(s, id))
}

// Aligned tells whether an offset is a multiple of n, a power of two.
func (m *Memory) Aligned(off smt.Term, n int64) bool {
	zeros, _ := m.C.KnownBits(off)
	return n > 0 && n&(n-1) == 0 && zeros&uint64(n-1) == uint64(n-1)
}

// HasBase reports whether the value of t is computed from the address of an object.
func (m *Memory) HasBase(t smt.Term) bool { return m.hasBase(t) }

// Reading is a read of N bytes at an offset of arbitrary content, and its value.
type Reading struct {
	Func  smt.Func
	Off   smt.Term
	N     int64
	Value smt.Term
}

// ReadArbitrary reads arbitrary content itself, whatever lies above it.
func (m *Memory) ReadArbitrary(f smt.Func, off smt.Term, n int64) smt.Term {
	return m.Read(&Version{kind: layerDelta, fn: f}, off, n)
}

// noteRead adds a read to those that are known.
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
