package replay

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Instructions of a function's body: calls of the runtime at the points at which the interpreter makes choices.

// body rewrites a line of a function's body.
func (w *instrumenter) body(s string) {
	switch {
	case s == "}":
		w.fn = nil
		w.emit("%s", s)
		return
	case w.inTable:
		w.inTable = !strings.HasPrefix(s, "  ]")
		w.emit("%s", s)
		return
	case !strings.HasPrefix(s, "  "):
		w.emit("%s", s)
		return
	}
	in := w.byOrd[w.ordinal]
	if w.reads && w.ordinal == 0 {
		w.takesCopies()
	}
	added := w.before[w.ordinal]
	for i := 0; i < len(added); i++ {
		marker := added[i]
		if i+1 < len(added) && endsAndBegins(marker, added[i+1]) {
			i++
			w.expires(added[i])
			continue
		}
		switch {
		case marker.Op != llvmir.OpCall: // of a computed goto, which the text has as such
		case strings.HasPrefix(marker.Intrinsic, "lifetime."):
			w.lifetime(marker)
		default:
			w.keeps(marker)
		}
	}
	w.ordinal++
	if strings.HasPrefix(s, "  switch ") && strings.HasSuffix(s, "[") {
		w.inTable = true
	}
	s = w.rename(s)
	if in == nil {
		w.emit("%s", s)
		return
	}
	w.revives(in)
	w.checks(s, in)
	switch in.Op {
	case llvmir.OpUnsupported, llvmir.OpInvalid: // no counterexample reaches it
		w.emit("  call void @unitproof_end()")
		w.emit("%s", s)
	case llvmir.OpInlineAsm:
		w.inlineAssembly(s, in)
	case llvmir.OpUnreachable:
		if to := w.resumption(in); to != "" {
			s = "  br label %" + to
		}
		w.emit("%s", s)
	case llvmir.OpAlloca:
		w.emit("%s", s)
		w.local(s, in)
	case llvmir.OpCall:
		w.call(s, in)
	case llvmir.OpLoad:
		if w.reads {
			w.read(s, in)
		}
		w.emit("%s", s)
	case llvmir.OpStore:
		if ops := operands(s, "store "); len(ops) >= 2 && (w.tracks || w.constants) {
			w.wrote(ops[1], in.Args[0].Type.StoreSize, debugOf(s))
		}
		if f := w.m.Of(in).BitField; f != nil && w.reads {
			w.writeBits(s, in, f)
			return
		}
		w.emit("%s", s)
	case llvmir.OpSub:
		w.magnitude(s, in)
		w.emit("%s", s)
	default:
		if !w.computed(s, in) && !w.notANumber(s, in) {
			w.emit("%s", s)
		}
	}
}

// resumption returns the label at which the execution continues after the report that in belongs to: in is the call of
// a handler, or the unreachable behind it. It returns "" if there is none.
func (w *instrumenter) resumption(in *llvmir.Instr) string {
	if !w.resumes {
		return ""
	}
	for _, b := range w.fn.Blocks {
		n := len(b.Instrs)
		if n < 2 || b.Instrs[n-1] != in && b.Instrs[n-2] != in {
			continue
		}
		call := b.Instrs[n-2]
		if b.Term().Op != llvmir.OpUnreachable || call.Op != llvmir.OpCall || call.Callee.Const == nil ||
			call.Callee.Const.Kind != llvmir.ConstFunc {
			return ""
		}
		name := call.Callee.Const.Func.Name
		if clangir.SanitizerCheck(call.Function()) == "" || !strings.HasSuffix(name, "_abort") || len(b.Preds) != 1 {
			return ""
		}
		from := w.fn.Blocks[b.Preds[0]]
		if from.Term().Op != llvmir.OpCondBr {
			return ""
		}
		to := w.fn.Blocks[from.Succs[0]]
		if to == b {
			to = w.fn.Blocks[from.Succs[1]]
		}
		if to == b || to.Instrs[0].Op == llvmir.OpPhi {
			return ""
		}
		return quoteLocal(to.Name)
	}
	return ""
}

// alloca returns the alloca whose address an operand is; nil if there is none.
func (w *instrumenter) alloca(o llvmir.Operand) *llvmir.Instr {
	for _, x := range w.fn.Blocks[0].Instrs {
		if x.Op == llvmir.OpAlloca && o.Kind == llvmir.OperandReg && x.Dst == o.Reg {
			return x
		}
	}
	return nil
}

// lifetime emits a lifetime marker that the reader added.
func (w *instrumenter) lifetime(in *llvmir.Instr) {
	al := w.alloca(in.Args[1])
	if al == nil {
		return
	}
	name := "llvm." + in.Intrinsic + ".p0i8"
	if w.m.OpaquePointers {
		name = "llvm." + in.Intrinsic + ".p0"
	}
	w.markers[name] = true
	pointer := w.register(al.Dst) // itself: LLVM 22 and later allow nothing else
	if !w.m.OpaquePointers {
		n := w.fresh
		w.fresh++
		w.emit("  %%up.%d = bitcast %s* %s to i8*", n, typeText(al.ElemType), pointer)
		pointer = fmt.Sprintf("%%up.%d", n)
	}
	if f := w.m.FuncByName[name]; f != nil && len(f.Params) == 1 { // LLVM 22 and later
		w.emit("  call void @%s(i8* %s)", name, pointer)
	} else {
		w.emit("  call void @%s(i64 %d, i8* %s)", name, al.ElemType.Size, pointer)
	}
	if in.Intrinsic == "lifetime.start" {
		w.emit("  call void @unitproof_local(i32 %d, i8* %s, i64 %d)", in.ID, pointer, al.ElemType.Size)
	}
}

// inlineAssembly replaces inline assembly by arbitrary values for its results, as in the engine. Assembly without
// arbitrary results is kept: so native runs test the engine's interpretation of its templates.
func (w *instrumenter) inlineAssembly(s string, in *llvmir.Instr) {
	results := in.AsmResults()
	if in.AsmCall() != nil || !slices.ContainsFunc(results, func(r llvmir.AsmResult) bool { return r.From < 0 }) {
		w.emit("%s", s)
		return
	}
	open := strings.LastIndex(s, `"(`)
	args := splitTop(s[open+2:])
	argument := func(i int) (typ, value string) {
		if open < 0 || i >= len(args) {
			w.refuse("inline assembly whose operands were not understood")
			return "", ""
		}
		return splitOperand(args[i])
	}
	var result string // @unitproof.scratch.N
	t := typeText(in.Type)
	if in.Dst >= 0 {
		result = fmt.Sprintf("@unitproof.scratch.%d", len(w.scratch))
		w.scratch = append(w.scratch, in.Type)
	}
	part := 0
	for _, r := range results {
		pointer, text, typ, path := result, t, in.Type, ""
		switch {
		case r.To >= 0:
			_, pointer = argument(r.To)
			text, typ = typeText(r.Type), r.Type
			n := w.fresh
			w.fresh++
			w.emit("  %%up.%d = bitcast %s* %s to i8*", n, text, pointer)
			w.emit("  call void @unitproof_range(i8* %%up.%d, i8* null, i64 %d)%s", n, typ.StoreSize, debugOf(s))
		case r.Type != in.Type:
			typ, path = r.Type, fmt.Sprintf(", i32 %d", part)
			part++
		}
		if r.From >= 0 {
			_, value := argument(r.From)
			n := w.fresh
			w.fresh++
			w.emit("  %%up.%d = getelementptr %s, %s* %s, i32 0%s", n, text, text, pointer, path)
			w.emit("  store %s %s, %s* %%up.%d", typeText(typ), value, typeText(typ), n)
			continue
		}
		w.leaves(pointer, text, typ, path, func(p string, bits int) {
			w.emit("  call void @unitproof_value(i32 %d, i8* %s, i32 %d)", in.ID, p, bits)
		})
	}
	if in.Dst >= 0 {
		name, _, _ := strings.Cut(strings.TrimSpace(s), " =")
		w.emit("  %s = load %s, %s* %s", name, t, t, result)
	}
}

// local emits the initialization of a variable behind its alloca.
func (w *instrumenter) local(s string, in *llvmir.Instr) {
	name, _, _ := strings.Cut(strings.TrimSpace(s), " =")
	n := w.fresh
	w.fresh++
	t := typeText(in.ElemType)
	w.emit("  %%up.%d = bitcast %s* %s to i8*", n, t, name)
	if c := in.Args[0].Const; c != nil && c.Kind == llvmir.ConstInt {
		w.emit("  call void @unitproof_local(i32 %d, i8* %%up.%d, i64 %d)", in.ID, n, c.Int.Int64()*in.ElemType.Size)
		return
	}
	// alloca T, i64 %n, align 16
	ops := operands(s, "alloca ")
	if len(ops) < 2 {
		w.refuse("a variable whose size was not understood")
		return
	}
	count := ops[1]
	typ, value := splitOperand(count)
	if typ != "i64" {
		w.emit("  %%up.%d.w = zext %s %s to i64", n, typ, value)
		value = fmt.Sprintf("%%up.%d.w", n)
	}
	w.emit("  %%up.%d.n = mul i64 %s, %d", n, value, in.ElemType.Size)
	w.emit("  call void @unitproof_local(i32 %d, i8* %%up.%d, i64 %%up.%d.n)", in.ID, n, n)
	w.emit("  call void @unitproof_added(i8* %%up.%d, i64 %%up.%d.n)", n, n)
}

func (w *instrumenter) call(s string, in *llvmir.Instr) {
	switch in.Intrinsic {
	case "":
	case "lifetime.start":
		w.emit("%s", s)
		open := strings.Index(s, "@llvm.lifetime.start")
		ops := splitTop(s[open+strings.IndexByte(s[open:], '(')+1:])
		size := ""
		if len(ops) > 1 {
			_, size = splitOperand(ops[0])
			ops = ops[1:]
		} else if al := w.alloca(in.Args[1]); al != nil { // LLVM 22 and later
			size = strconv.FormatInt(al.ElemType.Size, 10)
		}
		_, pointer := splitOperand(ops[0])
		if n, err := strconv.ParseInt(size, 10, 64); err == nil && n >= 0 {
			w.emit("  call void @unitproof_local(i32 %d, i8* %s, i64 %d)", in.ID, pointer, n)
		}
		return
	case "memcpy", "memmove", "memset", "memcpy.inline":
		w.ranged(s, "@llvm.", in.Intrinsic != "memset")
		w.emit("%s", s)
		return
	case "trap", "debugtrap", "ubsantrap":
		w.emit("  store i32 %d, i32* @unitproof_site", in.ID)
		w.emit("  call void @unitproof_trap()%s", debugOf(s))
		w.emit("%s", s)
		return
	case "assume":
		w.stated(s, in)
		w.emit("%s", s)
		return
	case "expect.with.probability": // no backend has it: a pass that does not run here removes it
		head, args, _ := strings.Cut(s, "@llvm.expect.with.probability.")
		result, _, _ := strings.Cut(head, "=")
		typ, value := splitOperand(splitTop(args[strings.IndexByte(args, '(')+1:])[0])
		w.emit("%s= or %s %s, %[3]s%s", result, typ, value, debugOf(s))
		return
	default:
		w.emit("%s", s)
		return
	}
	if w.resumption(in) != "" {
		s = strings.Replace(s, "_abort(", "(", 1)
		w.handlers[in.Callee.Const.Func.Name] = true
	}
	f := in.Function()
	direct := f != nil
	if direct {
		if len(f.Blocks) == 0 && clangir.SanitizerCheck(f) == "" {
			w.emit("  store i32 %d, i32* @unitproof_site", in.ID)
		}
		if e := entryOf(f); e.Native() == language.NativeLibrary {
			w.ranged(s, "@"+f.Name+"(", e.Role != language.Memset)
		}
	} else {
		w.emit("  store i32 %d, i32* @unitproof_site", in.ID)
		w.callee(s, in)
	}
	if w.aside != "" && direct && clangir.SanitizerCheck(f) != "" && w.resumption(in) == "" {
		w.emit("  call void @unitproof_reporting()")
	}
	if w.reads && direct {
		w.givesCopies(s, in)
	}
	if direct && isMath(f) && language.FloatFunction(f.Name, f.Ret.Bits).SetsEDOM() {
		w.emit("  call void @unitproof_before_errno()")
		w.emit("%s", s)
		w.emit("  call void @unitproof_after_errno()")
		return
	}
	w.emit("%s", s)
	if w.never[in] && direct && w.resumption(in) == "" && len(f.Blocks) == 0 {
		w.emit("  call void @unitproof_end()")
	}
}

// ranged emits a check of the memory that a call of memcpy, memmove or memset accesses, before the call: the sanitizer
// checks overlaps first, the contract requires bounds first.
func (w *instrumenter) ranged(s, name string, copies bool) {
	open := strings.Index(s, name)
	if open < 0 {
		return // called through a cast
	}
	bracket := strings.IndexByte(s[open:], '(')
	ops := splitTop(s[open+bracket+1:])
	if len(ops) < 3 {
		return
	}
	_, to := splitOperand(ops[0])
	typ, size := splitOperand(ops[2])
	if typ == "i32" || typ == "i16" {
		k := w.next()
		w.emit("  %%up.%d.n = zext %s %s to i64", k, typ, size)
		typ, size = "i64", fmt.Sprintf("%%up.%d.n", k)
	}
	if typ != "i64" {
		return
	}
	from := "null"
	if copies {
		_, from = splitOperand(ops[1])
	}
	w.emit("  call void @unitproof_range(i8* %s, i8* %s, i64 %s)%s", to, from, size, debugOf(s))
	if w.tracks {
		w.emit("  call void @unitproof_wrote(i8* %s, i64 %s)", to, size)
	}
}

var calledPointer = lazyregexp.New(` ([%@]("[^"]*"|[-\w.$]+))\(`)

// callee emits a check that a called pointer is a function with a compatible type.
func (w *instrumenter) callee(s string, in *llvmir.Instr) {
	weak := in.Callee.Const != nil && in.Callee.Const.Kind == llvmir.ConstFunc && in.Callee.Const.Func.Weak
	if in.Callee.Kind != llvmir.OperandReg && !weak {
		return
	}
	// The first name before an open bracket is the pointer.
	m := calledPointer.FindStringSubmatch(s)
	if m == nil {
		return
	}
	n := w.fresh
	w.fresh++
	w.emit("  %%up.%d = bitcast %s* %s to i8*", n, typeText(in.FuncType), m[1])
	at := debugOf(s)
	if in.Dst >= 0 && w.isUsed(in.Dst) {
		w.emit("  call void @unitproof_call(i8* %%up.%d, i64 %d, i32 1)%s", n,
			int64(signature(w.m.Layout, callTypes(in), in.Type, false)), at)
		return
	}
	w.emit("  call void @unitproof_call(i8* %%up.%d, i64 %d, i32 0)%s", n,
		int64(signature(w.m.Layout, callTypes(in), nil, false)), at)
}

// debugOf returns the debug location of an instruction, for the instructions that are added before it.
func debugOf(s string) string { return debugRef.FindString(s) }

func (w *instrumenter) isUsed(reg int) bool {
	for _, b := range w.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue {
				continue
			}
			for _, a := range in.Args {
				if a.Kind == llvmir.OperandReg && a.Reg == reg {
					return true
				}
			}
			if in.Op == llvmir.OpCall && in.Callee.Kind == llvmir.OperandReg && in.Callee.Reg == reg {
				return true
			}
		}
	}
	return false
}

// wrote emits the runtime's notification of the next store.
func (w *instrumenter) wrote(pointer string, n int64, at string) {
	t, value := accessed(pointer)
	k := w.fresh
	w.fresh++
	w.emit("  %%up.%d = bitcast %s %s to i8*", k, t, value)
	if w.constants {
		w.emit("  call void @unitproof_writes_constant(i8* %%up.%d, i64 %d)%s", k, n, at)
	}
	if w.tracks {
		w.emit("  call void @unitproof_wrote(i8* %%up.%d, i64 %d)", k, n)
	}
}

// keeps emits the notification that parts of a variable become constant, or stop to be.
func (w *instrumenter) keeps(marker *llvmir.Instr) {
	k := w.fresh
	w.fresh++
	w.emit("  %%up.%d = bitcast %s %s to i8*", k, typeText(marker.Args[1].Type), w.register(marker.Args[1].Reg))
	for i, p := range w.m.Of(marker).Constant {
		w.emit("  %%up.%d.%d = getelementptr i8, i8* %%up.%d, i64 %d", k, i, k, p.Off)
		w.emit("  call void @unitproof_constant(i8* %%up.%d.%d, i64 %d, i32 %d)", k, i, p.Len,
			digit(marker.Intrinsic == "invariant.start"))
	}
}
