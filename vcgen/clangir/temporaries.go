package clangir

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// endTemporaries ends the lifetime of temporary structs with the full expression that makes them (C11 6.2.4p8): clang
// lets them live as long as the call. Only those matter whose address gets into memory or into a function. Where an
// expression ends does not show in the program; where it is not certain the temporary lives on. Behind the end the
// alloca is another object, for the next time.
func (f *function) endTemporaries() {
	for _, al := range slices.Clone(f.fn.Blocks[0].Instrs) {
		if al.Op != llvmir.OpAlloca || len(al.Args) > 1 || al.ElemType.IsFirstClassScalar() ||
			!f.isTemporary(al) {
			continue
		}
		f.endTemporary(al)
	}
}

// endTemporary puts the end of a temporary behind its last use, unless it needs none or the place is not known.
func (f *function) endTemporary(al *llvmir.Instr) {
	derived := map[int]bool{al.Dst: true}
	escapes, used := false, false
	results := map[int]bool{} // of calls
	var block *llvmir.Block
	at, line := 0, 0
	var scope *llvmir.Scope
	for _, b := range f.fn.Blocks {
		for k, in := range b.Instrs {
			if in.Op == llvmir.OpCall && in.Dst >= 0 {
				results[in.Dst] = true
			}
			if !uses(in, func(reg int) bool { return derived[reg] }) {
				continue
			}
			switch {
			case in.Op == llvmir.OpDbgDeclare || strings.HasPrefix(in.Intrinsic, "lifetime."):
				return
			case !used && (in.Op == llvmir.OpCall || in.Op == llvmir.OpStore):
				// A temporary is filled by the call whose result it holds. A variable of its name whose declaration is dead
				// (endBypassed) is filled otherwise, if it has no dot in its name.
				used = true
				filled := in.Op == llvmir.OpCall && in.Intrinsic == "" && !givesAway(in, derived) ||
					in.Op == llvmir.OpStore && in.Args[0].Kind == llvmir.OperandReg && results[in.Args[0].Reg]
				if !filled && byUser(f.fn.RegName(al.Dst)) {
					return
				}
				escapes = in.Op == llvmir.OpCall && in.Intrinsic == "" && givesAway(in, derived)
			case in.Op == llvmir.OpStore:
				escapes = escapes || in.Args[0].Kind == llvmir.OperandReg && derived[in.Args[0].Reg]
			case in.Op == llvmir.OpPtrToInt || in.Op == llvmir.OpCall && in.Intrinsic == "" && givesAway(in, derived):
				escapes = true
			case in.Dst >= 0 && in.Type.Kind == llvmir.PointerType && in.Op != llvmir.OpLoad:
				derived[in.Dst] = true
			}
			block, at = b, k
			if in.Loc != nil {
				line, scope = max(line, in.Loc.Line), in.Loc.Scope
			}
		}
	}
	if !escapes || line == 0 || scope == nil {
		return
	}
	b, k := f.endOfExpression(block, at+1, line, scope)
	if b == nil {
		return
	}
	loc := b.Instrs[k].Loc
	b.Instrs = slices.Insert(b.Instrs, k, f.lifetime("lifetime.end", al, loc), f.lifetime("lifetime.start", al, loc))
}

// givesAway tells whether a call has the address of one of the objects for other purposes than to fill it or to copy
// it.
func givesAway(call *llvmir.Instr, derived map[int]bool) bool {
	for i, a := range call.Args {
		if a.Kind != llvmir.OperandReg || !derived[a.Reg] || i < len(call.ByVal) && call.ByVal[i] != nil {
			continue
		}
		if fn := call.Function(); fn == nil || i >= len(fn.Params) || fn.Params[i].SRet == nil {
			return true
		}
	}
	return false
}

// endOfExpression finds the first place from an instruction on at which the expression in a line has surely ended; nil
// when it does not show: at a declaration, in a later line, at a return, or where a statement begins a block. An
// expression may have several lines, and statements in it (of GNU C), which have a scope of their own; while it lasts,
// something that was computed for it is used later, as optimizations are off.
func (f *function) endOfExpression(b *llvmir.Block, k, line int, scope *llvmir.Scope) (*llvmir.Block, int) {
	behind := func(in *llvmir.Instr) bool {
		return in.Loc != nil && in.Loc.Scope != nil && holds(in.Loc.Scope, scope)
	}
	for range f.fn.Blocks {
		for ; k < len(b.Instrs)-1; k++ {
			in := b.Instrs[k]
			if (in.Op == llvmir.OpDbgDeclare || in.Op != llvmir.OpPhi && in.Loc != nil && in.Loc.Line > line) &&
				behind(in) && !f.pending(b, k) {
				return b, k
			}
		}
		next := -1
		for _, s := range b.Succs {
			switch at := placeOf(f.fn.Blocks[s]); {
			case at == failedCheck:
			case at == behindCheck && len(f.fn.Blocks[s].Preds) <= 2:
				next = s
			case at == newStatement:
				if last := len(b.Instrs) - 1; behind(b.Instrs[last]) && !f.pending(b, last+1) {
					return b, last
				}
				return nil, 0
			default:
				return nil, 0
			}
		}
		if next < 0 {
			if b.Term().Op == llvmir.OpRet {
				return b, len(b.Instrs) - 1
			}
			return nil, 0
		}
		b, k = f.fn.Blocks[next], 0
	}
	return nil, 0
}

// pending tells whether something that was computed before an instruction is used there or later in the text.
func (f *function) pending(b *llvmir.Block, k int) bool {
	defined := map[int]bool{}
	for _, in := range f.fn.Blocks[0].Instrs {
		defined[in.Dst] = in.Op == llvmir.OpAlloca
	}
	for i := range f.fn.Params {
		defined[i] = true
	}
	rest := b.Instrs[k:]
	for i := b.Index + 1; ; i++ {
		for _, in := range rest {
			if uses(in, func(reg int) bool { return !defined[reg] }) ||
				in.Callee.Kind == llvmir.OperandReg && !defined[in.Callee.Reg] {
				return true
			}
			defined[in.Dst] = true
		}
		if i >= len(f.fn.Blocks) {
			return false
		}
		rest = f.fn.Blocks[i].Instrs
	}
}
