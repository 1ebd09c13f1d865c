package llvmir

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// typeTable makes types canonical.
//
// A type is first built without its layout, because a named struct may contain pointers to itself. Layouts are
// computed when all types are known.
type typeTable struct {
	integers [129]*Type // by width, if they occur
	byKey    map[typeKey]*Type
	named    map[string]*Type // structs with names
	pending  []*Type
	depth    int // of layout, to bound its recursion

	void, metadata *Type

	// opaque: pointers have no pointee types, as in LLVM 15 and later ("ptr").
	opaque bool
}

// typeKey identifies a type: n is a width, length or address space, text everything else.
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

func (r *reader) initTypes() {
	r.types.byKey = map[typeKey]*Type{}
	r.types.named = map[string]*Type{}
	r.types.void = r.intern(typeKey{kind: VoidType}, &Type{Kind: VoidType})
	r.types.metadata = r.intern(typeKey{kind: MetadataType}, &Type{Kind: MetadataType})
}

// intern returns the canonical type with the key: an existing one, otherwise t.
func (r *reader) intern(key typeKey, t *Type) *Type {
	if known := r.types.byKey[key]; known != nil {
		return known
	}
	r.types.byKey[key] = t
	t.id = len(r.types.byKey) + len(r.types.named)
	if r.declaring {
		r.types.pending = append(r.types.pending, t)
	} else {
		r.layout(t)
	}
	return t
}

// typesDefined checks that each named type has a definition, and computes all layouts.
func (r *reader) typesDefined() {
	r.declaring = false
	for _, t := range r.types.pending {
		if t.mentioned > 0 && !t.defined {
			r.Start = t.mentioned
			r.Fail("type %%%s is not defined", t.Name)
		}
		r.layout(t)
	}
	r.types.pending = nil
}

func (r *reader) voidType() *Type     { return r.types.void }
func (r *reader) metadataType() *Type { return r.types.metadata }

func (r *reader) intType(bits int64) *Type {
	if bits < 1 || bits >= 1<<23 {
		r.Fail("integer width %d", bits)
	}
	if bits >= int64(len(r.types.integers)) {
		return r.intern(typeKey{kind: IntType, n: uint64(bits)}, &Type{Kind: IntType, Bits: int(bits)})
	}
	t := r.types.integers[bits]
	if t == nil {
		t = r.intern(typeKey{kind: IntType, n: uint64(bits)}, &Type{Kind: IntType, Bits: int(bits)})
		r.types.integers[bits] = t
	}
	return t
}

// floatWidths are the widths of floating point types; two types have 128 bits.
var floatWidths = map[string]int{"half": 16, "bfloat": 16, "float": 32, "double": 64, "x86_fp80": 80, "fp128": 128,
	"ppc_fp128": 128}

// IEEE reports whether a floating point type is an IEEE 754 format of 16, 32 or 64 bits.
func (t *Type) IEEE() bool { return t.Name == "" && (t.Bits == 16 || t.Bits == 32 || t.Bits == 64) }

func (r *reader) floatType(name string) *Type {
	t := &Type{Kind: FloatType, Bits: floatWidths[name]}
	if t.Bits == 128 || name == "bfloat" {
		t.Name = name
	}
	return r.intern(typeKey{kind: FloatType, text: name}, t)
}

// pointerTo returns the type of pointers to elem in an address space. Opaque pointers have one type per space.
func (r *reader) pointerTo(elem *Type, space int64) *Type {
	if r.types.opaque {
		return r.opaquePointer(space)
	}
	if space == 0 && elem.pointer != nil {
		return elem.pointer
	}
	t := r.intern(typeKey{kind: PointerType, n: uint64(space), elem: elem}, &Type{Kind: PointerType, Elem: elem})
	if space == 0 {
		elem.pointer = t
	} else {
		t.space = space
	}
	return t
}

// opaquePointer returns the type "ptr" in an address space.
func (r *reader) opaquePointer(space int64) *Type {
	return r.intern(typeKey{kind: PointerType, n: uint64(space)}, &Type{Kind: PointerType, space: space})
}

// opaquePointers reports whether a text has opaque pointers, as in LLVM 15 and later.
//
// LLVM rejects texts with both forms, so a single word decides.
func opaquePointers(text []byte) bool { return lexer.Mentions(text, "ptr") }

// pointsTo reports whether a pointer type allows values of type t: its pointee if it is typed, any type if it is
// opaque.
func (p *Type) pointsTo(t *Type) bool {
	return p != nil && p.Kind == PointerType && (p.Elem == nil || p.Elem == t)
}

// sequence returns the type of arrays or vectors of n elements.
func (r *reader) sequence(kind TypeKind, n int64, elem *Type) *Type {
	return r.intern(typeKey{kind: kind, n: uint64(n), elem: elem}, &Type{Kind: kind, Elem: elem, Len: n})
}

// structOf returns the type of a struct without a name.
func (r *reader) structOf(fields []*Type, packed bool) *Type {
	key := "{" + listKey(fields)
	if packed {
		key = "{<" + key[1:]
	}
	return r.intern(typeKey{kind: StructType, text: key}, &Type{Kind: StructType, Fields: fields, Packed: packed})
}

func (r *reader) funcType(ret *Type, params []*Type, variadic bool) *Type {
	key := listKey(params)
	if variadic {
		key += "..."
	}
	return r.intern(typeKey{kind: FuncType, elem: ret, text: key}, &Type{Kind: FuncType, Ret: ret, Params: params,
		Variadic: variadic})
}

// listKey returns a string that identifies a list of types.
func listKey(ts []*Type) string {
	var key []byte
	for _, t := range ts {
		key = append(strconv.AppendInt(key, int64(t.id), 10), ',')
	}
	return string(key)
}

// opaqueType returns a type of known size with unknown structure.
func (r *reader) opaqueType(name string, size int64) *Type {
	return r.intern(typeKey{kind: OpaqueType, text: name}, &Type{Kind: OpaqueType, Name: name, Size: size, StoreSize: size,
		Align: max(size, 1)})
}

// namedStruct returns the struct with a name. It is opaque until its fields are set.
func (r *reader) namedStruct(name string) *Type {
	t := r.types.named[name]
	if t == nil {
		t = &Type{Kind: OpaqueType, Name: name, Align: 1, id: len(r.types.byKey) + len(r.types.named) + 1, mentioned: r.Start}
		r.types.named[name] = t
		r.types.pending = append(r.types.pending, t)
	}
	return t
}

// layout computes size and alignment under the data layout of the module.
func (r *reader) layout(t *Type) {
	switch t.state {
	case laidOut:
		return
	case layingOut:
		r.Fail("type %s contains itself", t)
	}
	if r.types.depth++; r.types.depth > maxNesting {
		r.Fail("types are nested too deeply")
	}
	t.state = layingOut
	defer func() {
		t.state = laidOut
		r.types.depth--
	}()
	l := r.m.Layout
	switch t.Kind {
	case IntType:
		t.StoreSize = int64(t.Bits+7) / 8
		t.Align = l.integer(t.Bits)
		t.Size = roundUp(t.StoreSize, t.Align)
	case FloatType:
		t.StoreSize = int64(t.Bits) / 8
		t.Align = l.float(t.Bits)
		t.Size = roundUp(t.StoreSize, t.Align)
	case PointerType:
		size := int64(l.Pointer) / 8
		t.Size, t.StoreSize, t.Align = size, size, l.pointerAlign
	case VectorType:
		r.layout(t.Elem)
		// Vectors are packed by bits: <8 x i1> takes one byte.
		width := int64(t.Elem.Bits)
		if t.Elem.Kind == PointerType {
			width = int64(l.Pointer)
		}
		bits := r.times(t.Len, width)
		t.StoreSize = (bits + 7) / 8
		t.Align = l.vector(bits, t.StoreSize)
		t.Size = roundUp(t.StoreSize, t.Align)
	case ArrayType:
		r.layout(t.Elem)
		t.Size = r.times(t.Len, t.Elem.Size)
		t.StoreSize = t.Size
		t.Align = max(1, t.Elem.Align)
	case StructType:
		t.Align = l.aggregate
		if t.Packed {
			t.Align = 1
		}
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
				r.Fail("type %s is too large", t)
			}
			at += f.Size
		}
		t.Size = roundUp(at, t.Align)
		t.StoreSize = t.Size
	}
}

// maxTypeSize bounds type sizes in bytes: far above any object, far below overflow.
const maxTypeSize = 1 << 61

func (r *reader) times(n, size int64) int64 {
	hi, lo := bits.Mul64(uint64(n), uint64(size))
	if hi != 0 || lo > maxTypeSize {
		r.Fail("a type of %d times %d is too large", n, size)
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

// String returns t in LLVM's syntax; a named struct by its name.
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
			if t.Name != "" {
				return t.Name
			}
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
		switch {
		case t.Elem != nil:
			return t.Elem.String() + "*"
		case t.space != 0:
			return fmt.Sprintf("ptr addrspace(%d)", t.space)
		}
		return "ptr"
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
