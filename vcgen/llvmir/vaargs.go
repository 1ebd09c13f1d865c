package llvmir

// lowerVAArgs converts the instruction va_arg to accesses of memory, as LLVM does for machines whose va_list is the
// address of the next argument:
//
//	%x = va_arg ptr %list, i32   becomes   %next = load ptr, ptr %list
//	                                       %behind = getelementptr i8, ptr %next, i16 4
//	                                       store ptr %behind, ptr %list
//	                                       %x = load i32, ptr %next
func (r *reader) lowerVAArgs(f *Func) {
	first, lowered := f.Blocks[0].Instrs[0].ID, false
	for _, b := range f.Blocks {
		for i := 0; i < len(b.Instrs); i++ {
			if b.Instrs[i].Op != opVAArg {
				continue
			}
			rest := append([]*Instr{}, b.Instrs[i+1:]...)
			b.Instrs = b.Instrs[:i+1]
			r.lowerVAArg(f, b)
			i, lowered = len(b.Instrs)-1, true
			b.Instrs = append(b.Instrs, rest...)
		}
	}
	if lowered {
		r.number(f, first)
	}
}

// lowerVAArg converts the last instruction of a block.
func (r *reader) lowerVAArg(f *Func, b *Block) {
	in := b.Instrs[len(b.Instrs)-1]
	r.layout(in.Type)
	b.Instrs = b.Instrs[:len(b.Instrs)-1]
	slot := int64(r.m.Layout.Pointer) / 8
	add := func(x *Instr) Operand {
		x.Ordinal, x.Loc = -1, in.Loc
		b.Instrs = append(b.Instrs, x)
		return Operand{Kind: OperandReg, Reg: x.Dst, Type: x.Type}
	}
	value := func(x *Instr) Operand {
		x.Dst = f.NumRegs
		f.NumRegs++
		f.RegNames = append(f.RegNames, "argument"+itoa(x.Dst))
		return add(x)
	}
	list, bytes := in.Args[0], r.pointerTo(r.intType(8), 0)
	next := value(&Instr{Op: OpLoad, Type: bytes, Args: []Operand{list}, Align: slot})
	behind := value(&Instr{Op: OpGEP, Type: bytes, ElemType: r.intType(8), Args: []Operand{next},
		GEP: &GEP{Const: (in.Type.Size + slot - 1) &^ (slot - 1), Len: -1, To: r.intType(8)}})
	add(&Instr{Op: OpStore, Type: r.voidType(), Dst: -1, Args: []Operand{behind, list}, Align: slot})
	if p := r.pointerTo(in.Type, 0); p != bytes {
		next = value(&Instr{Op: OpBitCast, Type: p, Args: []Operand{next}})
	}
	in.Op, in.Args, in.Align = OpLoad, []Operand{next}, slot
	b.Instrs = append(b.Instrs, in)
}
