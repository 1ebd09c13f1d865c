package state

// Limit is the frame of a contract: of what was there when it began, only its targets may be written or freed. It is
// never changed: one with a target more is another one.
type Limit struct {
	Outer *Limit
	// Since: objects that were made later than the one with this number were made since.
	Since int
	// Everything, MayFree: there is no limit to what is written, or freed.
	Everything, MayFree bool
	Writes, Frees       []Target
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

// Target is a range of bytes of an object; for what is freed, the object.
type Target struct {
	Object *Object
	At, N  uint64
}

// With returns the limit with one more target.
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

// Older tells whether an object was there when the limit began.
func (l *Limit) Older(o *Object) bool {
	return o.Kind == Static || o.Kind == Function || o.Order <= l.Since
}

// MayWrite tells whether all limits allow to write n bytes of an object.
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

// MayFree tells whether all limits allow to free an object.
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
