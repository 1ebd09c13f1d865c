package solver

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// CaDiCaL ends the process where an option is set after a search: a first question that needs no clause is one.
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
