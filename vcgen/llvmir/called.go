package llvmir

// Function returns the function that a call names, nil where the call goes through a pointer or the instruction is no
// call.
func (in *Instr) Function() *Func {
	if k := in.Callee.Const; in.Op == OpCall && in.Callee.Kind == OperandConst && k != nil && k.Kind == ConstFunc &&
		k.Offset == 0 {
		return k.Func
	}
	return nil
}

// External returns the function that a call names if the module does not define it, else nil.
func (in *Instr) External() *Func {
	if f := in.Function(); f != nil && len(f.Blocks) == 0 {
		return f
	}
	return nil
}
