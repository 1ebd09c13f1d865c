package llvmir

import (
	"math/big"
	"strings"
)

// Some of what clang emits for one construct of C looks like what it emits for another, and means something else. The
// reader tells them apart once, and says it in fields of the instructions (PointerDifference, ReturnSlot, BitField,
// Coerced), so that nobody else looks at names of values. Where the shape of the code does not tell, the names do that
// clang gives to registers in all its versions: "sub.ptr.sub" and "bf.load".

// BitField says which bits of the storage of bit-fields a load or a store is about: Width of them from bit Low on. A
// load of Width 0 fetches what a store puts back as it was.
type BitField struct{ Low, Width int }

// markIdioms finds these constructs in a function.
func (f *funcReader) markIdioms() {
	x := idioms{fn: f.fn, def: make([]*Instr, f.fn.NumRegs), uses: make([][]*Instr, f.fn.NumRegs)}
	var rets []*Instr
	variables := map[int]bool{}
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == OpDbgDeclare || in.Op == OpDbgValue {
				if in.Args[0].Kind == OperandReg {
					variables[in.Args[0].Reg] = true
				}
				continue
			}
			if in.Dst >= 0 {
				x.def[in.Dst] = in
			}
			for _, a := range in.Args {
				if a.Kind == OperandReg {
					x.uses[a.Reg] = append(x.uses[a.Reg], in)
				}
			}
			if in.Op == OpRet {
				rets = append(rets, in)
			}
			in.PointerDifference = in.Op == OpSub && in.Type.Kind == IntType && in.Type.Bits == 64 && x.named(in, "sub.ptr.sub")
		}
	}
	for _, ret := range rets {
		if al := x.loadedFrom(ret); al != nil && !variables[al.Dst] {
			al.ReturnSlot = true
		}
	}
	for _, in := range x.def {
		if in != nil && in.Op == OpLoad {
			in.Coerced = x.coerced(in)
			x.markBitField(in)
		}
	}
}

// idioms is a function with the definitions and the uses of its registers, parameters without.
type idioms struct {
	fn   *Func
	def  []*Instr
	uses [][]*Instr
}

func (x *idioms) named(in *Instr, prefix string) bool {
	return in.Dst >= 0 && strings.HasPrefix(x.fn.RegName(in.Dst), prefix)
}

// definition returns the instruction that computes an operand, nil for none.
func (x *idioms) definition(a Operand) *Instr {
	if a.Kind != OperandReg {
		return nil
	}
	return x.def[a.Reg]
}

// loadedFrom returns the alloca that a returned value is loaded from, nil for none.
func (x *idioms) loadedFrom(ret *Instr) *Instr {
	if len(ret.Args) == 0 {
		return nil
	}
	in := x.definition(ret.Args[0])
	if in == nil || in.Op != OpLoad {
		return nil
	}
	for in != nil {
		switch in = x.definition(in.Args[0]); {
		case in == nil:
		case in.Op == OpAlloca:
			return in
		case in.Op != OpBitCast && in.Op != OpGEP:
			return nil
		}
	}
	return nil
}

// coerced tells whether a load fetches a struct or a union, or part of one, as the number as which it is passed,
// returned, or accessed atomically: its padding, and members of a union that were not written, travel with it.
//
//	%coerce.dive = getelementptr %union.u, %union.u* %u, i32 0, i32 0      of a struct, while its first element has its size
//	%1 = bitcast %struct.s* %s to i64*                                     if that is another type
//	%2 = load i64, i64* %1
//
// Two numbers are loaded from the struct { i64, i32 } that the struct's address is cast to. A member of a union is
// never reached by a getelementptr but by a cast; where it has the size of the union, so has the union's first element.
func (x *idioms) coerced(in *Instr) bool {
	for _, use := range x.uses[in.Dst] {
		switch {
		case in.Atomic, use.Atomic, use.Op == OpRet, use.Op == OpCmpXchg, use.Op == OpAtomicRMW, use.Op == OpCall &&
			use.Intrinsic == "":
		default:
			return false
		}
	}
	at := x.definition(in.Args[0])
	switch {
	case at == nil:
	case at.Op == OpBitCast:
		whole := at.Args[0].Type.Elem
		if from := x.definition(at.Args[0]); from != nil && from.Op == OpGEP && from.ElemType.Size == in.Type.StoreSize {
			return from.ElemType.Kind == StructType
		}
		member := strings.HasPrefix(whole.Name, "union.") && len(whole.Fields) > 0 && whole.Fields[0].Size == whole.Size
		return whole.Kind == StructType && whole.Size == in.Type.StoreSize && !member
	case at.Op == OpGEP && strings.HasPrefix(at.ElemType.Name, "union."):
		return true
	case at.Op == OpGEP && at.ElemType.Kind == StructType && at.ElemType.Name == "":
		whole := x.definition(at.Args[0])
		return whole != nil && whole.Op == OpBitCast && whole.Args[0].Type.Elem.Kind == StructType
	}
	return false
}

// markBitField tells what a load of the storage of bit-fields is for.
//
//	%bf.load = load i8, i8* %p              reading bits 3 to 6
//	%bf.lshr = lshr i8 %bf.load, 3          (shl and ashr where the field is signed)
//	%bf.clear = and i8 %bf.lshr, 15
//
//	%bf.load = load i8, i8* %p              writing them: what stands beside them stays
//	%bf.clear = and i8 %bf.load, -121
//	%bf.set = or i8 %bf.clear, %bf.shl      (nothing where zero is written)
//	store i8 %bf.set, i8* %p
func (x *idioms) markBitField(load *Instr) {
	if load.Type.Kind != IntType || !x.named(load, "bf.load") || len(x.uses[load.Dst]) != 1 {
		return
	}
	use := x.uses[load.Dst][0]
	if use.Op == OpAnd && x.putsBack(load, use) {
		return
	}
	low, width := 0, load.Type.Bits
chain:
	for ; use != nil && len(use.Args) == 2 && use.Type == load.Type; use = x.onlyUse(use) {
		k := use.Args[1].Const
		if use.Args[1].Kind != OperandConst || k == nil || k.Kind != ConstInt || !x.named(use, "bf.") {
			break
		}
		switch {
		case use.Op == OpAnd && isMask(k.Int):
			width = min(width, k.Int.BitLen())
		case use.Op == OpLShr || use.Op == OpAShr:
			low, width = low+int(k.Int.Int64()), min(width, load.Type.Bits-int(k.Int.Int64()))
		case use.Op == OpShl:
			low, width = low-int(k.Int.Int64()), load.Type.Bits // what the shift drops above is dropped below by the shift back
		default:
			break chain
		}
	}
	if low < 0 || width <= 0 || low+width > load.Type.Bits {
		return
	}
	load.BitField = &BitField{low, width}
}

func (x *idioms) onlyUse(in *Instr) *Instr {
	if in.Dst < 0 || len(x.uses[in.Dst]) != 1 {
		return nil
	}
	return x.uses[in.Dst][0]
}

// isMask tells whether a number is 2^n - 1.
func isMask(n *big.Int) bool {
	return n.Sign() > 0 && new(big.Int).And(n, new(big.Int).Add(n, big.NewInt(1))).Sign() == 0
}

// putsBack marks load and store of a write to a bit-field; clear is what is left of the storage. The value of an
// assignment may be used again.
func (x *idioms) putsBack(load, clear *Instr) bool {
	k := clear.Args[1].Const
	if clear.Args[1].Kind != OperandConst || k == nil || k.Kind != ConstInt {
		return false
	}
	store := x.onlyUse(clear)
	if store != nil && store.Op == OpOr {
		store = x.onlyUse(store)
	}
	if store == nil || store.Op != OpStore || !sameOperand(store.Args[1], load.Args[0]) {
		return false
	}
	all := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(load.Type.Bits)), big.NewInt(1))
	written := all.AndNot(all, k.Int)
	low := int(written.TrailingZeroBits())
	if !isMask(written.Rsh(written, uint(low))) {
		return false
	}
	load.BitField = &BitField{}
	store.BitField = &BitField{low, written.BitLen()}
	return true
}

func sameOperand(a, b Operand) bool {
	return a.Kind == OperandReg && b.Kind == OperandReg && a.Reg == b.Reg ||
		a.Kind == OperandConst && b.Kind == OperandConst && a.Const.Kind == ConstGlobal && b.Const.Kind == ConstGlobal &&
			a.Const.Global == b.Const.Global && a.Const.Offset == b.Const.Offset
}
