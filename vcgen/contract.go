package vcgen

import (
	"context"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// A loop with a contract is cut in two ways. By its contract alone, one arbitrary iteration represents all: a proof
// holds for every number of iterations, but a violation may be due to an unreachable state, so it does not count.
//
// If that leaves something open, induction cuts the loops of the program whose contracts are checked at each arrival at
// the head. A written invariant is then an obligation like any other, so it is a candidate, and others are found beside
// it: an invariant need not say everything. These loops are cut at the second arrival. Facts that the first iteration
// establishes about memory which the loop does not assign are known there.
//
// Obligations that are not proved in either way are checked with unrolled loops, whose contracts are checked as well. A
// violation there is one of an execution, and an obligation that holds there without a cut loop is proved, too.

// checkedLoops returns how executions of the program itself treat loops with contracts.
func checkedLoops(opts Options) language.Loops {
	if opts.NoLoopContracts {
		return language.LoopsPlain
	}
	return language.LoopsChecked
}

// hasLoopContracts reports whether the program has loops with contracts.
func hasLoopContracts(m *clangir.Module) bool { return m.FuncByName["__unitproof_loops"] != nil }

// verifyLoops is Verify for a program with contracts of loops.
func verifyLoops(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
) (*Report, error) {
	run := loopsRun{ctx: ctx, m: m, entry: entry, opts: opts, make: newSolver}
	far := newDeepening(ctx, m, entry, opts, newSolver, language.LoopsChecked)
	if opts.Disable[ContractCut] {
		if r := far.byInduction(); r != nil {
			return r, nil
		}
		return run.unroll(0, far)
	}
	cut, err := run.cut(nil)
	if err != nil {
		return nil, err
	}
	if settled(cut) && (cut.unseen.none() || opts.Unwind != 0) {
		return cut, nil
	}
	if !settled(cut) {
		far.executeContract(nil)
	}
	// Most errors appear in the first iterations, and many iterations take long.
	var shallow *Report
	if opts.Unwind == 0 {
		if shallow, err = run.unroll(firstIterations, far); err == nil && shallow.answers() {
			return run.join(cut, shallow), nil
		}
		if settled(cut) {
			if err == nil {
				cut.unseen.see(shallow)
			}
			return cut, nil
		}
	}
	if r := far.byInduction(); r != nil {
		if shallow != nil {
			r.unseen.see(shallow)
		}
		r.addCost(cut)
		return r, nil
	}
	cut.tellObstacles(nil) // it is small without the data for them
	if far.executeContract(cut.numbersInTheWay()); len(far.executed) > 0 && shallow != nil {
		return run.join(cut, far.merge(shallow, true)), nil
	}
	if shallow != nil {
		switch r, err := run.unroll(moreIterations, far); {
		case err == nil && r.answers():
			return run.join(cut, r), nil
		case err == nil && !r.short(): // if the time ended, fewer iterations give more results
			shallow = r
		}
	}
	unrolled, err := run.unroll(0, far)
	if err == nil {
		return run.join(cut, unrolled), nil
	}
	if ctx.Err() == nil {
		return nil, err
	}
	return joinCut(cut, notUnrolled(cut, shallow, opts.Limits.ended(ctx))), nil
}

// loopsRun runs a program with contracts of loops in several ways.
type loopsRun struct {
	ctx   context.Context
	m     *clangir.Module
	entry string
	opts  Options
	make  ask.NewSolver
	began bool // a run uses the proof's memo; others need their own
}

// options returns the options of the next run.
func (r *loopsRun) options() Options {
	o := r.opts
	if o.Memo != nil && r.began {
		o.Memo = o.Memo.Beside()
	}
	r.began = true
	return o
}

// cut runs the program with loops cut by their contracts. Known violations are treated like violations of the run
// itself: their obligations are assumed to hold afterwards.
func (r *loopsRun) cut(violated map[findingKey]bool) (*Report, error) {
	o := r.options()
	o.Found = nil
	d := newDeepening(r.ctx, r.m, r.entry, o, r.make, language.LoopsCut)
	maps.Copy(d.violated, violated)
	report, err := d.timed()
	if err == nil {
		report.loops = language.LoopsCut
	}
	return report, err
}

// unroll runs the program with a number of iterations of its loops, 0 for all. far contains the known violations.
func (r *loopsRun) unroll(bound int, far *deepening) (*Report, error) {
	o := r.options()
	if bound > 0 {
		o.Unwind = bound
	}
	d := newDeepening(r.ctx, r.m, r.entry, o, r.make, language.LoopsChecked)
	d.inducted, d.induction, d.unsettled = far.inducted, far.induction, far.unsettled
	d.executed, d.violated, d.reported = far.executed, maps.Clone(far.violated), maps.Clone(far.reported)
	return d.timed()
}

// join is joinCut. If unrolling has found violations, loops are first cut again with these violations known:
// behind an obligation that is merely open nothing can be proved.
func (r *loopsRun) join(cut, unrolled *Report) *Report {
	_, violated := unrolled.cutOff()
	if cut.Reason.None() && len(violated) > 0 && slices.ContainsFunc(cut.Instances, func(in Instance) bool {
		return open(&in) && !violated[keyOf(&in)] && !in.Reason.Behind()
	}) {
		if again, err := r.cut(violated); err == nil && r.ctx.Err() == nil {
			again.addCost(cut)
			cut = again
		}
	}
	cut.tellObstacles(unrolled)
	return joinCut(cut, unrolled)
}

// notUnrolled replaces the report of the run with unrolled loops if that ended without a result. It returns the
// results of the first iterations if they were finished, otherwise none.
func notUnrolled(cut, shallow *Report, ended found.Reason) *Report {
	if shallow == nil {
		return &Report{Entry: cut.Entry, Reason: ended, Bounded: cut.Bounded, EndReached: cut.EndReached,
			EndUnknown: cut.EndUnknown, UnusedBounds: cut.UnusedBounds, Stats: Stats{Unsettled: 1}}
	}
	out := *shallow
	out.Instances = slices.Clone(shallow.Instances)
	for i := range out.Instances {
		if in := &out.Instances[i]; in.Verdict == found.Bounded {
			in.Reason.Cause = &ended
		}
	}
	out.Stats.Unsettled++ // it depends on time: not to be cached
	return &out
}

// Numbers of iterations before loops are unrolled completely: a few, and then, if cutting leaves something open, the
// bits of a byte. An outer loop continues only if inner loops end within the bound.
const (
	firstIterations = 3
	moreIterations  = 8
)

// answers reports whether a report of few iterations shows a violation or contains all iterations.
func (r *Report) answers() bool { return anyFails(r) || !r.cut && !r.short() }

func anyFails(r *Report) bool {
	return slices.ContainsFunc(r.Instances, func(in Instance) bool { return failed(&in) })
}

// settled reports whether nothing is open.
func settled(r *Report) bool { return r.settledBut(nil) }

func failed(in *Instance) bool { return in.Verdict == found.Failed }

func open(in *Instance) bool { return in.Verdict == found.Unknown || in.Verdict == found.Bounded }

func notInductive(in *Instance) bool { return open(in) && in.Reason.Why == found.NotInductive }

// joinCut combines the reports of a run with cut loops, by contracts or by induction, and of one that executes the
// program.
func joinCut(cut, unrolled *Report) *Report {
	trusted, violated := trust(cut, unrolled)
	_, known := unrolled.cutOff()
	role := cutsOpenly
	if trusted {
		role = cutsSome
		if cut.EndReached && cut.settledBut(known) {
			role = cutsAll
		}
	}
	part := cut.inducted && role != cutsAll // what is open there is told as if there were no induction
	j := newJoining(source{Report: unrolled, role: unrolls}, source{Report: cut, role: role})
	const fromUnrolled, fromCut = 0, 1
	j.pick = func(key findingKey) int {
		if key.kind == found.Unwinding && trusted && !part && j.is[fromCut][key] == absent {
			return -1 // the loop is cut by its contract
		}
		return j.strongest(key)
	}
	j.take = func(key findingKey, from, _ int, in *Instance) bool {
		other := j.of[fromCut][key]
		switch {
		case from == fromUnrolled && open(in) && other == nil && role == cutsAll && in.Kind != found.Assertion:
			// It holds by its form, or no iteration reaches it. An assertion has an instance in every run.
			in.Verdict, in.Reason, in.Loop, in.Bound = found.Proved, found.Reason{}, "", 0
		case from == fromUnrolled && part:
		case from == fromUnrolled && in.Verdict == found.Bounded && has(cut, other, notInductive):
			in.Reason = found.Reason{Why: found.NotInductive, Cause: in.Reason.Cause}
			in.InTheWay = cut.obstacle(other)
		case from == fromUnrolled:
			// The reason there may have become that a query about a contract was too hard.
			if way := cut.obstacle(other); in.Verdict == found.Unknown && !in.Reason.Behind() &&
				(way != nil || has(cut, other, notInductive)) {
				in.Reason, in.InTheWay = found.NotUnrolled.Because(in.Reason), way
			}
		case j.is[fromUnrolled][key] != absent:
			if in.Verdict == found.Unreached && violated.Line > 0 {
				in.Verdict, in.Reason = found.Unknown, found.Reason{Why: found.BehindViolation, At: violated}
			}
		case notInductive(in) || !trusted && !open(in): // only an arbitrary iteration reaches it
			in.Verdict, in.Reason = found.Bounded, found.Reason{Why: found.NotInductive}
			if !unrolled.Reason.None() {
				in.Verdict, in.Reason = found.Unknown, found.NotUnrolled.Because(unrolled.Reason)
			}
		}
		return true
	}
	out := j.join(unrolled)
	out.Stats.Unsettled += cut.Stats.Unsettled
	out.unseen, out.loops = cut.unseen, cut.loops
	out.unseen.see(unrolled)
	if part {
		out.Loops = joinLoops(cut.Loops, unrolled.Loops)
	} else if trusted && cut.EndUnknown.None() && (role == cutsAll || !anyFails(unrolled)) {
		// Each path passes the cut loops: anything that was not cut off there need not be bounded here.
		out.Reason, out.Bounded, out.EndReached, out.EndUnknown = cut.Reason, cut.Bounded, cut.EndReached, cut.EndUnknown
		out.Loops = joinLoops(cut.Loops, unrolled.Loops)
	} else {
		out.unseen.end = false
	}
	return out
}

// trust reports whether proofs with cut loops are valid: they assume the invariants. If an invariant or a frame is
// violated, execution continues only if it holds; violated is then its position. If one is open, or behind something
// that is open, the proofs are invalid.
func trust(cut, unrolled *Report) (trusted bool, violated found.Pos) {
	byUnrolled := findings(unrolled)
	trusted, behind, decided := cut.Reason.None(), false, true
	for i := range cut.Instances {
		in := &cut.Instances[i]
		if !open(in) {
			continue
		}
		frame := in.Kind == found.LoopInvariant || in.Kind == found.Assigns
		switch fails := has(unrolled, byUnrolled[keyOf(in)], failed); {
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
	return trusted && (!behind || decided), violated
}
