package llvmir

// Function returns the function that a call names; nil for a call through a pointer, and for other instructions.
//
// A weak function that may be missing is called by its address, which may be NULL; the result is nil for it.
func (in *Instr) Function() *Func {
	if k := in.Callee.Const; in.Op == OpCall && in.Callee.Kind == OperandConst && k != nil && k.Kind == ConstFunc &&
		k.Offset == 0 && !k.Func.Weak {
		return k.Func
	}
	return nil
}

// External returns the function that a call names if the module does not define it; otherwise nil.
func (in *Instr) External() *Func {
	if f := in.Function(); f != nil && len(f.Blocks) == 0 {
		return f
	}
	return nil
}
