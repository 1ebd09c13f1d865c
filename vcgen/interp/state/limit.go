package state

// Limit is the frame of a contract: the set of locations that may be written or freed.
//
// It restricts the objects that existed when it began. It is immutable: adding a target creates another Limit.
type Limit struct {
	Outer *Limit
	// Since is the order of the last object that existed when the limit began.
	Since int
	// Everything, MayFree: writes, or frees, are not restricted.
	Everything, MayFree bool
	Writes, Frees       []Target
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

// Target is a range of bytes of an object; for free, the object.
type Target struct {
	Object *Object
	At, N  uint64
}

// With returns the limit with an additional target.
func (l *Limit) With(write, free *Target) *Limit {
	out := *l
	if write != nil {
		out.Writes = append(out.Writes[:len(out.Writes):len(out.Writes)], *write)
	}
	if free != nil {
		out.Frees = append(out.Frees[:len(out.Frees):len(out.Frees)], *free)
	}
	return &out
}

// Older reports whether an object existed when the limit began.
func (l *Limit) Older(o *Object) bool {
	return o.Kind == Static || o.Kind == Function || o.Order <= l.Since
}

// MayWrite reports whether all limits allow a write of n bytes to an object.
func (s *State) MayWrite(o *Object, off, n uint64) bool {
	if s.Paused > 0 || n == 0 {
		return true
	}
	for l := s.Limits; l != nil; l = l.Outer {
		if l.Everything || !l.Older(o) {
			continue
		}
		ok := false
		for _, t := range l.Writes {
			ok = ok || t.Object == o && n <= t.N && off-t.At <= t.N-n
		}
		if !ok {
			return false
		}
	}
	return true
}

// MayFree reports whether all limits allow freeing an object.
func (s *State) MayFree(o *Object) bool {
	if s.Paused > 0 {
		return true
	}
	for l := s.Limits; l != nil; l = l.Outer {
		if l.MayFree || !l.Older(o) {
			continue
		}
		ok := false
		for _, t := range l.Frees {
			ok = ok || t.Object == o
		}
		if !ok {
			return false
		}
	}
	return true
}
