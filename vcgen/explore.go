package vcgen

import (
	"math"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/fuzz"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/slice"
)

// A violation that many inputs have is met by executing the program with some of them, at sizes that no unfolding gets
// to the end of. So before its rounds, and then ever more rarely, a run that takes long pauses for a few executions
// with random inputs: small numbers, numbers that the program compares with, and bytes that it knows (Claessen, Hughes,
// QuickCheck, ICFP 2000). What such an execution violates it violates, whatever the formulas make of it later.
//
// Its cost is bounded by a part of the work that was done; without a violation it tells nothing.
const (
	// firstExecutions is the work of the whole after which programs are executed, and executionsPart the part of it that
	// is spent then; each time the work has doubled they are executed again.
	firstExecutions = 800_000
	executionsPart  = 64
	// executedPerWork is how many instructions the interpreter executes in a unit of work.
	executedPerWork = 8
	// longestExecution bounds one, in instructions, or longestShare times what all of that time may take: where loops of
	// many iterations are unfolded, a violation behind them is still executed before it is unfolded.
	longestExecution = 400_000
	longestShare     = 4
	// endless is after how many executions of which none got to its end no other one is taken to, where nothing is known
	// of longer ones; else it takes two.
	endless = 6
)

// farLooks are the executions that go through more iterations than are unrolled: the work of the whole after which they
// are due, and how many instructions are executed, and in one at most. Short ones come first: a violation that shows
// after 300 iterations is found and told in a hundredth of the time of one after 100,000. They end with the first far
// ones of which none was cut: all loops come to their ends within that.
//
// Most violations show with small inputs, as soon as loops have no end that is known and a question about many
// iterations is hard: those are tried first.
var farLooks = []struct {
	due, left, longest int64
	far                bool // with large numbers, and arrays of equal bytes
}{
	{firstInduction, 400_000, 4_000, false},
	{firstInduction, 2_000_000, 100_000, true},
	{2 * firstInduction, 4_000_000, 1_000_000, true},
	{4 * firstInduction, 14_000_000, 4_000_000, true},
	{4 * firstInduction, 1, 30_000_000, true}, // only where no input makes it shorter
}

// execute runs the program with random inputs while the whole waits, which was due after some work.
func (d *deepening) execute(work int64) {
	if d.explorer == nil {
		d.explorer = fuzz.New(d.m.Module, d.entry)
		d.explorer.Guide()
	}
	left := work / executionsPart * executedPerWork
	d.explore(d.explorer, left, max(longestExecution, longestShare*left), math.MaxInt)
}

// farDue is the work of the whole after which executeFar is to be called again, while nothing is known to be violated.
func (d *deepening) farDue() int64 {
	if d.far == len(farLooks) || len(d.violated) > 0 {
		return never
	}
	return farLooks[d.far].due
}

// executeFar looks for a violation that shows after more iterations than are unrolled, as long as the work of the whole
// allows, and tells whether there is one. Where no execution got to its end, unrolling will not either, so longer ones
// follow at once.
func (d *deepening) executeFar(work int64) bool {
	if d.farExplorer == nil {
		d.farExplorer = fuzz.New(d.m.Module, d.entry)
	}
	before, short := len(d.executed), true // some execution gets to its end, as far as is known
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
		short = d.explore(d.farExplorer, l.left, l.longest, tries) > 0
		if len(d.executed) > before {
			d.far = len(farLooks)
			return true
		}
		if l.far && len(d.farExplorer.Cut) == 0 { // longer ones would be no other ones
			d.far = len(farLooks)
		}
	}
	return false
}

// explore runs the program with random inputs, for so many instructions, longest of one, and ends earlier where none of
// the first tries got to its end. It tells how many executions got to one.
func (d *deepening) explore(x *fuzz.Inputs, left, longest int64, tries int) (ended int) {
	if d.opts.Disable[Executions] {
		return 1
	}
	if d.opts.Stage != nil {
		defer d.opts.Stage("executions")()
	}
	if d.opts.unrolled != nil {
		defer d.opts.unrolled.execution()()
	}
	e := &engine{ctx: d.ctx, m: d.m, entry: d.entry, opts: d.opts}
	opts := e.interpOptions(false)
	opts.Coverage, opts.Brief, opts.MaxSteps, opts.Infos = false, true, longest, &x.Infos
	opts.Visits = x.Visits()
	again := x.Cut // longer now
	x.Cut = nil
	executed := int64(0)
	for n := 0; executed < left && (n < tries || ended > 0) && d.ctx.Err() == nil; n++ {
		seed := uint64(0)
		if n < len(again) {
			seed = again[n]
		} else {
			seed = x.Fresh()
		}
		x.Begin(seed)
		out := interp.Run(d.ctx, d.m, d.entry, x.Choose, opts)
		if out.End != interp.EndSteps {
			ended++
		} else if x.Far {
			x.Cut = append(x.Cut, seed)
		}
		executed += out.Executed + 500 // and what it takes to begin
		d.opts.meter.executed(out.Executed + 500)
		if out.End == interp.EndUnsupported {
			break // others would get there, too
		}
		if tells(out) {
			d.keepExecuted(e, x, seed, out)
		}
		if v := x.Visits(); v != nil && v.Next() && out.End != interp.EndViolation {
			repeated := x.Keep(d.ctx, d.m, d.entry, seed, opts)
			executed += repeated
			d.opts.meter.executed(repeated)
		}
	}
	return ended
}

// tells tells whether an execution violated something that it can tell of: a leak stands elsewhere, and what pointer is
// meant is for the formulas to say.
func tells(out *interp.Outcome) bool {
	return out.End == interp.EndViolation && out.ByAddress == nil && out.Violation.Loc != nil &&
		out.Violation.Kind != found.MemoryLeak && out.Violation.Kind != found.InvalidPointer
}

// keepExecuted has an execution that violated something told, once for each finding, and reports whether it is new.
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
	d.tell(*in)
	return true
}
