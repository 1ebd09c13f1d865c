package llvmir

import (
	"strings"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/metadata"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"
)

// call lowers a call; nil for a call without a meaning here.
func (f *oracleFunc) call(in *Instr, s *ir.InstCall) *Instr {
	intrinsic := ""
	if callee, ok := s.Callee.(*ir.Func); ok && strings.HasPrefix(callee.Name(), "llvm.") {
		intrinsic = intrinsicStem(callee.Name())
		switch intrinsic {
		case "dbg.label":
			return nil
		case "dbg.declare", "dbg.addr", "dbg.value":
			return f.dbgCall(in, s, intrinsic)
		}
	}
	in.Op, in.Args = OpCall, f.operands(s.Args...)
	in.Intrinsic = intrinsic
	in.NoReturn = hasFuncAttr(s.FuncAttrs, enum.FuncAttrNoReturn)
	for i, a := range s.Args {
		arg, ok := a.(*ir.Arg)
		if !ok {
			continue
		}
		align := int64(0)
		for _, attr := range arg.Attrs {
			if a, ok := attr.(ir.Align); ok {
				align = int64(a)
			}
		}
		for _, attr := range arg.Attrs {
			switch attr := attr.(type) {
			case enum.ParamAttr:
				if attr == enum.ParamAttrSignExt {
					if in.SignExt == nil {
						in.SignExt = make([]bool, len(s.Args))
					}
					in.SignExt[i] = true
				}
			case ir.Byval:
				if in.ByVal == nil {
					in.ByVal, in.ByValAlign = make([]*Type, len(s.Args)), make([]int64, len(s.Args))
				}
				in.ByValAlign[i] = align
				in.ByVal[i] = f.byvalType(attr, in.Args[i].Type)
			case ir.InAlloca, ir.Preallocated:
				return unsupported(in, "a call with an inalloca argument")
			}
		}
	}
	for _, bundle := range s.OperandBundles {
		states, known := factTag(bundle.Tag)
		if !known || intrinsic != "assume" {
			return unsupported(in, "a call with operand bundle %s", bundle.Tag)
		}
		if states {
			fact := Fact{Tag: bundle.Tag, From: len(in.Args)}
			in.Args = append(in.Args, f.operands(bundle.Inputs...)...)
			fact.To = len(in.Args)
			in.Facts = append(in.Facts, fact)
		}
	}
	pointer, ok := s.Callee.Type().(*types.PointerType)
	if !ok {
		f.Fail("the callee is no pointer")
		return in
	}
	in.FuncType = f.typ(pointer.ElemType)
	if in.FuncType.Kind != FuncType {
		f.Fail("the callee has type %s", in.FuncType)
		return in
	}
	if asm, ok := s.Callee.(*ir.InlineAsm); ok {
		in.Op, in.Text, in.AsmConstraints = OpInlineAsm, asm.Asm, asm.Constraint
		in.describeIndirect(func(int) *Type { return nil })
		return in
	}
	in.Callee = f.operand(s.Callee)
	return in
}

// dbgCall lowers the intrinsics that bind a variable to an address or a value.
func (f *oracleFunc) dbgCall(in *Instr, s *ir.InstCall, name string) *Instr {
	in.Op = OpDbgDeclare
	if name == "dbg.value" {
		in.Op = OpDbgValue
	}
	if len(s.Args) < 3 {
		f.Fail("%s has %d arguments", name, len(s.Args))
		return in
	}
	in.Args = []Operand{f.metadataOperand(s.Args[0])}
	if m, ok := s.Args[1].(*metadata.Value); ok {
		in.Var = f.variable(m.Value)
	}
	if in.Var == nil {
		f.Fail("%s names no variable", name)
	}
	if m, ok := s.Args[2].(*metadata.Value); ok {
		if e, ok := m.Value.(*metadata.DIExpression); ok && e != nil && len(e.Fields) > 0 {
			in.Text = e.LLString()
		}
	}
	return in
}

// metadataOperand unwraps a value that is passed as metadata; a value that was optimized away has no content.
func (f *oracleFunc) metadataOperand(v value.Value) Operand {
	if m, ok := v.(*metadata.Value); ok {
		if x, ok := m.Value.(value.Value); ok {
			return f.operand(x)
		}
	}
	return Operand{Kind: OperandMetadata, Type: f.metadataType()}
}
