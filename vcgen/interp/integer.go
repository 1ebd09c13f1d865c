package interp

import (
	"math/big"
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

func mul64(x, y uint64) (hi, lo uint64) { return bits.Mul64(x, y) }

func newBig(bigEndian []byte) *big.Int { return new(big.Int).SetBytes(bigEndian) }

func intType(width int) *llvmir.Type {
	n := int64(width+7) / 8
	return &llvmir.Type{Kind: llvmir.IntType, Bits: width, Size: n, StoreSize: n, Align: 1}
}

// integer is arithmetic on integers of a width. Overflow wraps. What has no result is
// arbitrary: division by zero and shifts by the width or more, which the compiler's checks
// in front of the operation report.
func (m *machine) integer(in *llvmir.Instr, x, y value, width int) value {
	if width > 64 {
		return m.wideInteger(in, x, y, width)
	}
	undefined := func() value { return m.arbitrary(intType(width), in.ID, "undef", nil) }
	a, b := x.bits, y.bits
	sa, sb := signExtend(a, width), signExtend(b, width)
	var r uint64
	switch in.Op {
	case llvmir.OpAdd:
		r = a + b
	case llvmir.OpSub:
		r = a - b
	case llvmir.OpMul:
		r = a * b
	case llvmir.OpUDiv:
		if b == 0 {
			m.dividesByZero()
			return undefined()
		}
		r = a / b
	case llvmir.OpURem:
		if b == 0 {
			m.dividesByZero()
			return undefined()
		}
		r = a % b
	case llvmir.OpSDiv:
		if b == 0 {
			m.dividesByZero()
			return undefined()
		}
		r = uint64(sa / sb) // Go wraps the one quotient that overflows, as wanted
	case llvmir.OpSRem:
		if b == 0 {
			m.dividesByZero()
			return undefined()
		}
		r = uint64(sa % sb)
	case llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr:
		if b >= uint64(width) {
			return undefined()
		}
		switch in.Op {
		case llvmir.OpShl:
			r = a << b
		case llvmir.OpLShr:
			r = a >> b
		default:
			r = uint64(sa >> b)
		}
	case llvmir.OpAnd:
		r = a & b
	case llvmir.OpOr:
		r = a | b
	case llvmir.OpXor:
		r = a ^ b
	}
	out := value{bits: r & mask(width)}
	if x.obj != nil || y.obj != nil {
		derive(&out, in.Op, x, y, width)
	}
	return out
}

// derive decides whether the result of an operation on 64 bits still means an address in the
// object of one of its operands.
func derive(out *value, op llvmir.Op, x, y value, width int) {
	keep := func(from value, loose bool) {
		out.obj, out.n, out.loose = from.obj, 8, from.loose || loose
	}
	if op == llvmir.OpLShr && x.obj != nil && y.bits%8 == 0 && int(y.bits/8) < int(x.n) {
		out.obj, out.from, out.n, out.loose = x.obj, x.from+uint8(y.bits/8), x.n-uint8(y.bits/8), x.loose
		return
	}
	if width != 64 {
		return
	}
	switch op {
	case llvmir.OpAdd:
		if x.whole() != y.whole() {
			if x.whole() {
				keep(x, false)
			} else {
				keep(y, false)
			}
		}
	case llvmir.OpSub:
		if x.whole() && !y.whole() {
			keep(x, false)
		}
	case llvmir.OpAnd, llvmir.OpOr, llvmir.OpXor:
		if x.whole() && !y.whole() {
			keep(x, true)
		} else if y.whole() && !x.whole() {
			keep(y, true)
		}
	}
}

func (m *machine) wideInteger(in *llvmir.Instr, x, y value, width int) value {
	a, b := x.big(), y.big()
	sa, sb := x.signedBig(width), y.signedBig(width)
	undefined := func() value { return m.arbitrary(intType(width), in.ID, "undef", nil) }
	z := new(big.Int)
	switch in.Op {
	case llvmir.OpAdd:
		z.Add(a, b)
	case llvmir.OpSub:
		z.Sub(a, b)
	case llvmir.OpMul:
		z.Mul(a, b)
	case llvmir.OpAnd:
		z.And(a, b)
	case llvmir.OpOr:
		z.Or(a, b)
	case llvmir.OpXor:
		z.Xor(a, b)
	case llvmir.OpUDiv, llvmir.OpURem, llvmir.OpSDiv, llvmir.OpSRem:
		if b.Sign() == 0 {
			m.dividesByZero()
			return undefined()
		}
		switch in.Op {
		case llvmir.OpUDiv:
			z.Quo(a, b)
		case llvmir.OpURem:
			z.Rem(a, b)
		case llvmir.OpSDiv:
			z.Quo(sa, sb)
		default:
			z.Rem(sa, sb)
		}
	case llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr:
		if b.Cmp(big.NewInt(int64(width))) >= 0 {
			return undefined()
		}
		n := uint(b.Uint64())
		switch in.Op {
		case llvmir.OpShl:
			z.Lsh(a, n)
		case llvmir.OpLShr:
			z.Rsh(a, n)
		default:
			z.Rsh(sa, n)
		}
	}
	return bigValue(z, width)
}

// dividesByZero is the violation of a division that clang put no check in front of: of vectors, or where it was told not to.
func (m *machine) dividesByZero() {
	m.violated(found.DivisionByZero, func() string { return m.expressed("the division") + " divides by zero" })
}

// compareInts evaluates an integer predicate; pointers compare as addresses.
func compareInts(p llvmir.Pred, x, y value, width int) bool {
	var c int
	signed := p >= llvmir.PredSGT && p <= llvmir.PredSLE
	switch {
	case width > 64 && signed:
		c = x.signedBig(width).Cmp(y.signedBig(width))
	case width > 64:
		c = x.big().Cmp(y.big())
	case signed:
		c = order(signExtend(x.bits, width), signExtend(y.bits, width))
	default:
		c = order(x.bits, y.bits)
	}
	switch p {
	case llvmir.PredEQ:
		return c == 0
	case llvmir.PredNE:
		return c != 0
	case llvmir.PredUGT, llvmir.PredSGT:
		return c > 0
	case llvmir.PredUGE, llvmir.PredSGE:
		return c >= 0
	case llvmir.PredULT, llvmir.PredSLT:
		return c < 0
	default:
		return c <= 0
	}
}

func order[T int64 | uint64](x, y T) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// convert is a conversion of a scalar.
func (m *machine) convert(in *llvmir.Instr, x value, from, to *llvmir.Type) value {
	switch in.Op {
	case llvmir.OpTrunc, llvmir.OpZExt:
		if from.Bits > 64 || to.Bits > 64 {
			return bigValue(x.big(), to.Bits)
		}
		out := value{bits: x.bits & mask(to.Bits), obj: x.obj, from: x.from, n: x.n, loose: x.loose}
		if int(out.n)*8 > to.Bits {
			out.n = uint8(to.Bits / 8)
		}
		if out.n == 0 {
			return out.plain()
		}
		return out
	case llvmir.OpSExt:
		if to.Bits > 64 {
			return bigValue(x.signedBig(from.Bits), to.Bits)
		}
		return intValue(uint64(signExtend(x.bits, from.Bits)) & mask(to.Bits))
	case llvmir.OpPtrToInt:
		if x.obj != nil {
			m.expose(x.obj)
		}
		if to.Bits > 64 {
			return bigValue(x.big(), to.Bits)
		}
		x.bits &= mask(to.Bits)
		return adapt(x, to)
	case llvmir.OpIntToPtr:
		if from.Bits > 64 {
			return m.intToPtr(bigValue(x.big(), 64))
		}
		if x.bits == 0 && !x.whole() {
			return value{}
		}
		return m.intToPtr(x)
	}
	return m.convertFloat(in, x, from, to)
}

// bitcast reinterprets bits: pointers as they are, vectors as integers and back with lane 0
// in the low bits.
func bitcast(v value, from, to *llvmir.Type) value {
	if !isAggregate(from) && !isAggregate(to) {
		if from.Kind != to.Kind {
			return v.plain()
		}
		return v
	}
	width := func(t *llvmir.Type) int {
		switch t.Kind {
		case llvmir.PointerType:
			return 64
		default:
			return t.Bits
		}
	}
	all := v.big()
	if isAggregate(from) {
		w := width(from.Elem)
		all = new(big.Int)
		for i, e := range v.elems() {
			all.Or(all, new(big.Int).Lsh(e.big(), uint(i*w)))
		}
	}
	if !isAggregate(to) {
		return bigValue(all, width(to))
	}
	w := width(to.Elem)
	out := make([]value, to.Len)
	for i := range out {
		out[i] = bigValue(new(big.Int).Rsh(all, uint(i*w)), w)
	}
	return aggregateValue(out)
}

// vectorBits packs a vector of i1 as it lies in memory; bitsVector is its inverse.
func vectorBits(v value) value {
	all := new(big.Int)
	for i, e := range v.elems() {
		all.SetBit(all, i, uint(e.bits&1))
	}
	return bigValue(all, max(len(v.elems()), 1))
}

func bitsVector(v value, n int) value {
	out := make([]value, n)
	b := v.big()
	for i := range out {
		out[i] = intValue(uint64(b.Bit(i)))
	}
	return aggregateValue(out)
}
