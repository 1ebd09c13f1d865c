package solver

import (
	"context"
	"fmt"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestFirstQuestionWithoutClauses checks a first query without clauses: CaDiCaL aborts if an option is set after a
// search.
func TestFirstQuestionWithoutClauses(t *testing.T) {
	c := smt.NewContext()
	s := newCadical(c, Options{})
	defer s.Close()
	p := c.Var("p", smt.Bool)
	if got := s.Check(context.Background(), []smt.Term{p}, 0).Answer; got != smt.Sat {
		t.Fatalf("a symbol alone is %v", got)
	}
	x := c.Var("x", smt.BV(8))
	s.Assert(c.Eq(c.Mul(x, x), c.Int(8, 49)))
	if got := s.Check(context.Background(), []smt.Term{p}, 0).Answer; got != smt.Sat {
		t.Errorf("a square is %v", got)
	}
	if got := s.Check(context.Background(), []smt.Term{c.Eq(x, c.Int(8, 8))}, 0).Answer; got != smt.Unsat {
		t.Errorf("an even root of 49 is %v", got)
	}
}

// TestOutlooks checks that the expected outcome changes no answer, of small and of large queries.
func TestOutlooks(t *testing.T) {
	for _, outlook := range []smt.Outlook{smt.MostlyUnsat, smt.Mixed, smt.MostlySat} {
		for _, small := range []int{0, smallQuestion} {
			t.Run(fmt.Sprint(outlook, small), func(t *testing.T) {
				c := smt.NewContext()
				s := newCadical(c, Options{})
				defer s.Close()
				s.small = small
				s.Expect(outlook)
				x, y := c.Var("x", smt.BV(24)), c.Var("y", smt.BV(24))
				s.Assert(c.Ult(x, c.Int(24, 1<<12)))
				s.Assert(c.Ult(y, c.Int(24, 1<<12)))
				for _, q := range []struct {
					product uint64
					want    smt.Answer
				}{{2003 * 4001, smt.Sat}, {2 * 4099, smt.Unsat}, {4093 * 4093, smt.Sat}, {8388593, smt.Unsat}} {
					p := c.Eq(c.Mul(x, y), c.Int(24, q.product))
					r := s.Check(t.Context(), []smt.Term{p}, 0)
					if r.Answer != q.want {
						t.Errorf("factors of %d: %v, want %v", q.product, r.Answer, q.want)
					}
					if r.Answer == smt.Sat && !c.NewEvaluator(s.Model()).EvalBool(p) {
						t.Errorf("the model does not multiply to %d", q.product)
					}
				}
			})
		}
	}
}
