package solver

import (
	"context"
	"time"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// stateless is a solver without incremental state: each query includes all assertions. It has no assumptions of its
// own, so cores are computed by deletion, on request and within limits.
type stateless struct {
	c *smt.Context
	// ask decides the assertions together with the assumptions; the model is nil unless they are satisfiable.
	ask      func(ctx context.Context, assumptions []smt.Term, steps int64) (smt.Result, *smt.Model)
	asserted []smt.Term
	assumed  []smt.Term
	steps    int64
	answer   smt.Answer
	core     []smt.Term
	reduced  bool
	model    *smt.Model
	stats    smt.SolverStats
}

// Limits of the deletion of assumptions from a core.
const (
	coreChecks = 64
	coreTime   = 2 * time.Second // for all checks together
)

func (s *stateless) Expect(smt.Outlook)     {}
func (s *stateless) Assert(t smt.Term)      { s.asserted = append(s.asserted, t) }
func (s *stateless) Model() *smt.Model      { return s.model }
func (s *stateless) Stats() smt.SolverStats { return s.stats }
func (s *stateless) Close()                 {}

// Check implements smt.Solver.
func (s *stateless) Check(ctx context.Context, assumptions []smt.Term, steps int64) smt.Result {
	s.assumed = append([]smt.Term(nil), assumptions...)
	s.steps = steps
	s.stats.Queries++
	res, m := s.ask(ctx, s.assumed, steps)
	s.model = m
	s.answer, s.core, s.reduced = res.Answer, nil, false
	return res
}

// Core removes assumptions one by one as long as the rest is unsatisfiable.
func (s *stateless) Core() []smt.Term {
	if s.answer != smt.Unsat || s.reduced {
		return s.core
	}
	ctx, cancel := context.WithTimeout(context.Background(), coreTime)
	defer cancel()
	s.core = reduceCore(s.c, s.assumed, func(ts []smt.Term) bool {
		res, _ := s.ask(ctx, ts, s.steps)
		return res.Answer == smt.Unsat
	})
	s.reduced = true
	return s.core
}

// reduceCore is deletion with a bounded number of checks: first of halves, finally of single terms.
func reduceCore(c *smt.Context, core []smt.Term, unsat func([]smt.Term) bool) []smt.Term {
	for _, t := range core {
		if c.IsFalse(t) {
			return []smt.Term{t}
		}
	}
	core = append([]smt.Term(nil), core...)
	checks := 0
	for size := (len(core) + 1) / 2; size >= 1 && len(core) > 0; size /= 2 {
		for i := 0; i < len(core) && checks < coreChecks; {
			end := min(i+size, len(core))
			rest := append(append([]smt.Term(nil), core[:i]...), core[end:]...)
			checks++
			if unsat(rest) {
				core = rest
			} else {
				i = end
			}
		}
	}
	return core
}
