package smt

import (
	"flag"
	"math/rand"
	"testing"

	"github.com/unitproof/unitproof/vcgen/sampletest"
)

// enumerate calls f with each assignment of the variables until f returns true, and reports whether it did.
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

// randomFact returns a comparison, of a kind that simplification interprets or another one.
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
	switch rnd.Intn(9) {
	case 7:
		return c.Slt(x, y)
	case 8:
		return c.Not(c.Slt(x, y))
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

// TestSimplifyKeepsModels checks that a simplified question has a model iff the original has one.
//
// Each of its models must extend to a model of the original.
func TestSimplifyKeepsModels(t *testing.T) {
	for seed := range sampletest.Seeds(t, 200) {
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

// nestedFact returns a fact that contains other facts, also negated, or an equation of sums, widths or applications.
//
// These are the terms that simplification replaces by each other.
func nestedFact(c *Context, rnd *rand.Rand, vars []Term, aligned, b Term, f Func, before []Term) Term {
	word := func() Term {
		switch v := vars[rnd.Intn(len(vars))]; rnd.Intn(8) {
		case 0:
			return aligned
		case 1:
			return c.Add(v, vars[rnd.Intn(len(vars))])
		case 2:
			return c.Zext(c.Extract(v, 1, 0), 4)
		case 3:
			return c.Ite(b, v, c.Int(4, uint64(rnd.Intn(16))))
		case 4:
			return c.Apply(f, v)
		case 5:
			return c.Int(4, uint64(rnd.Intn(16)))
		default:
			return v
		}
	}
	bool := func() Term {
		if len(before) > 0 && rnd.Intn(3) > 0 {
			return c.Xor(before[rnd.Intn(len(before))], c.BoolConst(rnd.Intn(2) == 0))
		}
		return c.Eq(word(), word())
	}
	switch rnd.Intn(6) {
	case 0, 1:
		return c.Eq(word(), word())
	case 2:
		if n := len(before); n > 0 && rnd.Intn(2) == 0 {
			// the same disjunction with the sign of one disjunct changed
			if x := before[rnd.Intn(n)]; c.Op(x) == OpNot && c.Op(c.Arg(x, 0)) == OpAnd {
				a := c.Args(c.Arg(x, 0))
				return c.Not(c.And(c.Not(a[0]), a[1]))
			}
		}
		return c.Or(bool(), bool())
	case 3:
		return c.Eq(b, bool())
	case 4:
		return c.Eq(c.Ite(bool(), word(), word()), c.Int(4, uint64(rnd.Intn(16))))
	}
	return c.Ult(word(), word())
}

var (
	simplifyFrom  = flag.Int64("simplify-from", 0, "the first seed of TestSimplifyFactsByFacts")
	simplifySeeds = flag.Int64("simplify-seeds", 400, "how many questions TestSimplifyFactsByFacts simplifies")
)

// TestSimplifyFactsByFacts is TestSimplifyKeepsModels for facts about each other.
//
// A function is one of the four that negate some bits of the argument.
func TestSimplifyFactsByFacts(t *testing.T) {
	eliminated, replaced := 0, 0
	if testing.Short() {
		*simplifySeeds = min(*simplifySeeds, 100)
	}
	for seed := *simplifyFrom; seed < *simplifyFrom+*simplifySeeds; seed++ {
		rnd := rand.New(rand.NewSource(seed))
		c := NewContext()
		vars := []Term{c.Var("x", BV(4)), c.Var("y", BV(4))}
		aligned, b, f := c.VarAligned("a", 4, 2), c.Var("b", Bool), c.NewFunc("f", 4, 4)
		var facts []Term
		for range 2 + rnd.Intn(4) {
			facts = append(facts, nestedFact(c, rnd, vars, aligned, b, f, facts))
		}
		all := append(append([]Term(nil), vars...), aligned, b)
		each := func(vars []Term, visit func(*Model) bool) bool {
			return enumerate(c, vars, func(m *Model) bool {
				for _, v := range vars {
					if x, ok := m.Var(v); ok && !c.Sort(v).IsBool() && x.Big().TrailingZeroBits() < uint(c.VarLow(v)) &&
						x.Big().Sign() != 0 {
						return false
					}
				}
				for flip := range uint64(4) {
					for x := range uint64(16) {
						m.SetFunc(f, UintValue(4, x), UintValue(4, x^flip*5))
					}
					if visit(m) {
						return true
					}
				}
				return false
			})
		}
		want := each(all, func(m *Model) bool { return satisfies(c, m, facts) })
		q := NewQuestion(c, append([]Term(nil), facts...))
		q.Simplify()
		for _, r := range q.solved {
			eliminated += len(r)
			for _, s := range r {
				if !c.IsConst(s.as) {
					replaced++
				}
			}
		}
		got := each(c.Symbols(q.Facts...), func(m *Model) bool {
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
	if n := int(*simplifySeeds); eliminated < n/2 || replaced < n/10 {
		t.Errorf("%d variables were eliminated, %d of them by terms: the facts exercise nothing", eliminated, replaced)
	}
}

// TestSimplifySolves checks questions whose facts determine everything by rewriting alone.
func TestSimplifySolves(t *testing.T) {
	c := NewContext()
	x, y, z := c.Var("x", BV(64)), c.Var("y", BV(64)), c.Var("z", BV(64))
	small := c.Var("s", BV(3))
	p, q := c.Ult(x, y), c.Ult(y, z)
	base := c.VarAligned("base", 64, 4)
	for name, facts := range map[string][]Term{
		"a fact inside another":      {p, c.Or(c.Not(p), c.Eq(z, c.Int(64, 1))), c.Ne(z, c.Int(64, 1))},
		"a negation":                 {c.Not(p), c.Or(p, q), c.Not(q)},
		"a variable equal to a sum":  {c.Eq(x, c.Add(c.Zext(small, 64), c.Int(64, 1))), c.Ult(c.Int(64, 8), x)},
		"a chain of equations":       {c.Eq(x, y), c.Eq(y, z), c.Ult(x, z)},
		"a term equal to a constant": {c.Eq(c.BvAnd(x, y), c.Int(64, 3)), c.Ult(c.Int(64, 4), c.BvAnd(x, y))},
		"an address in its range, not zero": {c.Ult(base, c.Int(64, 1<<47)), c.Ule(c.Int(64, 4096), base),
			c.Eq(c.Add(base, c.Zext(small, 64)), c.Int(64, 0))},
	} {
		question := NewQuestion(c, facts)
		question.Simplify()
		if len(question.Facts) != 1 || !c.IsFalse(question.Facts[0]) {
			t.Errorf("%s: left are", name)
			for _, f := range question.Facts {
				t.Errorf("  %s", c.String(f))
			}
		}
	}
}
