package vcgen

import (
	"context"
	"errors"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/induction"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// inductionPasses bounds the number of unfoldings until the write sets of all loops are known. linkedPasses is the same
// for loops over lists, whose pointers are known later.
const (
	inductionPasses = 24
	linkedPasses    = 150
)

// inducted is a program cut at its loops, with the invariants that were found in its log.
type inducted struct {
	*engine
	finder *induction.Finder
	told   []found.Loop
	// refuted: an invariant is false in an execution, or at the entry to its loop. That is a defect of the engine if
	// everything is proved.
	refuted found.Reason
}

// report settles the obligations, given violations that other runs have found: as in a run that finds them itself,
// their obligations are assumed to hold afterwards.
func (x *inducted) report(violated map[findingKey]bool) (*Report, error) {
	defer x.standing.Close() // the next query opens it again
	x.extent.violated = violated
	return x.settle()
}

// open returns the events of the obligations that are open in a report of the run, without the violated ones that hold
// afterwards.
func (x *inducted) open(r *Report, violated map[findingKey]bool) map[int]bool {
	events := map[int]bool{}
	i := 0
	for k := range x.log.Events {
		if x.log.Events[k].Kind != seair.Obligation {
			continue
		}
		if in := &r.Instances[i]; open(in) && (!violated[keyOf(in)] || in.unsure) {
			events[k] = true
		}
		i++
	}
	return events
}

// induct searches invariants of a program that is cut at its loops. It returns nil on failure. settled is false if the
// context ended during the search, which may go on.
func induct(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver, x extent,
) (cut *inducted, settled bool) {
	opts.Found, opts.Coverage = nil, false
	memo := opts.Memo
	var e *engine
	for pass := 0; ; pass++ {
		if memo != nil {
			opts.Memo = memo.Beside()
		}
		var err error
		if e, err = generate(ctx, m, entry, opts, newSolver, x); errors.Is(err, unfold.ErrRepeat) {
			pass-- // the loops of a program are few
			continue
		} else if err != nil {
			return nil, false
		}
		if x.induction.Settled() {
			break
		}
		e.standing.Close()
		most := inductionPasses
		if x.induction.Linked() {
			most = linkedPasses
		}
		if pass == most || ctx.Err() != nil || x.induction.Refused != "" {
			return nil, false
		}
	}
	if x.induction.Refused != "" || len(x.induction.Heads) == 0 {
		e.standing.Close()
		return nil, false
	}
	e.searching = true
	e.progress() // the search measures many terms before it polls the context
	in := induction.New(induction.Program{Module: m, Entry: entry, C: e.c, Unfolded: e.prog, Heads: x.induction.Heads,
		User: e.user, NoOrdering: opts.Disable[Ordering]}, e.Asker)
	in.Sample(ctx, e.interpOptions(false), e.opts.meter.executed)
	if ctx.Err() != nil { // not all samples
		e.standing.Close()
		return nil, false
	}
	cut = &inducted{engine: e, finder: in}
	if settled = cut.search(ctx); settled || ctx.Err() != nil {
		return cut, settled
	}
	return nil, false
}

// search searches invariants, or goes on with a search that its context ended, and adds them to the log. It reports
// whether it finished within its limits.
func (x *inducted) search(ctx context.Context) bool {
	settled := x.finder.Find(ctx)
	x.finder.Close()
	if !settled {
		x.standing.Close()
		return false
	}
	x.finder.Conclude()
	x.prog.CutByContract = true
	x.attack(ctx)
	return true
}

// attack tries to refute the invariants, by executions and by the states in which loops are entered.
func (x *inducted) attack(ctx context.Context) {
	if x.refuted = x.finder.Contradiction(ctx); x.refuted.None() {
		_, x.refuted = x.finder.Attack(ctx, x.interpOptions(false), x.opts.meter.executed)
	}
}

// refine searches invariants that need more time, until there are some. It reports whether it found any.
func (x *inducted) refine(ctx context.Context) bool {
	some := x.finder.Refine(ctx)
	x.finder.Close()
	if some {
		x.attack(ctx)
	}
	return some
}
