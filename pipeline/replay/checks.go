package replay

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Checks that no sanitizer of clang makes are made by the runtime, before the instruction: indices of arrays inside of
// objects; operations on vectors and wide integers, and in functions with no_sanitize; the ends of temporaries. They
// rest on the same facts of clangir as the engine's checks.

// isChecked reports whether a kind of finding is enabled.
func isChecked(o vcgen.Options, k found.Kind) bool {
	if on, said := o.Checks[k]; said {
		return on
	}
	return !k.Info().Off
}

// checks emits the runtime's checks of the next instruction. If findings are accepted, there are none: the execution
// continues behind violations.
func (w *instrumenter) checks(s string, in *llvmir.Instr) {
	if w.resumes || w.reads {
		return
	}
	facts := w.m.Of(in)
	if w.checked(found.ArrayBounds) {
		for _, x := range facts.Within {
			w.index(x, debugOf(s))
		}
	}
	if facts.Undefined != clangir.Unguarded {
		return
	}
	switch in.Op {
	case llvmir.OpUDiv, llvmir.OpURem, llvmir.OpSDiv, llvmir.OpSRem:
		w.divisor(s, in)
	case llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr:
		w.exponent(s, in)
	case llvmir.OpFPToSI, llvmir.OpFPToUI:
		w.converted(s, in)
	case llvmir.OpCall:
		if f := in.Function(); f != nil && len(f.Blocks) > 0 && w.checked(found.InvalidCall) {
			w.called(in, f, debugOf(s))
		}
		if in.Intrinsic == "ctlz" || in.Intrinsic == "cttz" {
			w.counted(s, in)
		}
	}
}

// index checks the index of an array inside of an object.
func (w *instrumenter) index(x clangir.Within, at string) {
	sum := "0"
	for _, o := range x.Indices {
		value, t := "", o.Type
		switch {
		case o.Kind == llvmir.OperandReg:
			value = w.register(o.Reg)
		case o.Const != nil && o.Const.Kind == llvmir.ConstInt:
			value = o.Const.Signed().String()
		}
		if value == "" || t.Kind != llvmir.IntType || t.Bits > 64 {
			return
		}
		k := w.next()
		if t.Bits < 64 {
			w.emit("  %%up.%d.i = sext %s %s to i64", k, typeText(t), value)
			value = fmt.Sprintf("%%up.%d.i", k)
		}
		w.emit("  %%up.%d = add i64 %s, %s", k, sum, value)
		sum = fmt.Sprintf("%%up.%d", k)
	}
	k := w.next()
	w.emit("  %%up.%d = icmp uge i64 %s, %d", k, sum, x.Len)
	w.violates(fmt.Sprintf("%%up.%d", k), nil, found.ArrayBounds, at)
}

// next returns the number of a new register.
func (w *instrumenter) next() int {
	w.fresh++
	return w.fresh - 1
}

// violates emits a report of a violation if cond is true: an i1, or a vector of i1 with the lanes of t.
func (w *instrumenter) violates(cond string, t *llvmir.Type, kind found.Kind, at string) {
	if t != nil && t.Kind == llvmir.VectorType {
		k := w.next()
		w.emit("  %%up.%d.bits = bitcast <%d x i1> %s to i%d", k, t.Len, cond, t.Len)
		w.emit("  %%up.%d = icmp ne i%d %%up.%d.bits, 0", k, t.Len, k)
		cond = fmt.Sprintf("%%up.%d", k)
	}
	k := w.next()
	w.emit("  %%up.%d = zext i1 %s to i32", k, cond)
	w.emit("  call void @unitproof_undefined(i32 %%up.%d, i32 %d)%s", k, undefinedKinds[kind], at)
}

// undefinedKinds maps the kinds of these violations to their numbers in the runtime.
var undefinedKinds = map[found.Kind]int{found.ArrayBounds: 0, found.DivisionByZero: 1, found.SignedOverflow: 2,
	found.InvalidShift: 3, found.FloatToIntOverflow: 4, found.InvalidBuiltin: 5, found.InvalidCall: 6,
	found.Unreachable: 7}

// stated emits a report for an llvm.assume whose condition is false, or whose "align" facts are. Other facts are
// checked by the interpreter only.
func (w *instrumenter) stated(s string, in *llvmir.Instr) {
	open := strings.IndexByte(s, '(')
	if open < 0 || w.m.Of(in).Declared {
		return
	}
	_, cond := splitOperand(splitTop(s[open+1:])[0])
	k := w.next()
	w.emit("  %%up.%d = xor i1 %s, true", k, cond)
	w.violates(fmt.Sprintf("%%up.%d", k), nil, found.Unreachable, debugOf(s))
	rest := s
	for range in.Facts {
		_, text, ok := strings.Cut(rest, `"align"(`)
		if !ok {
			return
		}
		rest = text
		ops := splitTop(text)
		typ, pointer := splitOperand(ops[0])
		_, align := splitOperand(ops[1])
		offset := "0"
		if len(ops) > 2 {
			_, offset = splitOperand(ops[2])
		}
		k := w.next()
		w.emit("  %%up.%d.p = ptrtoint %s %s to i64", k, typ, pointer)
		w.emit("  %%up.%d.o = sub i64 %%up.%d.p, %s", k, k, offset)
		w.emit("  %%up.%d.m = sub i64 %s, 1", k, align)
		w.emit("  %%up.%d.r = and i64 %%up.%d.o, %%up.%d.m", k, k, k)
		w.emit("  %%up.%d = icmp ne i64 %%up.%d.r, 0", k, k)
		w.violates(fmt.Sprintf("%%up.%d", k), nil, found.Unreachable, debugOf(s))
	}
}

// terms returns the two operands of an operation as text, without their type.
func terms(s string, in *llvmir.Instr) (x, y string, ok bool) {
	_, rest, ok := strings.Cut(strings.TrimSpace(s), " = "+operation[in.Op].text)
	if !ok {
		return "", "", false
	}
	for _, flag := range []string{"nuw ", "nsw ", "exact "} {
		rest = strings.TrimPrefix(rest, flag)
	}
	rest, _, _ = strings.Cut(rest, ", !")
	ops := splitTop(rest)
	if len(ops) != 2 {
		return "", "", false
	}
	_, x = splitOperand(ops[0])
	return x, strings.TrimSpace(ops[1]), true
}

// splat returns a number as a constant of a type; for a vector in every lane.
func splat(t *llvmir.Type, n *big.Int) string {
	if t.Kind != llvmir.VectorType {
		return n.String()
	}
	lane := typeText(t.Elem) + " " + n.String()
	return "<" + strings.TrimSuffix(strings.Repeat(lane+", ", int(t.Len)), ", ") + ">"
}

func width(t *llvmir.Type) int {
	if t.Kind == llvmir.VectorType {
		return t.Elem.Bits
	}
	return t.Bits
}

func (w *instrumenter) divisor(s string, in *llvmir.Instr) {
	x, y, ok := terms(s, in)
	if !ok {
		return
	}
	t := typeText(in.Type)
	if n, err := strconv.ParseInt(y, 10, 64); err == nil && n != 0 && n != -1 {
		return
	}
	if w.checked(found.DivisionByZero) {
		k := w.next()
		w.emit("  %%up.%d = icmp eq %s %s, %s", k, t, y, splat(in.Type, new(big.Int)))
		w.violates(fmt.Sprintf("%%up.%d", k), in.Type, found.DivisionByZero, debugOf(s))
	}
	if (in.Op == llvmir.OpSDiv || in.Op == llvmir.OpSRem) && w.checked(found.SignedOverflow) {
		k := w.next()
		least := new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), uint(width(in.Type)-1)))
		lanes := "i1"
		if in.Type.Kind == llvmir.VectorType {
			lanes = fmt.Sprintf("<%d x i1>", in.Type.Len)
		}
		w.emit("  %%up.%d.y = icmp eq %s %s, %s", k, t, y, splat(in.Type, big.NewInt(-1)))
		w.emit("  %%up.%d.x = icmp eq %s %s, %s", k, t, x, splat(in.Type, least))
		w.emit("  %%up.%d = and %s %%up.%d.x, %%up.%d.y", k, lanes, k, k)
		w.violates(fmt.Sprintf("%%up.%d", k), in.Type, found.SignedOverflow, debugOf(s))
	}
}

func (w *instrumenter) exponent(s string, in *llvmir.Instr) {
	_, y, ok := terms(s, in)
	t := in.Type
	if e := w.m.Of(in).Exponent; e.Kind == llvmir.OperandReg && e.Type != nil { // the exponent before clang converts it
		y, t = w.register(e.Reg), e.Type
	}
	if !ok || !w.checked(found.InvalidShift) {
		return
	}
	limit := big.NewInt(int64(width(in.Type)))
	if n, err := strconv.ParseInt(y, 10, 64); err == nil && 0 <= n && n < limit.Int64() || limit.BitLen() > width(t) {
		return // the exponent cannot reach the limit
	}
	k := w.next()
	w.emit("  %%up.%d = icmp uge %s %s, %s", k, typeText(t), y, splat(t, limit))
	w.violates(fmt.Sprintf("%%up.%d", k), t, found.InvalidShift, debugOf(s))
}

// converted checks a conversion of a float to an integer, for each lane.
func (w *instrumenter) converted(s string, in *llvmir.Instr) {
	_, rest, ok := strings.Cut(strings.TrimSpace(s), " = "+operation[in.Op].text)
	from, _, _ := strings.Cut(rest, " to ")
	if !ok || !w.checked(found.FloatToIntOverflow) || width(in.Type) > 64 {
		return
	}
	typ, x := splitOperand(from)
	lanes := int64(1)
	if in.Type.Kind == llvmir.VectorType {
		lanes = in.Type.Len
	}
	for i := range lanes {
		k := w.next()
		lane, float := x, typ
		if in.Type.Kind == llvmir.VectorType {
			float = typeText(in.Args[0].Type.Elem)
			w.emit("  %%up.%d.e = extractelement %s %s, i32 %d", k, typ, x, i)
			lane = fmt.Sprintf("%%up.%d.e", k)
		}
		if float != "double" {
			w.emit("  %%up.%d = fpext %s %s to double", k, float, lane)
			lane = fmt.Sprintf("%%up.%d", k)
		}
		w.emit("  call void @unitproof_converted(i32 %d, double %s, i32 %d)%s", operation[in.Op].number, lane,
			width(in.Type), debugOf(s))
	}
}

// called checks that the type of a direct call is compatible with the function's.
func (w *instrumenter) called(in *llvmir.Instr, f *llvmir.Func, at string) {
	var result, wanted *llvmir.Type
	if in.Dst >= 0 && w.isUsed(in.Dst) {
		result, wanted = in.Type, f.Ret
	}
	have := signature(w.m.Layout, callTypes(in), result, false)
	want := signature(w.m.Layout, parameterTypes(f), wanted, f.Variadic)
	if have != 0 && want != 0 && have != want {
		w.emit("  call void @unitproof_undefined(i32 1, i32 %d)%s", undefinedKinds[found.InvalidCall], at)
	}
}

// parameterTypes returns the types of a function's parameters; for structs passed by address, the type of the struct.
func parameterTypes(f *llvmir.Func) []*llvmir.Type {
	var types []*llvmir.Type
	for _, p := range f.Params {
		if p.ByVal != nil {
			types = append(types, p.ByVal)
			continue
		}
		types = append(types, p.Type)
	}
	return types
}

func (w *instrumenter) counted(s string, in *llvmir.Instr) {
	open := strings.Index(s, "@llvm.")
	if open < 0 || !w.checked(found.InvalidBuiltin) {
		return
	}
	ops := splitTop(s[open+strings.IndexByte(s[open:], '(')+1:])
	if len(ops) < 2 || !strings.HasSuffix(ops[1], "true") {
		return // the result for 0 is defined
	}
	_, x := splitOperand(ops[0])
	k := w.next()
	w.emit("  %%up.%d = icmp eq %s %s, %s", k, typeText(in.Type), x, splat(in.Type, new(big.Int)))
	w.violates(fmt.Sprintf("%%up.%d", k), in.Type, found.InvalidBuiltin, debugOf(s))
}

// temporaries returns the allocas with adjacent markers for the end and the begin of their lifetime, which the reader
// added: one object ends and another one begins in the same memory. It must not be accessed until it is used by name
// again.
func temporaries(f *llvmir.Func) map[int]bool {
	out := map[int]bool{}
	for _, b := range f.Blocks {
		for k, in := range b.Instrs[:len(b.Instrs)-1] {
			if endsAndBegins(in, b.Instrs[k+1]) {
				out[in.Args[1].Reg] = true
			}
		}
	}
	return out
}

func endsAndBegins(in, next *llvmir.Instr) bool {
	return in.Ordinal < 0 && next.Ordinal < 0 && in.Intrinsic == "lifetime.end" && next.Intrinsic == "lifetime.start" &&
		in.Args[1].Reg == next.Args[1].Reg
}

// expires ends the lifetime of a temporary.
func (w *instrumenter) expires(start *llvmir.Instr) {
	k, reg := w.next(), start.Args[1].Reg
	size := start.Args[0].Const.Int
	w.emit("  %%up.%d = bitcast %s %s to i8*", k, typeText(start.Args[1].Type), w.register(reg))
	w.emit("  call void @unitproof_local(i32 %d, i8* %%up.%d, i64 %s)", start.ID, k, size)
	w.emit("  call void @unitproof_expires(i8* %%up.%d, i64 %s)", k, size)
}

// revives makes the temporaries accessible that an instruction uses by name.
func (w *instrumenter) revives(in *llvmir.Instr) {
	if in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpPhi {
		return
	}
	for _, a := range in.Args {
		if a.Kind == llvmir.OperandReg && w.expiring[a.Reg] && a.Type.Elem != nil {
			k := w.next()
			w.emit("  %%up.%d = bitcast %s %s to i8*", k, typeText(a.Type), w.register(a.Reg))
			w.emit("  call void @unitproof_revives(i8* %%up.%d, i64 %d)", k, a.Type.Elem.Size)
		}
	}
}
