package smt

import (
	"context"
	"errors"
	"fmt"
)

// Answer is what a solver says about a query. The set is closed, none stands for another, and the zero value is
// invalid.
type Answer int

// The answers.
const (
	Sat       Answer = iota + 1 // there is a model
	Unsat                       // there is none
	StepLimit                   // the budget of steps ran out
	Timeout                     // the context's deadline passed
	Cancelled                   // the context was cancelled
	Failed                      // the solver broke; Result.Reason says how
)

// String names the answer.
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
	Reason string // why there is no Sat or Unsat, for people
	Steps  int64  // conflicts spent, as the back end counts them
}

// SolverStats counts a solver's work since it was made.
type SolverStats struct {
	Queries, Conflicts, Clauses, Vars int
	// Lemmas counts what a back end found missing in its own encoding while it searched.
	Lemmas int
	// Skeletons counts questions that were decided by their propositional structure alone.
	Skeletons int
}

// Stopped is the answer to a question when the context of its run has ended.
func Stopped(ctx context.Context) Result {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return Result{Answer: Timeout}
	}
	return Result{Answer: Cancelled, Reason: context.Cause(ctx).Error()}
}

// Outlook is what most questions to a solver are expected to be answered with. It changes no answer, only how the
// search goes about it.
type Outlook int

// The outlooks.
const (
	// MostlyUnsat: whether something is violated, of a program that is right.
	MostlyUnsat Outlook = iota
	// Mixed: model after model, and at last that there is no further one.
	Mixed
	// MostlySat: whether there is a way on.
	MostlySat
)

// Solver decides satisfiability of terms of one Context. The back ends live in pipeline/solver. Not safe for concurrent
// use.
type Solver interface {
	// Expect tells what answers are expected, before the first Assert. MostlyUnsat is what is expected without it.
	Expect(o Outlook)
	// Assert adds t, a Bool, permanently.
	Assert(t Term)
	// Check asks whether all assertions and the assumptions, each a Bool, hold together. steps is a budget of conflicts,
	// none if <= 0. Later Asserts and Checks may follow.
	Check(ctx context.Context, assumptions []Term, steps int64) Result
	// Core returns, after Unsat, a subset of the assumptions that cannot hold with the assertions.
	Core() []Term
	// Model returns, after Sat, values for all variables and function points that the solver has seen.
	Model() *Model
	// Stats returns counters.
	Stats() SolverStats
	// Close frees the solver.
	Close()
}
