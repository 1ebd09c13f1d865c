package diagnostics

import (
	"bytes"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/phrase"
)

// Sources returns the content of a file by the name that stands in findings: relative to the
// root where the file lies below it, else as the compiler wrote it. It returns nil for a file that
// cannot be read. The bytes need not be UTF-8. A nil Sources knows no file.
type Sources func(file string) []byte

// sourceFile is a source text with its lines.
type sourceFile struct {
	data   []byte
	lines  []int // offset of each line's first byte
	parsed *csource.Source
	rust   bool
}

// sourceCache reads each file once.
type sourceCache struct {
	read  Sources
	files map[string]*sourceFile
}

func newSourceCache(read Sources) *sourceCache {
	return &sourceCache{read: read, files: map[string]*sourceFile{}}
}

// file returns nil for an unknown file; the methods of *sourceFile take nil for an empty one.
func (c *sourceCache) file(name string) *sourceFile {
	if c == nil || c.read == nil || name == "" {
		return nil
	}
	if f, ok := c.files[name]; ok {
		return f
	}
	var f *sourceFile
	if data := c.read(name); data != nil {
		f = &sourceFile{data: data, lines: []int{0}, parsed: csource.NewSource(data),
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

// line returns the bytes of a line (from 1) without its end, nil where there is none.
func (f *sourceFile) line(n int) []byte {
	if f == nil || n < 1 || n > len(f.lines) {
		return nil
	}
	end := len(f.data)
	if n < len(f.lines) {
		end = f.lines[n] - 1
	}
	return bytes.TrimSuffix(f.data[f.lines[n-1]:end], []byte("\r"))
}

// offset returns the offset of a position, false where the file has no such byte (the sources
// may be newer than the report).
func (f *sourceFile) offset(line, column int) (int, bool) {
	if l := f.line(line); column < 1 || column > len(l) {
		return 0, false
	}
	return f.lines[line-1] + column - 1, true
}

// position is the inverse of offset; it also takes the end of the file.
func (f *sourceFile) position(offset int) (line, column int) {
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

// codeLine returns the code of a line: what identifies it when the lines around it, its
// indentation or its comment change.
func (f *sourceFile) codeLine(n int) string { return codeText(f.line(n)) }

// codeText returns source text on one line, without comments.
func codeText(src []byte) string {
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
