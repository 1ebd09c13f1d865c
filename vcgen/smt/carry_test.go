package smt

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/sampletest"
)

// TestCarryKeepsModels checks that splitting sums which a fact keeps from wrapping preserves the models.
//
// All values of the variables are tried.
func TestCarryKeepsModels(t *testing.T) {
	differing, rounds := 0, sampletest.Rounds(400)
	for seed := range sampletest.Seeds(t, 400) {
		rnd := rand.New(rand.NewSource(seed))
		c := NewContext()
		vars := []Term{c.Var("x", BV(3)), c.Var("y", BV(3)), c.Var("z", BV(3))}
		number := func() Term {
			sum := vars[rnd.Intn(3)]
			for range rnd.Intn(3) {
				if v := vars[rnd.Intn(3)]; rnd.Intn(3) == 0 {
					sum = c.Sub(sum, v)
				} else {
					sum = c.Add(sum, v)
				}
			}
			return sum
		}
		wide := func() Term {
			a := c.Zext(number(), 64)
			if rnd.Intn(2) == 0 {
				return c.Sub(a, c.Zext(number(), 64))
			}
			return c.Ite(c.Ult(vars[0], vars[1]), a, c.Zext(vars[rnd.Intn(3)], 64))
		}
		var facts []Term
		for range 1 + rnd.Intn(3) {
			narrow := c.Ult(number(), number())
			if rnd.Intn(4) > 0 {
				narrow = c.Not(narrow)
			}
			facts = append(facts, narrow)
		}
		for range 1 + rnd.Intn(2) {
			f := c.Ult(wide(), wide())
			if rnd.Intn(2) == 0 {
				f = c.Not(f)
			}
			facts = append(facts, f)
		}
		q := NewQuestion(c, slices.Clone(facts))
		q.Simplify()
		if !slices.Equal(q.Facts, facts) {
			differing++
		}
		models := func(facts []Term) (n int) {
			enumerate(c, vars, func(m *Model) bool {
				if satisfies(c, m, facts) {
					n++
				}
				return false
			})
			return n
		}
		// Variables may have been narrowed: a model of the result is one of the facts.
		if len(q.solved) == 0 {
			if got, want := models(q.Facts), models(facts); got != want {
				t.Fatalf("seed %d: %d models, simplified %d", seed, want, got)
			}
			continue
		}
		remaining := 0
		enumerate(c, c.Symbols(q.Facts...), func(m *Model) bool {
			if satisfies(c, m, q.Facts) {
				remaining++
				if q.Complete(m); !satisfies(c, m, facts) {
					t.Fatalf("seed %d: a model of the simplified question is none of the question", seed)
				}
			}
			return false
		})
		if (remaining > 0) != (models(facts) > 0) {
			t.Fatalf("seed %d: satisfiable is %v, simplified %v", seed, models(facts) > 0, remaining > 0)
		}
	}
	if differing < int(rounds)/4 {
		t.Errorf("only %d questions changed", differing)
	}
}

// TestCarry checks that zext(w + n) - zext(n) is zext(w) if a fact keeps w + n from wrapping; differences are
// analogous.
func TestCarry(t *testing.T) {
	c := NewContext()
	w, n, other := c.Var("w", BV(32)), c.Var("n", BV(32)), c.Var("other", BV(64))
	wide := func(t Term) Term { return c.Zext(t, 64) }
	sum, rest := c.Add(w, n), c.Sub(w, n)
	for _, one := range []struct{ fact, of, is Term }{
		{c.Not(c.Ult(sum, n)), c.Sub(wide(sum), wide(n)), wide(w)},
		{c.Not(c.Ult(w, n)), c.Add(wide(rest), wide(n)), wide(w)},
	} {
		q := NewQuestion(c, []Term{one.fact, c.Ne(other, one.of)})
		q.Simplify()
		if want := []Term{one.fact, c.Ne(other, one.is)}; !slices.Equal(q.Facts, want) {
			t.Errorf("%s stays %s", c.String(one.of), c.String(q.Facts[1]))
		}
	}
}
