package interp

import (
	"fmt"
	"math"
	"math/big"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// computed returns the result of an operation. A NaN has an arbitrary sign and payload, which C leaves to the
// machine.
func (m *Machine) computed(in *llvmir.Instr, v state.Value, width int) state.Value {
	if f := state.ToFloat(v, width); f == f {
		return v
	}
	return state.IntValue(m.arbitrary(intType(width), in.ID, choice.Undef, nil).Bits | state.FromFloat(math.NaN(),
		width).Bits)
}

// signals reports whether a float is a signaling NaN.
func signals(v state.Value, width int) bool {
	quiet := map[int]uint64{16: 1 << 9, 32: 1 << 22, 64: 1 << 51}[width]
	f := state.ToFloat(v, width)
	return f != f && v.Bits&quiet == 0
}

// extreme is fmin or fmax. Of two zeros, either is the result; a signaling NaN may propagate.
func (m *Machine) extreme(in *llvmir.Instr, f func(a, b float64) float64, x, y state.Value, width int) state.Value {
	a, b := state.ToFloat(x, width), state.ToFloat(y, width)
	if (signals(x, width) || signals(y, width)) && m.arbitrary(intType(1), in.ID, choice.Undef, nil).Bits != 0 {
		return m.computed(in, state.FromFloat(math.NaN(), width), width)
	}
	if a == b && x.Bits != y.Bits {
		if m.arbitrary(intType(1), in.ID, choice.Undef, nil).Bits != 0 {
			return y
		}
		return x
	}
	return m.computed(in, state.FromFloat(f(a, b), width), width)
}

// floatOp is arithmetic rounded to nearest even.
//
// For floats the double result is rounded once more, which is innocuous for these operations (Figueroa 1995: a double
// has more than twice the digits).
func floatOp(op llvmir.Op, x, y state.Value, width int) state.Value {
	a, b := state.ToFloat(x, width), state.ToFloat(y, width)
	var r float64
	switch op {
	case llvmir.OpFAdd:
		r = a + b
	case llvmir.OpFSub:
		r = a - b
	case llvmir.OpFMul:
		r = float64(a * b)
	case llvmir.OpFDiv:
		r = a / b
	default:
		r = math.Mod(a, b)
	}
	return state.FromFloat(r, width)
}

func compareFloats(p llvmir.Pred, a, b float64) bool {
	nan := a != a || b != b
	switch p {
	case llvmir.PredFalse:
		return false
	case llvmir.PredOEQ:
		return a == b
	case llvmir.PredOGT:
		return a > b
	case llvmir.PredOGE:
		return a >= b
	case llvmir.PredOLT:
		return a < b
	case llvmir.PredOLE:
		return a <= b
	case llvmir.PredONE:
		return !nan && a != b
	case llvmir.PredORD:
		return !nan
	case llvmir.PredUEQ:
		return nan || a == b
	case llvmir.PredFUGT:
		return nan || a > b
	case llvmir.PredFUGE:
		return nan || a >= b
	case llvmir.PredFULT:
		return nan || a < b
	case llvmir.PredFULE:
		return nan || a <= b
	case llvmir.PredUNE:
		return nan || a != b
	case llvmir.PredUNO:
		return nan
	default:
		return true
	}
}

func (m *Machine) convertFloat(in *llvmir.Instr, x state.Value, from, to *llvmir.Type) state.Value {
	switch in.Op {
	case llvmir.OpFPTrunc:
		return m.computed(in, m.rounded(in, state.FromFloat(state.ToFloat(x, from.Bits), to.Bits), to.Bits), to.Bits)
	case llvmir.OpFPExt:
		return m.computed(in, state.FromFloat(state.ToFloat(x, from.Bits), to.Bits), to.Bits)
	case llvmir.OpUIToFP, llvmir.OpSIToFP:
		n := x.Big()
		if in.Op == llvmir.OpSIToFP {
			n = x.SignedBig(from.Bits)
		}
		r := fromBig(new(big.Float).SetInt(n), to.Bits)
		if from.Bits <= mantissa[to.Bits] {
			return r
		}
		return m.rounded(in, r, to.Bits)
	}
	f := state.ToFloat(x, from.Bits)
	tooLarge := func() state.Value {
		m.violated(found.FloatToIntOverflow, func() string {
			return fmt.Sprintf("%s does not fit %d bits", explain.Float(x.Bits, from.Bits), to.Bits)
		})
		return m.arbitrary(intType(to.Bits), in.ID, choice.Undef, nil)
	}
	if f != f || math.IsInf(f, 0) {
		return tooLarge()
	}
	n, _ := new(big.Float).SetFloat64(f).Int(nil)
	lo, hi := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(to.Bits))
	if in.Op == llvmir.OpFPToSI {
		hi.Rsh(hi, 1)
		lo.Neg(hi)
	}
	if n.Cmp(lo) < 0 || n.Cmp(hi) >= 0 {
		return tooLarge()
	}
	return state.BigValue(n, to.Bits)
}

// fromBig rounds an exact number to nearest even.
func fromBig(f *big.Float, width int) state.Value {
	switch width {
	case 16: // 64 bits round only values that are infinite in 16 bits
		r, _ := f.Float64()
		return state.FromFloat(r, 16)
	case 32:
		r, _ := f.Float32()
		return state.IntValue(uint64(math.Float32bits(r)))
	}
	r, _ := f.Float64()
	return state.IntValue(math.Float64bits(r))
}

// fma returns a*b + c with one rounding.
func fma(x, y, z state.Value, width int) state.Value {
	a, b, c := state.ToFloat(x, width), state.ToFloat(y, width), state.ToFloat(z, width)
	if width == 64 {
		return state.FromFloat(math.FMA(a, b, c), 64)
	}
	p := a * b // exact in double
	s := p + c
	if s == 0 || s != s || math.IsInf(s, 0) || math.IsInf(c, 0) {
		return state.FromFloat(s, 32)
	}
	exact := new(big.Float).SetPrec(600).SetFloat64(p)
	exact.Add(exact, new(big.Float).SetPrec(600).SetFloat64(c))
	return fromBig(exact, 32)
}

// floatFunc1 has the operations of one operand.
//
// All results except those of sqrt are exact; sqrt rounded to double and then to float is correctly rounded.
var floatFunc1 = map[language.Float]func(float64) float64{
	language.Sqrt: math.Sqrt, language.Floor: math.Floor, language.Ceil: math.Ceil, language.Trunc: math.Trunc,
	language.Rint: math.RoundToEven, language.RoundEven: math.RoundToEven, language.Round: math.Round,
}

// floatFunc2 has the operations of two operands.
var floatFunc2 = map[language.Float]func(a, b float64) float64{
	language.Fmin: minNum, language.Fmax: maxNum, language.Fmod: math.Mod,
}

func minNum(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b || a <= b:
		return a
	}
	return b
}

func maxNum(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b || a >= b:
		return a
	}
	return b
}
