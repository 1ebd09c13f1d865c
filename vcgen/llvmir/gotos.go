package llvmir

import "math/big"

// indirectBranch reads a computed goto: its address, and its possible labels.
func (f *funcReader) indirectBranch(in *Instr) {
	x := f.typed()
	f.Expect(',')
	in.Op, in.Args, in.Succs = opIndirectBr, []Operand{x}, f.labelList()
}

// lowerGotos converts computed gotos to switches. The address is compared with each label's, as if all were
// different:
//
//	goto *p;   becomes   switch (p == &&a ? 0 : p == &&b ? 1 : 2) {
//	                     case 0: goto a; case 1: goto b; default: unreachable }
//
// Comparisons in the program do not assume different addresses, because a compiler may merge labels with equal code.
func (r *reader) lowerGotos(f *Func) {
	first, lowered := f.Blocks[0].Instrs[0].ID, false
	for _, b := range f.Blocks {
		if in := b.Term(); in.Op == opIndirectBr {
			r.lowerGoto(f, b, in)
			lowered = true
		}
	}
	if lowered {
		r.number(f, first)
	}
}

// number gives the instructions of a function the numbers from first on: they must have no gaps.
func (r *reader) number(f *Func, first int) {
	r.nextID = first - 1
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			r.nextID++
			in.ID = r.nextID
		}
	}
}

func (r *reader) lowerGoto(f *Func, b *Block, in *Instr) {
	nowhere := &Block{Index: len(f.Blocks), Name: "goto" + itoa(len(f.Blocks)) + ".nowhere"}
	add := func(to *Block, x *Instr) {
		x.Ordinal, x.Loc = -1, in.Loc
		to.Instrs = append(to.Instrs, x)
	}
	value := func(x *Instr) Operand {
		x.Dst = f.NumRegs
		f.NumRegs++
		f.RegNames = append(f.RegNames, "goto"+itoa(x.Dst))
		add(b, x)
		return Operand{Kind: OperandReg, Reg: x.Dst, Type: x.Type}
	}
	constant := func(k *Const) Operand { return Operand{Kind: OperandConst, Const: k, Type: k.Type} }
	address, number := in.Args[0], r.intType(32)
	label := func(n int) *Const { return r.intConst(number, big.NewInt(int64(n))) }
	b.Instrs = b.Instrs[:len(b.Instrs)-1]
	which, succs := constant(label(len(in.Succs))), in.Succs
	for n, to := range succs {
		same := value(&Instr{Op: OpICmp, Pred: PredEQ, Dispatch: true, Type: r.intType(1),
			Args: []Operand{address, constant(r.labelAddress(address.Type, f.Name, f.Blocks[to].Name))}})
		which = value(&Instr{Op: OpSelect, Type: number, Args: []Operand{same, constant(label(n)), which}})
		in.Cases = append(in.Cases, label(n))
	}
	in.Op, in.Args, in.Succs = OpSwitch, []Operand{which}, append([]int{nowhere.Index}, succs...)
	b.Instrs, b.Succs = append(b.Instrs, in), in.Succs
	add(nowhere, &Instr{Op: OpUnreachable, Type: r.voidType(), Dst: -1,
		Text: "jumps to an address that is no label of the function"})
	f.Blocks = append(f.Blocks, nowhere)
}
