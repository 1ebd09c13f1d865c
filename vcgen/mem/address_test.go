package mem

import (
	"math/rand"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestRandomLayouts checks that the address axioms allow a layout exactly if objects that are alive together are
// disjoint.
//
// A layout that is wrongly excluded can hide a violation.
func TestRandomLayouts(t *testing.T) {
	allowed, excluded := 0, 0
	for seed := range int64(2000) {
		rng := rand.New(rand.NewSource(seed))
		c := smt.NewContext()
		m := New(c)
		s := m.NewState()
		var guards, freed []smt.Term
		var objects []*Object
		var sizes []uint64
		for i := range 3 {
			g := c.Var("made", smt.Bool)
			if i > 0 { // the previous object may end before this one begins
				f := c.Var("freed", smt.Bool)
				freed = append(freed, f)
				m.Kill(s, objects[i-1].ID, f)
			}
			size := uint64(rng.Intn(20))
			o := m.NewObject(s, Object{Kind: []ObjectKind{Stack, Heap, Static}[rng.Intn(3)], Size: c.Int(64, size),
				Align: int64(1) << rng.Intn(4), Guard: g}, m.Zero(), g)
			guards, objects, sizes = append(guards, g), append(objects, o), append(sizes, size)
		}
		axioms := c.And(m.axioms([]int{objects[0].ID, objects[1].ID, objects[2].ID})...)
		model := smt.NewModel()
		alive := make([]bool, 3)
		base := make([]uint64, 3)
		for i, o := range objects {
			alive[i] = rng.Intn(4) > 0
			model.SetVar(guards[i], smt.BoolValue(alive[i]))
			base[i] = 1<<32 + uint64(rng.Intn(40))&^(uint64(o.Align)-1)
			model.SetVar(o.Base, smt.UintValue(64, base[i]))
		}
		ended := make([]bool, 2)
		for i := range freed {
			ended[i] = rng.Intn(3) == 0
			model.SetVar(freed[i], smt.BoolValue(ended[i]))
		}
		want := true
		for i := range objects {
			for k := range i {
				together := alive[i] && alive[k]
				if k < i && objects[k].Kind != Static {
					together = together && !ended[k]
				}
				x, y := max(sizes[i], 1), max(sizes[k], 1)
				want = want && !(together && base[i] < base[k]+y && base[k] < base[i]+x)
			}
		}
		if got := c.NewEvaluator(model).EvalBool(axioms); got != want {
			t.Fatalf("seed %d: objects at %x of sizes %v, alive %v, ended %v: allowed: %v, want %v", seed, base, sizes, alive,
				ended, got, want)
		}
		if want {
			allowed++
		} else {
			excluded++
		}
	}
	if allowed < 300 || excluded < 300 {
		t.Errorf("%d layouts were allowed, %d excluded", allowed, excluded)
	}
}

// TestKept checks that Kept holds exactly for writes that share a byte with a part while it is constant.
func TestKept(t *testing.T) {
	c := smt.NewContext()
	m := New(c)
	s := m.NewState()
	o := m.NewObject(s, Object{Kind: Stack, Size: c.Int(64, 16), Align: 8, Guard: c.True()}, m.Zero(), c.True())
	parts := []Part{{2, 3}, {8, 1}, {12, 4}}
	constant := func(off, n uint64) bool { return c.IsTrue(m.Kept(s, o.ID, c.Int(64, off), c.Int(64, n))) }
	if constant(0, 16) {
		t.Error("a part is constant before it is")
	}
	m.Keep(s, o.ID, parts, true, c.True())
	for off := range uint64(16) {
		for n := range 17 - off {
			want := false
			for b := off; b < off+n; b++ {
				for _, p := range parts {
					want = want || int64(b) >= p.Off && int64(b) < p.Off+p.Len
				}
			}
			if n > 0 && constant(off, n) != want {
				t.Errorf("%d bytes at %d: constant: %v, want %v", n, off, !want, want)
			}
		}
	}
	m.Keep(s, o.ID, parts, false, c.True())
	if constant(0, 16) {
		t.Error("a part is still constant")
	}
}
