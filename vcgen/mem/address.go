package mem

import (
	"bytes"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Layout of addresses as numbers, for proofs that need them.
//
// Bases are aligned and lie in [Lowest, Highest) of the address space. Two objects that are alive at the same time are
// disjoint; an object of size zero occupies one byte.

// PowerOfTwo returns the condition that a number is a power of two.
func PowerOfTwo(c *smt.Context, a smt.Term) smt.Term {
	zero, one := c.Int(c.Width(a), 0), c.Int(c.Width(a), 1)
	return c.And(c.Ne(a, zero), c.Eq(c.BvAnd(a, c.Sub(a, one)), zero))
}

// Axioms returns the layout axioms of all base symbols that occur in the terms.
//
// They restrict only the bases: any set of sizes that fits the address space has a layout.
func (m *Memory) Axioms(terms ...smt.Term) []smt.Term {
	var ids []int
	for _, s := range m.C.Symbols(terms...) {
		if id, ok := m.byBase[s]; ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return m.axioms(ids)
}

// BasesIn returns the objects whose base symbols occur in the terms, ascending.
func (m *Memory) BasesIn(terms ...smt.Term) []int {
	var ids []int
	for _, s := range m.C.Symbols(terms...) {
		if id, ok := m.byBase[s]; ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (m *Memory) axioms(ids []int) []smt.Term {
	var out []smt.Term
	for i, id := range ids {
		out = append(out, m.RangeAxiom(id))
		for _, other := range ids[:i] {
			if t, ok := m.DisjointAxiom(other, id); ok {
				out = append(out, t)
			}
		}
	}
	return out
}

// extent is max(size, 1), at most the address space. For an object with Part set, it is the size.
func (m *Memory) extent(o *Object) smt.Term {
	c := m.C
	if o.Part {
		return o.made
	}
	return c.Ite(c.Eq(o.made, m.Int(0)), m.Int(1), o.made)
}

// RangeAxiom returns the axiom that object id lies within the address space, base and extent, with its alignment.
func (m *Memory) RangeAxiom(id int) smt.Term {
	c := m.C
	o := m.Objects[id]
	aligned := c.True()
	if o.Aligned != 0 {
		even := c.Eq(c.BvAnd(o.Base, c.Sub(o.Aligned, m.Int(1))), m.Int(0))
		aligned = c.Or(c.Not(o.Guard), c.Not(PowerOfTwo(c, o.Aligned)), even)
	}
	return c.And(aligned, c.Ule(m.Int(m.Space.Lowest), o.Base), c.Ult(o.Base, m.Int(m.Space.Highest)),
		c.Or(c.Not(o.Guard), c.Ugt(m.extent(o), m.Int(m.Space.MaxSize)),
			c.Ule(m.extent(o), c.Sub(m.Int(m.Space.Highest), o.Base))))
}

// DisjointAxiom returns the axiom that objects a (older) and b (younger) do not overlap if a was alive when b was
// made.
//
// ok is false if they may overlap.
func (m *Memory) DisjointAxiom(a, b int) (t smt.Term, ok bool) {
	c := m.C
	x, y := m.Objects[a], m.Objects[b]
	if x.Mergeable && y.Mergeable {
		return m.shared(x, y), true
	}
	together := c.And(x.Guard, y.Guard)
	if x.Kind == Stack || x.Kind == Heap {
		together = c.And(together, c.Not(m.freedAtBirth(x, y)))
	}
	if c.IsFalse(together) {
		return 0, false
	}
	if m.fits(x, y) && m.fits(y, x) {
		return c.Implies(together, c.Ne(x.Base, y.Base)), true
	}
	disjoint := c.Or(c.Ule(c.Add(x.Base, m.extent(x)), y.Base), c.Ule(c.Add(y.Base, m.extent(y)), x.Base))
	return c.Implies(together, disjoint), true
}

// shared returns the condition that two constants do not overlap, or agree in the bytes that they share.
func (m *Memory) shared(x, y *Object) smt.Term {
	c := m.C
	t := c.Or(c.Ule(c.Add(x.Base, m.extent(x)), y.Base), c.Ule(c.Add(y.Base, m.extent(y)), x.Base))
	for d := 1 - len(y.Data); d < len(x.Data); d++ {
		if agree(x.Data, y.Data, d) {
			t = c.Or(t, c.Eq(y.Base, c.Add(x.Base, m.IntS(int64(d)))))
		}
	}
	return t
}

// agree reports whether the bytes that x and y share are equal if y begins d bytes after x.
func agree(x, y []byte, d int) bool {
	from, to := max(d, 0), min(len(x), len(y)+d)
	return from >= to || bytes.Equal(x[from:to], y[from-d:to-d])
}

// fits reports whether an object is no larger than the smaller of the two alignments.
//
// Two such objects are disjoint unless they begin at the same address.
func (m *Memory) fits(o, other *Object) bool {
	if o.Part || other.Part { // a part may occupy no byte
		return false
	}
	n, ok := m.C.Uint64(m.extent(o))
	a := min(o.Align, other.Align)
	return ok && a > 0 && a&(a-1) == 0 && n <= uint64(a)
}
