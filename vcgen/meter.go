package vcgen

import (
	"context"
	"errors"
)

// Causes that end runs of an explanation.
var (
	errSpent   = errors.New("the work limit of the explanation was reached")
	errRefuted = errors.New("a violation answers the question")
)

// meter counts the work of successive runs, and ends them when their total exceeds a limit. It counts no time, so that
// the result is the same on every machine.
type meter struct {
	used, limit int64 // limit 0: none
	stop        context.CancelCauseFunc
}

// metered returns a context that ends when runs with the meter in their options have done work up to limit.
func metered(ctx context.Context, limit int64) (context.Context, *meter, context.CancelCauseFunc) {
	ctx, stop := context.WithCancelCause(ctx)
	return ctx, &meter{limit: limit, stop: stop}, stop
}

// limits reports whether there is a meter with a limit.
func (m *meter) limits() bool { return m != nil && m.limit > 0 }

// add counts work.
func (m *meter) add(work int64) {
	m.used += work
	if m.limit > 0 && m.used > m.limit {
		m.stop(errSpent)
	}
}

// executed counts instructions that the interpreter executed.
func (m *meter) executed(instructions int64) {
	if m != nil {
		m.add(instructions / executedPerWork)
	}
}

// tellMeter adds the work since the last call to the meter, if there is one.
func (e *engine) tellMeter() {
	if m := e.opts.meter; m != nil {
		work := e.Work() - e.lagged
		m.add(work - e.metered)
		e.metered = work
	}
}
