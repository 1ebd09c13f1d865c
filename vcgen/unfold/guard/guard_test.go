package guard

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

func TestGuardsCollapse(t *testing.T) {
	c := smt.NewContext()
	root := Root(c)
	a, b := c.Var("a", smt.Bool), c.Var("b", smt.Bool)
	ga, na := root.Extend(c, a), root.Extend(c, c.Not(a))
	gab, ganb := ga.Extend(c, b), ga.Extend(c, c.Not(b))

	if g, cond := Or(c, ga, na); g != root || cond != a {
		t.Errorf("both ways of a branch: %s by %s", c.String(g.T), c.String(cond))
	}
	inner, cond := Or(c, gab, ganb)
	if inner != ga || cond != b {
		t.Errorf("both ways of an inner branch: %s by %s", c.String(inner.T), c.String(cond))
	}
	if g, _ := Or(c, inner, na); g != root {
		t.Errorf("nested branches: %s", c.String(g.T))
	}
	// An early exit stays a condition until its other end joins.
	early, cond := Or(c, gab, na)
	if early == root || cond != c.And(a, b) {
		t.Errorf("an early exit: %s by %s", c.String(early.T), c.String(cond))
	}
	if g, _ := Or(c, ganb, early); !c.IsTrue(g.T) {
		t.Errorf("all three ends: %s", c.String(g.T))
	}
	if ga.Extend(c, c.Not(a)) != nil {
		t.Error("a contradictory guard is not dropped")
	}
}

// TestLoopExitsCollapse checks that the exits of a loop collapse from the last to the first.
func TestLoopExitsCollapse(t *testing.T) {
	c := smt.NewContext()
	g := Root(c)
	var exits []*Guard
	for range 50 {
		leave := c.Var("leave", smt.Bool)
		exits = append(exits, g.Extend(c, leave))
		g = g.Extend(c, c.Not(leave))
	}
	exits = append(exits, g)
	var all *Guard
	for i := len(exits) - 1; i >= 0; i-- {
		if all == nil {
			all = exits[i]
		} else {
			all, _ = Or(c, exits[i], all)
		}
	}
	if !c.IsTrue(all.T) {
		t.Errorf("the exits of a loop meet under %s", c.String(all.T))
	}
}

func TestExtends(t *testing.T) {
	c := smt.NewContext()
	a, b := c.Var("a", smt.Bool), c.Var("b", smt.Bool)
	root := Root(c)
	ga := root.Extend(c, a)
	gab, other := ga.Extend(c, b), root.Extend(c, c.Not(a))
	in := map[*Guard]bool{ga: true}
	for g, want := range map[*Guard]bool{root: false, ga: true, gab: true, other: false} {
		if g.Extends(in) != want {
			t.Errorf("%s extends a: %v", c.String(g.T), !want)
		}
	}
}
