package contract

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// Error is the error for a contract that cannot be read, with its position.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// userPos is a position in the user's files.
type userPos struct {
	file   int // index of source.files
	line   int
	column int
}

// source is a preprocessed text with its line markers.
type source struct {
	text  []byte
	files []string // names as in the markers
	// lines has the lines of the text that are not directives, in order.
	lines []line
	// fine has the positions of tokens that were arguments of macros, by their offsets.
	fine map[int]userPos
	// originals has the files before preprocessing that are known.
	originals map[int]*original
	// quoted has the names in the markers with their escapes, by file.
	quoted []string
}

type line struct {
	start int // offset
	end   int // offset behind its line end
	file  int
	line  int
}

// readSource reads the line markers of a preprocessed text and assigns each line its file and line number.
func readSource(text []byte) *source {
	s := &source{text: text, fine: map[int]userPos{}}
	index := map[string]int{}
	file, number := s.file(index, "<stdin>"), 1
	for at := 0; at < len(text); {
		end := len(text)
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		row := text[at:end]
		if n, name, ok := marker(row); ok {
			file, number = s.file(index, name), n
		} else {
			if !bytes.HasPrefix(bytes.TrimLeft(row, " \t"), []byte("#")) {
				s.lines = append(s.lines, line{at, end, file, number})
			}
			number++
		}
		at = end
	}
	return s
}

func (s *source) file(index map[string]int, quoted string) int {
	n, ok := index[quoted]
	if !ok {
		n = len(s.files)
		index[quoted] = n
		s.quoted = append(s.quoted, quoted)
		name, err := strconv.Unquote(`"` + quoted + `"`)
		if err != nil {
			name = quoted
		}
		s.files = append(s.files, name)
	}
	return n
}

// marker parses `# LINE "FILE" FLAGS`; the name keeps its quotes' escapes.
func marker(row []byte) (number int, quoted string, ok bool) {
	rest, ok := bytes.CutPrefix(row, []byte("# "))
	if !ok || len(rest) == 0 || !csource.IsDigit(rest[0]) {
		return 0, "", false
	}
	digits, rest, _ := bytes.Cut(rest, []byte(" "))
	number, err := strconv.Atoi(string(bytes.TrimSpace(digits)))
	if err != nil || len(rest) < 2 || rest[0] != '"' {
		return 0, "", false
	}
	end := bytes.LastIndexByte(rest, '"')
	if end < 1 {
		return 0, "", false
	}
	return number, string(rest[1:end]), true
}

// at returns the position of an offset, with the column in bytes.
func (s *source) at(offset int) userPos {
	i := sort.Search(len(s.lines), func(i int) bool { return s.lines[i].start > offset }) - 1
	if i < 0 {
		return userPos{0, 1, 1}
	}
	l := s.lines[i]
	return userPos{l.file, l.line, offset - l.start + 1}
}

// fineAt returns the position of a token of a clause. A token that was the argument of a macro has its own position.
func (s *source) fineAt(offset int) userPos {
	if p, ok := s.fine[offset]; ok {
		return p
	}
	return s.at(offset)
}

// wrong returns an error at an offset.
func (s *source) wrong(offset int, format string, args ...any) *Error {
	p := s.fineAt(offset)
	return &Error{File: s.files[p.file], Line: p.line, Column: p.column, Message: fmt.Sprintf(format, args...)}
}

// tokens returns the tokens of the text outside directives.
func (s *source) tokens() []csource.Token {
	out := make([]csource.Token, 0, len(s.text)/5)
	for i := range s.lines {
		l := s.lines[i]
		scan := csource.Scanner{Text: s.text[:l.end], Next: l.start}
		for {
			t := scan.Code()
			if t.Kind == csource.End {
				break
			}
			out = append(out, t)
		}
	}
	return out
}
