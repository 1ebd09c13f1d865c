package ask

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestDecided checks that a condition of a choice is found if it follows from the propositional structure of the
// facts, for either value. A condition that follows only from the meaning of comparisons, or is open, is not found.
func TestDecided(t *testing.T) {
	x, _ := bare(nil)
	c := x.c
	n, m := c.Var("n", smt.BV(4)), c.Var("m", smt.BV(4))
	small, large, cond := c.Ult(n, c.Int(4, 5)), c.Ult(c.Int(4, 9), n), c.Var("cond", smt.Bool)
	chosen := c.Ne(m, c.Ite(cond, n, c.Add(n, c.Int(4, 1))))
	follows := []smt.Term{c.Or(small, large), c.Implies(small, cond), c.Implies(large, cond), chosen}
	never := []smt.Term{c.Or(small, large), c.Implies(small, c.Not(cond)), c.Implies(large, c.Not(cond)), chosen}
	meant := []smt.Term{c.Implies(c.Not(small), cond), c.Implies(c.Not(large), cond), chosen}
	open := []smt.Term{c.Or(small, large), c.Implies(small, cond), chosen}
	for _, test := range []struct {
		name  string
		facts []smt.Term
		want  []smt.Term
	}{{"follows", follows, []smt.Term{cond}}, {"never", never, []smt.Term{c.Not(cond)}}, {"meant", meant, nil},
		{"open", open, nil}} {
		if got := x.decided(t.Context(), test.facts); !slices.Equal(got, test.want) {
			t.Errorf("%s: %d conditions, want %d", test.name, len(got), len(test.want))
		}
	}
	x.opts.NoBackbones = true
	if x.decide(t.Context(), smt.NewQuestion(c, follows)) {
		t.Error("it is switched off")
	}
	x.opts.NoBackbones = false
	q := smt.NewQuestion(c, follows)
	if !x.decide(t.Context(), q) || slices.ContainsFunc(c.Cone(q.Facts...), func(t smt.Term) bool {
		return c.Op(t) == smt.OpIte
	}) {
		t.Error("the choice is still there")
	}
}

// TestDecidedRewrites checks that a query that is hard as a whole is repeated without the choices that its facts
// decide.
func TestDecidedRewrites(t *testing.T) {
	x, made := bare(func(solver int, _ []smt.Term) smt.Answer {
		if solver == 0 {
			return smt.StepLimit
		}
		return 0
	})
	c := x.c
	n, m := c.Var("n", smt.BV(4)), c.Var("m", smt.BV(4))
	small, large, cond := c.Ult(n, c.Int(4, 5)), c.Ult(c.Int(4, 9), n), c.Var("cond", smt.Bool)
	facts := []smt.Term{c.Or(small, large), c.Implies(small, cond), c.Implies(large, cond),
		c.Ne(m, c.Ite(cond, n, c.Add(n, c.Int(4, 1))))}
	o := x.Ask(t.Context(), Question{Facts: facts, Budget: 2 * casesAfter, Cases: true})
	if o.Answer != smt.Sat || !o.Model.EvalBool(c.And(facts...)) || len(*made) != 3 {
		t.Fatalf("%v after %d solvers", o.Result, len(*made))
	}
	if slices.ContainsFunc(c.Cone((*made)[2].Asserted...), func(t smt.Term) bool { return c.Op(t) == smt.OpIte }) {
		t.Error("the choice is still there")
	}
}

// TestDecidedFollows checks that decided conditions follow from random facts: they hold in all models.
func TestDecidedFollows(t *testing.T) {
	found := 0
	for seed := range int64(500) {
		rnd := rand.New(rand.NewSource(seed))
		x, _ := bare(nil)
		c := x.c
		vars := []smt.Term{c.Var("n", smt.BV(2)), c.Var("m", smt.BV(2))}
		truths := []smt.Term{c.Var("p", smt.Bool), c.Var("q", smt.Bool), c.Ult(vars[0], vars[1]),
			c.Eq(vars[0], c.Int(2, uint64(rnd.Intn(4))))}
		var literal func(depth int) smt.Term
		literal = func(depth int) smt.Term {
			b := truths[rnd.Intn(len(truths))]
			if depth > 0 {
				b = c.Or(literal(depth-1), literal(depth-1))
			}
			if rnd.Intn(2) == 0 {
				b = c.Not(b)
			}
			return b
		}
		var facts []smt.Term
		for range 2 + rnd.Intn(4) {
			facts = append(facts, c.Or(literal(1), literal(0)))
		}
		choice := vars[0]
		for range 3 {
			choice = c.Ite(literal(1), choice, vars[1])
		}
		facts = append(facts, c.Ult(choice, c.Int(2, 3)))
		list := x.decided(t.Context(), facts)
		found += len(list)
		for _, f := range list {
			if o := x.Ask(t.Context(), Question{Facts: facts, Any: []smt.Term{c.Not(f)}}); o.Answer != smt.Unsat {
				t.Fatalf("seed %d: a model of the facts in which what they decide is not so: %v", seed, o.Answer)
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d conditions decided", found)
	}
}
