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

// tabWidth is the number of spaces for a tab, both in the source line and in the caret line.
const tabWidth = 4

// maxExcerpt is the longest source line that is shown uncut, in terminal cells.
const maxExcerpt = 140

// gutter returns the left margin of an excerpt, with the line number if line is positive.
func gutter(line int) string {
	if line > 0 {
		return fmt.Sprintf("%6d | ", line)
	}
	return "       | "
}

// excerpt is a source line, cut into segments around the marked text.
type excerpt struct {
	before, left, between, marked, after string
}

// excerptAt cuts a line at a position, with the caret there, and marks the part of the range that lies on the line.
// It returns false if the source has no such position.
func excerptAt(f *source.File, line, column int, r source.Range) (excerpt, bool) {
	text := f.Line(line)
	if text == nil || column > len(text) || len(bytes.TrimSpace(text)) == 0 {
		return excerpt{}, false
	}
	if column < 1 {
		// Only the line is known: it is shown without a caret.
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
	stop := start // end of the range on this line
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

// pointAt cuts a line at the position of a compiler's message. The position may be one byte behind the end of the
// line if a token is missing. It marks no operand, as not every error is an expression.
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

// crop shortens a line that is too wide, around the marked text.
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

// text returns the source line.
func (e *excerpt) text() string {
	return strings.TrimRight(e.before+e.left+e.between+e.marked+e.after, " ")
}

// caret returns the line with the caret, without trailing space.
func (e *excerpt) caret() string {
	if e.marked == "" {
		return ""
	}
	blank := func(s string) string { return strings.Repeat(" ", cells(s)) }
	return blank(e.before) + strings.Repeat("~", cells(e.left)) + blank(e.between) +
		"^" + strings.Repeat("~", max(cells(e.marked)-1, 0))
}

// display makes source bytes safe for a terminal: valid UTF-8, no control sequences, tabs as spaces.
func display(b []byte) string {
	return strings.ReplaceAll(phrase.Printable(string(b)), "\t", strings.Repeat(" ", tabWidth))
}

// cells returns the width of text on a terminal.
func cells(s string) int { return uniseg.StringWidth(s) }
