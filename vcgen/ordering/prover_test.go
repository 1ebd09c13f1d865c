package ordering_test

import (
	"math/rand/v2"
	"testing"

	"github.com/unitproof/unitproof/vcgen/ordering"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestProverIsRight checks the answers of a Prover about random conditions against all values of the variables. Most
// sums of the first kind wrap. Sums of the second kind do not, and most implications must be shown.
func TestProverIsRight(t *testing.T) {
	for _, kind := range []struct {
		name  string
		plain bool
		least int // percent
	}{{"any", false, 2}, {"without wrapping", true, 85}} {
		t.Run(kind.name, func(t *testing.T) {
			const rounds = 300
			shown, truths := 0, 0
			for seed := range uint64(rounds) {
				c := smt.NewContext()
				g := &generator{c: c, rnd: rand.New(rand.NewPCG(seed, 3)), signed: true}
				w := 2 + g.rnd.IntN(2)
				for _, name := range []string{"x", "y", "z"} {
					g.vars = append(g.vars, c.Var(name, smt.BV(w)))
				}
				condition := func() smt.Term { return g.condition(w) }
				if kind.plain {
					condition = g.plain
				}
				var facts []smt.Term
				for range 1 + g.rnd.IntN(5) {
					facts = append(facts, condition())
				}
				g.choices = true
				goal := condition()
				holds := implies(c, g.vars, w, c.And(facts...), goal)
				if c.IsFalse(c.And(facts...)) || c.IsTrue(goal) {
					continue
				}
				if holds {
					truths++
				}
				if ordering.NewProver(c).Facts(facts...).Implies(goal) {
					if shown++; !holds {
						t.Fatalf("seed %d: %s does not imply %s", seed, c.String(c.And(facts...)), c.String(goal))
					}
				}
			}
			t.Logf("%d of %d implications are shown", shown, truths)
			if shown*100 < truths*kind.least {
				t.Errorf("only %d of %d implications are shown", shown, truths)
			}
		})
	}
}

// TestEquationsAreRight checks the answers of a Prover about random equations of polynomials against all values of the
// variables.
func TestEquationsAreRight(t *testing.T) {
	shown, rounds := 0, 3_000
	if testing.Short() {
		rounds = 1_000
	}
	for seed := range uint64(rounds) {
		c := smt.NewContext()
		rnd := rand.New(rand.NewPCG(seed, 7))
		w := 2 + rnd.IntN(2)
		vars := []smt.Term{c.Var("x", smt.BV(w)), c.Var("y", smt.BV(w)), c.Var("z", smt.BV(w))}
		one := func() smt.Term { return vars[rnd.IntN(3)] }
		side := func() smt.Term {
			out := c.Int(w, rnd.Uint64N(4))
			for range 1 + rnd.IntN(2) {
				part := one()
				if rnd.IntN(2) == 0 {
					part = c.Mul(part, c.Add(one(), c.Int(w, rnd.Uint64N(2))))
				}
				out = c.Add(out, c.Mul(part, c.IntS(w, int64(rnd.IntN(5)-2))))
			}
			return out
		}
		var facts []smt.Term
		for range 1 + rnd.IntN(2) {
			a, b := one(), side()
			facts = append(facts, [][]smt.Term{{c.Eq(a, b)}, {c.Ule(a, b), c.Ule(b, a)}, {c.Sle(a, b), c.Sle(b, a)},
				{c.Eq(a, b)}, {c.Ule(a, b), c.Sle(b, a)}, {c.Sle(a, b)}}[rnd.IntN(6)]...)
		}
		goal := c.Eq(side(), side())
		if rnd.IntN(2) == 0 { // one that follows from the first fact
			x := one()
			if c.Op(facts[0]) == smt.OpEq && c.Sort(c.Arg(facts[0], 0)) == smt.BV(w) {
				a, b := c.Arg(facts[0], 0), c.Arg(facts[0], 1)
				goal = c.Eq(c.Mul(a, c.Add(x, c.Int(w, 1))), c.Add(c.Mul(b, x), b))
			}
		}
		if c.IsFalse(c.And(facts...)) || c.IsConst(goal) {
			continue
		}
		if ordering.NewProver(c).Facts(facts...).Implies(goal) {
			if shown++; !implies(c, vars, w, c.And(facts...), goal) {
				t.Fatalf("seed %d: %s does not imply %s", seed, c.String(c.And(facts...)), c.String(goal))
			}
		}
	}
	if t.Logf("%d are shown", shown); shown < rounds/10 {
		t.Errorf("only %d are shown", shown)
	}
}

// TestLargePolynomials checks that nothing is shown of a term whose polynomial is too large to be made.
func TestLargePolynomials(t *testing.T) {
	c := smt.NewContext()
	product, sum := c.Int(64, 1), c.Int(64, 1)
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		x := c.Var(name, smt.BV(64))
		product, sum = c.Mul(product, x), c.Add(sum, x)
	}
	for name, large := range map[string]smt.Term{"of a high degree": product,
		"of many monomials": c.Mul(c.Mul(sum, sum), c.Mul(sum, sum))} {
		difference := c.Sub(large, c.Var("x", smt.BV(64)))
		if ordering.IsZero(c, difference) {
			t.Errorf("%s: a difference is 0", name)
		}
		if ordering.NewProver(c).Facts().Implies(c.Eq(large, c.Var("x", smt.BV(64)))) {
			t.Errorf("%s: an equation is shown", name)
		}
	}
}

// implies reports whether a fact implies a goal, for all values of three variables of w bits.
func implies(c *smt.Context, vars []smt.Term, w int, fact, goal smt.Term) bool {
	for n := range uint64(1) << (len(vars) * w) {
		m := smt.NewModel()
		for i, v := range vars {
			m.SetVar(v, smt.UintValue(w, n>>(i*w)&(1<<w-1)))
		}
		if e := c.NewEvaluator(m); e.EvalBool(fact) && !e.EvalBool(goal) {
			return false
		}
	}
	return true
}

// condition returns a comparison, or a few joined.
func (g *generator) condition(w int) smt.Term {
	out := g.comparison(w+g.rnd.IntN(3), 2)
	for g.rnd.IntN(4) == 0 {
		if out = g.c.Or(out, g.comparison(w, 1)); g.rnd.IntN(2) == 0 {
			out = g.c.Not(out)
		}
	}
	return out
}

// plain returns a comparison of sums of few extended variables and small constants.
func (g *generator) plain() smt.Term {
	c, w := g.c, 10
	side := func() smt.Term {
		out := c.Int(w, g.rnd.Uint64N(6))
		for range 1 + g.rnd.IntN(2) {
			out = c.Add(out, c.Zext(g.vars[g.rnd.IntN(len(g.vars))], w))
		}
		return out
	}
	a, b := side(), side()
	switch g.rnd.IntN(6) {
	case 0:
		return c.Eq(a, b)
	case 1:
		return c.Not(c.Eq(a, b))
	case 2:
		return c.Sle(a, b)
	case 3:
		return c.Or(c.Ule(a, b), c.Ult(side(), side()))
	case 4:
		if !g.choices {
			break
		}
		return c.Ule(c.Ite(c.Ule(a, side()), a, b), side())
	}
	return c.Ule(a, b)
}

// TestProverShows lists implications as loops have them.
func TestProverShows(t *testing.T) {
	c := smt.NewContext()
	v := func(name string) smt.Term { return c.Var(name, smt.BV(64)) }
	n, at, d, e := v("n"), v("at"), v("d"), v("e")
	sum := func(t smt.Term, more ...smt.Term) smt.Term {
		for _, x := range more {
			t = c.Add(t, x)
		}
		return t
	}
	k := func(x uint64) smt.Term { return c.Int(64, x) }
	k32 := func(x uint64) smt.Term { return c.Int(32, x) }
	i, m := c.Var("i", smt.BV(32)), c.Var("m", smt.BV(32))
	one := c.Int(32, 1)
	small := c.Ule(n, k(100000))
	in := c.And(c.Ule(at, n), c.Ule(c.Add(at, d), n), c.Ule(d, n))
	found := c.Var("found", smt.Bool)
	v2 := func(name string) smt.Term { return c.Var(name, smt.BV(32)) }
	cells, more, row, cols := v2("cells"), v2("more"), v2("row"), v2("cols")
	total, v32, count := v("total"), c.Var("v", smt.BV(32)), c.Var("count", smt.BV(32))
	least := func(count smt.Term) smt.Term { return c.Mul(c.Zext(count, 64), c.IntS(64, -1000)) }
	inBounds := c.And(c.Sle(c.IntS(32, -1000), v32), c.Sle(v32, c.Int(32, 1000)))
	added := c.Add(total, c.Sext(v32, 64))
	for name, x := range map[string]struct {
		facts []smt.Term
		goal  smt.Term
		want  bool
	}{
		"the next position": {[]smt.Term{small, in, c.Not(c.Eq(n, c.Add(at, d)))}, c.Ule(sum(at, d, k(1)), n), true},
		"may be the end":    {[]smt.Term{small, in}, c.Ule(sum(at, d, k(1)), n), false},
		"the other way round": {[]smt.Term{small, in, c.Not(c.Eq(n, c.Add(at, d)))},
			c.Ule(c.Add(d, k(1)), c.Sub(n, at)), true},
		"three parts": {[]smt.Term{small, in, c.Ule(e, c.Sub(c.Sub(n, at), d)), c.Ule(e, n)},
			c.Ule(sum(at, d, e), n), true},
		"a step or none": {[]smt.Term{small, c.Ule(at, n), c.Not(c.Eq(at, n))},
			c.Ule(c.Ite(found, c.Add(at, k(1)), at), n), true},
		"two steps": {[]smt.Term{small, c.Ule(at, n), c.Not(c.Eq(at, n))},
			c.Ule(c.Ite(found, c.Add(at, k(2)), at), n), false},
		"a clause": {[]smt.Term{small, c.Ult(at, n), c.Or(c.Ult(n, at), c.Ule(d, at)), c.Ule(d, n)}, c.Ult(d, n), true},
		"a signed counter": {[]smt.Term{c.Slt(i, m), c.Sle(c.Int(32, 0), i), c.Sle(m, c.Int(32, 1000))},
			c.And(c.Sle(c.Add(i, one), m), c.Sle(c.Int(32, 0), c.Add(i, one))), true},
		"a signed counter downwards": {[]smt.Term{c.Sle(c.Int(32, 0), i), c.Sle(i, m), c.Slt(m, c.Int(32, 50))},
			c.Sle(c.IntS(32, -1), c.Sub(i, one)), true},
		"numbers may differ": {[]smt.Term{c.Ule(d, n), c.Or(c.Not(c.Eq(d, n)), c.Ult(e, d))}, c.Ult(e, n), false},
		"or the other one":   {[]smt.Term{c.Ule(n, d), c.Or(c.Not(c.Eq(d, n)), c.Ult(e, n))}, c.Ult(e, n), false},
		"they do not":        {[]smt.Term{c.Ule(d, n), c.Ule(n, d), c.Or(c.Not(c.Eq(d, n)), c.Ult(e, d))}, c.Ult(e, n), true},
		"beyond the rows": {[]smt.Term{c.Ule(k(1<<60+7), n), c.Ule(d, k(1<<60-1)), c.Ule(n, c.Add(d, k(1<<59)))},
			c.Ule(k(1<<59+1<<58), d), false},
		"a signed sum of 64 bits": {[]smt.Term{c.Sle(least(count), total), inBounds, c.Ult(count, k32(100000)),
			c.Sle(total, k(1<<40))}, c.Sle(least(c.Add(count, one)), added), true},
		"a signed sum of 64 bits that may wrap": {[]smt.Term{c.Sle(least(count), total), inBounds,
			c.Ult(count, k32(100000))}, c.Sle(least(c.Add(count, one)), added), false},
		"cells of a table": {[]smt.Term{c.Eq(cells, c.Mul(row, cols)), c.Eq(more, c.Add(cells, i)), c.Ule(i, cols),
			c.Ule(cols, i)}, c.Eq(more, c.Mul(c.Add(row, one), cols)), true},
		"cells of a row that is not done": {[]smt.Term{c.Eq(cells, c.Mul(row, cols)), c.Eq(more, c.Add(cells, i)),
			c.Ule(i, cols)}, c.Eq(more, c.Mul(c.Add(row, one), cols)), false},
		"a row or none": {[]smt.Term{c.Eq(cells, c.Mul(row, cols))}, c.Eq(c.Ite(found, c.Add(cells, cols), cols),
			c.Mul(c.Ite(found, c.Add(row, one), one), cols)), true},
		"a row or nothing": {[]smt.Term{c.Eq(cells, c.Mul(row, cols))}, c.Eq(c.Ite(found, c.Add(cells, cols), cells),
			c.Mul(c.Add(row, one), cols)), false},
		"cells between signed bounds": {[]smt.Term{c.Eq(cells, c.Mul(row, cols)), c.Eq(more, c.Add(cells, i)),
			c.Sle(i, cols), c.Sle(cols, i)}, c.Eq(more, c.Mul(c.Add(row, one), cols)), true},
		"cells between one signed bound and an unsigned one": {[]smt.Term{c.Eq(cells, c.Mul(row, cols)),
			c.Eq(more, c.Add(cells, i)), c.Sle(i, cols), c.Ule(cols, i)}, c.Eq(more, c.Mul(c.Add(row, one), cols)), false},
		"may wrap": {[]smt.Term{c.Ult(at, n)}, c.Ule(c.Add(at, k(2)), c.Add(n, k(1))), false},
	} {
		if got := ordering.NewProver(c).Facts(x.facts...).Implies(x.goal); got != x.want {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
	}
}

func BenchmarkImplies(b *testing.B) {
	c := smt.NewContext()
	v := func(name string) smt.Term { return c.Var(name, smt.BV(64)) }
	n, at, d, e := v("n"), v("at"), v("d"), v("e")
	sum := func(t smt.Term, more ...smt.Term) smt.Term {
		for _, x := range more {
			t = c.Add(t, x)
		}
		return t
	}
	facts := []smt.Term{c.Ule(n, c.Int(64, 100000)), c.Ule(at, n), c.Ule(c.Add(at, d), n), c.Ule(d, n),
		c.Ule(e, c.Sub(c.Sub(n, at), d)), c.Ule(e, n), c.Not(c.Eq(n, sum(at, d, e)))}
	for b.Loop() {
		if !ordering.NewProver(c).Facts(facts...).Implies(c.Ule(sum(at, d, e, c.Int(64, 1)), n)) {
			b.Fatal("not shown")
		}
	}
}

// TestContradictIsRight checks contradictions of random conditions against all values of the variables, and that those
// of sums without wrapping are mostly found.
func TestContradictIsRight(t *testing.T) {
	const rounds = 600
	shown, truths := 0, 0
	for seed := range uint64(rounds) {
		c := smt.NewContext()
		g := &generator{c: c, rnd: rand.New(rand.NewPCG(seed, 11)), signed: true, choices: true}
		w := 2 + g.rnd.IntN(2)
		for _, name := range []string{"x", "y", "z"} {
			g.vars = append(g.vars, c.Var(name, smt.BV(w)))
		}
		condition := func() smt.Term { return g.condition(w) }
		if seed%2 == 0 {
			condition = g.plain
		}
		var facts []smt.Term
		for range 3 + g.rnd.IntN(5) {
			facts = append(facts, condition())
		}
		holds := implies(c, g.vars, w, c.And(facts...), c.False())
		if c.IsFalse(c.And(facts...)) {
			continue
		}
		if holds && seed%2 == 0 {
			truths++
		}
		if ordering.Contradict(c, facts) {
			if !holds {
				t.Fatalf("seed %d: %s can hold", seed, c.String(c.And(facts...)))
			}
			if seed%2 == 0 {
				shown++
			}
		}
	}
	t.Logf("%d of %d contradictions are shown", shown, truths)
	if shown*100 < truths*85 {
		t.Errorf("only %d of %d contradictions are shown", shown, truths)
	}
}
