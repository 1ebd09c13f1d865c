package llvmir

import (
	"fmt"
	"strings"
)

// opNames are the names of the operations in dumps, in the order of the constants.
var opNames = strings.Fields(`invalid unsupported
add sub mul udiv sdiv urem srem shl lshr ashr and or xor
fadd fsub fmul fdiv frem fneg icmp fcmp
trunc zext sext fptrunc fpext fptoui fptosi uitofp sitofp ptrtoint inttoptr bitcast freeze
select phi gep alloca load store extractvalue insertvalue extractelement insertelement shufflevector
call asm va_arg fence cmpxchg atomicrmw dbg.declare dbg.value
ret br condbr switch unreachable`)

// String returns the name of the operation.
func (op Op) String() string {
	if int(op) < len(opNames) {
		return opNames[op]
	}
	return fmt.Sprintf("op%d", uint8(op))
}

var predNames = strings.Fields(`eq ne ugt uge ult ule sgt sge slt sle
false oeq ogt oge olt ole one ord ueq fugt fuge fult fule une uno true`)

// String returns the name of the predicate.
func (p Pred) String() string {
	if int(p) < len(predNames) {
		return predNames[p]
	}
	return fmt.Sprintf("pred%d", uint8(p))
}

// String returns the instruction in one line, without its location.
func (in *Instr) String() string {
	var b strings.Builder
	if in.ID > 0 {
		fmt.Fprintf(&b, "#%d ", in.ID)
	}
	if in.Dst >= 0 {
		fmt.Fprintf(&b, "%%%d = ", in.Dst)
	}
	b.WriteString(in.Op.String())
	if in.Op == OpICmp || in.Op == OpFCmp {
		b.WriteString(" " + in.Pred.String())
	}
	if in.Type != nil && in.Type.Kind != VoidType {
		b.WriteString(" " + in.Type.String())
	}
	switch in.Op {
	case OpGEP:
		if in.GEP == nil || len(in.Args) != len(in.GEP.Scales)+1 {
			break
		}
		fmt.Fprintf(&b, " %s + %d", in.Args[0], in.GEP.Const)
		for i, s := range in.GEP.Scales {
			fmt.Fprintf(&b, " + %s*%d", in.Args[i+1], s)
		}
		return b.String()
	case OpCall:
		fmt.Fprintf(&b, " %s", in.Callee)
		if in.Intrinsic != "" {
			fmt.Fprintf(&b, " [%s]", in.Intrinsic)
		}
	case OpAlloca:
		fmt.Fprintf(&b, " %s x", in.ElemType)
	}
	for i, a := range in.Args {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + a.String())
		if in.Op == OpPhi && i < len(in.In) {
			fmt.Fprintf(&b, " from %d", in.In[i])
		}
	}
	if in.Text != "" {
		fmt.Fprintf(&b, " %q", in.Text)
	}
	if in.Var != nil {
		b.WriteString(" " + in.Var.Name)
	}
	if in.Align > 0 {
		fmt.Fprintf(&b, " align %d", in.Align)
	}
	if len(in.Path) > 0 {
		fmt.Fprintf(&b, " %v", in.Path)
	}
	if len(in.Mask) > 0 {
		fmt.Fprintf(&b, " mask %v", in.Mask)
	}
	for i, s := range in.Succs {
		if in.Op == OpSwitch && i > 0 && i <= len(in.Cases) {
			fmt.Fprintf(&b, ", %s", in.Cases[i-1])
		}
		fmt.Fprintf(&b, " -> %d", s)
	}
	return b.String()
}

// String returns a register as %n and a constant as its value.
func (a Operand) String() string {
	switch a.Kind {
	case OperandReg:
		return fmt.Sprintf("%%%d", a.Reg)
	case OperandMetadata:
		return "metadata"
	}
	return a.Const.String()
}

// String returns the value without its type.
func (c *Const) String() string {
	if c == nil {
		return "<nil>"
	}
	address := func(name string) string {
		if c.Offset != 0 {
			return fmt.Sprintf("@%s%+d", name, c.Offset)
		}
		return "@" + name
	}
	switch c.Kind {
	case ConstInt:
		return c.Int.String()
	case ConstFloat:
		return fmt.Sprintf("0x%x", c.Int)
	case ConstNull:
		return "null"
	case ConstUndef:
		return "undef"
	case ConstZero:
		return "zero"
	case ConstData:
		return fmt.Sprintf("%q", c.Data)
	case ConstGlobal:
		return address(c.Global.Name)
	case ConstFunc:
		return address(c.Func.Name)
	case ConstExpr:
		return "(" + c.Expr.String() + ")"
	}
	var parts []string
	for _, e := range c.Elems {
		parts = append(parts, e.String())
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
