package replay

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// frame emits the code around the program: the initialization, the call of the entry, and tables for the runtime.
func (w *instrumenter) frame() {
	w.emit("@unitproof_site = external global i32")
	declared := []string{
		"void @unitproof_local(i32, i8*, i64)", "void @unitproof_value(i32, i8*, i32)", "void @unitproof_result(i8*, i32)",
		"void @unitproof_structure(i8*, i64)", "void @unitproof_added(i8*, i64)",
		"void @unitproof_reporting()",
		"void @unitproof_read_bits(i8*, i32, i32)", "void @unitproof_before_bits(i8*, i64)",
		"void @unitproof_wrote_bits(i8*, i64, i32, i32)",
		"void @unitproof_undefined(i32, i32)", "void @unitproof_converted(i32, double, i32)",
		"void @unitproof_expires(i8*, i64)", "void @unitproof_revives(i8*, i64)",
		"void @unitproof_constant(i8*, i64, i32)", "void @unitproof_writes_constant(i8*, i64)",
		"void @unitproof_may_change_errno()", "void @unitproof_before_errno()", "void @unitproof_after_errno()",
		"void @unitproof_writes()",
		"void @unitproof_end()", "void @unitproof_trap()", "void @unitproof_wrote(i8*, i64)",
		"void @unitproof_call(i8*, i64, i32)",
		"void @unitproof_range(i8*, i8*, i64)", "void @unitproof_read(i8*, i64, i32)",
		"i64 @unitproof_integer(i32, i32, i64, i64, i32)", "i64 @unitproof_to_integer(i32, i32, double, i32)",
		"void @unitproof_magnitude(i64, i64)",
		"float @unitproof_nan32(i32, float)", "double @unitproof_nan64(i32, double)",
		"void @unitproof_give(i8*, i64)", "void @unitproof_take(i8*, i64)", "void @unitproof_variable(i8*, i8*, i64, i32)",
		"void @unitproof_function(i8*, i8*, i64, i64)",
	}
	for _, d := range declared { // some machines expect that the caller extends narrow arguments
		w.emit("declare " + strings.NewReplacer("(i32", "(i32 signext", ", i32", ", i32 signext").Replace(d))
	}
	for _, name := range slices.Sorted(maps.Keys(w.markers)) {
		if !strings.HasPrefix(name, "declared ") && !w.markers["declared "+name] {
			w.emit("declare void @%s(i64, i8*)", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(w.handlers)) {
		returning := strings.TrimSuffix(name, "_abort")
		if w.m.FuncByName[returning] != nil {
			continue
		}
		w.emit("declare %s @%s(%s)", typeText(w.m.FuncByName[name].Ret), returning,
			typeList(w.m.FuncByName[name].Type.Params))
	}
	for i, t := range w.scratch {
		w.emit("@unitproof.scratch.%d = internal global %s zeroinitializer", i, typeText(t))
	}
	w.start()
	w.callEntry()
}

// start emits the initialization of the variables, including those of other files, and the calls of the constructors.
func (w *instrumenter) start() {
	type named struct{ text, bytes string }
	var names []named
	var functions, body strings.Builder
	nameOf := func(name string) string {
		n := len(name) + 1
		t := fmt.Sprintf("[%d x i8]", n)
		names = append(names, named{t, escape(name)})
		return fmt.Sprintf(w.pointers("i8* getelementptr (%s, %s* @unitproof.name.%d, i32 0, i32 0)"), t, t, len(names)-1)
	}
	for _, g := range w.globals {
		if g.Constant && g.Init != nil {
			continue
		}
		if _, err := strconv.Atoi(g.Name); err == nil {
			continue // unnamed data of the sanitizers
		}
		kind, size := 0, uint64(g.Type.Size)
		if g.Init == nil {
			kind = 1
			if g.Constant {
				kind = 2
			}
			if t := g.Type; t.Kind == llvmir.OpaqueType || t.Kind == llvmir.ArrayType && t.Len == 0 {
				size = w.sizes[g.Name]
			}
		}
		t := typeText(g.Type)
		fmt.Fprintf(&body, w.pointers("  call void @unitproof_variable(%s, i8* bitcast (%s* @%s to i8*), i64 %d, i32 %d)\n"),
			nameOf(g.Name), t, quoteName(g.Name), size, kind)
		for i, p := range clangir.ConstantMembers(g) {
			k := fmt.Sprintf("%%up.constant.%d.%d", len(names), i)
			fmt.Fprintf(&body, w.pointers("  %s = getelementptr i8, i8* bitcast (%s* @%s to i8*), i64 %d\n"), k, t,
				quoteName(g.Name), p.Off)
			fmt.Fprintf(&body, w.pointers("  call void @unitproof_constant(i8* %s, i64 %d, i32 1)\n"), k, p.Len)
		}
	}
	for _, f := range w.m.Funcs {
		if !w.taken[f] || strings.HasPrefix(f.Name, "llvm.") {
			continue
		}
		name := f.Name
		if to := w.renamedTo(name); to != "" {
			name = to
		}
		types := parameterTypes(f)
		fmt.Fprintf(&functions, w.pointers("  call void @unitproof_function(%s, i8* bitcast (%s* @%s to i8*), i64 %d, i64 "+
			"%d)\n"),
			nameOf(f.Name),
			typeText(f.Type), quoteName(name), int64(signature(w.m.Layout, types, f.Ret, f.Variadic)),
			int64(signature(w.m.Layout, types, nil, f.Variadic)))
	}
	for i, n := range names {
		w.emit("@unitproof.name.%d = private unnamed_addr constant %s c\"%s\\00\"", i, n.text, n.bytes)
	}
	w.emit("define void @unitproof_start() {")
	w.out.WriteString(functions.String()) // first: variables may contain addresses of functions
	w.out.WriteString(body.String())
	for _, c := range w.m.Ctors {
		if len(c.Blocks) > 0 {
			w.emit("  call void @%s()", quoteName(c.Name))
		}
	}
	w.emit("  ret void\n}")
}

// callEntry emits a call of the entry with arbitrary arguments.
func (w *instrumenter) callEntry() {
	f := w.m.FuncByName[w.entry]
	w.emit("define void @unitproof_at_end() {")
	for _, after := range w.m.After() {
		w.emit("  call void @%s()", quoteName(after.Name))
	}
	w.emit("  ret void\n}")
	w.emit("define void @unitproof_entry() {")
	for _, first := range w.m.First(f) {
		w.emit("  call void @%s()", quoteName(first.Name))
	}
	var args []string
	for i, p := range f.Params {
		t := typeText(p.Type)
		if g, made := w.m.Argument(f, i); made {
			value := "zeroinitializer"
			if g != nil {
				w.emit("  %%v%d = load %s, %s* @%s", i, t, t, quoteName(g.Name))
				value = fmt.Sprintf("%%v%d", i)
			}
			args = append(args, t+" "+value)
			continue
		}
		if pointee := p.Pointee(); pointee != nil {
			v, align, attribute := typeText(pointee), max(p.Align, pointee.Align, 1), "byval"
			if p.SRet != nil {
				attribute = "sret"
			}
			w.emit("  %%s%d = alloca %s, align %d", i, v, align)
			w.emit("  %%sb%d = bitcast %s* %%s%d to i8*", i, v, i)
			w.emit("  call void @unitproof_local(i32 %d, i8* %%sb%d, i64 %d)", -(i + 1), i, pointee.Size)
			args = append(args, fmt.Sprintf("%s %s(%s) align %d %%s%d", t, attribute, v, align, i))
			continue
		}
		w.emit("  %%p%d = alloca %s, align 16", i, t)
		w.leaves(fmt.Sprintf("%%p%d", i), t, p.Type, "", func(pointer string, bits int) {
			w.emit("  call void @unitproof_value(i32 %d, i8* %s, i32 %d)", -(i + 1), pointer, bits)
		})
		w.emit("  %%v%d = load %s, %s* %%p%d", i, t, t, i)
		args = append(args, fmt.Sprintf("%s %%v%d", t, i))
	}
	result := ""
	if f.Ret.Kind != llvmir.VoidType {
		result = "%r = "
	}
	sig := typeText(f.Ret)
	if f.Variadic {
		sig = typeText(f.Type)
	}
	w.emit("  %scall %s @%s(%s)", result, sig, quoteName(w.entry), strings.Join(args, ", "))
	w.emit("  call void @unitproof_at_end()")
	w.emit("  ret void\n}")
}

// quoteName returns the name of a global in LLVM's syntax.
func quoteName(name string) string { return `"` + escape(name) + `"` }

// quoteLocal returns the name of a value or block in LLVM's syntax. Numbers of unnamed ones are not quoted.
func quoteLocal(name string) string {
	if _, err := strconv.Atoi(name); err == nil {
		return name
	}
	return quoteName(name)
}

func escape(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, "\\%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// callTypes returns the types of a call's arguments; for byval arguments, the type of the copy.
func callTypes(in *llvmir.Instr) []*llvmir.Type {
	var types []*llvmir.Type
	for i, a := range in.Args {
		if i < len(in.ByVal) && in.ByVal[i] != nil {
			types = append(types, in.ByVal[i])
			continue
		}
		types = append(types, a.Type)
	}
	return types
}

// signature returns a number for the ABI's passing of arguments and result: calls and functions with the same signature
// are compatible (contract, invalid-call). A nil result stands for any. Variadic functions have 0, which is compatible
// with every call.
func signature(l *llvmir.Layout, args []*llvmir.Type, ret *llvmir.Type, variadic bool) uint64 {
	if variadic {
		return 0
	}
	h := fnv.New64a()
	for _, t := range args {
		fmt.Fprintf(h, "%s;", clangir.Passed(l, t))
	}
	if ret != nil {
		fmt.Fprintf(h, "=%s", clangir.Passed(l, ret))
	}
	return h.Sum64() | 1
}
