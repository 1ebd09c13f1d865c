package llvmir

// terminator reads the last instruction of a block, from its opcode up to its metadata; false when the opcode is no
// such one.
func (f *funcReader) terminator(in *Instr) bool {
	switch string(f.word()) {
	case "ret":
		f.next()
		f.ret(in)
	case "br":
		f.next()
		f.branch(in)
	case "switch":
		f.next()
		f.switchOver(in)
	case "unreachable":
		f.next()
		in.Op = OpUnreachable
	case "indirectbr":
		f.next()
		f.typed()
		f.expect(',')
		in.Succs = f.labelList()
		unsupported(in, "a computed goto")
	case "callbr":
		f.next()
		f.callParts(in)
		f.expectWord("to")
		in.Succs = append(in.Succs, f.label())
		in.Succs = append(in.Succs, f.labelList()...)
		f.drop(in, "asm goto")
	case "invoke":
		f.next()
		f.callParts(in)
		f.expectWord("to")
		in.Succs = append(in.Succs, f.label())
		f.expectWord("unwind")
		in.Succs = append(in.Succs, f.label())
		f.drop(in, "a call with an exception handler")
	case "resume":
		f.next()
		f.typed()
		unsupported(in, "the resumption of an exception")
	case "catchret":
		f.next()
		f.expectWord("from")
		f.operand(f.opaqueType("token", 0))
		f.expectWord("to")
		in.Succs = []int{f.label()}
		unsupported(in, "the end of an exception handler")
	case "cleanupret":
		f.next()
		f.expectWord("from")
		f.operand(f.opaqueType("token", 0))
		f.unwindTarget(in)
		unsupported(in, "the end of an exception handler")
	case "catchswitch":
		f.next()
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
		f.fail("a result of type %s in a function of type %s", t, f.fn.Type)
	}
	if t.Kind != VoidType {
		in.Args = []Operand{f.operand(t)}
	}
}

func (f *funcReader) branch(in *Instr) {
	if f.isWord("label") {
		in.Op, in.Succs = OpBr, []int{f.label()}
		return
	}
	c := f.typed()
	if c.Type != f.intType(1) {
		f.fail("a branch on a value of type %s", c.Type)
	}
	f.expect(',')
	yes := f.label()
	f.expect(',')
	in.Op, in.Args, in.Succs = OpCondBr, []Operand{c}, []int{yes, f.label()}
}

func (f *funcReader) switchOver(in *Instr) {
	x := f.typed()
	f.expect(',')
	in.Op, in.Args, in.Succs = OpSwitch, []Operand{x}, []int{f.label()}
	known := true
	f.expect('[')
	for !f.is(']') {
		if t := f.typ(); t != x.Type {
			f.fail("a case of type %s in a switch over %s", t, x.Type)
		}
		k := f.constant(x.Type)
		known = known && k.Kind == ConstInt
		in.Cases = append(in.Cases, k)
		f.expect(',')
		in.Succs = append(in.Succs, f.label())
	}
	f.expect(']')
	if !known {
		in.Cases = nil
		unsupported(in, "a switch over addresses")
	}
}

// labelList reads [label %a, label %b].
func (f *funcReader) labelList() []int {
	var out []int
	f.expect('[')
	for !f.is(']') {
		out = append(out, f.label())
		if !f.accept(',') {
			break
		}
	}
	f.expect(']')
	return out
}

// unwindTarget reads where an exception goes on.
func (f *funcReader) unwindTarget(in *Instr) {
	f.expectWord("unwind")
	if f.acceptWord("to") {
		f.expectWord("caller")
		return
	}
	in.Succs = append(in.Succs, f.label())
}

// drop leaves of a call that ends its block only its result and where it leads.
func (f *funcReader) drop(in *Instr, what string) {
	*in = Instr{Type: in.Type, Dst: -1, Succs: in.Succs}
	unsupported(in, "%s", what)
}
