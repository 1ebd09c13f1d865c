package pipeline

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/unitproof/unitproof/vcgen"
)

// TestLimit checks that a check ends with its CPU time, however slowly that passes, and when it hangs.
func TestLimit(t *testing.T) {
	const timeout = 40 * time.Millisecond
	for _, c := range []struct {
		name     string
		slowness time.Duration // wall-clock time per CPU time; 0: it hangs
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
			want := context.DeadlineExceeded
			if c.slowness == 0 {
				want = vcgen.ErrStuck
			}
			if wall := time.Since(start); wall < c.least || !errors.Is(context.Cause(ctx), want) {
				t.Errorf("ended after %v with %v, want %v at least and %v", wall, context.Cause(ctx), c.least, want)
			}
		})
	}
	ctx, cancel := (&Checker{cpu: processTime}).startTimer().limit(t.Context(), time.Hour)
	cancel()
	if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
		t.Errorf("cancelled with %v", cause)
	}
}

// TestWaiting checks that a process that waits for a processor does not hang, however little it computes, and that it
// does when it stops waiting.
func TestWaiting(t *testing.T) {
	const timeout, step, idle = 2 * time.Second, 10 * time.Millisecond, time.Minute
	waited := time.Duration(0)
	dog := &watchdog{timeout: timeout, waited: func() time.Duration { return waited }}
	wall := step
	for ; dog.look(0, wall) == 0; wall += step {
		if wall < idle {
			waited = wall
		}
	}
	if wall < idle || wall > idle+timeout {
		t.Errorf("stopped after %v, having waited for a processor until %v", wall, idle)
	}
}

// TestGrace checks that a process that ends itself at its limit has the grace to report, whether it computes or hangs.
func TestGrace(t *testing.T) {
	const timeout, grace, step = 2 * time.Second, 2 * time.Second, 10 * time.Millisecond
	for _, c := range []struct{ before, percent time.Duration }{ // CPU time at the start; percentage of wall-clock time
		{0, 0}, {50 * time.Millisecond, 0}, {200 * time.Millisecond, 0}, {time.Second, 0}, {0, 4}, {0, 50}, {0, 100},
	} {
		first := func(grace time.Duration) time.Duration {
			wall, dog := step, &watchdog{timeout: timeout, grace: grace, waited: func() time.Duration { return 0 }}
			for dog.look(c.before+wall*c.percent/100, wall) == 0 {
				wall += step
			}
			return wall
		}
		if own, watched := first(0), first(grace); watched-own < grace {
			t.Errorf("%+v: stops itself at %v and is stopped at %v", c, own, watched)
		}
	}
}
