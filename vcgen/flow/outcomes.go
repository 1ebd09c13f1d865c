package flow

import "github.com/unitproof/unitproof/vcgen/llvmir"

// BranchesOn tells whether where a block leads at its end depends on the result of its k-th instruction, in the way in
// which C looks at an outcome: by comparisons and conversions of it, or of a promoted variable that it was written to.
// It does not where another function is called before, nor where a branch decides whether a loop goes on: what is
// executed or counted once for all outcomes is not to be so for each.
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
