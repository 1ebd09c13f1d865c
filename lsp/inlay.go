package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/vcgen/found"
)

// shownTrace is the counterexample whose values are shown.
type shownTrace struct {
	proof   editing.ProofID
	finding string
	result  *diagnostics.Proof // the run that found it: a new run ends it
	// changed is the execution that is shown in its place, with changed inputs; nil if it is the counterexample.
	changed *diagnostics.Finding
	// before is the execution that the last changes were applied to; nil if there were none.
	before  *found.Run
	program *pipeline.Playground // for further changes; nil before the first one
	// others are further counterexamples of the finding; nil before they are asked for. next is the number of the shown
	// one, 0 for the one that was found first.
	others []otherRun
	next   int
}

// otherRun is a further counterexample, and its difference from the first one in words.
type otherRun struct {
	run found.Run
	how string
}

// shownFindingOf returns the finding whose counterexample is shown, unless the proof has changed since.
func (v *view) shownFindingOf() (*editing.ProofState, *diagnostics.Finding) {
	if v.shown == nil || v.snapshot == nil {
		return nil, nil
	}
	p := v.snapshot.Proof(v.shown.proof)
	if p == nil || p.Result != v.shown.result || !v.fresh(p) {
		return nil, nil
	}
	if v.shown.changed != nil {
		return p, v.shown.changed
	}
	return p, p.Result.Finding(v.shown.finding)
}

// lineValue is a variable that the counterexample changes on a line.
type lineValue struct {
	name, value string
	times       int
}

// Largest number of characters for a variable with its value, and for all of them, at the end of a line. VS Code
// crops hints longer than 43 (editor.inlayHints.maximumLength).
const (
	maxHintValue = 43
	maxHint      = 80
)

// inlayHints returns the values of the shown counterexample at the ends of their lines, or else the invariants of
// loops.
func (v *view) inlayHints(_ context.Context, q *inlayHintParams) ([]inlayHint, error) {
	hints := v.hints(q)
	if v.caps.TextDocument.InlayHint.ResolveSupport.has("tooltip") {
		for i := range hints {
			hints[i].Tooltip, hints[i].Data = "", &hintData{q.TextDocument.URI}
		}
	}
	return hints, nil
}

// resolveHint adds the tooltip to a hint and, if it is about a loop, the edit that writes its invariants down.
func (v *view) resolveHint(_ context.Context, hint *inlayHint) (*inlayHint, error) {
	if hint.Data == nil {
		return hint, nil
	}
	q := &inlayHintParams{TextDocument: protocol.TextDocumentIdentifier{URI: hint.Data.URI},
		Range: protocol.Range{Start: hint.Position, End: hint.Position}}
	for _, now := range v.hints(q) {
		if now.Position == hint.Position && now.Label == hint.Label {
			hint.Tooltip = now.Tooltip
			if v.caps.TextDocument.InlayHint.ResolveSupport.has("textEdits") {
				hint.TextEdits = v.hintEdits(hint)
			}
		}
	}
	return hint, nil
}

// hintEdits returns the edits that write the invariants of a hint's loop down; nil if a counterexample is shown.
func (v *view) hintEdits(hint *inlayHint) []protocol.TextEdit {
	path, _ := pathOf(hint.Data.URI)
	d := v.docs[path]
	if _, f := v.shownFindingOf(); d == nil || f != nil {
		return nil
	}
	for _, l := range v.provedLoops(d) {
		if d.text.position(l.end, v.encoding) == hint.Position {
			return v.writtenDown(d, []*provedLoop{l})
		}
	}
	return nil
}

// hints returns the hints in a range, with their tooltips.
func (v *view) hints(q *inlayHintParams) []inlayHint {
	hints := []inlayHint{}
	path, ok := pathOf(q.TextDocument.URI)
	d := v.docs[path]
	if !ok || d == nil || !v.settings.InlayHints {
		return hints
	}
	p, f := v.shownFindingOf()
	if f == nil { // a trace takes precedence over loops
		return append(hints, v.loopHints(d, q)...)
	}
	for line, values := range v.valuesByLine(p, f, d) {
		if line < int(q.Range.Start.Line) || line > int(q.Range.End.Line) {
			continue
		}
		code := d.text.line(line)
		end := d.text.lines[line] + len(code)
		var parts, tips []string
		for _, val := range values {
			text := val.name + " = " + val.value
			tips = append(tips, text)
			if val.times > 1 {
				tips[len(tips)-1] = fmt.Sprintf("%s (the last of %d values)", text, val.times)
			}
			parts = append(parts, val.name+" = "+diagnostics.CompactValue(val.value,
				max(maxHintValue-len(val.name)-len(" = "), 8)))
		}
		hints = append(hints, inlayHint{Position: d.text.position(end, v.encoding),
			Label:   phrase.Shorten(strings.Join(parts, ", "), maxHint),
			Tooltip: strings.Join(tips, "\n"), PaddingLeft: true})
	}
	slices.SortFunc(hints, func(a, b inlayHint) int { return comparePositions(a.Position, b.Position) })
	return hints
}

// valuesByLine returns the assignments and inputs of the counterexample in a document by line (from 0), with the last
// value of each variable.
func (v *view) valuesByLine(p *editing.ProofState, f *diagnostics.Finding, d *document) map[int][]lineValue {
	lines := map[int][]lineValue{}
	set := func(file string, line int, name, value string) {
		if line < 1 || name == "" || value == "" || v.document(fileOf(p, file)) != d {
			return
		}
		at, _, ok := v.snapshot.Move(p, file, line, 1)
		if !ok || at > len(d.text.lines) {
			return
		}
		values := lines[at-1]
		for i := range values {
			if values[i].name == name {
				values[i].value = value
				values[i].times++
				return
			}
		}
		lines[at-1] = append(values, lineValue{name, value, 1})
	}
	for i := range f.Inputs {
		in := &f.Inputs[i]
		set(in.File, in.Line, in.Variable, in.Value)
	}
	for i := range f.Trace {
		if s := &f.Trace[i]; s.LValue != "" {
			set(s.File, s.Line, s.LValue, s.Value)
		}
	}
	return lines
}
