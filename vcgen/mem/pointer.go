package mem

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// None is the object of an address that belongs to no object (NULL among them).
const None = -1

// Candidate is one possible target of a pointer: under Cond, byte Off of object Obj.
//
// If Obj is None, Off is the address itself. The conditions of a pointer's candidates are mutually exclusive and
// exhaustive; each object and None occurs at most once. The list is the pointer's address-range map.
type Candidate struct {
	Cond smt.Term
	Obj  int
	Off  smt.Term // 64 bits
}

// maxCandidates bounds the candidates of a pointer; a larger set is replaced by a lookup by address.
const maxCandidates = 256

// ObjectOfBase returns the object whose base symbol is t.
func (m *Memory) ObjectOfBase(t smt.Term) (int, bool) {
	id, ok := m.byBase[t]
	return id, ok
}

// Candidates splits a 64-bit pointer term into the targets that it may denote.
//
// It calls unknown if p may be an address whose object is unknown.
func (m *Memory) Candidates(p smt.Term, unknown Unknown) []Candidate {
	cs := m.candidates(p)
	for _, x := range cs {
		if x.Obj != None {
			continue
		}
		if when := m.C.And(x.Cond, m.UnknownWhen(x.Off)); !m.C.IsFalse(when) {
			unknown(when)
		}
	}
	return cs
}

// candidates is Candidates without the check for unknown origins.
func (m *Memory) candidates(p smt.Term) []Candidate {
	if cs, few := m.fewCandidates(p); few {
		return cs
	}
	if m.cands[p] == nil {
		m.cands[p] = m.byAddress(p)
	}
	return m.cands[p]
}

// fewCandidates is candidates for pointers that have at most maxCandidates by their structure; few is false for others.
// The lookup by address is left to the caller: a choice with such pointers in it needs only one.
func (m *Memory) fewCandidates(p smt.Term) (cs []Candidate, few bool) {
	if m.many[p] {
		return nil, false
	}
	if cs, ok := m.cands[p]; ok {
		return cs, true
	}
	m.Stats["address-range-maps"]++
	cs, few = m.split(p)
	if !few {
		m.many[p] = true
		return nil, false
	}
	if cs == nil {
		cs = m.byAddress(p)
	}
	m.cands[p] = cs
	return cs, true
}

// split computes the candidates from the structure of p. It returns nil if the structure does not determine them, and
// false if there are more than maxCandidates.
func (m *Memory) split(p smt.Term) (cs []Candidate, few bool) {
	c := m.C
	if id, ok := m.byBase[p]; ok {
		return []Candidate{{c.True(), id, m.Int(0)}}, true
	}
	if !m.hasBase(p) {
		return []Candidate{{c.True(), None, p}}, true
	}
	switch c.Op(p) {
	case smt.OpIte:
		cond := c.Arg(p, 0)
		a, fewA := m.fewCandidates(c.Arg(p, 1))
		b, fewB := m.fewCandidates(c.Arg(p, 2))
		if !fewA || !fewB || len(a)+len(b) > maxCandidates {
			return nil, false
		}
		return m.union(cond, a, b), true
	case smt.OpAdd, smt.OpMul:
		carrier, number := m.carrier(p)
		switch {
		case number:
			return []Candidate{{c.True(), None, p}}, true
		case carrier == 0:
			return nil, true
		}
		rest := c.Sub(p, carrier)
		inner := m.candidates(carrier)
		out := make([]Candidate, len(inner))
		for i, k := range inner {
			out[i] = Candidate{k.Cond, k.Obj, c.Add(k.Off, rest)}
		}
		return out, true
	}
	return nil, true
}

// union joins the candidates of ite(cond, a, b), with one entry for each object.
func (m *Memory) union(cond smt.Term, a, b []Candidate) []Candidate {
	c := m.C
	not := c.Not(cond)
	out := make([]Candidate, 0, len(a)+len(b))
	for _, x := range a {
		g := c.And(cond, x.Cond)
		if !c.IsFalse(g) {
			out = append(out, Candidate{g, x.Obj, x.Off})
		}
	}
next:
	for _, y := range b {
		g := c.And(not, y.Cond)
		if c.IsFalse(g) {
			continue
		}
		for i := range out {
			if x := &out[i]; x.Obj == y.Obj {
				x.Off = c.Ite(cond, x.Off, y.Off)
				x.Cond = c.Or(x.Cond, g)
				continue next
			}
		}
		out = append(out, Candidate{g, y.Obj, y.Off})
	}
	if len(out) == 1 {
		out[0].Cond = c.True()
	}
	return out
}

// byAddress finds the targets of an integer by comparing addresses.
//
// Only the objects whose addresses it is computed from are compared. It denotes the object that contains the address,
// or the one that ends there. If two objects had the same address in succession, it denotes the younger one: only
// that can be alive.
func (m *Memory) byAddress(p smt.Term) []Candidate {
	c := m.C
	m.Stats["lookups-by-address"]++
	var out []Candidate
	rest := c.True()
	when := m.basesWhen(p)
	bases := slices.Sorted(maps.Keys(when))
	// First the objects that contain the address, then those that end there: an address may do both.
	for _, behind := range []bool{false, true} {
		for _, id := range slices.Backward(bases) {
			o := m.Objects[id]
			d := c.Sub(p, o.Base)
			hit := m.insideOrAt(o, d)
			if behind {
				hit = c.Eq(d, o.Size)
			}
			hit = c.And(when[id], hit)
			in := c.And(rest, hit)
			if c.IsFalse(in) {
				continue
			}
			merged := false
			for i := range out {
				if out[i].Obj == id {
					out[i].Cond, merged = c.Or(out[i].Cond, in), true
				}
			}
			if !merged {
				out = append(out, Candidate{in, id, d})
			}
			rest = c.And(rest, c.Not(hit))
		}
	}
	return append(out, Candidate{rest, None, p})
}

// inside returns the condition that [off, off+n) lies in object o, computed without wrap-around.
//
// An index times an element size must not wrap either: table[1<<61] is not table[0] although the product is 0 modulo
// 2^64.
func (m *Memory) inside(o *Object, off, n smt.Term) smt.Term {
	c := m.C
	ok := c.And(c.Ule(off, o.Size), c.Ule(n, c.Sub(o.Size, off)))
	if c.IsFalse(ok) || c.IsConst(off) {
		return ok
	}
	_, parts := c.SumParts(off)
	for _, p := range parts {
		k := m.signed(p.Coef)
		if k < 0 {
			k = -k
		}
		if k < 2 {
			continue
		}
		limit := uint64(1) << (m.Width - 1) / uint64(k)
		if _, hi := c.Range(p.T); hi < limit {
			continue
		}
		ok = c.And(ok, c.Sle(m.Int(-limit), p.T), c.Slt(p.T, m.Int(limit)))
	}
	return ok
}

// Equal returns the condition under which two pointers compare equal in state s.
//
// Address-range maps prove inequality without addresses only if both offsets are inside their objects, the lifetimes
// overlap and neither object is a mergeable constant.
func (m *Memory) Equal(s *State, p, q smt.Term) smt.Term {
	c := m.C
	if p == q {
		return c.True()
	}
	if !m.hasBase(p) && !m.hasBase(q) || m.Off.AddressRangeMap {
		return c.Eq(p, q)
	}
	eq := c.False()
	for _, x := range m.candidates(p) {
		for _, y := range m.candidates(q) {
			g := c.And(x.Cond, y.Cond)
			if c.IsFalse(g) {
				continue
			}
			eq = c.Or(eq, c.And(g, m.equalPair(x, y)))
		}
	}
	return eq
}

func (m *Memory) equalPair(x, y Candidate) smt.Term {
	c := m.C
	if x.Obj == y.Obj {
		return c.Eq(x.Off, y.Off)
	}
	if x.Obj == None {
		x, y = y, x
	}
	o := m.Objects[x.Obj]
	if y.Obj == None {
		same := c.Eq(c.Add(o.Base, x.Off), y.Off)
		if !m.inNoObject(y.Off, o.Kind == Function) {
			m.Stats["comparisons-by-address"]++
			return same
		}
		// An address in an object or one past its end is neither NULL nor an address in no object.
		m.Stats["comparisons-by-range"]++
		return c.And(c.Not(c.Ule(x.Off, o.Size)), same)
	}
	r := m.Objects[y.Obj]
	addresses := func() smt.Term {
		m.Stats["comparisons-by-address"]++
		return c.Eq(c.Add(o.Base, x.Off), c.Add(r.Base, y.Off))
	}
	if o.Mergeable && r.Mergeable || !m.overlap(o, r) {
		return addresses()
	}
	// A function or an object of size zero has an address of its own.
	in := c.And(m.insideOrAt(o, x.Off), m.insideOrAt(r, y.Off))
	if c.IsTrue(in) {
		m.Stats["comparisons-by-range"]++
		return c.False()
	}
	return c.And(c.Not(in), addresses())
}

// NoObject declares that a symbol is an address in no object (nd_voidp).
func (m *Memory) NoObject(t smt.Term) { m.outside[t] = true }

// inNoObject reports whether a plain address certainly belongs to no object: NULL, its page, and symbols declared so.
//
// Arbitrary bits may be the address of an object. A function is not an object: an address in no object may still be
// the address of a function.
func (m *Memory) inNoObject(t smt.Term, function bool) bool {
	for m.C.Op(t) == smt.OpIte {
		if !m.inNoObject(m.C.Arg(t, 1), function) {
			return false
		}
		t = m.C.Arg(t, 2)
	}
	if v, ok := m.C.Uint64(t); ok {
		return v < m.Space.Lowest
	}
	return m.outside[t] && !function
}

// insideOrAt returns off < max(size, 1), and off < size for an object with Part set.
func (m *Memory) insideOrAt(o *Object, off smt.Term) smt.Term {
	c := m.C
	if o.Part {
		return c.Ult(off, o.Size)
	}
	zero := m.Int(0)
	return c.Or(c.Ult(off, o.Size), c.Eq(off, zero))
}

// overlap reports whether the lifetimes of two objects certainly overlap.
//
// They do if the older one was alive on each path on which the younger one was allocated.
func (m *Memory) overlap(a, b *Object) bool {
	if a.ID > b.ID {
		a, b = b, a
	}
	if a.Kind == Static || a.Kind == Function {
		return true
	}
	return m.C.IsFalse(m.freedAtBirth(a, b))
}

// freedAtBirth returns the condition under which the lifetime of a had ended before b was allocated.
//
// If a did not exist when b was allocated, no path has pointers into both.
func (m *Memory) freedAtBirth(a, b *Object) smt.Term {
	if o := b.before.get(a.ID); o != nil {
		return o.freed
	}
	return m.C.False()
}

// Distinct returns the condition under which two pointers belong to different objects.
//
// Ordering or subtracting such pointers is undefined. Plain addresses count as one object. unknown is the condition
// under which this is undecidable: both are addresses of unknown origin, and not of the same one.
func (m *Memory) Distinct(p, q smt.Term) (d, unknown smt.Term) {
	c := m.C
	d, unknown = c.False(), c.False()
	if !m.sameSymbols(p, q) {
		of := func(t smt.Term) smt.Term {
			out := c.False()
			m.Candidates(t, func(when smt.Term) { out = c.Or(out, when) })
			return out
		}
		unknown = c.And(of(p), of(q))
	}
	if !m.hasBase(p) && !m.hasBase(q) {
		return d, unknown
	}
	for _, x := range m.candidates(p) {
		for _, y := range m.candidates(q) {
			if x.Obj != y.Obj {
				d = c.Or(d, c.And(x.Cond, y.Cond))
			}
		}
	}
	return d, unknown
}

// sameSymbols reports whether two values are computed from the same addresses of unknown origin.
func (m *Memory) sameSymbols(p, q smt.Term) bool {
	of := func(t smt.Term) map[smt.Term]bool {
		out := map[smt.Term]bool{}
		m.eachUnknown(t, func(x smt.Term, _ Origin) { out[x] = true })
		return out
	}
	return maps.Equal(of(p), of(q))
}

// Less compares two pointers: by offset if they belong to one object, and by address otherwise.
//
// Offsets are signed: a pointer before its object is less than a pointer into it.
func (m *Memory) Less(p, q smt.Term, orEqual bool) smt.Term {
	c := m.C
	signed := func(a, b smt.Term) smt.Term {
		if orEqual {
			return c.Sle(a, b)
		}
		return c.Slt(a, b)
	}
	unsigned := func(a, b smt.Term) smt.Term {
		if orEqual {
			return c.Ule(a, b)
		}
		return c.Ult(a, b)
	}
	if !m.hasBase(p) && !m.hasBase(q) || m.Off.AddressRangeMap {
		return unsigned(p, q)
	}
	less := c.False()
	for _, x := range m.candidates(p) {
		for _, y := range m.candidates(q) {
			g := c.And(x.Cond, y.Cond)
			if c.IsFalse(g) {
				continue
			}
			var l smt.Term
			switch {
			case x.Obj != y.Obj:
				l = unsigned(m.address(x), m.address(y))
			case x.Obj == None:
				l = unsigned(x.Off, y.Off)
			default:
				l = signed(x.Off, y.Off)
			}
			less = c.Or(less, c.And(g, l))
		}
	}
	return less
}

func (m *Memory) address(x Candidate) smt.Term {
	if x.Obj == None {
		return x.Off
	}
	return m.C.Add(m.Objects[x.Obj].Base, x.Off)
}

// Sub returns p - q: the difference of the offsets if both belong to one object.
func (m *Memory) Sub(p, q smt.Term) smt.Term {
	c := m.C
	d := c.Sub(p, q)
	if !m.hasBase(d) {
		return d
	}
	out := d
	for _, x := range m.candidates(p) {
		for _, y := range m.candidates(q) {
			if x.Obj == y.Obj && x.Obj != None {
				if g := c.And(x.Cond, y.Cond); !c.IsFalse(g) {
					out = c.Ite(g, c.Sub(x.Off, y.Off), out)
				}
			}
		}
	}
	return out
}
