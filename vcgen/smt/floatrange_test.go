package smt

import (
	"math"
	"math/rand"
	"testing"

	"github.com/unitproof/unitproof/vcgen/sampletest"
)

// randomFloat returns a float of w bits: small numbers, borders, and any pattern.
func randomFloat(rnd *rand.Rand, w int) uint64 {
	switch rnd.Intn(6) {
	case 0:
		border := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.1, 1e30, -1e-30}
		return encodeFloat(border[rnd.Intn(len(border))], w)
	case 1:
		return rnd.Uint64() & mask(w)
	}
	return encodeFloat((rnd.Float64()-0.5)*math.Pow(10, float64(rnd.Intn(5))), w)
}

// randomFloatTerm returns a term about floats of w bits.
func randomFloatTerm(c *Context, rnd *rand.Rand, vars []Term, i Term, w, depth int) Term {
	sub := func() Term { return randomFloatTerm(c, rnd, vars, i, w, depth-1) }
	if depth == 0 {
		if rnd.Intn(3) == 0 {
			return c.Int(w, randomFloat(rnd, w))
		}
		return vars[rnd.Intn(len(vars))]
	}
	switch rnd.Intn(16) {
	case 0, 1:
		return c.FAdd(sub(), sub())
	case 2, 3:
		return c.FSub(sub(), sub())
	case 4, 5:
		return c.FMul(sub(), sub())
	case 6:
		return c.FDiv(sub(), sub())
	case 7:
		return c.FRem(sub(), sub())
	case 8:
		return c.FSqrt(sub())
	case 9:
		return c.FFma(sub(), sub(), sub())
	case 10:
		if rnd.Intn(2) == 0 {
			return c.FMin(sub(), sub())
		}
		return c.FMax(sub(), sub())
	case 11:
		if rnd.Intn(2) == 0 {
			return c.FNeg(sub())
		}
		return c.FAbs(sub())
	case 12:
		return c.FRound(RoundMode(rnd.Intn(5)), sub())
	case 13:
		if rnd.Intn(2) == 0 {
			return c.SToF(i, w)
		}
		return c.UToF(i, w)
	case 14:
		a := sub()
		return c.Ite(c.FLt(a, sub()), a, sub())
	}
	return c.FToF(c.FToF(sub(), 96-w), w)
}

// randomFloatFact returns a condition about floats.
func randomFloatFact(c *Context, rnd *rand.Rand, vars []Term, i Term, w int) Term {
	a := randomFloatTerm(c, rnd, vars, i, w, rnd.Intn(4))
	b := randomFloatTerm(c, rnd, vars, i, w, rnd.Intn(2))
	switch rnd.Intn(8) {
	case 0, 1:
		return c.FLt(a, b)
	case 2, 3:
		return c.FLe(b, a)
	case 4:
		return c.FEq(a, b)
	case 5:
		return c.FIsNaN(a)
	case 6:
		return c.Slt(c.FToS(a, 32), c.Int(32, uint64(rnd.Intn(200))))
	}
	return c.Ult(c.FToU(a, 8), c.Int(8, uint64(rnd.Intn(200))))
}

// TestFloatRanges compares ranges, decisions and simplified questions with the values under random assignments.
func TestFloatRanges(t *testing.T) {
	decided, simpler, rounds := 0, 0, sampletest.Rounds(1200)
	for seed := range sampletest.Seeds(t, 1200) {
		rnd := rand.New(rand.NewSource(seed))
		c, w := NewContext(), 32<<rnd.Intn(2)
		vars := []Term{c.Var("x", BV(w)), c.Var("y", BV(w))}
		i := c.Var("i", BV(16))
		var facts []Term
		for range 1 + rnd.Intn(3) { // bounds, as programs assume them
			v, k := vars[rnd.Intn(2)], rnd.Float64()*100
			facts = append(facts, c.FLe(v, c.Int(w, encodeFloat(k, w))), c.FLt(c.Int(w, encodeFloat(-k, w)), v))
		}
		f, g := randomFloatFact(c, rnd, vars, i, w), randomFloatFact(c, rnd, vars, i, w)
		facts = append(facts, c.Or(c.Not(f), g), c.Or(f, randomFloatFact(c, rnd, vars, i, w)))
		if rnd.Intn(2) == 0 {
			facts = append(facts, randomFloatFact(c, rnd, vars, i, w))
		}
		term := randomFloatTerm(c, rnd, vars, i, w, 3)
		x := NewFloatRanges(c, facts)
		r := x.Of(term)
		value, ok := x.decide(f, maxRangeDepth)
		q := NewQuestion(c, append([]Term(nil), facts...))
		q.Simplify()
		if ok {
			decided++
		}
		if len(q.Facts) < len(facts) {
			simpler++
		}
		for range 60 {
			m := NewModel()
			for _, v := range vars {
				m.SetVar(v, UintValue(w, randomFloat(rnd, w)))
			}
			m.SetVar(i, UintValue(16, rnd.Uint64()&0xffff))
			before := satisfies(c, m, facts)
			if !before {
				continue
			}
			e := c.NewEvaluator(m)
			if got := decodeFloat(e.Eval(term).Uint64(), w); got != got && !r.NaN || got == got && !r.has(got) {
				t.Fatalf("seed %d: %v is outside of %v", seed, got, r)
			}
			if ok && e.EvalBool(f) != value {
				t.Fatalf("seed %d: the condition is not %v", seed, value)
			}
			if len(q.Facts) == 1 && c.IsFalse(q.Facts[0]) {
				t.Fatalf("seed %d: the question has a model", seed)
			}
		}
	}
	if n := int(rounds) / 20; decided < n || simpler < n {
		t.Errorf("%d conditions were decided, %d questions made simpler: the test is too weak", decided, simpler)
	}
}

// TestFloatQuestions simplifies questions about filters, clamps and conversions to a contradiction.
func TestFloatQuestions(t *testing.T) {
	c := NewContext()
	num := func(x float64) Term { return c.Int(64, encodeFloat(x, 64)) }
	within := func(v Term, lo, hi float64) Term { return c.And(c.FLe(num(lo), v), c.FLe(v, num(hi))) }
	s, e := c.Var("s", BV(64)), c.Var("e", BV(64))
	next := c.FAdd(c.FMul(num(0.999), s), e)
	clamped := c.Ite(c.FLt(num(5), s), num(5), s)
	for _, q := range []struct {
		name  string
		facts []Term
		unsat bool
	}{
		{"a filter stays in its bounds",
			[]Term{within(s, -2000, 2000), within(e, -2, 2), c.Not(within(next, -2000, 2000))}, true},
		{"a filter leaves its bounds",
			[]Term{within(s, -2000, 2000), within(e, -3, 3), c.Not(within(next, -2000, 2000))}, false},
		{"a clamp", []Term{c.FLe(num(0), s), c.Not(c.FLe(clamped, num(5)))}, true},
		{"a clamp of what may be a NaN", []Term{c.Not(c.FLt(s, num(0))), c.Not(c.FLe(clamped, num(5)))}, false},
		{"an index", []Term{within(s, 0, 1), c.Not(c.Slt(c.FToS(c.FMul(s, num(255)), 32), c.Int(32, 256)))}, true},
		{"no NaN", []Term{within(s, 0, 1), c.FIsNaN(c.FSqrt(s))}, true},
		{"a square", []Term{within(s, -1, 1), c.FLt(c.FMul(s, s), num(0))}, true},
		{"infinity minus infinity", []Term{c.Not(c.FIsNaN(s)), c.FIsNaN(c.FSub(s, s))}, false},
	} {
		x := NewQuestion(c, q.facts)
		x.Simplify()
		if got := len(x.Facts) == 1 && c.IsFalse(x.Facts[0]); got != q.unsat {
			t.Errorf("%s: contradiction: %v", q.name, got)
		}
		left := 1000
		if got := c.FloatsContradict(q.facts[:len(q.facts)-1], q.facts[len(q.facts)-1], &left); got != q.unsat {
			t.Errorf("%s: the facts contradict each other: %v", q.name, got)
		}
	}
}
