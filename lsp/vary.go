package lsp

import (
	"context"
	"fmt"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Executions with changed inputs. The shown trace is the starting point: the first change compiles the program, and
// each further one executes it only.

// vary executes the shown execution with other values for some of its inputs, and shows the result in its place. The
// indices of the changes are those of the inputs that are shown. With again, the changes take the place of the last
// ones: they apply to the execution that was shown before these, as a user types one character after the other.
func (v *view) vary(ctx context.Context, args *proofArgs) (any, error) {
	p, f, request, err := v.replayRequest(&proofArgs{Proof: args.Proof, Finding: args.Finding})
	if err != nil {
		return nil, err
	}
	shown := v.shownOf(p, f)
	if err := v.openPlayground(ctx, &shown, request, p); err != nil {
		return nil, err
	}
	run := f.Run
	switch {
	case args.Again && shown.before != nil:
		run = *shown.before
	case shown.changed != nil:
		run = shown.changed.Run
	}
	shown.before = &run
	out, err := shown.program.Vary(ctx, run, args.Changes, vcgen.VaryOptions{Whole: args.All})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
	}
	return v.showVariant(&shown, p, f, out, out.Sentence), nil
}

// showVariant shows an execution in place of a counterexample.
func (v *view) showVariant(shown *shownTrace, p *editing.ProofState, f shownFinding, out *diagnostics.Variant,
	title string) traceResult {
	shown.changed = &out.Finding
	f.Finding = &out.Finding
	result := v.traceOf(p, f)
	result.Title, result.ID, result.End, result.FailingSet = title, shown.finding, out.End, v.knownSet(p, shown.finding)
	v.show(shown)
	return result
}

// jobOf returns the check of a proof.
func jobOf(p *editing.ProofState, request *pipeline.ReplayRequest) pipeline.Job {
	job := pipeline.Job{Settings: request.Settings, Proof: p.Proof, Live: pipeline.Live{Virtual: request.Virtual}}
	if request.Define != nil {
		job.Define = func(names []string) map[string][]project.Unit { return request.Define(&p.Proof, names) }
	}
	return job
}

// openPlayground compiles the program of a shown counterexample, if it is not compiled yet.
func (v *view) openPlayground(ctx context.Context, shown *shownTrace, request pipeline.ReplayRequest,
	p *editing.ProofState) (err error) {
	if shown.program == nil {
		if shown.program, err = pipeline.NewPlayground(ctx, jobOf(p, &request)); err != nil {
			return rpc.Failure(rpc.RequestFailed, "%v", err)
		}
	}
	return nil
}

// mostOthers is the number of other counterexamples that are offered for a finding.
const mostOthers = 6

// another shows another counterexample of the same finding: first a typical one, then executions that take other
// branches, and at last the one that was found first again.
func (v *view) another(ctx context.Context, args *proofArgs) (any, error) {
	p, f, request, err := v.replayRequest(&proofArgs{Proof: args.Proof, Finding: args.Finding})
	if err != nil {
		return nil, err
	}
	shown := v.shownOf(p, f)
	if err := v.openPlayground(ctx, &shown, request, p); err != nil {
		return nil, err
	}
	if shown.others == nil {
		shown.others = []otherRun{}
		var seeds []found.Run
		typical, err := v.engine.pool.Typical(ctx, jobOf(p, &request), p.Result, f.Finding)
		if err == nil && typical != nil {
			seeds = append(seeds, typical.Run)
			shown.others = append(shown.others, otherRun{typical.Run, "a typical one"})
		}
		list, err := shown.program.Others(ctx, f.Run, seeds, mostOthers)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
		}
		for _, run := range list {
			shown.others = append(shown.others, otherRun{run, "by other branches"})
		}
	}
	total := len(shown.others) + 1
	if total == 1 {
		return nil, rpc.Failure(rpc.RequestFailed,
			"no other counterexample was found: none takes other branches, and its values are not extreme")
	}
	shown.next = (shown.next + 1) % total
	run, how := f.Run, "the one that was found first"
	if shown.next > 0 {
		run, how = shown.others[shown.next-1].run, shown.others[shown.next-1].how
	}
	out, err := shown.program.Vary(ctx, run, nil, vcgen.VaryOptions{Whole: args.All})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
	}
	return v.showVariant(&shown, p, f, out, fmt.Sprintf("%s (%d of %d, %s)", out.Sentence, shown.next+1, total, how)), nil
}

// shownOf returns the shown execution of a finding; the finding's counterexample if another trace is shown.
func (v *view) shownOf(p *editing.ProofState, f shownFinding) shownTrace {
	if s := v.shown; s != nil && s.proof == p.ID && s.finding == f.ID && s.result == p.Result {
		return *s
	}
	return shownTrace{proof: p.ID, finding: f.ID, result: p.Result}
}

// variantOf returns the execution that is shown in place of a finding's counterexample; nil if there is none.
func (v *view) variantOf(p *editing.ProofState, f shownFinding) *diagnostics.Finding {
	shown := v.shownOf(p, f)
	return shown.changed
}
