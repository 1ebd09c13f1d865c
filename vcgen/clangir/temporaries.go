package clangir

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// endTemporaries ends the lifetime of temporary structs with the full expression that creates them (C11 6.2.4p8).
//
// Clang lets them live as long as the call. Only temporaries whose address is stored or passed to a function matter.
// The end of an expression is not explicit in the program; if it is uncertain, the temporary lives on. After the end,
// the alloca is another object, for the next evaluation.
func (f *function) endTemporaries() {
	for _, al := range slices.Clone(f.fn.Blocks[0].Instrs) {
		if al.Op != llvmir.OpAlloca || len(al.Args) > 1 || al.ElemType.IsFirstClassScalar() ||
			!f.isTemporary(al) {
			continue
		}
		f.endTemporary(al)
	}
}

// endTemporary adds the end of a temporary after its last use, unless it needs none or the position is unknown.
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
				// The call whose result it holds writes a temporary. A variable with such a name and a dead
				// declaration (endBypassed) is written in another way, if its name has no dot.
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

// givesAway reports whether a call receives the address of an object for a purpose other than writing or copying it.
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

// endOfExpression returns the first position after an instruction at which the expression in a line has certainly
// ended.
//
// That is a declaration, a later line, a return, or a block that begins a statement; nil if there is none. An
// expression may have several lines, and contain statements (in GNU C), which have a separate scope. Until it ends, a
// value that was computed for it has a later use, because optimizations are off.
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

// pending reports whether a value computed before an instruction is used there or later in the text.
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
