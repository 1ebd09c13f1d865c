package vcgen

import (
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// writtenConstant reports whether the condition of an assertion is computed only from constants, and variables that
// are set once to such values. The term does not show this: a condition that holds for all inputs may have been
// simplified to one without any.
func writtenConstant(at instruction) bool {
	f := at.in.External()
	if len(at.in.Args) == 0 || f == nil || language.Function(f.Name, f.Arity()).Role != language.Assert {
		return false // a call for a failed assertion, whose arguments are texts
	}
	info := state.InfoOf(at.f)
	var constant func(o llvmir.Operand, depth int) bool
	constant = func(o llvmir.Operand, depth int) bool {
		switch {
		case o.Kind == llvmir.OperandConst:
			return true
		case o.Kind != llvmir.OperandReg || o.Reg >= len(info.Def) || info.Def[o.Reg] == nil || depth > 50:
			return false
		}
		in := info.Def[o.Reg]
		switch in.Op {
		case llvmir.OpLoad:
			value, ok := onlyStore(at.f, in.Args[0])
			return ok && constant(value, depth+1)
		case llvmir.OpZExt, llvmir.OpSExt, llvmir.OpTrunc, llvmir.OpFreeze, llvmir.OpICmp, llvmir.OpAdd, llvmir.OpSub,
			llvmir.OpMul, llvmir.OpAnd, llvmir.OpOr, llvmir.OpXor:
			for _, a := range in.Args {
				if !constant(a, depth+1) {
					return false
				}
			}
			return true
		}
		return false
	}
	return constant(at.in.Args[0], 0)
}

// onlyStore returns the value that is stored to a variable which is set once and whose address is not used otherwise.
func onlyStore(f *llvmir.Func, address llvmir.Operand) (value llvmir.Operand, ok bool) {
	is := func(o llvmir.Operand) bool {
		return address.Kind == llvmir.OperandReg && o.Kind == llvmir.OperandReg && o.Reg == address.Reg
	}
	defined := false
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			switch {
			case in.Op == llvmir.OpAlloca && in.Dst == address.Reg:
				defined = true
			case in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue || in.Op == llvmir.OpLoad && is(in.Args[0]):
			case in.Op == llvmir.OpStore && is(in.Args[1]) && !is(in.Args[0]):
				if ok {
					return value, false
				}
				value, ok = in.Args[0], true
			case in.Op == llvmir.OpBitCast || in.Intrinsic == "lifetime.start" || in.Intrinsic == "lifetime.end":
				if in.Op == llvmir.OpBitCast && is(in.Args[0]) && !onlyLifetimes(f, in.Dst) {
					return value, false
				}
			default:
				for _, a := range in.Args {
					if is(a) {
						return value, false
					}
				}
			}
		}
	}
	return value, ok && defined
}

// onlyLifetimes reports whether a register is used only by lifetime markers.
func onlyLifetimes(f *llvmir.Func, reg int) bool {
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for _, a := range in.Args {
				if a.Kind == llvmir.OperandReg && a.Reg == reg && in.Intrinsic != "lifetime.start" &&
					in.Intrinsic != "lifetime.end" {
					return false
				}
			}
		}
	}
	return true
}
