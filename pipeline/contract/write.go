package contract

import (
	"bytes"
	"fmt"
	"strings"
)

// writer writes a text in which what is written stands at places of the user's files.
type writer struct {
	src   *source
	out   []byte
	place place // of what comes next
	known bool  // place is right
}

// raw writes bytes as they are, markers of lines included.
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

// text writes something of ours, which has no line end.
func (w *writer) text(format string, args ...any) {
	w.raw(fmt.Appendf(nil, format, args...))
}

// ours writes something of ours that stands in no file of the user's.
func (w *writer) ours(format string, args ...any) {
	w.out = fmt.Appendf(w.out, "\n# 1 \"%s\" 3\n", File)
	w.known = false
	w.out = fmt.Appendf(w.out, format, args...)
}

// move goes to a place: what is written next stands there.
func (w *writer) move(p place) {
	if !w.known || w.place.file != p.file || w.place.line != p.line || w.place.column > p.column {
		if len(w.out) > 0 && w.out[len(w.out)-1] != '\n' {
			w.out = append(w.out, '\n')
		}
		w.mark(p)
	}
	w.out = append(w.out, strings.Repeat(" ", p.column-w.place.column)...)
	w.place = p
}

// mark writes a marker for the line of a place; the text goes on at its first column.
func (w *writer) mark(p place) {
	w.out = fmt.Appendf(w.out, "# %d \"%s\"\n", p.line, w.src.quoted[p.file])
	w.place, w.known = place{p.file, p.line, 1}, true
}

// copy writes a part of the source, which begins with a token or with the end of one.
func (w *writer) copy(from, to int) {
	if from >= to {
		return
	}
	w.move(w.src.at(from))
	w.raw(w.src.text[from:to])
	if !w.known { // lines were written: where they end, the source knows
		w.place, w.known = w.src.at(to), true
		if w.out[len(w.out)-1] == '\n' { // a directive may follow
			w.known = false
		}
	}
}
