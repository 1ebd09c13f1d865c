package vcgen

import (
	"context"
	"errors"
	"fmt"

	"github.com/unitproof/unitproof/vcgen/found"
)

// The time, the memory and the processes of a proof end it, or a part of it.

// Limits report the remaining time and memory of a proof to the engine, which has no clock.
type Limits struct {
	// Used returns the used part of the proof's time, in microseconds.
	Used func() int64
	// Watch calls scarce once when memory becomes scarce, and late when a share of the time is used, on any goroutine,
	// until leave is called. leave also releases unused memory.
	Watch func(share float64, scarce, late func()) (leave func())
	// Time and Memory are the reasons of a proof that ends for lack of these, Stuck if its processes make no progress.
	Time, Memory, Stuck found.Reason
}

// ErrStuck is the cause of a context that ends because the processes of a proof make no progress. It wraps a deadline,
// so that solvers report no answer.
var ErrStuck = fmt.Errorf("the processes of the proof make no progress: %w", context.DeadlineExceeded)

// Causes that stop a run before its proof ends.
var (
	errScarce   = errors.New("memory is scarce")
	errLate     = errors.New("the time is needed for rounds")
	errBudget   = errors.New("the budget of a run ended")
	errComplete = errors.New("a round has settled everything")
	errSpoiled  = errors.New("an obligation is not inductive")
)

// ended returns the reason why a run whose context has ended was stopped.
func (l *Limits) ended(ctx context.Context) found.Reason {
	reason := found.Reason{}
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errScarce):
		reason = l.Memory
	case errors.Is(cause, ErrStuck):
		reason = l.Stuck
	case errors.Is(cause, errLate) || errors.Is(cause, context.DeadlineExceeded):
		reason = l.Time
	}
	if reason.None() { // stopped from outside
		reason.Why = found.Cancelled
	}
	return reason
}

// watch stops a run when memory becomes scarce, or when a share of the time is used.
func (l *Limits) watch(share float64, stop context.CancelCauseFunc) (leave func()) {
	if l.Watch == nil {
		return func() {}
	}
	return l.Watch(share, func() { stop(errScarce) }, func() { stop(errLate) })
}

// until calls do with a context that ends when a share of the time is used; the rest of the run continues. With a
// share of 0 it has no limit.
func (e *engine) until(share float64, do func()) {
	if share == 0 {
		do()
		return
	}
	parent := e.ctx
	ctx, stop := context.WithCancelCause(parent)
	defer stop(nil)
	defer e.opts.Limits.watch(share, stop)()
	e.ctx = ctx
	defer func() { e.ctx = parent }()
	do()
}

// recurs reports whether a run that was stopped for a cause is stopped at the same place whenever it does the same
// work.
func recurs(cause error) bool { return cause == errBudget || cause == errComplete }
