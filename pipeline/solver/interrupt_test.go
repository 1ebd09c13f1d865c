package solver

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// after is a context that ends after so many calls of Err.
type after struct {
	context.Context
	asked, times int
}

func (a *after) Err() error {
	if a.asked++; a.asked > a.times {
		return context.Canceled
	}
	return nil
}

// largeSum returns a sum of few terms and many clauses, of one variable, and its value under the condition small.
func largeSum() (c *smt.Context, sum, value, small smt.Term) {
	const width = 1024
	c = smt.NewContext()
	x := c.Var("x", smt.BV(width))
	sum = x
	for i := range uint64(60) {
		sum = c.Add(c.BvXor(sum, c.BvAnd(x, c.BvNot(sum))), c.BvXor(x, c.Int(width, i)))
	}
	three := c.Int(width, 3)
	return c, sum, c.Substitute(sum, map[smt.Term]smt.Term{x: three}), c.Eq(x, three)
}

// TestInterruptedAnywhere checks that a query of one large term can be interrupted at any point of the conversion. The
// next check continues there and has the right answer.
func TestInterruptedAnywhere(t *testing.T) {
	c, sum, value, small := largeSum()
	equal := c.Eq(sum, value)
	stops := 0
	for times := 0; ; times = times*5/4 + 1 {
		s := newCadical(c, Options{})
		s.Assert(small)
		s.Assert(equal)
		ctx := &after{Context: context.Background(), times: times}
		first := s.Check(ctx, nil, 0)
		if first.Answer == smt.Failed || first.Answer == smt.Unsat {
			t.Fatalf("interrupted after %d questions: %v %s", times, first.Answer, first.Reason)
		}
		if res := s.Check(context.Background(), nil, 0); res.Answer != smt.Sat {
			t.Errorf("interrupted after %d questions, then: %v %s", times, res.Answer, res.Reason)
		}
		s.Assert(c.Not(equal))
		if res := s.Check(context.Background(), nil, 0); res.Answer != smt.Unsat {
			t.Errorf("interrupted after %d questions, and then contradicted: %v %s", times, res.Answer, res.Reason)
		}
		s.Close()
		if first.Answer == smt.Sat {
			break
		}
		stops++
	}
	if stops < 10 {
		t.Errorf("a check was interrupted in %d places only", stops)
	}
}

// TestMemoryLimitAnywhere checks that a query beyond the memory limit is not answered from a part of its clauses.
func TestMemoryLimitAnywhere(t *testing.T) {
	c, sum, value, small := largeSum()
	failed := 0
	for limit := int64(1 << 16); ; limit += limit / 8 {
		s := newCadical(c, Options{})
		s.memory = limit
		s.Assert(c.Eq(sum, c.BvXor(value, c.Shl(c.Int(1024, 1), c.Int(1024, 500)))))
		s.Assert(small)
		res := s.Check(context.Background(), nil, 0)
		s.Close()
		if res.Answer == smt.Unsat {
			break
		}
		if res.Answer != smt.Failed || res.Reason != errMemory.Error() {
			t.Fatalf("with %d bytes: %v %s", limit, res.Answer, res.Reason)
		}
		failed++
	}
	if failed < 10 {
		t.Errorf("a question took too much %d times only", failed)
	}
}
