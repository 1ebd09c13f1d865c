package flow

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// WrittenFalse reports whether the condition of an assertion or failure call is the constant false in the source, as
// in sassert(0) and reach_error(). Such an assertion states that its place is unreachable. The source decides, not the
// value of the condition: any other unreachable assertion proves nothing.
//
// A failure call has its condition in a branch before it. In assert(x) both have the same position, since all tokens
// of a macro have the position of its use. For assert(0) clang emits no branch, and the branch before it belongs to
// another statement.
func WrittenFalse(f *llvmir.Func, b *llvmir.Block, in *llvmir.Instr) bool {
	called := in.External()
	switch {
	case called != nil && language.Function(called.Name, called.Arity()).Role == language.Error:
		return true
	case !IsFailure(in) && (called == nil || called.Name != "llvm.trap"):
		return len(in.Args) > 0 && isZero(in.Args[0])
	case in.Loc == nil:
		return false
	}
	seen := map[int]bool{b.Index: true}
	for todo := []int{b.Index}; len(todo) > 0; {
		x := f.Blocks[todo[0]]
		todo = todo[1:]
		for _, p := range x.Preds {
			t := f.Blocks[p].Term()
			decides := t.Op == llvmir.OpSwitch || t.Op == llvmir.OpCondBr && t.Args[0].Kind != llvmir.OperandConst
			here := clangir.OfCondition(t, in)
			if decides && here {
				return false
			}
			if here && !seen[p] {
				seen[p] = true
				todo = append(todo, p)
			}
		}
	}
	return true
}

func isZero(o llvmir.Operand) bool {
	return o.Kind == llvmir.OperandConst && o.Const != nil && o.Const.Int != nil && o.Const.Int.Sign() == 0
}
