package diagnostics

import (
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/vcgen/found"
)

// PartOf tells which part of the code at a finding's place the finding is about: what csource.Source.Range makes of it
// is the finding's range, in every output and in editors.
func PartOf(kind found.Kind) csource.Part {
	if kind == found.Unwinding {
		return csource.Loop
	}
	return csource.Operation
}

// textRange is a range of a source text; lines and columns count from 1, columns in bytes. It ends before End.
type textRange struct{ startLine, startColumn, endLine, endColumn int }

// textRange widens a position to what is meant there; without sources it is the position itself.
func (f *sourceFile) textRange(line, column int, part csource.Part) textRange {
	at, ok := f.offset(line, column)
	if !ok {
		return textRange{line, column, line, column}
	}
	start, end := f.parsed.Range(at, part)
	return f.textBetween(start, end)
}

func (f *sourceFile) textBetween(start, end int) (r textRange) {
	r.startLine, r.startColumn = f.position(start)
	r.endLine, r.endColumn = f.position(end)
	return r
}
