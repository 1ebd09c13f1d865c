package llvmir

import (
	"math/big"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// argument is an argument of a call: a value, or metadata at an offset in the text.
type argument struct {
	Operand
	attrs    valueAttrs
	metadata mdNode  // 0 for a value, and for a value that is passed as metadata
	wrapped  Operand // a value that is passed as metadata
}

// call reads a call after its opcode. It reports whether the call has a meaning here; debug labels have none.
func (f *funcReader) call(in *Instr) bool {
	c := f.callParts(in)
	switch in.Intrinsic {
	case "dbg.label":
		return false
	case "dbg.declare", "dbg.addr", "dbg.value":
		f.dbgCall(in, c)
	}
	return true
}

// callParts reads a call from its calling convention to its operand bundles.
func (f *funcReader) callParts(in *Instr) []argument {
	in.Op = OpCall
	in.Relaxed = f.flags(OpCall).relaxed
	f.callingConvention()
	f.valueAttrs(nil)
	if f.IsWord("addrspace") {
		if f.addrSpace() != 0 {
			f.Fail("a call into another address space")
		}
	}
	t := f.typ()
	c := f.callee(in)
	args := f.arguments(in)
	if t.Kind != FuncType {
		params := make([]*Type, len(args))
		for i, a := range args {
			params[i] = a.Type
		}
		t = f.funcType(t, params, false)
	}
	in.FuncType, in.Type = t, t.Ret
	f.checkArguments(t, args)
	f.bindCallee(in, c)
	in.NoReturn = f.funcAttrs().noReturn
	if (in.Intrinsic == "lifetime.start" || in.Intrinsic == "lifetime.end") && len(args) == 1 {
		// From LLVM 22 on, the size is no longer an argument; it equals that of the alloca.
		size := Operand{Kind: OperandConst, Const: f.intConst(f.intType(64), big.NewInt(1<<63-1)), Type: f.intType(64)}
		in.Args = []Operand{size, in.Args[0]}
		in.FuncType = f.funcType(in.Type, []*Type{size.Type, in.Args[1].Type}, false)
		args = []argument{{Operand: size}, args[0]}
	}
	odd := ""
	for i, a := range args {
		if a.attrs.inAlloca {
			odd = "a call with an inalloca argument"
		}
		if a.attrs.signExt {
			if in.SignExt == nil {
				in.SignExt = make([]bool, len(args))
			}
			in.SignExt[i] = true
		}
		if a.attrs.byVal != nil {
			if in.ByVal == nil {
				in.ByVal, in.ByValAlign = make([]*Type, len(args)), make([]int64, len(args))
			}
			in.ByVal[i], in.ByValAlign[i] = a.attrs.byVal, a.attrs.align
		}
	}
	if in.Op == OpInlineAsm {
		in.describeIndirect(func(arg int) *Type { return args[arg].attrs.element })
		for _, r := range in.AsmResults() {
			if r.To >= 0 && r.Type == nil {
				odd = "inline assembly with a result of unknown type"
			}
		}
	}
	if tag := f.bundles(in); tag != "" && odd == "" {
		odd = "a call with operand bundle " + tag
	}
	if odd != "" {
		unsupported(in, "%s", odd)
	}
	return args
}

// callee is the unparsed callee of a call; its type follows from the arguments.
type callee struct {
	at  int // offset in the text
	asm bool
}

// callee skips the callee, which is read after its type is known.
func (f *funcReader) callee(in *Instr) callee {
	c := callee{at: f.Start}
	switch {
	case f.Kind == lexer.Global || f.Kind == lexer.Local:
		f.Next()
	case f.AcceptWord("asm"):
		c.asm = true
		for f.Kind == lexer.Word {
			switch string(f.Word()) {
			case "sideeffect", "alignstack", "inteldialect", "unwind":
			default:
				f.Fail("%q is not known here", f.Shown())
			}
			f.Next()
		}
		in.Op = OpInlineAsm
		in.Text = f.Str()
		f.Expect(',')
		in.AsmConstraints = f.Str()
	default: // a constant expression, or null or undef
		if f.Kind != lexer.Word {
			f.Fail("%q stands where a callee belongs", f.Shown())
		}
		for f.Kind == lexer.Word {
			value := f.IsWord("null") || f.IsWord("undef") || f.IsWord("poison")
			if f.Next(); value {
				return c
			}
		}
		if f.Is('(') {
			f.SkipGroup()
		} else {
			f.Next()
		}
	}
	return c
}

// bindCallee reads the callee of a call after its type is known.
func (f *funcReader) bindCallee(in *Instr, c callee) {
	if c.asm {
		return
	}
	pointer := f.pointerTo(in.FuncType, 0)
	f.At(c.at, func() {
		direct := f.Kind == lexer.Global && f.symbols[string(f.Name())] != nil && f.symbols[string(f.Name())].fn != nil
		in.Callee = f.operand(pointer)
		if !direct {
			return
		}
		if name := in.Callee.Const.Func.Name; isIntrinsic(name) {
			in.Intrinsic = f.stem(name)
		}
	})
}

// stem is intrinsicStem with a cache.
func (r *reader) stem(name string) string {
	s, ok := r.stems[name]
	if !ok {
		s = intrinsicStem(name)
		r.stems[name] = s
	}
	return s
}

// arguments reads the arguments of a call.
func (f *funcReader) arguments(in *Instr) []argument {
	f.Expect('(')
	args := f.args[:0]
	for !f.Is(')') {
		if f.Kind == lexer.Dots { // musttail in a variadic function
			f.Next()
			break
		}
		args = append(args, f.argument())
		if !f.Accept(',') {
			break
		}
	}
	f.Expect(')')
	f.args = args
	if len(args) > 0 {
		in.Args = make([]Operand, len(args))
		for i, a := range args {
			in.Args[i] = a.Operand
		}
	}
	return args
}

// argument reads one argument.
func (f *funcReader) argument() argument {
	t := f.typ()
	if t == f.metadataType() {
		return f.metadataArgument()
	}
	a := argument{attrs: f.valueAttrs(t)}
	a.Operand = f.operand(t)
	return a
}

// metadataArgument reads an argument after "metadata": a node, or a value.
func (f *funcReader) metadataArgument() argument {
	a := argument{Operand: Operand{Kind: OperandMetadata, Type: f.metadataType()}}
	if f.Kind == lexer.Node || f.Kind == lexer.MetaName || f.Is('!') {
		a.metadata = f.nodeRef()
		return a
	}
	a.wrapped = f.typed()
	return a
}

// checkArguments checks the arguments against a function type.
func (f *funcReader) checkArguments(t *Type, args []argument) {
	if len(args) != len(t.Params) && (!t.Variadic || len(args) < len(t.Params)) {
		f.Fail("a call of %s with %d arguments", t, len(args))
	}
	for i, p := range t.Params {
		if got := args[i].Type; got != p {
			f.Fail("argument %d of a call of %s has type %s", i+1, t, got)
		}
	}
}

// factTag reports whether an operand bundle of llvm.assume is a falsifiable statement, and whether it is supported.
func factTag(tag string) (states, known bool) {
	switch tag {
	case "align", "nonnull":
		return true, true
	case "ignore", "cold", "noundef":
		return false, true
	}
	return false, false
}

// bundles reads operand bundles and returns the tag of the first unsupported one. Those of llvm.assume become facts.
func (f *funcReader) bundles(in *Instr) string {
	first := ""
	if !f.Accept('[') {
		return ""
	}
	for !f.Is(']') {
		tag := f.Str()
		states, known := factTag(tag)
		known = known && in.Intrinsic == "assume"
		if first == "" && !known {
			first = tag
		}
		switch {
		case !f.Is('('):
			f.Fail("%q stands where the operands of a bundle belong", f.Shown())
		case known && states:
			fact := Fact{Tag: tag, From: len(in.Args)}
			f.Expect('(')
			for more := !f.Is(')'); more; more = f.Accept(',') {
				in.Args = append(in.Args, f.typed())
			}
			f.Expect(')')
			fact.To = len(in.Args)
			in.Facts = append(in.Facts, fact)
		default:
			f.SkipGroup()
		}
		if !f.Accept(',') {
			break
		}
	}
	f.Expect(']')
	return first
}

// dbgCall converts a debug intrinsic to a binding of a variable to an address or a value.
func (f *funcReader) dbgCall(in *Instr, args []argument) {
	if len(args) < 3 {
		f.Fail("%s with %d arguments", in.Intrinsic, len(args))
	}
	op := OpDbgDeclare
	if in.Intrinsic == "dbg.value" {
		op = OpDbgValue
	}
	address := args[0].wrapped
	if address.Type == nil { // the variable was optimized away
		address = args[0].Operand
	}
	*in = Instr{Op: op, Type: in.Type, Dst: -1, Args: []Operand{address}}
	if n := args[1].metadata; n != 0 {
		in.Var = f.variable(n)
	}
	if in.Var == nil {
		f.Fail("%s names no variable", op)
	}
	if n := args[2].metadata; n != 0 {
		in.Text = f.diExpression(n)
	}
}

// debugRecord reads a debug record, which LLVM 19 and later write instead of calls of llvm.dbg.declare.
//
// An example is #dbg_declare(ptr %x, !VARIABLE, !DIExpression(), !LOCATION). It returns nil for a record without a
// meaning here.
func (f *funcReader) debugRecord() *Instr {
	f.Next()
	kind := string(f.Word())
	switch kind {
	case "dbg_declare", "dbg_value", "dbg_assign", "dbg_label":
	default:
		f.Fail("#%s is no debug record that is known here", f.Shown())
	}
	f.Next()
	f.Expect('(')
	if kind == "dbg_label" {
		f.nodeRef()
		f.Expect(',')
		f.nodeRef()
		f.Expect(')')
		return nil
	}
	in := &Instr{Type: f.voidType(), Dst: -1, Intrinsic: "dbg.declare"}
	if kind != "dbg_declare" {
		in.Intrinsic = "dbg.value"
	}
	f.weak = ""
	args := make([]argument, 3)
	if args[0] = f.metadataArgument(); args[0].wrapped.Type == nil && kind == "dbg_assign" {
		args[0].metadata = 0
	}
	for i := 1; i < 3; i++ {
		f.Expect(',')
		args[i].metadata = f.nodeRef()
	}
	if kind == "dbg_assign" { // an identity, the address, and its expression
		for range 3 {
			f.Expect(',')
			f.metadataArgument()
		}
	}
	f.Expect(',')
	at := f.nodeRef()
	f.Expect(')')
	f.dbgCall(in, args)
	in.Loc = f.location(at)
	return in
}

// diExpression returns the text of an expression with operations; "" for other nodes.
func (r *reader) diExpression(n mdNode) string {
	text := ""
	r.At(int(n), func() {
		if string(r.Word()) != "!DIExpression" {
			return
		}
		start := r.Start
		r.Next()
		if !r.Accept('(') || r.Is(')') {
			return
		}
		for !r.Is(')') && r.Kind != lexer.EOF {
			r.Next()
		}
		text = string(r.Text[start:r.End])
	})
	return text
}

// intrinsicStem returns the name of an llvm.* function without the prefix and the types of overloading.
//
// For example, it returns memcpy for llvm.memcpy.p0i8.p0i8.i64.
func intrinsicStem(name string) string {
	parts := strings.Split(strings.TrimPrefix(name, "llvm."), ".")
	// The name of a struct may contain dots, so the first type ends the stem.
	for i := 1; i < len(parts); i++ {
		if isMangledType(parts[i]) {
			rest := parts[i:]
			if strings.Contains(parts[i], "s_") || allMangled(rest) {
				return strings.Join(parts[:i], ".")
			}
		}
	}
	return strings.Join(parts, ".")
}

func allMangled(parts []string) bool {
	for _, p := range parts {
		if strings.Contains(p, "s_") {
			return true
		}
		if !isMangledType(p) {
			return false
		}
	}
	return true
}

// isMangledType reports whether s is a type in the name of an intrinsic.
func isMangledType(s string) bool {
	digits := func(s string) (rest string, ok bool) {
		rest = strings.TrimLeft(s, "0123456789")
		return rest, rest != s
	}
	switch {
	case s == "isVoid" || s == "Metadata" || s == "bf16" || s == "token" || s == "x86mmx":
		return true
	case strings.HasPrefix(s, "nxv"):
		rest, ok := digits(s[3:])
		return ok && isMangledType(rest)
	case strings.HasPrefix(s, "s_") || strings.HasPrefix(s, "sl_") || strings.HasPrefix(s, "f_"):
		return true
	case s == "":
		return false
	}
	rest, ok := digits(s[1:])
	if !ok {
		return false
	}
	switch s[0] {
	case 'i', 'f':
		return rest == ""
	case 'v', 'a':
		return isMangledType(rest)
	case 'p':
		return rest == "" || isMangledType(rest)
	}
	return false
}
