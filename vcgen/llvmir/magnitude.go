package llvmir

import "strings"

// markMagnitudes finds the negations in clang's code for __builtin_abs, __builtin_labs and __builtin_llabs,
//
//	%neg = sub nsw i32 0, %x
//	%abscond = icmp slt i32 %x, 0
//	%abs = select i1 %abscond, i32 %neg, i32 %x
//
// which its sanitizer does not know of.
func (f *funcReader) markMagnitudes() {
	zero := func(a Operand) bool {
		return a.Kind == OperandConst && a.Const.Kind == ConstInt && a.Const.Int.Sign() == 0
	}
	for _, b := range f.fn.Blocks {
		for k, in := range b.Instrs {
			if in.Op != OpSub || k+2 >= len(b.Instrs) || !zero(in.Args[0]) {
				continue
			}
			cond, sel := b.Instrs[k+1], b.Instrs[k+2]
			if cond.Op == OpICmp && cond.Pred == PredSLT && zero(cond.Args[1]) &&
				strings.HasPrefix(f.fn.RegName(cond.Dst), "abscond") &&
				sel.Op == OpSelect && sel.Args[1].Kind == OperandReg && sel.Args[1].Reg == in.Dst {
				in.Magnitude = true
			}
		}
	}
}
