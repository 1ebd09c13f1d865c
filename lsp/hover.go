package lsp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/vcgen/found"
)

// hoverFinding is a finding of one proof at the cursor.
type hoverFinding struct {
	proof *editing.ProofState
	shownFinding
	at fileRange
}

// hover describes the assertion or access under the cursor, or the proof whose entry's name is there. It returns nil
// if there is neither.
func (v *view) hover(_ context.Context, p *positionParams) (*protocol.Hover, error) {
	if h := v.tomlHover(p); h != nil {
		return h, nil
	}
	path, ok := pathOf(p.TextDocument.URI)
	if !ok || v.snapshot == nil {
		return nil, nil
	}
	for _, proof := range v.proofsAt(path) {
		at := v.entry(proof)
		if t := v.text(path); at.path != path && proof.Proof.Contract && t != nil {
			if f, ok := entryOf(proof, path, t); ok {
				at = fileRange{path, t.span(f.NameStart, f.NameEnd, v.encoding)}
			}
		}
		if holds(at.span, p.Position) {
			b := v.newProse()
			v.proofHover(b, proof)
			return b.hover(at.span), nil
		}
	}
	here := v.findingsAt(path, p.Position)
	if len(here) == 0 {
		if h := v.coverHover(path, p.Position); h != nil {
			return h, nil
		}
		return v.loopHover(path, p.Position), nil
	}
	b := v.newProse()
	for i, group := range groupByKind(here) {
		if i > 0 {
			b.rule()
		}
		v.findingHover(b, group)
	}
	return b.hover(here[0].at.span), nil
}

func holds(r protocol.Range, p protocol.Position) bool {
	return comparePositions(r.Start, p) <= 0 && comparePositions(p, r.End) < 0
}

// findingsAt returns the findings of all proofs at a position, for the smallest expression that has any.
func (v *view) findingsAt(path string, at protocol.Position) []hoverFinding {
	var here []hoverFinding
	d := v.document(path)
	for _, p := range v.proofs() {
		for _, f := range v.findings(p) {
			file := fileOf(p, f.File)
			if file != path && (d == nil || v.document(file) != d) || f.Verdict == found.Unreached && !f.Reported() {
				continue
			}
			if place, ok := v.findFinding(p, f); ok && holds(place.span, at) {
				here = append(here, hoverFinding{p, f, place})
			}
		}
	}
	slices.SortStableFunc(here, func(a, b hoverFinding) int { return extent(a.at.span) - extent(b.at.span) })
	for i := range here {
		if here[i].at.span != here[0].at.span {
			return here[:i]
		}
	}
	return here
}

// extent returns a number that orders ranges by size.
func extent(r protocol.Range) int {
	return int(r.End.Line-r.Start.Line)*10_000 + int(r.End.Character) - int(r.Start.Character)
}

func groupByKind(here []hoverFinding) [][]hoverFinding {
	var groups [][]hoverFinding
	index := map[found.Kind]int{}
	for _, f := range here {
		i, ok := index[f.Kind]
		if !ok {
			i = len(groups)
			index[f.Kind] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], f)
	}
	slices.SortStableFunc(groups, func(a, b []hoverFinding) int { return worstRank(b) - worstRank(a) })
	return groups
}

func worstRank(group []hoverFinding) int {
	rank := 0
	for _, f := range group {
		rank = max(rank, f.Verdict.Rank())
	}
	return rank
}

// findingHover writes one kind of obligation at one position.
func (v *view) findingHover(b *prose, group []hoverFinding) {
	slices.SortStableFunc(group, func(a, b hoverFinding) int { return b.Verdict.Rank() - a.Verdict.Rank() })
	title, help := diagnostics.Explain(group[0].Kind)
	b.strong(title)
	b.say(": " + help)
	if ids := group[0].Kind.CWE(); len(ids) > 0 {
		b.say(" (" + strings.Join(ids, ", ") + ")")
	}
	for _, f := range group {
		b.paragraph()
		b.say(symbolOf(f.Verdict) + " ")
		b.strong(string(f.Verdict))
		b.say(" in " + f.proof.Proof.Name)
		if notes := v.notes(f); len(notes) > 0 {
			b.sayf(" (%s)", strings.Join(notes, ", "))
		}
		if f.stale {
			b.say(staleSuffix)
		}
		if f.Verdict != found.Proved {
			b.line()
			b.say(f.Message)
		}
		if set := v.failingSet(f); set != nil {
			b.line()
			b.say(set.Sentence())
		}
		if c := f.Core; c != nil && !f.stale {
			text := "no assumption"
			if len(c.Needed) > 0 {
				text = c.RestsOn(f.File)
			}
			b.line()
			b.say("rests on " + text)
		}
		if text := f.Dependence(); text != "" && !f.stale {
			b.line()
			b.say(text)
		}
		valuesHover(b, f)
		obstacleHover(b, f)
		v.verbLinks(b, f)
	}
}

// notes returns the remarks on a finding that are shown in parentheses.
func (v *view) notes(f hoverFinding) (notes []string) {
	if f.Instances > 1 {
		notes = append(notes, fmt.Sprintf("%d instances", f.Instances))
	}
	if f.Share >= 0.005 {
		notes = append(notes, fmt.Sprintf("%.0f %% of the time", 100*f.Share))
	}
	if f.Cached {
		notes = append(notes, "from the cache")
	}
	if f.Accepted {
		notes = append(notes, "accepted")
	}
	if r := f.proof.Result; r != nil && f.Verdict == found.Proved && !f.stale &&
		(f.Kind == found.Assertion || f.Kind == found.Postcondition) {
		if open := r.IfEnds(); open != "" {
			notes = append(notes, open)
		}
	}
	switch v.replayed(f.proof, f.Finding) {
	case diagnostics.Replayed:
		notes = append(notes, "reproduced by a native run")
	case diagnostics.NotReplayed:
		notes = append(notes, "not reproduced by a native run")
	}
	return notes
}

// verbLinks adds links to the verbs of a failure, if the client executes links.
func (v *view) verbLinks(b *prose, f hoverFinding) {
	if !b.links || f.stale {
		return
	}
	for i, verb := range counterexampleVerbs(f.shownFinding) {
		if i == 0 {
			b.paragraph()
		} else {
			b.say(" · ")
		}
		b.link(verb.title, verb.command(f.proof))
	}
}

// obstacleHover writes the counterexample to induction of a finding.
func obstacleHover(b *prose, f hoverFinding) {
	o := f.InTheWay
	if o == nil || f.stale {
		return
	}
	b.line()
	b.say(o.Title(f.File) + ":")
	b.WriteString("\n")
	for i, x := range o.State {
		if i == maxValues {
			b.bullet(fmt.Sprintf("… and %d more", len(o.State)-i))
			break
		}
		b.bullet(x.Name + " = " + x.Value)
	}
	b.paragraph()
	b.say("there: " + o.Violation)
}

// maxValues is the number of values that a hover lists.
const maxValues = 12

// valuesHover lists the values of a counterexample in execution order: the inputs that lead to the violation, and the
// assignments on its line.
func valuesHover(b *prose, f hoverFinding) {
	if f.Verdict != found.Failed {
		return
	}
	var lines []string
	for i := range f.Inputs {
		in := &f.Inputs[i]
		name := in.Variable
		if name == "" {
			name = in.Function + "()"
		}
		lines = append(lines, fmt.Sprintf("%s = %s", name, in.Value))
	}
	var here []string
	for i := range f.Trace {
		if s := &f.Trace[i]; s.File == f.File && s.Line == f.Line && s.Event != found.StepViolation && s.Text != "" {
			here = append(here, s.Text)
		}
	}
	here = unique(here)
	// Values at the finding's line are most relevant, so inputs are shortened in favour of them.
	lines = shortened(unique(lines), max(maxValues-len(here), maxValues/2))
	lines = unique(append(lines, shortened(here, maxValues-len(lines))...))
	for i, line := range lines {
		if i == 0 {
			b.WriteString("\n")
		}
		b.bullet(line)
	}
}

// shortened keeps at most most lines. If there are more, the last line has the number of omitted ones.
func shortened(lines []string, most int) []string {
	if len(lines) <= most {
		return lines
	}
	return append(lines[:most-1:most-1], fmt.Sprintf("… and %d more", len(lines)-most+1))
}

// proofHover writes a summary of a proof.
func (v *view) proofHover(b *prose, p *editing.ProofState) {
	b.strong("Unit proof " + p.Proof.Name)
	b.say(": " + v.proofTitle(p))
	r := p.Result
	if r == nil {
		return
	}
	if r.Reason != "" {
		b.line()
		b.say(r.Reason)
	}
	n := map[found.Verdict]int{}
	for i := range r.Obligations {
		n[r.Obligations[i].Verdict]++
	}
	var counts []string
	for _, verdict := range []found.Verdict{found.Failed, found.Unknown, found.Bounded, found.Vacuous, found.Proved,
		found.Unreached} {
		if n[verdict] > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n[verdict], verdict))
		}
	}
	if len(counts) > 0 {
		b.paragraph()
		b.say("Obligations: " + strings.Join(counts, ", "))
	}
	st := &r.Stats
	b.line()
	b.sayf("Time: %s (compiling %s, generating %s, solving %s); %d questions to the solver, %d from the cache",
		diagnostics.Duration(st.TotalMS), diagnostics.Duration(st.CompileMS), diagnostics.Duration(st.VCGenMS),
		diagnostics.Duration(st.SolveMS),
		st.SolverQueries, st.CacheHits)
	costliest(b, p)
	for i := range r.Assumptions {
		if i == 0 {
			b.WriteString("\n")
		}
		b.bullet("assuming: " + r.Assumptions[i].Message)
	}
}

// costliest writes the findings that took most of the engine's time.
func costliest(b *prose, p *editing.ProofState) {
	list := slices.Clone(p.Result.Obligations)
	slices.SortStableFunc(list, func(x, y diagnostics.Finding) int { return cmp.Compare(y.Share, x.Share) })
	var parts []string
	for i := 0; i < len(list) && i < 3 && list[i].Share >= 0.05; i++ {
		f := &list[i]
		parts = append(parts, fmt.Sprintf("%.0f %% %s at %s:%d", 100*f.Share, f.Kind, filepath.Base(f.File), f.Line))
	}
	if len(parts) > 0 {
		b.line()
		b.say("Most of the engine's time: " + strings.Join(parts, ", "))
	}
}

func symbolOf(verdict found.Verdict) string {
	if s := signs[verdict]; s != "" {
		return s
	}
	return "·"
}
