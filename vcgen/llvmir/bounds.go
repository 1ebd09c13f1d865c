package llvmir

import "strings"

// Within is an array that an access is to stay in: its index is below the number of its elements. The sanitizer's check
// of that is for what stands in front of a subscript, and clang leaves it out in places, or allows for the address
// behind the last element: of what ++ and -- change, of structs that are copied, of *(a + i), and where it is told to.
type Within struct {
	Index Operand
	Len   int64
	At    *Instr // the address computation
}

// boundAccesses finds for each access the arrays inside of objects whose elements it uses. Only computations in the
// block of the access count, where they are surely for it; a pointer that was kept may be compared as well. Arrays that
// are objects of their own need none of this: who leaves them leaves the object.
func (f *funcReader) boundAccesses() {
	defs := make([]*Instr, f.fn.NumRegs)
	block := make([]*Block, f.fn.NumRegs)
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Dst >= 0 {
				defs[in.Dst], block[in.Dst] = in, b
			}
		}
	}
	for _, b := range f.fn.Blocks {
		arrays := func(address Operand) []Within {
			return f.arrays(address, defs, func(reg int) bool { return block[reg] == b }, b)
		}
		for _, in := range b.Instrs {
			switch {
			case in.Op == OpLoad, in.Op == OpCmpXchg, in.Op == OpAtomicRMW:
				in.Within = arrays(in.Args[0])
			case in.Op == OpStore:
				in.Within = arrays(in.Args[1])
			case in.Op == OpCall && (in.Intrinsic == "memcpy" || in.Intrinsic == "memmove"): // of a struct
				if n := in.Args[2].Const; n != nil && n.Kind == ConstInt && n.Int.Sign() > 0 {
					in.Within = append(arrays(in.Args[0]), arrays(in.Args[1])...)
				}
			}
		}
	}
}

// arrays lists the arrays on the way to an address, innermost first. What is computed with numbers of bytes ends the
// way, as in container_of: it may lead anywhere in the object.
func (f *funcReader) arrays(address Operand, defs []*Instr, here func(reg int) bool, b *Block) []Within {
	var out []Within
	for address.Kind == OperandReg {
		at := defs[address.Reg]
		if at == nil || !here(address.Reg) || at.Op != OpBitCast && at.Op != OpGEP {
			return out
		}
		base := at.Args[0]
		if at.Op == OpGEP {
			g := at.GEP
			switch {
			case g == nil:
				return out
			case g.Len >= 0:
				if !isZero(g.Index) && f.inside(base, g.Len, defs) && !f.checked(at, g.Len, b) {
					out = append(out, Within{g.Index, g.Len, at})
				}
			case g.Index.Type != nil: // a[0] + i, where a is an array of such elements
				if base.Kind != OperandReg {
					return out
				}
				decay := defs[base.Reg]
				if decay == nil || decay.Op != OpGEP || decay.GEP == nil || decay.GEP.Len < 0 || !isZero(decay.GEP.Index) ||
					!strings.HasPrefix(f.fn.RegName(base.Reg), "arraydecay") {
					return out
				}
				if f.inside(decay.Args[0], decay.GEP.Len, defs) {
					out = append(out, Within{g.Index, decay.GEP.Len, at})
				}
			}
		}
		address = base
	}
	return out
}

// inside tells whether an array of n elements at an address is part of an object that it cannot grow in. As clang has
// it, one of no or of one element at the end of a struct may have more, and so may one of those in a union.
func (f *funcReader) inside(array Operand, n int64, defs []*Instr) bool {
	if array.Kind != OperandReg {
		return false
	}
	def := defs[array.Reg]
	if def == nil || def.Op != OpGEP || def.GEP == nil {
		return n > 1 && (def == nil || def.Op == OpBitCast || def.Op == OpLoad)
	}
	return n > 1 || n == 1 && def.GEP.Index.Type == nil && !def.GEP.Last
}

// checked tells whether the sanitizer has looked that the index of an address computation is below n.
func (f *funcReader) checked(at *Instr, n int64, b *Block) bool {
	if len(b.Preds) != 1 {
		return false
	}
	p := f.fn.Blocks[b.Preds[0]]
	br := p.Term()
	if br.Op != OpCondBr || br.Succs[0] != b.Index || br.Args[0].Kind != OperandReg {
		return false
	}
	var cmp *Instr
	root := func(o Operand) Operand {
		for _, from := range []*Block{b, p} {
			for k := len(from.Instrs) - 1; k >= 0; k-- {
				if in := from.Instrs[k]; o.Kind == OperandReg && in.Dst == o.Reg && (in.Op == OpZExt || in.Op == OpSExt) {
					o = in.Args[0]
				}
			}
		}
		return o
	}
	for _, in := range p.Instrs {
		if in.Dst == br.Args[0].Reg {
			cmp = in
		}
	}
	if cmp == nil || cmp.Op != OpICmp || cmp.Pred != PredULT || !cmp.NoSanitize {
		return false
	}
	limit := cmp.Args[1].Const
	return limit != nil && limit.Kind == ConstInt && limit.Int.IsInt64() && limit.Int.Int64() == n &&
		same(root(cmp.Args[0]), root(at.GEP.Index))
}

func isZero(o Operand) bool {
	return o.Kind == OperandConst && o.Const != nil && o.Const.Kind == ConstInt && o.Const.Int.Sign() == 0
}
