package llvmir

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// unsupported turns in into an unsupported instruction.
func unsupported(in *Instr, format string, args ...any) *Instr {
	in.Op, in.Text = OpUnsupported, fmt.Sprintf(format, args...)
	in.GEP = nil
	return in
}

// instruction reads an instruction with its metadata, and reports whether it ends its block.
//
// The result is nil for an instruction without a meaning.
func (f *funcReader) instruction() (in *Instr, terminator bool) {
	name, named := "", false
	at := f.Start
	if f.Is('#') {
		return f.debugRecord(), false
	}
	if f.Kind == lexer.Local {
		name, named = string(f.Name()), true
		f.Next()
		f.Expect('=')
	}
	if f.Kind != lexer.Word {
		f.Fail("%q stands where an instruction belongs", f.Shown())
	}
	in = &Instr{Type: f.voidType(), Dst: -1}
	f.weak = ""
	meaning, known := f.operation(in)
	if !known {
		terminator, known = true, f.terminator(in)
	}
	if !known {
		f.Fail("instruction %q is not known here", f.Shown())
	}
	f.attachments(in)
	behind := f.Start
	f.Start = at // for errors
	switch {
	case in.Type.Kind == VoidType:
		if named {
			f.Fail("%%%s is the result of an instruction without one", name)
		}
	case !named:
		in.Dst = f.define(itoa(f.unnamed), in.Type)
		f.unnamed++
	default:
		if lexer.Numeral([]byte(name)) {
			f.numbered(name)
		}
		in.Dst = f.define(name, in.Type)
	}
	f.Start = behind
	if !meaning && !terminator {
		return nil, false
	}
	if f.weak != "" { // its effect depends on whether a weak symbol exists
		unsupported(in, "%s", f.weak)
	}
	return in, terminator
}

// attachments reads the metadata after an instruction.
func (f *funcReader) attachments(in *Instr) {
	for f.Is(',') {
		f.Next()
		if f.Kind != lexer.MetaName {
			f.Fail("%q stands where metadata belongs", f.Shown())
		}
		start, end := f.Start, f.End
		f.Next()
		n := f.nodeRef()
		switch string(f.Text[start:end]) {
		case "!dbg":
			in.Loc = f.location(n)
		case "!nosanitize":
			in.NoSanitize = true
		case "!llvm.loop":
			f.loop = f.loopStart(n)
		}
	}
}

// loopStart returns the first location in a loop's metadata, which clang makes that of the loop's first word; nil if it
// has none.
func (r *reader) loopStart(n mdNode) *Loc {
	for _, v := range r.tuple(n) {
		if v.kind == mdRef && v.node != n { // the first element is the node itself
			if l := r.location(v.node); l != nil {
				return l
			}
		}
	}
	return nil
}

// operation reads an instruction that is not a terminator, from its opcode to its metadata.
//
// meaning is false if the instruction has none, known is false if the opcode is not such an instruction.
func (f *funcReader) operation(in *Instr) (meaning, known bool) {
	word := f.Word()
	if op, ok := binaries[string(word)]; ok {
		f.Next()
		flags := f.flags(op)
		in.NoSignedWrap, in.Relaxed = flags.noSignedWrap && op != OpShl, flags.relaxed
		x := f.typed()
		f.Expect(',')
		in.Op, in.Args = op, []Operand{x, f.operand(x.Type)}
		in.Type = x.Type
		return true, true
	}
	if op, ok := conversions[string(word)]; ok {
		f.Next()
		in.Relaxed = f.flags(op).relaxed
		in.Op, in.Args = op, []Operand{f.typed()}
		f.ExpectWord("to")
		in.Type = f.typ()
		return true, true
	}
	known = true
	switch string(word) {
	case "load":
		f.Next()
		f.load(in)
	case "store":
		f.Next()
		f.store(in)
	case "call":
		f.Next()
		return f.call(in), true
	case "tail", "musttail", "notail":
		f.Next()
		f.ExpectWord("call")
		return f.call(in), true
	case "getelementptr":
		f.Next()
		f.address(in)
	case "alloca":
		f.Next()
		f.alloca(in)
	case "icmp", "fcmp":
		in.Op = OpICmp
		if word[0] == 'f' {
			in.Op = OpFCmp
		}
		f.Next()
		in.Relaxed = f.flags(in.Op).relaxed
		in.Pred = f.predicate(in.Op)
		x := f.typed()
		f.Expect(',')
		in.Args = []Operand{x, f.operand(x.Type)}
		in.Type = f.resultType(in)
	case "phi":
		f.Next()
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
		f.Next()
		x := f.typed()
		f.Expect(',')
		y := f.typed()
		f.Expect(',')
		in.Op, in.Args, in.Mask = OpShuffleVector, []Operand{x, y}, f.shuffleMask(f.typedConst())
		in.Type = f.resultType(in)
	case "extractvalue":
		f.Next()
		in.Op, in.Args = OpExtractValue, []Operand{f.typed()}
		in.Path = f.path()
		in.Type = f.resultType(in)
	case "insertvalue":
		f.Next()
		x := f.typed()
		f.Expect(',')
		in.Op, in.Args = OpInsertValue, []Operand{x, f.typed()}
		in.Path = f.path()
		in.Type = f.resultType(in)
	case "va_arg":
		f.Next()
		in.Op, in.Args = opVAArg, []Operand{f.typed()}
		f.Expect(',')
		in.Type = f.typ()
		if !strings.HasPrefix(f.m.Layout.Triple, "msp430") { // an x86-64, for example, takes some arguments from registers
			unsupported(in, "va_arg as an instruction")
		}
	case "fence":
		f.Next()
		in.Op = OpFence
		f.ordering(true)
	case "cmpxchg":
		f.Next()
		f.cmpxchg(in)
	case "atomicrmw":
		f.Next()
		f.atomicRMW(in)
	case "landingpad", "catchpad", "cleanuppad":
		f.pad(in)
	default:
		known = false
	}
	return true, known
}

// simple reads an instruction with n typed operands.
func (f *funcReader) simple(in *Instr, op Op, n int) {
	f.Next()
	in.Relaxed = f.flags(op).relaxed
	in.Op, in.Args = op, make([]Operand, n)
	for i := range n {
		if i > 0 {
			f.Expect(',')
		}
		in.Args[i] = f.typed()
	}
	in.Type = f.resultType(in)
}

// pointee checks that a pointer can point to values of a type.
func (f *funcReader) pointee(p Operand, t *Type) {
	if !p.Type.pointsTo(t) {
		f.Fail("a pointer of type %s to a value of type %s", p.Type, t)
	}
}

func (f *funcReader) load(in *Instr) {
	atomic := f.AcceptWord("atomic")
	in.Op, in.Atomic, in.Volatile = OpLoad, atomic, f.AcceptWord("volatile")
	in.Type = f.typ()
	f.Expect(',')
	p := f.typed()
	f.pointee(p, in.Type)
	in.Args = []Operand{p}
	f.ordering(atomic)
	in.Align = f.alignment()
}

func (f *funcReader) store(in *Instr) {
	atomic := f.AcceptWord("atomic")
	in.Op, in.Atomic, in.Volatile = OpStore, atomic, f.AcceptWord("volatile")
	x := f.typed()
	f.Expect(',')
	p := f.typed()
	f.pointee(p, x.Type)
	in.Args = []Operand{x, p}
	f.ordering(atomic)
	in.Align = f.alignment()
}

// alignment reads ", align n"; 0 if there is none.
func (f *funcReader) alignment() int64 {
	if !f.Comma() {
		return 0
	}
	f.ExpectWord("align")
	return f.Uint(1 << 32)
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
	switch string(f.Word()) {
	case "unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst":
		f.Next()
	default:
		f.Fail("%q is no memory order", f.Shown())
	}
}

func (f *funcReader) syncScope() {
	if f.AcceptWord("syncscope") {
		f.Expect('(')
		f.Str()
		f.Expect(')')
	}
}

func (f *funcReader) cmpxchg(in *Instr) {
	if f.AcceptWord("weak") {
		in.Text = "weak"
	}
	in.Op, in.Volatile = OpCmpXchg, f.AcceptWord("volatile")
	p := f.typed()
	f.Expect(',')
	old := f.typed()
	f.Expect(',')
	next := f.typed()
	f.pointee(p, old.Type)
	if next.Type != old.Type {
		f.Fail("a value of type %s is exchanged for one of type %s", old.Type, next.Type)
	}
	f.syncScope()
	f.order()
	f.order()
	f.alignment()
	in.Args = []Operand{p, old, next}
	in.Type = f.structOf([]*Type{next.Type, f.intType(1)}, false)
}

// rmwOperation reports whether a word is an operation of atomicrmw, and whether it is supported.
//
// clang generates no other operation from C, as far as known.
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
	in.Op, in.Volatile = OpAtomicRMW, f.AcceptWord("volatile")
	in.Text = string(f.Word())
	known, executable := rmwOperation(in.Text)
	if !known {
		f.Fail("%q is no operation of atomicrmw", f.Shown())
	}
	f.Next()
	p := f.typed()
	f.Expect(',')
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
	inAlloca, swiftError := f.AcceptWord("inalloca"), f.AcceptWord("swifterror")
	t := f.typ()
	in.Op, in.ElemType = OpAlloca, t
	space := int64(0)
	for f.Comma() {
		switch {
		case f.AcceptWord("align"):
			in.Align = f.Uint(1 << 32)
		case f.IsWord("addrspace"):
			space = f.addrSpace()
		default:
			n := f.typed()
			if len(in.Args) > 0 || n.Type.Kind != IntType {
				f.Fail("an alloca with a count of type %s", n.Type)
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
	f.Expect(',')
	base := f.typed()
	var few [8]Operand
	indices := few[:0]
	for f.Comma() {
		indices = append(indices, f.typed())
	}
	f.gep(in, elem, base, indices)
}

func (f *funcReader) phi(in *Instr) {
	in.Relaxed = f.flags(OpPhi).relaxed
	in.Op, in.Type = OpPhi, f.typ()
	for {
		f.Expect('[')
		in.Args = append(in.Args, f.operand(in.Type))
		f.Expect(',')
		in.In = append(in.In, f.labelName())
		f.Expect(']')
		if !f.Comma() {
			return
		}
	}
}

// pad reads the start of an exception handler, which is not supported, to get its type.
func (f *funcReader) pad(in *Instr) {
	if f.AcceptWord("landingpad") {
		in.Type = f.typ()
		for {
			switch {
			case f.AcceptWord("cleanup"):
			case f.AcceptWord("catch"), f.AcceptWord("filter"):
				f.typed()
			default:
				unsupported(in, "an exception landing pad")
				return
			}
		}
	}
	f.Next()
	f.within()
	if f.Accept('[') {
		for !f.Is(']') {
			f.argument()
			if !f.Accept(',') {
				break
			}
		}
		f.Expect(']')
	}
	in.Type = f.opaqueType("token", 0)
	unsupported(in, "an exception pad")
}

// within reads "within PAD".
func (f *funcReader) within() {
	f.ExpectWord("within")
	f.operand(f.opaqueType("token", 0))
}
