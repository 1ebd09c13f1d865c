package flow

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// WrittenFalse reports whether the obligation of a call that asserts, or that fails, was written as the constant false:
// it says that no way leads there, as sassert(0) and reach_error() do. What was written counts, and not what a
// condition comes to by what is known of its variables: a dead assertion of anything else proves nothing.
//
// A failure call has the condition in a branch before it. assert(x) has both at its own place, since all of a macro
// stands where it is used; for assert(0) clang makes no branch, and the next one before it is somebody else's.
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
