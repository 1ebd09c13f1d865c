package vcgen

import (
	"context"
	"math"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/fuzz"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/slice"
)

// A violation that many inputs trigger is found by executing the program with some of them, at sizes for which no
// unfolding finishes. Therefore a long run pauses, before its rounds and then ever more rarely, for a few executions
// with random inputs: small numbers, numbers with which the program compares, and known bytes (Claessen, Hughes,
// QuickCheck, ICFP 2000). A violation of such an execution is final, whatever the formulas show later.
//
// The cost is bounded by a part of the work that was done. Executions without a violation have no result.
const (
	// firstExecutions is the work of the whole after which programs are executed, and executionsPart the part of it
	// that they may cost. They are repeated each time the work has doubled.
	firstExecutions = 800_000
	executionsPart  = 64
	// executedPerWork is the number of interpreted instructions per unit of work.
	executedPerWork = 8
	// longestExecution bounds an execution, in instructions; a larger bound is longestShare times the instructions of
	// all executions at that time. So a violation behind long loops is executed before it is unfolded.
	longestExecution = 400_000
	longestShare     = 4
	// farShare is the share of the time after which far executions are given up: some take a minute, and allocate much.
	farShare = 0.6
	// endless is the number of executions without an end after which a look is given up. It is two if the look before
	// it had no execution that ended either.
	endless = 6
)

// farLooks are executions with more iterations than are unrolled: the work of the whole after which they are due, and
// the limits of instructions in total and per execution. Short ones come first: a violation after 300 iterations is
// found and described in a hundredth of the time of one after 100,000. They end with the first far ones that are not
// cut: all loops end within their limit.
//
// Most violations appear with small inputs. These are tried as soon as loops have no known end and a query about many
// iterations is hard.
var farLooks = []struct {
	due, total, longest int64
	far                 bool // with large numbers, and arrays of equal bytes
}{
	{firstInduction, 400_000, 4_000, false},
	{firstInduction, 2_000_000, 100_000, true},
	{2 * firstInduction, 4_000_000, 1_000_000, true},
	{4 * firstInduction, 14_000_000, 4_000_000, true},
	{4 * firstInduction, 1, 30_000_000, true}, // only if no input makes it shorter
}

// Execute only runs a program with random inputs, for at most some instructions, and reports the violations found, each
// also to Options.Found. Nothing is known about other obligations.
func Execute(ctx context.Context, m *clangir.Module, entry string, opts Options, instructions int64) *Report {
	d := newDeepening(ctx, m, entry, opts, nil, 0)
	d.explorer = fuzz.New(m.Module, entry)
	d.explorer.Guide()
	d.explore(ctx, d.explorer, instructions, longestExecution, math.MaxInt)
	return &Report{Entry: entry, Instances: d.executed, EndReached: true}
}

// execute runs the program with random inputs while the whole waits; it was due after the given work.
func (d *deepening) execute(work int64) {
	if d.explorer == nil {
		d.explorer = fuzz.New(d.m.Module, d.entry)
		d.explorer.Guide()
	}
	remaining := work / executionsPart * executedPerWork
	d.explore(d.ctx, d.explorer, remaining, max(longestExecution, longestShare*remaining), math.MaxInt)
}

// farDue returns the work of the whole after which executeFar is due again, as long as no violation is known.
func (d *deepening) farDue() int64 {
	if d.far == len(farLooks) || len(d.violated) > 0 {
		return never
	}
	return farLooks[d.far].due
}

// executeFar searches for a violation after more iterations than are unrolled, as far as the work of the whole
// permits. It reports whether there is one. If no execution ended, unrolling will not end either, so longer executions
// follow immediately.
func (d *deepening) executeFar(work int64) bool {
	if d.farExplorer == nil {
		d.farExplorer = fuzz.New(d.m.Module, d.entry)
		d.farExplorer.Habits = true
	}
	ctx, stop := context.WithCancelCause(d.ctx)
	defer stop(nil)
	defer d.opts.Limits.watch(farShare, stop)()
	before, short := len(d.executed), true // some execution ends, as far as is known
	for d.far < len(farLooks) && (!short || farLooks[d.far].due <= work) && d.ctx.Err() == nil {
		l := farLooks[d.far]
		d.far++
		if l.far && d.far == len(farLooks) && short {
			break
		}
		d.farExplorer.Far = l.far
		tries := endless
		if !short {
			tries = 2
		}
		short = d.explore(ctx, d.farExplorer, l.total, l.longest, tries) > 0
		if len(d.executed) > before {
			d.far = len(farLooks)
			return true
		}
		if l.far && len(d.farExplorer.Cut) == 0 { // longer ones would be equal
			d.far = len(farLooks)
		}
	}
	return false
}

// explore runs the program with random inputs, up to left instructions in total and longest per execution. It stops
// early if none of the first tries ended, and returns the number of executions that ended.
func (d *deepening) explore(ctx context.Context, x *fuzz.Inputs, remaining, longest int64, tries int) (ended int) {
	if d.opts.Disable[Executions] {
		return 1
	}
	if d.opts.Stage != nil {
		defer d.opts.Stage("executions")()
	}
	if d.opts.unrolled != nil {
		defer d.opts.unrolled.execution()()
	}
	e := &engine{ctx: ctx, m: d.m, entry: d.entry, opts: d.opts}
	opts := e.interpOptions(false)
	opts.Coverage, opts.Brief, opts.MaxSteps, opts.Infos = false, true, longest, &x.Infos
	opts.Visits = x.Visits()
	again := x.Cut // longer now
	x.Cut = nil
	executed := int64(0)
	habits := int64(0) // executed by executions with habits, which often do not end
	if x.Habits {
		tries *= 2
	}
	for n := 0; executed < remaining && (n < tries || ended > 0) && ctx.Err() == nil; n++ {
		seed := uint64(0)
		if n < len(again) {
			seed = again[n]
		} else if seed = x.Fresh(); x.Habits {
			seed = fuzz.Habitual(seed, n > 0 && habits <= executed/2)
		}
		x.Begin(seed)
		out := interp.Run(ctx, d.m, d.entry, x.Choose, opts)
		if out.End != interp.EndSteps {
			ended++
		} else if x.Far {
			x.Cut = append(x.Cut, seed)
		}
		cost := out.Cost() + 500 // including the cost of the start
		if executed += cost; x.Habits && fuzz.HasHabit(seed) {
			habits += cost
		}
		d.opts.meter.executed(cost)
		if out.End == interp.EndUnsupported {
			break // others would reach it, too
		}
		if tells(out) {
			d.keepExecuted(e, x, seed, out)
		}
		if v := x.Visits(); v != nil && v.Next() && out.End != interp.EndViolation {
			repeated := x.Keep(ctx, d.m, d.entry, seed, opts)
			executed += repeated
			d.opts.meter.executed(repeated)
		}
	}
	return ended
}

// tells reports whether an execution found a violation that counts. A leak has another position, and the object of an
// invalid pointer is left to the formulas.
func tells(out *interp.Outcome) bool {
	return out.End == interp.EndViolation && out.ByAddress == nil && out.Violation.Loc != nil &&
		out.Violation.Kind != found.MemoryLeak && out.Violation.Kind != found.InvalidPointer
}

// keepExecuted records the violation of an execution with its counterexample, and calls Options.Found. It reports
// whether the finding is new.
func (d *deepening) keepExecuted(e *engine, x *fuzz.Inputs, seed uint64, seen *interp.Outcome) bool {
	in := e.violation(seen.Violation)
	if d.violated[keyOf(in)] {
		return false
	}
	x.Begin(seed)
	var out *interp.Outcome
	var tape *choice.List
	if opts := e.interpOptions(true); seen.Executed > slice.Longest {
		out, tape = e.executeLong(x.Choose, opts, seen.Executed)
	} else {
		out, tape = e.execute(x.Choose, opts, true)
	}
	if !tells(out) {
		return false
	}
	in = e.violation(out.Violation)
	in.Counterexample = e.counterexample(out, tape)
	if _, needs := needsUnmodelled(in.Counterexample); needs || d.violated[keyOf(in)] {
		return false
	}
	d.violated[keyOf(in)] = true
	d.executed = append(d.executed, *in)
	d.report(*in)
	return true
}
