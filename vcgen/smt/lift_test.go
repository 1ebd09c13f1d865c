package smt

import (
	"math/rand"
	"testing"
)

// records merges n records as a loop that searches for one does.
//
// The start and the end of a record, which is greater, are chosen by the same conditions.
func records(c *Context, r *rand.Rand, n int) (start, end Term) {
	at := uint64(0)
	number := func() (Term, Term) {
		from := at + 1 + uint64(r.Intn(4))
		at = from + 1 + uint64(r.Intn(4))
		return c.Int(32, from), c.Int(32, at)
	}
	start, end = number()
	for range n {
		g := c.And(c.Var("g", Bool), c.Ult(c.Var("byte", BV(8)), c.Int(8, 1+uint64(r.Intn(254)))))
		s, e := number()
		if r.Intn(3) == 0 { // of an inner loop
			h := c.Var("h", Bool)
			s2, e2 := number()
			s, e = c.Ite(h, s2, s), c.Ite(h, e2, e)
		}
		start, end = c.Ite(g, s, start), c.Ite(g, e, end)
	}
	return start, end
}

// TestLiftChoicesDecides checks that a relation between members that were merged together folds to a constant.
func TestLiftChoicesDecides(t *testing.T) {
	c := NewContext()
	const n = 20
	start, end := records(c, rand.New(rand.NewSource(1)), n)
	for name, row := range map[string]struct{ f, want Term }{
		"holds":         {c.Ule(start, end), c.True()},
		"never":         {c.Ult(end, start), c.False()},
		"a symbol":      {c.Ult(start, c.Var("x", BV(32))), 0},
		"one choice":    {c.Eq(start, c.Int(32, 3)), 0},
		"nothing of it": {c.Var("b", Bool), 0},
	} {
		if row.want == 0 {
			row.want = row.f
		}
		got, spent := c.LiftChoices(row.f, 1000)
		if got != row.want {
			t.Errorf("%s: %s", name, c.String(got))
		}
		if (row.want != row.f) != (spent > 0) {
			t.Errorf("%s: %d steps", name, spent)
		}
	}
	x, many := c.Var("x", BV(32)), c.Var("y", BV(32))
	for range 2 * mostOpen {
		many = c.Ite(c.Var("g", Bool), c.Var("y", BV(32)), many)
	}
	if f := c.Ult(start, c.Add(end, x)); f == lifted(c, f) {
		t.Error("what compares sums of one variable and few constants is left")
	}
	if f := c.Ult(start, c.Add(many, x)); f != lifted(c, f) {
		t.Error("comparisons of many variables take the place of one")
	}
	f := c.Ult(end, start)
	if got, spent := c.LiftChoices(f, 3); got != f || spent != 3 {
		t.Errorf("with 3 steps: %d steps, %s", spent, c.String(got))
	}
	if got, spent := c.LiftChoices(f, 0); got != f || spent != 0 {
		t.Errorf("without steps: %d steps, %s", spent, c.String(got))
	}
}

func lifted(c *Context, f Term) Term {
	f, _ = c.LiftChoices(f, 10_000)
	return f
}

// TestLiftChoicesMeansTheSame checks that lifting preserves the value of a formula.
func TestLiftChoicesMeansTheSame(t *testing.T) {
	compare := []func(c *Context, a, b Term) Term{(*Context).Ult, (*Context).Slt, (*Context).Eq, (*Context).Ule}
	changed := 0
	for seed := range int64(200) {
		r := rand.New(rand.NewSource(seed))
		c := NewContext()
		n := 1 + r.Intn(8)
		a, enda := records(c, r, n)
		b, endb := records(c, r, n)
		x := c.Var("x", BV(32))
		sides := []Term{a, b, c.Add(a, enda), c.Sub(b, endb), c.Add(a, x), c.Mul(a, b), c.Extract(c.Zext(b, 64), 40, 9), enda}
		pick := func(w int) Term {
			for {
				if s := sides[r.Intn(len(sides))]; c.Width(s) == w {
					return s
				}
			}
		}
		f := c.True()
		for range 1 + r.Intn(3) {
			p := sides[r.Intn(len(sides))]
			g := compare[r.Intn(len(compare))](c, p, pick(c.Width(p)))
			if r.Intn(2) == 0 {
				g = c.Not(g)
			}
			f = c.And(f, g)
		}
		got, spent := c.LiftChoices(f, 2000)
		if spent > 2000 {
			t.Fatalf("seed %d: %d steps of 2000", seed, spent)
		}
		if got != f {
			changed++
		}
		for range 50 {
			m := NewModel()
			for k := 1; k <= c.NumTerms(); k++ {
				switch v := Term(k); {
				case c.Op(v) != OpVar:
				case c.Sort(v).IsBool():
					m.SetVar(v, BoolValue(r.Intn(2) == 0))
				default:
					m.SetVar(v, c.constValue(c.Int(c.Width(v), uint64(r.Intn(256)))))
				}
			}
			e := c.NewEvaluator(m)
			if want, is := e.Eval(f), e.Eval(got); want.Big().Cmp(is.Big()) != 0 {
				t.Fatalf("seed %d: %s\nbecame %s", seed, c.String(f), c.String(got))
			}
		}
	}
	if changed < 50 {
		t.Errorf("%d of 200 formulas were changed", changed)
	}
}
