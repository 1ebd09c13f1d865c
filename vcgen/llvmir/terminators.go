package llvmir

// terminator reads the last instruction of a block, from its opcode to its metadata.
//
// It reports whether the opcode is that of a terminator.
func (f *funcReader) terminator(in *Instr) bool {
	switch string(f.Word()) {
	case "ret":
		f.Next()
		f.ret(in)
	case "br":
		f.Next()
		f.branch(in)
	case "switch":
		f.Next()
		f.switchOver(in)
	case "unreachable":
		f.Next()
		in.Op = OpUnreachable
	case "indirectbr":
		f.Next()
		f.indirectBranch(in)
	case "callbr":
		f.Next()
		f.callParts(in)
		f.ExpectWord("to")
		in.Succs = append(in.Succs, f.label())
		in.Succs = append(in.Succs, f.labelList()...)
		f.drop(in, "asm goto")
	case "invoke":
		f.Next()
		f.callParts(in)
		f.ExpectWord("to")
		in.Succs = append(in.Succs, f.label())
		f.ExpectWord("unwind")
		in.Succs = append(in.Succs, f.label())
		f.drop(in, "a call with an exception handler")
	case "resume":
		f.Next()
		f.typed()
		unsupported(in, "the resumption of an exception")
	case "catchret":
		f.Next()
		f.ExpectWord("from")
		f.operand(f.opaqueType("token", 0))
		f.ExpectWord("to")
		in.Succs = []int{f.label()}
		unsupported(in, "the end of an exception handler")
	case "cleanupret":
		f.Next()
		f.ExpectWord("from")
		f.operand(f.opaqueType("token", 0))
		f.unwindTarget(in)
		unsupported(in, "the end of an exception handler")
	case "catchswitch":
		f.Next()
		f.within()
		in.Succs = f.labelList()
		f.unwindTarget(in)
		in.Type = f.opaqueType("token", 0)
		unsupported(in, "an exception handler")
	default:
		return false
	}
	return true
}

func (f *funcReader) ret(in *Instr) {
	in.Op = OpRet
	t := f.typ()
	if t != f.fn.Ret {
		f.Fail("a result of type %s in a function of type %s", t, f.fn.Type)
	}
	if t.Kind != VoidType {
		in.Args = []Operand{f.operand(t)}
	}
}

func (f *funcReader) branch(in *Instr) {
	if f.IsWord("label") {
		in.Op, in.Succs = OpBr, []int{f.label()}
		return
	}
	c := f.typed()
	if c.Type != f.intType(1) {
		f.Fail("a branch on a value of type %s", c.Type)
	}
	f.Expect(',')
	yes := f.label()
	f.Expect(',')
	in.Op, in.Args, in.Succs = OpCondBr, []Operand{c}, []int{yes, f.label()}
}

func (f *funcReader) switchOver(in *Instr) {
	x := f.typed()
	f.Expect(',')
	in.Op, in.Args, in.Succs = OpSwitch, []Operand{x}, []int{f.label()}
	known := true
	f.Expect('[')
	for !f.Is(']') {
		if t := f.typ(); t != x.Type {
			f.Fail("a case of type %s in a switch over %s", t, x.Type)
		}
		k := f.constant(x.Type)
		known = known && k.Kind == ConstInt
		in.Cases = append(in.Cases, k)
		f.Expect(',')
		in.Succs = append(in.Succs, f.label())
	}
	f.Expect(']')
	if !known {
		in.Cases = nil
		unsupported(in, "a switch over addresses")
	}
}

// labelList reads [label %a, label %b].
func (f *funcReader) labelList() []int {
	var out []int
	f.Expect('[')
	for !f.Is(']') {
		out = append(out, f.label())
		if !f.Accept(',') {
			break
		}
	}
	f.Expect(']')
	return out
}

// unwindTarget reads the target of an exception.
func (f *funcReader) unwindTarget(in *Instr) {
	f.ExpectWord("unwind")
	if f.AcceptWord("to") {
		f.ExpectWord("caller")
		return
	}
	in.Succs = append(in.Succs, f.label())
}

// drop replaces a call that ends its block by an unsupported instruction with the same result and successors.
func (f *funcReader) drop(in *Instr, what string) {
	*in = Instr{Type: in.Type, Dst: -1, Succs: in.Succs}
	unsupported(in, "%s", what)
}
