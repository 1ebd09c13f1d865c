package guard

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// behind returns the guard of a path with conditions.
func behind(c *smt.Context, conditions ...smt.Term) *Guard {
	g := Root(c)
	for _, t := range conditions {
		if g = g.Extend(c, t); g == nil {
			return nil
		}
	}
	return g
}

// TestNarrow lists differences that fit into fewer bits behind the conditions of a path, and others that do not.
func TestNarrow(t *testing.T) {
	c := smt.NewContext()
	n, m, p := c.Var("n", smt.BV(8)), c.Var("m", smt.BV(8)), c.Var("p", smt.Bool)
	full, more := c.Var("full", smt.BV(32)), c.Var("more", smt.BV(32))
	k := func(v uint64) smt.Term { return c.Int(8, v) }
	wide := func(t smt.Term) smt.Term { return c.Zext(t, 32) }
	less := func(t smt.Term, by uint64) smt.Term { return c.Sub(t, c.Int(c.Width(t), by)) }
	not0, not1 := c.Not(c.Eq(n, k(0))), c.Not(c.Eq(n, k(1)))
	chosen := wide(c.Ite(p, n, m))
	for _, x := range []struct {
		name string
		path []smt.Term
		term smt.Term
		bits int // in which the difference is computed; 0: it is not narrowed
	}{
		{"n - 1", nil, less(wide(n), 1), 0},
		{"n - 1 behind n != 0", []smt.Term{not0}, less(wide(n), 1), 8},
		{"of 64 bits", []smt.Term{not0}, less(c.Zext(n, 64), 1), 8},
		{"of 65 bits", []smt.Term{not0}, less(c.Zext(n, 65), 1), 0},
		{"n - 1 behind m != 0", []smt.Term{c.Not(c.Eq(m, k(0)))}, less(wide(n), 1), 0},
		{"n - 1 behind n != 1", []smt.Term{not1}, less(wide(n), 1), 0},
		{"n - 1 behind n == 1", []smt.Term{c.Eq(n, k(1))}, less(wide(n), 1), 0},
		{"n - 2 behind n != 0", []smt.Term{not0}, less(wide(n), 2), 0},
		{"n - 2 behind two", []smt.Term{not0, not1}, less(wide(n), 2), 8},
		{"n - 3 behind two", []smt.Term{not0, not1}, less(wide(n), 3), 0},
		{"n - 2 behind both in one condition", []smt.Term{c.And(not0, not1)}, less(wide(n), 2), 8},
		{"n - 4 behind 4 <= n", []smt.Term{c.Ule(k(4), n)}, less(wide(n), 4), 8},
		{"n - 5 behind 4 <= n", []smt.Term{c.Ule(k(4), n)}, less(wide(n), 5), 0},
		{"n - 5 behind 4 < n", []smt.Term{c.Ult(k(4), n)}, less(wide(n), 5), 8},
		{"n - 6 behind 4 < n", []smt.Term{c.Ult(k(4), n)}, less(wide(n), 6), 0},
		{"n - 1 behind n < 4", []smt.Term{c.Ult(n, k(4))}, less(wide(n), 1), 0},
		{"n - 1 behind n <= 4", []smt.Term{c.Ule(n, k(4))}, less(wide(n), 1), 0},
		{"n - 1 behind m < n", []smt.Term{c.Ult(m, n)}, less(wide(n), 1), 8},
		{"m - 1 behind m < n", []smt.Term{c.Ult(m, n)}, less(wide(m), 1), 0},
		{"n + 1", []smt.Term{not0}, c.Add(wide(n), c.Int(32, 1)), 0},
		{"2 * n - 1", []smt.Term{not0}, less(c.Mul(wide(n), c.Int(32, 2)), 1), 0},
		{"all bits are used", []smt.Term{c.Not(c.Eq(full, c.Int(32, 0)))}, less(full, 1), 0},
		{"n - m", nil, c.Sub(wide(n), wide(m)), 0},
		{"n - m behind m <= n", []smt.Term{c.Ule(wide(m), wide(n))}, c.Sub(wide(n), wide(m)), 8},
		{"m - n behind m <= n", []smt.Term{c.Ule(wide(m), wide(n))}, c.Sub(wide(m), wide(n)), 0},
		{"n - m - 1 behind m <= n", []smt.Term{c.Ule(wide(m), wide(n))}, less(c.Sub(wide(n), wide(m)), 1), 0},
		{"n + m", []smt.Term{c.Ule(wide(m), wide(n))}, c.Add(wide(n), wide(m)), 0},
		{"n - 2 * m", []smt.Term{c.Ule(wide(m), wide(n))}, c.Sub(wide(n), c.Mul(wide(m), c.Int(32, 2))), 0},
		{"full - more behind more <= full", []smt.Term{c.Ule(more, full)}, c.Sub(full, more), 0},
		{"a choice", []smt.Term{not0}, less(chosen, 1), 0},
		{"a choice that the path decides", []smt.Term{p, not0}, less(chosen, 1), 8},
		{"a choice that the path decides otherwise", []smt.Term{c.Not(p), not0}, less(chosen, 1), 0},
		{"the other one", []smt.Term{c.Not(p), c.Not(c.Eq(m, k(0)))}, less(chosen, 1), 8},
		{"no sum", []smt.Term{not0}, wide(n), 0},
	} {
		got, done := behind(c, x.path...).Narrow(c, x.term)
		if !done && got != x.term {
			t.Errorf("%s: %s differs", x.name, c.String(got))
		}
		bits := 0
		if done {
			if bits = c.Width(got); c.Op(got) == smt.OpZext {
				bits = c.Width(c.Arg(got, 0))
			}
		}
		if bits != x.bits {
			t.Errorf("%s: %d bits, want %d: %s", x.name, bits, x.bits, c.String(got))
		}
	}
}

// TestGuardsImplyWhatHolds compares the answers about random paths with all values of the variables on them: narrowed
// differences, implied conditions, decided choices and lower bounds.
func TestGuardsImplyWhatHolds(t *testing.T) {
	const w, wide = 3, 5
	narrowed, implied, decided, bounded := 0, 0, 0, 0
	for seed := range uint64(1_000) {
		c, rnd := smt.NewContext(), rand.New(rand.NewPCG(seed, 1))
		x, y, p := c.Var("x", smt.BV(w)), c.Var("y", smt.BV(w)), c.Var("p", smt.Bool)
		number := func() smt.Term {
			return []smt.Term{x, y, c.Int(w, rnd.Uint64N(1<<w))}[rnd.IntN(3)]
		}
		var condition func(depth int) smt.Term
		condition = func(depth int) (out smt.Term) {
			a, b := number(), number()
			switch k := rnd.IntN(6); {
			case k == 0:
				out = p
			case k == 1:
				out = c.Eq(a, b)
			case k == 2:
				out = c.Ult(a, b)
			case k == 3:
				out = c.Ule(c.Zext(a, wide), c.Zext(b, wide))
			case depth > 0:
				out = c.And(condition(depth-1), condition(depth-1))
			default:
				out = c.Ule(a, b)
			}
			if rnd.IntN(2) == 0 {
				out = c.Not(out)
			}
			return out
		}
		var path []smt.Term
		for range 1 + rnd.IntN(4) {
			path = append(path, condition(2))
		}
		g := behind(c, path...)
		if g == nil {
			continue
		}
		var on []*smt.Evaluator // of the values on the path
		for n := range uint64(1) << (2*w + 1) {
			m := smt.NewModel()
			m.SetVar(x, smt.UintValue(w, n&(1<<w-1)))
			m.SetVar(y, smt.UintValue(w, n>>w&(1<<w-1)))
			m.SetVar(p, smt.BoolValue(n>>(2*w) == 1))
			if e := c.NewEvaluator(m); e.EvalBool(g.T) {
				on = append(on, e)
			}
		}
		if len(on) == 0 {
			continue
		}
		all := func(t smt.Term) bool {
			return !slices.ContainsFunc(on, func(e *smt.Evaluator) bool { return !e.EvalBool(t) })
		}
		either := c.Zext(c.Ite(condition(0), number(), number()), wide)
		for _, from := range []smt.Term{c.Zext(x, wide), c.Zext(y, wide), either} {
			for _, take := range []smt.Term{c.Int(wide, 1+rnd.Uint64N(5)), c.Zext(y, wide), c.Zext(x, wide)} {
				diff := c.Sub(from, take)
				if got, done := g.Narrow(c, diff); done {
					if narrowed++; !all(c.Eq(got, diff)) {
						t.Fatalf("seed %d: behind %s, %s is not %s", seed, c.String(g.T), c.String(diff), c.String(got))
					}
				}
			}
			if got := g.chosen(c, from); got != from {
				if decided++; !all(c.Eq(got, from)) {
					t.Fatalf("seed %d: behind %s, %s is not %s", seed, c.String(g.T), c.String(from), c.String(got))
				}
			}
			if low := g.atLeast(c, from); low > 0 {
				if bounded++; !all(c.Ule(c.Int(wide, low), from)) {
					t.Fatalf("seed %d: behind %s, %s may be below %d", seed, c.String(g.T), c.String(from), low)
				}
			}
		}
		for range 10 {
			cond := condition(2)
			if rnd.IntN(3) == 0 {
				cond = c.And(path[rnd.IntN(len(path))], path[rnd.IntN(len(path))])
			}
			if !c.IsTrue(cond) && g.Implies(c, cond) {
				if implied++; !all(cond) {
					t.Fatalf("seed %d: %s does not imply %s", seed, c.String(g.T), c.String(cond))
				}
			}
		}
	}
	t.Logf("%d are narrowed, %d implied, %d decided, %d have a bound", narrowed, implied, decided, bounded)
	if narrowed < 150 || implied < 1_000 || decided < 25 || bounded < 200 {
		t.Error("too few")
	}
}
