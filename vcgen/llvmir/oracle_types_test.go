package llvmir

import (
	"github.com/llir/llvm/ir/types"
)

// typ returns the canonical type of an llir type.
func (r *oracle) typ(src types.Type) *Type {
	list := func(ts []types.Type) []*Type {
		var out []*Type
		for _, s := range ts {
			out = append(out, r.typ(s))
		}
		return out
	}
	switch s := src.(type) {
	case *types.VoidType:
		return r.voidType()
	case *types.IntType:
		return r.intType(int64(s.BitSize))
	case *types.FloatType:
		return r.floatType(s.Kind.String())
	case *types.PointerType:
		return r.pointerTo(r.typ(s.ElemType), int64(s.AddrSpace))
	case *types.VectorType:
		if s.Scalable {
			return r.opaqueType("scalable vector", 0)
		}
		return r.sequence(VectorType, int64(s.Len), r.typ(s.ElemType))
	case *types.ArrayType:
		return r.sequence(ArrayType, int64(s.Len), r.typ(s.ElemType))
	case *types.StructType:
		if s.TypeName == "" {
			return r.structOf(list(s.Fields), s.Packed)
		}
		if t := r.types.named[s.TypeName]; t != nil {
			return t
		}
		outermost := !r.declaring
		r.declaring = true
		t := r.namedStruct(s.TypeName)
		t.defined = true
		if !s.Opaque {
			t.Kind, t.Align, t.Packed = StructType, 0, s.Packed
			t.Fields = list(s.Fields)
		}
		if outermost {
			r.typesDefined()
		}
		return t
	case *types.FuncType:
		return r.funcType(r.typ(s.RetType), list(s.Params), s.Variadic)
	case *types.LabelType:
		return r.intern(typeKey{kind: LabelType}, &Type{Kind: LabelType})
	case *types.MetadataType:
		return r.metadataType()
	case *types.MMXType:
		return r.opaqueType("x86_mmx", 8)
	case *types.TokenType:
		return r.opaqueType("token", 0)
	}
	r.Fail("type %T is unknown", src)
	return nil
}
