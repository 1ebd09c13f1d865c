package vcgen

import (
	"context"
	"errors"
)

// Causes for which runs of an explanation end.
var (
	errSpent   = errors.New("the work that an explanation may do is done")
	errRefuted = errors.New("a violation answers the question")
)

// meter counts the work of runs, one after the other, and ends them where together they do more than they may. It
// counts no time, so that it says the same on every machine.
type meter struct {
	used, limit int64 // limit 0: as much as it takes
	stop        context.CancelCauseFunc
}

// metered is a context that ends when runs that have the meter in their options did so much work.
func metered(ctx context.Context, limit int64) (context.Context, *meter, context.CancelCauseFunc) {
	ctx, stop := context.WithCancelCause(ctx)
	return ctx, &meter{limit: limit, stop: stop}, stop
}

// limits tells whether there is a meter that ends runs.
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

// tellMeter tells the meter, if any, of the work that was done since the last time.
func (e *engine) tellMeter() {
	if m := e.opts.meter; m != nil {
		work := e.Work() - e.lagged
		m.add(work - e.metered)
		e.metered = work
	}
}
