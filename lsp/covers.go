package lsp

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// The functions that proofs execute. A proof executes a function if one of its reached obligations is there, or a call
// path leads through it: results have these without computing coverage.

// verbCovered is the lens over a function that proofs execute; the lens's Entry is the function.
const verbCovered = "covered"

// executedFunction identifies a function by its file and name.
type executedFunction struct{ path, name string }

// executed are the functions of one result, each with the worst verdict of its findings.
type executed struct {
	result    *diagnostics.Proof
	functions map[executedFunction]found.Verdict
}

// executes returns the functions that a proof executes. It is computed once for each result.
func (v *view) executes(p *editing.ProofState) map[executedFunction]found.Verdict {
	if p.Result == nil {
		return nil
	}
	s := v.server
	s.mu.Lock()
	known := s.executed[p.ID]
	s.mu.Unlock()
	if known.result == p.Result {
		return known.functions
	}
	known = executed{p.Result, map[executedFunction]found.Verdict{}}
	note := func(file, function string, verdict found.Verdict) {
		at := executedFunction{fileOf(p, file), function}
		if was, ok := known.functions[at]; !ok || verdict.Rank() > was.Rank() {
			known.functions[at] = verdict
		}
	}
	for i := range p.Result.Obligations {
		f := &p.Result.Obligations[i]
		if f.Verdict == found.Unreached {
			continue
		}
		note(f.File, f.Function, f.Verdict)
		for _, c := range f.CallPath {
			note(c.File, c.Function, found.Proved) // the call itself
		}
	}
	s.mu.Lock()
	s.executed[p.ID] = known
	s.mu.Unlock()
	return known.functions
}

// coveredBy is a proof that executes a function.
type coveredBy struct {
	proof   *editing.ProofState
	verdict found.Verdict // of the findings in the function
}

// covers returns the proofs that execute a function of a document but do not begin with it.
func (v *view) covers(d *document, name string) []coveredBy {
	return v.coversFunction(executedFunction{d.path, name})
}

func (v *view) coversFunction(at executedFunction) (list []coveredBy) {
	for _, p := range v.proofs() {
		if p.Proof.Entry == at.name && p.Proof.File == at.path {
			continue
		}
		if verdict, ok := v.executes(p)[at]; ok {
			list = append(list, coveredBy{p, verdict})
		}
	}
	return list
}

// coverTitle returns the title of a lens: "2 proofs ✓ · 1 ✗ put"; "" for a function that no proof executes.
func (v *view) coverTitle(list []coveredBy) string {
	byVerdict := map[found.Verdict][]string{}
	stale := false
	for _, c := range list {
		byVerdict[c.verdict] = append(byVerdict[c.verdict], c.proof.Proof.Name)
		stale = stale || !v.fresh(c.proof)
	}
	var parts []string
	for _, verdict := range []found.Verdict{found.Proved, found.Failed, found.Vacuous, found.Bounded, found.Unknown} {
		names := byVerdict[verdict]
		switch {
		case len(names) == 0:
		case verdict == found.Proved && len(names) == 1:
			parts = append(parts, "1 proof ✓")
		case verdict == found.Proved:
			parts = append(parts, fmt.Sprintf("%d proofs ✓", len(names)))
		default:
			parts = append(parts, fmt.Sprintf("%d %s %s", len(names), signs[verdict], strings.Join(names[:min(len(names), 3)],
				", ")))
		}
	}
	if score := v.coverScore(list); score != "" && !stale {
		parts = append(parts, "strength "+score)
	}
	if stale && len(parts) > 0 {
		parts = append(parts, "before your last edit")
	}
	return strings.Join(parts, " · ")
}

// coverScore returns the measured strength of the only proof of a function, "" if there are several or it is unknown.
func (v *view) coverScore(list []coveredBy) string {
	if len(list) != 1 {
		return ""
	}
	return v.score(list[0].proof)
}

// coverable reports whether the functions of a document get lenses with their proofs.
func (v *view) coverable(d *document) bool {
	return filepath.Ext(d.path) == ".c" && len(d.text.data) <= maxLensText && v.provable(d)
}

// coverLenses returns the lenses over functions that proofs execute.
func (v *view) coverLenses(d *document) (lenses []protocol.CodeLens) {
	if !v.coverable(d) {
		return nil
	}
	for f := range d.text.source.Functions() {
		if len(v.covers(d, f.Name)) > 0 {
			lenses = append(lenses, protocol.CodeLens{Range: v.above(d, f),
				Data: lensData{URI: d.uri, Entry: f.Name, Verb: verbCovered}})
		}
	}
	return lenses
}

// coverCommand returns the command of a lens: it verifies the proofs that execute the function.
func (v *view) coverCommand(path string, data lensData) *protocol.Command {
	d := v.docs[path]
	if d == nil {
		return &protocol.Command{Title: "◌ not verified"}
	}
	list := v.covers(d, data.Entry)
	title := v.coverTitle(list)
	if title == "" {
		return &protocol.Command{Title: "◌ not verified"}
	}
	ids := []string{}
	for _, c := range list {
		ids = append(ids, string(c.proof.ID))
	}
	return &protocol.Command{Title: title, Command: commandPrefix + verbVerify,
		Arguments: []any{map[string]any{"proofs": ids, "force": true}}}
}

// coverHover describes the proofs that execute the function whose name is at a position; nil if there is none.
func (v *view) coverHover(path string, at protocol.Position) *protocol.Hover {
	d := v.docs[path]
	if d == nil || !v.coverable(d) {
		return nil
	}
	offset := d.text.offset(at, v.encoding)
	f, ok := d.text.source.FunctionAround(offset)
	if !ok || offset < f.NameStart || offset >= f.NameEnd {
		return nil
	}
	list := v.covers(d, f.Name)
	if len(list) == 0 {
		return nil
	}
	b := v.newProse()
	b.strong("Proofs that execute " + f.Name)
	for _, c := range list {
		b.line()
		b.say(fmt.Sprintf("%s %s: %s", signs[c.verdict], c.proof.Proof.Name, v.proofTitle(c.proof)))
	}
	return b.hover(d.text.span(f.NameStart, f.NameEnd, v.encoding))
}

// documentSymbols returns the proofs of a document: their entries, with the verdict as detail.
func (v *view) documentSymbols(_ context.Context, p *textDocumentParams) ([]protocol.DocumentSymbol, error) {
	out := []protocol.DocumentSymbol{}
	path, ok := pathOf(p.TextDocument.URI)
	if !ok || v.docs[path] == nil {
		return out, nil
	}
	d := v.docs[path]
	for _, e := range v.entries(d) {
		symbol := protocol.DocumentSymbol{Name: e.name, Detail: "unit proof", Kind: protocol.SymbolKindFunction,
			Range: e.span, SelectionRange: e.span}
		if f, ok := d.text.source.Function(e.name); ok {
			symbol.Range = d.text.span(f.Start, f.End, v.encoding)
		}
		if e.proof != nil {
			symbol.Name, symbol.Detail = e.proof.Proof.Name, v.proofTitle(e.proof)
		}
		out = append(out, symbol)
	}
	return out, nil
}

// executesIn reports whether a proof executes a function of a file.
func (v *view) executesIn(path string) bool {
	for _, p := range v.proofs() {
		for at := range v.executes(p) {
			if at.path == path && p.Proof.File != path {
				return true
			}
		}
	}
	return false
}

// coverTitles writes the titles of all lenses over code under proof, to see whether they changed.
func (v *view) coverTitles(write func(s string)) {
	paths := make([]string, 0, len(v.docs))
	for path := range v.docs {
		if v.executesIn(path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		d := v.docs[path]
		if project.IsForeign(path) || !v.coverable(d) {
			continue
		}
		for f := range d.text.source.Functions() {
			if title := v.coverTitle(v.covers(d, f.Name)); title != "" {
				write(path + f.Name + title + "\n")
			}
		}
	}
}
