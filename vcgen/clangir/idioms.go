package clangir

import (
	"math/big"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Some constructs of C have similar code but different meanings. They are distinguished here, in the Facts of the
// instructions (PointerDifference, ReturnSlot, Temporary, BitField, Coerced), so that other packages need not do so.
// If the form of the code is ambiguous, names decide (names.go).

// BitField is the range of bits of a bit-field's storage unit that a load or store accesses: Width bits from bit Low
// on.
//
// A load of Width 0 reads bits that a store writes back unchanged.
type BitField struct{ Low, Width int }

// markIdioms detects these constructs in a function.
func (f *function) markIdioms() {
	x := idioms{function: f, def: make([]*llvmir.Instr, f.fn.NumRegs), uses: make([][]*llvmir.Instr, f.fn.NumRegs)}
	var rets []*llvmir.Instr
	x.declared = map[int]*llvmir.DIVar{}
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue {
				if in.Args[0].Kind == llvmir.OperandReg {
					x.declared[in.Args[0].Reg] = in.Var
				}
				continue
			}
			if in.Dst >= 0 {
				x.def[in.Dst] = in
			}
			for _, a := range in.Args {
				if a.Kind == llvmir.OperandReg {
					x.uses[a.Reg] = append(x.uses[a.Reg], in)
				}
			}
			if in.Op == llvmir.OpAlloca && x.stem(in.Dst) == ".compoundliteral" {
				f.m.about(in).Literal = true
			}
			if in.Op == llvmir.OpRet {
				rets = append(rets, in)
			}
			if in.Op == llvmir.OpSub && in.Type.Kind == llvmir.IntType && in.Type.Bits == x.m.Layout.Pointer &&
				x.stem(in.Dst) == "sub.ptr.sub" {
				f.m.about(in).PointerDifference = true
			}
		}
	}
	for _, ret := range rets {
		if al := x.loadedFrom(ret); al != nil && x.declared[al.Dst] == nil {
			f.m.about(al).ReturnSlot = true
		}
	}
	for _, in := range x.def {
		if in != nil && in.Op == llvmir.OpAlloca && x.declared[in.Dst] == nil && (f.m.Of(in).ReturnSlot || f.isOwn(in)) {
			f.m.about(in).Temporary = true
		}
		if in != nil && in.Op == llvmir.OpCall {
			x.markDeclared(in)
		}
		if in != nil && in.Op == llvmir.OpLoad {
			if x.coerced(in) {
				f.m.about(in).Coerced = true
			}
			x.markBitField(in)
		}
	}
}

// markDeclared marks the promise of an attribute (alloc_align) about the result of a function without a body.
//
// It has the position of the call. The statement of __builtin_assume_aligned about a result precedes the call.
func (x *idioms) markDeclared(call *llvmir.Instr) {
	if call.External() == nil {
		return
	}
	for _, use := range x.uses[call.Dst] {
		if use.Intrinsic == "assume" && atSamePlace(use.Loc, call.Loc) {
			x.m.about(use).Declared = true
		}
	}
}

// idioms is a function with the definitions and uses of its registers, except parameters.
type idioms struct {
	*function
	def  []*llvmir.Instr
	uses [][]*llvmir.Instr
	// declared are the variables of C by the register of their address or value.
	declared map[int]*llvmir.DIVar
}

// definition returns the instruction that computes an operand; nil if there is none.
func (x *idioms) definition(a llvmir.Operand) *llvmir.Instr {
	if a.Kind != llvmir.OperandReg {
		return nil
	}
	return x.def[a.Reg]
}

// loadedFrom returns the alloca from which a returned value is loaded; nil if there is none.
func (x *idioms) loadedFrom(ret *llvmir.Instr) *llvmir.Instr {
	if len(ret.Args) == 0 {
		return nil
	}
	in := x.definition(ret.Args[0])
	if in == nil || in.Op != llvmir.OpLoad {
		return nil
	}
	for in != nil {
		switch in = x.definition(in.Args[0]); {
		case in == nil:
		case in.Op == llvmir.OpAlloca:
			return in
		case in.Op != llvmir.OpBitCast && in.Op != llvmir.OpGEP:
			return nil
		}
	}
	return nil
}

// coerced reports whether a load reads a struct or union, or a part of it, as a number.
//
// Structs are passed, returned, and accessed atomically as numbers. The number includes padding, and members of a
// union that were not written.
//
//	%coerce.dive = getelementptr %union.u, %union.u* %u, i32 0, i32 0  of a struct, while its first element has its size
//	%1 = bitcast %struct.s* %s to i64*                                     if that is another type
//	%2 = load i64, i64* %1
//
// Two numbers are loaded from the struct { i64, i32 } to which the struct's address is cast. A member of a union is
// reached by a cast, never by a getelementptr; if it has the size of the union, so has the union's first element.
func (x *idioms) coerced(in *llvmir.Instr) bool {
	for _, use := range x.uses[in.Dst] {
		switch {
		case in.Atomic, use.Atomic, use.Op == llvmir.OpRet, use.Op == llvmir.OpCmpXchg, use.Op == llvmir.OpAtomicRMW,
			use.Op == llvmir.OpCall && use.Intrinsic == "":
		default:
			return false
		}
	}
	at := x.definition(in.Args[0])
	if at != nil && at.Op == llvmir.OpGEP && x.stem(at.Dst) == "coerce.dive" { // names in C have no dot
		return true
	}
	if in.Args[0].Type.Elem == nil {
		return x.coercedOpaque(in)
	}
	switch {
	case at == nil:
	case at.Op == llvmir.OpBitCast:
		aggregate := at.Args[0].Type.Elem
		from := x.definition(at.Args[0])
		if from != nil && from.Op == llvmir.OpGEP && from.ElemType.Size == in.Type.StoreSize {
			return from.ElemType.Kind == llvmir.StructType
		}
		member := strings.HasPrefix(aggregate.Name, "union.") && len(aggregate.Fields) > 0 &&
			aggregate.Fields[0].Size == aggregate.Size
		return aggregate.Kind == llvmir.StructType && aggregate.Size == in.Type.StoreSize && !member
	case at.Op == llvmir.OpGEP && strings.HasPrefix(at.ElemType.Name, "union."):
		return true
	case at.Op == llvmir.OpGEP && at.ElemType.Kind == llvmir.StructType && at.ElemType.Name == "":
		aggregate := x.definition(at.Args[0])
		return aggregate != nil && aggregate.Op == llvmir.OpBitCast && aggregate.Args[0].Type.Elem.Kind == llvmir.StructType
	}
	return false
}

// coercedOpaque reports whether a load is coerced, for opaque pointers.
//
// No cast shows that the type of the load differs from the type in memory. That is the type of the variable, or the
// target type of the address computation. Members of structs are reached by address computations, members of unions
// are not.
//
//	%coerce.dive = getelementptr %union.u, ptr %u, i32 0, i32 0        as above
//	%0 = load i64, ptr %s                                              of a variable %struct.s
//	%1 = getelementptr { i64, i32 }, ptr %s, i32 0, i32 0              the first of two numbers
func (x *idioms) coercedOpaque(in *llvmir.Instr) bool {
	address := in.Args[0]
	at := x.definition(address)
	if at != nil && at.Op == llvmir.OpGEP && at.GEP != nil && at.ElemType.Kind == llvmir.StructType {
		switch {
		case strings.HasPrefix(at.ElemType.Name, "union."):
			return true
		case at.ElemType.Name == "": // not a struct of C; complex numbers are also accessed like this
			aggregate := x.typeAt(at.Args[0])
			return aggregate == nil && !slices.Contains(parts, x.stem(at.Dst)) ||
				aggregate != nil && aggregate.Kind == llvmir.StructType && aggregate.Name != ""
		case at.GEP.To.Kind == llvmir.ArrayType && at.ElemType.Size == in.Type.StoreSize:
			return true
		}
	}
	if aggregate := x.typeAt(address); aggregate != nil {
		member := strings.HasPrefix(aggregate.Name, "union.") && len(aggregate.Fields) > 0 &&
			aggregate.Fields[0].Size == aggregate.Size
		return aggregate.Kind == llvmir.StructType && aggregate.Size == in.Type.StoreSize && !member
	}
	if t := x.sourceTypeAt(address); t != nil {
		member := t.Kind == llvmir.DIUnion && slices.ContainsFunc(t.Fields, func(m llvmir.DIField) bool {
			return m.Type != nil && m.Type.Bits == t.Bits && m.Type.Kind != llvmir.DIStruct && m.Type.Kind != llvmir.DIArray
		})
		return (t.Kind == llvmir.DIStruct || t.Kind == llvmir.DIUnion) && t.Bits == 8*in.Type.StoreSize && !member
	}
	return slices.ContainsFunc(x.uses[in.Dst], func(use *llvmir.Instr) bool {
		return use.Op == llvmir.OpCall &&
			x.takesStruct(use, in)
	})
}

// typeAt returns the type in memory at an address, as far as the computation shows it; otherwise nil.
func (x *idioms) typeAt(address llvmir.Operand) *llvmir.Type {
	switch {
	case address.Kind == llvmir.OperandConst && address.Const.Kind == llvmir.ConstGlobal && address.Const.Offset == 0:
		return address.Const.Global.Type
	case address.Kind == llvmir.OperandReg && address.Reg < len(x.fn.Params):
		return x.fn.Params[address.Reg].Pointee()
	}
	switch at := x.definition(address); {
	case at == nil:
	case at.Op == llvmir.OpAlloca:
		return at.ElemType
	case at.Op == llvmir.OpGEP && at.GEP != nil && at.ElemType.Kind != llvmir.IntType: // not an offset in bytes
		return at.GEP.To
	}
	return nil
}

// sourceTypeAt returns the C type of the target of an address loaded from a variable; nil for other addresses.
func (x *idioms) sourceTypeAt(address llvmir.Operand) *llvmir.DIType {
	load := x.definition(address)
	if load == nil || load.Op != llvmir.OpLoad || load.Args[0].Kind != llvmir.OperandReg {
		return nil
	}
	v := x.declared[load.Args[0].Reg]
	if v == nil || v.Type == nil || v.Type.Kind != llvmir.DIPointer {
		return nil
	}
	return v.Type.Elem
}

// takesStruct reports whether a function may receive a struct as the number that a call passes.
//
// It may if its parameter is not a scalar in C, or is unknown.
func (x *idioms) takesStruct(call, number *llvmir.Instr) bool {
	fn := call.Function()
	for i, a := range call.Args {
		if a.Kind == llvmir.OperandReg && a.Reg == number.Dst {
			if fn == nil || i >= len(fn.Params) {
				return fn == nil
			}
			t := fn.Params[i].DIType
			return t == nil || t.Kind == llvmir.DIStruct || t.Kind == llvmir.DIUnion
		}
	}
	return false
}

// markBitField sets the facts of a load of a bit-field's storage unit.
//
//	%bf.load = load i8, i8* %p              reading bits 3 to 6
//	%bf.lshr = lshr i8 %bf.load, 3          (shl and ashr if the field is signed)
//	%bf.clear = and i8 %bf.lshr, 15
//
//	%bf.load = load i8, i8* %p              writing them: the other bits remain
//	%bf.clear = and i8 %bf.load, -121
//	%bf.set = or i8 %bf.clear, %bf.shl      (omitted if zero is written)
//	store i8 %bf.set, i8* %p
func (x *idioms) markBitField(load *llvmir.Instr) {
	if load.Type.Kind != llvmir.IntType || x.stem(load.Dst) != "bf.load" || len(x.uses[load.Dst]) != 1 {
		return
	}
	use := x.uses[load.Dst][0]
	if use.Op == llvmir.OpAnd && x.putsBack(load, use) {
		return
	}
	low, width := 0, load.Type.Bits
chain:
	for ; use != nil && len(use.Args) == 2 && use.Type == load.Type; use = x.onlyUse(use) {
		k := use.Args[1].Const
		if use.Args[1].Kind != llvmir.OperandConst || k == nil || k.Kind != llvmir.ConstInt ||
			!strings.HasPrefix(x.stem(use.Dst), "bf.") {
			break
		}
		switch {
		case use.Op == llvmir.OpAnd && isMask(k.Int):
			width = min(width, k.Int.BitLen())
		case use.Op == llvmir.OpLShr || use.Op == llvmir.OpAShr:
			low, width = low+int(k.Int.Int64()), min(width, load.Type.Bits-int(k.Int.Int64()))
		case use.Op == llvmir.OpShl:
			low, width = low-int(k.Int.Int64()), load.Type.Bits // the shift back drops the bits that the first shift drops above
		default:
			break chain
		}
	}
	if low < 0 || width <= 0 || low+width > load.Type.Bits {
		return
	}
	x.m.about(load).BitField = &BitField{low, width}
}

func (x *idioms) onlyUse(in *llvmir.Instr) *llvmir.Instr {
	if in.Dst < 0 || len(x.uses[in.Dst]) != 1 {
		return nil
	}
	return x.uses[in.Dst][0]
}

// isMask reports whether a number is 2^n - 1.
func isMask(n *big.Int) bool {
	return n.Sign() > 0 && new(big.Int).And(n, new(big.Int).Add(n, big.NewInt(1))).Sign() == 0
}

// putsBack marks the load and store of a write to a bit-field, and reports whether it is one.
//
// clear computes the remaining bits. The value of the assignment may have further uses.
func (x *idioms) putsBack(load, clear *llvmir.Instr) bool {
	k := clear.Args[1].Const
	if clear.Args[1].Kind != llvmir.OperandConst || k == nil || k.Kind != llvmir.ConstInt {
		return false
	}
	store := x.onlyUse(clear)
	if store != nil && store.Op == llvmir.OpOr {
		store = x.onlyUse(store)
	}
	if store == nil || store.Op != llvmir.OpStore || !sameOperand(store.Args[1], load.Args[0]) {
		return false
	}
	all := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(load.Type.Bits)), big.NewInt(1))
	written := all.AndNot(all, k.Int)
	low := int(written.TrailingZeroBits())
	if !isMask(written.Rsh(written, uint(low))) {
		return false
	}
	x.m.about(load).BitField = &BitField{}
	x.m.about(store).BitField = &BitField{low, written.BitLen()}
	return true
}

func sameOperand(a, b llvmir.Operand) bool {
	return a.Kind == llvmir.OperandReg && b.Kind == llvmir.OperandReg && a.Reg == b.Reg ||
		a.Kind == llvmir.OperandConst && b.Kind == llvmir.OperandConst && a.Const.Kind == llvmir.ConstGlobal &&
			b.Const.Kind == llvmir.ConstGlobal && a.Const.Global == b.Const.Global && a.Const.Offset == b.Const.Offset
}
