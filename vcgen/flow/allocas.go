package flow

import "github.com/unitproof/unitproof/vcgen/llvmir"

// findAllocas determines the allocas that live in registers.
func (fn *Function) findAllocas() {
	fn.Promoted = make([]bool, fn.NumRegs)
	fn.Alloca = map[int]*llvmir.Instr{}
	fn.Origin, fn.Scoped = map[int]int{}, map[int]bool{}
	escaped := map[int]bool{}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpAlloca {
				fn.Alloca[in.Dst] = in
				if b.Index != 0 || !in.ElemType.IsFirstClassScalar() || !IsOne(in.Args) {
					escaped[in.Dst] = true
				}
			}
		}
	}
	cast := map[int]int{} // bitcast register -> alloca
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpBitCast && in.Args[0].Kind == llvmir.OperandReg {
				if _, ok := fn.Alloca[in.Args[0].Reg]; ok {
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
						fn.Origin[a.Reg] = src
					}
					continue
				}
				al, ok := fn.Alloca[a.Reg]
				if !ok {
					continue
				}
				switch {
				case in.Op == llvmir.OpLoad && in.Type == al.ElemType:
				case in.Op == llvmir.OpStore && i == 1 && in.Args[0].Type == al.ElemType:
				case in.Op == llvmir.OpDbgDeclare, in.Op == llvmir.OpBitCast:
				case marker:
					fn.Origin[a.Reg] = a.Reg
				default:
					escaped[a.Reg] = true
				}
			}
		}
	}
	for r := range fn.Alloca {
		fn.Promoted[r] = !escaped[r]
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpCall && in.Intrinsic == "lifetime.start" && in.Args[1].Kind == llvmir.OperandReg {
				if src, ok := fn.Origin[in.Args[1].Reg]; ok {
					fn.Scoped[src] = true
				}
			}
		}
	}
}

// findUses determines the registers that are used.
func (fn *Function) findUses() {
	fn.Used = make([]bool, fn.NumRegs)
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue {
				continue
			}
			for _, a := range in.Args {
				if a.Kind == llvmir.OperandReg {
					fn.Used[a.Reg] = true
				}
			}
			if in.Op == llvmir.OpCall && in.Callee.Kind == llvmir.OperandReg {
				fn.Used[in.Callee.Reg] = true
			}
		}
	}
}

// IsOne reports whether an alloca has a single element: it has no count, or the constant 1.
func IsOne(args []llvmir.Operand) bool {
	return len(args) == 0 || args[0].Kind == llvmir.OperandConst && args[0].Const.Int != nil &&
		args[0].Const.Int.IsUint64() && args[0].Const.Int.Uint64() == 1
}
