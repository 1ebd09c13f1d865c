package llvmir

import (
	"slices"
	"strings"
)

// endTemporaries ends the lifetime of temporary structs with the full expression that makes them (C11 6.2.4p8): clang
// lets them live as long as the call. Only those matter whose address gets into memory or into a function. Where an
// expression ends does not show in the program; where it is not certain the temporary lives on. Behind the end the
// alloca is another object, for the next time.
func (f *funcReader) endTemporaries() {
	first := f.fn.Blocks[0].Instrs[0].ID
	changed := false
	for _, al := range slices.Clone(f.fn.Blocks[0].Instrs) {
		if al.Op != OpAlloca || len(al.Args) > 1 || al.ElemType.IsFirstClassScalar() || !isTemporary(f.fn.RegName(al.Dst)) {
			continue
		}
		changed = f.endTemporary(al) || changed
	}
	if changed {
		f.renumber(first)
	}
}

// isTemporary tells by clang's name of an alloca whether it holds the value of an expression. A variable can have such
// a name as well, see endTemporary.
func isTemporary(name string) bool {
	for _, stem := range []string{"tmp", "coerce", "agg.tmp", "ref.tmp"} {
		if rest, ok := strings.CutPrefix(name, stem); ok && strings.Trim(rest, "0123456789") == "" {
			return true
		}
	}
	return false
}

// endTemporary puts the end of a temporary behind its last use; false where it needs none or the place is not known.
func (f *funcReader) endTemporary(al *Instr) bool {
	derived := map[int]bool{al.Dst: true}
	escapes, used := false, false
	results := map[int]bool{} // of calls
	var block *Block
	at, line := 0, 0
	for _, b := range f.fn.Blocks {
		for k, in := range b.Instrs {
			if in.Op == OpCall && in.Dst >= 0 {
				results[in.Dst] = true
			}
			if !slices.ContainsFunc(in.Args, func(a Operand) bool { return a.Kind == OperandReg && derived[a.Reg] }) {
				continue
			}
			switch {
			case in.Op == OpDbgDeclare || strings.HasPrefix(in.Intrinsic, "lifetime."):
				return false
			case !used && (in.Op == OpCall || in.Op == OpStore):
				// A temporary is filled by the call whose result it holds. A variable of its name whose declaration is dead
				// (endBypassed) is filled otherwise, if it has no dot in its name.
				used = true
				filled := in.Op == OpCall && in.Intrinsic == "" && !givesAway(in, derived) ||
					in.Op == OpStore && in.Args[0].Kind == OperandReg && results[in.Args[0].Reg]
				if !filled && !strings.Contains(f.fn.RegName(al.Dst), ".") {
					return false
				}
				escapes = in.Op == OpCall && in.Intrinsic == "" && givesAway(in, derived)
			case in.Op == OpStore:
				escapes = escapes || in.Args[0].Kind == OperandReg && derived[in.Args[0].Reg]
			case in.Op == OpPtrToInt || in.Op == OpCall && in.Intrinsic == "" && givesAway(in, derived):
				escapes = true
			case in.Dst >= 0 && in.Type.Kind == PointerType && in.Op != OpLoad:
				derived[in.Dst] = true
			}
			block, at = b, k
			if in.Loc != nil {
				line = max(line, in.Loc.Line)
			}
		}
	}
	if !escapes || line == 0 {
		return false
	}
	b, k := f.endOfExpression(block, at+1, line)
	if b == nil {
		return false
	}
	loc := b.Instrs[k].Loc
	b.Instrs = slices.Insert(b.Instrs, k, f.lifetime("lifetime.end", al, loc), f.lifetime("lifetime.start", al, loc))
	return true
}

// givesAway tells whether a call has the address of one of the objects for other purposes than to fill it or to copy
// it.
func givesAway(call *Instr, derived map[int]bool) bool {
	for i, a := range call.Args {
		if a.Kind != OperandReg || !derived[a.Reg] || i < len(call.ByVal) && call.ByVal[i] != nil {
			continue
		}
		if k := call.Callee.Const; k == nil || k.Kind != ConstFunc || i >= len(k.Func.Params) || !k.Func.Params[i].SRet {
			return true
		}
	}
	return false
}

// statements are how clang's names of blocks begin that are no part of an expression.
var statements = []string{"if.", "for.", "while.", "do.", "sw.", "return", "cleanup"}

// endOfExpression finds the first place from an instruction on at which the expression in a line has surely ended; nil
// when it does not show: at a declaration, in a later line, at a return, or where a statement begins a block.
func (f *funcReader) endOfExpression(b *Block, k, line int) (*Block, int) {
	for range f.fn.Blocks {
		for ; k < len(b.Instrs)-1; k++ {
			in := b.Instrs[k]
			if in.Op == OpDbgDeclare || in.Intrinsic == "lifetime.start" || in.Loc != nil && in.Loc.Line > line &&
				in.Op != OpPhi {
				return b, k
			}
		}
		next := -1
		for _, s := range b.Succs {
			switch name := f.fn.Blocks[s].Name; {
			case strings.HasPrefix(name, "handler.") || strings.HasPrefix(name, "trap"): // of a sanitizer
			case strings.HasPrefix(name, "cont") && len(f.fn.Blocks[s].Preds) <= 2:
				next = s
			case slices.ContainsFunc(statements, func(stem string) bool { return strings.HasPrefix(name, stem) }):
				return b, len(b.Instrs) - 1
			default:
				return nil, 0
			}
		}
		if next < 0 {
			if b.Term().Op == OpRet {
				return b, len(b.Instrs) - 1
			}
			return nil, 0
		}
		b, k = f.fn.Blocks[next], 0
	}
	return nil, 0
}
