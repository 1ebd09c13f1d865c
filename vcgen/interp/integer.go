package interp

import (
	"fmt"
	"math/big"
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

func mul64(x, y uint64) (hi, lo uint64) { return bits.Mul64(x, y) }

func intType(width int) *llvmir.Type {
	n := int64(width+7) / 8
	return &llvmir.Type{Kind: llvmir.IntType, Bits: width, Size: n, StoreSize: n, Align: 1}
}

// integer is arithmetic on integers of a width; overflow wraps.
//
// Operations without a result return an arbitrary one: division by zero, and shifts by the width or more. The
// compiler's checks before the operation report these. If there are none (for vectors, and in functions that are not
// sanitized), integer reports them.
func (m *Machine) integer(in *llvmir.Instr, x, y state.Value, width int) state.Value {
	if width > 64 {
		return m.wideInteger(in, x, y, width)
	}
	undefined := func() state.Value { return m.arbitrary(intType(width), in.ID, choice.Undef, nil) }
	a, b := x.Bits, y.Bits
	sa, sb := state.SignExtend(a, width), state.SignExtend(b, width)
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
		if sb == -1 && a == 1<<(width-1) {
			m.quotientOverflows(x, y, width)
		}
		r = uint64(sa / sb) // Go wraps the one quotient that overflows, as required
	case llvmir.OpSRem:
		if b == 0 {
			m.dividesByZero()
			return undefined()
		}
		if sb == -1 && a == 1<<(width-1) {
			m.quotientOverflows(x, y, width)
		}
		r = uint64(sa % sb)
	case llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr:
		if m.shiftsTooFar(y, width) {
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
	if e := m.m.Of(in).Extent; e != clangir.NoExtent && in.Op == llvmir.OpMul {
		exact := new(big.Int).Mul(x.SignedBig(width), y.SignedBig(width))
		if e == clangir.UnsignedExtent {
			exact.Mul(x.Big(), y.Big())
		}
		return m.extent(e, exact, width)
	}
	out := state.Value{Bits: r & state.Mask(width)}
	if x.Obj != nil || y.Obj != nil {
		derive(&out, in.Op, x, y, width)
	}
	return out
}

// extent returns an index or a number of elements in the width of addresses; FarAway if it does not fit.
func (m *Machine) extent(e clangir.Extent, exact *big.Int, width int) state.Value {
	signed, unsigned := exact.Sign() < 0, width
	if fits := exact.BitLen() < width || signed && new(big.Int).Not(exact).BitLen() < width ||
		e == clangir.UnsignedExtent && !signed && exact.BitLen() <= unsigned; !fits {
		return state.IntValue(uint64(llvmir.FarAway(width)))
	}
	return state.IntValue(new(big.Int).And(exact, new(big.Int).SetUint64(state.Mask(width))).Uint64())
}

// derive determines whether the result of an operation as wide as an address is still an address in the object of an
// operand.
func derive(out *state.Value, op llvmir.Op, x, y state.Value, width int) {
	keep := func(from state.Value, loose bool) {
		out.Obj, out.N, out.Loose = from.Obj, from.N, from.Loose || loose
	}
	if op == llvmir.OpLShr && x.Obj != nil && y.Bits%8 == 0 && int(y.Bits/8) < int(x.N) {
		out.Obj, out.From, out.N, out.Loose = x.Obj, x.From+uint8(y.Bits/8), x.N-uint8(y.Bits/8), x.Loose
		return
	}
	if width != 8*int(max(x.N, y.N)) { // neither operand is a whole pointer
		return
	}
	switch op {
	case llvmir.OpAdd:
		if x.Whole() != y.Whole() {
			if x.Whole() {
				keep(x, false)
			} else {
				keep(y, false)
			}
		}
	case llvmir.OpSub:
		if x.Whole() && !y.Whole() {
			keep(x, false)
		}
	case llvmir.OpAnd, llvmir.OpOr, llvmir.OpXor:
		if x.Whole() && !y.Whole() {
			keep(x, true)
		} else if y.Whole() && !x.Whole() {
			keep(y, true)
		}
	}
}

func (m *Machine) wideInteger(in *llvmir.Instr, x, y state.Value, width int) state.Value {
	a, b := x.Big(), y.Big()
	sa, sb := x.SignedBig(width), y.SignedBig(width)
	undefined := func() state.Value { return m.arbitrary(intType(width), in.ID, choice.Undef, nil) }
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
		if (in.Op == llvmir.OpSDiv || in.Op == llvmir.OpSRem) && sb.IsInt64() && sb.Int64() == -1 && a.BitLen() == width &&
			a.TrailingZeroBits() == uint(width-1) {
			m.quotientOverflows(x, y, width)
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
		if m.shiftsTooFar(y, width) {
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
	return state.BigValue(z, width)
}

// dividesByZero reports a division by zero without a check by clang: of vectors, or in functions that are not
// sanitized.
func (m *Machine) dividesByZero() {
	m.violated(found.DivisionByZero, func() string { return m.expressed("the division") + " divides by zero" })
}

// quotientOverflows reports a division of the least number by -1, or its remainder, which processors compute
// together.
func (m *Machine) quotientOverflows(x, y state.Value, width int) {
	m.violated(found.SignedOverflow, func() string {
		n := x.SignedBig(width)
		formula := m.expressed(fmt.Sprintf("%s / %s", n, bracketed(y.SignedBig(width))))
		return fmt.Sprintf("%s is %s, which does not fit %d bits", formula, new(big.Int).Neg(n), width)
	})
}

// shiftsTooFar reports whether a shift amount is the width or more, which is a violation.
func (m *Machine) shiftsTooFar(y state.Value, width int) bool {
	by := y.Big()
	if by.Cmp(big.NewInt(int64(width))) < 0 {
		return false
	}
	m.violated(found.InvalidShift, func() string {
		return fmt.Sprintf("%s moves a %d-bit value by %s bits", m.expressed("the shift"), width, by)
	})
	return true
}

// compareInts reports whether an integer predicate holds; pointers compare as addresses.
func compareInts(p llvmir.Pred, x, y state.Value, width int) bool {
	var c int
	signed := p >= llvmir.PredSGT && p <= llvmir.PredSLE
	switch {
	case width > 64 && signed:
		c = x.SignedBig(width).Cmp(y.SignedBig(width))
	case width > 64:
		c = x.Big().Cmp(y.Big())
	case signed:
		c = order(state.SignExtend(x.Bits, width), state.SignExtend(y.Bits, width))
	default:
		c = order(x.Bits, y.Bits)
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

// convert executes a conversion of a scalar.
func (m *Machine) convert(in *llvmir.Instr, x state.Value, from, to *llvmir.Type) state.Value {
	switch in.Op {
	case llvmir.OpTrunc, llvmir.OpZExt:
		if e := m.m.Of(in).Extent; e == clangir.SignedExtent {
			return m.extent(e, x.SignedBig(from.Bits), to.Bits)
		} else if e == clangir.UnsignedExtent {
			return m.extent(e, x.Big(), to.Bits)
		}
		if from.Bits > 64 || to.Bits > 64 {
			return state.BigValue(x.Big(), to.Bits)
		}
		out := state.Value{Bits: x.Bits & state.Mask(to.Bits), Obj: x.Obj, From: x.From, N: x.N, Loose: x.Loose}
		if int(out.N)*8 > to.Bits {
			out.N = uint8(to.Bits / 8)
		}
		if out.N == 0 {
			return out.Plain()
		}
		return out
	case llvmir.OpSExt:
		if to.Bits > 64 {
			return state.BigValue(x.SignedBig(from.Bits), to.Bits)
		}
		return state.IntValue(uint64(state.SignExtend(x.Bits, from.Bits)) & state.Mask(to.Bits))
	case llvmir.OpPtrToInt:
		if x.Obj != nil {
			m.Expose(x.Obj)
		}
		if to.Bits > 64 {
			return state.BigValue(x.Big(), to.Bits)
		}
		x.Bits &= state.Mask(to.Bits)
		return adapt(x, to)
	case llvmir.OpIntToPtr:
		if from.Bits > 64 {
			return m.toPointer(state.BigValue(x.Big(), m.m.Layout.Pointer))
		}
		if from.Bits > m.m.Layout.Pointer {
			x.Bits &= m.Layout.Space.Mask()
		}
		if x.Bits == 0 && !x.Whole() {
			return state.Value{}
		}
		return m.toPointer(x)
	}
	return m.convertFloat(in, x, from, to)
}

// bitcast reinterprets bits.
//
// Pointers are unchanged; vectors become integers and vice versa, as a store and a load of the other type do: lane 0 is
// in the low bits, or in the high bits if the target is big endian.
func (m *Machine) bitcast(v state.Value, from, to *llvmir.Type) state.Value {
	if !state.IsAggregate(from) && !state.IsAggregate(to) {
		if from.Kind != to.Kind {
			return v.Plain()
		}
		return v
	}
	width := func(t *llvmir.Type) int {
		switch t.Kind {
		case llvmir.PointerType:
			return m.m.Layout.Pointer
		default:
			return t.Bits
		}
	}
	shift := func(i, n, w int) uint { // of lane i of n
		if m.m.Layout.BigEndian {
			i = n - 1 - i
		}
		return uint(i * w)
	}
	all := v.Big()
	if state.IsAggregate(from) {
		w := width(from.Elem)
		all = new(big.Int)
		for i, e := range v.Elems() {
			all.Or(all, new(big.Int).Lsh(e.Big(), shift(i, len(v.Elems()), w)))
		}
	}
	if !state.IsAggregate(to) {
		return state.BigValue(all, width(to))
	}
	w := width(to.Elem)
	out := make([]state.Value, to.Len)
	for i := range out {
		out[i] = state.BigValue(new(big.Int).Rsh(all, shift(i, len(out), w)), w)
	}
	return state.AggregateValue(out)
}

// vectorBits packs a vector of i1 as in memory; bitsVector is its inverse.
func vectorBits(v state.Value) state.Value {
	all := new(big.Int)
	for i, e := range v.Elems() {
		all.SetBit(all, i, uint(e.Bits&1))
	}
	return state.BigValue(all, max(len(v.Elems()), 1))
}

func bitsVector(v state.Value, n int) state.Value {
	out := make([]state.Value, n)
	b := v.Big()
	for i := range out {
		out[i] = state.IntValue(uint64(b.Bit(i)))
	}
	return state.AggregateValue(out)
}
