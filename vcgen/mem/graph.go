package mem

import "github.com/unitproof/unitproof/vcgen/smt"

// PointsTo returns the objects whose addresses may be stored in object id, ascending
// as they are found. It over-approximates: values that were overwritten by a write at a
// symbolic offset count.
func (m *Memory) PointsTo(s *State, id int) []int {
	v := s.Content(id)
	if v == nil {
		return nil
	}
	seen := map[int]bool{}
	var out []int
	done := map[*Version]bool{}
	add := func(t smt.Term) {
		for _, o := range m.ObjectsIn(t) {
			if !seen[o] {
				seen[o] = true
				out = append(out, o)
			}
		}
	}
	var walk func(v *Version)
	walk = func(v *Version) {
		for ; v != nil && !done[v]; v = v.parent {
			done[v] = true
			switch v.kind {
			case layerMap:
				v.cells.all(func(c cell) { add(c.val) })
			case layerStore:
				add(v.val)
			case layerCopy:
				walk(v.src)
			case layerMerge:
				walk(v.a)
				walk(v.b)
			}
		}
	}
	walk(v)
	return out
}

// maxScan is how many bytes of an object StoredPointers looks at.
const maxScan = 4096

// StoredPointers returns what the aligned pointers stored in object id denote, and when.
// The first maxScan bytes are looked at.
func (m *Memory) StoredPointers(s *State, id int) []Candidate {
	v := s.Content(id)
	if v == nil || len(m.PointsTo(s, id)) == 0 {
		return nil
	}
	size := int64(maxScan)
	if n, ok := m.C.Int64(m.Objects[id].Size); ok && n < size {
		size = n
	}
	var out []Candidate
	for off := int64(0); off+8 <= size; off += 8 {
		t := m.Read(v, m.C.Int(64, uint64(off)), 8)
		if !m.hasBase(t) {
			continue
		}
		for _, x := range m.Candidates(t) {
			if x.Obj != None {
				out = append(out, x)
			}
		}
	}
	return out
}
