package lsp

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sort"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// encoding is the unit of columns in positions.
type encoding string

const (
	utf16Columns encoding = "utf-16" // code units; supported by every client
	utf8Columns  encoding = "utf-8"  // bytes
)

// text is a document's content with its lines. It is immutable and safe for concurrent use. Lines end with \n, \r\n
// or a lone \r, both in the protocol and in clang.
type text struct {
	data  []byte
	lines []int // offset of each line's first byte

	hashing sync.Once
	hash    [sha256.Size]byte
	source  *csource.Source
}

func newText(data []byte) *text {
	t := &text{data: data, lines: make([]int, 1, 1+bytes.Count(data, []byte{'\n'})), source: csource.NewSource(data)}
	for i, b := range data {
		if b == '\n' || b == '\r' && (i+1 == len(data) || data[i+1] != '\n') {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

// sum returns the hash of the content.
func (t *text) sum() [sha256.Size]byte {
	t.hashing.Do(func() { t.hash = sha256.Sum256(t.data) })
	return t.hash
}

// line returns a line (from 0) without its end, or nil if there is none.
func (t *text) line(n int) []byte {
	if n < 0 || n >= len(t.lines) {
		return nil
	}
	end := len(t.data)
	if n+1 < len(t.lines) {
		end = t.lines[n+1]
	}
	line := bytes.TrimSuffix(t.data[t.lines[n]:end], []byte{'\n'})
	return bytes.TrimSuffix(line, []byte{'\r'})
}

// offset converts a position to an offset. As the protocol prescribes, positions beyond the end of a line or of the
// text are clamped to it.
func (t *text) offset(p protocol.Position, enc encoding) int {
	if uint64(p.Line) >= uint64(len(t.lines)) {
		return len(t.data)
	}
	start := t.lines[p.Line]
	line := t.line(int(p.Line))
	if enc == utf8Columns {
		return start + min(int(p.Character), len(line))
	}
	units := int(p.Character)
	at := 0
	for at < len(line) && units > 0 {
		r, size := utf8.DecodeRune(line[at:])
		if units -= utf16Len(r); units < 0 {
			break // inside a surrogate pair: its start
		}
		at += size
	}
	return start + at
}

// position is the inverse of offset.
func (t *text) position(offset int, enc encoding) protocol.Position {
	offset = max(0, min(offset, len(t.data)))
	n := sort.Search(len(t.lines), func(i int) bool { return t.lines[i] > offset }) - 1
	// An offset inside a line end is the end of the line's text.
	line := t.line(n)
	before := line[:min(offset-t.lines[n], len(line))]
	return protocol.Position{Line: uint32(n), Character: uint32(columns(before, enc))}
}

// columns returns the width of text without a line end.
func columns(s []byte, enc encoding) int {
	if enc == utf8Columns {
		return len(s)
	}
	n := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		n += utf16Len(r)
		s = s[size:]
	}
	return n
}

// utf16Len is 1 for an invalid byte too: clients show U+FFFD for it.
func utf16Len(r rune) int {
	if n := utf16.RuneLen(r); n > 0 {
		return n
	}
	return 1
}

// offsetAt converts a line and a byte column from 1, as in the compiler's output. ok is false if the text has no such
// position; the column behind the last byte of a line is valid.
func (t *text) offsetAt(line, column int) (offset int, ok bool) {
	if line < 1 || line > len(t.lines) {
		return len(t.data), false
	}
	length := len(t.line(line - 1))
	if column < 1 {
		return t.lines[line-1], false
	}
	if column > length+1 {
		return t.lines[line-1] + length, false
	}
	return t.lines[line-1] + column - 1, true
}

// span converts a range of offsets to an LSP range.
func (t *text) span(start, end int, enc encoding) protocol.Range {
	return protocol.Range{Start: t.position(start, enc), End: t.position(max(start, end), enc)}
}

// lineSpan returns the range of a line (from 1) without surrounding white space.
func (t *text) lineSpan(line int) (start, end int) {
	if line < 1 || line > len(t.lines) {
		return len(t.data), len(t.data)
	}
	start = t.lines[line-1]
	code := t.line(line - 1)
	trimmed := bytes.TrimLeft(code, " \t")
	start += len(code) - len(trimmed)
	return start, start + len(bytes.TrimRight(trimmed, " \t"))
}

// contentChange is a change of a document. The library's range is no pointer, so that an insertion at 0:0 looks like
// a full text.
type contentChange struct {
	Range *protocol.Range `json:"range"`
	Text  string          `json:"text"`
}

// apply applies the changes one after the other. It returns an error for an invalid range: editor and server then
// have different texts.
func (t *text) apply(changes []contentChange, enc encoding) (*text, error) {
	for i, c := range changes {
		if c.Range == nil {
			t = newText([]byte(c.Text))
			continue
		}
		start, end := t.offset(c.Range.Start, enc), t.offset(c.Range.End, enc)
		if end < start {
			return nil, fmt.Errorf("change %d ends before it starts", i)
		}
		// Editors use the line behind the last one, and any large column, for the end.
		if last := uint32(len(t.lines)); c.Range.Start.Line > last {
			return nil, fmt.Errorf("change %d begins in line %d of a text of %d lines", i, c.Range.Start.Line+1, last)
		}
		data := make([]byte, 0, len(t.data)-(end-start)+len(c.Text))
		data = append(data, t.data[:start]...)
		data = append(data, c.Text...)
		data = append(data, t.data[end:]...)
		t = newText(data)
	}
	return t, nil
}
