package llvmir

import (
	"fmt"
	"math/big"
)

// unsupported turns in into an instruction that cannot be executed.
func unsupported(in *Instr, format string, args ...any) *Instr {
	in.Op, in.Text = OpUnsupported, fmt.Sprintf(format, args...)
	in.GEP = nil
	return in
}

// instruction reads an instruction with its metadata, and tells whether it ends its block; nil for one without any
// meaning.
func (f *funcReader) instruction() (in *Instr, terminator bool) {
	name, named := "", false
	at := f.start
	if f.is('#') {
		return f.debugRecord(), false
	}
	if f.kind == tokLocal {
		name, named = string(f.name()), true
		f.next()
		f.expect('=')
	}
	if f.kind != tokWord {
		f.fail("%q stands where an instruction belongs", f.shown())
	}
	in = &Instr{Type: f.voidType(), Dst: -1}
	f.weak = ""
	meaning, known := f.operation(in)
	if !known {
		terminator, known = true, f.terminator(in)
	}
	if !known {
		f.fail("instruction %q is not known here", f.shown())
	}
	f.attachments(in)
	behind := f.start
	f.start = at // for errors
	switch {
	case in.Type.Kind == VoidType:
		if named {
			f.fail("%%%s is the result of an instruction without one", name)
		}
	case !named:
		in.Dst = f.define(itoa(f.unnamed), in.Type)
		f.unnamed++
	default:
		if numeral([]byte(name)) {
			f.numbered(name)
		}
		in.Dst = f.define(name, in.Type)
	}
	f.start = behind
	if !meaning && !terminator {
		return nil, false
	}
	if f.weak != "" { // what it does depends on whether a weak symbol is there
		unsupported(in, "%s", f.weak)
	}
	return in, terminator
}

// attachments reads the metadata behind an instruction.
func (f *funcReader) attachments(in *Instr) {
	for f.is(',') {
		f.next()
		if f.kind != tokMetaName {
			f.fail("%q stands where metadata belongs", f.shown())
		}
		start, end := f.start, f.end
		f.next()
		n := f.nodeRef()
		switch string(f.text[start:end]) {
		case "!dbg":
			in.Loc = f.location(n)
		case "!nosanitize":
			in.NoSanitize = true
		}
	}
}

// operation reads an instruction that is no terminator, from its opcode up to its metadata. meaning is false for one
// without any, known is false where the opcode is no such one.
func (f *funcReader) operation(in *Instr) (meaning, known bool) {
	word := f.word()
	if op, ok := binaries[string(word)]; ok {
		f.next()
		in.NoSignedWrap = f.flags(op) && op != OpShl
		x := f.typed()
		f.expect(',')
		in.Op, in.Args = op, []Operand{x, f.operand(x.Type)}
		in.Type = x.Type
		return true, true
	}
	if op, ok := conversions[string(word)]; ok {
		f.next()
		f.flags(op)
		in.Op, in.Args = op, []Operand{f.typed()}
		f.expectWord("to")
		in.Type = f.typ()
		return true, true
	}
	known = true
	switch string(word) {
	case "load":
		f.next()
		f.load(in)
	case "store":
		f.next()
		f.store(in)
	case "call":
		f.next()
		return f.call(in), true
	case "tail", "musttail", "notail":
		f.next()
		f.expectWord("call")
		return f.call(in), true
	case "getelementptr":
		f.next()
		f.address(in)
	case "alloca":
		f.next()
		f.alloca(in)
	case "icmp", "fcmp":
		in.Op = OpICmp
		if word[0] == 'f' {
			in.Op = OpFCmp
		}
		f.next()
		f.flags(in.Op)
		in.Pred = f.predicate(in.Op)
		x := f.typed()
		f.expect(',')
		in.Args = []Operand{x, f.operand(x.Type)}
		in.Type = f.resultType(in)
	case "phi":
		f.next()
		f.phi(in)
	case "select":
		f.simple(in, OpSelect, 3)
	case "fneg":
		f.simple(in, OpFNeg, 1)
	case "freeze":
		f.simple(in, OpFreeze, 1)
	case "extractelement":
		f.simple(in, OpExtractElement, 2)
	case "insertelement":
		f.simple(in, OpInsertElement, 3)
	case "shufflevector":
		f.next()
		x := f.typed()
		f.expect(',')
		y := f.typed()
		f.expect(',')
		in.Op, in.Args, in.Mask = OpShuffleVector, []Operand{x, y}, f.shuffleMask(f.typedConst())
		in.Type = f.resultType(in)
	case "extractvalue":
		f.next()
		in.Op, in.Args = OpExtractValue, []Operand{f.typed()}
		in.Path = f.path()
		in.Type = f.resultType(in)
	case "insertvalue":
		f.next()
		x := f.typed()
		f.expect(',')
		in.Op, in.Args = OpInsertValue, []Operand{x, f.typed()}
		in.Path = f.path()
		in.Type = f.resultType(in)
	case "va_arg":
		f.next()
		in.Op, in.Args = OpVAArg, []Operand{f.typed()}
		f.expect(',')
		in.Type = f.typ()
	case "fence":
		f.next()
		in.Op = OpFence
		f.ordering(true)
	case "cmpxchg":
		f.next()
		f.cmpxchg(in)
	case "atomicrmw":
		f.next()
		f.atomicRMW(in)
	case "landingpad", "catchpad", "cleanuppad":
		f.pad(in)
	default:
		known = false
	}
	return true, known
}

// simple reads an instruction of n operands, each with its type.
func (f *funcReader) simple(in *Instr, op Op, n int) {
	f.next()
	f.flags(op)
	in.Op, in.Args = op, make([]Operand, n)
	for i := range n {
		if i > 0 {
			f.expect(',')
		}
		in.Args[i] = f.typed()
	}
	in.Type = f.resultType(in)
}

// pointee checks that a pointer leads to values of a type.
func (f *funcReader) pointee(p Operand, t *Type) {
	if !p.Type.pointsTo(t) {
		f.fail("a pointer of type %s to a value of type %s", p.Type, t)
	}
}

func (f *funcReader) load(in *Instr) {
	atomic := f.acceptWord("atomic")
	in.Op, in.Atomic, in.Volatile = OpLoad, atomic, f.acceptWord("volatile")
	in.Type = f.typ()
	f.expect(',')
	p := f.typed()
	f.pointee(p, in.Type)
	in.Args = []Operand{p}
	f.ordering(atomic)
	in.Align = f.alignment()
}

func (f *funcReader) store(in *Instr) {
	atomic := f.acceptWord("atomic")
	in.Op, in.Atomic, in.Volatile = OpStore, atomic, f.acceptWord("volatile")
	x := f.typed()
	f.expect(',')
	p := f.typed()
	f.pointee(p, x.Type)
	in.Args = []Operand{x, p}
	f.ordering(atomic)
	in.Align = f.alignment()
}

// alignment reads ", align n", 0 for none.
func (f *funcReader) alignment() int64 {
	if !f.comma() {
		return 0
	}
	f.expectWord("align")
	return f.uint(1 << 32)
}

// ordering reads the memory order of an atomic access.
func (f *funcReader) ordering(atomic bool) {
	if !atomic {
		return
	}
	f.syncScope()
	f.order()
}

func (f *funcReader) order() {
	switch string(f.word()) {
	case "unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst":
		f.next()
	default:
		f.fail("%q is no memory order", f.shown())
	}
}

func (f *funcReader) syncScope() {
	if f.acceptWord("syncscope") {
		f.expect('(')
		f.str()
		f.expect(')')
	}
}

func (f *funcReader) cmpxchg(in *Instr) {
	if f.acceptWord("weak") {
		in.Text = "weak"
	}
	in.Op, in.Volatile = OpCmpXchg, f.acceptWord("volatile")
	p := f.typed()
	f.expect(',')
	old := f.typed()
	f.expect(',')
	next := f.typed()
	f.pointee(p, old.Type)
	if next.Type != old.Type {
		f.fail("a value of type %s is exchanged for one of type %s", old.Type, next.Type)
	}
	f.syncScope()
	f.order()
	f.order()
	f.alignment()
	in.Args = []Operand{p, old, next}
	in.Type = f.structOf([]*Type{next.Type, f.intType(1)}, false)
}

// rmwOperation tells whether a word is an operation of atomicrmw, and whether it can be executed: clang makes no other
// of any C that we know of.
func rmwOperation(word string) (known, executable bool) {
	switch word {
	case "xchg", "add", "sub", "and", "nand", "or", "xor", "max", "min", "umax", "umin", "fadd", "fsub":
		return true, true
	case "fmax", "fmin", "uinc_wrap", "udec_wrap", "usub_cond", "usub_sat", "fmaximum", "fminimum":
		return true, false
	}
	return false, false
}

func (f *funcReader) atomicRMW(in *Instr) {
	in.Op, in.Volatile = OpAtomicRMW, f.acceptWord("volatile")
	in.Text = string(f.word())
	known, executable := rmwOperation(in.Text)
	if !known {
		f.fail("%q is no operation of atomicrmw", f.shown())
	}
	f.next()
	p := f.typed()
	f.expect(',')
	x := f.typed()
	f.pointee(p, x.Type)
	f.ordering(true)
	f.alignment()
	in.Args, in.Type = []Operand{p, x}, x.Type
	if !executable {
		unsupported(in, "atomicrmw %s", in.Text)
	}
}

func (f *funcReader) alloca(in *Instr) {
	inAlloca, swiftError := f.acceptWord("inalloca"), f.acceptWord("swifterror")
	t := f.typ()
	in.Op, in.ElemType = OpAlloca, t
	space := int64(0)
	for f.comma() {
		switch {
		case f.acceptWord("align"):
			in.Align = f.uint(1 << 32)
		case f.isWord("addrspace"):
			space = f.addrSpace()
		default:
			n := f.typed()
			if len(in.Args) > 0 || n.Type.Kind != IntType {
				f.fail("an alloca with a count of type %s", n.Type)
			}
			in.Args = []Operand{n}
		}
	}
	if in.Align == 0 {
		in.Align = max(1, t.Align)
	}
	if in.Args == nil {
		i32 := f.intType(32)
		in.Args = []Operand{{Kind: OperandConst, Const: f.intConst(i32, big.NewInt(1)), Type: i32}}
	}
	in.Type = f.pointerTo(t, space)
	if inAlloca || swiftError {
		unsupported(in, "an alloca for arguments of another calling convention")
	}
}

func (f *funcReader) address(in *Instr) {
	f.addressFlags(in)
	elem := f.typ()
	f.expect(',')
	base := f.typed()
	var few [8]Operand
	indices := few[:0]
	for f.comma() {
		indices = append(indices, f.typed())
	}
	f.gep(in, elem, base, indices)
}

func (f *funcReader) phi(in *Instr) {
	f.flags(OpPhi)
	in.Op, in.Type = OpPhi, f.typ()
	for {
		f.expect('[')
		in.Args = append(in.Args, f.operand(in.Type))
		f.expect(',')
		in.In = append(in.In, f.labelName())
		f.expect(']')
		if !f.comma() {
			return
		}
	}
}

// pad reads the beginning of an exception handler, which cannot be executed, for its type only.
func (f *funcReader) pad(in *Instr) {
	if f.acceptWord("landingpad") {
		in.Type = f.typ()
		for {
			switch {
			case f.acceptWord("cleanup"):
			case f.acceptWord("catch"), f.acceptWord("filter"):
				f.typed()
			default:
				unsupported(in, "an exception landing pad")
				return
			}
		}
	}
	f.next()
	f.within()
	if f.accept('[') {
		for !f.is(']') {
			f.argument()
			if !f.accept(',') {
				break
			}
		}
		f.expect(']')
	}
	in.Type = f.opaqueType("token", 0)
	unsupported(in, "an exception pad")
}

// within reads "within PAD".
func (f *funcReader) within() {
	f.expectWord("within")
	f.operand(f.opaqueType("token", 0))
}
