package solver

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// The formulas that determine the speed of proofs. Each has a known answer, so that the benchmarks are tests, too.
var formulas = []struct {
	name  string
	want  smt.Answer
	build func(c *smt.Context) smt.Term
}{
	{"mul-commutes-7", smt.Unsat, func(c *smt.Context) smt.Term {
		// Built bit by bit, so that no rewriting rule sees the commuted operands.
		x, y := c.Var("x", smt.BV(7)), c.Var("y", smt.BV(7))
		sum := c.Int(7, 0)
		for i := 0; i < 7; i++ {
			row := c.Ite(c.Eq(c.Extract(x, i, i), c.Int(1, 1)), c.Shl(y, c.Int(7, uint64(i))), c.Int(7, 0))
			sum = c.Add(sum, row)
		}
		other := c.Int(7, 0)
		for i := 0; i < 7; i++ {
			row := c.Ite(c.Eq(c.Extract(y, i, i), c.Int(1, 1)), c.Shl(x, c.Int(7, uint64(i))), c.Int(7, 0))
			other = c.Add(other, row)
		}
		return c.Ne(sum, other)
	}},
	{"mul-distributes-6", smt.Unsat, func(c *smt.Context) smt.Term {
		x, y, z := c.Var("x", smt.BV(6)), c.Var("y", smt.BV(6)), c.Var("z", smt.BV(6))
		return c.Ne(c.Mul(x, c.Add(y, z)), c.Add(c.Mul(x, y), c.Mul(x, z)))
	}},
	{"mul-narrow-64", smt.Unsat, func(c *smt.Context) smt.Term {
		// width * height <= 64 in 64 bits, with both at most 8.
		x, y := c.Zext(c.Var("x", smt.BV(4)), 64), c.Zext(c.Var("y", smt.BV(4)), 64)
		return c.And(c.And(c.Ule(x, c.Int(64, 8)), c.Ule(y, c.Int(64, 8))), c.Ugt(c.Mul(x, y), c.Int(64, 64)))
	}},
	{"factor-20", smt.Sat, func(c *smt.Context) smt.Term {
		x, y := c.Var("x", smt.BV(20)), c.Var("y", smt.BV(20))
		return c.And(c.And(c.Eq(c.Mul(c.Zext(x, 40), c.Zext(y, 40)), c.Int(40, 1000003*999983)), c.Ugt(x, c.Int(20, 1))),
			c.Ugt(y, c.Int(20, 1)))
	}},
	{"div-mod-16", smt.Unsat, func(c *smt.Context) smt.Term {
		x, y := c.Var("x", smt.BV(16)), c.Zext(c.Var("y", smt.BV(4)), 16)
		return c.And(c.Ne(y, c.Int(16, 0)), c.Ne(c.Add(c.Mul(c.Udiv(x, y), y), c.Urem(x, y)), x))
	}},
	{"div-const-32", smt.Unsat, func(c *smt.Context) smt.Term {
		x := c.Var("x", smt.BV(32))
		q := c.Udiv(x, c.Int(32, 10))
		return c.Ugt(c.Sub(x, c.Mul(q, c.Int(32, 10))), c.Int(32, 9))
	}},
	{"div-const-mono-32", smt.Unsat, func(c *smt.Context) smt.Term {
		x, y := c.Var("x", smt.BV(32)), c.Var("y", smt.BV(32))
		return c.And(c.Ule(x, y), c.Ugt(c.Udiv(x, c.Int(32, 24)), c.Udiv(y, c.Int(32, 24))))
	}},
	{"div-sat-32", smt.Sat, func(c *smt.Context) smt.Term {
		x, y := c.Var("x", smt.BV(32)), c.Var("y", smt.BV(32))
		return c.And(c.Eq(c.Udiv(x, y), c.Int(32, 12345)), c.Eq(c.Urem(x, y), c.Int(32, 678)))
	}},
	{"hash-index-urem", smt.Unsat, func(c *smt.Context) smt.Term {
		x, n := c.Var("x", smt.BV(32)), c.Var("n", smt.BV(32))
		return c.And(c.Ne(n, c.Int(32, 0)), c.Uge(c.Urem(x, n), n))
	}},
	{"sort-4", smt.Unsat, func(c *smt.Context) smt.Term { return sorted(c, 4, 8) }},
	{"ite-chain-200", smt.Unsat, func(c *smt.Context) smt.Term {
		// A read over many writes at distinct places, in both orders.
		i := c.Var("i", smt.BV(32))
		a := c.Var("init", smt.BV(32))
		b := a
		var at, v []smt.Term
		for k := 0; k < 200; k++ {
			at = append(at, c.Eq(i, c.Int(32, uint64(3*k))))
			v = append(v, c.Var("v", smt.BV(32)))
			a = c.Ite(at[k], v[k], a)
		}
		for k := 199; k >= 0; k-- {
			b = c.Ite(at[k], v[k], b)
		}
		return c.Ne(a, b)
	}},
	{"fadd-commutes", smt.Unsat, func(c *smt.Context) smt.Term {
		// With a copy of one operand that is equal only by assertion.
		x, y, z := c.Var("x", smt.BV(32)), c.Var("y", smt.BV(32)), c.Var("z", smt.BV(32))
		return c.And(c.Eq(x, z), c.Ne(c.FAdd(x, y), c.FAdd(y, z)))
	}},
	{"fmul-sat", smt.Sat, func(c *smt.Context) smt.Term {
		x := c.Var("x", smt.BV(32))
		return c.Eq(c.FMul(x, x), c.Int(32, 0x40490fdb&^0xff))
	}},
	{"abs-nonneg-32", smt.Unsat, func(c *smt.Context) smt.Term {
		x := c.Var("x", smt.BV(32))
		zero := c.Int(32, 0)
		return c.And(c.Ne(x, c.Int(32, 1<<31)), c.Slt(c.Ite(c.Slt(x, zero), c.Neg(x), x), zero))
	}},
}

// sorted states that a bubble sort of n words leaves a pair out of order or changes their sum.
func sorted(c *smt.Context, n, w int) smt.Term {
	a := make([]smt.Term, n)
	before := c.Int(w, 0)
	for i := range a {
		a[i] = c.Var("a", smt.BV(w))
		before = c.Add(before, a[i])
	}
	for i := 0; i < n; i++ {
		for j := 0; j+1 < n-i; j++ {
			swap := c.Ugt(a[j], a[j+1])
			a[j], a[j+1] = c.Ite(swap, a[j+1], a[j]), c.Ite(swap, a[j], a[j+1])
		}
	}
	bad := c.False()
	after := a[0]
	for i := 0; i+1 < n; i++ {
		bad = c.Or(bad, c.Ugt(a[i], a[i+1]))
		after = c.Add(after, a[i+1])
	}
	return c.Or(bad, c.Ne(before, after))
}

func BenchmarkFormulas(b *testing.B) {
	for _, f := range formulas {
		b.Run(f.name, func(b *testing.B) {
			var st smt.SolverStats
			for range b.N {
				c := smt.NewContext()
				t := f.build(c)
				s, _ := New("", c, Options{})
				if r := s.Check(context.Background(), []smt.Term{t}, 0); r.Answer != f.want {
					b.Fatalf("%v", r)
				}
				st = s.Stats()
				s.Close()
			}
			b.ReportMetric(float64(st.Clauses), "clauses")
			b.ReportMetric(float64(st.Vars), "vars")
			b.ReportMetric(float64(st.Conflicts), "conflicts")
		})
	}
}

// BenchmarkIncremental solves many cheap queries of one large instance.
func BenchmarkIncremental(b *testing.B) {
	c := smt.NewContext()
	s := open(b, "", c)
	var acts []smt.Term
	x := c.Var("x", smt.BV(32))
	for k := 0; k < 500; k++ {
		y := c.Var("y", smt.BV(32))
		act := c.Var("act", smt.Bool)
		s.Assert(c.Implies(act, c.Ult(c.Add(x, y), c.Add(c.BvXor(x, y), c.Int(32, uint64(k))))))
		acts = append(acts, act)
		x = c.Ite(c.Slt(y, x), c.Add(x, y), y)
	}
	k := 0
	for b.Loop() {
		if r := s.Check(context.Background(), acts[k%500:k%500+1], 0); r.Answer != smt.Sat {
			b.Fatal(r)
		}
		k++
	}
}

// BenchmarkConversion measures the conversion of terms to clauses, without solving.
func BenchmarkConversion(b *testing.B) {
	c := smt.NewContext()
	i := c.Var("i", smt.BV(32))
	a := c.Var("init", smt.BV(32))
	for k := 0; k < 2000; k++ {
		v := c.Var("v", smt.BV(32))
		a = c.Ite(c.Ult(c.Add(i, v), a), c.BvXor(v, i), c.Add(a, v))
	}
	t := c.Eq(a, c.Int(32, 5))
	var clauses, nodes int
	for b.Loop() {
		bl := newBlaster(c)
		if err := bl.convert(t); err != nil {
			b.Fatal(err)
		}
		f := newCNF(bl.g)
		f.assert(bl.bool(t))
		clauses, nodes = int(f.clauses), bl.g.size()
	}
	per := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(clauses)/per, "clauses/s")
	b.ReportMetric(float64(nodes)/per, "nodes/s")
}
