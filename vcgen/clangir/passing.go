package clangir

import (
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Passed returns a word for the way in which the ABI passes values of a type; it is equal for types passed alike.
//
// For example, pointers and integers that are no wider are passed alike.
func Passed(l *llvmir.Layout, t *llvmir.Type) string {
	switch t.Kind {
	case llvmir.PointerType:
		return "word"
	case llvmir.IntType:
		switch {
		case t.Bits <= l.Pointer:
			return "word"
		case t.Bits <= 64:
			return "i" + strconv.Itoa((t.Bits+31)/32*32)
		}
		return "wide"
	case llvmir.FloatType:
		return "float" + strconv.Itoa(t.Bits)
	case llvmir.VoidType:
		return "void"
	case llvmir.StructType:
		var s strings.Builder
		s.WriteString("{")
		for _, f := range t.Fields {
			s.WriteString(Passed(l, f) + ",")
		}
		return s.String() + "}"
	case llvmir.ArrayType, llvmir.VectorType:
		return Passed(l, t.Elem) + "*" + strconv.FormatInt(t.Len, 10)
	}
	return t.String()
}

// Fits reports whether a call is compatible with a function.
//
// The number of arguments and their passing must agree and, if the result is used, the passing of the result. A call
// through a type without prototype, f(), passes its own arguments.
func Fits(l *llvmir.Layout, f *llvmir.Func, call *llvmir.Instr, used bool) bool {
	n := len(f.Params)
	if len(call.Args) < n || len(call.Args) > n && !f.Variadic {
		return false
	}
	for i, p := range f.Params {
		byval := i < len(call.ByVal) && call.ByVal[i] != nil
		if Passed(l, p.Type) != Passed(l, call.Args[i].Type) || (p.ByVal != nil) != byval {
			return false
		}
	}
	return !used || Passed(l, call.Type) == Passed(l, f.Ret)
}
