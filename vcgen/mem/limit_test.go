package mem

import (
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestLimitsOfWays checks the merge of paths with different limits: a write limited on either path is unclear.
func TestLimitsOfWays(t *testing.T) {
	frame, other := &Limit{Since: 3}, &Limit{Since: 4}
	for _, x := range []struct {
		name    string
		a, b    Limits
		inner   []*Limit // one of these
		unclear bool
		paused  int
	}{
		{"no frames", Limits{}, Limits{}, []*Limit{nil}, false, 0},
		{"one frame", Limits{Inner: frame, Paused: 1}, Limits{Inner: frame, Paused: 1}, []*Limit{frame}, false, 1},
		{"a frame on one way", Limits{Inner: frame}, Limits{}, []*Limit{frame}, true, 0},
		{"a frame on the other way", Limits{}, Limits{Inner: frame}, []*Limit{frame}, true, 0},
		{"two frames", Limits{Inner: frame}, Limits{Inner: other}, []*Limit{frame, other}, true, 0},
		{"paused on one way", Limits{Inner: frame, Paused: 1}, Limits{Inner: frame}, []*Limit{frame}, true, 0},
		{"unclear before", Limits{Inner: frame, Unclear: true}, Limits{Inner: frame}, []*Limit{frame}, true, 0},
	} {
		got := x.a.merge(x.b)
		if !slices.Contains(x.inner, got.Inner) || got.Unclear != x.unclear || got.Paused != x.paused {
			t.Errorf("%s: %+v", x.name, got)
		}
	}
}

// TestMayWrite checks a frame against each offset and length of a write to an object that existed before.
func TestMayWrite(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	s := m.NewState()
	object := func(size uint64) *Object {
		return m.NewObject(s, Object{Kind: Static, Size: c.Int(64, size), Align: 8, Guard: c.True()}, m.Zero(), c.True())
	}
	old, other := object(8), object(8)
	when := c.Var("when", smt.Bool)
	l := m.Begin(s, nil)
	fresh := object(8)
	l.Writes = []Target{{At: c.Add(old.Base, c.Int(64, 2)), Size: c.Int(64, 3), When: when}}
	l.Frees = []Target{{At: other.Base, When: when}}
	allowed := func(t smt.Term, holds bool) bool {
		model := smt.NewModel()
		model.SetVar(when, smt.BoolValue(holds))
		return c.NewEvaluator(model).EvalBool(t)
	}
	for off := range uint64(8) {
		for n := range 9 - off {
			ok, unknown := m.MayWrite(s, c.Add(old.Base, c.Int(64, off)), c.Int(64, n))
			for _, holds := range []bool{true, false} {
				want := n == 0 || holds && off >= 2 && off+n <= 5
				if got := allowed(ok, holds); got != want || !c.IsFalse(unknown) {
					t.Errorf("%d bytes at %d, with the target: %v; allowed: %v, want %v", n, off, holds, got, want)
				}
			}
			if ok, _ := m.MayWrite(s, c.Add(fresh.Base, c.Int(64, off)), c.Int(64, n)); !c.IsTrue(ok) {
				t.Errorf("%d bytes at %d of what was made since", n, off)
			}
			if ok, _ := m.MayWrite(s, c.Add(other.Base, c.Int(64, off)), c.Int(64, n)); c.IsTrue(ok) != (n == 0) {
				t.Errorf("%d bytes at %d beside", n, off)
			}
		}
	}
	for _, x := range []struct {
		name string
		of   *Object
		want [2]bool // with the target, and without it
	}{
		{"the target", other, [2]bool{true, false}}, {"another one", old, [2]bool{}},
		{"a new one", fresh, [2]bool{true, true}},
	} {
		ok, _ := m.MayFree(s, x.of.Base)
		if got := [2]bool{allowed(ok, true), allowed(ok, false)}; got != x.want {
			t.Errorf("free of %s: %v, want %v", x.name, got, x.want)
		}
	}
	s.Limits.Paused = 1
	if ok, _ := m.MayWrite(s, other.Base, c.Int(64, 1)); !c.IsTrue(ok) {
		t.Error("a paused frame limits a write")
	}
	s.Limits.Paused = 0
	l.Objects[other.ID] = true
	if ok, _ := m.MayWrite(s, other.Base, c.Int(64, 8)); !c.IsTrue(ok) {
		t.Error("a target as a whole is limited")
	}
	l.Everything, l.MayFree = true, true
	inner := m.Begin(s, nil)
	if ok, _ := m.MayWrite(s, old.Base, c.Int(64, 1)); c.IsTrue(ok) {
		t.Error("a frame inside of one that allows everything limits nothing")
	}
	inner.Everything = true
	if ok, _ := m.MayWrite(s, old.Base, c.Int(64, 8)); !c.IsTrue(ok) {
		t.Error("frames that allow everything limit a write")
	}
}
