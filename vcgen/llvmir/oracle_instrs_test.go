package llvmir

import (
	"math/big"
	"slices"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/value"
)

// operand lowers a register or constant operand.
func (f *oracleFunc) operand(v value.Value) Operand {
	if a, ok := v.(*ir.Arg); ok {
		v = a.Value
	}
	if reg, ok := f.regs[v]; ok {
		return Operand{Kind: OperandReg, Reg: reg, Type: f.types[reg]}
	}
	switch v := v.(type) {
	case *metadata.Value:
		return Operand{Kind: OperandMetadata, Type: f.metadataType()}
	case constant.Constant:
		return f.constOperand(v)
	case nil:
		f.Fail("an operand is missing")
	default:
		f.Fail("operand %T is no register and no constant", v)
	}
	return Operand{Kind: OperandConst, Const: f.undef(f.voidType()), Type: f.voidType()}
}

func (f *oracleFunc) operands(vs ...value.Value) []Operand {
	out := make([]Operand, len(vs))
	for i, v := range vs {
		out[i] = f.operand(v)
	}
	return out
}

// begin creates an instruction with its result and its debug location.
func (f *oracleFunc) begin(src any) *Instr {
	in := &Instr{Type: f.voidType(), Dst: -1}
	if v, ok := src.(value.Value); ok {
		if reg, ok := f.regs[v]; ok {
			in.Dst, in.Type = reg, f.types[reg]
		}
	}
	if m, ok := src.(interface {
		MDAttachments() []*metadata.Attachment
	}); ok {
		for _, a := range m.MDAttachments() {
			switch a.Name {
			case "dbg":
				in.Loc = f.location(a.Node)
			case "nosanitize":
				in.NoSanitize = true
			case "llvm.loop":
				if t, ok := a.Node.(*metadata.Tuple); ok {
					for _, e := range t.Fields {
						if at := f.location(e); at != nil {
							f.loop = at
							break
						}
					}
				}
			}
		}
	}
	return in
}

// instruction lowers an instruction that is not a terminator; nil for one without a meaning.
func (f *oracleFunc) instruction(src ir.Instruction) *Instr {
	in := f.begin(src)
	do := func(op Op, args ...value.Value) *Instr {
		in.Op, in.Args = op, f.operands(args...)
		return in
	}
	switch s := src.(type) {
	case *ir.InstAdd:
		in.NoSignedWrap = slices.Contains(s.OverflowFlags, enum.OverflowFlagNSW)
		return do(OpAdd, s.X, s.Y)
	case *ir.InstSub:
		in.NoSignedWrap = slices.Contains(s.OverflowFlags, enum.OverflowFlagNSW)
		return do(OpSub, s.X, s.Y)
	case *ir.InstMul:
		in.NoSignedWrap = slices.Contains(s.OverflowFlags, enum.OverflowFlagNSW)
		return do(OpMul, s.X, s.Y)
	case *ir.InstUDiv:
		return do(OpUDiv, s.X, s.Y)
	case *ir.InstSDiv:
		return do(OpSDiv, s.X, s.Y)
	case *ir.InstURem:
		return do(OpURem, s.X, s.Y)
	case *ir.InstSRem:
		return do(OpSRem, s.X, s.Y)
	case *ir.InstShl:
		return do(OpShl, s.X, s.Y)
	case *ir.InstLShr:
		return do(OpLShr, s.X, s.Y)
	case *ir.InstAShr:
		return do(OpAShr, s.X, s.Y)
	case *ir.InstAnd:
		return do(OpAnd, s.X, s.Y)
	case *ir.InstOr:
		return do(OpOr, s.X, s.Y)
	case *ir.InstXor:
		return do(OpXor, s.X, s.Y)
	case *ir.InstFAdd:
		return do(OpFAdd, s.X, s.Y)
	case *ir.InstFSub:
		return do(OpFSub, s.X, s.Y)
	case *ir.InstFMul:
		return do(OpFMul, s.X, s.Y)
	case *ir.InstFDiv:
		return do(OpFDiv, s.X, s.Y)
	case *ir.InstFRem:
		return do(OpFRem, s.X, s.Y)
	case *ir.InstFNeg:
		return do(OpFNeg, s.X)
	case *ir.InstICmp:
		in.Pred = icmpPred(s.Pred)
		return do(OpICmp, s.X, s.Y)
	case *ir.InstFCmp:
		in.Pred = fcmpPred(s.Pred)
		return do(OpFCmp, s.X, s.Y)
	case *ir.InstTrunc:
		return do(OpTrunc, s.From)
	case *ir.InstZExt:
		return do(OpZExt, s.From)
	case *ir.InstSExt:
		return do(OpSExt, s.From)
	case *ir.InstFPTrunc:
		return do(OpFPTrunc, s.From)
	case *ir.InstFPExt:
		return do(OpFPExt, s.From)
	case *ir.InstFPToUI:
		return do(OpFPToUI, s.From)
	case *ir.InstFPToSI:
		return do(OpFPToSI, s.From)
	case *ir.InstUIToFP:
		return do(OpUIToFP, s.From)
	case *ir.InstSIToFP:
		return do(OpSIToFP, s.From)
	case *ir.InstPtrToInt:
		return do(OpPtrToInt, s.From)
	case *ir.InstIntToPtr:
		return do(OpIntToPtr, s.From)
	case *ir.InstBitCast:
		return do(OpBitCast, s.From)
	case *ir.InstAddrSpaceCast:
		return do(OpBitCast, s.From)
	case *ir.InstFreeze:
		return do(OpFreeze, s.X)
	case *ir.InstSelect:
		return do(OpSelect, s.Cond, s.ValueTrue, s.ValueFalse)
	case *ir.InstPhi:
		in.Op = OpPhi
		for _, e := range s.Incs {
			in.Args = append(in.Args, f.operand(e.X))
			in.In = append(in.In, f.target(e.Pred))
		}
		return in
	case *ir.InstGetElementPtr:
		in.Inbounds = s.InBounds
		f.gep(in, f.typ(s.ElemType), f.operand(s.Src), f.operands(s.Indices...))
		return in
	case *ir.InstAlloca:
		return f.alloca(in, s)
	case *ir.InstLoad:
		in.Align, in.Volatile, in.Atomic = int64(s.Align), s.Volatile, s.Atomic
		return do(OpLoad, s.Src)
	case *ir.InstStore:
		in.Align, in.Volatile, in.Atomic = int64(s.Align), s.Volatile, s.Atomic
		return do(OpStore, s.Src, s.Dst)
	case *ir.InstExtractValue:
		in.Path = indexPath(s.Indices)
		return do(OpExtractValue, s.X)
	case *ir.InstInsertValue:
		in.Path = indexPath(s.Indices)
		return do(OpInsertValue, s.X, s.Elem)
	case *ir.InstExtractElement:
		return do(OpExtractElement, s.X, s.Index)
	case *ir.InstInsertElement:
		return do(OpInsertElement, s.X, s.Elem, s.Index)
	case *ir.InstShuffleVector:
		if mask, ok := s.Mask.(constant.Constant); ok {
			in.Mask = f.shuffleMask(f.constant(mask))
		} else {
			f.Fail("the mask of a shufflevector is not constant")
		}
		return do(OpShuffleVector, s.X, s.Y)
	case *ir.InstCall:
		return f.call(in, s)
	case *ir.InstVAArg:
		return unsupported(do(opVAArg, s.ArgList), "va_arg as an instruction")
	case *ir.InstFence:
		return do(OpFence)
	case *ir.InstCmpXchg:
		in.Volatile = s.Volatile
		if s.Weak {
			in.Text = "weak"
		}
		return do(OpCmpXchg, s.Ptr, s.Cmp, s.New)
	case *ir.InstAtomicRMW:
		in.Volatile, in.Text = s.Volatile, s.Op.String()
		return do(OpAtomicRMW, s.Dst, s.X)
	case *ir.InstLandingPad:
		return unsupported(in, "an exception landing pad")
	case *ir.InstCatchPad, *ir.InstCleanupPad:
		return unsupported(in, "an exception pad")
	}
	return unsupported(in, "instruction %T", src)
}

func (f *oracleFunc) alloca(in *Instr, s *ir.InstAlloca) *Instr {
	in.Op, in.ElemType, in.Align = OpAlloca, f.typ(s.ElemType), int64(s.Align)
	if in.Align == 0 {
		in.Align = max(1, in.ElemType.Align)
	}
	if s.NElems != nil {
		in.Args = f.operands(s.NElems)
	} else {
		t := f.intType(32)
		in.Args = []Operand{{Kind: OperandConst, Const: f.intConst(t, big.NewInt(1)), Type: t}}
	}
	if s.InAlloca || s.SwiftError {
		return unsupported(in, "an alloca for arguments of another calling convention")
	}
	return in
}

// terminator lowers the last instruction of a block.
func (f *oracleFunc) terminator(src ir.Terminator) *Instr {
	in := f.begin(src)
	to := func(vs ...value.Value) {
		for _, v := range vs {
			in.Succs = append(in.Succs, f.target(v))
		}
	}
	switch s := src.(type) {
	case *ir.TermRet:
		in.Op = OpRet
		if s.X != nil {
			in.Args = f.operands(s.X)
		}
	case *ir.TermBr:
		in.Op = OpBr
		to(s.Target)
	case *ir.TermCondBr:
		in.Op, in.Args = OpCondBr, f.operands(s.Cond)
		to(s.TargetTrue, s.TargetFalse)
	case *ir.TermSwitch:
		in.Op, in.Args = OpSwitch, f.operands(s.X)
		to(s.TargetDefault)
		known := true
		for _, c := range s.Cases {
			to(c.Target)
			k := f.operand(c.X).Const
			known = known && k != nil && k.Kind == ConstInt
			in.Cases = append(in.Cases, k)
		}
		if !known {
			in.Cases = nil
			return unsupported(in, "a switch over addresses")
		}
	case *ir.TermUnreachable:
		in.Op = OpUnreachable
	case *ir.TermIndirectBr:
		in.Op, in.Args = opIndirectBr, []Operand{f.operand(s.Addr)}
		to(s.ValidTargets...)
	case *ir.TermCallBr:
		to(s.NormalRetTarget)
		to(s.OtherRetTargets...)
		return unsupported(in, "asm goto")
	case *ir.TermInvoke:
		to(s.NormalRetTarget, s.ExceptionRetTarget)
		return unsupported(in, "a call with an exception handler")
	case *ir.TermResume:
		return unsupported(in, "the resumption of an exception")
	default:
		for _, b := range src.Succs() {
			to(b)
		}
		return unsupported(in, "terminator %T", src)
	}
	return in
}
