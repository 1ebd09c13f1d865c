package smt

import (
	"testing"
)

// TestDeepTerms checks that no operation takes time or stack in proportion to the depth of a term.
//
// A linear operation would take 10^10 steps here, and exceed the timeout of the test run.
func TestDeepTerms(t *testing.T) {
	const n = 100_000
	c := NewContext()
	m := NewModel()
	g := c.True()
	or := c.False()
	sum, xor, chain := c.Int(64, 0), c.Int(64, 0), c.Int(64, 0)
	nest := c.Var("n", BV(64))
	bits := c.Int(32, 0)
	for i := range n {
		b := c.Var("b", Bool)
		x := c.Var("x", BV(64))
		m.SetVar(b, BoolValue(i != 77))
		m.SetVar(x, UintValue(64, uint64(i)))
		g = c.And(g, b)
		or = c.Or(or, c.Not(b))
		sum = c.Add(sum, x)
		xor = c.BvXor(xor, x)
		bits = c.BvOr(bits, c.Extract(x, 31, 0))
		chain = c.Ite(c.Eq(x, c.Int(64, 3)), c.Int(64, uint64(i)), chain)
		nest = c.Add(c.Mul(nest, nest), x)
		if i%1000 == 0 { // questions about a long chain
			c.Eq(chain, c.Int(64, 3))
			c.Ult(chain, c.Int(64, 5))
			c.Or(g, c.And(g, b))
		}
	}
	e := c.NewEvaluator(m)
	if e.EvalBool(g) || !e.EvalBool(or) {
		t.Error("chain of conjunctions: wrong value")
	}
	if got, want := e.EvalUint(sum), uint64(n)*(n-1)/2; got != want {
		t.Errorf("long sum: got %d, want %d", got, want)
	}
	if got := e.EvalUint(chain); got != 3 {
		t.Errorf("long ite: got %d, want 3", got)
	}
	e.Eval(xor)
	e.Eval(nest)
	e.Eval(bits)
	if c.Size(g) != 2*n-1 {
		t.Errorf("conjunction of %d variables has %d nodes", n, c.Size(g))
	}
	if len(c.Symbols(sum, g)) != 2*n {
		t.Error("symbols missing")
	}
	_ = c.String(nest)
}

// BenchmarkBuild builds the terms of one loop body of a path-condition executor: about ten terms.
func BenchmarkBuild(b *testing.B) {
	b.ReportAllocs()
	c := NewContext()
	g := c.True()
	sum := c.Int(64, 0)
	base := c.VarAligned("base", 64, 4)
	for i := 0; b.Loop(); i++ {
		if i%10000 == 0 {
			c = NewContext()
			g, sum, base = c.True(), c.Int(64, 0), c.VarAligned("base", 64, 4)
		}
		v := c.Var("v", BV(32))
		cond := c.Slt(v, c.Int(32, uint64(i)))
		addr := c.Add(base, c.Mul(c.Sext(v, 64), c.Int(64, 4)))
		sum = c.Add(sum, addr)
		ok := c.Ule(c.Add(addr, c.Int(64, 4)), c.Int(64, 400))
		g2 := c.And(g, cond)
		val := c.Ite(cond, v, c.Extract(sum, 31, 0))
		low := c.Concat(c.Extract(val, 31, 8), c.Extract(val, 7, 0))
		g = c.Or(c.And(g2, ok), c.And(g2, c.Not(ok)))
		_ = low
	}
}

// BenchmarkIntern measures the arena: new terms to which no rule applies. It reports terms per second.
func BenchmarkIntern(b *testing.B) {
	b.ReportAllocs()
	c := NewContext()
	x, y := c.Var("x", BV(32)), c.Var("y", BV(32))
	made := 0
	last := c.NumTerms()
	for i := 0; b.Loop(); i++ {
		if c.NumTerms() > 1_000_000 {
			made += c.NumTerms() - last
			c = NewContext()
			x, y = c.Var("x", BV(32)), c.Var("y", BV(32))
			last = c.NumTerms()
		}
		x, y = c.Udiv(x, y), c.BvXor(x, c.Mul(x, y))
	}
	made += c.NumTerms() - last
	b.ReportMetric(float64(made)/b.Elapsed().Seconds(), "terms/s")
}

func BenchmarkEval(b *testing.B) {
	c := NewContext()
	x, y := c.Var("x", BV(32)), c.Var("y", BV(32))
	for range 100_000 {
		x, y = c.Udiv(x, y), c.BvXor(x, c.Mul(x, y))
	}
	b.ReportMetric(float64(c.Size(x, y)), "terms")
	for b.Loop() {
		c.NewEvaluator(nil).Eval(x)
	}
}
