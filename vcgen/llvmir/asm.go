package llvmir

import "strings"

// AsmOutputs lists the arguments of inline assembly that are addresses of its results. Indirect has the types of these.
func (in *Instr) AsmOutputs() []int {
	var out []int
	in.eachAsmArgument(func(arg int, output, indirect bool) {
		if output && indirect && arg < len(in.Args) {
			out = append(out, arg)
		}
	})
	return out
}

// AsmKeeps returns the argument that the result of inline assembly is: an empty template executes nothing, so a result
// that shares its register with the only argument ("+r") is that argument. False: it is another value.
func (in *Instr) AsmKeeps() (Operand, bool) {
	if in.Text != "" || in.Dst < 0 || len(in.Args) != 1 || in.Args[0].Type != in.Type {
		return Operand{}, false
	}
	result, rest, _ := strings.Cut(in.AsmConstraints, ",")
	tied, clobbers, _ := strings.Cut(rest, ",")
	if !strings.HasPrefix(result, "=") || strings.ContainsAny(result, "*|") || tied != "0" {
		return Operand{}, false
	}
	for c := range strings.SplitSeq(clobbers, ",") {
		if c != "" && !strings.HasPrefix(c, "~") {
			return Operand{}, false
		}
	}
	return in.Args[0], true
}

// eachAsmArgument tells of each argument of inline assembly whether it is for a result, and whether it is an address.
func (in *Instr) eachAsmArgument(f func(arg int, output, indirect bool)) {
	arg := 0
	for _, c := range strings.Split(in.AsmConstraints, ",") {
		output, indirect := strings.HasPrefix(c, "="), strings.Contains(c, "*")
		if strings.HasPrefix(c, "~") || output && !indirect { // a register that is overwritten; a result of the call
			continue
		}
		f(arg, output, indirect)
		arg++
	}
}

// describeIndirect notes what arguments of inline assembly are addresses of: as the text says it, or as their type
// does.
func (in *Instr) describeIndirect(said func(arg int) *Type) {
	in.eachAsmArgument(func(arg int, _, indirect bool) {
		if !indirect || arg >= len(in.Args) {
			return
		}
		if in.Indirect == nil {
			in.Indirect = make([]*Type, len(in.Args))
		}
		if in.Indirect[arg] = said(arg); in.Indirect[arg] == nil {
			in.Indirect[arg] = in.Args[arg].Type.Elem
		}
	})
}
