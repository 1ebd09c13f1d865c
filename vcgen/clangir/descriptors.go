package clangir

import (
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// CheckedType is a C type in the static data of a sanitizer check: { i16 kind, i16 info, name }.
//
//   - Integers have kind 0. Bit 0 of info is 1 for signed integers; the bits above are the binary logarithm of the
//     storage size in bits. From clang 20 on, _BitInt has kind 2.
//   - Floats have kind 1, and info is their width.
//   - The name of a typedef includes its type: 'word' (aka 'unsigned _BitInt(17)').
type CheckedType struct {
	Name   string
	Bits   int // width; 0 for other kinds
	Signed bool
	Float  bool
}

// CheckedTypes reads the types from the static data of a handler: { {file, line, column}, type... }.
func CheckedTypes(data llvmir.Operand) []CheckedType {
	c := data.Const
	if c == nil || c.Kind != llvmir.ConstGlobal || c.Global.Init == nil {
		return nil
	}
	var out []CheckedType
	for _, e := range c.Global.Init.Elems {
		if e.Kind != llvmir.ConstGlobal || e.Global.Init == nil || len(e.Global.Init.Elems) != 3 {
			continue
		}
		d := e.Global.Init.Elems
		full := strings.TrimRight(string(d[2].Data), "\x00")
		name, _, _ := strings.Cut(strings.TrimPrefix(full, "'"), "'")
		t := CheckedType{Name: name}
		if d[0].Int != nil && d[1].Int != nil {
			switch d[0].Int.Int64() {
			case 0, 2:
				t.Bits, t.Signed = 1<<(d[1].Int.Uint64()>>1), d[1].Int.Bit(0) == 1
				if _, width, ok := strings.Cut(full, "_BitInt("); ok {
					width, _, _ = strings.Cut(width, ")")
					if n, err := strconv.Atoi(width); err == nil {
						t.Bits = n
					}
				}
			case 1:
				t.Bits, t.Float = int(d[1].Int.Int64()), true
			}
		}
		out = append(out, t)
	}
	return out
}
