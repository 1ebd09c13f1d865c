// Package source finds the source text at a position. LLVM's debug locations are single points, and sentences quote
// conditions, operands, calls and operations:
//
//	assert(a < 3 || b > 4);
//	^                        Condition: a < 3 || b > 4
//	if (a < 3 || b > 4)
//	          ^              Branch, Decision: a < 3
//
// Principal types: Cache reads files by name; File has lines, columns, and the methods that find text. The parsing of
// C is in package csource. The package does not depend on findings and verdicts.
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

// NewCache returns a cache of the files that read returns by name. read returns nil if a file cannot be read; the
// bytes need not be UTF-8. A nil function has no files.
func NewCache(read func(file string) []byte) *Cache {
	return &Cache{read: read, files: map[string]*File{}}
}

// File returns a file, or nil if it cannot be read. Methods of *File that take lines accept nil as an empty file.
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

// Bytes returns the content, which must not be changed.
func (f *File) Bytes() []byte { return f.data }

// Lines returns the number of lines. Text behind the last line end counts as a line unless it is empty.
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

// Line returns the bytes of a line (from 1) without its end, or nil if there is no such line.
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

// Offset returns the offset of a position, or false if the file has no such byte (the sources may be newer than the
// report).
func (f *File) Offset(line, column int) (int, bool) {
	if l := f.Line(line); column < 1 || column > len(l) {
		return 0, false
	}
	return f.lines[line-1] + column - 1, true
}

// Position is the inverse of Offset. It also accepts the end of the file.
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

// CodeLine returns the code of a line. It is the same if the lines around it, its indentation or its comment change.
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
