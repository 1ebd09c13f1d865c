package found

// Pos is a source position; lines and columns count from 1, columns in bytes, 0 is unknown.
// File is as the compiler wrote it (joined with the compilation directory when relative).
type Pos struct {
	Function string `json:"function"` // C name of the function that holds the place
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

// Lines is a part of a file, its first and last lines included; the zero value is none in particular.
type Lines struct {
	File     string
	From, To int
}

// Has tells whether a position lies in it.
func (l Lines) Has(p Pos) bool { return p.File == l.File && l.From <= p.Line && p.Line <= l.To }
