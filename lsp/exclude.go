package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/lsp/tomledit"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// verbExclude finds the conditions that exclude a failure. They are code actions of the finding from then on.
const verbExclude = "exclude"

// excluded is the answer of the command exclude.
type excluded struct {
	*pipeline.Exclusion
	Summary string `json:"summary"`
	Set     string `json:"set,omitempty"` // the failing set in a sentence
	// Edits assume the conditions, in their order.
	Edits []assumption `json:"edits"`
}

// assumption is an edit that assumes a condition.
type assumption struct {
	Title  string               `json:"title"`
	Detail string               `json:"detail"` // the effect, and the question to the user
	URI    protocol.DocumentURI `json:"uri"`
	Edit   protocol.TextEdit    `json:"edit"`
}

func (r excluded) summary() string { return r.Summary }

// exclude finds the conditions that exclude a failure. It takes some seconds.
func (v *view) exclude(ctx context.Context, args *proofArgs) (any, error) {
	p, f, r, err := v.replayRequest(args)
	if err != nil {
		return nil, err
	}
	out, err := v.engine.pool.Exclude(ctx, jobOf(p, &r), p.Result, f.Finding, pipeline.ExcludeOptions{})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
	}
	s := v.server
	s.mu.Lock()
	s.exclusions[replayKey{p.Result, f.ID}] = out
	s.mu.Unlock()
	answer := excluded{Exclusion: out, Summary: summary(out), Edits: []assumption{}}
	if len(out.Conditions) == 0 {
		answer.Summary = string(f.Kind) + ": " + answer.Summary
	}
	if out.FailingSet != nil {
		answer.Set = out.FailingSet.Sentence()
	}
	for i := range out.Conditions {
		if edit, ok := v.assume(p, &out.Conditions[i]); ok {
			answer.Edits = append(answer.Edits, edit)
		}
	}
	return answer, nil
}

// verbCallers asks the callers of the failing function whether they guarantee a condition that excludes the failure.
const verbCallers = "callers"

// askCallers checks the conditions that the command exclude found in the callers of the function.
func (v *view) askCallers(ctx context.Context, args *proofArgs) (any, error) {
	p, f, r, err := v.replayRequest(args)
	if err != nil {
		return nil, err
	}
	s, key := v.server, replayKey{p.Result, f.ID}
	s.mu.Lock()
	known := s.exclusions[key]
	s.mu.Unlock()
	if known == nil {
		return nil, rpc.Failure(rpc.RequestFailed, "no condition that excludes the failure is known yet")
	}
	out := *known
	g := &pipeline.Generator{Base: string(p.Root), Pool: v.engine.pool, Settings: r.Settings}
	switch err := g.AskCallers(ctx, &out, 0); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, rpc.Failure(rpc.RequestFailed, "%v", err)
	}
	s.mu.Lock()
	s.exclusions[key] = &out
	s.mu.Unlock()
	return excluded{Exclusion: &out, Summary: callersSummary(&out), Edits: []assumption{}}, nil
}

// callersSummary returns the answers of the callers in a sentence.
func callersSummary(x *pipeline.Exclusion) string {
	var list []string
	for i := range x.Callers {
		c := &x.Callers[i]
		list = append(list, fmt.Sprintf("%s (%s:%d): %s", c.Function, c.File, c.Line, c.Sentence()))
	}
	switch {
	case x.Asked == "":
		return "the conditions are not about the parameters of a function"
	case len(list) == 0:
		return "no function of the project calls " + x.Function
	}
	if n := x.OtherCallers; n > 0 {
		list = append(list, fmt.Sprintf("%d more were not checked", n))
	}
	return "`" + x.Asked + "`: " + strings.Join(list, "; ")
}

// summary is the result in a sentence.
func summary(x *pipeline.Exclusion) string {
	if x.FailingSet != nil {
		return x.FailingSet.Sentence() + "; " + remedies(x)
	}
	return remedies(x)
}

// remedies are the conditions in a sentence.
func remedies(x *pipeline.Exclusion) string {
	var list []string
	for i := range x.Conditions {
		list = append(list, "`"+x.Conditions[i].Condition+"`")
	}
	switch len(list) {
	case 0:
		return x.Reason
	case 1:
		return "excluded by " + list[0] + "; a quick fix assumes it"
	}
	return "excluded by each of these: " + parts(list) + "; quick fixes assume them"
}

// preconditions offers to find the conditions that exclude a failure and, once they are known, to assume them.
func (a *actions) preconditions(p *editing.ProofState, f shownFinding) {
	if !hasCounterexample(f) || project.IsForeign(p.Proof.File) || f.stale {
		return
	}
	where, question := "here", "Find conditions that exclude this failure"
	if fileOf(p, f.File) != p.Proof.File { // of several proofs, each has its own conditions
		where, question = "in "+p.Proof.Name, "Find conditions that exclude this failure in "+p.Proof.Name
	}
	if a.seen[question] { // another finding at this place
		question += " (" + string(f.Kind) + ")"
	}
	s := a.view.server
	s.mu.Lock()
	known := s.exclusions[replayKey{p.Result, f.ID}]
	s.mu.Unlock()
	if known == nil {
		if p.Proof.Contract || p.Proof.IsFuzzTarget() {
			return
		}
		command := verb{verbExclude, question, f.ID}.command(p)
		a.add(codeAction{Title: command.Title, Kind: protocol.QuickFix, Diagnostics: a.diagnosticsOf(string(f.Kind)),
			Command: command})
		return
	}
	if g := known.Guard; g != nil {
		path := fileOf(p, g.File)
		if t := a.view.text(path); t != nil {
			if at, ok := t.offsetAt(g.Line, g.Column); ok {
				edit := protocol.TextEdit{Range: t.span(at, at, a.view.encoding),
					NewText: g.Text + tomledit.LineEnd(string(t.data)) + g.Indent}
				a.add(codeAction{Title: fmt.Sprintf("Guard %s: `%s`", g.Function, g.Text), Kind: protocol.QuickFix,
					Diagnostics: a.diagnosticsOf(string(f.Kind)),
					Edit: &workspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{
						a.view.uri(path): {edit}}}})
			}
		}
	}
	askable := func(c pipeline.Precondition) bool { return c.InCode != "" }
	if known.Asked == "" && known.Function != "" && slices.ContainsFunc(known.Conditions, askable) {
		command := verb{verbCallers, "Ask the callers of " + known.Function + " whether they guarantee it", f.ID}.command(p)
		a.add(codeAction{Title: command.Title, Kind: protocol.QuickFix, Diagnostics: a.diagnosticsOf(string(f.Kind)),
			Command: command})
	}
	for i := range known.Conditions {
		c := &known.Conditions[i]
		if edit, ok := a.view.assume(p, c); ok {
			a.add(codeAction{
				Title: fmt.Sprintf("Assume `%s` %s (excludes this failure; %s)", c.Condition, where, c.Question),
				Kind:  protocol.QuickFix, Diagnostics: a.diagnosticsOf(string(f.Kind)), remedy: c.Exact,
				Edit: &workspaceEdit{Changes: map[protocol.DocumentURI][]protocol.TextEdit{edit.URI: {edit.Edit}}}})
		}
	}
}

// assume is the edit that assumes a condition, in the present text.
func (v *view) assume(p *editing.ProofState, c *pipeline.Precondition) (assumption, bool) {
	path := fileOf(p, c.File)
	t := v.text(path)
	if t == nil {
		return assumption{}, false
	}
	at, ok := t.offsetAt(c.Line, c.Column)
	if !ok {
		return assumption{}, false
	}
	if c.EndLine > 0 {
		end, ok := t.offsetAt(c.EndLine, c.EndColumn)
		text := strings.ReplaceAll(strings.ReplaceAll(c.Text, "\r\n", "\n"), "\n", tomledit.LineEnd(string(t.data)))
		return assumption{Title: c.Text, Detail: c.Effect() + "; " + c.Question, URI: v.uri(path),
			Edit: protocol.TextEdit{Range: t.span(at, end, v.encoding), NewText: text}}, ok && at <= end
	}
	line := string(t.data[:at])
	line = line[strings.LastIndexByte(line, '\n')+1:]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	return assumption{Title: c.Text, Detail: c.Effect() + "; " + c.Question, URI: v.uri(path),
		Edit: protocol.TextEdit{Range: t.span(at, at, v.encoding),
			NewText: c.Text + tomledit.LineEnd(string(t.data)) + indent}}, true
}

// failingSet returns the set of inputs for which a finding fails, if the command exclude found it; nil otherwise.
func (v *view) failingSet(f hoverFinding) *pipeline.FailingSet {
	if f.stale || f.Verdict != found.Failed {
		return nil
	}
	return v.setOf(f.proof, f.ID)
}

// setOf is failingSet for a finding of a proof's current result.
func (v *view) setOf(p *editing.ProofState, finding string) *pipeline.FailingSet {
	s := v.server
	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.exclusions[replayKey{p.Result, finding}]; x != nil {
		return x.FailingSet
	}
	return nil
}

// knownSet returns the failing set of a finding in a sentence, "" if it is not known.
func (v *view) knownSet(p *editing.ProofState, finding string) string {
	if set := v.setOf(p, finding); set != nil {
		return set.Sentence()
	}
	return ""
}
