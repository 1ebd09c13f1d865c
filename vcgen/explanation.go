package vcgen

import (
	"context"
	"maps"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// Explanation is the result of Options.Explain: why the proved findings hold, and the branches that executions take.
// With Options.NoCores no assumptions are known, of the proof or of a finding.
type Explanation struct {
	// Needed are assumptions that together suffice for everything that was proved. Spare are the others: the proof
	// still holds when all of these are removed together. Known: both were determined.
	Needed, Spare []CoreEntry
	Known         bool
	// Minimal: without any one of Needed something is violated, or undecided.
	Minimal bool
	// MallocFails: the proof also holds if malloc may fail, although that is excluded.
	MallocFails bool
	Findings    []FindingExplanation
	Branches    []BranchWays
	// OneValue are inputs for which the assumptions leave one value. Chooses: the program asks for numbers, by nd_int
	// and the like. Memory of any content does not count: it may be there to be overwritten.
	OneValue []OneValue
	Chooses  bool

	work int64 // cost of the explanation, in work of a meter
}

// FindingExplanation is the explanation of one finding. Pos is the position of its instances.
type FindingExplanation struct {
	Kind found.Kind
	Pos  found.Pos
	// Needed suffice for it, given that all earlier checks held. Known and Minimal are as in Explanation.
	Needed         []CoreEntry
	Known, Minimal bool
	// Inputs are the choices on which its condition or its reachability depends, for assertions and the like.
	Inputs []InputUse
	// Always: the condition is true by its form for all values of its operands.
	Always bool
}

// InputUse is a choice on which a finding depends.
type InputUse struct {
	Kind     found.InputKind
	Function string // its source: nd_int
	Variable string // the variable that holds it, "" if unknown
	Pos      found.Pos
}

// Work limits of each part of an explanation: a multiple of the proof's work, plus a constant for short proofs.
// Results beyond the limits are reported as unknown.
const (
	unfoldTimes, unfoldExtra = 2, 1_000_000 // unfolding without narrowed variables
	coreTimes, coreExtra     = 2, 2_000_000 // questions about cores
	anewTimes, anewExtra     = 2, 2_000_000 // a check without some assumptions
	allAnewTimes             = 2            // all such checks, as a multiple of one
	waysTimes, waysExtra     = 1, 3_000_000 // questions about branches
)

// explainedDepth is the number of iterations in explanations of proofs whose loops are too long.
const explainedDepth = 3

// explainer computes the explanation of a report.
type explainer struct {
	*plan     // the proof without narrowed variables
	report    *Report
	checked   Options // options of the report
	work      int64   // of the proof
	remaining int64   // remaining work of repeated checks
	// verify checks the whole proof again.
	verify func(ctx context.Context, opts Options) (*Report, error)
}

// explainReport returns an explanation of a report. It does not change the report, and takes a small multiple of the
// proof's work. If the context ends, missing results are reported as unknown.
//
// Assumptions narrow variables (unfold's facts), and terms then contain assumed facts without their origin. Therefore
// all queries here are about the program unfolded without narrowing.
func explainReport(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
	loops language.Loops, report *Report, work int64,
	verify func(ctx context.Context, opts Options) (*Report, error)) (*Explanation, error) {
	checked := opts
	opts.Disable = maps.Clone(opts.Disable)
	if opts.Disable == nil {
		opts.Disable = map[Mechanism]bool{}
	}
	opts.Disable[Facts] = true
	opts.Clock, opts.Stage, opts.Found, opts.Memo, opts.branches = nil, nil, nil, nil, true
	x := extent{loops: loops}
	if n := report.Stats.Instructions; n > 0 {
		x.instructions = 4*n + 1_000_000
	}
	out := &Explanation{}
	unfolded := func() (e *engine, err error) {
		began, m1, stop := metered(ctx, unfoldTimes*work+unfoldExtra)
		defer stop(nil)
		opts.meter = m1
		if e, err = generate(began, m, entry, opts, newSolver, x); err == nil {
			e.ctx, e.opts.meter = ctx, nil
		}
		out.work += m1.used
		return e, err
	}
	if report.inducted {
		x.depth = explainedDepth
	}
	e, err := unfolded()
	if err != nil && x.depth == 0 && ctx.Err() == nil {
		x.depth = explainedDepth
		e, err = unfolded()
	}
	if err != nil {
		return nil, err
	}
	defer e.standing.Close()
	p := e.newPlan()
	p.reached = append(p.reached, p.cuts...) // undecidable cuts count as reached
	a := &explainer{plan: p, report: report, checked: checked, work: work,
		remaining: allAnewTimes * (anewTimes*work + anewExtra), verify: verify}
	switch {
	case x.depth == 0:
		if !opts.NoCores {
			a.explainProved(out)
		}
		a.explainInputs(out)
		a.within(out, waysTimes*work+waysExtra, func() { a.explainNarrow(out) })
	case !opts.NoCores:
		a.explainByChecks(out)
	}
	a.within(out, waysTimes*work+waysExtra, func() { a.explainBranches(out) })
	return out, nil
}

// within calls do with a limit of work.
func (x *explainer) within(out *Explanation, limit int64, do func()) {
	ctx := x.ctx
	var stop context.CancelCauseFunc
	x.ctx, x.opts.meter, stop = metered(ctx, limit)
	defer stop(nil)
	x.metered = x.engine.Work() - x.lagged
	do()
	out.work += x.opts.meter.used
	x.ctx, x.opts.meter = ctx, nil
}

// explainVerified is explainReport for a proof as Verify checks it.
func explainVerified(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
	report *Report) *Explanation {
	work := opts.meter.used
	loops := checkedLoops(opts)
	if report.loops.Cut() {
		loops = report.loops
	}
	opts.Explain, opts.meter = false, nil
	repeat := func(ctx context.Context, o Options) (*Report, error) {
		o.Clock, o.Stage = nil, nil
		if o.Memo != nil {
			o.Memo = o.Memo.Beside()
		}
		return Verify(ctx, m, entry, o, newSolver)
	}
	out, err := explainReport(ctx, m, entry, opts, newSolver, loops, report, work, repeat)
	if err != nil { // it takes too long without narrowed variables
		return &Explanation{}
	}
	return out
}

// provedKeys returns the findings whose reached instances are all proved.
func provedKeys(r *Report) map[findingKey]bool {
	out := map[findingKey]bool{}
	for i := range r.Instances {
		in := &r.Instances[i]
		k := keyOf(in)
		switch in.Verdict {
		case found.Proved:
			if _, known := out[k]; !known {
				out[k] = true
			}
		case found.Unreached, found.Vacuous:
		default:
			out[k] = false
		}
	}
	maps.DeleteFunc(out, func(_ findingKey, proved bool) bool { return !proved })
	return out
}

// eventKey returns the finding of an event.
func (e *engine) eventKey(ev *seair.Event) findingKey {
	in := e.instance(ev)
	return keyOf(&in)
}
