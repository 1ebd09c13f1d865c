package guard

import (
	"math/rand/v2"
	"slices"
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

// TestMergedGuards merges the ends of random paths in random order, and compares the guards with all values: a merged
// guard holds where one of the two does, its condition selects one that holds, and the chain to it has the same
// meaning. Some pairs are a guard and one that extends it.
func TestMergedGuards(t *testing.T) {
	const vars = 5
	merged, nested := 0, 0
	for seed := range uint64(300) {
		c, rnd := smt.NewContext(), rand.New(rand.NewPCG(seed, 2))
		var list []smt.Term
		for range vars {
			list = append(list, c.Var("v", smt.Bool))
		}
		var all []*smt.Evaluator
		for n := range 1 << vars {
			m := smt.NewModel()
			for i, v := range list {
				m.SetVar(v, smt.BoolValue(n>>i&1 == 1))
			}
			all = append(all, c.NewEvaluator(m))
		}
		literal := func() smt.Term {
			t := list[rnd.IntN(vars)]
			if rnd.IntN(2) == 0 {
				t = c.Not(t)
			}
			return t
		}
		root := Root(c)
		check := func(a, b *Guard) *Guard {
			g, isA := Or(c, a, b)
			since := g.Since(c, root)
			for _, e := range all {
				holds := e.EvalBool(g.T)
				switch first := e.EvalBool(isA); {
				case holds != (e.EvalBool(a.T) || e.EvalBool(b.T)):
					t.Fatalf("seed %d: %s and %s become %s", seed, c.String(a.T), c.String(b.T), c.String(g.T))
				case holds && first && !e.EvalBool(a.T), holds && !first && !e.EvalBool(b.T):
					t.Fatalf("seed %d: %s distinguishes %s from %s", seed, c.String(isA), c.String(a.T), c.String(b.T))
				case holds != e.EvalBool(since):
					t.Fatalf("seed %d: the chain to %s is %s", seed, c.String(g.T), c.String(since))
				}
			}
			if h := Common(g, a); !g.Extends(map[*Guard]bool{h: true}) || !a.Extends(map[*Guard]bool{h: true}) {
				t.Fatalf("seed %d: %s is no prefix of %s", seed, c.String(h.T), c.String(a.T))
			}
			return g
		}
		// The ends of paths exclude each other: each step splits one of them.
		ends := []*Guard{root}
		for range 2 + rnd.IntN(6) {
			k := rnd.IntN(len(ends))
			g, lit := ends[k], literal()
			ends = slices.Delete(ends, k, k+1)
			for _, way := range []smt.Term{lit, c.Not(lit)} {
				x := g.Extend(c, way)
				if x == nil {
					continue
				}
				if x != g {
					check(g, x)
					check(x, g)
					nested++
				}
				ends = append(ends, x)
			}
			if len(ends) > 1 && rnd.IntN(3) == 0 {
				i := rnd.IntN(len(ends) - 1)
				g := check(ends[i], ends[i+1])
				ends = append(slices.Delete(ends, i, i+2), g)
				merged++
			}
		}
		rnd.Shuffle(len(ends), func(i, k int) { ends[i], ends[k] = ends[k], ends[i] })
		for len(ends) > 1 {
			ends = append(ends[2:], check(ends[0], ends[1]))
			merged++
		}
		for _, e := range all {
			if !e.EvalBool(ends[0].T) {
				t.Fatalf("seed %d: all ends together are %s", seed, c.String(ends[0].T))
			}
		}
	}
	t.Logf("%d were merged, %d with a guard that they extend", merged, nested)
}

// TestImplies lists conditions that follow from one condition of a path each, and others.
func TestImplies(t *testing.T) {
	c := smt.NewContext()
	p, q, r := c.Var("p", smt.Bool), c.Var("q", smt.Bool), c.Var("r", smt.Bool)
	for _, x := range []struct {
		name string
		path []smt.Term
		cond smt.Term
		want bool
	}{
		{"nothing", nil, p, false},
		{"itself", []smt.Term{q, p}, p, true},
		{"the opposite", []smt.Term{c.Not(p)}, p, false},
		{"both", []smt.Term{p, q}, c.And(p, q), true},
		{"one of both", []smt.Term{p}, c.And(p, q), false},
		{"the other of both", []smt.Term{q}, c.And(p, q), false},
		{"of a conjunction", []smt.Term{c.And(p, q)}, q, true},
		{"not both, by the first", []smt.Term{c.Not(p)}, c.Not(c.And(p, q)), true},
		{"not both, by the second", []smt.Term{c.Not(q)}, c.Not(c.And(p, q)), true},
		{"not both", []smt.Term{p}, c.Not(c.And(p, q)), false},
		{"not one of a disjunction", []smt.Term{c.Not(p), c.Not(q)}, c.Not(c.Or(p, q)), true},
		{"not one of them", []smt.Term{c.Not(p)}, c.Not(c.Or(p, q)), false},
		{"one of a disjunction", []smt.Term{q}, c.Or(p, q), true},
		{"a known disjunction", []smt.Term{c.Or(p, q)}, c.And(r, c.Or(p, q)), false},
	} {
		if got := behind(c, x.path...).Implies(c, x.cond); got != x.want {
			t.Errorf("%s: %v, want %v", x.name, got, x.want)
		}
	}
}
