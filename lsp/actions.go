package lsp

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/lsp/tomledit"
	"github.com/unitproof/unitproof/vcgen/found"
)

// verbKind is the kind of the code actions that are also lenses.
const verbKind protocol.CodeActionKind = "source.unitproof"

// workspaceEdit extends the library's type with operations on files, to create a missing unitproof.toml.
type workspaceEdit struct {
	Changes         map[protocol.DocumentURI][]protocol.TextEdit `json:"changes,omitempty"`
	DocumentChanges []any                                        `json:"documentChanges,omitempty"`
}

// codeAction is the library's type with a workspaceEdit.
type codeAction struct {
	Title       string                  `json:"title"`
	Kind        protocol.CodeActionKind `json:"kind,omitempty"`
	Diagnostics []protocol.Diagnostic   `json:"diagnostics,omitempty"`
	IsPreferred bool                    `json:"isPreferred,omitempty"`
	Edit        *workspaceEdit          `json:"edit,omitempty"`
	Command     *protocol.Command       `json:"command,omitempty"`
	Data        *actionData             `json:"data,omitempty"` // in place of the edit

	// remedy reports that the action mends the cause of its diagnostic.
	remedy bool
}

// actionData identifies an action whose edit the client requests by codeAction/resolve.
type actionData struct {
	URI   protocol.DocumentURI `json:"uri"`
	Range protocol.Range       `json:"range"`
}

// codeActions returns remedies for the findings in a range, and the verbs of their proofs and of the proof around the
// range.
func (v *view) codeActions(ctx context.Context, p *protocol.CodeActionParams) ([]any, error) {
	out := []any{}
	path, ok := pathOf(p.TextDocument.URI)
	if !ok || v.snapshot == nil {
		return out, nil
	}
	a := v.actionsAt(ctx, path, p.Range, p.Context.Diagnostics, p.Context.Only)
	if v.caps.TextDocument.CodeAction.CodeActionLiteralSupport == nil {
		// The client supports commands only; edits need literals.
		for _, action := range a.list {
			if action.Command != nil {
				out = append(out, *action.Command)
			}
		}
		return out, nil
	}
	later := v.caps.TextDocument.CodeAction.DataSupport && v.caps.TextDocument.CodeAction.ResolveSupport.has("edit")
	for _, action := range a.list {
		if later && action.Edit != nil {
			action.Edit, action.Data = nil, &actionData{p.TextDocument.URI, p.Range}
		}
		out = append(out, action)
	}
	return out, nil
}

func (v *view) actionsAt(ctx context.Context, path string, span protocol.Range, diagnostics []protocol.Diagnostic,
	only []protocol.CodeActionKind) *actions {
	a := &actions{view: v, ctx: ctx, path: path, span: span, diagnostics: diagnostics, only: only,
		seen: map[string]bool{}, standing: v.proofsAt(path)}
	a.collect()
	a.prefer()
	return a
}

// resolveAction adds the edit to an action. It is computed for the current text, which may be newer than the list of
// actions.
func (v *view) resolveAction(ctx context.Context, action *codeAction) (*codeAction, error) {
	if action.Data == nil || action.Edit != nil {
		return action, nil
	}
	path, ok := pathOf(action.Data.URI)
	if !ok || v.snapshot == nil {
		return nil, rpc.Failure(rpc.RequestFailed, "an action of another server")
	}
	for _, now := range v.actionsAt(ctx, path, action.Data.Range, action.Diagnostics,
		[]protocol.CodeActionKind{action.Kind}).list {
		if now.Title == action.Title && now.Edit != nil {
			action.Edit = now.Edit
			return action, nil
		}
	}
	return nil, rpc.Failure(rpc.RequestFailed, "%q is not possible any more, because the text or the results have changed",
		action.Title)
}

// prefer marks the action that a client applies without a choice: the only remedy, or else the trace of the first
// counterexample.
func (a *actions) prefer() {
	if !a.view.caps.TextDocument.CodeAction.IsPreferredSupport || len(a.list) == 0 {
		return
	}
	remedies, best := 0, -1
	for i := range a.list {
		if a.list[i].remedy {
			if remedies++; remedies == 1 {
				best = i
			}
		}
	}
	switch {
	case remedies == 1:
	case a.explained: // the verbs of counterexamples come first
		best = 0
	default:
		return
	}
	a.list[best].IsPreferred = true
}

// actions collects the code actions of one request.
type actions struct {
	view        *view
	ctx         context.Context
	path        string
	span        protocol.Range
	diagnostics []protocol.Diagnostic
	only        []protocol.CodeActionKind
	list        []codeAction
	// silencing are the actions that hide a finding; they follow all others.
	silencing []codeAction
	seen      map[string]bool       // by title
	standing  []*editing.ProofState // proofs with a place in the file
	explained bool                  // the list begins with the verbs of a counterexample
}

// wanted reports whether the client requested a kind; a kind includes its sub-kinds.
func (a *actions) wanted(kind protocol.CodeActionKind) bool {
	return len(a.only) == 0 || slices.ContainsFunc(a.only, func(k protocol.CodeActionKind) bool {
		return kind == k || strings.HasPrefix(string(kind), string(k)+".")
	})
}

func (a *actions) add(action codeAction) {
	if a.seen[action.Title] || !a.wanted(action.Kind) {
		return
	}
	a.seen[action.Title] = true
	a.list = append(a.list, action)
}

func overlaps(x, y protocol.Range) bool {
	return comparePositions(x.Start, y.End) <= 0 && comparePositions(y.Start, x.End) <= 0
}

func (a *actions) collect() {
	v := a.view
	var about []*editing.ProofState // proofs whose verbs are offered
	a.counterexamples()
	for _, p := range v.proofs() {
		concerned := false
		for _, f := range v.findings(p) {
			if !f.Reported() || !a.here(fileOf(p, f.File)) {
				continue
			}
			if at, ok := v.findFinding(p, f); ok && overlaps(at.span, a.span) {
				concerned = true
				a.forFinding(p, f)
			}
		}
		if r := p.Result; r != nil {
			for i := range r.Assumptions {
				s := &r.Assumptions[i]
				if !a.here(fileOf(p, s.File)) {
					continue
				}
				if at, ok := v.find(p, point{file: s.File, line: s.Line}); ok && overlaps(at.span, a.span) {
					concerned = true
					a.forAssumption(p, s)
				}
			}
			for i := range r.Errors {
				e := &r.Errors[i]
				if !a.here(fileOf(p, e.File)) {
					continue
				}
				if at, ok := v.find(p, point{file: e.File, line: e.Line, column: e.Column}); ok && overlaps(at.span, a.span) {
					concerned = true
					a.forError(p, e.Lacks)
				}
			}
		}
		inEntry := a.inEntry(p)
		if concerned || inEntry {
			about = append(about, p)
		}
		if inEntry {
			a.postconditions(p)
		}
	}
	a.forLoop()
	a.prove()
	a.verbs(about)
	for _, action := range a.silencing {
		a.add(action)
	}
}

// maxProofs is the number of proofs whose counterexamples at one place are offered.
const maxProofs = 3

// counterexamples adds the verbs of the counterexamples in the range, as quick fixes: clients show these as a light
// bulb, and apply the first of them by default.
func (a *actions) counterexamples() {
	if !a.wanted(protocol.QuickFix) {
		return
	}
	v, proofs := a.view, 0
	for _, p := range v.proofs() {
		offered := false
		for _, f := range v.counterexamples(p) {
			if !a.here(fileOf(p, f.File)) {
				continue
			}
			if at, ok := v.findFinding(p, f); !ok || !overlaps(at.span, a.span) || proofs == maxProofs {
				continue
			}
			offered = true
			for _, verb := range counterexampleVerbs(f) {
				command := verb.command(p)
				command.Title = "unitproof: " + verb.title + " " + p.Proof.Name
				a.add(codeAction{Title: command.Title, Kind: protocol.QuickFix, Diagnostics: a.diagnosticsOf(string(f.Kind)),
					Command: command})
				a.explained = true
			}
		}
		if offered {
			proofs++
		}
	}
}

// here reports whether a path is the file of the request, under any of its names.
func (a *actions) here(path string) bool {
	if path == a.path {
		return true
	}
	d := a.view.docs[a.path]
	return d != nil && a.view.document(path) == d
}

// inEntry reports whether the range is in a proof's entry.
func (a *actions) inEntry(p *editing.ProofState) bool {
	if !a.here(p.Proof.File) && !slices.Contains(a.standing, p) {
		return false
	}
	t := a.view.text(a.path)
	if t == nil {
		return false
	}
	f, ok := entryOf(p, a.path, t)
	at := t.offset(a.span.Start, a.view.encoding)
	return ok && f.Start <= at && at <= f.End
}

// verbs adds the commands of the proofs' lenses.
func (a *actions) verbs(proofs []*editing.ProofState) {
	for _, p := range proofs {
		for _, verb := range a.view.verbsOf(p) {
			command := verb.command(p)
			title := "unitproof: " + verb.title + " " + p.Proof.Name
			if verb.name == verbCommandLine {
				title = "unitproof: Copy command line of " + p.Proof.Name
			}
			command.Title = title
			a.add(codeAction{Title: title, Kind: verbKind, Command: command})
		}
	}
}

// diagnosticsOf returns the diagnostics of the request with a kind.
func (a *actions) diagnosticsOf(kind string) []protocol.Diagnostic {
	var out []protocol.Diagnostic
	for _, d := range a.diagnostics {
		if d.Source == sourceName && d.Code == any(kind) {
			out = append(out, d)
		}
	}
	return out
}

// fix adds an edit of the proof's configuration.
func (a *actions) fix(title, kind string, edit *workspaceEdit, err error) {
	if err != nil {
		a.view.server.log.Info("no edit of unitproof.toml", "error", err)
		return
	}
	a.add(codeAction{Title: title, Kind: protocol.QuickFix, Diagnostics: a.diagnosticsOf(kind), Edit: edit})
}

// mend is like fix for an edit that adds what the proof lacks.
func (a *actions) mend(title, kind string, edit *workspaceEdit, err error) {
	n := len(a.list)
	a.fix(title, kind, edit, err)
	if len(a.list) > n {
		a.list[n].remedy = true
	}
}

// silence is like fix for an edit that hides a finding.
func (a *actions) silence(title, kind string, edit *workspaceEdit, err error) {
	if err != nil {
		a.view.server.log.Info("no edit of unitproof.toml", "error", err)
		return
	}
	a.silencing = append(a.silencing, codeAction{Title: title, Kind: protocol.QuickFix,
		Diagnostics: a.diagnosticsOf(kind), Edit: edit})
}

func (a *actions) forFinding(p *editing.ProofState, f shownFinding) {
	if !a.wanted(protocol.QuickFix) {
		return
	}
	c, err := a.view.config(p)
	if err != nil {
		a.view.server.log.Info("no edits of unitproof.toml", "error", err)
		return
	}
	name := c.about
	kind := string(f.Kind)
	a.preconditions(p, f)
	a.offerStub(p, f)
	if f.Why.Why == found.DependsOnBody {
		a.offerSources(p, f.Why.Name, kind)
		a.offerOwnStub(p, f.Why.Name, kind)
	}
	if f.Loop != "" && !phrase.IsInput(f.Loop) && f.Bound > 0 {
		bound := 2 * f.Bound
		if phrase.IsLoop(f.Loop) {
			edit, err := c.setSubkey("loops", f.Loop, strconv.Itoa(bound))
			a.fix(fmt.Sprintf("Raise the bound of loop %s to %d for %s", f.Loop, bound, name), kind, edit, err)
		} else {
			// A recursion has no bound of its own.
			edit, err := c.setKey("unwind", strconv.Itoa(bound))
			a.fix(fmt.Sprintf("Raise the bound of %s to %d for the recursion of %s", name, bound, f.Loop), kind, edit, err)
		}
	}
	if f.Accepted {
		return
	}
	a.verifyAgain(p, f)
	// The narrower scope comes first. A table for several files has no narrow scope: a kind that it disables is
	// disabled for all of them.
	if f.Function != "" && f.Verdict != found.Vacuous {
		edit, err := c.appendTable("[[accept]]", "kind = "+tomledit.String(kind), "function = "+tomledit.String(f.Function),
			`reason = "to do: why this is fine"`)
		a.silence(fmt.Sprintf("Accept %s in %s, with a reason", kind, f.Function), kind, edit, err)
	}
	if f.Kind != found.Assertion && f.Kind != found.Unwinding && !c.shared {
		edit, err := c.setSubkey("checks", kind, "false")
		a.silence(fmt.Sprintf("Do not check %s in %s", kind, name), kind, edit, err)
	}
}

// verifyAgain offers to verify a proof if no other action but hiding is offered for a finding.
func (a *actions) verifyAgain(p *editing.ProofState, f shownFinding) {
	if len(a.list) > 0 {
		return
	}
	command := verb{name: verbVerify}.command(p)
	command.Title = "unitproof: Verify " + p.Proof.Name
	a.add(codeAction{Title: command.Title, Kind: protocol.QuickFix, Diagnostics: a.diagnosticsOf(string(f.Kind)),
		Command: command})
}
