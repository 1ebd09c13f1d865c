package vcgen

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/fuzz"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/language"
)

// Where a loop has a contract, its end may be far: 256 elements, of each of which the contract of a function says
// something. What such a loop does wrong at its end, unrolling gets to last, and what is random in each iteration gets
// there never, since one that does not fit what is assumed ends the execution. So executions are tried in most of which
// a place gets the same answer each time: one that fits fits in all iterations. Content is of elements that are equal,
// or nearly, or zero everywhere.
// Where that finds nothing, numbers of the states that are in the way (obstacle.go) are tried.
//
// Contracts of loops are left out of most executions: to evaluate a condition on all elements in each iteration takes
// the square of what the loop takes. Those that get to an end are then executed with them.

// contractLooks are these executions: how many instructions all of them take, and one at most, short ones first. At
// first, few are tried; what is in the way is not known then.
var contractLooks = []struct {
	left, longest int64
	met           bool
}{
	{400_000, 10_000, false},
	{4_000_000, 200_000, false},
	{4_000_000, 200_000, true},
	{16_000_000, 4_000_000, true},
}

// checkedAgain is how many times the instructions of an execution the same one with loops' contracts may take, and
// checkedShare how many times those of a look all of these may take.
const (
	checkedAgain = 400
	checkedShare = 4
	maxMet       = 48 // numbers of states that are in the way
)

// executeContract looks for a violation of what is left open where loops are cut by their contracts, unless bounds of
// loops are given. met are numbers of states that are in the way, nil where none are known yet.
func (d *deepening) executeContract(met []uint64) {
	if d.opts.Disable[Executions] || d.opts.Unwind != 0 || len(d.opts.Loops) > 0 {
		return
	}
	if d.opts.Stage != nil {
		defer d.opts.Stage("executions")()
	}
	x := fuzz.New(d.m.Module, d.entry)
	x.Alike(met)
	e := &engine{ctx: d.ctx, m: d.m, entry: d.entry, opts: d.opts}
	plain := e.interpOptions(false)
	plain.Coverage, plain.Infos, plain.LoopContracts = false, &x.Infos, language.LoopsPlain
	checked := plain
	checked.LoopContracts = checkedLoops(d.opts)
	for _, l := range contractLooks {
		if l.met != (met != nil) {
			continue
		}
		left, again := l.left, checkedShare*l.left
		for left > 0 && d.ctx.Err() == nil && len(d.executed) == 0 {
			seed := x.Fresh()
			x.Begin(seed)
			plain.MaxSteps = l.longest
			out := interp.Run(d.ctx, d.m, d.entry, x.Choose, plain)
			left -= out.Executed + 500 // and what it takes to begin
			d.opts.meter.executed(out.Executed + 500)
			ended := out.End == interp.EndReturn || out.End == interp.EndExit || out.End == interp.EndAbort
			if ended && again > 0 {
				x.Begin(seed)
				checked.MaxSteps = min(again, checkedAgain*out.Executed)
				out = interp.Run(d.ctx, d.m, d.entry, x.Choose, checked)
				again -= out.Executed
				d.opts.meter.executed(out.Executed)
			}
			if out.End == interp.EndUnsupported {
				return // others would get there, too
			}
			if tells(out) {
				d.keepExecuted(e, x, seed, out)
			}
		}
	}
}

// numbersInTheWay are the numbers of the states that were told of what is in the way, not nil.
func (r *Report) numbersInTheWay() []uint64 {
	out := []uint64{}
	add := func(v uint64) {
		if v != 0 && len(out) < maxMet && !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	for i := range r.Instances {
		way := r.Instances[i].InTheWay
		if way == nil {
			continue
		}
		list, err := choice.Decode(way.Violation.Run.Tape)
		if err != nil {
			continue // it was made by this process; without it, executions know less
		}
		for _, c := range list.Choices {
			if v := c.Number(); v.IsUint64() {
				add(v.Uint64())
			}
			for _, off := range slices.Sorted(maps.Keys(c.Bytes)) {
				for size := uint64(1); size <= 8; size *= 2 {
					v := uint64(0)
					for k := range size {
						v |= uint64(c.Bytes[off-off%size+k]) << (8 * k)
					}
					add(v)
				}
			}
		}
	}
	return out
}
