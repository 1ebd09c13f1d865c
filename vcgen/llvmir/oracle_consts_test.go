package llvmir

import (
	"fmt"
	"math"
	"math/big"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
)

// constant lowers a constant of llir.
func (r *oracle) constant(src constant.Constant) *Const {
	switch c := src.(type) {
	case *constant.Int:
		t := r.typ(c.Typ)
		return r.intConst(t, c.X)
	case *constant.Float:
		t := r.typ(c.Typ)
		if t.Bits == 128 {
			// llir reads the halves of an fp128 in the wrong order.
			return r.unsupportedConst(t, "a constant of type "+t.String())
		}
		return &Const{Kind: ConstFloat, Type: t, Int: floatBits(c, t.Bits)}
	case *constant.Null:
		return &Const{Kind: ConstNull, Type: r.typ(c.Typ)}
	case *constant.Undef:
		return r.undef(r.typ(c.Typ))
	case *constant.Poison:
		return r.undef(r.typ(c.Typ))
	case *constant.ZeroInitializer:
		return r.zero(r.typ(c.Typ))
	case *constant.NoneToken:
		return r.undef(r.typ(types.Token))
	case *constant.CharArray:
		return &Const{Kind: ConstData, Type: r.typ(c.Typ), Data: c.X}
	case *constant.Array:
		return r.aggregate(r.typ(c.Typ), c.Elems)
	case *constant.Vector:
		return r.aggregate(r.typ(c.Typ), c.Elems)
	case *constant.Struct:
		return r.aggregate(r.typ(c.Typ), c.Fields)
	case *ir.Global:
		if g := r.globals[c]; g != nil {
			r.mention(c.Name(), c.Linkage)
			return &Const{Kind: ConstGlobal, Type: r.typ(c.Type()), Global: g}
		}
		r.Fail("@%s is no object of the program", c.Name())
		return r.undef(r.typ(c.Type()))
	case *ir.Func:
		return &Const{Kind: ConstFunc, Type: r.typ(c.Type()), Func: r.funcs[c]}
	case *ir.IFunc:
		return &Const{Kind: ConstFunc, Type: r.typ(c.Type()), Func: r.ifuncs[c]}
	case *ir.Alias:
		return r.alias(c)
	case *constant.DSOLocalEquivalent:
		return r.constant(c.Func)
	case *constant.NoCFI:
		return r.constant(c.Func)
	case *constant.Index:
		return r.constant(c.Constant)
	case *constant.BlockAddress:
		return r.labelAddress(r.typ(c.Type()), c.Func.(*ir.Func).Name(), c.Block.(*ir.Block).Name())
	case constant.Expression:
		return r.expression(c)
	case nil:
		r.Fail("a constant is missing")
		return r.undef(r.voidType())
	}
	return r.unsupportedConst(r.typ(src.Type()), fmt.Sprintf("constant %T", src))
}

// mention records the address of a weak variable without a definition, so that the address may be NULL.
func (r *oracle) mention(name string, linkage enum.Linkage) {
	if linkage == enum.LinkageExternWeak {
		r.weak = "the address of " + name + ", which is weak and has no definition,"
	}
}

func (r *oracle) aggregate(t *Type, elems []constant.Constant) *Const {
	n := t.Len
	if t.Kind == StructType {
		n = int64(len(t.Fields))
	}
	if int64(len(elems)) != n {
		r.Fail("a constant of type %s has %d elements", t, len(elems))
		return r.undef(t)
	}
	out := &Const{Kind: ConstAggregate, Type: t, Elems: make([]*Const, len(elems))}
	bytes := t.Kind == ArrayType && t.Elem.Kind == IntType && t.Elem.Bits == 8
	for i, e := range elems {
		out.Elems[i] = r.constant(e)
		bytes = bytes && out.Elems[i].Kind == ConstInt
	}
	if bytes {
		data := make([]byte, len(elems))
		for i, e := range out.Elems {
			data[i] = byte(e.Int.Uint64())
		}
		return &Const{Kind: ConstData, Type: t, Data: data}
	}
	return out
}

// floatBits returns the IEEE encoding; for 80 bits, the x87 one with its explicit integer bit.
//
// llir keeps only the sign of a NaN, see keepNaNPayloads.
func floatBits(c *constant.Float, width int) *big.Int {
	neg := c.X != nil && c.X.Signbit()
	switch {
	case width == 64 && !c.NaN:
		f, _ := c.X.Float64()
		return new(big.Int).SetUint64(math.Float64bits(f))
	case width == 32 && !c.NaN:
		f, _ := c.X.Float32()
		return new(big.Int).SetUint64(uint64(math.Float32bits(f)))
	}
	expBits, manBits, explicit := 0, 0, 0
	switch width {
	case 16:
		expBits, manBits = 5, 10
	case 32:
		expBits, manBits = 8, 23
	case 64:
		expBits, manBits = 11, 52
	case 80:
		expBits, manBits, explicit = 15, 63, 1 // the integer bit on top
	}
	bias := 1<<(expBits-1) - 1
	exp, man := 0, new(big.Int)
	switch {
	case c.NaN:
		exp = 2*bias + 1
		man.Lsh(big.NewInt(int64(1+2*explicit)), uint(manBits-1))
	case c.X.IsInf():
		exp = 2*bias + 1
		man.Lsh(big.NewInt(int64(explicit)), uint(manBits))
	case c.X.Sign() != 0:
		// x = m * 2^e with 0.5 <= |m| < 1.
		m := new(big.Float)
		e := c.X.MantExp(m) - 1
		exp = e + bias
		shift := manBits + 1
		if exp <= 0 { // subnormal
			shift += exp - 1
			exp = 0
		}
		m.SetMantExp(m.Abs(m), shift).Int(man)
		if explicit == 0 {
			man.SetBit(man, manBits, 0)
		}
	}
	bits := big.NewInt(int64(exp))
	if neg {
		bits.SetBit(bits, expBits, 1)
	}
	bits.Lsh(bits, uint(manBits+explicit))
	return bits.Or(bits, man)
}

// expression lowers a constant expression and folds it as far as possible.
func (r *oracle) expression(src constant.Expression) *Const {
	if e, ok := src.(*constant.ExprGetElementPtr); ok {
		indices := make([]Operand, len(e.Indices))
		for i, x := range e.Indices {
			indices[i] = r.constOperand(x)
		}
		in := &Instr{Dst: -1, Inbounds: e.InBounds}
		r.gep(in, r.typ(e.ElemType), r.constOperand(e.Src), indices)
		return r.fold(in)
	}
	in := &Instr{Type: r.typ(src.Type()), Dst: -1}
	args := func(op Op, xs ...constant.Constant) {
		in.Op = op
		for _, x := range xs {
			in.Args = append(in.Args, r.constOperand(x))
		}
	}
	switch e := src.(type) {
	case *constant.ExprAdd:
		args(OpAdd, e.X, e.Y)
	case *constant.ExprSub:
		args(OpSub, e.X, e.Y)
	case *constant.ExprMul:
		args(OpMul, e.X, e.Y)
	case *constant.ExprUDiv:
		args(OpUDiv, e.X, e.Y)
	case *constant.ExprSDiv:
		args(OpSDiv, e.X, e.Y)
	case *constant.ExprURem:
		args(OpURem, e.X, e.Y)
	case *constant.ExprSRem:
		args(OpSRem, e.X, e.Y)
	case *constant.ExprShl:
		args(OpShl, e.X, e.Y)
	case *constant.ExprLShr:
		args(OpLShr, e.X, e.Y)
	case *constant.ExprAShr:
		args(OpAShr, e.X, e.Y)
	case *constant.ExprAnd:
		args(OpAnd, e.X, e.Y)
	case *constant.ExprOr:
		args(OpOr, e.X, e.Y)
	case *constant.ExprXor:
		args(OpXor, e.X, e.Y)
	case *constant.ExprFAdd:
		args(OpFAdd, e.X, e.Y)
	case *constant.ExprFSub:
		args(OpFSub, e.X, e.Y)
	case *constant.ExprFMul:
		args(OpFMul, e.X, e.Y)
	case *constant.ExprFDiv:
		args(OpFDiv, e.X, e.Y)
	case *constant.ExprFRem:
		args(OpFRem, e.X, e.Y)
	case *constant.ExprFNeg:
		args(OpFNeg, e.X)
	case *constant.ExprTrunc:
		args(OpTrunc, e.From)
	case *constant.ExprZExt:
		args(OpZExt, e.From)
	case *constant.ExprSExt:
		args(OpSExt, e.From)
	case *constant.ExprFPTrunc:
		args(OpFPTrunc, e.From)
	case *constant.ExprFPExt:
		args(OpFPExt, e.From)
	case *constant.ExprFPToUI:
		args(OpFPToUI, e.From)
	case *constant.ExprFPToSI:
		args(OpFPToSI, e.From)
	case *constant.ExprUIToFP:
		args(OpUIToFP, e.From)
	case *constant.ExprSIToFP:
		args(OpSIToFP, e.From)
	case *constant.ExprPtrToInt:
		args(OpPtrToInt, e.From)
	case *constant.ExprIntToPtr:
		args(OpIntToPtr, e.From)
	case *constant.ExprBitCast:
		args(OpBitCast, e.From)
	case *constant.ExprAddrSpaceCast:
		args(OpBitCast, e.From)
	case *constant.ExprICmp:
		args(OpICmp, e.X, e.Y)
		in.Pred = icmpPred(e.Pred)
	case *constant.ExprFCmp:
		args(OpFCmp, e.X, e.Y)
		in.Pred = fcmpPred(e.Pred)
	case *constant.ExprSelect:
		args(OpSelect, e.Cond, e.X, e.Y)
	case *constant.ExprExtractValue:
		args(OpExtractValue, e.X)
		in.Path = indexPath(e.Indices)
	case *constant.ExprInsertValue:
		args(OpInsertValue, e.X, e.Elem)
		in.Path = indexPath(e.Indices)
	case *constant.ExprExtractElement:
		args(OpExtractElement, e.X, e.Index)
	case *constant.ExprInsertElement:
		args(OpInsertElement, e.X, e.Elem, e.Index)
	case *constant.ExprShuffleVector:
		args(OpShuffleVector, e.X, e.Y)
		in.Mask = r.shuffleMask(r.constant(e.Mask))
	default:
		in.Op, in.Text = OpUnsupported, fmt.Sprintf("constant expression %T", src)
	}
	return r.fold(in)
}

func (r *oracle) constOperand(c constant.Constant) Operand {
	k := r.constant(c)
	return Operand{Kind: OperandConst, Const: k, Type: k.Type}
}

func indexPath(indices []uint64) []int {
	out := make([]int, len(indices))
	for i, x := range indices {
		out[i] = int(x)
	}
	return out
}

func icmpPred(p enum.IPred) Pred {
	return [...]Pred{
		enum.IPredEQ: PredEQ, enum.IPredNE: PredNE,
		enum.IPredSGE: PredSGE, enum.IPredSGT: PredSGT, enum.IPredSLE: PredSLE, enum.IPredSLT: PredSLT,
		enum.IPredUGE: PredUGE, enum.IPredUGT: PredUGT, enum.IPredULE: PredULE, enum.IPredULT: PredULT,
	}[p]
}

func fcmpPred(p enum.FPred) Pred {
	return [...]Pred{
		enum.FPredFalse: PredFalse, enum.FPredTrue: PredTrue, enum.FPredORD: PredORD, enum.FPredUNO: PredUNO,
		enum.FPredOEQ: PredOEQ, enum.FPredOGE: PredOGE, enum.FPredOGT: PredOGT, enum.FPredOLE: PredOLE,
		enum.FPredOLT: PredOLT, enum.FPredONE: PredONE,
		enum.FPredUEQ: PredUEQ, enum.FPredUGE: PredFUGE, enum.FPredUGT: PredFUGT, enum.FPredULE: PredFULE,
		enum.FPredULT: PredFULT, enum.FPredUNE: PredUNE,
	}[p]
}
