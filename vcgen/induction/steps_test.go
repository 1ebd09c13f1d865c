package induction

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestBetweenIsRight compares the bounds of random steps, behind random conditions, with all values of two numbers of
// three bits. Many of the bounds must be exact.
func TestBetweenIsRight(t *testing.T) {
	const w, small = 32, 3
	bounded, exact := 0, 0
	for seed := range uint64(1_500) {
		in, _ := places(t, w, []int64{1})
		c, rnd := in.c, rand.New(rand.NewPCG(seed, 5))
		vars := []smt.Term{c.Var("x", smt.BV(small)), c.Var("y", smt.BV(small))}
		number := func() smt.Term {
			if rnd.IntN(3) == 0 {
				return c.Int(small, rnd.Uint64N(1<<small))
			}
			return vars[rnd.IntN(2)]
		}
		condition := func() smt.Term {
			a, b := number(), number()
			if rnd.IntN(3) == 0 {
				a, b = c.Zext(a, w), c.Zext(b, w)
			}
			return []smt.Term{c.Ult(a, b), c.Ule(a, b), c.Slt(a, b), c.Sle(a, b), c.Eq(a, b)}[rnd.IntN(5)]
		}
		var step func(depth int) smt.Term
		step = func(depth int) smt.Term {
			k := rnd.IntN(7)
			if depth == 0 {
				k = rnd.IntN(3)
			}
			switch k {
			case 0:
				return c.IntS(w, int64(rnd.IntN(9)-4))
			case 1:
				return c.Zext(vars[rnd.IntN(2)], w)
			case 2:
				return c.Sext(vars[rnd.IntN(2)], w)
			case 3:
				return c.Mul(step(depth-1), c.IntS(w, int64(rnd.IntN(7)-3)))
			case 4:
				return c.Ite(condition(), step(depth-1), step(depth-1))
			case 5:
				return c.Sub(step(depth-1), step(depth-1))
			}
			return c.Add(step(depth-1), step(depth-1))
		}
		var way []smt.Term
		for range rnd.IntN(4) {
			way = append(way, c.Conjuncts(condition())...)
		}
		term := step(3)
		least, most, ok := in.between(term, in.assuming(bounds{}, way...), maxLeaves)
		if !ok {
			continue
		}
		from, to := int64(math.MaxInt64), int64(math.MinInt64)
		for n := range uint64(1) << (2 * small) {
			m := smt.NewModel()
			m.SetVar(vars[0], smt.UintValue(small, n&(1<<small-1)))
			m.SetVar(vars[1], smt.UintValue(small, n>>small))
			if e := c.NewEvaluator(m); e.EvalBool(c.And(way...)) {
				v := int64(int32(e.EvalUint(term)))
				from, to = min(from, v), max(to, v)
			}
		}
		if from > to {
			continue // no values satisfy the conditions
		}
		if bounded++; from < least || to > most {
			t.Fatalf("seed %d: behind %s, %s is from %d to %d, not from %d to %d", seed, c.String(c.And(way...)),
				c.String(term), from, to, least, most)
		}
		if from == least && to == most {
			exact++
		}
	}
	t.Logf("%d have bounds, %d of them exact ones", bounded, exact)
	if bounded < 1_000 || exact < 500 {
		t.Error("too few")
	}
}
