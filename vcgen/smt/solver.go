package smt

import (
	"context"
	"errors"
	"fmt"
)

// Answer is a solver's answer to a query. The set is closed, and the zero value is invalid.
//
// Answers must not be confused: a timeout is never unsat.
type Answer int

// The answers.
const (
	Sat       Answer = iota + 1 // there is a model
	Unsat                       // there is no model
	StepLimit                   // the budget of steps ran out
	Timeout                     // the context's deadline passed
	Cancelled                   // the context was cancelled
	Failed                      // the solver failed; Result.Reason describes the error
)

// String returns the name of the answer.
func (a Answer) String() string {
	switch a {
	case Sat:
		return "sat"
	case Unsat:
		return "unsat"
	case StepLimit:
		return "step limit"
	case Timeout:
		return "timeout"
	case Cancelled:
		return "cancelled"
	case Failed:
		return "failed"
	}
	return fmt.Sprintf("Answer(%d)", int(a))
}

// Result is the outcome of a Check.
type Result struct {
	Answer Answer
	Reason string // the reason if the answer is neither Sat nor Unsat, for people
	Steps  int64  // conflicts spent, as counted by the back end
}

// SolverStats counts a solver's work since its creation.
type SolverStats struct {
	Queries, Conflicts, Clauses, Vars int
	// Lemmas counts the constraints that a back end added to its own encoding during the search.
	Lemmas int
	// Skeletons counts queries decided by their propositional structure alone.
	Skeletons int
}

// Stopped returns the result of a query whose context has ended.
func Stopped(ctx context.Context) Result {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return Result{Answer: Timeout}
	}
	return Result{Answer: Cancelled, Reason: context.Cause(ctx).Error()}
}

// Outlook is the expected answer to most queries of a solver. It affects the search strategy, but no answer.
type Outlook int

// The outlooks.
const (
	// MostlyUnsat: queries for violations of a correct program.
	MostlyUnsat Outlook = iota
	// Mixed: repeated queries for another model, until there is none.
	Mixed
	// MostlySat: queries whether a path is feasible.
	MostlySat
)

// Solver decides satisfiability of terms of one Context. It is not safe for concurrent use.
//
// The back ends are in pipeline/solver.
type Solver interface {
	// Expect sets the expected answers, before the first Assert. The default is MostlyUnsat.
	Expect(o Outlook)
	// Assert adds t, a Bool, permanently.
	Assert(t Term)
	// Check decides whether all assertions and the assumptions, each a Bool, are satisfiable together. steps is a
	// budget of conflicts; no limit if <= 0. Further Asserts and Checks may follow.
	Check(ctx context.Context, assumptions []Term, steps int64) Result
	// Core returns, after Unsat, a subset of the assumptions that is unsatisfiable with the assertions.
	Core() []Term
	// Model returns, after Sat, values for all variables and function points in the asserted terms.
	Model() *Model
	// Stats returns the counters.
	Stats() SolverStats
	// Close releases the solver's resources.
	Close()
}
