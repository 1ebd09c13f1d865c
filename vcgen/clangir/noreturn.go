package clangir

import "github.com/unitproof/unitproof/vcgen/llvmir"

// NeverReturns reports whether instruction k of block b of f is a call that the compiler assumes not to return.
//
// With -fsanitize=unreachable clang drops the noreturn attribute of the callee and adds a check after the call, with
// the position of the call.
func NeverReturns(f *llvmir.Func, b *llvmir.Block, k int) bool {
	in := b.Instrs[k]
	if in.Op != llvmir.OpCall {
		return false
	}
	if called := in.Function(); in.NoReturn || called != nil && called.NoReturn {
		return true
	}
	if k+1 >= len(b.Instrs) || in.Loc == nil {
		return false
	}
	next := b.Instrs[k+1]
	if next.Op == llvmir.OpCondBr && next.NoSanitize && atSamePlace(next.Loc, in.Loc) {
		c := next.Args[0].Const
		if c == nil || c.Kind != llvmir.ConstInt || c.Int.Sign() != 0 {
			return false
		}
		next = f.Blocks[next.Succs[1]].Instrs[0]
		return SanitizerCheck(next.Function()) == "builtin_unreachable" && atSamePlace(next.Loc, in.Loc)
	}
	return next.Op == llvmir.OpUnreachable && atSamePlace(next.Loc, in.Loc)
}

func atSamePlace(a, b *llvmir.Loc) bool {
	return a != nil && b != nil && a.Line == b.Line && a.Col == b.Col && a.Scope == b.Scope
}
