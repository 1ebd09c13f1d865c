package llvmir

// NeverReturns reports whether the k-th instruction of b is a call after which the
// compiler expects nothing to be executed. With -fsanitize=unreachable clang drops the
// noreturn attribute of the callee and puts a check behind the call instead, at the very
// place of the call.
func (f *Func) NeverReturns(b *Block, k int) bool {
	in := b.Instrs[k]
	if in.Op != OpCall {
		return false
	}
	if called := in.Function(); in.NoReturn || called != nil && called.NoReturn {
		return true
	}
	if k+1 >= len(b.Instrs) || in.Loc == nil {
		return false
	}
	next := b.Instrs[k+1]
	if next.Op == OpCondBr && next.NoSanitize && atSamePlace(next.Loc, in.Loc) {
		c := next.Args[0].Const
		if c == nil || c.Kind != ConstInt || c.Int.Sign() != 0 {
			return false
		}
		next = f.Blocks[next.Succs[1]].Instrs[0]
		return next.Function().SanitizerCheck() == "builtin_unreachable" && atSamePlace(next.Loc, in.Loc)
	}
	return next.Op == OpUnreachable && atSamePlace(next.Loc, in.Loc)
}

func atSamePlace(a, b *Loc) bool {
	return a != nil && b != nil && a.Line == b.Line && a.Col == b.Col && a.Scope == b.Scope
}
