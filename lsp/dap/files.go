package dap

import (
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/unitproof/unitproof/pipeline/links"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// files maps the file names of the program and of the client to files.
type files struct {
	real  map[string]links.Real // by path
	lines map[string][]string
}

// same reports whether two paths name one file.
func (f *files) same(a, b string) bool {
	if a == b {
		return true
	}
	if filepath.Base(a) != filepath.Base(b) && !strings.EqualFold(filepath.Base(a), filepath.Base(b)) {
		// Links with other names are followed too, but most pairs end here.
		if _, seen := f.real[a]; seen && string(f.real[a]) == a {
			if _, seen := f.real[b]; seen && string(f.real[b]) == b {
				return false
			}
		}
	}
	return f.resolve(a) == f.resolve(b)
}

func (f *files) resolve(path string) links.Real {
	if r, ok := f.real[path]; ok {
		return r
	}
	if f.real == nil {
		f.real = map[string]links.Real{}
	}
	r := links.Resolve(path)
	f.real[path] = r
	return r
}

func (f *files) short(path string) string { return filepath.Base(path) }

// column converts a column in bytes, from 1, to UTF-16 units.
func (f *files) column(path string, line, col int) int {
	if _, ok := f.lines[path]; !ok {
		if f.lines == nil {
			f.lines = map[string][]string{}
		}
		text, _ := regular.Source(path)
		f.lines[path] = strings.Split(string(text), "\n")
	}
	if line < 1 || line > len(f.lines[path]) || col < 1 {
		return max(col, 1)
	}
	out := 1
	for text := f.lines[path][line-1]; col > 1 && text != ""; {
		r, n := utf8.DecodeRuneInString(text)
		if out++; r > 0xffff {
			out++
		}
		col -= n
		text = text[n:]
	}
	return out
}

func (s *session) toClientLine(line int) int {
	if !s.client.LinesStartAt1 {
		return line - 1
	}
	return line
}

func (s *session) fromClientLine(line int) int {
	if !s.client.LinesStartAt1 {
		return line + 1
	}
	return line
}

func (s *session) toClientColumn(path string, line, col int) int {
	col = s.files.column(path, line, col)
	if !s.client.ColumnsStartAt1 {
		return col - 1
	}
	return col
}
