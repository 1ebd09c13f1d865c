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
// made from them is the same, and what an address means is decided by obj alone: leaving an
// object never leads into its neighbour.
type Value struct {
	// Bits holds integers of up to 64 bits (zero-extended), floats as IEEE bits, addresses.
	Bits uint64
	// Obj is what a pointer, or an integer made from one, was derived from; nil for none.
	Obj *Object
	// From and n: the value is the n bytes of a pointer from byte from on; n = 8 is a whole one.
	From, N uint8
	// Loose is set when the object survived an operation that may as well make another
	// address (and, or, xor): see State.Found.
	Loose bool
	// Wrapped is set of the address 0 that arithmetic made of another one, which is not NULL.
	Wrapped bool
	X       *Extra
}

// Extra holds what does not fit a word.
type Extra struct {
	Wide  *big.Int // integers above 64 bits, not negative
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

func PointerTo(o *Object, off uint64) Value { return Value{Bits: o.Base + off, Obj: o, N: 8} }

// Offset is where a pointer points to in its object.
func (v Value) Offset() uint64 { return v.Bits - v.Obj.Base }

// Whole reports whether v is a pointer or an integer that holds one.
func (v Value) Whole() bool { return v.Obj != nil && v.N == 8 && v.From == 0 }

// Plain is v without what it was derived from.
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

// Big returns an integer of any width, not negative.
func (v Value) Big() *big.Int {
	if v.X != nil && v.X.Wide != nil {
		return v.X.Wide
	}
	return new(big.Int).SetUint64(v.Bits)
}

// SignedBig returns an integer of the given width with its sign.
func (v Value) SignedBig(width int) *big.Int {
	b := v.Big()
	if width > 0 && b.Bit(width-1) == 1 {
		return new(big.Int).Sub(b, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return b
}

// BigValue makes an integer of a width from any number, modulo 2^width.
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

// Mask has the low width bits set, 0 <= width <= 64.
func Mask(width int) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<uint(width) - 1
}

// NumberOf is the value of a constant integer or float.
func NumberOf(c *llvmir.Const) Value {
	if c.Type.Bits <= 64 {
		return Value{Bits: c.Int.Uint64()}
	}
	return BigValue(c.Int, c.Type.Bits)
}

// SignExtend reads the low width bits as two's complement.
func SignExtend(bits uint64, width int) int64 {
	if width >= 64 {
		return int64(bits)
	}
	s := uint(64 - width)
	return int64(bits<<s) >> s
}

// Floats are kept as IEEE bits; a NaN that an operation makes is quiet.
const (
	nan16 = 0x7e00
	nan32 = 0x7fc00000
	nan64 = 0x7ff8000000000000
)

// ToFloat reads a float of 32 or 64 bits; every float is exact as a double.
func ToFloat(v Value, width int) float64 {
	switch width {
	case 16:
		return halfToFloat(uint16(v.Bits))
	case 32:
		return float64(math.Float32frombits(uint32(v.Bits)))
	}
	return math.Float64frombits(v.Bits)
}

// FromFloat rounds to a width.
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

// Element returns type and byte offset of the i-th element of an aggregate type.
func Element(t *llvmir.Type, i int) (*llvmir.Type, uint64) {
	switch t.Kind {
	case llvmir.StructType:
		return t.Fields[i], uint64(t.Offsets[i])
	case llvmir.VectorType:
		return t.Elem, uint64(i) * uint64(t.Elem.StoreSize)
	}
	return t.Elem, uint64(i) * uint64(t.Elem.Size)
}

// ElementCount is the number of elements of an aggregate type.
func ElementCount(t *llvmir.Type) int {
	if t.Kind == llvmir.StructType {
		return len(t.Fields)
	}
	return int(t.Len)
}

// ZeroValue is the value of a type with all bits zero.
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

// UnsupportedType is why values of t cannot be computed with, "" when they can.
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
