package mem

import "github.com/unitproof/unitproof/vcgen/smt"

// PointsTo returns the objects whose addresses may be stored in object id, in the order in which it finds them.
//
// It over-approximates: values that a write at a symbolic offset overwrote count, too.
func (m *Memory) PointsTo(s *State, id int) []int {
	seen := map[int]bool{}
	var out []int
	m.eachStored(s.Content(id), func(t smt.Term) {
		for _, o := range m.ObjectsIn(t) {
			if !seen[o] {
				seen[o] = true
				out = append(out, o)
			}
		}
	}, func(smt.Func) {})
	return out
}

// eachStored visits the values and the arbitrary contents of a version, overwritten ones included.
func (m *Memory) eachStored(v *Version, value func(smt.Term), content func(smt.Func)) {
	done := map[*Version]bool{}
	var walk func(v *Version)
	walk = func(v *Version) {
		for ; v != nil && !done[v]; v = v.parent {
			done[v] = true
			switch v.kind {
			case layerDelta:
				content(v.fn)
			case layerMap:
				v.cells.all(func(c cell) { value(c.val) })
			case layerStore:
				value(v.val)
			case layerCopy:
				walk(v.src)
			case layerMerge:
				walk(v.a)
				walk(v.b)
			}
		}
	}
	walk(v)
}

// StoredPointers returns the objects that pointers stored anywhere in object id denote, with their conditions.
//
// A number that is computed from an address other than by addition counts if it is an address inside the object.
// Addresses of unknown objects are not included (see OriginsIn).
func (m *Memory) StoredPointers(s *State, id int) []Candidate {
	v := s.Content(id)
	if v == nil {
		return nil
	}
	o := m.Objects[id]
	var out []Candidate
	for _, off := range m.pointerStarts(v, map[*Version][]smt.Term{}) {
		in := m.inside(o, off, m.Int(uint64(m.Width/8)))
		if m.C.IsFalse(in) {
			continue
		}
		t := m.value(m.Read(v, off, int64(m.Width/8)))
		if !m.hasBase(t) {
			continue
		}
		for _, x := range m.candidates(t) {
			if x.Obj != None {
				x.Cond = m.C.And(in, x.Cond)
				out = append(out, x)
			}
		}
	}
	return out
}

// pointerStarts returns the offsets at which a write of v may have stored the first byte of a pointer, each once.
//
// Some may lie outside of the object. Pointers get into memory only by writes, therefore no other offset can hold
// one.
func (m *Memory) pointerStarts(v *Version, memo map[*Version][]smt.Term) []smt.Term {
	if starts, ok := memo[v]; ok {
		return starts
	}
	c, first := m.C, v
	seen := map[smt.Term]bool{}
	var out []smt.Term
	add := func(off smt.Term) {
		if !seen[off] {
			seen[off] = true
			out = append(out, off)
		}
	}
	value := func(off, val smt.Term, n int64) {
		switch {
		case !m.hasBase(val):
		case int(n)*8 == m.Width && m.roleOf(m.value(val)) == pointer:
			add(off)
		default: // some bytes of a pointer, or several pointers
			for k := range n {
				if m.hasBase(slice(c, val, k, 1)) {
					add(c.Add(off, m.Int(uint64(k))))
				}
			}
		}
	}
	for ; v != nil; v = v.parent {
		switch v.kind {
		case layerMap:
			v.cells.all(func(o cell) { value(m.IntS(o.off), o.val, o.n) })
		case layerStore:
			value(v.off, v.val, v.n)
		case layerCopy:
			for _, off := range m.pointerStarts(v.src, memo) {
				add(c.Add(v.off, c.Sub(off, v.from)))
			}
		case layerMerge:
			for _, half := range []*Version{v.a, v.b} {
				for _, off := range m.pointerStarts(half, memo) {
					add(off)
				}
			}
		}
	}
	memo[first] = out
	return out
}
