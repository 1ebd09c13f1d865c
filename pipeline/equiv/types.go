package equiv

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// comparesPointers reports whether a version compares pointers, or uses one as a number.
func (b *builder) comparesPointers() bool {
	for _, s := range []*side{b.before, b.after} {
		for _, f := range s.ir.Funcs {
			if f.Loc == nil || f.Loc.File == b.Harness || language.IsModelFile(f.Loc.File) {
				continue
			}
			for _, block := range f.Blocks {
				for _, in := range block.Instrs {
					if in.Op == llvmir.OpPtrToInt || in.Op == llvmir.OpICmp && in.Args[0].Type.Kind == llvmir.PointerType &&
						!slices.ContainsFunc(in.Args, func(o llvmir.Operand) bool {
							return o.Const != nil && o.Const.Kind == llvmir.ConstNull
						}) {
						return true
					}
				}
			}
		}
	}
	return false
}

// hasPointer reports whether a parameter is a pointer, or holds one.
func (b *builder) hasPointer() bool {
	return slices.ContainsFunc(arguments(b.after.function), func(t *llvmir.DIType) bool { return hasPointers(t, 0) })
}

// hasPointerTypes reports whether a text contains pointers with pointee types.
func hasPointerTypes(text []byte) bool { return bytes.Contains(text, []byte("i8*")) }

// sameType returns an error if the function has another type in the two versions.
func (b *builder) sameType() error {
	f, err := b.named(b.after.ir)
	if err != nil {
		return err
	}
	g, err := b.named(b.before.ir)
	if err != nil {
		return err
	}
	b.after.function, b.before.function = f, g
	if f.Arity() != g.Arity() || f.Variadic != g.Variadic || !sameShape(f.ResultType, g.ResultType, nil) {
		return fmt.Errorf("the type of %s changed", b.Function)
	}
	for i := range f.Params {
		if f.Params[i].Type.String() != g.Params[i].Type.String() {
			return fmt.Errorf("the type of parameter %d of %s changed", i+1, b.Function)
		}
	}
	x, y := arguments(f), arguments(g)
	for i := range x {
		if i >= len(y) || !sameShape(x[i], y[i], nil) {
			return fmt.Errorf("the type of parameter %d of %s changed", i+1, b.Function)
		}
	}
	return nil
}

// arguments returns the C types of the parameters from the declarations of their variables.
func arguments(f *llvmir.Func) (list []*llvmir.DIType) {
	for _, block := range f.Blocks {
		for _, in := range block.Instrs {
			if in.Var != nil && in.Var.Arg > 0 {
				for len(list) < in.Var.Arg {
					list = append(list, nil)
				}
				list[in.Var.Arg-1] = in.Var.Type
			}
		}
	}
	return list
}

// pairOf are two types that are being compared.
type pairOf struct{ a, b *llvmir.DIType }

// sameShape reports whether two types have the same layout and the same names of members. Types on a cycle are equal if
// the rest is.
func sameShape(a, b *llvmir.DIType, seen []pairOf) bool {
	if a == nil || b == nil {
		return a == b
	}
	if slices.Contains(seen, pairOf{a, b}) {
		return true
	}
	seen = append(seen, pairOf{a, b})
	if len(seen) > 40 {
		return true // deeper than any access of a harness
	}
	if a.Kind == b.Kind && a.Name == b.Name && (isIncomplete(a) || isIncomplete(b)) {
		return true // the program of the comparison may include more headers than the version
	}
	if a.Kind != b.Kind || a.Bits != b.Bits || a.Signed != b.Signed || a.Count != b.Count ||
		len(a.Fields) != len(b.Fields) || len(a.Enums) != len(b.Enums) || !sameShape(a.Elem, b.Elem, seen) {
		return false
	}
	for i := range a.Fields {
		f, g := &a.Fields[i], &b.Fields[i]
		if f.Name != g.Name || f.BitOffset != g.BitOffset || f.BitSize != g.BitSize || f.BitField != g.BitField ||
			!sameShape(f.Type, g.Type, seen) {
			return false
		}
	}
	return slices.Equal(a.Enums, b.Enums)
}

// isIncomplete reports whether a version only declares a type: it does not access its members.
func isIncomplete(t *llvmir.DIType) bool {
	return (t.Kind == llvmir.DIStruct || t.Kind == llvmir.DIUnion) && t.Name != "" && t.Bits == 0 && len(t.Fields) == 0
}
