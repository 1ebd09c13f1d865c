package lsp

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// verbEnsure finds postconditions of a proof that holds. They are code actions of its entry from then on.
const verbEnsure = "ensure"

// ensured is the answer of the command ensure.
type ensured struct {
	*pipeline.Ensured
	Summary string `json:"summary"`
	// Edits assert the facts, in their order.
	Edits []assumption `json:"edits"`
}

func (r ensured) summary() string { return r.Summary }

// ensure finds postconditions. It takes up to a minute.
func (v *view) ensure(ctx context.Context, args *proofArgs) (any, error) {
	p, err := v.proofOf(args.Proof)
	switch {
	case err != nil:
		return nil, err
	case !p.Trusted:
		return nil, rpc.Failure(rpc.RequestFailed, "the workspace is not trusted: nothing of it is compiled")
	case p.Result == nil:
		return nil, rpc.Failure(rpc.RequestFailed, "%s has no result yet; verify it", p.Proof.Name)
	}
	r := v.runRequest(p)
	out, err := v.engine.pool.Ensure(ctx, jobOf(p, &r), p.Result, pipeline.EnsureOptions{})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
	}
	s := v.server
	s.mu.Lock()
	s.ensured[p.Result] = out
	s.mu.Unlock()
	answer := ensured{Ensured: out, Edits: []assumption{}, Summary: out.Reason}
	var list []string
	for i := range out.Facts {
		list = append(list, "`"+out.Facts[i].Condition+"`")
		if edit, ok := v.assertFact(p, out, i); ok {
			answer.Edits = append(answer.Edits, edit)
		}
	}
	if len(list) > 0 {
		answer.Summary = "these hold behind the call of " + out.Function + ": " + parts(list) + "; code actions assert them"
	}
	return answer, nil
}

// postconditions offers to find postconditions of a proof and, once they are known, to assert them.
func (a *actions) postconditions(p *editing.ProofState) {
	if !a.wanted(protocol.RefactorRewrite) || p.Result == nil || project.IsForeign(p.Proof.File) || p.Proof.Contract ||
		p.Proof.IsFuzzTarget() || p.Result.Verdict != found.Proved && p.Result.Verdict != found.Bounded {
		return
	}
	s := a.view.server
	s.mu.Lock()
	known := s.ensured[p.Result]
	s.mu.Unlock()
	if t := a.view.text(p.Proof.File); known == nil || t == nil || !known.Of(t.data) {
		command := verb{verbEnsure, "Find postconditions of " + p.Proof.Name, ""}.command(p)
		a.add(codeAction{Title: command.Title, Kind: protocol.RefactorRewrite, Command: command})
		return
	}
	for i := range known.Facts {
		if edit, ok := a.view.assertFact(p, known, i); ok {
			a.add(codeAction{Title: fmt.Sprintf("Assert `%s` (%s)", known.Facts[i].Condition, edit.Detail),
				Kind: protocol.RefactorRewrite,
				Edit: &workspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{edit.URI: {edit.Edit}}}})
		}
	}
}

// assertFact is the edit that asserts a fact, if the text is the one that it was found for.
func (v *view) assertFact(p *editing.ProofState, e *pipeline.Ensured, i int) (assumption, bool) {
	t := v.text(p.Proof.File)
	if t == nil || !e.Of(t.data) {
		return assumption{}, false
	}
	start, ok := t.offsetAt(e.Line, e.Column)
	end, ok2 := t.offsetAt(e.EndLine, e.EndColumn)
	if !ok || !ok2 {
		return assumption{}, false
	}
	f := &e.Facts[i]
	return assumption{Title: f.Condition, Detail: e.Effect(f), URI: v.uri(p.Proof.File),
		Edit: protocol.TextEdit{Range: t.span(start, end, v.encoding), NewText: f.Text}}, true
}
