// Package source finds the text that stands at a place of a source file: positions from LLVM are points, and sentences
// quote conditions, operands, calls and operations.
//
// Principal types: Cache reads files by their names; File has lines, columns, and what stands there. What has to be
// understood of C for that, package csource knows. It knows nothing of findings and of verdicts.
package source

import (
	"bytes"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
)

// File is a source text with its lines.
type File struct {
	data   []byte
	lines  []int // offset of each line's first byte
	parsed *csource.Source
	rust   bool
}

// Cache reads each file once.
type Cache struct {
	read  func(file string) []byte
	files map[string]*File
}

// NewCache takes what returns the content of a file by its name, nil for one that cannot be read. The bytes need
// not be UTF-8. A nil function knows no file.
func NewCache(read func(file string) []byte) *Cache {
	return &Cache{read: read, files: map[string]*File{}}
}

// File returns nil for an unknown file; the methods of *File that take lines take nil for an empty one.
func (c *Cache) File(name string) *File {
	if c == nil || c.read == nil || name == "" {
		return nil
	}
	if f, ok := c.files[name]; ok {
		return f
	}
	var f *File
	if data := c.read(name); data != nil {
		f = &File{data: data, lines: []int{0}, parsed: csource.NewSource(data),
			rust: strings.HasSuffix(name, ".rs")}
		for i, b := range data {
			if b == '\n' {
				f.lines = append(f.lines, i+1)
			}
		}
	}
	c.files[name] = f
	return f
}

// Bytes returns all of it, which is not to be changed.
func (f *File) Bytes() []byte { return f.data }

// Lines returns how many lines there are; what is behind the last line end counts only if it is not empty.
func (f *File) Lines() int {
	if f == nil {
		return 0
	}
	n := len(f.lines)
	if len(f.Line(n)) == 0 {
		n--
	}
	return n
}

// Line returns the bytes of a line (from 1) without its end, nil where there is none.
func (f *File) Line(n int) []byte {
	if f == nil || n < 1 || n > len(f.lines) {
		return nil
	}
	end := len(f.data)
	if n < len(f.lines) {
		end = f.lines[n] - 1
	}
	return bytes.TrimSuffix(f.data[f.lines[n-1]:end], []byte("\r"))
}

// Offset returns the offset of a position, false where the file has no such byte (the sources
// may be newer than the report).
func (f *File) Offset(line, column int) (int, bool) {
	if l := f.Line(line); column < 1 || column > len(l) {
		return 0, false
	}
	return f.lines[line-1] + column - 1, true
}

// Position is the inverse of Offset; it also takes the end of the file.
func (f *File) Position(offset int) (line, column int) {
	lo, hi := 0, len(f.lines) // the last line that starts at or before offset
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; f.lines[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + 1, offset - f.lines[lo] + 1
}

// CodeLine returns the code of a line: what identifies it when the lines around it, its
// indentation or its comment change.
func (f *File) CodeLine(n int) string { return Code(f.Line(n)) }

// Code returns source text on one line, without comments.
func Code(src []byte) string {
	var b strings.Builder
	for i := 0; i < len(src); {
		if end := csource.SkipTrivia(src, i); end > i {
			b.WriteByte(' ')
			i = end
			continue
		}
		end := csource.SkipToken(src, i)
		b.Write(src[i:end])
		i = end
	}
	return phrase.OneLine(b.String())
}
