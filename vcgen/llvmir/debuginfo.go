package llvmir

// Loc is a source position with its scope. Lines and columns count from 1; 0 is unknown.
type Loc struct {
	File      string // clang's name, joined with the compilation directory if relative (see Read)
	Line, Col int
	Scope     *Scope
	InlinedAt *Loc
}

// Scope is a subprogram or a lexical block of it.
type Scope struct {
	Parent    *Scope // nil for a subprogram
	Function  string // C name of the enclosing subprogram
	File      string
	Line      int // of the subprogram or block
	ScopeLine int
}

// DIVar is a local variable or parameter.
type DIVar struct {
	Name  string
	Arg   int // 1-based number of a parameter, 0 for a local
	Type  *DIType
	Scope *Scope
	File  string
	Line  int
}

// DITypeKind is the kind of a DIType.
type DITypeKind uint8

// Kinds of source types.
const (
	DIVoid DITypeKind = iota
	DIInt             // signed or unsigned integer
	DIChar            // char, signed char, unsigned char
	DIBool
	DIFloat
	DIPointer // Elem, nil for void
	DIStruct
	DIUnion
	DIArray // Elem, Count (-1 unknown); one dimension, further ones in Elem
	DIEnum
	DIFunc // Elem the result (nil for void), Fields the parameters (Type nil for "...")
)

// DIType is a C type from debug information, without typedefs and qualifiers.
//
// Name retains the name of the outermost typedef.
type DIType struct {
	Kind   DITypeKind
	Name   string // in C syntax
	Tag    string // of a struct or union, without the keyword; "" if it has none
	Bits   int64  // size in bits
	Signed bool
	Const  bool // the outermost level has a const qualifier
	Elem   *DIType
	Count  int64
	Fields []DIField
	Enums  []DIEnumerator
}

// DIField is a member of a struct or union; bit-fields have BitField set.
type DIField struct {
	Name      string
	Type      *DIType
	BitOffset int64
	BitSize   int64
	BitField  bool
}

// DIEnumerator is a named value of an enumeration.
type DIEnumerator struct {
	Name  string
	Value int64
}
