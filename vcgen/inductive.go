package vcgen

import (
	"context"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// firstInduction is the work after which a run tries induction for the first time, before it has finished.
// openInduction is the same for a program without a long loop: few iterations may be hard as well if their number is an
// input.
const (
	firstInduction = 300_000
	openInduction  = 1_000_000
)

// Limits of induction while other tasks are under way: its queries may be hard for long, and there is no result before
// the last one is answered. The share is more than half of the time because the work that is allowed takes half of the
// default time, and somewhat more where the collector of garbage has idle processors.
// An attempt that they end goes on with twice the work, as often as inductionAttempts says. In between, the whole gets
// the work divided by inductionTurns, which takes about half of the attempt's time: a unit takes longer in unfolding.
const (
	firstInductionWork = 30_000_000
	inductionShare     = 0.6
	laterShare         = 0.8
	inductionAttempts  = 4
	inductionTurns     = 6
)

// inductionBudget returns the work of the next attempt while other tasks are under way.
func (d *deepening) inductionBudget() int64 { return firstInductionWork << d.inductions }

// mayInduct reports whether induction can contribute to the proof.
func (d *deepening) mayInduct() bool {
	return d.cutsFreely() && !d.opts.Checks[found.UninitializedRead] && !d.opts.Disable[Induction]
}

// cutsFreely reports whether the engine, not the user, chooses the bounds of all loops that are not cut by a contract.
func (d *deepening) cutsFreely() bool {
	return (d.loops == language.LoopsChecked || d.loops.Cut()) &&
		d.opts.Unwind == 0 && len(d.opts.Loops) == 0 && d.ctx.Err() == nil
}

// induct tries induction, or goes on with a search that its share of the time had ended; loops are known to be cut off.
func (d *deepening) induct(loops []string, budget int64) {
	d.inducted = true
	if d.opts.Stage != nil {
		defer d.opts.Stage("induction")()
	}
	ctx, stop := context.WithCancelCause(d.ctx)
	defer stop(nil)
	x := extent{loops: d.loops}
	tried, settled := d.unsettled, false
	goesOn := tried != nil && tried.extent.induction.Cuts(loops)
	if budget > 0 {
		share := inductionShare
		if d.inductions > 0 {
			share = laterShare
		}
		defer d.opts.Limits.watch(share, stop)()
		var pass *engine // each pass has its own engine
		before, work := int64(0), int64(0)
		if goesOn {
			pass, before = tried.engine, -tried.engine.Work()
		}
		x.steady = true
		x.pace = func(e *engine) {
			if e != pass {
				before, pass = before+work, e
			}
			if work = e.Work(); before+work > budget {
				stop(errBudget)
			}
		}
	}
	if d.unsettled = nil; goesOn {
		tried.engine.ctx, tried.engine.extent.pace = ctx, x.pace
		settled = tried.search(ctx)
	} else {
		x.induction = unfold.NewInduction(loops)
		tried, settled = induct(ctx, d.m, d.entry, d.opts, d.make, x)
	}
	switch {
	case ctx.Err() == nil && settled:
		d.induction = tried
	case ctx.Err() != nil || budget > 0 && !goesOn && len(x.induction.Heads) == 0:
		d.inducted = false // it is tried again later, and more loops may be known to be cut off
		d.inductions++
		if !settled {
			d.unsettled = tried
		}
	}
}

// byInduction tries induction for a program with contracts of loops, whose invariants need not be all that is known in
// an iteration: others are found beside them. It returns the report if that settles everything, otherwise nil.
func (d *deepening) byInduction() *Report {
	if !d.mayInduct() || d.opts.Coverage {
		return nil
	}
	d.induct(nil, firstInductionWork)
	if r := d.inductionReport(maps.Clone(d.violated), firstInductionWork); r != nil {
		return d.merge(r.plain(), true)
	}
	return nil
}

// inductionReport returns the report of induction, given known violations, if it settles all other findings; otherwise
// nil. It may cost work up to budget, 0 for no limit.
//
// Invariants hold under the obligations of an iteration. So an execution in which one is false shows a defect if the
// obligations are proved. It shows nothing otherwise: an arbitrary state may have a pointer that no execution has, and
// invariants may follow from its validity.
func (d *deepening) inductionReport(violated map[findingKey]bool, budget int64) *Report {
	if d.induction == nil || !d.defect.None() {
		return nil
	}
	if d.opts.Stage != nil {
		defer d.opts.Stage("induction")()
	}
	ctx, stop := context.WithCancelCause(d.ctx)
	defer stop(nil)
	e := d.induction.engine
	e.ctx, e.extent.pace = ctx, nil
	if budget > 0 {
		defer d.opts.Limits.watch(wholeShare, stop)()
		before := e.Work()
		e.extent.steady, e.extent.pace = true, func(e *engine) {
			if e.Work()-before > budget {
				stop(errBudget)
			}
		}
	}
	r, err := d.evaluate(ctx, violated, budget > 0)
	for err == nil && !r.settles(violated) && d.induction.refine(ctx) {
		r, err = d.evaluate(ctx, violated, budget > 0)
	}
	if d.stopped = ctx.Err() != nil && d.ctx.Err() == nil; d.stopped {
		d.inductions++
	}
	if err != nil || !r.settles(violated) {
		return nil
	}
	if d.defect = d.induction.refuted; !d.defect.None() {
		return nil
	}
	r.finished, r.inducted, r.Loops = true, true, d.induction.loops()
	return r
}

// evaluate returns the report of induction, given known violations. settling: only a report that settles everything is
// of use, so the first obligation that is not inductive ends it. The others may be hard, and take the time of rounds.
func (d *deepening) evaluate(ctx context.Context, violated map[findingKey]bool, settling bool) (*Report, error) {
	e := d.induction.engine
	if !settling {
		return d.induction.report(violated)
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	e.ctx, e.extent.spoiled = inner, func() { stop(errSpoiled) }
	r, err := d.induction.report(violated)
	e.ctx, e.extent.spoiled = ctx, nil
	if context.Cause(inner) == errSpoiled {
		return &Report{}, nil
	}
	return r, err
}

// conclude evaluates induction beside the known violations, if there are new ones. It may settle the whole proof while
// the whole run is under way.
func (d *deepening) conclude() {
	if d.induction == nil || d.settled != nil || len(d.violated) < d.concluded || d.ctx.Err() != nil {
		return
	}
	d.concluded = len(d.violated) + 1
	if r := d.inductionReport(maps.Clone(d.violated), d.inductionBudget()); r != nil {
		d.settled = r.plain()
	}
}

// inductive returns the report of a finished run, completed by induction for findings that are open because loops were
// cut off. It also adds violations after more iterations. If an execution refutes an invariant, the engine is wrong,
// and that is reported.
func (d *deepening) inductive(whole *Report) *Report {
	r := d.joined(whole)
	if r.Reason.None() && !d.defect.None() {
		wrong := *r
		wrong.Reason = d.defect
		return &wrong
	}
	return r
}

// joined is inductive without regard to defects.
func (d *deepening) joined(whole *Report) *Report {
	for {
		r := d.merge(whole, true)
		loops, violated := r.cutOff()
		free := d.cutsFreely()
		if len(loops) == 0 || !free && (d.opts.Unwind != 0 || len(d.opts.Loops) > 0 || d.ctx.Err() != nil) {
			return r
		}
		if d.mayInduct() {
			if !d.inducted {
				budget := int64(0)
				if d.loops.Cut() { // the run with executed loops needs time, too
					budget = firstInductionWork
				}
				d.induct(loops, budget)
			}
			if a := d.inductionReport(violated, 0); a != nil {
				return joinCut(a.plain(), r)
			}
		}
		if d.loops.Cut() { // the run with executed loops looks for violations
			return r
		}
		if len(violated) == 0 && d.executeFar(never) {
			continue
		}
		if !free {
			return r
		}
		deeper := d.unrollFurther(whole, loops)
		if deeper == nil {
			d.provePart(violated)
			return d.withPart(r)
		}
		whole = deeper
	}
}

// Limits of provePart: how often invariants are searched again without the obligations that stay open, and the share of
// the time after which the search is given up.
const (
	partRounds = 4
	partShare  = 0.97
)

// provePart keeps the report of induction for findings that it proves although others stay open. The proofs must not
// rest on the open ones, and neither must the invariants: these are checked again without them, until nothing more is
// lost.
func (d *deepening) provePart(violated map[findingKey]bool) {
	x := d.induction
	if x == nil || d.part != nil || d.ctx.Err() != nil || !x.refuted.None() {
		return
	}
	ctx, stop := context.WithCancelCause(d.ctx)
	defer stop(nil)
	defer d.opts.Limits.watch(partShare, stop)()
	x.engine.ctx, x.engine.extent.pace = ctx, nil
	for range partRounds {
		a, err := x.report(violated)
		if err != nil || !a.EndReached || !a.EndUnknown.None() || !a.Reason.None() || !a.Bounded.None() {
			return
		}
		dropped, ok := x.finder.Without(ctx, x.open(a, violated))
		if !ok || ctx.Err() != nil {
			return
		}
		if !dropped {
			a.inducted, a.Loops = true, x.loops()
			d.part = a.plain()
			return
		}
	}
}

// withPart adds the findings of provePart to a report, unless that has none, and so nothing to tell but its reason.
func (d *deepening) withPart(r *Report) *Report {
	if d.part == nil || len(r.Instances) == 0 {
		return r
	}
	return joinCut(d.part, r)
}

// Loops whose end is a small number are unrolled to it, even if that is more than DefaultMaxUnwind: 255 for a counter
// of 8 bits. raisedUnwind is the bound then, and raisedWork the work that it may cost at least.
const (
	raisedUnwind = 260
	raisedWork   = 3_000_000
	raisedShare  = 4 // the work that it may cost, as a multiple of that of the whole
)

// unrollFurther unrolls loops that were cut off to a larger bound, if they end within it in all executions that were
// made. It returns nil if the bound is given, was raised already, or is not enough.
func (d *deepening) unrollFurther(whole *Report, loops []string) *Report {
	if d.opts.MaxUnwind != 0 || d.raised || whole == nil || d.induction == nil || d.ctx.Err() != nil ||
		slices.ContainsFunc(loops, func(l string) bool { return !d.induction.finder.EndsWithin(l, raisedUnwind) }) {
		return nil
	}
	d.raised = true
	if d.opts.Stage != nil {
		defer d.opts.Stage("unrolling further")()
	}
	ctx, stop := context.WithCancelCause(d.ctx)
	defer stop(nil)
	opts := d.opts
	opts.MaxUnwind, opts.Found = raisedUnwind, d.report
	if opts.Memo != nil {
		opts.Memo = opts.Memo.Beside()
		defer opts.Memo.Seal()
	}
	limit := max(raisedWork, raisedShare*whole.Stats.work)
	x := extent{loops: d.loops, violated: d.violated}
	x.pace = func(e *engine) {
		if e.Work() > limit {
			stop(errBudget)
		}
	}
	r, err := runExtent(ctx, d.m, d.entry, opts, d.make, x)
	if err != nil || ctx.Err() != nil || r.short() {
		return nil
	}
	r.finished = true
	return r
}

// cutOff returns the cut loops for which something is open, and the violated findings.
func (r *Report) cutOff() (loops []string, violated map[findingKey]bool) {
	violated = map[findingKey]bool{}
	for i := range r.Instances {
		in := &r.Instances[i]
		if in.Verdict == found.Failed {
			violated[keyOf(in)] = true
		}
		if in.Verdict == found.Bounded && in.Loop != "" && !slices.Contains(loops, in.Loop) {
			loops = append(loops, in.Loop)
		}
	}
	if c := r.Bounded.Cause; c != nil && c.Why == found.LoopCut {
		loops = append(loops, c.Name)
	}
	return loops, violated
}

// settles reports whether nothing is open beside the known violations, and some execution reaches an end.
func (r *Report) settles(violated map[findingKey]bool) bool {
	return r.EndReached && r.settledBut(violated)
}

// settledBut reports whether nothing is open except known violations, and findings for which no run can contribute
// more.
func (r *Report) settledBut(violated map[findingKey]bool) bool {
	return r.Reason.None() && r.Bounded.None() && r.EndUnknown.None() &&
		!slices.ContainsFunc(r.Instances, func(in Instance) bool {
			return open(&in) && (!violated[keyOf(&in)] || in.unsure) && !in.Reason.Final()
		})
}

// plain returns the report without the invariants that were found.
func (r *Report) plain() *Report {
	j := newJoining(source{Report: r, role: cutsSome})
	j.take = func(_ findingKey, _, _ int, in *Instance) bool { return !in.found }
	return j.join(r)
}
