package flow

import "github.com/unitproof/unitproof/vcgen/llvmir"

// BranchesOn reports whether the branch at the end of a block depends on the result of its k-th instruction as on an
// outcome: by comparisons and conversions of the result, or of a promoted variable that holds it. It is false if
// another function is called in between, or if the branch decides whether a loop continues: otherwise that function or
// loop would be executed once per outcome.
func (fn *Function) BranchesOn(b, k int) bool {
	for _, s := range fn.Nodes[b].Succs {
		for _, l := range fn.Nodes[s].Loops {
			if l.Head == s || l.Body == s {
				return false
			}
		}
	}
	instrs := fn.Blocks[b].Instrs
	regs := map[int]bool{instrs[k].Dst: true}
	slots := map[int]bool{} // variables that hold it
	from := func(a llvmir.Operand) bool { return a.Kind == llvmir.OperandReg && regs[a.Reg] }
	for _, in := range instrs[k+1:] {
		switch in.Op {
		case llvmir.OpStore:
			if to := in.Args[1]; to.Kind == llvmir.OperandReg && fn.isPromoted(to.Reg) {
				slots[to.Reg] = from(in.Args[0])
			}
		case llvmir.OpLoad:
			regs[in.Dst] = in.Args[0].Kind == llvmir.OperandReg && slots[in.Args[0].Reg]
		case llvmir.OpICmp, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpTrunc, llvmir.OpXor, llvmir.OpAnd, llvmir.OpBitCast:
			regs[in.Dst] = from(in.Args[0]) || len(in.Args) > 1 && from(in.Args[1])
		case llvmir.OpCall:
			switch f := in.Function(); {
			case in.Intrinsic == "expect":
				regs[in.Dst] = from(in.Args[0])
			case in.Intrinsic == "" && (f == nil || len(f.Blocks) > 0):
				return false
			}
		case llvmir.OpCondBr, llvmir.OpSwitch:
			return from(in.Args[0])
		}
	}
	return false
}
