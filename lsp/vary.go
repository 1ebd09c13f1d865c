package lsp

import (
	"context"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
)

// Executions with changed inputs. The shown trace is the starting point: the first change compiles the program, and
// each further one executes it only.

// vary executes the shown counterexample with other values for some of its inputs, and shows the result in its place.
// The indices of the changes are those of the inputs that are shown.
func (v *view) vary(ctx context.Context, args *proofArgs) (any, error) {
	p, f, request, err := v.replayRequest(&proofArgs{Proof: args.Proof, Finding: args.Finding})
	if err != nil {
		return nil, err
	}
	shown := shownTrace{proof: p.ID, finding: f.ID, result: p.Result}
	if s := v.shown; s != nil && s.proof == p.ID && s.finding == f.ID && s.result == p.Result {
		shown = *s
	}
	if shown.program == nil {
		job := pipeline.Job{Settings: request.Settings, Proof: p.Proof, Live: pipeline.Live{Virtual: request.Virtual}}
		if request.Define != nil {
			job.Define = func(names []string) map[string][]project.Unit { return request.Define(&p.Proof, names) }
		}
		if shown.program, err = pipeline.NewPlayground(ctx, job); err != nil {
			return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
		}
	}
	run := f.Run
	if shown.changed != nil {
		run = shown.changed.Run
	}
	out, err := shown.program.Vary(ctx, run, args.Changes, vcgen.VaryOptions{Whole: args.All})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
	}
	shown.changed = &out.Finding
	f.Finding = &out.Finding
	result := v.traceOf(p, f)
	result.Title, result.ID, result.End = out.Sentence, shown.finding, out.End
	v.show(&shown)
	return result, nil
}

// variantOf returns the execution that is shown in place of a finding's counterexample; nil if there is none.
func (v *view) variantOf(p *editing.ProofState, f shownFinding) *diagnostics.Finding {
	if s := v.shown; s != nil && s.proof == p.ID && s.finding == f.ID && s.result == p.Result {
		return s.changed
	}
	return nil
}
