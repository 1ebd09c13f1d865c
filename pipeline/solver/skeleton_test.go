package solver

import (
	"context"
	"fmt"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// TestSkeleton checks that a contradiction among comparisons is found without arithmetic, and one in the arithmetic is
// not.
func TestSkeleton(t *testing.T) {
	c := smt.NewContext()
	x, y, z := c.Var("x", smt.BV(64)), c.Var("y", smt.BV(64)), c.Var("z", smt.BV(64))
	p, q, r := c.Mul(x, y), c.Mul(y, z), c.Mul(x, z)
	for _, k := range []struct {
		name  string
		facts []smt.Term
		found bool
	}{
		{"transitive", []smt.Term{c.Ult(p, q), c.Ult(q, r), c.Not(c.Ult(p, r))}, true},
		{"arithmetic", []smt.Term{c.Ult(x, c.Int(64, 4)), c.Ult(y, c.Int(64, 4)), c.Ult(c.Int(64, 9), p)}, false},
	} {
		s := newCadical(c, Options{})
		s.bones = 0
		for _, f := range k.facts {
			s.Assert(f)
		}
		if res := s.Check(context.Background(), nil, 0); res.Answer != smt.Unsat {
			t.Errorf("%s: %v, want unsat", k.name, res.Answer)
		}
		if found := s.Stats().Skeletons > 0; found != k.found {
			t.Errorf("%s: decided by the skeleton is %v", k.name, found)
		}
		s.Close()
	}
}

// TestSkeletonInterrupted checks that an interrupted conversion of a skeleton decides nothing.
func TestSkeletonInterrupted(t *testing.T) {
	c := smt.NewContext()
	s := newCadical(c, Options{})
	defer s.Close()
	x, sum := c.Var("x", smt.BV(64)), c.Int(64, 0)
	for i := range 2000 {
		sum = c.BvXor(c.Ite(c.Ult(x, c.Int(64, uint64(i))), sum, c.Var(fmt.Sprint("y", i), smt.BV(64))), x)
	}
	s.Assert(c.Ult(sum, c.Int(64, 7)))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if unsat, _ := s.skeleton(ctx, 0); unsat {
		t.Error("an interrupted skeleton is called contradictory")
	}
}

// TestSkeletonsAgree solves random queries, mostly unsatisfiable, with and without skeletons. The answers agree, models
// satisfy the query, and skeletons decide some.
func TestSkeletonsAgree(t *testing.T) {
	hits := 0
	for seed := range fewer(300) {
		c := smt.NewContext()
		g := newGenerator(int64(seed), c)
		facts := []smt.Term{g.boolean(3), g.boolean(3), g.boolean(2)}
		facts = append(facts, c.Or(c.Not(facts[g.r.Intn(3)]), c.And(g.boolean(2), c.Not(facts[g.r.Intn(3)]))))
		var answers [2]smt.Answer
		for i, least := range []int{0, 1 << 30} {
			s := newCadical(c, Options{})
			s.bones = least
			for _, f := range facts {
				s.Assert(f)
			}
			answers[i] = s.Check(context.Background(), nil, 0).Answer
			hits += s.Stats().Skeletons
			if answers[i] == smt.Sat {
				e := c.NewEvaluator(s.Model())
				for _, f := range facts {
					if !e.EvalBool(f) {
						t.Fatalf("seed %d: the model violates %s", seed, c.String(f))
					}
				}
			}
			s.Close()
		}
		if answers[0] != answers[1] {
			t.Fatalf("seed %d: %v with skeletons, %v without", seed, answers[0], answers[1])
		}
	}
	if hits < 5 {
		t.Errorf("skeletons decided %d questions: the test looks at nothing", hits)
	}
}

// pigeons states that n+1 pigeons are in n holes, no two in one: unsatisfiable after some conflicts.
func pigeons(c *smt.Context, n int) []smt.Term {
	in := make([][]smt.Term, n+1)
	var out []smt.Term
	for i := range in {
		for range n {
			in[i] = append(in[i], c.Var("in", smt.Bool))
		}
		out = append(out, c.Or(in[i]...))
	}
	for hole := range n {
		for i := range in {
			for j := range i {
				out = append(out, c.Not(c.And(in[i][hole], in[j][hole])))
			}
		}
	}
	return out
}

// TestUndecidedSkeleton checks that a skeleton that was not decided, because of conflicts or the context, decides
// nothing.
func TestUndecidedSkeleton(t *testing.T) {
	c := smt.NewContext()
	s := newCadical(c, Options{})
	defer s.Close()
	for _, f := range pigeons(c, 6) {
		s.Assert(f)
	}
	if unsat, _ := s.skeleton(context.Background(), 1); unsat {
		t.Error("decided within a conflict")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if unsat, _ := s.skeleton(cancelled, 0); unsat {
		t.Error("decided after the end")
	}
	if unsat, used := s.skeleton(context.Background(), 0); !unsat || used == 0 {
		t.Errorf("not decided: %v after %d conflicts", unsat, used)
	}
}
