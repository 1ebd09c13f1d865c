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

// Explanation is what Options.Explain asks for: why what was proved holds, and what the executions of the proof do.
type Explanation struct {
	// Needed are assumptions that together suffice for all that was proved; Spare are the other ones that were met: with
	// all of them left out the proof was checked again, and nothing changed. Known: this was found out.
	Needed, Spare []CoreEntry
	Known         bool
	// Minimal: without any one of Needed something is violated, or not decided.
	Minimal bool
	// MallocFails: the proof is one of malloc that may fail, too, although that is excluded.
	MallocFails bool
	Findings    []FindingExplanation
	Branches    []BranchWays

	work int64 // that it took, as a meter counts
}

// FindingExplanation is the part of a finding. Places are those of its instances.
type FindingExplanation struct {
	Kind found.Kind
	Pos  found.Pos
	// Needed suffice for it where what was checked before it held; Known and Minimal as of Explanation.
	Needed         []CoreEntry
	Known, Minimal bool
	// Inputs are the choices that its condition, or whether it is reached, depends on; of assertions and the like.
	Inputs []InputUse
	// Always: the condition is written so that it is true of all values that its operands can have.
	Always bool
}

// InputUse is a choice that something depends on.
type InputUse struct {
	Kind     string // as of found.Input
	Function string // that makes it: nd_int
	Variable string // that it is the value of, "" where that is not known
	Pos      found.Pos
}

// What each part of an explanation may cost: the work of the proof so many times, and so much beside that, for proofs
// that are short. What is not known then is told as not known.
const (
	unfoldTimes, unfoldExtra = 2, 1_000_000 // unfolding without narrowed variables
	coreTimes, coreExtra     = 2, 2_000_000 // questions about cores
	anewTimes, anewExtra     = 2, 2_000_000 // a check without some assumptions
	allAnewTimes             = 2            // all of them, of that
	waysTimes, waysExtra     = 1, 3_000_000 // questions about branches
)

// explainedDepth is how often the bodies of loops run that are explained in place of such as are too long.
const explainedDepth = 3

// explainer explains a report on a proof.
type explainer struct {
	*plan   // the proof without narrowed variables
	report  *Report
	checked Options // those of the report
	work    int64   // that the proof took
	anew    int64   // that checks of the whole may take yet
	// verify checks the whole proof anew.
	verify func(ctx context.Context, opts Options) (*Report, error)
}

// explainReport adds an explanation to a report. It does not change what the report says, and takes a small multiple of
// what the check did; where the context ends, what is not known yet is not told.
//
// Assumptions narrow variables (unfold's facts), and then terms hold what was assumed without telling who assumed it:
// everything here is asked of the program as it is unfolded without that.
func explainReport(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
	loops language.Loops, report *Report, work int64,
	verify func(ctx context.Context, opts Options) (*Report, error)) (*Explanation, error) {
	checked := opts
	opts.Disable = maps.Clone(opts.Disable)
	if opts.Disable == nil {
		opts.Disable = map[Mechanism]bool{}
	}
	opts.Disable[Facts] = true
	opts.Clock, opts.Stage, opts.Found, opts.Memo, opts.ways = nil, nil, nil, nil, true
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
	p.reached = append(p.reached, p.cuts...) // what cannot be asked is taken to be reached
	a := &explainer{plan: p, report: report, checked: checked, work: work,
		anew: allAnewTimes * (anewTimes*work + anewExtra), verify: verify}
	if x.depth == 0 {
		a.explainProved(out)
		a.explainInputs(out)
	} else {
		a.explainByChecks(out)
	}
	a.within(out, waysTimes*work+waysExtra, func() { a.explainBranches(out) })
	return out, nil
}

// within does something that may do so much work.
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

// explainVerified is explainReport of a proof as Verify checks it.
func explainVerified(ctx context.Context, m *clangir.Module, entry string, opts Options, newSolver ask.NewSolver,
	report *Report) *Explanation {
	work := opts.meter.used
	loops := checkedLoops(opts)
	switch {
	case opts.NoLoopContracts || !hasLoopContracts(m):
	case report.peeled:
		loops = language.LoopsPeeled
	default:
		loops = language.LoopsCut
	}
	opts.Explain, opts.meter = false, nil
	anew := func(ctx context.Context, o Options) (*Report, error) {
		o.Clock, o.Stage = nil, nil
		if o.Memo != nil {
			o.Memo = o.Memo.Beside()
		}
		return Verify(ctx, m, entry, o, newSolver)
	}
	out, err := explainReport(ctx, m, entry, opts, newSolver, loops, report, work, anew)
	if err != nil { // it takes too long without narrowed variables
		return &Explanation{}
	}
	return out
}

// provedKeys are the findings of which every instance holds that is reached.
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

// eventKey is the finding of an event.
func (e *engine) eventKey(ev *seair.Event) findingKey {
	in := e.instance(ev)
	return keyOf(&in)
}
