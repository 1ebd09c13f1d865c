package interp

import (
	"math/big"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// value is the content of a register.
//
// Pointers are numbers, too: an address together with the object it was derived from. The
// offset is the difference to the object's base, so arithmetic on addresses and on integers
// made from them is the same, and what an address means is decided by obj alone: leaving an
// object never leads into its neighbour.
type value struct {
	// bits holds integers of up to 64 bits (zero-extended), floats as IEEE bits, addresses.
	bits uint64
	// obj is what a pointer, or an integer made from one, was derived from; nil for none.
	obj *object
	// from and n: the value is the n bytes of a pointer from byte from on; n = 8 is a whole one.
	from, n uint8
	// loose is set when the object survived an operation that may as well make another
	// address (and, or, xor): see machine.intToPtr.
	loose bool
	x     *extra
}

// extra holds what does not fit a word.
type extra struct {
	wide  *big.Int // integers above 64 bits, not negative
	elems []value  // structs, arrays, vectors
}

func intValue(bits uint64) value { return value{bits: bits} }

func boolValue(b bool) value {
	if b {
		return value{bits: 1}
	}
	return value{}
}

func aggregateValue(elems []value) value { return value{x: &extra{elems: elems}} }

func pointerTo(o *object, off uint64) value { return value{bits: o.base + off, obj: o, n: 8} }

// offset is where a pointer points to in its object.
func (v value) offset() uint64 { return v.bits - v.obj.base }

// whole reports whether v is a pointer or an integer that holds one.
func (v value) whole() bool { return v.obj != nil && v.n == 8 && v.from == 0 }

// plain is v without what it was derived from.
func (v value) plain() value {
	v.obj, v.from, v.n, v.loose = nil, 0, 0, false
	return v
}

func (v value) elems() []value {
	if v.x == nil {
		return nil
	}
	return v.x.elems
}

// big returns an integer of any width, not negative.
func (v value) big() *big.Int {
	if v.x != nil && v.x.wide != nil {
		return v.x.wide
	}
	return new(big.Int).SetUint64(v.bits)
}

// signedBig returns an integer of the given width with its sign.
func (v value) signedBig(width int) *big.Int {
	b := v.big()
	if width > 0 && b.Bit(width-1) == 1 {
		return new(big.Int).Sub(b, new(big.Int).Lsh(big.NewInt(1), uint(width)))
	}
	return b
}

// bigValue makes an integer of a width from any number, modulo 2^width.
func bigValue(b *big.Int, width int) value {
	if width <= 64 {
		if b.IsUint64() {
			return value{bits: b.Uint64() & mask(width)}
		}
		m := new(big.Int).And(b, new(big.Int).SetUint64(mask(width)))
		return value{bits: m.Uint64()}
	}
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	m.Sub(m, big.NewInt(1))
	return value{x: &extra{wide: m.And(m, b)}}
}

// mask has the low width bits set, 0 <= width <= 64.
func mask(width int) uint64 {
	if width >= 64 {
		return ^uint64(0)
	}
	return 1<<uint(width) - 1
}

// signExtend reads the low width bits as two's complement.
func signExtend(bits uint64, width int) int64 {
	if width >= 64 {
		return int64(bits)
	}
	s := uint(64 - width)
	return int64(bits<<s) >> s
}

func isAggregate(t *llvmir.Type) bool {
	return t.Kind == llvmir.StructType || t.Kind == llvmir.ArrayType || t.Kind == llvmir.VectorType
}

// element returns type and byte offset of the i-th element of an aggregate type.
func element(t *llvmir.Type, i int) (*llvmir.Type, uint64) {
	switch t.Kind {
	case llvmir.StructType:
		return t.Fields[i], uint64(t.Offsets[i])
	case llvmir.VectorType:
		return t.Elem, uint64(i) * uint64(t.Elem.StoreSize)
	}
	return t.Elem, uint64(i) * uint64(t.Elem.Size)
}

// elementCount is the number of elements of an aggregate type.
func elementCount(t *llvmir.Type) int {
	if t.Kind == llvmir.StructType {
		return len(t.Fields)
	}
	return int(t.Len)
}

// zeroValue is the value of a type with all bits zero.
func zeroValue(t *llvmir.Type) value {
	if !isAggregate(t) {
		if t.Kind == llvmir.IntType && t.Bits > 64 {
			return bigValue(new(big.Int), t.Bits)
		}
		return value{}
	}
	out := make([]value, elementCount(t))
	for i := range out {
		et, _ := element(t, i)
		out[i] = zeroValue(et)
	}
	return aggregateValue(out)
}

// unsupportedType is why values of t cannot be computed with, "" when they can.
func unsupportedType(t *llvmir.Type) string {
	switch t.Kind {
	case llvmir.FloatType:
		switch t.Bits {
		case 32, 64:
			return ""
		case 80:
			return "long double (x87)"
		}
		return "a floating-point type other than float and double"
	case llvmir.ArrayType, llvmir.VectorType:
		if t.Kind == llvmir.VectorType && t.Elem.Kind == llvmir.IntType && t.Elem.Bits%8 != 0 && t.Elem.Bits != 1 {
			return "a vector of integers of odd width"
		}
		return unsupportedType(t.Elem)
	case llvmir.StructType:
		for _, f := range t.Fields {
			if why := unsupportedType(f); why != "" {
				return why
			}
		}
	}
	return ""
}
