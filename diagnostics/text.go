package diagnostics

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
	"github.com/unitproof/unitproof/vcgen/found"
)

// TextOptions control the content and form of the text output.
type TextOptions struct {
	// Sources has the files to quote; without it nothing is quoted.
	Sources Sources
	Color   bool
	Quiet   bool // -q: failures and the summary
	Verbose bool // -v: every finding, full traces
	Stats   bool // --stats
	// ExplainCost (--explain-cost) adds the distribution of time.
	ExplainCost bool
	// Width is the width of the terminal in cells, for tables and wrapping; 0 if there is no terminal.
	Width int
	// Remedies, if not nil, returns hints for a proof that has errors or assumptions.
	Remedies func(p *Proof) []string
	// ElapsedMS is the duration of the whole run, for the total; 0 omits it.
	ElapsedMS int64
}

// maxTrace is the number of steps of a trace that are shown without -v. Fewer are shown if they need more than
// maxTraceLines lines of the terminal.
const (
	maxTrace      = 30
	maxTraceLines = 30
)

// TextWriter writes proofs one by one. It does not report errors of the underlying writer; a bufio.Writer around that
// keeps them.
type TextWriter struct {
	w       io.Writer
	opts    TextOptions
	style   style
	sources *source.Cache
	// survived has the survivors at the position that Mutant wrote last.
	survived survivors
}

// NewTextWriter returns a writer for a run; it caches the sources that it quotes.
func NewTextWriter(w io.Writer, opts TextOptions) *TextWriter {
	return &TextWriter{w: w, opts: opts, style: style{opts.Color}, sources: source.NewCache(opts.Sources)}
}

func (t *TextWriter) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(t.w, format, args...)
}

// Proof writes a proof's findings and its summary line.
func (t *TextWriter) Proof(p *Proof) {
	for i := range p.Errors {
		t.error(&p.Errors[i])
	}
	shown := t.shown(p)
	counts, folded := Dependents(shown)
	groups, rest := sameCause(shown, folded)
	cuts, others, terse := sameCut(shown, folded)
	if t.opts.Verbose {
		counts, folded, groups, rest, cuts, others, terse = nil, nil, nil, nil, nil, nil, false
	}
	dependents := func(group []*Finding) (n int) {
		for _, f := range group {
			n += counts[f]
		}
		return n
	}
	first := t.causes(p, shown)
	for _, f := range shown {
		switch {
		case folded[f] || rest[f] || others[f]:
		case groups[f] != nil:
			t.undecided(groups[f], dependents(groups[f]))
		case cuts[f] != nil:
			t.cuts(cuts[f], dependents(cuts[f]))
		default:
			t.finding(f, counts[f], terse && f.Verdict == found.Bounded)
		}
	}
	if !t.opts.Quiet {
		for i := range p.Assumptions {
			if !first[i] {
				t.assumption(&p.Assumptions[i])
			}
		}
	}
	if len(first) == 0 && len(p.Errors)+len(p.Assumptions) > 0 {
		t.remedies(p)
	}
	if !t.opts.Quiet || p.exitStatus(nil) != ExitProved {
		t.summary(p)
		if !t.opts.Quiet {
			t.loops(p)
		}
		t.explanation(p)
	}
	if t.opts.Stats {
		t.stats(p)
	}
	if t.opts.ExplainCost {
		t.costs(p)
	}
}

// causes writes the functions without a body on which findings rest, with remedies. They precede the findings, which
// they explain. It returns the indices of the written assumptions.
func (t *TextWriter) causes(p *Proof, shown []*Finding) map[int]bool {
	written := map[int]bool{}
	if t.opts.Quiet {
		return written
	}
	for i := range p.Assumptions {
		a := &p.Assumptions[i]
		if a.Is.What == found.MissingBody && slices.ContainsFunc(shown, func(f *Finding) bool { return restsOn(f, a) }) {
			t.assumption(a)
			written[i] = true
		}
	}
	if len(written) > 0 {
		t.remedies(p)
		t.printf("\n")
	}
	return written
}

// restsOn reports whether a finding is failed or unknown because of a function without a body.
func restsOn(f *Finding, a *Assumption) bool {
	if f.Verdict != found.Failed && f.Verdict != found.Unknown {
		return false
	}
	return slices.Contains(a.Affects, f.ID) ||
		slices.ContainsFunc(f.Inputs, func(in found.Input) bool { return in.Function == a.Is.Name })
}

// remedies writes the hints for a proof with errors or assumptions.
func (t *TextWriter) remedies(p *Proof) {
	if t.opts.Remedies == nil || t.opts.Quiet {
		return
	}
	for _, r := range t.opts.Remedies(p) {
		t.note("help: " + phrase.Printable(r))
	}
}

// shown returns the findings to show, sorted by verdict (worst first) and position.
func (t *TextWriter) shown(p *Proof) []*Finding {
	var out []*Finding
	for i := range p.Obligations {
		f := &p.Obligations[i]
		switch {
		case t.opts.Verbose:
		case !f.Reported():
			continue
		case t.opts.Quiet && (f.Accepted || f.Verdict != found.Failed && f.Verdict != found.Vacuous):
			continue
		}
		out = append(out, f)
	}
	sort.SliceStable(out, func(i, j int) bool { return showRank(out[i]) > showRank(out[j]) })
	return out
}

func showRank(f *Finding) int {
	if f.Accepted || f.Behind() {
		return found.Vacuous.Rank()*2 - 1 // after the findings to look into, before the proved ones
	}
	return f.Verdict.Rank() * 2
}

// head writes "file:line:col: " in front of a message.
func (t *TextWriter) head(file string, line, column int) {
	text := phrase.Name(file)
	if line > 0 {
		text += fmt.Sprintf(":%d", line)
		if column > 0 {
			text += fmt.Sprintf(":%d", column)
		}
	}
	if text != "" {
		t.printf("%s ", t.style.bold(text+":"))
	}
}

// finding writes a finding. dependents is the number of omitted findings that follow from it. If terse, the source is
// not quoted.
func (t *TextWriter) finding(f *Finding, dependents int, terse bool) {
	t.head(f.File, f.Line, f.Column)
	word := string(f.Verdict)
	label := t.style.verdict(f.Verdict, word)
	if f.Accepted {
		label = t.style.dim(word + ", accepted")
	}
	t.printf("%s %s %s\n", label, t.style.dim("["+phrase.OneLine(string(f.Kind))+"]"),
		t.style.bold(phrase.Printable(f.Message)))
	if f.Accepted {
		if f.AcceptReason != "" {
			t.note("accepted: " + phrase.OneLine(f.AcceptReason))
		}
		if !t.opts.Verbose {
			return
		}
	}
	if !f.Reported() {
		return // listed with -v, in one line
	}
	if !terse {
		t.excerpt(f.File, f.Line, f.Column, f.textRange(), sgrOf(f.Verdict), "")
	}
	if t.opts.Quiet {
		return
	}
	if f.Verdict != found.Bounded || t.opts.Verbose {
		t.callPath(f)
	}
	switch {
	case f.Verdict == found.Failed && f.ReplayDetail != "":
		t.note("native replay: " + phrase.Printable(f.ReplayDetail))
	case f.Verdict == found.Failed && f.Replay != "" && f.Replay != ReplayNotRun:
		t.note("native replay: " + f.Replay)
	}
	for i := range f.VacuityCore {
		t.core(f, &f.VacuityCore[i])
	}
	if dependents > 0 {
		t.note(DependentsNote(f, dependents) + " (-v)")
	}
	t.obstacle(f)
	t.inputs(f)
	t.trace(f)
	if f.Verdict == found.Failed {
		t.note(fmt.Sprintf("finding %s", phrase.OneLine(f.ID)))
	}
	if !terse {
		t.printf("\n")
	}
}

// note writes a remark below an excerpt.
func (t *TextWriter) note(text string) {
	t.printf("       %s %s\n", t.style.paint(sgrBlue, "="), t.fill(text))
}

// remarkIndent is the column in which notes and reasons begin.
const remarkIndent = 9

// fill wraps a remark to the width of the terminal. Without a terminal it stays one line, for grep.
func (t *TextWriter) fill(text string) string {
	if t.opts.Width <= 2*minEffect {
		return text
	}
	return strings.Join(wrap(text, t.opts.Width-remarkIndent), "\n"+strings.Repeat(" ", remarkIndent))
}

// excerpt writes a source line, with a caret and a label in the line below it.
func (t *TextWriter) excerpt(file string, line, column int, r source.Range, sgr, label string) {
	e, ok := excerptAt(t.sources.File(file), line, column, r)
	t.quote(file, line, e, ok, sgr, label)
}

// quote writes an excerpt, or the label with its place if there is none.
func (t *TextWriter) quote(file string, line int, e excerpt, ok bool, sgr, label string) {
	if !ok {
		if label != "" {
			t.note(fmt.Sprintf("%s:%d: %s", phrase.Name(file), line, label))
		}
		return
	}
	t.printf("%s%s\n", t.style.paint(sgrBlue, gutter(line)), e.text())
	below := e.caret()
	if label != "" && below != "" {
		below += " "
	}
	if below += label; below != "" {
		t.printf("%s%s\n", t.style.paint(sgrBlue, gutter(0)), t.style.paint(sgr, below))
	}
}

// usersFrames removes the calls below a function of the C library. It also removes the finding's own frame, which is
// the finding's position.
func usersFrames(path []Frame) []Frame {
	n := len(path)
	for n > 0 && strings.HasPrefix(path[n-1].File, "<") {
		n--
	}
	if n < len(path) && n > 0 {
		n--
	}
	return path[:n]
}

func (t *TextWriter) callPath(f *Finding) {
	path := f.CallPath
	if !t.opts.Verbose {
		path = usersFrames(path)
	}
	if len(path) == 0 {
		return
	}
	var frames []string
	for _, c := range path {
		frames = append(frames, fmt.Sprintf("%s (%s:%d)", c.Function, c.File, c.Line))
	}
	if n := len(frames); n > 6 && !t.opts.Verbose {
		frames = append(frames[:3:3], append([]string{fmt.Sprintf("… %d more", n-6)}, frames[n-3:]...)...)
	}
	text := "called from "
	if len(frames) > 1 {
		text = "call path: "
	}
	t.note(text + phrase.Name(strings.Join(frames, " → ")))
}

// core writes an entry of a contradiction.
func (t *TextWriter) core(f *Finding, c *CoreEntry) {
	label := "assumed here"
	if c.Kind == found.CoreBranch {
		label = "must be true to get there"
		if c.negated() {
			label = "must be false to get there"
		} else if c.Taken == nil {
			label = "this branch is on the path"
		}
	}
	if c.File != f.File {
		t.note(fmt.Sprintf("in %s:", phrase.Name(c.File)))
	}
	src := t.sources.File(c.File)
	line, column := c.Line, c.Column
	r := src.Range(line, column, csource.Operation)
	if start, end, _, ok := src.BranchSpan(line, column); ok && c.Kind == found.CoreBranch {
		r = src.RangeBetween(start, end)
		line, column = r.StartLine, r.StartColumn
	}
	t.excerpt(c.File, line, column, r, sgrYellow, label)
}

func (t *TextWriter) inputs(f *Finding) {
	var shown []*found.Input
	for i := range f.Inputs {
		if in := &f.Inputs[i]; !in.Idle || t.opts.Verbose {
			shown = append(shown, in)
		}
	}
	idle := len(f.Inputs) - len(shown)
	if len(shown) == 0 {
		return
	}
	t.note("inputs:")
	limit := len(shown)
	if !t.opts.Verbose && limit > maxTrace/2 {
		limit = maxTrace / 2
	}
	rows := make([][2]string, limit)
	width := 0
	for i := range rows {
		in := shown[i]
		rows[i] = inputRow(f, in)
		if w := cells(rows[i][0]); w > width && w <= 40 {
			width = w
		}
	}
	for _, r := range rows {
		pad := strings.Repeat(" ", max(width-cells(r[0]), 0))
		t.printf("         %s%s  %s\n", r[0], pad, t.style.dim(r[1]))
	}
	if more := len(shown) - limit; more > 0 {
		t.printf("         … %d more (-v)\n", more)
	}
	if idle > 0 {
		t.printf("         %s\n", t.style.dim(fmt.Sprintf("… %s without effect on the violation "+
			"(-v)", phrase.Count(idle, "input"))))
	}
}

// inputRow returns the value of an input, and its origin.
func inputRow(f *Finding, in *found.Input) [2]string {
	source := string(in.Kind)
	switch in.Kind {
	case found.InputNondet:
		source = in.Function + "()"
	case found.InputMalloc:
		if in.Function != "" {
			source = in.Function + "()"
		}
	case found.InputHavoc:
		source = "arbitrary bytes"
	case found.InputUninitialized:
		source = "never written"
	case found.InputParameter:
		source = "parameter of " + in.Function
	}
	name := in.Variable
	if name == "" {
		name = source
	}
	if in.Model != "" {
		source = in.Model + "()"
		if in.Kind == found.InputNondet || in.Variable == "" {
			name = cmp.Or(in.Variable, "choice") + " in " + source
		}
	}
	from := strings.TrimSpace(in.Type)
	if from != "" {
		from += ", "
	}
	if name != source {
		from += source + ", "
	}
	if in.Line > 0 {
		from += phrase.Where(f.File, in.File, in.Line)
	}
	from = strings.TrimSuffix(from, ", ")
	return [2]string{phrase.OneLine(name) + " = " + CompactValue(phrase.OneLine(in.Value), 72), phrase.OneLine(from)}
}

// indent returns the indentation for a call depth, limited so that lines keep enough room.
func indent(depth int) string { return strings.Repeat("  ", min(max(depth+1, 0), 10)) }

func (t *TextWriter) error(e *Error) {
	t.head(e.File, e.Line, e.Column)
	t.printf("%s %s\n", t.style.paint(sgrRed, "error:"), t.style.bold(phrase.OneLine(e.Message)))
	if !t.opts.Quiet {
		point, ok := pointAt(t.sources.File(e.File), e.Line, e.Column)
		t.quote(e.File, e.Line, point, ok, sgrRed, "")
	}
}

func (t *TextWriter) assumption(a *Assumption) {
	t.head(a.File, a.Line, 0)
	text := phrase.OneLine(a.Message)
	if n := len(a.Affects); n > 0 {
		text += t.style.dim(" (affects " + phrase.Count(n, "finding") + ")")
	}
	t.printf("%s %s %s\n", t.style.paint(sgrBlue, "assuming"), t.style.dim("["+phrase.OneLine(a.Kind)+"]"), text)
}
