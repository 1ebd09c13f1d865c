package llvmir

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/llir/llvm/ir/types"
)

// typeTable makes types canonical. A type is first built without its layout, because a named
// struct may reach itself through pointers; layouts follow when the whole graph stands.
type typeTable struct {
	bySource map[types.Type]*Type // named types only: llir makes the others anew wherever they are written
	integers [129]*Type           // by width, as far as they occurred
	byKey    map[typeKey]*Type
	id       map[*Type]int
	state    map[*Type]layoutState
	pending  []*Type
	depth    int

	void, i32, metadata *Type
}

// typeKey identifies a type: n is a width, length or address space, text whatever else there is.
type typeKey struct {
	kind TypeKind
	n    uint64
	elem *Type
	text string
}

type layoutState uint8

const (
	notLaidOut layoutState = iota
	layingOut
	laidOut
)

func (t *typeTable) init() {
	t.bySource = map[types.Type]*Type{}
	t.byKey = map[typeKey]*Type{}
	t.id = map[*Type]int{}
	t.state = map[*Type]layoutState{}
}

// typ returns the canonical type of an llir type.
func (r *reader) typ(src types.Type) *Type {
	if i, ok := src.(*types.IntType); ok {
		if i.BitSize < uint64(len(r.types.integers)) && r.types.integers[i.BitSize] != nil {
			return r.types.integers[i.BitSize]
		}
	} else if src.Name() != "" {
		if t, ok := r.types.bySource[src]; ok {
			return t
		}
	}
	r.types.depth++
	t := r.buildType(src)
	r.types.depth--
	if r.types.depth == 0 {
		pending := r.types.pending
		r.types.pending = nil
		for _, p := range pending {
			r.layout(p)
		}
	}
	return t
}

func (r *reader) voidType() *Type     { return r.basic(&r.types.void, types.Void) }
func (r *reader) i32Type() *Type      { return r.basic(&r.types.i32, types.I32) }
func (r *reader) metadataType() *Type { return r.basic(&r.types.metadata, types.Metadata) }

func (r *reader) basic(slot **Type, src types.Type) *Type {
	if *slot == nil {
		*slot = r.typ(src)
	}
	return *slot
}

// intern returns the type with the key, which make fills in when it is new.
func (r *reader) intern(src types.Type, key typeKey, fill func(*Type)) *Type {
	t, known := r.types.byKey[key]
	if !known {
		t = &Type{}
		r.types.byKey[key] = t
	}
	if src.Name() != "" {
		r.types.bySource[src] = t
	}
	if known {
		return t
	}
	r.types.id[t] = len(r.types.id)
	fill(t)
	r.types.pending = append(r.types.pending, t)
	return t
}

func (r *reader) buildType(src types.Type) *Type {
	id := func(t *Type) int { return r.types.id[t] }
	list := func(ts []types.Type) ([]*Type, string) {
		var out []*Type
		var key []byte
		for _, s := range ts {
			t := r.typ(s)
			out = append(out, t)
			key = append(strconv.AppendInt(key, int64(id(t)), 10), ',')
		}
		return out, string(key)
	}
	opaque := func(name string, size int64) *Type {
		return r.intern(src, typeKey{kind: OpaqueType, text: name}, func(t *Type) {
			t.Kind, t.Name, t.Size, t.StoreSize, t.Align = OpaqueType, name, size, size, max(size, 1)
		})
	}
	switch s := src.(type) {
	case *types.VoidType:
		return r.intern(src, typeKey{kind: VoidType}, func(t *Type) { t.Kind = VoidType })
	case *types.IntType:
		return r.intern(src, typeKey{kind: IntType, n: s.BitSize}, func(t *Type) {
			t.Kind, t.Bits = IntType, int(s.BitSize)
			if s.BitSize < 1 || s.BitSize >= 1<<23 {
				r.fail("integer width %d", s.BitSize)
				t.Bits = 1
			}
			if s.BitSize < uint64(len(r.types.integers)) {
				r.types.integers[s.BitSize] = t
			}
		})
	case *types.FloatType:
		return r.intern(src, typeKey{kind: FloatType, n: uint64(s.Kind)}, func(t *Type) {
			t.Kind = FloatType
			switch s.Kind {
			case types.FloatKindHalf:
				t.Bits = 16
			case types.FloatKindFloat:
				t.Bits = 32
			case types.FloatKindDouble:
				t.Bits = 64
			case types.FloatKindX86_FP80:
				t.Bits = 80
			default:
				t.Bits = 128
				t.Name = s.Kind.String()
			}
		})
	case *types.PointerType:
		elem := r.typ(s.ElemType)
		return r.intern(src, typeKey{kind: PointerType, n: uint64(s.AddrSpace), elem: elem}, func(t *Type) {
			t.Kind, t.Elem = PointerType, elem
		})
	case *types.VectorType:
		if s.Scalable {
			return opaque("scalable vector", 0)
		}
		elem := r.typ(s.ElemType)
		return r.intern(src, typeKey{kind: VectorType, n: s.Len, elem: elem}, func(t *Type) {
			t.Kind, t.Elem, t.Len = VectorType, elem, r.length(s.Len)
		})
	case *types.ArrayType:
		elem := r.typ(s.ElemType)
		return r.intern(src, typeKey{kind: ArrayType, n: s.Len, elem: elem}, func(t *Type) {
			t.Kind, t.Elem, t.Len = ArrayType, elem, r.length(s.Len)
		})
	case *types.StructType:
		if s.TypeName != "" {
			return r.intern(src, typeKey{kind: StructType, text: "%" + s.TypeName}, func(t *Type) {
				t.Kind, t.Name, t.Packed = StructType, s.TypeName, s.Packed
				if s.Opaque {
					t.Kind, t.Align = OpaqueType, 1
					return
				}
				t.Fields, _ = list(s.Fields)
			})
		}
		fields, key := list(s.Fields)
		if s.Packed {
			key = "<" + key
		}
		return r.intern(src, typeKey{kind: StructType, text: "{" + key}, func(t *Type) {
			t.Kind, t.Fields, t.Packed = StructType, fields, s.Packed
		})
	case *types.FuncType:
		ret := r.typ(s.RetType)
		params, key := list(s.Params)
		return r.intern(src, typeKey{kind: FuncType, elem: ret, text: fmt.Sprint(s.Variadic, key)}, func(t *Type) {
			t.Kind, t.Ret, t.Params, t.Variadic = FuncType, ret, params, s.Variadic
		})
	case *types.LabelType:
		return r.intern(src, typeKey{kind: LabelType}, func(t *Type) { t.Kind = LabelType })
	case *types.MetadataType:
		return r.intern(src, typeKey{kind: MetadataType}, func(t *Type) { t.Kind = MetadataType })
	case *types.MMXType:
		return opaque("x86_mmx", 8)
	case *types.TokenType:
		return opaque("token", 0)
	}
	r.fail("type %T is unknown", src)
	return r.voidType()
}

func (r *reader) length(n uint64) int64 {
	if n > math.MaxInt64 {
		r.fail("array length %d", n)
		return 0
	}
	return int64(n)
}

// layout computes size and alignment under the data layout
// e-i64:64-f80:128 (i128 has alignment 8 in LLVM 14), pointers 64 bits.
func (r *reader) layout(t *Type) {
	switch r.types.state[t] {
	case laidOut:
		return
	case layingOut:
		r.fail("type %s contains itself", t)
		return
	}
	r.types.state[t] = layingOut
	defer func() { r.types.state[t] = laidOut }()
	switch t.Kind {
	case IntType:
		t.StoreSize = int64(t.Bits+7) / 8
		// An odd width takes the alignment of the next listed one, i64 being the last.
		t.Align = min(8, powerOf2Ceil(t.StoreSize))
		t.Size = roundUp(t.StoreSize, t.Align)
	case FloatType:
		t.StoreSize = int64(t.Bits) / 8
		t.Align = powerOf2Ceil(t.StoreSize)
		t.Size = roundUp(t.StoreSize, t.Align)
	case PointerType:
		t.Size, t.StoreSize, t.Align = 8, 8, 8
	case VectorType:
		r.layout(t.Elem)
		// Vectors are packed by bits: <8 x i1> takes one byte.
		width := int64(t.Elem.Bits)
		if t.Elem.Kind == PointerType {
			width = 64
		}
		t.StoreSize = (r.times(t.Len, width) + 7) / 8
		t.Align = powerOf2Ceil(max(1, t.StoreSize))
		t.Size = roundUp(t.StoreSize, t.Align)
	case ArrayType:
		r.layout(t.Elem)
		t.Size = r.times(t.Len, t.Elem.Size)
		t.StoreSize = t.Size
		t.Align = max(1, t.Elem.Align)
	case StructType:
		t.Align = 1
		t.Offsets = make([]int64, len(t.Fields))
		at := int64(0)
		for i, f := range t.Fields {
			r.layout(f)
			if !t.Packed {
				t.Align = max(t.Align, f.Align)
				at = roundUp(at, max(1, f.Align))
			}
			t.Offsets[i] = at
			if at > maxTypeSize-f.Size {
				r.fail("type %s is too large", t)
				return
			}
			at += f.Size
		}
		t.Size = roundUp(at, t.Align)
		t.StoreSize = t.Size
	}
}

// maxTypeSize bounds type sizes in bytes, far above any object and far below overflow.
const maxTypeSize = 1 << 61

func (r *reader) times(n, size int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(size))
	if hi != 0 || lo > maxTypeSize {
		r.fail("a type of %d times %d is too large", n, size)
		return 0
	}
	return int64(lo)
}

func roundUp(n, to int64) int64 { return (n + to - 1) / to * to }

func powerOf2Ceil(n int64) int64 {
	p := int64(1)
	for p < n {
		p *= 2
	}
	return p
}

// String writes t as LLVM does; a named struct by its name.
func (t *Type) String() string {
	if t == nil {
		return "<nil>"
	}
	list := func(ts []*Type) string {
		var parts []string
		for _, f := range ts {
			parts = append(parts, f.String())
		}
		return strings.Join(parts, ", ")
	}
	switch t.Kind {
	case VoidType:
		return "void"
	case IntType:
		return fmt.Sprintf("i%d", t.Bits)
	case FloatType:
		switch t.Bits {
		case 16:
			return "half"
		case 32:
			return "float"
		case 64:
			return "double"
		case 80:
			return "x86_fp80"
		}
		return t.Name
	case PointerType:
		return t.Elem.String() + "*"
	case ArrayType:
		return fmt.Sprintf("[%d x %s]", t.Len, t.Elem)
	case VectorType:
		return fmt.Sprintf("<%d x %s>", t.Len, t.Elem)
	case StructType:
		switch {
		case t.Name != "":
			return "%" + t.Name
		case t.Packed:
			return "<{ " + list(t.Fields) + " }>"
		case len(t.Fields) == 0:
			return "{}"
		}
		return "{ " + list(t.Fields) + " }"
	case FuncType:
		params := list(t.Params)
		if t.Variadic {
			if params != "" {
				params += ", "
			}
			params += "..."
		}
		return fmt.Sprintf("%s (%s)", t.Ret, params)
	case LabelType:
		return "label"
	case MetadataType:
		return "metadata"
	}
	return "%" + t.Name
}
