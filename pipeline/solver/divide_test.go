package solver

import (
	"context"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestWhatFollowsFromQuotients checks the clauses of quotients for all operands of 1 to 5 bits, some of them constant.
func TestWhatFollowsFromQuotients(t *testing.T) {
	const most = 5
	for n := 1; n <= most; n++ {
		for _, konst := range []int{-1, 0, 1, 2, 5, 1<<n - 1} {
			b := newBlaster(smt.NewContext())
			var sides [][]lit
			b.side = func(ls ...lit) { sides = append(sides, slices.Clone(ls)) }
			u, v := b.g.fresh(n), b.g.fresh(n)
			if konst >= 0 {
				for i := range v {
					v[i] = lit(konst >> i & 1)
				}
			}
			q, r := b.divide(u, v)
			for x := range 1 << n {
				for y := range 1 << n {
					if konst >= 0 && y != konst%(1<<n) {
						continue
					}
					val := make([]uint64, b.g.size())
					for i := range n {
						val[u[i].node()] = uint64(x >> i & 1)
						if konst < 0 {
							val[v[i].node()] = uint64(y >> i & 1)
						}
					}
					b.g.simulate(val, 0)
					isTrue := func(l lit) bool { return (val[l.node()]&1)^uint64(l&1) == 1 }
					for _, ls := range sides {
						if !slices.ContainsFunc(ls, isTrue) {
							t.Fatalf("%d bits, %d by %d: a clause that is added does not hold", n, x, y)
						}
					}
					number := func(w word) (v int) {
						for i, l := range w {
							if isTrue(l) {
								v |= 1 << i
							}
						}
						return v
					}
					wantQ, wantR := 1<<n-1, x
					if y != 0 {
						wantQ, wantR = x/y, x%y
					}
					if number(q) != wantQ || number(r) != wantR {
						t.Fatalf("%d bits, %d by %d: %d, rest %d", n, x, y, number(q), number(r))
					}
				}
			}
		}
	}
}

// TestQuotientByOne checks that a signed quotient by 1 is easily proved to be the dividend: the magnitude of its
// magnitude with its sign. With an incrementer's carries for both negations, search needs 5,300 conflicts here.
func TestQuotientByOne(t *testing.T) {
	c := smt.NewContext()
	s := newCadical(c, Options{})
	defer s.Close()
	x, y := c.Var("x", smt.BV(32)), c.Var("y", smt.BV(32))
	p, is0, is1 := c.Var("p", smt.Bool), c.Eq(y, c.Int(32, 0)), c.Eq(y, c.Int(32, 1))
	quotient := func(any string) smt.Term { return c.Ite(is0, c.Var(any, smt.BV(32)), c.Sdiv(x, y)) }
	s.Assert(c.Or(c.Not(p), c.Slt(c.Int(32, 0), x)))
	s.Assert(c.Or(p, c.Not(is0)))
	s.Assert(c.Or(c.And(is0, is1, p), c.And(is1, c.Not(c.Eq(x, c.Ite(p, quotient("a"), quotient("b")))))))
	res := s.Check(context.Background(), nil, 0)
	if res.Answer != smt.Unsat || res.Steps > 2500 {
		t.Errorf("%v after %d conflicts", res.Answer, res.Steps)
	}
}
