package found

// Pos is a source position. Lines and columns count from 1, columns in bytes; 0 is unknown.
//
// File is the compiler's name of the file, joined with the compilation directory if it is relative.
type Pos struct {
	Function string `json:"function"` // C name of the function that contains the position
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

// Lines is a range of lines of a file, both ends inclusive. The zero value is no range.
type Lines struct {
	File     string
	From, To int
}

// Has reports whether the range contains a position.
func (l Lines) Has(p Pos) bool { return p.File == l.File && l.From <= p.Line && p.Line <= l.To }
