package vcgen

import (
	"math/big"

	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// writtenTrue reports whether the condition of an assertion is a comparison that is true by the types of its operands
// and constants. An example is x >= 0 for an unsigned x.
func writtenTrue(at instruction) bool {
	if len(at.in.Args) == 0 {
		return false
	}
	info := state.InfoOf(at.f)
	def := func(o llvmir.Operand) *llvmir.Instr {
		if o.Kind != llvmir.OperandReg || o.Reg >= len(info.Def) {
			return nil
		}
		return info.Def[o.Reg]
	}
	in := def(at.in.Args[0])
	for in != nil {
		switch in.Op {
		case llvmir.OpZExt, llvmir.OpSExt, llvmir.OpTrunc, llvmir.OpFreeze:
			in = def(in.Args[0])
			continue
		case llvmir.OpICmp:
			if in.Pred == llvmir.PredNE && isConstZero(in.Args[1]) { // the truth value of an integer
				if inner := def(in.Args[0]); inner != nil && isTruth(inner) {
					in = inner
					continue
				}
			}
			return alwaysTrue(in, def)
		}
		return false
	}
	return false
}

func isConstZero(o llvmir.Operand) bool {
	return o.Kind == llvmir.OperandConst && o.Const != nil && o.Const.Int != nil && o.Const.Int.Sign() == 0
}

// isTruth reports whether an instruction extends a truth value.
func isTruth(in *llvmir.Instr) bool {
	return in.Op == llvmir.OpICmp || in.Op == llvmir.OpZExt && in.Args[0].Type != nil &&
		in.Args[0].Type.Kind == llvmir.IntType && in.Args[0].Type.Bits == 1
}

// alwaysTrue reports whether a comparison of integers is true for all values in the ranges of its operands.
func alwaysTrue(in *llvmir.Instr, def func(llvmir.Operand) *llvmir.Instr) bool {
	t := in.Args[0].Type
	if t == nil || t.Kind != llvmir.IntType {
		return false
	}
	a, b := rangeOf(in.Args[0], def), rangeOf(in.Args[1], def)
	if in.Pred >= llvmir.PredSGT && in.Pred <= llvmir.PredSLE {
		a, b = a.signed(t.Bits), b.signed(t.Bits)
	}
	switch in.Pred {
	case llvmir.PredUGE, llvmir.PredSGE:
		return a.lo.Cmp(b.hi) >= 0
	case llvmir.PredUGT, llvmir.PredSGT:
		return a.lo.Cmp(b.hi) > 0
	case llvmir.PredULE, llvmir.PredSLE:
		return a.hi.Cmp(b.lo) <= 0
	case llvmir.PredULT, llvmir.PredSLT:
		return a.hi.Cmp(b.lo) < 0
	case llvmir.PredNE:
		return a.lo.Cmp(b.hi) > 0 || a.hi.Cmp(b.lo) < 0
	case llvmir.PredEQ:
		return a.lo.Cmp(a.hi) == 0 && b.lo.Cmp(b.hi) == 0 && a.lo.Cmp(b.lo) == 0
	}
	return false
}

// span is a closed range of numbers.
type span struct{ lo, hi *big.Int }

func allOnes(bits int) *big.Int {
	one := big.NewInt(1)
	return new(big.Int).Sub(new(big.Int).Lsh(one, uint(bits)), one)
}

// rangeOf returns the range of an operand as an unsigned number, derived from its instruction and conversions.
func rangeOf(o llvmir.Operand, def func(llvmir.Operand) *llvmir.Instr) span {
	bits := int(o.Type.Bits)
	if o.Kind == llvmir.OperandConst && o.Const != nil && o.Const.Int != nil {
		v := new(big.Int).And(o.Const.Int, allOnes(bits))
		return span{v, v}
	}
	full := span{new(big.Int), allOnes(bits)}
	in := def(o)
	if in == nil {
		return full
	}
	switch in.Op {
	case llvmir.OpZExt:
		if t := in.Args[0].Type; t != nil && t.Kind == llvmir.IntType {
			return rangeOf(in.Args[0], def)
		}
	case llvmir.OpAnd:
		for _, a := range in.Args[:2] {
			if a.Kind == llvmir.OperandConst && a.Const != nil && a.Const.Int != nil {
				return span{new(big.Int), new(big.Int).And(a.Const.Int, allOnes(bits))}
			}
		}
	case llvmir.OpURem:
		if a := in.Args[1]; a.Kind == llvmir.OperandConst && a.Const != nil && a.Const.Int != nil && a.Const.Int.Sign() > 0 {
			return span{new(big.Int), new(big.Int).Sub(a.Const.Int, big.NewInt(1))}
		}
	}
	return full
}

// signed returns the range of the same bits as signed numbers.
func (s span) signed(bits int) span {
	half := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
	if s.hi.Cmp(half) < 0 {
		return s
	}
	if s.lo.Cmp(half) >= 0 {
		full := new(big.Int).Lsh(half, 1)
		return span{new(big.Int).Sub(s.lo, full), new(big.Int).Sub(s.hi, full)}
	}
	return span{new(big.Int).Neg(half), new(big.Int).Sub(half, big.NewInt(1))}
}
