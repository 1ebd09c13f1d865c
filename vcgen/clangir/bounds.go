package clangir

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Within is an array that an access is to stay in: its index is below the number of its elements. The sanitizer's check
// of that is for what stands in front of a subscript, and clang leaves it out in places, or allows for the address
// behind the last element: of what ++ and -- change, of structs that are copied, of *(a + i), and where it is told to.
type Within struct {
	Index llvmir.Operand
	Len   int64
	At    *llvmir.Instr // the address computation
}

// boundAccesses finds for each access the arrays inside of objects whose elements it uses. Only computations in the
// block of the access count, where they are surely for it; a pointer that was kept may be compared as well. Arrays that
// are objects of their own need none of this: who leaves them leaves the object.
func (f *function) boundAccesses() {
	defs := make([]*llvmir.Instr, f.fn.NumRegs)
	block := make([]*llvmir.Block, f.fn.NumRegs)
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Dst >= 0 {
				defs[in.Dst], block[in.Dst] = in, b
			}
		}
	}
	within := func(in *llvmir.Instr, arrays ...Within) {
		if len(arrays) > 0 {
			f.m.about(in).Within = arrays
		}
	}
	for _, b := range f.fn.Blocks {
		arrays := func(address llvmir.Operand) []Within {
			return f.arrays(address, defs, func(reg int) bool { return block[reg] == b }, b)
		}
		for _, in := range b.Instrs {
			switch {
			case in.Op == llvmir.OpLoad, in.Op == llvmir.OpCmpXchg, in.Op == llvmir.OpAtomicRMW:
				within(in, arrays(in.Args[0])...)
			case in.Op == llvmir.OpStore:
				within(in, arrays(in.Args[1])...)
			case in.Op == llvmir.OpCall && (in.Intrinsic == "memcpy" || in.Intrinsic == "memmove"): // of a struct
				if n := in.Args[2].Const; n != nil && n.Kind == llvmir.ConstInt && n.Int.Sign() > 0 {
					within(in, append(arrays(in.Args[0]), arrays(in.Args[1])...)...)
				}
			}
		}
	}
}

// arrays lists the arrays on the way to an address, innermost first. What is computed with numbers of bytes ends the
// way, as in container_of: it may lead anywhere in the object.
func (f *function) arrays(address llvmir.Operand, defs []*llvmir.Instr, here func(reg int) bool,
	b *llvmir.Block) []Within {
	var out []Within
	for address.Kind == llvmir.OperandReg {
		at := defs[address.Reg]
		if at == nil || !here(address.Reg) || at.Op != llvmir.OpBitCast && at.Op != llvmir.OpGEP {
			return out
		}
		base := at.Args[0]
		if at.Op == llvmir.OpGEP {
			g := at.GEP
			switch {
			case g == nil:
				return out
			case g.Len >= 0:
				if !isZero(g.Index) && f.inside(base, g.Len, defs) && !f.checked(at, g.Len, b) {
					out = append(out, Within{g.Index, g.Len, at})
				}
			case g.Index.Type != nil: // a[0] + i, where a is an array of such elements
				if base.Kind != llvmir.OperandReg {
					return out
				}
				decay := defs[base.Reg]
				if decay == nil || decay.Op != llvmir.OpGEP || decay.GEP == nil || decay.GEP.Len < 0 || !isZero(decay.GEP.Index) ||
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
func (f *function) inside(array llvmir.Operand, n int64, defs []*llvmir.Instr) bool {
	if array.Kind != llvmir.OperandReg {
		return false
	}
	def := defs[array.Reg]
	if def == nil || def.Op != llvmir.OpGEP || def.GEP == nil {
		return n > 1 && (def == nil || def.Op == llvmir.OpBitCast || def.Op == llvmir.OpLoad)
	}
	return n > 1 || n == 1 && def.GEP.Index.Type == nil && !def.GEP.Last
}

// checked tells whether the sanitizer has looked that the index of an address computation is below n.
func (f *function) checked(at *llvmir.Instr, n int64, b *llvmir.Block) bool {
	if len(b.Preds) != 1 {
		return false
	}
	p := f.fn.Blocks[b.Preds[0]]
	br := p.Term()
	if br.Op != llvmir.OpCondBr || br.Succs[0] != b.Index || br.Args[0].Kind != llvmir.OperandReg {
		return false
	}
	var cmp *llvmir.Instr
	root := func(o llvmir.Operand) llvmir.Operand {
		for _, from := range []*llvmir.Block{b, p} {
			for k := len(from.Instrs) - 1; k >= 0; k-- {
				in := from.Instrs[k]
				if (in.Op == llvmir.OpZExt || in.Op == llvmir.OpSExt) && o.Kind == llvmir.OperandReg && in.Dst == o.Reg {
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
	if cmp == nil || cmp.Op != llvmir.OpICmp || cmp.Pred != llvmir.PredULT || !cmp.NoSanitize {
		return false
	}
	limit := cmp.Args[1].Const
	return limit != nil && limit.Kind == llvmir.ConstInt && limit.Int.IsInt64() && limit.Int.Int64() == n &&
		same(root(cmp.Args[0]), root(at.GEP.Index))
}

func isZero(o llvmir.Operand) bool {
	return o.Kind == llvmir.OperandConst && o.Const != nil && o.Const.Kind == llvmir.ConstInt && o.Const.Int.Sign() == 0
}
