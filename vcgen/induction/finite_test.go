package induction

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestStates checks that the reachable combinations of values of a loop are found if they are few.
func TestStates(t *testing.T) {
	const pump = `
	unsigned mode = 0, level = 10; bool open = false;
	while (nd_bool()) {
		if (mode == 0 && level == 10 && nd_bool()) { open = true; mode = 1; }
		else if (mode == 0) { mode = level == 0 ? 2 : 3; }
		else if (mode == 1) { open = false; mode = 0; }
		else if (mode == 2) { if ((level += 2) == 10) mode = 0; }
		else if ((level -= 2) == 0) mode = 0;
		sassert(!open || level == 10);
		sassert(level <= 10);
	}`
	for _, x := range []struct {
		name, body string
		states     int // 0: they are not few
	}{
		{"a pump", pump, 13},
		{"a counter", `unsigned phase = 0, n = nd_uint(), level = 0; assume(n < 100000);
	while (level < n) { phase = phase == 2 ? 0 : phase + 1; level++; }
	sassert(phase <= 2);`, 3},
		{"anything", `unsigned a = nd_uint(), b = 0; while (nd_bool()) { b = a; a = nd_uint(); } sassert(b + 1 > 0);`, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			in := sampled(t, x.body)
			if !in.Find(t.Context()) {
				t.Fatal("the search did not end")
			}
			for in.Refine(t.Context()) {
			}
			got := 0
			for _, l := range in.lemmas[0] {
				if l.text == statesText && !l.dropped {
					got = solutions(in.c, l.Fact())
				}
			}
			if got != x.states {
				t.Errorf("%d states, want %d", got, x.states)
			}
		})
	}
}

// solutions returns the number of solutions of a condition whose symbols are numbers below 16.
func solutions(c *smt.Context, t smt.Term) (n int) {
	symbols := c.Symbols(t)
	for k := range 1 << (4 * len(symbols)) {
		m := smt.NewModel()
		for i, sym := range symbols {
			m.SetVar(sym, smt.UintValue(c.Width(sym), uint64(k>>(4*i)&15)))
		}
		if c.NewEvaluator(m).EvalBool(t) {
			n++
		}
	}
	return n
}
