package clangir

import (
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// markMagnitudes marks the negations in clang's code for __builtin_abs, __builtin_labs and __builtin_llabs,
//
//	%neg = sub nsw i32 0, %x
//	%abscond = icmp slt i32 %x, 0
//	%abs = select i1 %abscond, i32 %neg, i32 %x
//
// which the sanitizer does not check. The source expression x < 0 ? -x : x compiles to branches instead.
func (f *function) markMagnitudes() {
	zero := func(a llvmir.Operand) bool {
		return a.Kind == llvmir.OperandConst && a.Const.Kind == llvmir.ConstInt && a.Const.Int.Sign() == 0
	}
	for _, b := range f.fn.Blocks {
		for k, in := range b.Instrs {
			if in.Op != llvmir.OpSub || k+2 >= len(b.Instrs) || !zero(in.Args[0]) {
				continue
			}
			cond, sel := b.Instrs[k+1], b.Instrs[k+2]
			x := in.Args[1]
			if cond.Op == llvmir.OpICmp && cond.Pred == llvmir.PredSLT && zero(cond.Args[1]) && sameOperand(cond.Args[0], x) &&
				sel.Op == llvmir.OpSelect && sel.Args[1].Kind == llvmir.OperandReg && sel.Args[1].Reg == in.Dst &&
				sameOperand(sel.Args[2], x) && in.Type.Kind == llvmir.IntType {
				f.m.about(in).Magnitude = true
			}
		}
	}
}
