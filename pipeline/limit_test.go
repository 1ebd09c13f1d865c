package pipeline

import (
	"context"
	"errors"
	"testing"
	"time"
)

// TestLimit: a check ends when its CPU time does, however slowly that passes, and when it does nothing.
func TestLimit(t *testing.T) {
	const timeout = 40 * time.Millisecond
	for _, c := range []struct {
		name     string
		slowness time.Duration // time on the wall for the CPU time; 0: it hangs
		least    time.Duration
	}{
		{"a machine of our own", 1, timeout},
		{"a busy machine", 6, 6 * timeout},
		{"a process that hangs", 0, timeout},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			checker := &Checker{cpu: func() time.Duration {
				if c.slowness == 0 {
					return time.Hour // before the check began
				}
				return time.Hour + time.Since(start)/c.slowness
			}}
			ctx, cancel := checker.startTimer().limit(t.Context(), timeout)
			defer cancel()
			<-ctx.Done()
			if wall := time.Since(start); wall < c.least || !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				t.Errorf("ended after %v with %v, want %v at least and the deadline", wall, context.Cause(ctx), c.least)
			}
		})
	}
	ctx, cancel := (&Checker{cpu: processTime}).startTimer().limit(t.Context(), time.Hour)
	cancel()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		t.Errorf("cancelled with %v", cause)
	}
}

// TestGrace: a process that ends itself at its limit has the grace to say so, whether it computes or hangs.
func TestGrace(t *testing.T) {
	const timeout, grace, step = 2 * time.Second, 2 * time.Second, 10 * time.Millisecond
	for _, c := range []struct{ before, percent time.Duration }{ // CPU time at once, and of the time on the wall
		{0, 0}, {50 * time.Millisecond, 0}, {200 * time.Millisecond, 0}, {time.Second, 0}, {0, 4}, {0, 50}, {0, 100},
	} {
		first := func(grace time.Duration) time.Duration {
			wall := step
			for !expired(timeout, grace, c.before+wall*c.percent/100, wall) {
				wall += step
			}
			return wall
		}
		if own, watched := first(0), first(grace); watched-own < grace {
			t.Errorf("%+v: stops itself at %v and is stopped at %v", c, own, watched)
		}
	}
}
