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

// hoverFinding is one proof's opinion of the place under the cursor.
type hoverFinding struct {
	proof *editing.ProofState
	shownFinding
	at place
}

// hover says what is known of the assertion or access under the cursor, or of the proof whose entry's
// name is there. It is nil where nothing is.
func (v *view) hover(_ context.Context, p *positionParams) (*protocol.Hover, error) {
	path, ok := pathOf(p.TextDocument.URI)
	if !ok || v.snapshot == nil {
		return nil, nil
	}
	for _, proof := range v.proofsIn(path) {
		if at := v.entry(proof); holds(at.span, p.Position) {
			return v.hoverText(v.proofHover(proof), at.span), nil
		}
	}
	here := v.findingsAt(path, p.Position)
	if len(here) == 0 {
		return v.loopHover(path, p.Position), nil
	}
	var b strings.Builder
	for i, group := range groupByKind(here) {
		if i > 0 {
			b.WriteString("\n\n---\n\n")
		}
		v.findingHover(&b, group)
	}
	return v.hoverText(b.String(), here[0].at.span), nil
}

// hoverText is Markdown, or plain text for clients that show no other.
func (v *view) hoverText(markdown string, span protocol.Range) *protocol.Hover {
	formats := v.caps.TextDocument.Hover.ContentFormat
	h := &protocol.Hover{Contents: protocol.MarkupContent{Kind: protocol.Markdown, Value: markdown}, Range: &span}
	if len(formats) > 0 && !slices.Contains(formats, string(protocol.Markdown)) {
		h.Contents.Kind = protocol.PlainText
		h.Contents.Value = strings.NewReplacer("**", "", "\n\n---\n\n", "\n\n", "  \n", "\n").Replace(markdown)
	}
	return h
}

func holds(r protocol.Range, p protocol.Position) bool {
	return comparePositions(r.Start, p) <= 0 && comparePositions(p, r.End) < 0
}

// findingsAt are the findings of all proofs around a position, of the smallest expression that has any.
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

// extent orders ranges by size.
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

// findingHover describes one kind of obligation at one place.
func (v *view) findingHover(b *strings.Builder, group []hoverFinding) {
	slices.SortStableFunc(group, func(a, b hoverFinding) int { return b.Verdict.Rank() - a.Verdict.Rank() })
	title, help := diagnostics.Explain(group[0].Kind)
	fmt.Fprintf(b, "**%s**: %s", title, escape(help))
	for _, f := range group {
		fmt.Fprintf(b, "\n\n%s **%s** in %s", symbolOf(f.Verdict), f.Verdict, escape(f.proof.Proof.Name))
		var notes []string
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
		switch v.replayed(f.proof, f.Finding) {
		case diagnostics.Replayed:
			notes = append(notes, "reproduced by a native run")
		case diagnostics.NotReplayed:
			notes = append(notes, "not reproduced by a native run")
		}
		if len(notes) > 0 {
			fmt.Fprintf(b, " (%s)", strings.Join(notes, ", "))
		}
		if f.stale {
			b.WriteString(staleSuffix)
		}
		if f.Verdict != found.Proved {
			fmt.Fprintf(b, "  \n%s", escape(f.Message))
		}
		if c := f.Core; c != nil && !f.stale {
			text := "no assumption"
			if len(c.Needed) > 0 {
				text = c.RestsOn(f.File)
			}
			fmt.Fprintf(b, "  \nrests on %s", escape(text))
		}
		if text := f.Dependence(); text != "" && !f.stale {
			fmt.Fprintf(b, "  \n%s", escape(text))
		}
		v.valuesHover(b, f)
		obstacleHover(b, f)
	}
}

// obstacleHover tells the state that is in the way of a finding.
func obstacleHover(b *strings.Builder, f hoverFinding) {
	o := f.InTheWay
	if o == nil || f.stale {
		return
	}
	fmt.Fprintf(b, "  \n%s:\n", escape(o.Title(f.File)))
	for i, x := range o.State {
		if i == maxValues {
			fmt.Fprintf(b, "\n- … and %d more", len(o.State)-i)
			break
		}
		fmt.Fprintf(b, "\n- %s = %s", escape(x.Name), escape(x.Value))
	}
	fmt.Fprintf(b, "\n\nthere: %s", escape(o.Violation))
}

// maxValues is how many values a hover lists.
const maxValues = 12

// valuesHover lists the values of the counterexample: at the place, as far as the trace has been there,
// and the inputs that lead to it.
func (v *view) valuesHover(b *strings.Builder, f hoverFinding) {
	if f.Verdict != found.Failed {
		return
	}
	var lines []string
	for i := range f.Trace {
		if s := &f.Trace[i]; s.File == f.File && s.Line == f.Line && s.Event != "violation" && s.Text != "" {
			lines = append(lines, s.Text)
		}
	}
	for i := range f.Inputs {
		in := &f.Inputs[i]
		name := in.Variable
		if name == "" {
			name = in.Function + "()"
		}
		lines = append(lines, fmt.Sprintf("%s = %s", name, in.Value))
	}
	lines = unique(lines)
	if more := len(lines) - maxValues; more > 0 {
		lines = append(lines[:maxValues], fmt.Sprintf("… and %d more", more))
	}
	for i, line := range lines {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "\n- %s", escape(line))
	}
}

// proofHover describes a proof.
func (v *view) proofHover(p *editing.ProofState) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**Unit proof %s**: %s", escape(p.Proof.Name), escape(v.proofTitle(p)))
	r := p.Result
	if r == nil {
		return b.String()
	}
	if r.Reason != "" {
		fmt.Fprintf(&b, "  \n%s", escape(r.Reason))
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
		fmt.Fprintf(&b, "\n\nObligations: %s", strings.Join(counts, ", "))
	}
	st := &r.Stats
	fmt.Fprintf(&b, "  \nTime: %s (compiling %s, generating %s, solving %s); %d questions to the solver, %d from the "+
		"cache",
		diagnostics.Duration(st.TotalMS), diagnostics.Duration(st.CompileMS), diagnostics.Duration(st.VCGenMS),
		diagnostics.Duration(st.SolveMS),
		st.SolverQueries, st.CacheHits)
	v.costliest(&b, p)
	for i := range r.Assumptions {
		fmt.Fprintf(&b, "\n- assuming: %s", escape(r.Assumptions[i].Message))
	}
	return b.String()
}

// costliest names the findings that took most of the engine's time.
func (v *view) costliest(b *strings.Builder, p *editing.ProofState) {
	list := slices.Clone(p.Result.Obligations)
	slices.SortStableFunc(list, func(x, y diagnostics.Finding) int { return cmp.Compare(y.Share, x.Share) })
	var parts []string
	for i := 0; i < len(list) && i < 3 && list[i].Share >= 0.05; i++ {
		f := &list[i]
		parts = append(parts, fmt.Sprintf("%.0f %% %s at %s:%d", 100*f.Share, f.Kind, filepath.Base(f.File), f.Line))
	}
	if len(parts) > 0 {
		fmt.Fprintf(b, "  \nMost of the engine's time: %s", escape(strings.Join(parts, ", ")))
	}
}

func symbolOf(verdict found.Verdict) string {
	if s := signs[verdict]; s != "" {
		return s
	}
	return "·"
}

// escape keeps text from being read as Markdown. Quoted code stays code.
func escape(text string) string {
	var b strings.Builder
	code := false
	for _, r := range text {
		switch {
		case r == '`':
			code = !code
		case !code && strings.ContainsRune(`\*_[]<>#~|&`, r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	if code {
		b.WriteByte('`')
	}
	return b.String()
}
