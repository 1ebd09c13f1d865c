package vcgen

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/fuzz"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/language"
)

// A loop with a contract may have a distant end: 256 elements, each with a condition in the contract of a function.
// Unrolling reaches an error at the end of such a loop last, and random inputs never do if each iteration draws a new
// one, since a single input that violates an assumption ends the execution. Therefore most executions here give each
// place the same answer every time: an answer that satisfies the assumptions does so in all iterations. Content
// consists of elements that are equal, nearly equal, or zero.
//
// If that finds nothing, numbers from the states in the way of the proof (obstacle.go) are tried.
//
// Most executions ignore the contracts of loops: evaluating a condition on all elements in each iteration takes the
// square of the loop's time. Executions that reach an end are repeated with the contracts.

// contractLooks are these executions: the limits of instructions in total and per execution, short ones first. numbers
// selects the ones after the numbers in the way are known; only few are tried before.
var contractLooks = []struct {
	total, longest int64
	numbers        bool
}{
	{400_000, 10_000, false},
	{4_000_000, 200_000, false},
	{4_000_000, 200_000, true},
	{16_000_000, 4_000_000, true},
}

// checkedAgain bounds the instructions of an execution repeated with the loops' contracts, as a multiple of the
// original's. checkedShare bounds the instructions of all such repetitions, as a multiple of a look's.
const (
	checkedAgain = 400
	checkedShare = 4
	maxMet       = 48 // numbers of states in the way
)

// executeContract searches for a violation of obligations that are open when loops are cut by their contracts, unless
// the user has set bounds of loops. numbers are numbers of states in the way, nil if they are not yet known.
func (d *deepening) executeContract(numbers []uint64) {
	if d.opts.Disable[Executions] || d.opts.Unwind != 0 || len(d.opts.Loops) > 0 {
		return
	}
	if d.opts.Stage != nil {
		defer d.opts.Stage("executions")()
	}
	x := fuzz.New(d.m.Module, d.entry)
	x.Alike(numbers)
	e := &engine{ctx: d.ctx, m: d.m, entry: d.entry, opts: d.opts}
	plain := e.interpOptions(false)
	plain.Coverage, plain.Infos, plain.LoopContracts = false, &x.Infos, language.LoopsPlain
	checked := plain
	checked.LoopContracts = checkedLoops(d.opts)
	for _, l := range contractLooks {
		if l.numbers != (numbers != nil) {
			continue
		}
		remaining, again := l.total, checkedShare*l.total
		for remaining > 0 && d.ctx.Err() == nil && len(d.executed) == 0 {
			seed := x.Fresh()
			x.Begin(seed)
			plain.MaxSteps = l.longest
			out := interp.Run(d.ctx, d.m, d.entry, x.Choose, plain)
			remaining -= out.Cost() + 500 // including the cost of the start
			d.opts.meter.executed(out.Cost() + 500)
			ended := out.End == interp.EndReturn || out.End == interp.EndExit || out.End == interp.EndAbort
			if ended && again > 0 {
				x.Begin(seed)
				checked.MaxSteps = min(again, checkedAgain*out.Cost())
				out = interp.Run(d.ctx, d.m, d.entry, x.Choose, checked)
				again -= out.Cost()
				d.opts.meter.executed(out.Cost())
			}
			if out.End == interp.EndUnsupported {
				return // others would reach it, too
			}
			if tells(out) {
				d.keepExecuted(e, x, seed, out)
			}
		}
	}
}

// numbersInTheWay returns the numbers in the states in the way of the proof; the result is not nil.
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
			continue // created by this process; without it, executions have fewer numbers
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
