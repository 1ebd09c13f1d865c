package ordering_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/ordering"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestClausesAreTrue checks that each clause about random comparisons is true for all values of the variables. The
// widths are small, so that all values are tried.
func TestClausesAreTrue(t *testing.T) {
	rounds := 1000
	if testing.Short() {
		rounds = 300
	}
	clauses := 0
	for seed := range uint64(rounds) {
		c := smt.NewContext()
		g := &generator{c: c, rnd: rand.New(rand.NewPCG(seed, 1))}
		w := 2 + g.rnd.IntN(2)
		for _, name := range []string{"x", "y", "z"} {
			g.vars = append(g.vars, c.Var(name, smt.BV(w)))
		}
		var facts []smt.Term
		for range 3 + g.rnd.IntN(5) {
			facts = append(facts, g.comparison(w+g.rnd.IntN(3), 3))
		}
		list := ordering.Clauses(c, facts, 200)
		clauses += len(list)
		for n := range uint64(1) << (3 * w) {
			m := smt.NewModel()
			for i, v := range g.vars {
				m.SetVar(v, smt.UintValue(w, n>>(i*w)&(1<<w-1)))
			}
			e := c.NewEvaluator(m)
			for _, clause := range list {
				if !e.EvalBool(clause) {
					t.Fatalf("seed %d: %s is false where x, y and z of %d bits are %#x", seed, c.String(clause), w, n)
				}
			}
		}
	}
	if clauses < rounds {
		t.Errorf("only %d clauses", clauses)
	}
	t.Logf("%d clauses", clauses)
}

// generator creates random terms over few variables.
type generator struct {
	c    *smt.Context
	rnd  *rand.Rand
	vars []smt.Term
	// signed adds signed comparisons and sign extensions.
	signed bool
	// choices adds choices to plain conditions: of a Prover's facts it takes none apart.
	choices bool
}

func (g *generator) comparison(w, depth int) smt.Term {
	a, b := g.term(w, depth), g.term(w, depth)
	if g.rnd.IntN(4) == 0 { // as in overflow checks
		b = g.c.Add(a, b)
	}
	if g.rnd.IntN(2) == 0 {
		a, b = b, a
	}
	if g.signed && g.rnd.IntN(3) == 0 {
		return g.c.Slt(a, b)
	}
	switch g.rnd.IntN(5) {
	case 0:
		return g.c.Eq(a, b)
	case 1, 2:
		return g.c.Ule(a, b)
	}
	return g.c.Ult(a, b)
}

// term returns a random term of w bits.
func (g *generator) term(w, depth int) smt.Term {
	c, n := g.c, g.rnd.IntN(14)
	if depth == 0 {
		n %= 4
	}
	switch n {
	default:
		return g.fit(g.vars[g.rnd.IntN(len(g.vars))], w)
	case 3:
		return c.Int(w, g.rnd.Uint64()&(1<<w-1))
	case 4, 5:
		return c.Add(g.term(w, depth-1), g.term(w, depth-1))
	case 6, 7:
		return c.Sub(g.term(w, depth-1), g.term(w, depth-1))
	case 8:
		return c.Mul(g.term(w, depth-1), c.Int(w, uint64(1+g.rnd.IntN(3))))
	case 9:
		return c.Ite(g.comparison(w, depth-1), g.term(w, depth-1), g.term(w, depth-1))
	case 10:
		return c.BvNot(g.term(w, depth-1))
	case 11:
		return g.fit(g.term(max(2, w+g.rnd.IntN(3)-1), depth-1), w)
	case 12, 13:
		sum := c.Add(g.term(w+1, depth-1), g.term(w+1, depth-1))
		return g.fit(c.Ite(g.comparison(w, depth-1), sum, g.term(w+1, depth-1)), w)
	}
}

// fit extends or truncates a term.
func (g *generator) fit(t smt.Term, w int) smt.Term {
	switch have := g.c.Width(t); {
	case have < w && g.signed && g.rnd.IntN(2) == 0:
		return g.c.Sext(t, w)
	case have < w:
		return g.c.Zext(t, w)
	case have > w:
		return g.c.Extract(t, w-1, 0)
	}
	return t
}

// TestClausesSettle checks two copies into the rest of a buffer: the clauses contradict the facts of a violation even
// if each comparison may have any truth value.
func TestClausesSettle(t *testing.T) {
	c := smt.NewContext()
	at, size, n := c.Var("at", smt.BV(32)), c.Var("size", smt.BV(32)), c.Var("n", smt.BV(32))
	first, second := c.Var("first", smt.BV(64)), c.Var("second", smt.BV(64))
	wide := func(t smt.Term) smt.Term { return c.Zext(t, 64) }
	least := func(a, b smt.Term) smt.Term { return c.Ite(c.Ult(a, b), a, b) }
	end := c.Add(at, n)
	begin := c.Sub(wide(end), wide(n))
	a := least(n, c.Extract(first, 31, 0))
	difference := c.Sub(wide(n), wide(a))
	b := least(difference, second)
	fits := []smt.Term{c.Ule(at, size), c.Ule(n, c.Sub(size, at))}
	wraps := c.Ult(end, at)
	for name, test := range map[string]struct {
		facts  []smt.Term
		settle bool
	}{
		"first":  {append(fits, c.Not(wraps), c.Ult(c.Sub(wide(size), begin), wide(a))), true},
		"begins": {append(fits, c.Not(wraps), c.Ult(wide(size), c.Add(begin, wide(a)))), true},
		"second": {append(fits, c.Not(wraps), c.Ule(c.Add(begin, wide(a)), wide(size)),
			c.Ult(c.Sub(wide(size), c.Add(begin, wide(a))), b)), true},
		"wraps":         {append(fits, wraps), true},
		"nothing fits":  {append(fits[:1:1], c.Not(wraps), c.Ult(c.Sub(wide(size), begin), wide(a))), false},
		"may be before": {append(fits[1:2:2], c.Not(wraps), c.Ult(wide(size), c.Add(begin, wide(a)))), false},
	} {
		t.Run(name, func(t *testing.T) {
			list := ordering.Clauses(c, test.facts, 1000)
			if got := contradicts(c, append(list, test.facts...)); got != test.settle {
				t.Errorf("%d clauses contradict the facts: %v", len(list), got)
			}
			if few := ordering.Clauses(c, test.facts, 2); len(few) > 2 {
				t.Errorf("%d clauses, and 2 at most are asked for", len(few))
			}
		})
	}
}

// contradicts reports whether no truth values of the comparisons make all facts true.
func contradicts(c *smt.Context, facts []smt.Term) bool {
	any, atoms := map[smt.Term]smt.Term{}, []smt.Term{}
	for _, t := range c.Cone(facts...) {
		switch c.Op(t) {
		case smt.OpUlt, smt.OpUle, smt.OpEq:
			any[t] = c.Var("atom", smt.Bool)
			atoms = append(atoms, any[t])
		}
	}
	for i, f := range facts {
		facts[i] = c.Substitute(f, any)
	}
	for n := range uint64(1) << len(atoms) {
		m := smt.NewModel()
		for i, a := range atoms {
			m.SetVar(a, smt.BoolValue(n>>i&1 == 1))
		}
		e := c.NewEvaluator(m)
		if !slices.ContainsFunc(facts, func(f smt.Term) bool { return !e.EvalBool(f) }) {
			return false
		}
	}
	return true
}

// TestClausesAreAlike checks that equal facts have equal clauses, in the same order.
func TestClausesAreAlike(t *testing.T) {
	for seed := range uint64(50) {
		var first string
		for range 2 {
			c := smt.NewContext()
			g := &generator{c: c, rnd: rand.New(rand.NewPCG(seed, 2))}
			g.vars = []smt.Term{c.Var("x", smt.BV(8)), c.Var("y", smt.BV(8)), c.Var("z", smt.BV(8))}
			var facts []smt.Term
			for range 8 {
				facts = append(facts, g.comparison(8, 3))
			}
			all := ""
			for _, clause := range ordering.Clauses(c, facts, 100) {
				all += c.String(clause) + "\n"
			}
			if first == "" {
				first = all
			} else if all != first {
				t.Fatalf("seed %d:\n%s\nand then\n%s", seed, first, all)
			}
		}
	}
}

// TestProducts checks clauses about products for all values of three small variables.
func TestProducts(t *testing.T) {
	widths := []int{5, 6}
	if testing.Short() {
		widths = []int{4, 5}
	}
	for _, w := range widths {
		c := smt.NewContext()
		x, y, f := c.Var("x", smt.BV(w)), c.Var("y", smt.BV(w)), c.Var("f", smt.BV(w))
		clauses := ordering.Products(c, []smt.Term{c.Ult(c.Mul(x, f), c.Mul(y, f))})
		if len(clauses) != 4 {
			t.Fatalf("%d bits: %d clauses, want two for each order", w, len(clauses))
		}
		m := smt.NewModel()
		for v := range uint64(1) << (3 * w) {
			mask := uint64(1)<<w - 1
			m.SetVar(x, smt.UintValue(w, v&mask))
			m.SetVar(y, smt.UintValue(w, v>>w&mask))
			m.SetVar(f, smt.UintValue(w, v>>(2*w)))
			ev := c.NewEvaluator(m)
			for _, cl := range clauses {
				if !ev.EvalBool(cl) {
					t.Fatalf("false for x = %d, y = %d, f = %d: %s", v&mask, v>>w&mask, v>>(2*w), c.String(cl))
				}
			}
		}
	}
}
