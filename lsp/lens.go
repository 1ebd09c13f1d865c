package lsp

import (
	"context"
	"encoding/json"
	"slices"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/lsp/rpc"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// lensData identifies a lens for resolving it: its proof may not be listed when the lens is created.
type lensData struct {
	URI   protocol.DocumentURI `json:"uri"`
	Entry string               `json:"entry"`
	Proof string               `json:"proof,omitempty"` // its ID, if known
	Verb  string               `json:"verb"`
}

// The verbs of a proof, in the order of its lenses.
const (
	verbVerdict     = "verdict"
	verbVerify      = "verify"
	verbReplay      = "replay"
	verbTrace       = "trace"
	verbDebug       = "debug"
	verbStrength    = "strength"
	verbCommandLine = "commandLine"
)

// verbProve is the lens over a function without a proof; the lens's Entry is the function.
const verbProve = "prove"

// verb is an operation on a proof.
type verb struct {
	name, title string
	finding     string // "" if it concerns the whole proof
}

// verbsOf returns the operations that are possible for a proof now.
func (v *view) verbsOf(p *editing.ProofState) []verb {
	verbs := []verb{{verbVerify, "Verify", ""}}
	if p != nil {
		if list := v.counterexamples(p); len(list) > 0 {
			verbs = append(verbs, counterexampleVerbs(list[0])...)
		}
	}
	if p != nil && p.Result != nil && p.Result.Verdict == found.Proved {
		verbs = append(verbs, verb{verbStrength, "Strength", ""})
	}
	return append(verbs, verb{verbCommandLine, "Copy command line", ""})
}

// counterexampleVerbs returns the verbs of a finding's counterexample; none if it has none.
func counterexampleVerbs(f shownFinding) (verbs []verb) {
	if !hasCounterexample(f) {
		return nil
	}
	return []verb{{verbTrace, "Trace", f.ID}, {verbReplay, "Replay", f.ID}, {verbDebug, "Debug", f.ID}}
}

func hasCounterexample(f shownFinding) bool {
	return f.Verdict == found.Failed && (len(f.Trace) > 0 || len(f.Inputs) > 0)
}

// counterexamples returns the failed findings with a counterexample.
func (v *view) counterexamples(p *editing.ProofState) []shownFinding {
	var list []shownFinding
	for _, f := range v.findings(p) {
		if hasCounterexample(f) {
			list = append(list, f)
		}
	}
	return list
}

// entryPlace is the place of a proof's lenses.
type entryPlace struct {
	name  string
	span  protocol.Range      // of the name
	lens  protocol.Range      // of the lenses
	proof *editing.ProofState // nil: not listed yet
}

// above returns the place of lenses over a function: its name, or its first word if the name is on a later line.
func (v *view) above(d *document, f csource.Function) protocol.Range {
	first := d.text.span(f.Start, csource.SkipToken(d.text.data, f.Start), v.encoding)
	if name := d.text.span(f.NameStart, f.NameEnd, v.encoding); name.Start.Line == first.Start.Line {
		return name
	}
	return first
}

// entries returns the proofs in a document's current text, even if the workspace has not processed it yet.
func (v *view) entries(d *document) []entryPlace {
	var list []entryPlace
	seen := map[string]bool{}
	for _, p := range v.proofsAt(d.path) {
		f, ok := entryOf(p, d.path, d.text)
		if !ok && p.Proof.File != d.path {
			f, ok = entryOf(p, p.Proof.File, d.text) // the file has another name here
		}
		if !ok || seen[p.Proof.Entry] {
			continue
		}
		seen[p.Proof.Entry] = true
		list = append(list, entryPlace{p.Proof.Entry, d.text.span(f.NameStart, f.NameEnd, v.encoding), v.above(d, f), p})
	}
	if source := project.SourceOf(d.path, d.text.data); source.HoldsProofs() {
		for _, e := range slices.Concat(source.Entries, source.Contracts) {
			if start, ok := d.text.offsetAt(e.Line, e.Column); ok && !seen[e.Name] {
				span := d.text.span(start, start+len(e.Name), v.encoding)
				place := entryPlace{name: e.Name, span: span, lens: span}
				if f, ok := d.text.source.Function(e.Name); ok {
					place.lens = v.above(d, f)
				}
				list = append(list, place)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b entryPlace) int { return comparePositions(a.span.Start, b.span.Start) })
	return list
}

// codeLens returns the places of lenses; their titles are resolved later.
func (v *view) codeLens(ctx context.Context, p *textDocumentParams) ([]protocol.CodeLens, error) {
	lenses := []protocol.CodeLens{}
	path, ok := pathOf(p.TextDocument.URI)
	if !ok {
		return lenses, nil
	}
	d := v.docs[path]
	if d == nil {
		return lenses, nil
	}
	for _, e := range v.entries(d) {
		names := []string{verbVerdict}
		for _, verb := range v.verbsOf(e.proof) {
			names = append(names, verb.name)
		}
		id := ""
		if e.proof != nil {
			id = string(e.proof.ID)
		}
		for _, name := range names {
			lenses = append(lenses, protocol.CodeLens{Range: e.lens, Data: lensData{d.uri, e.name, id, name}})
		}
	}
	return slices.Concat(lenses, v.coverLenses(d), v.proveLenses(d), v.compareLenses(ctx, d)), nil
}

// resolveLens sets the title of a lens. The lens of a deleted or unlisted proof keeps a title, so that lines do not
// jump.
func (v *view) resolveLens(_ context.Context, lens *protocol.CodeLens) (*protocol.CodeLens, error) {
	var data lensData
	if raw, err := json.Marshal(lens.Data); err != nil || json.Unmarshal(raw, &data) != nil {
		return nil, rpc.Failure(rpc.RequestFailed, "a lens of another server")
	}
	if data.Verb == verbProve {
		lens.Command = proveCommand(data.URI, data.Entry)
		return lens, nil
	}
	path, _ := pathOf(data.URI)
	if data.Verb == verbCovered {
		lens.Command = v.coverCommand(path, data)
		return lens, nil
	}
	if data.Verb == verbCompare {
		lens.Command = v.compareCommand(path, data)
		return lens, nil
	}
	proof := v.proof(data.Proof)
	if proof == nil { // it was not listed yet, or was renamed
		for _, p := range v.proofsIn(path) {
			if p.Proof.Entry == data.Entry {
				proof = p
			}
		}
	}
	lens.Command = &protocol.Command{Title: "◌ not verified"}
	switch {
	case data.Verb == verbVerdict && proof != nil:
		lens.Command.Title = v.lensTitle(proof)
	case data.Verb == verbVerdict:
	case proof == nil:
		lens.Command.Title = verbTitles[data.Verb]
	default:
		for _, verb := range v.verbsOf(proof) {
			if verb.name == data.Verb {
				verb.finding = "" // the first one at the time of the click
				lens.Command = verb.command(proof)
				return lens, nil
			}
		}
		lens.Command.Title = verbTitles[data.Verb] // its counterexample no longer exists
	}
	return lens, nil
}

var verbTitles = map[string]string{verbVerify: "Verify", verbReplay: "Replay", verbTrace: "Trace", verbDebug: "Debug",
	verbStrength:    "Strength",
	verbCommandLine: "Copy command line"}

// command returns the verb as a command for the client.
func (b verb) command(p *editing.ProofState) *protocol.Command {
	args := map[string]any{"proof": string(p.ID)}
	switch b.name {
	case verbVerify:
		args = map[string]any{"proofs": []string{string(p.ID)}, "force": true}
	case verbStrength:
		args = map[string]any{"proofs": []string{string(p.ID)}}
	}
	if b.finding != "" {
		args["finding"] = b.finding
	}
	return &protocol.Command{Title: b.title, Command: commandPrefix + b.name, Arguments: []any{args}}
}

var signs = map[found.Verdict]string{found.Proved: "✓", found.Failed: "✗", found.Error: "✗", found.Vacuous: "⚠",
	found.Bounded: "◐", found.Unknown: "?"}

// loopsOf returns the number of a proof's loops and recursions that hold without a bound: ", 3 loops, 1 recursion".
func loopsOf(r *diagnostics.Proof) (text string) {
	loops, recursions := diagnostics.CountLoops(r.Loops)
	if loops > 0 {
		text = ", " + phrase.Count(loops, "loop")
	}
	if recursions > 0 {
		text += ", " + phrase.Count(recursions, "recursion")
	}
	return text
}

// lensTitle returns the state of a proof: "✓ proved · 0.20 s", "✓ contract, 3 loops · 0.20 s".
func (v *view) lensTitle(p *editing.ProofState) string {
	r := p.Result
	if r == nil {
		return "◌ " + v.proofTitle(p)
	}
	title := signs[r.Verdict] + " " + verdictWords(r)
	if p.Proof.Contract && r.Verdict != found.Error {
		if title += " of its contract"; r.Verdict == found.Proved { // the sign implies it
			title = signs[r.Verdict] + " contract"
		}
		title += loopsOf(r)
	}
	if open := r.IfEnds(); open != "" {
		title += ", " + open
	}
	if p.Imported != "" {
		title += " · in CI"
	} else if ms := p.Elapsed.Milliseconds(); ms > 0 && r.Verdict != found.Error {
		title += " · " + diagnostics.Duration(ms)
	}
	if r.Verdict != found.Error {
		title += r.Assuming()
	}
	if score := v.score(p); score != "" {
		title += " · strength " + score
	}
	if !v.fresh(p) {
		title += " · before your last edit"
	}
	switch p.Phase {
	case editing.Running:
		title += " · verifying"
	case editing.Queued:
		title += " · waiting"
	}
	return title
}
