package contract

import (
	"bytes"
	"fmt"
	"strings"
)

// writer writes a text whose tokens have positions in the user's files.
type writer struct {
	src   *source
	out   []byte
	place userPos // position of the next byte
	known bool    // whether place is right
}

// raw writes bytes unchanged, including line markers.
func (w *writer) raw(text []byte) {
	w.out = append(w.out, text...)
	if !w.known {
		return
	}
	if n := bytes.LastIndexByte(text, '\n'); n >= 0 {
		w.known = false
		return
	}
	w.place.column += len(text)
}

// text writes generated text without line ends at the current position.
func (w *writer) text(format string, args ...any) {
	w.raw(fmt.Appendf(nil, format, args...))
}

// ours writes generated text that has no position in the user's files.
func (w *writer) ours(format string, args ...any) {
	w.out = fmt.Appendf(w.out, "\n# 1 \"%s\" 3\n", File)
	w.known = false
	w.out = fmt.Appendf(w.out, format, args...)
}

// move continues the output at position p.
func (w *writer) move(p userPos) {
	if !w.known || w.place.file != p.file || w.place.line != p.line || w.place.column > p.column {
		if len(w.out) > 0 && w.out[len(w.out)-1] != '\n' {
			w.out = append(w.out, '\n')
		}
		w.mark(p)
	}
	w.out = append(w.out, strings.Repeat(" ", p.column-w.place.column)...)
	w.place = p
}

// mark writes the line marker of a position; the output continues in its first column.
func (w *writer) mark(p userPos) {
	w.out = fmt.Appendf(w.out, "# %d \"%s\"\n", p.line, w.src.quoted[p.file])
	w.place, w.known = userPos{p.file, p.line, 1}, true
}

// copy writes a part of the source that begins at the start or the end of a token.
func (w *writer) copy(from, to int) {
	if from >= to {
		return
	}
	w.move(w.src.at(from))
	w.raw(w.src.text[from:to])
	if !w.known { // the text has line ends: the source has the position behind it
		w.place, w.known = w.src.at(to), true
		if w.out[len(w.out)-1] == '\n' { // a directive may follow
			w.known = false
		}
	}
}
