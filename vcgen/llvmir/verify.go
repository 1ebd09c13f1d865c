package llvmir

import (
	"errors"
	"fmt"
	"slices"
)

// Verify checks the invariants of a module, and joins all violations.
//
//   - Each block has exactly one terminator, at its end.
//   - Registers are defined once and in range; operands have the type of their register.
//   - The edges of phis are exactly the predecessors.
//   - Instruction numbers are dense.
//   - Types have a layout.
func Verify(m *Module) error {
	v := &verifier{}
	for _, g := range m.Globals {
		v.where = "@" + g.Name
		v.typ(g.Type)
		if g.Init != nil {
			v.constant(g.Init, 0)
			v.check(g.Init.Type == g.Type, "the initialiser has type %s, not %s", g.Init.Type, g.Type)
		}
	}
	for _, f := range m.Funcs {
		v.function(f)
	}
	for _, f := range slices.Concat(m.Ctors, m.Dtors) {
		v.where = "constructors and destructors"
		v.check(f != nil, "one is nil")
	}
	return errors.Join(v.errs...)
}

type verifier struct {
	where  string
	errs   []error
	nextID int
}

func (v *verifier) check(ok bool, format string, args ...any) {
	if !ok && len(v.errs) < 20 {
		v.errs = append(v.errs, fmt.Errorf("%s: %s", v.where, fmt.Sprintf(format, args...)))
	}
}

func (v *verifier) typ(t *Type) {
	if t == nil {
		v.check(false, "a type is missing")
		return
	}
	switch t.Kind {
	case IntType, FloatType, PointerType, ArrayType, VectorType, StructType:
		v.check(t.Align > 0 && t.Size >= 0 && t.Size%t.Align == 0 && t.StoreSize <= t.Size,
			"type %s has size %d, store size %d, alignment %d", t, t.Size, t.StoreSize, t.Align)
		v.check(t.Kind != StructType || len(t.Offsets) == len(t.Fields), "type %s lacks offsets", t)
	}
}

// constant checks a constant; depth protects against cycles, which constants must not have.
func (v *verifier) constant(c *Const, depth int) {
	if c == nil || depth > maxNesting {
		v.check(false, "a constant is missing or cyclic")
		return
	}
	v.typ(c.Type)
	switch c.Kind {
	case ConstInt, ConstFloat:
		v.check(c.Int != nil && c.Int.Sign() >= 0 && c.Int.BitLen() <= c.Type.Bits, "constant of type %s is out of range",
			c.Type)
	case ConstAggregate:
		for _, e := range c.Elems {
			v.constant(e, depth+1)
		}
	case ConstData:
		v.check(int64(len(c.Data)) == c.Type.Len, "%d bytes of data for %s", len(c.Data), c.Type)
	case ConstGlobal:
		v.check(c.Global != nil, "an address of no variable")
	case ConstFunc:
		v.check(c.Func != nil, "an address of no function")
	case ConstExpr:
		v.check(c.Expr != nil && c.Expr.Type == c.Type, "a malformed constant expression")
		if c.Expr != nil {
			for _, a := range c.Expr.Args {
				v.constant(a.Const, depth+1)
			}
		}
	}
}

func isTerminator(in *Instr) bool {
	switch in.Op {
	case OpRet, OpBr, OpCondBr, OpSwitch, OpUnreachable:
		return true
	}
	return in.Op == OpUnsupported && len(in.Succs) > 0
}

func (v *verifier) function(f *Func) {
	v.where = "@" + f.Name
	v.check(f.Type != nil && f.Type.Kind == FuncType, "has no function type")
	v.check(len(f.Blocks) == 0 || len(f.RegNames) == f.NumRegs, "%d names of %d registers", len(f.RegNames), f.NumRegs)
	if len(f.Blocks) == 0 {
		return
	}
	regs := make([]*Type, f.NumRegs)
	for i, p := range f.Params {
		if i < len(regs) {
			regs[i] = p.Type
		}
	}
	preds := make([][]int, len(f.Blocks))
	for i, b := range f.Blocks {
		v.where = fmt.Sprintf("@%s, block %d", f.Name, i)
		v.check(b.Index == i, "has index %d", b.Index)
		if len(b.Instrs) == 0 {
			v.check(false, "is empty")
			continue
		}
		for _, in := range b.Instrs {
			v.nextID++
			v.check(in.ID == v.nextID, "instruction %d follows %d", in.ID, v.nextID-1)
			if in.Dst < 0 {
				continue
			}
			if in.Dst >= f.NumRegs || regs[in.Dst] != nil {
				v.check(false, "instruction %d defines register %d again or out of range", in.ID, in.Dst)
				continue
			}
			regs[in.Dst] = in.Type
		}
		for _, s := range b.Succs {
			if s < 0 || s >= len(f.Blocks) {
				v.check(false, "leads to block %d", s)
				continue
			}
			if !slices.Contains(preds[s], i) {
				preds[s] = append(preds[s], i)
			}
		}
	}
	for i, b := range f.Blocks {
		v.where = fmt.Sprintf("@%s, block %d", f.Name, i)
		v.check(slices.Equal(b.Preds, preds[i]), "has predecessors %v, not %v", b.Preds, preds[i])
		for k, in := range b.Instrs {
			v.where = fmt.Sprintf("@%s, block %d, instruction %d", f.Name, i, in.ID)
			last := k == len(b.Instrs)-1
			v.check(isTerminator(in) == last || last && in.Op == OpUnsupported,
				"a terminator is missing or stands within the block")
			if last {
				v.check(slices.Equal(in.Succs, b.Succs), "successors %v of the terminator, %v of the block", in.Succs, b.Succs)
			}
			v.instruction(b, in, regs)
		}
	}
}

// arity is the number of arguments of operations with a fixed number.
var arity = map[Op]int{
	OpAdd: 2, OpSub: 2, OpMul: 2, OpUDiv: 2, OpSDiv: 2, OpURem: 2, OpSRem: 2, OpShl: 2, OpLShr: 2, OpAShr: 2,
	OpAnd: 2, OpOr: 2, OpXor: 2, OpFAdd: 2, OpFSub: 2, OpFMul: 2, OpFDiv: 2, OpFRem: 2, OpFNeg: 1,
	OpICmp: 2, OpFCmp: 2, OpTrunc: 1, OpZExt: 1, OpSExt: 1, OpFPTrunc: 1, OpFPExt: 1, OpFPToUI: 1, OpFPToSI: 1,
	OpUIToFP: 1, OpSIToFP: 1, OpPtrToInt: 1, OpIntToPtr: 1, OpBitCast: 1, OpFreeze: 1, OpSelect: 3, OpAlloca: 1,
	OpLoad: 1, OpStore: 2, OpExtractValue: 1, OpInsertValue: 2, OpExtractElement: 2, OpInsertElement: 3,
	OpShuffleVector: 2, OpFence: 0, OpCmpXchg: 3, OpAtomicRMW: 2, OpDbgDeclare: 1, OpDbgValue: 1,
	OpBr: 0, OpCondBr: 1, OpSwitch: 1, OpUnreachable: 0,
}

func (v *verifier) instruction(b *Block, in *Instr, regs []*Type) {
	v.typ(in.Type)
	v.check((in.Dst >= 0) == (in.Type != nil && in.Type.Kind != VoidType), "register %d for a result of type %s", in.Dst,
		in.Type)
	for i, a := range in.Args {
		v.operand(i, a, regs)
	}
	if n, ok := arity[in.Op]; ok {
		v.check(len(in.Args) == n, "%s has %d arguments", in.Op, len(in.Args))
	}
	v.types(in)
	switch in.Op {
	case OpInvalid:
		v.check(false, "has no operation")
	case OpUnsupported:
		v.check(in.Text != "", "says nothing of what is unsupported")
	case OpPhi:
		edges := slices.Clone(in.In)
		slices.Sort(edges)
		v.check(len(in.Args) == len(in.In) && slices.Equal(edges, b.Preds), "phi edges %v, predecessors %v", in.In, b.Preds)
	case OpGEP:
		v.check(in.GEP != nil && len(in.Args) == len(in.GEP.Scales)+1, "a malformed address computation")
	case OpAlloca:
		v.check(in.Align > 0, "no alignment")
		v.typ(in.ElemType)
	case OpCall:
		v.operand(-1, in.Callee, regs)
		v.check(in.FuncType != nil && in.FuncType.Kind == FuncType, "a call without a function type")
		v.check(in.ByVal == nil || len(in.ByVal) == len(in.Args), "byval types of %d arguments, not %d", len(in.ByVal),
			len(in.Args))
	case OpShuffleVector:
		v.check(int64(len(in.Mask)) == in.Type.Len, "a mask of %d for %s", len(in.Mask), in.Type)
	case OpSwitch:
		v.check(len(in.Succs) == len(in.Cases)+1, "%d cases, %d successors", len(in.Cases), len(in.Succs))
	case OpBr:
		v.check(len(in.Succs) == 1, "%d successors", len(in.Succs))
	case OpCondBr:
		v.check(len(in.Succs) == 2, "%d successors", len(in.Succs))
	case OpDbgDeclare, OpDbgValue:
		v.check(in.Var != nil, "names no variable")
	}
}

// types checks that argument and result types are consistent.
func (v *verifier) types(in *Instr) {
	if n, ok := arity[in.Op]; ok && len(in.Args) != n {
		return
	}
	arg := func(i int) *Type { return in.Args[i].Type }
	same := func(what string, got, want *Type) {
		v.check(got == want, "%s: %s has type %s, not %s", in.Op, what, got, want)
	}
	pointee := func(p, t *Type) {
		v.check(p.pointsTo(t), "%s: a pointer of type %s to a value of type %s", in.Op, p, t)
	}
	switch {
	case in.Op >= OpAdd && in.Op <= OpFRem:
		same("the second argument", arg(1), arg(0))
		same("the result", in.Type, arg(0))
	case in.Op == OpICmp || in.Op == OpFCmp:
		same("the second argument", arg(1), arg(0))
	case in.Op == OpFNeg || in.Op == OpFreeze:
		same("the result", in.Type, arg(0))
	}
	switch in.Op {
	case OpSelect:
		same("the first value", arg(1), in.Type)
		same("the second value", arg(2), in.Type)
	case OpPhi:
		for i := range in.Args {
			same("a value", arg(i), in.Type)
		}
	case OpLoad:
		pointee(arg(0), in.Type)
	case OpStore:
		pointee(arg(1), arg(0))
	case OpAlloca:
		pointee(in.Type, in.ElemType)
	case OpGEP:
		pointee(arg(0), in.ElemType)
	case OpAtomicRMW:
		pointee(arg(0), arg(1))
		same("the result", in.Type, arg(1))
	case OpCmpXchg:
		same("the new value", arg(2), arg(1))
		v.check(in.Type.Kind == StructType && len(in.Type.Fields) == 2 && in.Type.Fields[0] == arg(1), "cmpxchg yields %s",
			in.Type)
	case OpExtractValue, OpInsertValue:
		at := arg(0)
		for _, i := range in.Path {
			switch {
			case at != nil && at.Kind == StructType && i < len(at.Fields):
				at = at.Fields[i]
			case at != nil && at.Kind == ArrayType:
				at = at.Elem
			default:
				at = nil
			}
		}
		if in.Op == OpExtractValue {
			same("the result", in.Type, at)
		} else {
			same("the value", arg(1), at)
			same("the result", in.Type, arg(0))
		}
	case OpCall, OpInlineAsm:
		if in.FuncType == nil {
			return
		}
		same("the result", in.Type, in.FuncType.Ret)
		n := len(in.FuncType.Params)
		v.check(len(in.Args) == n || len(in.Args) > n && (in.FuncType.Variadic || len(in.Facts) > 0),
			"a call of %s with %d arguments", in.FuncType, len(in.Args))
		for i, p := range in.FuncType.Params {
			if i < len(in.Args) {
				same("argument "+itoa(i), arg(i), p)
			}
		}
	}
}

func (v *verifier) operand(i int, a Operand, regs []*Type) {
	v.typ(a.Type)
	switch a.Kind {
	case OperandReg:
		if a.Reg < 0 || a.Reg >= len(regs) || regs[a.Reg] == nil {
			v.check(false, "argument %d is the undefined register %d", i, a.Reg)
			return
		}
		v.check(regs[a.Reg] == a.Type, "argument %d has type %s, register %d has %s", i, a.Type, a.Reg, regs[a.Reg])
	case OperandConst:
		v.constant(a.Const, 0)
	}
}
