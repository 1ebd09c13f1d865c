package diagnostics

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"github.com/unitproof/unitproof/diagnostics/source"
)

// tabWidth is how a tab is shown: source and caret line expand it alike.
const tabWidth = 4

// maxExcerpt is the widest source line that is shown whole, in terminal cells.
const maxExcerpt = 140

// gutter is the margin of an excerpt: a line number, or nothing.
func gutter(line int) string {
	if line > 0 {
		return fmt.Sprintf("%6d | ", line)
	}
	return "       | "
}

// excerpt is a source line with what is marked in it, cut into display segments.
type excerpt struct {
	before, left, between, marked, after string
}

// excerptAt cuts a line at a position; false where the source has no such place. All of a range that lies on the
// line is marked, with the caret at the position.
func excerptAt(f *source.File, line, column int, r source.Range) (excerpt, bool) {
	text := f.Line(line)
	if text == nil || column > len(text) || len(bytes.TrimSpace(text)) == 0 {
		return excerpt{}, false
	}
	if column < 1 {
		// Only the line is known: all of it is meant, and no caret is drawn.
		return excerpt{before: display(text)}, true
	}
	start := column - 1
	left := start
	switch indent := len(text) - len(bytes.TrimLeft(text, " \t")); {
	case r.StartLine == line:
		left = min(max(r.StartColumn-1, 0), start)
	case r.StartLine > 0 && r.StartLine < line:
		left = min(indent, start)
	}
	stop := start // of the range on this line
	if r.EndLine > line {
		stop = len(bytes.TrimRight(text, " \t"))
	} else if r.EndLine == line {
		stop = min(r.EndColumn-1, len(text))
	}
	end := max(stop, start+1)
	leftEnd := len(bytes.TrimRight(text[:start], " \t"))
	if left >= leftEnd {
		left, leftEnd = start, start
	}
	e := excerpt{
		before: display(text[:left]), left: display(text[left:leftEnd]), between: display(text[leftEnd:start]),
		marked: display(text[start:end]), after: display(text[end:]),
	}
	e.crop()
	return e, true
}

// pointAt cuts a line at the place that a compiler complains about, which may be one behind its end: where
// something is missing. No operand is marked, as not everything that is wrong is an expression.
func pointAt(f *source.File, line, column int) (excerpt, bool) {
	text := f.Line(line)
	if column < 1 || column > len(text)+1 || len(bytes.TrimSpace(text)) == 0 {
		return excerptAt(f, line, column, source.Range{})
	}
	start, end := column-1, column
	if column <= len(text) && csource.IsIdentByte(text[start]) {
		end = csource.WordEnd(text, start)
	}
	e := excerpt{before: display(text[:start]), marked: " "}
	if column <= len(text) {
		e.marked, e.after = display(text[start:end]), display(text[end:])
	}
	e.crop()
	return e, true
}

// crop shortens a line that is too wide, around the mark.
func (e *excerpt) crop() {
	const keep = 48
	if e.width() <= maxExcerpt {
		return
	}
	if r := []rune(e.before); len(r) > keep {
		e.before = "…" + string(r[len(r)-keep:])
	}
	e.left, e.marked = phrase.Shorten(e.left, keep), phrase.Shorten(e.marked, keep)
	if room := maxExcerpt - (e.width() - cells(e.after)); room > 0 {
		e.after = phrase.Shorten(e.after, room)
	}
}

func (e *excerpt) width() int {
	return cells(e.before) + cells(e.left) + cells(e.between) + cells(e.marked) + cells(e.after)
}

// text is the source line.
func (e *excerpt) text() string {
	return strings.TrimRight(e.before+e.left+e.between+e.marked+e.after, " ")
}

// caret is the line below, without trailing space.
func (e *excerpt) caret() string {
	if e.marked == "" {
		return ""
	}
	blank := func(s string) string { return strings.Repeat(" ", cells(s)) }
	return blank(e.before) + strings.Repeat("~", cells(e.left)) + blank(e.between) +
		"^" + strings.Repeat("~", max(cells(e.marked)-1, 0))
}

// display makes source bytes fit for a terminal: valid UTF-8, nothing that steers it, tabs as
// spaces.
func display(b []byte) string {
	return strings.ReplaceAll(phrase.Printable(string(b)), "\t", strings.Repeat(" ", tabWidth))
}

// cells is the width of text on a terminal.
func cells(s string) int { return uniseg.StringWidth(s) }
