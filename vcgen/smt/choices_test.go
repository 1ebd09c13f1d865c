package smt

import (
	"math/rand"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/sampletest"
)

// TestChoices checks that a choice has one of its values in each model of the facts.
//
// A question with the choice fixed to a value must have exactly the models of the facts with this value.
func TestChoices(t *testing.T) {
	listed, rounds := 0, sampletest.Rounds(200)
	for seed := range sampletest.Seeds(t, 200) {
		rnd := rand.New(rand.NewSource(seed))
		c := NewContext()
		vars := []Term{c.Var("x", BV(4)), c.Var("y", BV(4))}
		b := c.Var("b", Bool)
		vars[1] = c.Ite(b, c.BvAnd(vars[0], c.Int(4, 6)), vars[1])
		var facts []Term
		for range 2 + rnd.Intn(3) {
			facts = append(facts, randomFact(c, rnd, vars, b))
		}
		q := NewQuestion(c, facts)
		if seed%2 == 0 {
			q.Simplify()
		}
		symbols := c.Symbols(q.Facts...)
		for _, choice := range q.Choices(10) {
			listed++
			if n := len(choice.Values); n < 2 || n > 10 || !slices.IsSorted(choice.Values) {
				t.Fatalf("seed %d: values %v of %s", seed, choice.Values, c.String(choice.Term))
			}
			seen := map[uint64]bool{}
			enumerate(c, symbols, func(m *Model) bool {
				if satisfies(c, m, q.Facts) {
					seen[valueOf(c, m, choice.Term)] = true
				}
				return false
			})
			for v := range seen {
				if !slices.Contains(choice.Values, v) {
					t.Fatalf("seed %d: %s is %d in a model, and may be %v", seed, c.String(choice.Term), v, choice.Values)
				}
			}
			for _, v := range choice.Values {
				one := q.With(choice, v)
				one.Simplify()
				found := enumerate(c, c.Symbols(one.Facts...), func(m *Model) bool {
					if !satisfies(c, m, one.Facts) {
						return false
					}
					one.Complete(m)
					if !satisfies(c, m, q.Facts) || valueOf(c, m, choice.Term) != v {
						t.Fatalf("seed %d: a model of a case is none of the facts with %d", seed, v)
					}
					return true
				})
				if found != seen[v] {
					t.Fatalf("seed %d: %s is %d in a model: %v, its case has one: %v", seed, c.String(choice.Term), v, seen[v], found)
				}
			}
		}
	}
	if listed < int(rounds)/2 {
		t.Errorf("only %d choices", listed)
	}
}

// valueOf returns the value of the term of a choice; 0 and 1 for a Bool.
func valueOf(c *Context, m *Model, t Term) uint64 {
	if e := c.NewEvaluator(m); c.Width(t) > 0 {
		return e.Eval(t).Uint64()
	} else if e.EvalBool(t) {
		return 1
	}
	return 0
}

// TestChoicesAreFew checks that constants and terms with too many values are not listed, and the order of choices.
//
// The term with the most uses comes first.
func TestChoicesAreFew(t *testing.T) {
	c := NewContext()
	n, byte8, b := c.Var("n", BV(8)), c.Var("byte", BV(8)), c.Var("b", Bool)
	facts := []Term{c.Ult(n, c.Int(8, 6)), c.Or(b, c.Ult(byte8, c.Add(n, c.Int(8, 100))))}
	for k := range uint64(5) {
		facts = append(facts, c.Ne(c.Add(n, byte8), c.Int(8, 200+k)), c.Or(c.Eq(n, c.Int(8, k)), c.Ult(c.Int(8, k), byte8)))
	}
	list := NewQuestion(c, facts).Choices(8)
	if len(list) == 0 || list[0].Term != n || !slices.Equal(list[0].Values, []uint64{0, 1, 2, 3, 4, 5}) {
		t.Fatalf("%v", list)
	}
	for _, choice := range list {
		if choice.Term == byte8 || c.IsConst(choice.Term) || len(choice.Values) > 8 {
			t.Errorf("%s may be %v", c.String(choice.Term), choice.Values)
		}
	}
}
