package vcgen

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// firstInduction is the work after which a run tries induction for the first time, before it has come to its end.
const firstInduction = 300_000

// What induction may take of the time while other things are under way: it may have to ask hard questions for long, and
// tells nothing until the last one is answered.
const (
	firstInductionWork = 10_000_000
	inductionShare     = 0.3
)

// mayInduct tells whether induction can tell anything of the proof.
func (d *deepening) mayInduct() bool {
	// Conditions for all values have instances of their own (quantifiers.go).
	return d.loops == unfold.LoopsChecked && !hasLoopContracts(d.m) && d.m.FuncByName["__unitproof_forall"] == nil &&
		!d.opts.Checks[found.UninitializedRead] && d.opts.drop == nil && !d.opts.Disable[Induction] &&
		d.opts.Unwind == 0 && len(d.opts.Loops) == 0 && len(d.told) == 0 && d.ctx.Err() == nil
}

// induct tries induction; loops are those that are known to be cut off.
func (d *deepening) induct(loops []string, budget int64) *Report {
	d.inducted = true
	if d.opts.Stage != nil {
		defer d.opts.Stage("induction")()
	}
	ctx, stop := context.WithCancelCause(d.ctx)
	defer stop(nil)
	x := extent{loops: d.loops}
	if budget > 0 {
		defer d.watch(inductionShare, stop)()
		var pass *engine // each has an engine of its own
		before, work := int64(0), int64(0)
		x.steady = true
		x.pace = func(e *engine) {
			if e != pass {
				before, pass = before+work, e
			}
			if work = e.work(); before+work > budget {
				stop(errBudget)
			}
		}
	}
	report := induct(ctx, d.m, d.entry, d.opts, d.make, loops, x)
	if ctx.Err() != nil {
		d.inducted = false // there is time for it when everything else is done
		d.inductions++
		return nil
	}
	return report
}

// inductive adds what induction shows of a report in which something is open because loops were cut off.
func (d *deepening) inductive(r *Report) *Report {
	if r == nil || !d.mayInduct() {
		return r
	}
	var loops []string
	for i := range r.Instances {
		in := &r.Instances[i]
		if in.Verdict == found.Failed {
			return r
		}
		if in.Verdict == found.Bounded && in.Loop != "" && !slices.Contains(loops, in.Loop) {
			loops = append(loops, in.Loop)
		}
	}
	if c := r.Bounded.Cause; c != nil && c.Why == found.LoopCut {
		loops = append(loops, c.Name)
	}
	if len(loops) == 0 {
		return r
	}
	if !d.inducted {
		d.induction = d.induct(loops, 0)
	}
	return joinInduction(r, d.induction)
}

// settles tells whether nothing is open, and that some execution gets to an end.
func (r *Report) settles() bool { return settled(r) && r.EndReached }

// plain is a report without the conditions that were found.
func (r *Report) plain() *Report {
	out := *r
	out.Instances = slices.DeleteFunc(slices.Clone(r.Instances), invariant)
	return &out
}

// joinInduction takes what induction proved, if that is all there is: what it rests on was shown under the condition
// that all obligations hold.
func joinInduction(r, a *Report) *Report {
	if a == nil || !a.settles() {
		return r
	}
	shown := findings(a)
	out := *r
	out.Instances, out.Reason, out.Bounded, out.EndUnknown = nil, found.Reason{}, found.Reason{}, found.Reason{}
	out.EndReached, out.cut, out.unseen = true, false, a.unseen
	out.unseen.see(r)
	fromBounded, fromInduction := map[int]int{}, map[int]int{} // where instances are now
	take := func(from map[int]int, i int, in Instance) {
		from[i] = len(out.Instances)
		out.Instances = append(out.Instances, in)
	}
	known := map[findingKey]bool{}
	for i, in := range r.Instances {
		key := keyOf(&in)
		switch {
		case in.Kind == found.Unwinding && open(&in):
		case !open(&in):
			take(fromBounded, i, in)
		case len(shown[key]) == 0 && in.Kind == found.Assertion:
			return r // it is an instance of each run
		case len(shown[key]) == 0: // it holds by its form, or no iteration gets there
			in.Verdict, in.Reason, in.Loop, in.Bound = found.Proved, found.Reason{}, "", 0
			take(fromBounded, i, in)
		case !known[key]:
			for _, k := range shown[key] {
				take(fromInduction, k, a.Instances[k])
			}
		}
		known[key] = true
	}
	for i, in := range a.Instances { // what only an arbitrary iteration gets to
		if !known[keyOf(&in)] && !invariant(in) {
			take(fromInduction, i, in)
		}
	}
	// What is assumed where only later iterations get to, the run that was cut off has not met.
	out.Assumptions = joinAssumptions([]*Report{r, a}, []map[int]int{fromBounded, fromInduction})
	out.Stats.SolverQueries += a.Stats.SolverQueries
	out.Stats.SolverConflicts += a.Stats.SolverConflicts
	return &out
}
