package clangir

import (
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// CheckedType is a C type as a sanitizer describes it in static data: { i16 kind, i16 info, name }. Integers have kind
// 0, and info holds the binary logarithm of the storage size in bits above the low bit, which is 1 for signed ones.
// Those of a width of their own have kind 2 from clang 20 on. Floats have kind 1 and info is their width. The name has
// the type that a typedef stands for behind it: 'word' (aka 'unsigned _BitInt(17)').
type CheckedType struct {
	Name   string
	Bits   int // width; 0 when the kind is another
	Signed bool
	Float  bool
}

// CheckedTypes reads the types from what a handler gets as its data: { {file, line, column}, type... }.
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
