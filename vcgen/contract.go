package vcgen

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// A loop with a contract is looked at in two ways. Cut by its contract, one arbitrary iteration stands for all: what
// holds then holds for every number of iterations; what does not may be due to a state that no execution has, so it is
// no violation. What is not settled so is looked at with loops unrolled and their contracts checked at each arrival: a
// violation there is one of an execution, and what holds there without a loop that was cut off is proved, too.

// hasLoopContracts tells whether the program asks how loops with contracts are executed.
func hasLoopContracts(m *clangir.Module) bool { return m.FuncByName["__unitproof_loops"] != nil }

// verifyLoops is Verify of a program with contracts of loops.
func verifyLoops(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver NewSolver) (*Report, error) {
	cutting := opts
	cutting.Found = nil
	cut, err := verifyWith(ctx, m, entry, cutting, newSolver, unfold.LoopsCut)
	if err != nil {
		return nil, err
	}
	if settled(cut) || ctx.Err() != nil {
		return cut, nil
	}
	memo := opts.Memo
	beside := func(opts Options) Options {
		if memo != nil {
			opts.Memo = memo.beside()
		}
		return opts
	}
	// Most mistakes show in the first iterations, and many iterations take long.
	if opts.Unwind == 0 {
		first := beside(opts)
		first.Unwind = firstIterations
		unrolled, err := verifyWith(ctx, m, entry, first, newSolver, unfold.LoopsChecked)
		if err == nil && anyFails(unrolled) {
			return mergeReports(cut, unrolled), nil
		}
	}
	unrolled, err := verifyWith(ctx, m, entry, beside(opts), newSolver, unfold.LoopsChecked)
	if err != nil {
		return cut, nil // what ended it is in the context
	}
	return mergeReports(cut, unrolled), nil
}

// firstIterations is how far loops are unrolled before they are unrolled as far as they go.
const firstIterations = 3

func anyFails(r *Report) bool {
	return slices.ContainsFunc(r.Instances, func(in Instance) bool { return in.Verdict == found.Failed })
}

// settled tells whether nothing is open.
func settled(r *Report) bool {
	return r.Reason.None() && r.Bounded.None() && r.EndUnknown.None() && !slices.ContainsFunc(r.Instances, open)
}

func open(in Instance) bool { return in.Verdict == found.Unknown || in.Verdict == found.Bounded }

// mergeReports takes what holds from the proof with loops cut, and everything else from the one with loops unrolled.
func mergeReports(cut, unrolled *Report) *Report {
	key := func(in *Instance) findingKey {
		return findingKey{in.Kind, in.Pos.File, in.Pos.Line, in.Pos.Column}
	}
	instances := func(r *Report) map[findingKey][]Instance {
		m := map[findingKey][]Instance{}
		for i := range r.Instances {
			in := &r.Instances[i]
			m[key(in)] = append(m[key(in)], *in)
		}
		return m
	}
	byCut := instances(cut)
	// What the invariants say was assumed. Where one of them, or of the frames, is violated, execution goes on only where it
	// holds; where it is open, or behind something that is open, nothing follows.
	trusted, behind, decided := cut.Reason.None(), false, true
	var violated found.Pos
	for i := range cut.Instances {
		in := &cut.Instances[i]
		if !open(*in) {
			continue
		}
		frame := in.Kind == found.LoopInvariant || in.Kind == found.Assigns
		switch fails := anyFailed(unrolled, key(in), key); {
		case in.Reason.Behind():
			behind = behind || frame
		case fails:
			violated = in.Pos
		case frame:
			trusted = false
		default:
			decided = false
		}
	}
	trusted = trusted && (!behind || decided)
	complete := trusted && cut.EndUnknown.None() && !anyFails(unrolled)
	out := *unrolled
	out.Instances = nil
	if complete {
		// Each way goes through the loops that are cut: what was not cut off there need not be bounded here.
		out.Reason, out.Bounded, out.EndReached, out.EndUnknown = cut.Reason, cut.Bounded, cut.EndReached, cut.EndUnknown
	}
	done := map[findingKey]bool{}
	for i := range unrolled.Instances {
		in := unrolled.Instances[i]
		k := key(&in)
		if in.Kind == found.Unwinding && trusted {
			if _, there := byCut[k]; !there {
				continue // the loop is cut by its contract
			}
		}
		other := byCut[k]
		if in.Verdict == found.Failed || len(other) == 0 {
			out.Instances = append(out.Instances, in)
			continue
		}
		if trusted && !slices.ContainsFunc(other, open) && !anyFailed(unrolled, k, key) {
			if !done[k] {
				done[k] = true
				for _, o := range other {
					if o.Verdict == found.Unreached && violated.Line > 0 {
						o.Verdict, o.Reason = found.Unknown, found.Reason{Why: found.BehindViolation, At: violated}
					}
					out.Instances = append(out.Instances, o)
				}
			}
			continue
		}
		if open(in) {
			for _, o := range other {
				if o.Reason.Why == found.NotInductive && in.Verdict == found.Bounded {
					in.Reason = o.Reason
				}
			}
		}
		out.Instances = append(out.Instances, in)
	}
	for i := range cut.Instances { // what only an arbitrary iteration reaches
		in := cut.Instances[i]
		k := key(&in)
		if done[k] || slices.ContainsFunc(out.Instances, func(x Instance) bool { return key(&x) == k }) {
			continue
		}
		switch {
		case in.Verdict == found.Unknown && in.Reason.Why == found.NotInductive:
			in.Verdict = found.Bounded
		case !trusted && !open(in):
			in.Verdict, in.Reason = found.Bounded, found.Reason{Why: found.NotInductive}
		}
		out.Instances = append(out.Instances, in)
	}
	out.Stats.Nanoseconds += cut.Stats.Nanoseconds
	out.Stats.SolverQueries += cut.Stats.SolverQueries
	out.Stats.SolverConflicts += cut.Stats.SolverConflicts
	return &out
}

func anyFailed(r *Report, k findingKey, key func(*Instance) findingKey) bool {
	return slices.ContainsFunc(r.Instances, func(in Instance) bool { return in.Verdict == found.Failed && key(&in) == k })
}
