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

// A loop with a contract is looked at in two ways. Cut by its contract, one arbitrary iteration stands for all: what
// holds then holds for every number of iterations; what does not may be due to a state that no execution has, so it is
// no violation. What is not settled so is looked at with loops unrolled and their contracts checked at each arrival: a
// violation there is one of an execution, and what holds there without a loop that was cut off is proved, too.
//
// Between the two, loops are cut behind a first iteration, which is executed as it is: what it found out of memory that
// the loop does not assign is known in the arbitrary one.

// checkedLoops is how executions of the program as it is treat loops with contracts.
func checkedLoops(opts Options) language.Loops {
	if opts.NoLoopContracts {
		return language.LoopsPlain
	}
	return language.LoopsChecked
}

// hasLoopContracts tells whether the program asks how loops with contracts are executed.
func hasLoopContracts(m *clangir.Module) bool { return m.FuncByName["__unitproof_loops"] != nil }

// verifyLoops is Verify of a program with contracts of loops.
func verifyLoops(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
) (*Report, error) {
	run := loopsRun{ctx: ctx, m: m, entry: entry, opts: opts, make: newSolver, loops: language.LoopsCut}
	if opts.Disable[FirstCut] {
		run.loops = language.LoopsPeeled
	}
	cut, err := run.cut(nil)
	if err != nil {
		return nil, err
	}
	if settled(cut) && (cut.unseen.none() || opts.Unwind != 0) {
		return cut, nil
	}
	far := newDeepening(ctx, m, entry, opts, newSolver, language.LoopsChecked)
	if !settled(cut) {
		far.executeContract(nil)
	}
	// Most mistakes show in the first iterations, and many iterations take long.
	var shallow *Report
	if opts.Unwind == 0 && !opts.Disable[FirstCut] {
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
	if cut = run.peeled(cut); settled(cut) {
		if shallow != nil {
			cut.unseen.see(shallow)
		}
		return cut, nil
	}
	cut.tellObstacles(nil) // it is small without what tells them
	if far.executeContract(cut.numbersInTheWay()); len(far.executed) > 0 && shallow != nil {
		return run.join(cut, far.merge(shallow, true)), nil
	}
	if shallow != nil {
		switch r, err := run.unroll(moreIterations, far); {
		case err == nil && r.answers():
			return run.join(cut, r), nil
		case err == nil && !r.short(): // where the time ended, fewer iterations tell more
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
	return mergeReports(cut, notUnrolled(cut, shallow, opts.Limits.ended(ctx))), nil
}

// loopsRun runs one program with contracts of loops.
type loopsRun struct {
	ctx   context.Context
	m     *clangir.Module
	entry string
	opts  Options
	make  ask.NewSolver
	began bool           // a run has the memo of the proof, and others need theirs
	loops language.Loops // of runs that cut loops
}

// options are those of a further run.
func (r *loopsRun) options() Options {
	o := r.opts
	if o.Memo != nil && r.began {
		o.Memo = o.Memo.Beside()
	}
	r.began = true
	return o
}

// cut is the report of the program with loops cut by their contracts. What is known to be violated is taken to hold
// afterwards, as what is violated in a run itself is.
func (r *loopsRun) cut(violated map[findingKey]bool) (*Report, error) {
	o := r.options()
	o.Found = nil
	d := newDeepening(r.ctx, r.m, r.entry, o, r.make, r.loops)
	maps.Copy(d.violated, violated)
	report, err := d.timed()
	if err == nil {
		report.peeled = r.loops == language.LoopsPeeled
	}
	return report, err
}

// peeled is the report of the program with loops cut behind a first iteration, where less is open there; else cut.
func (r *loopsRun) peeled(cut *Report) *Report {
	some := func(in Instance) bool { return notInductive(&in) }
	if cut.peeled || !cut.Reason.None() || !slices.ContainsFunc(cut.Instances, some) {
		return cut
	}
	r.loops = language.LoopsPeeled
	if p, err := r.cut(nil); err == nil && p.Reason.None() && len(p.open()) < len(cut.open()) {
		p.addCost(cut)
		return p
	}
	r.loops = language.LoopsCut
	return cut
}

// open are the findings of which something is open.
func (r *Report) open() map[findingKey]bool {
	out := map[findingKey]bool{}
	for i := range r.Instances {
		if in := &r.Instances[i]; open(in) {
			out[keyOf(in)] = true
		}
	}
	return out
}

// unroll is the report of the program with so many iterations of its loops, 0 for all that there are; far has the
// violations that are known.
func (r *loopsRun) unroll(bound int, far *deepening) (*Report, error) {
	o := r.options()
	if bound > 0 {
		o.Unwind = bound
	}
	d := newDeepening(r.ctx, r.m, r.entry, o, r.make, language.LoopsChecked)
	d.executed, d.violated, d.told = far.executed, maps.Clone(far.violated), maps.Clone(far.told)
	return d.timed()
}

// join is mergeReports. Where unrolling has shown violations, it is asked anew what holds with loops cut: beside an
// obligation that is merely open nothing is known of what comes after it.
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
	return mergeReports(cut, unrolled)
}

// notUnrolled stands for the run with loops unrolled that ended before it knew anything: in its place is what the first
// iterations showed, if they were finished, else nothing.
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
	out.Stats.Unsettled++ // it rests on time: not to be kept
	return &out
}

// How far loops are unrolled before they are unrolled as far as they go: a few iterations, and, where cutting them
// leaves something open, those of a byte's bits. An outer loop goes on only where inner ones end before that.
const (
	firstIterations = 3
	moreIterations  = 8
)

// answers tells whether a report of few iterations shows a violation, or those are all that there are.
func (r *Report) answers() bool { return anyFails(r) || !r.cut && !r.short() }

func anyFails(r *Report) bool {
	return slices.ContainsFunc(r.Instances, func(in Instance) bool { return failed(&in) })
}

// settled tells whether nothing is open.
func settled(r *Report) bool { return r.settledBut(nil) }

func failed(in *Instance) bool { return in.Verdict == found.Failed }

func open(in *Instance) bool { return in.Verdict == found.Unknown || in.Verdict == found.Bounded }

func notInductive(in *Instance) bool { return open(in) && in.Reason.Why == found.NotInductive }

// mergeReports takes what holds from the proof with loops cut, and everything else from the one with loops unrolled.
func mergeReports(cut, unrolled *Report) *Report {
	byCut, byUnrolled := findings(cut), findings(unrolled)
	trusted, violated := trust(cut, unrolled)
	out := *unrolled
	out.Instances, out.unseen, out.peeled = nil, cut.unseen, cut.peeled
	out.unseen.see(unrolled)
	if trusted && cut.EndUnknown.None() && !anyFails(unrolled) {
		// Each way goes through the loops that are cut: what was not cut off there need not be bounded here.
		out.Reason, out.Bounded, out.EndReached, out.EndUnknown = cut.Reason, cut.Bounded, cut.EndReached, cut.EndUnknown
		out.Loops = joinLoops(cut.Loops, unrolled.Loops)
	} else {
		out.unseen.end = false
	}
	fromUnrolled, fromCut := map[int]int{}, map[int]int{} // where instances are now
	take := func(from map[int]int, i int, in Instance) {
		from[i] = len(out.Instances)
		out.Instances = append(out.Instances, in)
	}
	done := map[findingKey]bool{}
	for i, in := range unrolled.Instances {
		k := keyOf(&in)
		other := byCut[k]
		switch {
		case in.Kind == found.Unwinding && trusted && other == nil: // the loop is cut by its contract
			continue
		case in.Verdict != found.Failed && other != nil && trusted && !has(cut, other, open) &&
			!has(unrolled, byUnrolled[k], failed):
			if done[k] {
				continue
			}
			for _, n := range other {
				o := cut.Instances[n]
				if o.Verdict == found.Unreached && violated.Line > 0 {
					o.Verdict, o.Reason = found.Unknown, found.Reason{Why: found.BehindViolation, At: violated}
				}
				take(fromCut, n, o)
			}
		case in.Verdict == found.Bounded && has(cut, other, notInductive):
			in.Reason = found.Reason{Why: found.NotInductive, Cause: in.Reason.Cause}
			in.InTheWay = cut.obstacle(other)
			take(fromUnrolled, i, in)
		default:
			// Why it was not shown there may have become that a question about a contract was too hard.
			if way := cut.obstacle(other); in.Verdict == found.Unknown && !in.Reason.Behind() &&
				(way != nil || has(cut, other, notInductive)) {
				in.Reason, in.InTheWay = found.NotUnrolled.Because(in.Reason), way
			}
			take(fromUnrolled, i, in)
		}
		done[k] = true
	}
	for i, in := range cut.Instances { // what only an arbitrary iteration reaches
		if done[keyOf(&in)] {
			continue
		}
		if notInductive(&in) || !trusted && !open(&in) {
			in.Verdict, in.Reason = found.Bounded, found.Reason{Why: found.NotInductive}
			if !unrolled.Reason.None() {
				in.Verdict, in.Reason = found.Unknown, found.NotUnrolled.Because(unrolled.Reason)
			}
		}
		take(fromCut, i, in)
	}
	out.Assumptions = joinAssumptions([]*Report{unrolled, cut}, []map[int]int{fromUnrolled, fromCut})
	out.addCost(cut)
	out.Stats.Unsettled += cut.Stats.Unsettled
	return &out
}

// addCost adds what another run of the same proof cost.
func (r *Report) addCost(other *Report) {
	r.Stats.Nanoseconds += other.Stats.Nanoseconds
	r.Stats.Executions += other.Stats.Executions
	r.Stats.Unrolled = sumUnrollings(slices.Concat(r.Stats.Unrolled, other.Stats.Unrolled))
	r.Stats.SolverQueries += other.Stats.SolverQueries
	r.Stats.SolverConflicts += other.Stats.SolverConflicts
}

// trust tells whether what holds with loops cut holds: what the invariants say was assumed. Where one of them, or of
// the frames, is violated (there, if known), execution goes on only where it holds; where it is open, or behind
// something that is open, nothing follows.
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

// findings are the instances of each finding, by their places in the report.
func findings(r *Report) map[findingKey][]int {
	m := map[findingKey][]int{}
	for i := range r.Instances {
		k := keyOf(&r.Instances[i])
		m[k] = append(m[k], i)
	}
	return m
}

// has tells whether something is true of one of the instances.
func has(r *Report, instances []int, is func(*Instance) bool) bool {
	return slices.ContainsFunc(instances, func(i int) bool { return is(&r.Instances[i]) })
}
