package state

import (
	"math"
	"math/big"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Value is the content of a register.
//
// Pointers are numbers, too: an address together with the object it was derived from. The
// offset is the difference to the object's base, so arithmetic on addresses and on integers
// converted from them is the same. Obj alone determines the meaning of an address: leaving an
// object never leads into its neighbour.
type Value struct {
	// Bits holds integers of up to 64 bits (zero-extended), floats as IEEE bits, addresses.
	Bits uint64
	// Obj is the object from which a pointer, or an integer converted from one, was derived; nil if there is none.
	Obj *Object
	// From and N: the value is N bytes of a pointer, starting at byte From; N = its size is the whole pointer.
	From, N uint8
	// Loose: an operation (and, or, xor) may have changed the address such that it belongs to another object; see
	// State.Found.
	Loose bool
	// Wrapped: the address 0 is the result of arithmetic on another address, and thus not NULL.
	Wrapped bool
	X       *Extra
}

// Extra holds values that do not fit into 64 bits.
type Extra struct {
	Wide  *big.Int // non-negative integers above 64 bits
	Elems []Value  // structs, arrays, vectors
}

func IntValue(bits uint64) Value { return Value{Bits: bits} }

func BoolValue(b bool) Value {
	if b {
		return Value{Bits: 1}
	}
	return Value{}
}

func AggregateValue(elems []Value) Value { return Value{X: &Extra{Elems: elems}} }

func PointerTo(o *Object, off uint64) Value {
	return Value{Bits: (o.Base + off) & o.mask(), Obj: o, N: o.pointerSize()}
}

// mask returns the greatest address.
func (o *Object) mask() uint64 { return ^uint64(0) >> (64 - 8*o.pointerSize()) }

// Offset returns the offset of a pointer in its object; an address before the object has a negative one, of 64 bits.
func (v Value) Offset() uint64 {
	d := v.Bits - v.Obj.Base
	if p := v.Obj.pointerSize(); p != 8 { // no object has more than half of the addresses
		s := 64 - 8*p
		return uint64(int64(d<<s) >> s)
	}
	return d
}

// Whole reports whether v is a pointer or an integer that holds one.
func (v Value) Whole() bool { return v.Obj != nil && v.N == v.Obj.pointerSize() && v.From == 0 }

// Plain returns v without its object.
func (v Value) Plain() Value {
	v.Obj, v.From, v.N, v.Loose = nil, 0, 0, false
	return v
}

func (v Value) Elems() []Value {
	if v.X == nil {
		return nil
	}
	return v.X.Elems
}

// Big returns a non-negative integer of any width.
func (v Value) Big() *big.Int {
	if v.X != nil && v.X.Wide != nil {
		return v.X.Wide
	}
	return new(big.Int).SetUint64(v.Bits)
}

// SignedBig returns a signed integer of the given width.
func (v Value) SignedBig(width int) *big.Int {
	b := v.Big()
	if width > 0 && b.Bit(width-1) == 1 {
		return new(big.Int).Sub(b, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return b
}

// BigValue returns a number modulo 2^width as an integer of that width.
func BigValue(b *big.Int, width int) Value {
	if width <= 64 {
		if b.IsUint64() {
			return Value{Bits: b.Uint64() & Mask(width)}
		}
		m := new(big.Int).And(b, new(big.Int).SetUint64(Mask(width)))
		return Value{Bits: m.Uint64()}
	}
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	m.Sub(m, big.NewInt(1))
	return Value{X: &Extra{Wide: m.And(m, b)}}
}

// Mask returns a number with the low width bits set, 0 <= width <= 64.
func Mask(width int) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<uint(width) - 1
}

// NumberOf returns the value of a constant integer or float.
func NumberOf(c *llvmir.Const) Value {
	if c.Type.Bits <= 64 {
		return Value{Bits: c.Int.Uint64()}
	}
	return BigValue(c.Int, c.Type.Bits)
}

// SignExtend returns the signed value of the low width bits.
func SignExtend(bits uint64, width int) int64 {
	if width >= 64 {
		return int64(bits)
	}
	s := uint(64 - width)
	return int64(bits<<s) >> s
}

// Bit patterns of the NaN that operations return; it is quiet. Floats are stored as IEEE bits.
const (
	nan16 = 0x7e00
	nan32 = 0x7fc00000
	nan64 = 0x7ff8000000000000
)

// ToFloat converts a float of 16, 32 or 64 bits; each is exact as a double.
func ToFloat(v Value, width int) float64 {
	switch width {
	case 16:
		return halfToFloat(uint16(v.Bits))
	case 32:
		return float64(math.Float32frombits(uint32(v.Bits)))
	}
	return math.Float64frombits(v.Bits)
}

// FromFloat rounds a number to a float of the given width.
func FromFloat(f float64, width int) Value {
	if f != f {
		return IntValue(map[int]uint64{16: nan16, 32: nan32, 64: nan64}[width])
	}
	switch width {
	case 16:
		return IntValue(uint64(floatToHalf(f)))
	case 32:
		return IntValue(uint64(math.Float32bits(float32(f))))
	}
	return IntValue(math.Float64bits(f))
}

func IsAggregate(t *llvmir.Type) bool {
	return t.Kind == llvmir.StructType || t.Kind == llvmir.ArrayType || t.Kind == llvmir.VectorType
}

// Element returns the type and byte offset of element i of an aggregate type.
func Element(t *llvmir.Type, i int) (*llvmir.Type, uint64) {
	switch t.Kind {
	case llvmir.StructType:
		return t.Fields[i], uint64(t.Offsets[i])
	case llvmir.VectorType:
		return t.Elem, uint64(i) * uint64(t.Elem.StoreSize)
	}
	return t.Elem, uint64(i) * uint64(t.Elem.Size)
}

// ElementCount returns the number of elements of an aggregate type.
func ElementCount(t *llvmir.Type) int {
	if t.Kind == llvmir.StructType {
		return len(t.Fields)
	}
	return int(t.Len)
}

// ZeroValue returns the value of a type with all bits zero.
func ZeroValue(t *llvmir.Type) Value {
	if !IsAggregate(t) {
		if t.Kind == llvmir.IntType && t.Bits > 64 {
			return BigValue(new(big.Int), t.Bits)
		}
		return Value{}
	}
	out := make([]Value, ElementCount(t))
	for i := range out {
		et, _ := Element(t, i)
		out[i] = ZeroValue(et)
	}
	return AggregateValue(out)
}

// UnsupportedType returns the reason why values of t are not supported, or "" if they are.
func UnsupportedType(t *llvmir.Type) string {
	switch t.Kind {
	case llvmir.FloatType:
		switch {
		case t.IEEE():
			return ""
		case t.Bits == 80:
			return "long double (x87)"
		}
		return "a floating-point type other than _Float16, float and double"
	case llvmir.ArrayType, llvmir.VectorType:
		if t.Kind == llvmir.VectorType && t.Elem.Kind == llvmir.IntType && t.Elem.Bits%8 != 0 && t.Elem.Bits != 1 {
			return "a vector of integers of odd width"
		}
		return UnsupportedType(t.Elem)
	case llvmir.StructType:
		for _, f := range t.Fields {
			if why := UnsupportedType(f); why != "" {
				return why
			}
		}
	}
	return ""
}
