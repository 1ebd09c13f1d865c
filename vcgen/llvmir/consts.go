package llvmir

import (
	"math/big"
	"slices"
)

// constTable shares the small integer constants, which are the majority of constants.
type constTable struct {
	ints map[smallInt]*Const
}

type smallInt struct {
	typ *Type
	val int64
}

// intConst returns the constant x modulo 2^Bits of an integer type.
func (r *reader) intConst(t *Type, x *big.Int) *Const {
	if x.IsInt64() {
		if c := r.smallConst(t, x.Int64()); c != nil {
			return c
		}
	}
	return &Const{Kind: ConstInt, Type: t, Int: wrap(x, t.Bits)}
}

// smallConst returns the shared constant of a small number; nil if the number is not small.
func (r *reader) smallConst(t *Type, v int64) *Const {
	if v < -256 || v >= 4096 {
		return nil
	}
	key := smallInt{t, v}
	c := r.consts.ints[key]
	if c == nil {
		c = &Const{Kind: ConstInt, Type: t, Int: wrap(big.NewInt(v), t.Bits)}
		r.consts.ints[key] = c
	}
	return c
}

// wrap returns x modulo 2^bits.
func wrap(x *big.Int, bits int) *big.Int {
	if x.Sign() >= 0 && x.BitLen() <= bits {
		return x
	}
	mask := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	mask.Sub(mask, big.NewInt(1))
	return new(big.Int).And(x, mask)
}

func signed(c *Const) *big.Int { return c.Signed() }

// Signed returns the signed value of an integer constant.
func (k *Const) Signed() *big.Int {
	if k.Int.Bit(k.Type.Bits-1) == 0 {
		return k.Int
	}
	return new(big.Int).Sub(k.Int, new(big.Int).Lsh(big.NewInt(1), uint(k.Type.Bits)))
}

func (r *reader) undef(t *Type) *Const { return &Const{Kind: ConstUndef, Type: t} }

func (r *reader) unsupportedConst(t *Type, text string) *Const {
	return &Const{Kind: ConstExpr, Type: t, Expr: &Instr{Op: OpUnsupported, Type: t, Dst: -1, Text: text}}
}

// labelAddress returns the address of a label (&&label): the address of a separate object without bytes.
//
// The labels of one function have nearby addresses.
func (r *reader) labelAddress(t *Type, function, label string) *Const {
	name := function + ":&&" + label // clang uses no such name
	g := r.m.GlobalByName[name]
	if g == nil {
		none := r.sequence(ArrayType, 0, r.intType(8))
		g = &Global{Name: name, SourceName: "&&" + label, Type: none, Init: r.zero(none), Constant: true, Align: 1,
			LabelOf: function}
		r.m.Globals = append(r.m.Globals, g)
		r.m.GlobalByName[name] = g
	}
	return &Const{Kind: ConstGlobal, Type: t, Global: g}
}

// zero returns the constant of all zero bits.
func (r *reader) zero(t *Type) *Const {
	switch t.Kind {
	case IntType:
		return r.intConst(t, new(big.Int))
	case FloatType:
		return &Const{Kind: ConstFloat, Type: t, Int: new(big.Int)}
	case PointerType:
		return &Const{Kind: ConstNull, Type: t}
	}
	return &Const{Kind: ConstZero, Type: t}
}

// aggregate returns the constant of an array, vector or struct type. Arrays of bytes are stored as data.
func (r *reader) aggregate(t *Type, elems []*Const) *Const {
	n := t.Len
	if t.Kind == StructType {
		n = int64(len(t.Fields))
	}
	if int64(len(elems)) != n {
		r.Fail("a constant of type %s has %d elements", t, len(elems))
	}
	if t.Kind == ArrayType && t.Elem.Kind == IntType && t.Elem.Bits == 8 {
		data := make([]byte, 0, len(elems))
		for _, e := range elems {
			if e.Kind == ConstInt {
				data = append(data, byte(e.Int.Uint64()))
			}
		}
		if len(data) == len(elems) {
			return &Const{Kind: ConstData, Type: t, Data: data}
		}
	}
	return &Const{Kind: ConstAggregate, Type: t, Elems: elems}
}

// maxMask bounds the elements of masks; the widest vectors of x86-64 have 64.
const maxMask = 1 << 16

// shuffleMask returns the mask of a shufflevector, with -1 for undefined elements.
func (r *reader) shuffleMask(m *Const) []int {
	if m.Type.Kind != VectorType || m.Type.Len > maxMask {
		r.Fail("a shufflevector with a mask of type %s", m.Type)
	}
	out := make([]int, m.Type.Len)
	switch m.Kind {
	case ConstZero:
	case ConstUndef:
		for i := range out {
			out[i] = -1
		}
	case ConstAggregate:
		for i, e := range m.Elems {
			out[i] = -1
			if e.Kind == ConstInt {
				out[i] = int(e.Int.Int64())
			}
		}
	default:
		r.Fail("the mask of a shufflevector is not constant")
	}
	return out
}

// Bytes returns the bytes of a constant array of numbers as in memory; ok is false for other constants.
func (k *Const) Bytes(bigEndian bool) (data []byte, ok bool) {
	if k.Kind != ConstData && (k.Kind != ConstAggregate || k.Type.Kind != ArrayType || k.hasStruct()) {
		return nil, false
	}
	return k.Image(bigEndian)
}

// hasStruct reports whether an array has elements that are structures other than zero.
func (k *Const) hasStruct() bool {
	return k.Kind == ConstAggregate && (k.Type.Kind != ArrayType ||
		slices.ContainsFunc(k.Elems, func(e *Const) bool { return e.hasStruct() }))
}

// maxImage bounds the size of Image, in bytes: clang writes a large array that is zero except for its beginning as a
// structure.
const maxImage = 1 << 20

// Image returns the bytes of a constant array or structure of numbers as in memory, with zeros as padding. ok is false
// for other constants, and for large structures.
func (k *Const) Image(bigEndian bool) (data []byte, ok bool) {
	if k.Kind != ConstData && k.Kind != ConstAggregate || k.hasStruct() && k.Type.Size > maxImage {
		return nil, false
	}
	return k.appendImage(nil, bigEndian)
}

// appendImage appends the bytes of k to data.
func (k *Const) appendImage(data []byte, bigEndian bool) (all []byte, ok bool) {
	size := int(k.Type.Size)
	switch {
	case k.Kind == ConstData:
		return append(data, k.Data...), true
	case k.Type.Kind == PointerType:
		return nil, false
	case k.Kind == ConstZero, k.Kind == ConstUndef:
		return append(data, make([]byte, size)...), true
	case k.Kind == ConstAggregate && (k.Type.Kind == ArrayType || k.Type.Kind == StructType):
		from := len(data)
		for i, e := range k.Elems {
			if k.Type.Kind == StructType {
				data = append(data, make([]byte, from+int(k.Type.Offsets[i])-len(data))...)
			}
			if data, ok = e.appendImage(data, bigEndian); !ok {
				return nil, false
			}
		}
		return append(data, make([]byte, from+size-len(data))...), true
	case k.Kind != ConstInt && k.Kind != ConstFloat || k.Type.StoreSize != k.Type.Size:
		return nil, false
	}
	from := len(data)
	data = append(data, make([]byte, size)...)
	k.Int.FillBytes(data[from:])
	if !bigEndian {
		slices.Reverse(data[from:])
	}
	return data, true
}
