package lsp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

const (
	sourceName = "unitproof"
	// staleSuffix is appended to messages about an earlier text.
	staleSuffix = " [before your last edit]"
)

// item is the contribution of one proof to a diagnostic.
type item struct {
	at       fileRange
	kind     string        // the diagnostic's code
	source   string        // "": sourceName
	verdict  found.Verdict // "" for an assumption
	severity protocol.DiagnosticSeverity
	stale    bool
	message  string
	finding  string // ID
	proof    *editing.ProofState
	related  []protocol.DiagnosticRelatedInformation
	quiet    bool // proved: shown only as "proved in 18 others"
	tags     []protocol.DiagnosticTag
}

// diagnosticData is returned by the client with code actions.
type diagnosticData struct {
	Proofs  []string `json:"proofs"`
	Finding string   `json:"finding,omitempty"`
}

// diagnostics returns the diagnostics of every file. The lists are sorted and not nil.
func (v *view) diagnostics() map[string][]protocol.Diagnostic {
	var items []item
	said := map[spot]bool{} // positions with a reported finding
	for _, p := range v.proofs() {
		for _, f := range v.findings(p) {
			if f.Reported() {
				said[spotOf(p, f)] = true
			}
		}
	}
	for _, p := range v.proofs() {
		items = append(items, v.itemsOf(p, said)...)
	}
	sets := v.merge(items)
	for file, problems := range v.snapshot.Problems() {
		for _, problem := range problems {
			path := problem.File
			if path == "" {
				path = file
			}
			sets[path] = append(sets[path], v.problem(path, problem))
		}
	}
	for _, list := range sets {
		slices.SortStableFunc(list, compareDiagnostics)
	}
	return sets
}

func compareDiagnostics(a, b protocol.Diagnostic) int {
	if c := comparePositions(a.Range.Start, b.Range.Start); c != 0 {
		return c
	}
	if a.Severity != b.Severity {
		return int(a.Severity) - int(b.Severity)
	}
	return strings.Compare(a.Message, b.Message)
}

func comparePositions(a, b protocol.Position) int {
	if a.Line != b.Line {
		return int(a.Line) - int(b.Line)
	}
	return int(a.Character) - int(b.Character)
}

// problem returns the diagnostic of an error in a configuration.
func (v *view) problem(path string, p project.Problem) protocol.Diagnostic {
	d := protocol.Diagnostic{Severity: protocol.DiagnosticSeverityError, Source: sourceName, Code: "configuration",
		Message: p.Message}
	if p.Key != "" {
		d.Message = p.Key + ": " + d.Message
	}
	if t := v.text(path); t != nil && p.Line > 0 {
		start, _ := t.offsetAt(p.Line, max(p.Column, 1))
		_, end := t.lineSpan(p.Line)
		d.Range = t.span(start, max(start, end), v.encoding)
	}
	return d
}

// itemsOf returns a proof's items. Proved findings are included only at positions in said.
func (v *view) itemsOf(p *editing.ProofState, said map[spot]bool) []item {
	var items []item
	findings := v.findings(p)
	all := make([]*diagnostics.Finding, len(findings))
	for i, f := range findings {
		all[i] = f.Finding
	}
	counts, folded := diagnostics.Dependents(all)
	shown := 0
	for _, f := range findings {
		if !f.Reported() && !said[spotOf(p, f)] || folded[f.Finding] {
			continue
		}
		it, ok := v.findingItem(p, f)
		if !ok {
			continue
		}
		if n := counts[f.Finding]; n > 0 {
			it.message += "; " + diagnostics.DependentsNote(f.Finding, n)
		}
		if !it.quiet {
			shown++
		}
		items = append(items, it)
		for _, it := range v.contradictionItems(p, f) { // several findings can have one cause
			if !slices.ContainsFunc(items, func(x item) bool { return x.at == it.at && x.message == it.message }) {
				items = append(items, it)
			}
		}
	}
	if r := p.Result; r != nil {
		stale := !v.fresh(p)
		items = append(items, v.errorItems(p, r, stale)...)
		items = append(items, v.assumptionItems(p, r, stale)...)
		if !stale {
			items = append(items, v.explanationItems(p, r)...)
			items = append(items, v.survivorItems(p)...)
		}
		if it, ok := v.wholeItem(p, r, stale, shown); ok {
			items = append(items, it)
		}
	}
	return items
}

// findingItem returns the item of a finding; ok is false if it is not shown.
func (v *view) findingItem(p *editing.ProofState, f shownFinding) (item, bool) {
	it := item{kind: string(f.Kind), verdict: f.Verdict, stale: f.stale, message: f.Message, finding: f.ID, proof: p}
	switch {
	case f.Verdict == found.Proved:
		it.quiet = true
	case !f.Reported():
		return it, false
	}
	var ok bool
	if it.at, ok = v.findFinding(p, f); !ok {
		return it, false
	}
	if it.quiet {
		return it, true
	}
	it.severity = severityOf(f.Verdict)
	if f.Accepted {
		it.severity = protocol.DiagnosticSeverityHint
		it.message += " (accepted"
		if f.AcceptReason != "" {
			it.message += ": " + f.AcceptReason
		}
		it.message += ")"
	} else if p.Proof.Expect == f.Verdict && p.Proof.Expect != found.Proved && p.Proof.Expect != "" {
		it.severity = protocol.DiagnosticSeverityInformation
		it.message += " (as expected)"
	}
	if v.caps.TextDocument.PublishDiagnostics.RelatedInformation {
		it.related = v.related(p, f)
	}
	return it, true
}

// contradictionItems returns an item for each part of the contradiction that makes a finding vacuous, as the mistake
// is in one of them.
func (v *view) contradictionItems(p *editing.ProofState, f shownFinding) (items []item) {
	if f.Verdict != found.Vacuous || f.Accepted {
		return nil
	}
	for i := range f.VacuityCore {
		c := &f.VacuityCore[i]
		if c.Line < 1 || c.File == "" {
			continue
		}
		if at, ok := v.find(p, f.point(c.File, c.Line, c.Column)); ok {
			items = append(items, item{at: at, kind: "contradiction", verdict: found.Vacuous,
				severity: severityOf(found.Vacuous), stale: f.stale, message: f.CoreSentence(i), proof: p})
		}
	}
	return items
}

func severityOf(verdict found.Verdict) protocol.DiagnosticSeverity {
	switch verdict {
	case found.Failed, found.Error:
		return protocol.DiagnosticSeverityError
	case found.Vacuous, found.Unreached: // unreached findings are reported only on request
		return protocol.DiagnosticSeverityWarning
	default:
		return protocol.DiagnosticSeverityInformation
	}
}

// errorItems returns the items of clang's and the linker's messages.
func (v *view) errorItems(p *editing.ProofState, r *diagnostics.Proof, stale bool) []item {
	var items []item
	inEntry := false
	for i := range r.Errors {
		e := &r.Errors[i]
		at, ok := v.find(p, point{file: e.File, line: e.Line, column: e.Column})
		if !ok {
			continue
		}
		inEntry = inEntry || at.path == p.Proof.File
		items = append(items, item{at: at, kind: "error", verdict: found.Error, severity: protocol.DiagnosticSeverityError,
			stale: stale, message: e.Message, proof: p})
	}
	if r.Verdict == found.Error && !inEntry {
		// An error in another file is shown at the proof too.
		items = append(items, item{at: v.entry(p), kind: "error", verdict: found.Error,
			severity: protocol.DiagnosticSeverityError,
			stale:    stale, message: fmt.Sprintf("%s has an error: %s", p.Proof.Name, r.Reason), proof: p})
	}
	return items
}

func (v *view) assumptionItems(p *editing.ProofState, r *diagnostics.Proof, stale bool) []item {
	var items []item
	for i := range r.Assumptions {
		a := &r.Assumptions[i]
		at, ok := v.find(p, point{file: a.File, line: a.Line})
		if !ok {
			continue
		}
		items = append(items, item{at: at, kind: a.Kind, severity: protocol.DiagnosticSeverityHint,
			stale: stale, message: "assuming " + a.Message, proof: p})
	}
	return items
}

// wholeItem returns an item at the entry for a result that no finding explains: the proof is unknown, no execution
// ends, or another verdict was expected.
func (v *view) wholeItem(p *editing.ProofState, r *diagnostics.Proof, stale bool, shown int) (item, bool) {
	it := item{at: v.entry(p), kind: string(r.Verdict), verdict: r.Verdict, severity: severityOf(r.Verdict), stale: stale,
		proof: p}
	expect := p.Proof.Expect
	switch {
	case expect != "" && expect != r.Verdict && r.Verdict != found.Error:
		it.severity = protocol.DiagnosticSeverityError
		it.message = fmt.Sprintf("%s is %s, but %s was expected", p.Proof.Name, r.Verdict, expect)
	case r.Verdict == found.Error || r.Verdict == found.Proved || r.Verdict == found.Failed || r.Reason == "":
		return it, false
	case shown > 0 && saidByFinding(r):
		return it, false
	case expect == r.Verdict:
		it.severity = protocol.DiagnosticSeverityInformation
		it.message = fmt.Sprintf("%s is %s, as expected: %s", p.Proof.Name, r.Verdict, r.Reason)
	default:
		it.message = fmt.Sprintf("%s is %s: %s", p.Proof.Name, r.Verdict, r.Reason)
	}
	return it, true
}

// saidByFinding reports whether a reported finding has the proof's verdict.
func saidByFinding(r *diagnostics.Proof) bool {
	for i := range r.Obligations {
		if f := &r.Obligations[i]; f.Reported() && !f.Accepted && f.Verdict == r.Verdict {
			return true
		}
	}
	return false
}

// mergeKey identifies the diagnostic that items are merged into.
type mergeKey struct {
	path  string
	start protocol.Position
	kind  string
	class string // "" for findings, so that all verdicts merge; the message for errors and assumptions
	stale bool
}

// merge combines items with equal keys into one diagnostic that names the proofs.
func (v *view) merge(items []item) map[string][]protocol.Diagnostic {
	groups := map[mergeKey][]*item{}
	var order []mergeKey
	for i := range items {
		it := &items[i]
		key := mergeKey{it.at.path, it.at.span.Start, it.kind, "", it.stale}
		if it.finding == "" {
			key.class = it.message
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], it)
	}
	sets := map[string][]protocol.Diagnostic{}
	for _, key := range order {
		if d, ok := v.mergeGroup(groups[key], key); ok {
			sets[key.path] = append(sets[key.path], d)
		}
	}
	return sets
}

func (v *view) mergeGroup(group []*item, key mergeKey) (protocol.Diagnostic, bool) {
	first := group[0]
	for _, it := range group[1:] {
		if !it.quiet && (first.quiet || rankOf(it) > rankOf(first)) {
			first = it
		}
	}
	if first.quiet {
		return protocol.Diagnostic{}, false
	}
	d := protocol.Diagnostic{Range: first.at.span, Severity: first.severity, Code: first.kind,
		Source:             cmp.Or(first.source, sourceName),
		Message:            first.message,
		RelatedInformation: first.related, Tags: first.tags}
	if v.caps.TextDocument.PublishDiagnostics.CodeDescriptionSupport {
		d.CodeDescription = v.server.pages.of(v.cacheDir(), first.kind)
	}
	data := diagnosticData{Proofs: []string{}, Finding: first.finding}
	for _, it := range group {
		if !it.quiet {
			data.Proofs = append(data.Proofs, string(it.proof.ID))
		}
	}
	if len(group) > 1 && key.class == "" {
		d.Message += " (" + shares(group, first.verdict) + ")"
	} else if len(group) > 1 {
		d.Message += " (" + namesOf(group) + ")"
	}
	if key.stale {
		d.Message += staleSuffix
	}
	d.Data = data
	return d, true
}

func rankOf(it *item) int { return it.verdict.Rank() }

// shares returns "fails in a, b; unknown in c; proved in 18 others".
func shares(group []*item, worst found.Verdict) string {
	by := map[found.Verdict][]*item{}
	for _, it := range group {
		by[it.verdict] = append(by[it.verdict], it)
	}
	verdicts := []found.Verdict{found.Failed, found.Unknown, found.Bounded, found.Vacuous, found.Unreached, found.Proved}
	words := map[found.Verdict]string{found.Failed: "fails in", found.Unknown: "unknown in", found.Bounded: "bounded in",
		found.Vacuous: "vacuous in", found.Unreached: "unreached in", found.Proved: "proved in"}
	var parts []string
	for _, verdict := range verdicts {
		list := by[verdict]
		switch {
		case len(list) == 0:
		case verdict == found.Proved && len(list) > 1:
			parts = append(parts, fmt.Sprintf("proved in %d others", len(list)))
		default:
			parts = append(parts, words[verdict]+" "+namesOf(list))
		}
	}
	return strings.Join(parts, "; ")
}

// maxNames is the number of proofs that a message names.
const maxNames = 5

func namesOf(group []*item) string {
	var names []string
	for _, it := range group {
		if !slices.Contains(names, it.proof.Proof.Name) {
			names = append(names, it.proof.Proof.Name)
		}
	}
	if more := len(names) - maxNames; more > 0 {
		names = append(names[:maxNames], fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, ", ")
}

// related returns the further places of a finding: its call path, the parts of a contradiction, the allocation and
// the free of the object.
func (v *view) related(p *editing.ProofState, f shownFinding) []protocol.DiagnosticRelatedInformation {
	var list []protocol.DiagnosticRelatedInformation
	add := func(file string, line, column int, format string, args ...any) {
		if line < 1 {
			return
		}
		if at, ok := v.find(p, f.point(file, line, column)); ok {
			info := protocol.DiagnosticRelatedInformation{Location: v.location(at), Message: fmt.Sprintf(format, args...)}
			if !slices.Contains(list, info) {
				list = append(list, info)
			}
		}
	}
	for i := range f.VacuityCore {
		c := &f.VacuityCore[i]
		word := "this assumption"
		if c.Kind == found.CoreBranch {
			word = "this branch"
		}
		if c.Text != "" {
			word += ": " + c.Text
		}
		add(c.File, c.Line, c.Column, "%s", word)
	}
	for _, r := range f.Related {
		add(r.File, r.Line, 0, "%s", r.Text)
	}
	if f.Verdict == found.Failed {
		if step := lifeStep(f.Finding); step != nil {
			add(step.File, step.Line, step.Column, "%s", step.Text)
		}
	}
	for i := len(f.CallPath) - 1; i >= 0; i-- {
		frame := &f.CallPath[i]
		add(frame.File, frame.Line, 0, "called in %s", frame.Function)
	}
	return list
}

// lifeStep returns the last allocation or free in the trace before a violation about an object's lifetime; nil if
// none.
func lifeStep(f *diagnostics.Finding) *found.Step {
	var event found.StepEvent
	switch f.Kind {
	case found.UseAfterFree, found.DoubleFree:
		event = found.StepFree
	case found.OutOfBoundsRead, found.OutOfBoundsWrite, found.MemoryLeak:
		event = found.StepAlloc
	default:
		return nil
	}
	for i := len(f.Trace) - 1; i >= 0; i-- {
		if f.Trace[i].Event == event {
			return &f.Trace[i]
		}
	}
	return nil
}
