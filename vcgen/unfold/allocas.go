package unfold

import "github.com/unitproof/unitproof/vcgen/llvmir"

// findAllocas decides which allocas live in registers.
func (fn *function) findAllocas() {
	fn.promoted = make([]bool, fn.NumRegs)
	fn.alloca = map[int]*llvmir.Instr{}
	fn.origin = map[int]int{}
	escaped := map[int]bool{}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpAlloca {
				fn.alloca[in.Dst] = in
				if b.Index != 0 || !in.ElemType.IsFirstClassScalar() || !isOne(in.Args) {
					escaped[in.Dst] = true
				}
			}
		}
	}
	cast := map[int]int{} // bitcast register -> alloca
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpBitCast && in.Args[0].Kind == llvmir.OperandReg {
				if _, ok := fn.alloca[in.Args[0].Reg]; ok {
					cast[in.Dst] = in.Args[0].Reg
				}
			}
		}
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			for i, a := range in.Args {
				if a.Kind != llvmir.OperandReg {
					continue
				}
				src, isCast := cast[a.Reg]
				marker := in.Op == llvmir.OpCall && (in.Intrinsic == "lifetime.start" || in.Intrinsic == "lifetime.end")
				if isCast {
					if !marker {
						escaped[src] = true
					} else {
						fn.origin[a.Reg] = src
					}
					continue
				}
				al, ok := fn.alloca[a.Reg]
				if !ok {
					continue
				}
				switch {
				case in.Op == llvmir.OpLoad && in.Type == al.ElemType:
				case in.Op == llvmir.OpStore && i == 1 && in.Args[0].Type == al.ElemType:
				case in.Op == llvmir.OpDbgDeclare, in.Op == llvmir.OpBitCast:
				case marker:
					fn.origin[a.Reg] = a.Reg
				default:
					escaped[a.Reg] = true
				}
			}
		}
	}
	for r := range fn.alloca {
		fn.promoted[r] = !escaped[r]
	}
}

// findUses finds which registers are used.
func (fn *function) findUses() {
	fn.used = make([]bool, fn.NumRegs)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue {
				continue
			}
			for _, a := range in.Args {
				if a.Kind == llvmir.OperandReg {
					fn.used[a.Reg] = true
				}
			}
			if in.Op == llvmir.OpCall && in.Callee.Kind == llvmir.OperandReg {
				fn.used[in.Callee.Reg] = true
			}
		}
	}
}

func isOne(args []llvmir.Operand) bool {
	return len(args) == 0 || args[0].Kind == llvmir.OperandConst && args[0].Const.Int != nil &&
		args[0].Const.Int.IsUint64() && args[0].Const.Int.Uint64() == 1
}
