package mem

import "github.com/unitproof/unitproof/vcgen/smt"

// Limit is the frame of a contract: of what was there when it began, only its targets may be written or freed. What was
// made since may.
type Limit struct {
	Outer *Limit
	// Since: objects from this number on were made since.
	Since int
	// Everything: there is no limit to what is written.
	Everything bool
	// MayFree: likewise, to what is freed.
	MayFree bool
	// Writes are the targets, ranges of bytes, and Frees those of free. Each counts where When holds.
	Writes, Frees []Target
	// Objects are targets as wholes.
	Objects map[int]bool
	// Loop: it is the frame of a loop.
	Loop bool
	// Owner is the call that it began in, Locals those of its variables in registers that may be written.
	Owner  any
	Locals map[int]bool
	// Held is the limit that this one stands for while its loop is being left.
	Held *Limit
}

// Leaving is the limit in which one more loop is being left, from the inside: what comes now is no iteration of it.
func (l *Limit) Leaving() *Limit {
	out, top := *l, l
	if l.Held != nil {
		top = l.Held
		out.Outer = l.Outer.Leaving()
	}
	out.Held, out.Everything, out.MayFree = top, true, true
	return &out
}

// Stay is the limit where no loop is being left.
func (l *Limit) Stay() *Limit {
	if l.Held != nil {
		return l.Held
	}
	return l
}

// Target is a range of bytes, with 64 bits for its address and size.
type Target struct{ At, Size, When smt.Term }

// Limits are the limits of a state. Where Paused is not 0 none of them counts; where Assuming is not 0, conditions of
// contracts are assumed.
type Limits struct {
	Inner            *Limit
	Paused, Assuming int
	// Use tells which contract's conditions these are, in numbers of who assumes them; 0: of none that has to hold in some
	// execution.
	Use int
	// Unclear: several ways with different limits came together.
	Unclear bool
}

// merge joins the limits of two ways. Where they differ, a write is unclear if it is limited on either way.
func (l Limits) merge(other Limits) Limits {
	if l != other {
		l.Unclear, l.Paused = true, min(l.Paused, other.Paused)
		if l.Inner == nil {
			l.Inner = other.Inner
		}
	}
	return l
}

// Begin begins a limit. Objects that are made from now on are not limited by it.
func (m *Memory) Begin(s *State, owner any) *Limit {
	l := &Limit{Outer: s.Limits.Inner, Since: len(m.Objects), Owner: owner, Objects: map[int]bool{},
		Locals: map[int]bool{}}
	s.Limits.Inner = l
	return l
}

// MayWrite returns when all limits allow to write n bytes at p, and when they may allow it although that is not the
// case: a target of theirs is an address of unknown origin. An unknown p is one that the access excludes.
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
			inside := c.Eq(n, c.Int(64, 0))
			for _, t := range l.Writes {
				for _, y := range m.Candidates(t.At, maybe(t)) {
					if y.Obj == x.Obj {
						// From the target's begin, without wrapping around: both ranges lie in the object.
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

// WritesLibrary returns when a write at p changes state of the C library within the frame of a loop that is cut. What a
// loop does to it is in no frame, and where the loop is cut it is taken to stay as it was. errno is not.
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

// MayFree returns when all limits allow to free p, and when they may allow it (MayWrite).
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
