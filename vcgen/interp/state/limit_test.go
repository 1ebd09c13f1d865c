package state

import "testing"

// TestLimits checks which writes and frees nested frames of contracts allow.
func TestLimits(t *testing.T) {
	old, other, made := &Object{Kind: OnHeap, Order: 3}, &Object{Kind: OnHeap, Order: 4}, &Object{Kind: OnHeap, Order: 6}
	static := &Object{Kind: Static, Order: 9}
	frame := (&Limit{Since: 5}).With(&Target{Object: old, At: 8, N: 4}, nil).With(nil, &Target{Object: other})
	inner := &Limit{Outer: frame, Since: 7, MayFree: true}
	for _, c := range []struct {
		name   string
		limits *Limit
		o      *Object
		off, n uint64
		write  bool
		free   bool
	}{
		{"no frame", nil, old, 0, 100, true, true},
		{"the target", frame, old, 8, 4, true, false},
		{"a part of the target", frame, old, 11, 1, true, false},
		{"more than the target", frame, old, 8, 5, false, false},
		{"much more than the target", frame, old, 8, 1 << 40, false, false},
		{"in front of the target", frame, old, 7, 1, false, false},
		{"in front of the target, into it", frame, old, 7, 2, false, false},
		{"behind the target", frame, old, 12, 1, false, false},
		{"over the target's end", frame, old, 10, 4, false, false},
		{"nothing", frame, old, 12, 0, true, false},
		{"what may be freed only", frame, other, 8, 4, false, true},
		{"what was made since", frame, made, 0, 1, true, true},
		{"a static object that was met since", frame, static, 0, 1, false, false},
		{"both frames", inner, old, 8, 4, false, false},
		{"made between the frames", inner, made, 0, 1, false, true},
		{"what the inner frame lets be freed", inner, other, 0, 1, false, true},
		{"a loop that is being left", inner.Leaving(), old, 8, 4, true, false},
		{"left from inside of two", inner.Leaving().Leaving(), old, 0, 1, true, true},
		{"no longer left", inner.Leaving().Leaving().Stay(), old, 8, 4, false, false},
		{"nothing was left", frame.Stay(), old, 8, 4, true, false},
	} {
		s := &State{Limits: c.limits}
		if ok := s.MayWrite(c.o, c.off, c.n); ok != c.write {
			t.Errorf("%s: may be written: %v", c.name, ok)
		}
		if ok := s.MayFree(c.o); ok != c.free {
			t.Errorf("%s: may be freed: %v", c.name, ok)
		}
		s.Paused = 1
		if !s.MayWrite(c.o, c.off, c.n) || !s.MayFree(c.o) {
			t.Errorf("%s: limited while conditions are evaluated", c.name)
		}
	}
}
