// Package smttest provides a solver for tests that enumerates all models.
//
// With x of 8 bits, Enumerator tries 256 values:
//
//	s := &smttest.Enumerator{C: c, Queries: new(int)}
//	s.Assert(c.Ult(x, c.Int(8, 5)))
//	s.Check(ctx, nil, 0) // Sat
//	s.Model()            // x = 0
package smttest

import (
	"context"
	"fmt"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Enumerator is a smt.Solver that tries all values of the symbols: slow, and obviously correct.
//
// It fails for more than 20 bits. Fault and Lie inject errors.
type Enumerator struct {
	C        *smt.Context
	Asserted []smt.Term
	Outlook  smt.Outlook
	Queries  *int
	Fault    func(question []smt.Term) *smt.Result // returns a result instead of the solver; nil: no fault
	Lie      bool                                  // answers Sat with a model of zeros
	Budget   int64                                 // of the last question

	model *smt.Model
	core  []smt.Term
}

// Expect implements smt.Solver.
func (s *Enumerator) Expect(o smt.Outlook) { s.Outlook = o }

// Assert implements smt.Solver.
func (s *Enumerator) Assert(t smt.Term) { s.Asserted = append(s.Asserted, t) }

// Core implements smt.Solver.
func (s *Enumerator) Core() []smt.Term { return s.core }

// Model implements smt.Solver.
func (s *Enumerator) Model() *smt.Model { return s.model }

// Stats implements smt.Solver.
func (s *Enumerator) Stats() smt.SolverStats { return smt.SolverStats{} }

// Close implements smt.Solver.
func (s *Enumerator) Close() {}

// Check implements smt.Solver.
func (s *Enumerator) Check(_ context.Context, assumptions []smt.Term, budget int64) smt.Result {
	*s.Queries++
	s.Budget = budget
	all := append(append([]smt.Term(nil), s.Asserted...), assumptions...)
	if s.Fault != nil {
		if r := s.Fault(all); r != nil {
			return *r
		}
	}
	if s.Lie {
		s.model = smt.NewModel()
		return smt.Result{Answer: smt.Sat}
	}
	vars := s.C.Symbols(all...)
	bits := 0
	for _, v := range vars {
		bits += max(1, s.C.Width(v))
	}
	if bits > 20 {
		return smt.Result{Answer: smt.Failed, Reason: fmt.Sprintf("%d bits are too many", bits)}
	}
	for n := range uint64(1) << bits {
		m := smt.NewModel()
		rest := n
		for _, v := range vars {
			w := s.C.Width(v)
			if w == 0 {
				m.SetVar(v, smt.BoolValue(rest&1 == 1))
				rest >>= 1
				continue
			}
			m.SetVar(v, smt.UintValue(w, rest&(1<<w-1)))
			rest >>= w
		}
		e := s.C.NewEvaluator(m)
		holds := true
		for _, t := range all {
			holds = holds && e.EvalBool(t)
		}
		if holds {
			s.model = m
			return smt.Result{Answer: smt.Sat}
		}
	}
	s.core = assumptions
	return smt.Result{Answer: smt.Unsat}
}
