package smt

import (
	"math/rand"
	"testing"
)

// enumerate calls f with every assignment of the variables, until it returns true.
func enumerate(c *Context, vars []Term, f func(m *Model) bool) bool {
	m := NewModel()
	var rec func(i int) bool
	rec = func(i int) bool {
		if i == len(vars) {
			return f(m)
		}
		if c.Sort(vars[i]).IsBool() {
			for _, b := range []bool{false, true} {
				m.SetVar(vars[i], BoolValue(b))
				if rec(i + 1) {
					return true
				}
			}
			return false
		}
		for v := range uint64(1) << c.Width(vars[i]) {
			m.SetVar(vars[i], UintValue(c.Width(vars[i]), v))
			if rec(i + 1) {
				return true
			}
		}
		return false
	}
	return rec(0)
}

func satisfies(c *Context, m *Model, facts []Term) bool {
	e := c.NewEvaluator(m)
	for _, f := range facts {
		if !e.EvalBool(f) {
			return false
		}
	}
	return true
}

// randomFact is a comparison of the kinds that simplification reads, or one that it does not.
func randomFact(c *Context, rnd *rand.Rand, vars []Term, b Term) Term {
	pick := func() Term {
		if rnd.Intn(2) == 0 {
			return c.Int(4, uint64(rnd.Intn(16)))
		}
		v := vars[rnd.Intn(len(vars))]
		switch rnd.Intn(4) {
		case 0:
			return c.Add(v, c.Int(4, uint64(rnd.Intn(16))))
		case 1:
			return c.BvAnd(v, vars[rnd.Intn(len(vars))])
		}
		return v
	}
	x, y := pick(), pick()
	switch rnd.Intn(7) {
	case 0:
		return c.Eq(x, y)
	case 1:
		return c.Ult(x, y)
	case 2:
		return c.Not(c.Ult(x, y))
	case 3:
		return c.Ne(x, y)
	case 4:
		return c.And(c.Ule(x, y), c.Slt(y, pick()))
	case 5:
		return c.Or(b, c.Eq(x, y))
	}
	return c.Xor(b, c.BoolConst(rnd.Intn(2) == 0))
}

// A simplified question has a model iff the question has, and each of its models extends
// to one of the question.
func TestSimplifyKeepsModels(t *testing.T) {
	for seed := range int64(100) {
		rnd := rand.New(rand.NewSource(seed))
		c := NewContext()
		vars := []Term{c.Var("x", BV(4)), c.Var("y", BV(4)), c.Var("z", BV(4))}
		b := c.Var("b", Bool)
		var facts []Term
		for range 2 + rnd.Intn(4) {
			facts = append(facts, randomFact(c, rnd, vars, b))
		}
		want := enumerate(c, append(vars, b), func(m *Model) bool { return satisfies(c, m, facts) })
		q := NewQuestion(c, append([]Term(nil), facts...))
		q.Simplify()
		got := enumerate(c, c.Symbols(q.Facts...), func(m *Model) bool {
			if !satisfies(c, m, q.Facts) {
				return false
			}
			q.Complete(m)
			if !satisfies(c, m, facts) {
				t.Fatalf("seed %d: a model of the simplified question does not extend to one of the question", seed)
			}
			return true
		})
		if got != want {
			t.Fatalf("seed %d: satisfiable is %v, simplified %v", seed, want, got)
		}
	}
}

// With the definitions that Learn returns, a rewritten term equals the term in every model
// of the facts, and the definitions exclude none of them.
func TestKnowledgeIsConservative(t *testing.T) {
	for seed := range int64(40) {
		rnd := rand.New(rand.NewSource(seed))
		c := NewContext()
		vars := []Term{c.Var("x", BV(4)), c.Var("y", BV(4))}
		b := c.Var("b", Bool)
		k := NewKnowledge(c)
		var facts, definitions []Term
		for range 3 {
			f := randomFact(c, rnd, vars, b)
			facts = append(facts, f)
			definitions = append(definitions, k.Learn(f)...)
		}
		term := c.Add(c.Mul(vars[0], vars[1]), c.Ite(b, vars[0], c.Int(4, 3)))
		rewritten := k.Apply(term)
		enumerate(c, append(append([]Term(nil), vars...), b), func(m *Model) bool {
			if !satisfies(c, m, facts) {
				return false
			}
			var fresh []Term
			for _, v := range c.Symbols(append(definitions, rewritten)...) {
				if v != vars[0] && v != vars[1] && v != b {
					fresh = append(fresh, v)
				}
			}
			found := enumerate(c, fresh, func(n *Model) bool {
				for _, v := range append(append([]Term(nil), vars...), b) {
					x, _ := m.Var(v)
					n.SetVar(v, x)
				}
				if !satisfies(c, n, definitions) {
					return false
				}
				e := c.NewEvaluator(n)
				if !e.Eval(term).Equal(e.Eval(rewritten)) {
					t.Fatalf("seed %d: a term was rewritten to another value", seed)
				}
				return true
			})
			if !found {
				t.Fatalf("seed %d: the definitions exclude an execution", seed)
			}
			return false
		})
	}
}

// A bound outlives the narrowing that it led to: a later fact about the narrower variable
// meets it.
func TestKnowledgeNarrowsTwice(t *testing.T) {
	c := NewContext()
	k := NewKnowledge(c)
	n := c.Var("n", BV(64))
	k.Learn(c.Ule(n, c.Int(64, 4)))
	k.Learn(c.Not(c.Eq(n, c.Int(64, 0))))
	if lo, hi := c.Range(k.Apply(n)); lo != 1 || hi != 4 {
		t.Errorf("n lies in [%d, %d], want [1, 4]", lo, hi)
	}
	mask := k.Apply(c.Sub(n, c.Int(64, 1)))
	if zeros, _ := c.KnownBits(mask); zeros != ^uint64(3) {
		t.Errorf("n-1 has the zeros %#x, want all but two bits", zeros)
	}
}
