package smt

import (
	"math/rand"
	"testing"
)

// TestResolve checks that two facts which differ in the sign of a disjunct are replaced by their common disjuncts.
//
// The disjunct may be a conjunction.
func TestResolve(t *testing.T) {
	c := NewContext()
	p, a, b, d, e := c.Var("p", Bool), c.Var("a", Bool), c.Var("b", Bool), c.Var("d", Bool), c.Var("e", Bool)
	for _, test := range []struct {
		name        string
		facts, want []Term
	}{
		{"one literal", []Term{c.Or(p, a), c.Or(p, c.Not(a))}, []Term{p}},
		{"a conjunction", []Term{c.Or(p, c.And(a, b, d)), c.Or(c.Not(c.And(a, b, d)), p)}, []Term{p}},
		{"three literals", []Term{c.Or(a, b, d), e, c.Or(d, c.Not(a), b)}, []Term{e, c.Or(b, d)}},
		{"one after the other", []Term{c.Or(a, b), c.Or(c.Not(a), b), c.Or(c.Not(b), d)}, []Term{c.Or(c.Not(b), d), b}},
		{"two signs", []Term{c.Or(a, b), c.Or(c.Not(a), c.Not(b))}, []Term{c.Or(a, b), c.Or(c.Not(a), c.Not(b))}},
		{"another disjunct", []Term{c.Or(a, b), c.Or(c.Not(a), d)}, []Term{c.Or(a, b), c.Or(c.Not(a), d)}},
		{"the same, grouped in two ways", []Term{c.Or(c.Or(a, b), d), c.Or(a, c.Or(b, d))},
			[]Term{c.Or(c.Or(a, b), d), c.Or(a, c.Or(b, d))}},
		{"the same", []Term{c.Or(a, b), c.Or(a, b, d)}, []Term{c.Or(a, b), c.Or(a, b, d)}},
	} {
		q := NewQuestion(c, append([]Term(nil), test.facts...))
		changed := q.resolve()
		if got, want := c.String(c.And(q.Facts...)), c.String(c.And(test.want...)); got != want ||
			len(q.Facts) != len(test.want) {
			t.Errorf("%s: %s, want %s", test.name, got, want)
		}
		if changed != (len(test.want) < len(test.facts)) {
			t.Errorf("%s: resolve says %v", test.name, changed)
		}
		before, after := c.And(test.facts...), c.And(q.Facts...)
		enumerate(c, []Term{p, a, b, d, e}, func(m *Model) bool {
			if ev := c.NewEvaluator(m); ev.EvalBool(before) != ev.EvalBool(after) {
				t.Fatalf("%s: not the same for a model", test.name)
			}
			return false
		})
	}
}

// TestResolveRandom checks that random facts remain equivalent, for all forms of literals and groups of literals.
func TestResolveRandom(t *testing.T) {
	random := rand.New(rand.NewSource(2))
	resolved := 0
	for range 3000 {
		c := NewContext()
		var vars []Term
		for _, name := range []string{"a", "b", "d", "e"} {
			vars = append(vars, c.Var(name, Bool))
		}
		var disjunction func(depth int) Term
		disjunction = func(depth int) Term {
			f := c.False()
			for range 1 + random.Intn(3) {
				x := vars[random.Intn(len(vars))]
				switch {
				case depth > 0 && random.Intn(4) == 0:
					x = disjunction(depth - 1)
				case depth > 0 && random.Intn(6) == 0:
					x = c.And(disjunction(depth-1), x)
				}
				if random.Intn(2) == 0 {
					x = c.Not(x)
				}
				f = c.Or(f, x)
			}
			return f
		}
		var facts []Term
		for range 3 + random.Intn(5) {
			facts = append(facts, disjunction(2))
		}
		q := NewQuestion(c, append([]Term(nil), facts...))
		if q.resolve() {
			resolved++
		} else if c.And(q.Facts...) != c.And(facts...) {
			t.Fatalf("%s became %s, which resolve does not say", c.String(c.And(facts...)), c.String(c.And(q.Facts...)))
		}
		before, after := c.And(facts...), c.And(q.Facts...)
		enumerate(c, vars, func(m *Model) bool {
			if ev := c.NewEvaluator(m); ev.EvalBool(before) != ev.EvalBool(after) {
				t.Fatalf("%s became %s", c.String(before), c.String(after))
			}
			return false
		})
	}
	if resolved < 50 {
		t.Errorf("%d of 3000 were resolved", resolved)
	}
}
