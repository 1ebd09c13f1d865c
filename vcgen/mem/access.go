package mem

import (
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Check is one condition that an access must satisfy.
type Check struct {
	Kind found.Kind
	Cond smt.Term // true if the access is fine
}

// Access describes a read or write.
type Access struct {
	Write bool
	// Size in bytes, as wide as an address. An access of no bytes needs no valid pointer.
	Size smt.Term
	// Align in bytes is checked when above 1 (kind misaligned).
	Align int64
}

// CheckAccess returns the conditions of an access in the order of the contract.
//
// The order is null, invalid, freed or out of scope, bounds, read-only. Each condition is meant to be assumed before
// the next one is checked. Machine.check of package interp has the same conditions in the same order: the first that an
// execution violates is the finding, and a counterexample is confirmed only if both find the same kind.
func (m *Memory) CheckAccess(s *State, p smt.Term, a Access) []Check {
	c := m.C
	empty := c.Eq(a.Size, m.Int(0))
	null, invalid, freed, gone, bounds, ro := c.True(), c.True(), c.True(), c.True(), c.True(), c.True()
	aligned := c.True()
	// require conjoins ok to acc, if cond holds.
	require := func(acc, cond, ok smt.Term) smt.Term { return c.And(acc, c.Or(c.Not(cond), ok)) }
	for _, x := range m.candidates(p) {
		if x.Obj == None {
			null = require(null, x.Cond, c.Not(m.isNull(p, x.Off)))
			invalid = require(invalid, x.Cond, c.False())
			continue
		}
		o := m.Objects[x.Obj]
		if o.Kind == Function {
			invalid = require(invalid, x.Cond, c.False())
			continue
		}
		live := m.Live(s, x.Obj)
		if o.Kind == Stack {
			gone = require(gone, x.Cond, live)
		} else {
			freed = require(freed, x.Cond, live)
		}
		bounds = require(bounds, x.Cond, m.inside(o, x.Off, a.Size))
		if o.Const && a.Write {
			ro = require(ro, x.Cond, c.False())
		} else if a.Write && len(o.Parts) > 0 {
			ro = require(ro, x.Cond, c.Not(m.Kept(s, x.Obj, x.Off, a.Size)))
		}
		if a.Align > 1 {
			aligned = require(aligned, x.Cond, c.Eq(c.BvAnd(c.Add(o.Base, x.Off), m.Int(uint64(a.Align-1))), m.Int(0)))
		}
	}
	boundsKind := found.OutOfBoundsRead
	if a.Write {
		boundsKind = found.OutOfBoundsWrite
	}
	out := make([]Check, 0, 7)
	for _, k := range []Check{
		{found.NullDereference, null}, {found.InvalidPointer, invalid}, {found.UseAfterFree, freed},
		{found.UseAfterScope, gone}, {boundsKind, bounds}, {found.ReadOnlyWrite, ro}, {found.Misaligned, aligned},
	} {
		k.Cond = c.Or(empty, k.Cond)
		out = append(out, k)
	}
	return out
}

// Targets returns the candidates of p that an access of n bytes can reach.
//
// It drops candidates that are certainly impossible: NULL, dead objects, constants (for writes) and objects that are
// too small. The obligations of the access have excluded these. The conditions remain mutually exclusive.
func (m *Memory) Targets(s *State, p, n smt.Term, write bool) []Candidate {
	c := m.C
	all := m.candidates(p)
	out := make([]Candidate, 0, len(all))
	for _, x := range all {
		if x.Obj == None {
			continue
		}
		o := m.Objects[x.Obj]
		if o.Kind == Function || write && o.Const || s.get(x.Obj) == nil {
			continue
		}
		dead := c.IsFalse(m.Live(s, x.Obj)) && (write || !m.ReadsFreed || o.Kind != Heap)
		if dead || c.IsFalse(c.Or(c.Eq(n, m.Int(0)), m.inside(o, x.Off, n))) {
			continue
		}
		out = append(out, x)
	}
	if len(out) == 1 {
		out[0].Cond = c.True()
	}
	return out
}

// value converts between the bytes of a number in memory, as a little-endian value, and the number.
func (m *Memory) value(t smt.Term) smt.Term {
	n := m.C.Width(t) / 8
	if !m.BigEndian || n == 1 {
		return t
	}
	if s, ok := m.swapped[t]; ok {
		return s
	}
	c, s := m.C, smt.Term(0)
	if c.Op(t) == smt.OpIte { // the alternatives may be pointers
		s = c.Ite(c.Arg(t, 0), m.value(c.Arg(t, 1)), m.value(c.Arg(t, 2)))
	} else {
		s = m.bytes(int64(n), func(k int64) smt.Term {
			at := 8 * (n - 1 - int(k))
			return c.Extract(t, at+7, at)
		})
		m.swapped[s] = t
	}
	m.swapped[t] = s
	return s
}

// ReadNumber reads a number of n bytes, in the byte order of the target.
func (m *Memory) ReadNumber(v *Version, off smt.Term, n int64) smt.Term {
	return m.value(m.Read(v, off, n))
}

// WriteNumber returns v after a write of a number of n bytes, in the byte order of the target.
func (m *Memory) WriteNumber(v *Version, cond, off, val smt.Term, n int64) *Version {
	return m.Write(v, cond, off, m.value(val), n)
}

// Load reads a number of n bytes at p. The value is arbitrary if p can denote no object.
func (m *Memory) Load(s *State, p smt.Term, n int64) smt.Term {
	c := m.C
	targets := m.Targets(s, p, m.Int(uint64(n)), false)
	if len(targets) == 0 {
		return c.Var("invalid load", smt.BV(int(n)*8))
	}
	last := len(targets) - 1
	t := m.value(m.Read(s.Content(targets[last].Obj), targets[last].Off, n))
	for i := last - 1; i >= 0; i-- {
		x := targets[i]
		t = c.Ite(x.Cond, m.value(m.Read(s.Content(x.Obj), x.Off, n)), t)
	}
	return t
}

// Store writes a number of n bytes at p.
func (m *Memory) Store(s *State, p, val smt.Term, n int64) {
	val = m.value(val)
	for _, x := range m.Targets(s, p, m.Int(uint64(n)), true) {
		m.SetContent(s, x.Obj, m.Write(s.Content(x.Obj), x.Cond, x.Off, val, n), x.Cond)
	}
}

// StoreRange writes the n bytes at p. For each target, f returns the new version of its content.
func (m *Memory) StoreRange(s *State, p, n smt.Term, f func(v *Version, x Candidate) *Version) {
	m.storeRange(s, p, n, m.C.Ne(n, m.Int(0)), f)
}

// HavocRange is StoreRange, except that it counts as a modification only if touched holds.
func (m *Memory) HavocRange(s *State, p, n, touched smt.Term, f func(v *Version, x Candidate) *Version) {
	m.storeRange(s, p, n, touched, f)
}

func (m *Memory) storeRange(s *State, p, n, touched smt.Term, f func(v *Version, x Candidate) *Version) {
	for _, x := range m.Targets(s, p, n, true) {
		m.SetContent(s, x.Obj, f(s.Content(x.Obj), x), m.C.And(x.Cond, touched))
	}
}

// IsWhole reports whether n bytes at a target cover its object completely.
//
// Such a write makes the old content irrelevant.
func (m *Memory) IsWhole(x Candidate, n smt.Term) bool {
	off, ok := m.C.Uint64(x.Off)
	return ok && off == 0 && n == m.Objects[x.Obj].Size
}

// Dereferenceable returns the value of sea_is_dereferenceable(p, n).
//
// It is true if the n bytes at p lie inside the live object that p was derived from.
func (m *Memory) Dereferenceable(s *State, p, n smt.Term) smt.Term {
	c := m.C
	ok := c.False()
	zero := m.Int(0)
	for _, x := range m.candidates(p) {
		var fits smt.Term
		if x.Obj == None {
			fits = c.And(c.Eq(x.Off, zero), c.Eq(n, zero))
		} else if o := m.Objects[x.Obj]; o.Kind == Function {
			continue
		} else {
			fits = c.And(m.Live(s, x.Obj), m.inside(o, x.Off, n))
		}
		ok = c.Or(ok, c.And(x.Cond, fits))
	}
	return c.And(c.Sge(n, zero), ok)
}
