package diagnostics

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Widths of a trace, in terminal cells.
const (
	defaultWidth = 100 // if the terminal's width is unknown
	minEffect    = 30  // least width of the effects in a line
	maxSource    = 56  // the source line, with its indentation
)

// traceRow is a source line of a trace with the effects of its steps.
type traceRow struct {
	file, function string
	line, depth    int
	source         string // without comments; "" if unknown
	effects        []effect
	omitted        string // a note instead of a line
}

// effect is the text of a step.
type effect struct {
	text string
	// condition is the condition of a branch or an assumption, "" if its source is unknown. short is a shorter text
	// for a line that shows the condition in parentheses, such as "if (x > 3)". For a branch ("true") it is used only
	// if the line has few other effects.
	condition, short string
	branch           bool
}

func effectOf(s *found.Step) effect {
	e := effect{text: phrase.Step(s), condition: s.Condition}
	if rest, ok := strings.CutPrefix(e.text, decides(s.Condition)); ok {
		e.short, e.branch = rest, true
	} else if rest, ok := strings.CutPrefix(e.text, assumes(s.Condition)); ok {
		e.short = "assumed" + rest
	}
	return e
}

// on returns the text of an effect next to a line of source that has several effects.
func (e effect) on(source string, several int) string {
	if e.condition != "" && e.short != "" && strings.Contains(source, "("+e.condition+")") && (!e.branch || several < 3) {
		return e.short
	}
	return e.text
}

// instead replaces the text of an effect.
func (r *traceRow) instead(k int, format string, args ...any) {
	r.effects[k] = effect{text: fmt.Sprintf(format, args...)}
}

// rows groups consecutive steps on one source line into one row.
func (t *TextWriter) rows(lines []traceLine) []traceRow {
	var out []traceRow
	var last *found.Step
	depth := 0
	for _, l := range lines {
		if l.step == nil {
			out = append(out, traceRow{omitted: l.omitted, depth: depth})
			last = nil
			continue
		}
		s := l.step
		depth = s.Depth
		said := effectOf(s)
		if n := len(out); last != nil && (s.Event != found.StepBranch || s.Column > last.Column ||
			last.Event == found.StepAssign && len(out[n-1].effects) < 2) && s.Line == last.Line &&
			s.File == last.File && s.Depth == last.Depth &&
			s.Function == last.Function {
			row := &out[n-1]
			k := len(row.effects) - 1
			switch {
			case s.Event == found.StepAssign && last.Event == found.StepAlloc && s.Value == last.Value && last.Value != "NULL":
				row.instead(k, "%s = %s, from %s", s.LValue, s.Value, last.LValue)
			case s.Event == found.StepAssign && last.Event == found.StepAlloc && s.Value == last.Value:
				row.instead(k, "%s = NULL: %s fails", s.LValue, last.LValue)
			case s.Event == found.StepAssign && last.Event == found.StepReturn && s.Value == last.Value:
				row.instead(k, "%s = %s, returned by %s", s.LValue, s.Value, last.LValue)
			default:
				row.effects = append(row.effects, said)
			}
			last = s
			continue
		}
		out = append(out, traceRow{file: s.File, function: s.Function, line: s.Line, depth: s.Depth,
			source: phrase.Printable(t.sources.File(s.File).CodeLine(s.Line)), effects: []effect{said}})
		last = s
	}
	return out
}

// trace writes the steps of a counterexample.
func (t *TextWriter) trace(f *Finding) { t.steps("trace:", f.Trace) }

// steps writes steps of an execution next to their source lines.
func (t *TextWriter) steps(title string, steps []found.Step) {
	if t.opts.Verbose {
		t.written(title, t.rows(traceLines(steps, true)))
		return
	}
	lines := traceLines(foldLoops(steps), false)
	var text strings.Builder
	for n := maxTrace; ; n -= 2 { // a step takes up to four lines
		text.Reset()
		shorter := *t
		shorter.w = &text
		shorter.written(title, t.rows(limitTrace(lines, n)))
		if n <= maxTrace/2 || strings.Count(text.String(), "\n") <= maxTraceLines {
			break
		}
	}
	t.printf("%s", text.String())
}

// written writes the rows of a trace below a title.
func (t *TextWriter) written(title string, rows []traceRow) {
	if len(rows) == 0 {
		return
	}
	t.note(title)
	width := t.opts.Width
	if width <= 0 {
		width = defaultWidth
	}
	room := max(width-cells(gutter(0)), 2*minEffect)
	column := 0
	for i := range rows {
		r := &rows[i]
		if n := cells(r.source) + 2*min(max(r.depth, 0), 10); r.source != "" && n > column {
			column = n
		}
	}
	column = min(column, maxSource, room/2)
	file, depth, called := "", -1, false
	for i := range rows {
		r := &rows[i]
		if r.omitted != "" {
			t.printf("%s%s%s\n", t.style.paint(sgrBlue, gutter(0)), indent(r.depth-1), t.style.dim(r.omitted))
			continue
		}
		// The function is named unless its call or return is in the line before.
		if r.file != file || r.depth > depth && !called {
			name := r.function
			if name == "" {
				name = "?"
			}
			t.printf("%s%s%s %s\n", t.style.paint(sgrBlue, gutter(0)), indent(r.depth-1), t.style.bold(phrase.Name(name)),
				t.style.dim("("+phrase.Name(r.file)+")"))
		}
		file, depth = r.file, r.depth
		called = true
		t.row(r, column, room)
	}
}

// row writes a source line with its effects behind //, or on lines of their own if they are long.
func (t *TextWriter) row(r *traceRow, column, room int) {
	source := strings.Repeat("  ", min(max(r.depth, 0), 10)) + r.source
	effects := make([]string, len(r.effects))
	for i, e := range r.effects {
		effects[i] = e.on(r.source, len(r.effects))
	}
	text := phrase.Printable(strings.Join(effects, "; "))
	if column <= 0 {
		t.printf("%s%s%s\n", t.style.paint(sgrBlue, gutter(r.line)), indent(r.depth-1), phrase.Shorten(text, room))
		return
	}
	source = shortenCells(source, column)
	said := wrap(text, room-column-5)
	const maxLines = 4
	if len(said) > maxLines {
		said = append(said[:maxLines-1:maxLines-1], said[maxLines-1]+" …")
	}
	for i, e := range said {
		margin := gutter(0)
		if i == 0 {
			margin = gutter(r.line)
		}
		pad := strings.Repeat(" ", max(column-cells(source), 0))
		t.printf("%s%s%s  %s%s\n", t.style.paint(sgrBlue, margin), source, pad, t.style.dim("// "), e)
		source = ""
	}
}

// shortenCells crops text to a width in cells.
func shortenCells(text string, width int) string {
	if cells(text) <= width {
		return text
	}
	r := []rune(text)
	for len(r) > 0 && cells(string(r)) > width-1 {
		r = r[:len(r)-1]
	}
	return string(r) + "…"
}

// wrap breaks text at spaces; a word longer than the width stays unbroken.
func wrap(text string, width int) []string {
	var out []string
	line := ""
	for _, word := range strings.Split(text, " ") {
		switch {
		case line == "":
			line = word
		case cells(line)+1+cells(word) > width:
			out = append(out, line)
			line = "  " + word
		default:
			line += " " + word
		}
	}
	return append(out, line)
}
