package mem

import "github.com/unitproof/unitproof/vcgen/smt"

// Limit is the frame of a contract: the set of locations that may be written or freed.
//
// It restricts the objects that existed when it began. Objects that were made later may be written and freed.
type Limit struct {
	Outer *Limit
	// Since is the first ID of the objects that were made later.
	Since int
	// Everything: writes are not restricted.
	Everything bool
	// MayFree: free is not restricted.
	MayFree bool
	// Writes are the target ranges of writes, and Frees those of free. A target counts if its When holds.
	Writes, Frees []Target
	// Objects are targets as a whole.
	Objects map[int]bool
	// Loop: it is the frame of a loop.
	Loop bool
	// Owner is the call in which it began; Locals are the variables of that call in registers that may be written.
	Owner  any
	Locals map[int]bool
	// Held is the suspended limit that this one replaces while its loop is being left.
	Held *Limit
}

// Leaving returns the limits while control leaves one more loop, the innermost first: its frame no longer applies.
func (l *Limit) Leaving() *Limit {
	out, top := *l, l
	if l.Held != nil {
		top = l.Held
		out.Outer = l.Outer.Leaving()
	}
	out.Held, out.Everything, out.MayFree = top, true, true
	return &out
}

// Stay returns the limit that applies if no loop is being left.
func (l *Limit) Stay() *Limit {
	if l.Held != nil {
		return l.Held
	}
	return l
}

// Target is a range of bytes; address and size have 64 bits.
type Target struct{ At, Size, When smt.Term }

// Limits are the limits of a state.
//
// If Paused is not 0, none of them applies. If Assuming is not 0, conditions of contracts are being assumed.
type Limits struct {
	Inner            *Limit
	Paused, Assuming int
	// Use is the number of the contract use whose conditions are being assumed; 0 if none that must be satisfiable.
	Use int
	// Unclear: paths with different limits were merged.
	Unclear bool
}

// merge joins the limits of two paths. If they differ, a write is unclear when either path limits it.
func (l Limits) merge(other Limits) Limits {
	if l != other {
		l.Unclear, l.Paused = true, min(l.Paused, other.Paused)
		if l.Inner == nil {
			l.Inner = other.Inner
		}
	}
	return l
}

// Begin begins a limit. It does not restrict objects that are made later.
func (m *Memory) Begin(s *State, owner any) *Limit {
	l := &Limit{Outer: s.Limits.Inner, Since: len(m.Objects), Owner: owner, Objects: map[int]bool{},
		Locals: map[int]bool{}}
	s.Limits.Inner = l
	return l
}

// MayWrite returns the condition under which all limits allow a write of n bytes at p, and that under which this is
// unknown.
//
// It is unknown if a target is an address of unknown origin. The caller must have excluded that p itself is one.
func (m *Memory) MayWrite(s *State, p, n smt.Term) (ok, unknown smt.Term) {
	c := m.C
	ok, unknown = c.True(), c.False()
	if s.Limits.Paused > 0 {
		return ok, unknown
	}
	maybe := func(t Target) Unknown {
		return func(when smt.Term) { unknown = c.Or(unknown, c.And(t.When, when)) }
	}
	for l := s.Limits.Inner; l != nil; l = l.Outer {
		if l.Everything {
			continue
		}
		for _, x := range m.candidates(p) {
			if x.Obj == None || x.Obj >= l.Since || l.Objects[x.Obj] || m.Objects[x.Obj].Temporary ||
				m.Objects[x.Obj].Unframed || m.Objects[x.Obj].Library {
				continue
			}
			inside := c.Eq(n, m.Int(0))
			for _, t := range l.Writes {
				for _, y := range m.Candidates(t.At, maybe(t)) {
					if y.Obj == x.Obj {
						// The distance from the start of the target cannot wrap around: both ranges lie in the
						// object.
						rel := c.Sub(x.Off, y.Off)
						inside = c.Or(inside, c.And(t.When, y.Cond, c.Ule(n, t.Size), c.Ule(rel, c.Sub(t.Size, n))))
					}
				}
			}
			ok = c.And(ok, c.Or(c.Not(x.Cond), inside))
		}
	}
	return ok, unknown
}

// WritesLibrary returns the condition under which a write at p changes library state inside the frame of a cut loop.
//
// Frames do not list library state, and a cut loop is assumed to preserve it. errno is exempt.
func (m *Memory) WritesLibrary(s *State, p smt.Term) smt.Term {
	when := m.C.False()
	for l := s.Limits.Inner; l != nil && s.Limits.Paused == 0; l = l.Outer {
		for _, x := range m.candidates(p) {
			if l.Loop && !l.Everything && x.Obj != None && x.Obj < l.Since && m.Objects[x.Obj].Library {
				when = m.C.Or(when, x.Cond)
			}
		}
	}
	return when
}

// MayFree returns the conditions under which all limits allow free(p), and under which this is unknown (see
// MayWrite).
func (m *Memory) MayFree(s *State, p smt.Term) (ok, unknown smt.Term) {
	c := m.C
	ok, unknown = c.True(), c.False()
	if s.Limits.Paused > 0 {
		return ok, unknown
	}
	maybe := func(t Target) Unknown {
		return func(when smt.Term) { unknown = c.Or(unknown, c.And(t.When, when)) }
	}
	for l := s.Limits.Inner; l != nil; l = l.Outer {
		if l.MayFree {
			continue
		}
		for _, x := range m.candidates(p) {
			if x.Obj == None || x.Obj >= l.Since {
				continue
			}
			listed := c.False()
			for _, t := range l.Frees {
				for _, y := range m.Candidates(t.At, maybe(t)) {
					if y.Obj == x.Obj {
						listed = c.Or(listed, c.And(t.When, y.Cond))
					}
				}
			}
			ok = c.And(ok, c.Or(c.Not(x.Cond), listed))
		}
	}
	return ok, unknown
}
