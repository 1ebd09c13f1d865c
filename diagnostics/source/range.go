package source

import (
	"unicode/utf8"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// Range is a range of a source text; lines and columns count from 1, columns in bytes. It ends before End.
type Range struct{ StartLine, StartColumn, EndLine, EndColumn int }

// Range widens a position to what is meant there; without sources it is the position itself.
func (f *File) Range(line, column int, part csource.Part) Range {
	at, ok := f.Offset(line, column)
	if !ok {
		return Range{line, column, line, column}
	}
	start, end := f.parsed.Range(at, part)
	return f.RangeBetween(start, end)
}

// RangeBetween is the range between two offsets.
func (f *File) RangeBetween(start, end int) (r Range) {
	r.StartLine, r.StartColumn = f.Position(start)
	r.EndLine, r.EndColumn = f.Position(end)
	return r
}

// RuneColumn converts a column in bytes to one in code points; without the source they are taken
// to be equal.
func (f *File) RuneColumn(line, column int) int {
	text := f.Line(line)
	if column < 1 || column > len(text)+1 {
		return max(column, 1)
	}
	return utf8.RuneCount(text[:column-1]) + 1
}
