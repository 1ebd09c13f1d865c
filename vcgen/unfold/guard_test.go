package unfold

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

func TestGuardsCollapse(t *testing.T) {
	c := smt.NewContext()
	root := rootGuard(c)
	a, b := c.Var("a", smt.Bool), c.Var("b", smt.Bool)
	ga, na := root.extend(c, a), root.extend(c, c.Not(a))
	gab, ganb := ga.extend(c, b), ga.extend(c, c.Not(b))

	if g, cond := or(c, ga, na); g != root || cond != a {
		t.Errorf("both ways of a branch: %s by %s", c.String(g.t), c.String(cond))
	}
	inner, cond := or(c, gab, ganb)
	if inner != ga || cond != b {
		t.Errorf("both ways of an inner branch: %s by %s", c.String(inner.t), c.String(cond))
	}
	if g, _ := or(c, inner, na); g != root {
		t.Errorf("nested branches: %s", c.String(g.t))
	}
	// An early exit stays a condition until its other end joins.
	early, cond := or(c, gab, na)
	if early == root || cond != c.And(a, b) {
		t.Errorf("an early exit: %s by %s", c.String(early.t), c.String(cond))
	}
	if g, _ := or(c, ganb, early); !c.IsTrue(g.t) {
		t.Errorf("all three ends: %s", c.String(g.t))
	}
	if ga.extend(c, c.Not(a)) != nil {
		t.Error("a contradictory guard is not dropped")
	}
}

// The exits of a loop collapse from the last to the first.
func TestLoopExitsCollapse(t *testing.T) {
	c := smt.NewContext()
	g := rootGuard(c)
	var exits []edge
	for range 50 {
		leave := c.Var("leave", smt.Bool)
		exits = append(exits, edge{g: g.extend(c, leave), p: &path{}})
		g = g.extend(c, c.Not(leave))
	}
	exits = append(exits, edge{g: g})
	var all *guard
	for i := len(exits) - 1; i >= 0; i-- {
		if all == nil {
			all = exits[i].g
		} else {
			all, _ = or(c, exits[i].g, all)
		}
	}
	if !c.IsTrue(all.t) {
		t.Errorf("the exits of a loop meet under %s", c.String(all.t))
	}
}
