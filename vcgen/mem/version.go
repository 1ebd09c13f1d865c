package mem

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// layerKind is the kind of a layer of a store map.
type layerKind uint8

const (
	layerZero  layerKind = iota // bottom: all bytes zero
	layerDelta                  // bottom: byte at offset o is delta(o), arbitrary but fixed
	layerData                   // bottom: constant bytes
	layerMap                    // writes at constant offsets
	layerStore                  // one write at a symbolic offset
	layerFill                   // memset of a range
	layerCopy                   // memcpy of a range: refers to the version of its source
	layerMerge                  // a choice between two versions
)

// Version is the content of an object at one point of an execution: an immutable stack of layers.
//
// It is a memory register of SEA-IR. A read walks down to the most recent write that may cover the offset.
type Version struct {
	kind   layerKind
	parent *Version
	depth  int

	cells *treap   // layerMap
	fn    smt.Func // layerDelta
	data  []byte   // layerData

	cond smt.Term // layerStore, layerFill, layerCopy: when the write happens; layerMerge: when a applies
	off  smt.Term // 64 bits
	n    int64    // layerStore: bytes
	val  smt.Term // layerStore: 8n bits; layerFill: 8 bits
	len  smt.Term // layerFill, layerCopy: 64 bits
	// wholeObject (layerFill): the entire object, whatever its size.
	wholeObject bool
	src         *Version // layerCopy; layerStore: the version from which val was read, or nil
	from        smt.Term // offset in src of the first byte

	a, b *Version // layerMerge

	memo map[readKey]smt.Term
}

type readKey struct {
	off smt.Term
	n   int64
}

// maxUnrolled is the length in bytes up to which a copy or fill of constant length becomes single cells.
const maxUnrolled = 256

// maxPositions bounds the select chain of one read at a symbolic offset, maxTree a select tree.
//
// A chain of 4,096 links took 4.7 s to solve, the equivalent tree 0.07 s.
const (
	maxPositions = 4096
	maxTree      = 1 << 17
)

// Zero returns the version whose bytes are all zero.
func (m *Memory) Zero() *Version { return m.zero }

// Arbitrary returns a version of arbitrary bytes, and the function that defines them.
//
// The function maps the number of an aligned word (61 bits) to its 8 bytes. Its unit is a word, because each pair of
// applications costs a constraint (equal arguments imply equal results), and words need fewer applications than
// bytes.
func (m *Memory) Arbitrary(name string) (*Version, smt.Func) {
	f := m.C.NewFunc(name, 61, 64)
	return &Version{kind: layerDelta, fn: f}, f
}

// Arbitrary returns the function that defines a version of arbitrary bytes without any writes.
func (v *Version) Arbitrary() (smt.Func, bool) {
	if v == nil || v.kind != layerDelta {
		return 0, false
	}
	return v.fn, true
}

// Data returns a version with the given bytes, followed by zeros.
func (m *Memory) Data(b []byte) *Version {
	return &Version{kind: layerData, parent: m.zero, data: b}
}

// writable returns v with a map on top.
func (m *Memory) writable(v *Version) *Version {
	if v.kind == layerMap {
		return v
	}
	return &Version{kind: layerMap, parent: v, depth: v.depth + 1}
}

// Write returns v after a write of val (8n bits, little endian) at off under cond.
//
// If val was read at a constant distance from a symbolic off, the write refers to that source (see stored).
func (m *Memory) Write(v *Version, cond, off, val smt.Term, n int64) *Version {
	c := m.C
	if c.IsFalse(cond) || n == 0 {
		return v
	}
	if at, ok := c.Int64(off); ok && !m.Off.StoreMap {
		w := m.writable(v)
		if !c.IsTrue(cond) {
			val = c.Ite(cond, val, m.Read(v, off, n))
		}
		m.Stats["store-map-writes"]++
		return &Version{kind: layerMap, parent: w.parent, depth: w.depth, cells: w.cells.write(c, cell{at, n, val})}
	}
	w := &Version{kind: layerStore, parent: v, depth: v.depth + 1, cond: cond, off: off, val: val, n: n}
	if o, ok := m.origins[val]; ok && o.n == n && c.IsConst(c.Sub(o.off, off)) {
		w.src, w.from = o.v, o.off
	}
	return w
}

// origin is the source of a value: n bytes at a symbolic offset (64 bits).
type origin struct {
	v   *Version
	off smt.Term
	n   int64
}

// maxOrigin bounds the depth of the version that a value was read from.
//
// A loop that moves data which it has moved before would otherwise add a layer in each iteration, and each would be
// read through all of its predecessors.
const maxOrigin = 4

// readFrom records the version and offset from which the program read a value.
func (m *Memory) readFrom(val smt.Term, v *Version, off smt.Term, n int64) {
	if !m.C.IsConst(off) && v.depth <= maxOrigin && m.probes == nil {
		m.origins[val] = origin{v, off, n}
	}
}

// Fill returns v after memset(off, b, n) under cond; b has 8 bits, n 64.
func (m *Memory) Fill(v *Version, cond, off, b, n smt.Term) *Version {
	c := m.C
	if k, ok := c.Uint64(n); ok {
		if k == 0 {
			return v
		}
		if _, fixed := c.Uint64(off); fixed && k <= maxUnrolled {
			wide := b
			for c.Width(wide) < int(k)*8 {
				rest := int(k)*8 - c.Width(wide)
				if c.Width(wide) <= rest {
					wide = c.Concat(wide, wide)
				} else {
					wide = c.Concat(c.Extract(wide, rest-1, 0), wide)
				}
			}
			return m.Write(v, cond, off, wide, int64(k))
		}
	}
	return &Version{kind: layerFill, parent: v, depth: v.depth + 1, cond: cond, off: off, val: b, len: n}
}

// FillAll returns v after memset of the whole object under cond.
func (m *Memory) FillAll(v *Version, cond, b smt.Term) *Version {
	if k, ok := m.C.Uint64(b); ok && k == 0 {
		return m.Merge(cond, m.zero, v)
	}
	all := &Version{kind: layerFill, parent: m.zero, depth: 1, cond: m.C.True(), off: m.Int(0), val: b, wholeObject: true}
	return m.Merge(cond, all, v)
}

// Copy returns v after a copy of n bytes from offset from of src to offset off, under cond.
//
// src is the version at the time of the copy, so overlapping ranges behave like memmove.
func (m *Memory) Copy(v *Version, cond, off smt.Term, src *Version, from, n smt.Term) *Version {
	c := m.C
	if k, ok := c.Uint64(n); ok {
		if k == 0 {
			return v
		}
		at, fixed := c.Int64(off)
		start, known := c.Int64(from)
		if fixed && known && k <= maxUnrolled {
			for _, s := range m.segments(src, start, int64(k)) {
				v = m.Write(v, cond, m.Int(uint64(at+s.off-start)), s.val, s.n)
			}
			return v
		}
		if fixed && k <= 16 {
			return m.Write(v, cond, off, m.Read(src, from, int64(k)), int64(k))
		}
	}
	return &Version{kind: layerCopy, parent: v, depth: v.depth + 1, cond: cond, off: off, len: n, src: src, from: from}
}

// segments reads [start, start+n) of v in the units in which it was written.
func (m *Memory) segments(v *Version, start, n int64) []cell {
	var out []cell
	read := func(off, n int64) {
		for n > 0 {
			k := min(n, 8-off&7)
			out = append(out, cell{off, k, m.Read(v, m.Int(uint64(off)), k)})
			off, n = off+k, n-k
		}
	}
	if v.kind != layerMap {
		read(start, n)
		return out
	}
	at := start
	v.cells.overlapping(start, n, func(o cell) {
		if o.off > at {
			read(at, o.off-at)
			at = o.off
		}
		end := min(o.off+o.n, start+n)
		out = append(out, cell{at, end - at, slice(m.C, o.val, at-o.off, end-at)})
		at = end
	})
	if at < start+n {
		read(at, start+n-at)
	}
	return out
}

// Merge returns the version that is a if cond holds, and b if not.
//
// Common layers are shared, differing cells at constant offsets are merged at once, and other layers by a merge layer
// that memoizes its reads: k diamonds in a row cost k, not 2^k.
func (m *Memory) Merge(cond smt.Term, a, b *Version) *Version {
	c := m.C
	if a == b || c.IsTrue(cond) {
		return a
	}
	if c.IsFalse(cond) {
		return b
	}
	pa, pb := a, b
	if a.kind == layerMap {
		pa = a.parent
	}
	if b.kind == layerMap {
		pb = b.parent
	}
	if pa != pb {
		return &Version{kind: layerMerge, depth: max(a.depth, b.depth) + 1, cond: cond, a: a, b: b}
	}
	var ca, cb *treap
	if a.kind == layerMap {
		ca = a.cells
	}
	if b.kind == layerMap {
		cb = b.cells
	}
	var ranges []cell
	diff(ca, cb, func(o cell) { ranges = append(ranges, o) })
	out := ca
	for _, r := range pieces(ranges) {
		off := m.Int(uint64(r.off))
		val := c.Ite(cond, m.Read(a, off, r.n), m.Read(b, off, r.n))
		out = out.write(c, cell{r.off, r.n, val})
	}
	return &Version{kind: layerMap, parent: pa, depth: pa.depth + 1, cells: out}
}

// pieces splits overlapping ranges at each other's ends.
//
// A value written as a unit (a pointer over a part of a cleared struct) is therefore merged as a unit.
func pieces(r []cell) []cell {
	sortCells(r)
	var out []cell
	for i := 0; i < len(r); {
		end := r[i].off + r[i].n
		j := i
		cuts := []int64{r[i].off}
		for ; j < len(r) && r[j].off < end; j++ {
			end = max(end, r[j].off+r[j].n)
			cuts = append(cuts, r[j].off, r[j].off+r[j].n)
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		for k := 1; k < len(cuts); k++ {
			out = append(out, cell{off: cuts[k-1], n: cuts[k] - cuts[k-1]})
		}
		i = j
	}
	return out
}
