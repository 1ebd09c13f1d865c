package source

import (
	"unicode/utf8"

	"github.com/unitproof/unitproof/diagnostics/csource"
)

// Range is a half-open range of a source text; lines and columns count from 1, columns in bytes.
type Range struct{ StartLine, StartColumn, EndLine, EndColumn int }

// Range widens a position to the code that it refers to; without sources it is the position itself.
func (f *File) Range(line, column int, part csource.Part) Range {
	at, ok := f.Offset(line, column)
	if !ok {
		return Range{line, column, line, column}
	}
	start, end := f.parsed.Range(at, part)
	return f.RangeBetween(start, end)
}

// RangeBetween returns the range between two offsets.
func (f *File) RangeBetween(start, end int) (r Range) {
	r.StartLine, r.StartColumn = f.Position(start)
	r.EndLine, r.EndColumn = f.Position(end)
	return r
}

// RuneColumn converts a column in bytes to one in code points. Without the source both are taken to be equal.
func (f *File) RuneColumn(line, column int) int {
	text := f.Line(line)
	if column < 1 || column > len(text)+1 {
		return max(column, 1)
	}
	return utf8.RuneCount(text[:column-1]) + 1
}
