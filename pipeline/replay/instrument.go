package replay

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/clang/asm"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A native run executes the verified module itself, instrumented: before each call of a function without a body the
// number of the call site is stored, and the runtime fills each new local variable. For example
//
//	%x = alloca i32
//	%c = call i32 @nd_int()
//
// becomes
//
//	%x = alloca i32
//	%up.0 = bitcast i32* %x to i8*
//	call void @unitproof_local(i32 7, i8* %up.0, i64 4)
//	store i32 8, i32* @unitproof_site
//	%c = call i32 @nd_int()
//
// So a native run requests its inputs at the same points as the interpreter, including inputs that C cannot express,
// such as the content of an uninitialized variable in each of its lifetimes. All other code is as clang wrote it: each
// function is compiled as is, at -O0, with clang's own checks in it.

// instrumented is a module that can be linked with the runtime.
type instrumented struct {
	text []byte
	// watch selects the sanitizer; link has further options for the linker.
	watch sanitizer
	link  []string
	// impossible is why the module cannot be run natively; "" if it can.
	impossible string
}

var (
	attributeGroup = lazyregexp.New(`^attributes #\d+ = \{`)
	linkage        = lazyregexp.New(`^(define|@\S+ =) ((?:private|internal|linkonce_odr|linkonce|weak_odr|weak|common|appending|available_externally|extern_weak|external|dso_local|dso_preemptable|default|hidden|protected|unnamed_addr|local_unnamed_addr|comdat(?:\([^)]*\))?|thread_local(?:\([^)]*\))?) )*`)
	framePointer   = lazyregexp.New(` "(?:frame-pointer|probe-stack)"="[^"]*"`)
	memoryPromise  = lazyregexp.New(` memory\([^)]*\)`)
	functionGroup  = lazyregexp.New(` comdat(\([^)]*\))?`)
	declaredDebug  = lazyregexp.New(`^declare !dbg !\d+ `)
	// variablePlace finds the group and the section of a variable, and strings in its first group of parentheses.
	variablePlace = lazyregexp.New(`(c"[^"]*")|, comdat(?:\([^)]*\))?|, section "[^"]*"`)
)

// entryOf returns the entry of a function without a body; that of language.None for others.
func entryOf(f *llvmir.Func) language.Entry {
	if f == nil || len(f.Blocks) > 0 {
		return language.Entry{}
	}
	return language.Function(f.Name, f.Arity())
}

// isMath reports whether a function without a body is a function of the C library on floats.
func isMath(f *llvmir.Func) bool {
	if f.Ret.Kind != llvmir.FloatType || len(f.Params) == 0 {
		return false
	}
	for _, p := range f.Params {
		if p.Type.Kind != llvmir.FloatType {
			return false
		}
	}
	return language.FloatFunction(f.Name, f.Ret.Bits) != language.NoFloat
}

// instrument prepares a module for a native run.
//
// sizes has the sizes of variables of incomplete type, by name; missing has the weak functions without a definition. If
// the options accept findings, the program continues after reports of undefined behaviour, which may be accepted. aside
// is a file that does not guide random inputs.
func instrument(module []byte, m *clangir.Module, entry string, sizes map[string]uint64, missing map[string]bool,
	watch sanitizer, aside string, opts vcgen.Options) *instrumented {
	w := &instrumenter{m: m, entry: entry, reads: watch.reads, calls: watch.calls, sizes: sizes, missing: missing,
		aside:    aside,
		resumes:  len(opts.Accept) > 0,
		computes: goesOn(opts), opts: opts,
		checked:   func(k found.Kind) bool { return isChecked(opts, k) },
		constants: hasConstants(m),
		tracks:    slices.ContainsFunc(m.Funcs, func(f *llvmir.Func) bool { return entryOf(f).Role == language.IsModified })}
	if f := m.FuncByName[entry]; f == nil || len(f.Blocks) == 0 {
		return &instrumented{impossible: "the module has no function " + entry}
	}
	w.taken = m.AddressTaken()
	w.nameRuntime()
	sc := bufio.NewScanner(bytes.NewReader(module))
	sc.Buffer(nil, 1<<30)
	for sc.Scan() && w.impossible == "" {
		w.line(sc.Text())
	}
	if w.impossible == "" {
		w.frame()
	}
	slices.Sort(w.defsyms)
	return &instrumented{text: w.out.Bytes(), watch: watch, link: slices.Compact(w.defsyms), impossible: w.impossible}
}

// hasConstants reports whether memory becomes constant during the execution, or only a part of a variable is constant.
// Variables that are constant from the start are in read-only memory natively.
func hasConstants(m *clangir.Module) bool {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if len(m.Of(in).Constant) > 0 {
					return true
				}
			}
		}
	}
	return slices.ContainsFunc(m.Globals, func(g *llvmir.Global) bool { return len(clangir.ConstantMembers(g)) > 0 })
}

// instrumenter rewrites the text of a module line by line.
type instrumenter struct {
	m          *clangir.Module
	entry      string
	sizes      map[string]uint64
	missing    map[string]bool // weak functions that nothing defines
	aside      string
	out        bytes.Buffer
	impossible string
	resumes    bool
	computes   bool // operations without a result have an arbitrary one
	opts       vcgen.Options
	checked    func(found.Kind) bool
	expiring   map[int]bool // registers of temporaries of the function, see temporaries
	constants  bool         // writes to memory that became constant are reported
	tracks     bool         // writes are recorded for sea_is_modified
	reads      bool         // reads of bytes that were never written are reported
	calls      bool         // memcpy and the like are those of the sanitizer's runtime
	taken      map[*llvmir.Func]bool

	fn    *llvmir.Func // function of the current line
	byOrd map[int]*llvmir.Instr
	// before has the instructions that the reader added (lifetimes of literals), by the ordinal of the next instruction.
	before  map[int][]*llvmir.Instr
	never   map[*llvmir.Instr]bool // calls that do not return
	ordinal int
	inTable bool // inside the brackets of a switch
	fresh   int  // number of the next added register

	names    map[string]string // names in the runtime of the functions that it replaces
	declared map[string]bool   // names of the runtime that are declared
	defsyms  []string          // options of the linker
	globals  []*llvmir.Global
	scratch  []*llvmir.Type  // types of the variables for results of inline assembly
	handlers map[string]bool // handlers of the sanitizer that return here
	markers  map[string]bool // lifetime intrinsics that are declared or used
}

// emit writes a line. The format has typed pointers, see pointers.
func (w *instrumenter) emit(format string, args ...any) {
	fmt.Fprintf(&w.out, w.pointers(format)+"\n", args...)
}

// pointers converts a format with typed pointers to the module's form of pointers. If they are opaque, T* becomes ptr,
// and the argument for the type is printed with no character.
func (w *instrumenter) pointers(format string) string {
	if !w.m.OpaquePointers || !strings.Contains(format, "*") {
		return format
	}
	return strings.NewReplacer("i8*", "ptr", "i32*", "ptr", "%s*", "%.0sptr").Replace(format)
}

func (w *instrumenter) refuse(why string) {
	if w.impossible == "" {
		w.impossible = why
	}
}

func (w *instrumenter) line(s string) {
	switch {
	case w.fn != nil:
		w.body(s)
	case strings.HasPrefix(s, "define "):
		w.define(s)
	case strings.HasPrefix(s, "declare "):
		w.declare(s)
	case strings.HasPrefix(s, "@llvm."): // the runtime calls constructors, when the inputs are known
	case strings.HasPrefix(s, "@"):
		w.variable(s)
	case attributeGroup.MatchString(s):
		open := strings.IndexByte(s, '{') + 1
		s = framePointer.ReplaceAllString(s, "")
		if strings.Contains(s, `"target-cpu"="x86-64"`) { // else 16-byte atomics are calls of missing functions
			s = strings.Replace(s, `"target-features"="`, `"target-features"="+cx16,`, 1)
		}
		sanitize := "sanitize_address "
		if w.reads {
			sanitize = ""
		}
		if !w.m.Layout.X86() && !strings.Contains(s, " uwtable") { // see runtimeFlags
			sanitize += "uwtable "
		}
		w.emit("%s %s\"frame-pointer\"=\"all\"%s", s[:open], sanitize,
			memoryPromise.ReplaceAllString(strings.NewReplacer(" readnone", "", " readonly", "",
				" noreturn", "", " willreturn", "", " speculatable", "").Replace(s[open:]), ""))
	case strings.HasPrefix(s, "module asm"):
		w.refuse("the program has assembly outside functions")
	case strings.HasPrefix(s, "$"): // comdats: all definitions are internal
	default:
		// Version 4 has absolute file names, version 5 has names relative to a folder, which debug/dwarf also joins with
		// absolute names.
		w.emit("%s", strings.Replace(s, `!"Dwarf Version", i32 5`, `!"Dwarf Version", i32 4`, 1))
	}
}

// internal gives a definition internal linkage: a user's strlen must not replace that of the sanitizer's runtime.
// Debuggers find functions by their debug information.
func internal(s string) string {
	return linkage.ReplaceAllStringFunc(s, func(found string) string {
		first, rest, _ := strings.Cut(found, " ")
		if first != "define" { // @name =
			first, rest = strings.TrimSuffix(first+" =", " "), strings.TrimPrefix(rest, "= ")
		}
		keep := "internal "
		for _, word := range strings.Fields(rest) {
			if word == "unnamed_addr" || word == "private" || strings.HasPrefix(word, "thread_local") {
				if word == "private" {
					keep = "private " + strings.TrimPrefix(keep, "internal ")
					continue
				}
				keep += word + " "
			}
		}
		return first + " " + keep
	})
}

func (w *instrumenter) define(s string) {
	name := nameIn(s)
	if name == "" {
		w.refuse("a function without a name")
		return
	}
	f := w.m.FuncByName[unquote(name)]
	if f == nil {
		w.refuse("the function " + name + " was not read")
		return
	}
	if f.Unsupported != "" {
		w.refuse(f.Unsupported)
	}
	w.fn, w.ordinal, w.byOrd, w.never = f, 0, map[int]*llvmir.Instr{}, map[*llvmir.Instr]bool{}
	w.before, w.expiring = map[int][]*llvmir.Instr{}, temporaries(f)
	for _, b := range f.Blocks {
		var added []*llvmir.Instr
		for k, in := range b.Instrs {
			if in.Ordinal >= 0 {
				w.byOrd[in.Ordinal] = in
				w.before[in.Ordinal], added = added, nil
			} else {
				added = append(added, in)
			}
			if in.Op == llvmir.OpCall && clangir.NeverReturns(f, b, k) {
				w.never[in] = true
			}
		}
	}
	s = functionGroup.ReplaceAllString(internal(w.rename(s)), "")
	if w.aside != "" && f.Loc != nil && f.Loc.File == w.aside {
		s = groupReference.ReplaceAllString(s, " nosanitize_coverage$0")
	}
	w.emit("%s", s)
}

// groupReference finds the group of attributes in the first line of a definition.
var groupReference = lazyregexp.New(` #\d+ `)

func unquote(name string) string { return strings.Trim(name, `"`) }

// rename replaces names of the library by those of the runtime, unless the program defines the function.
func (w *instrumenter) rename(s string) string {
	if !strings.Contains(s, "@") {
		return s
	}
	return string(asm.Rename([]byte(s), func(name string, _ int) string {
		return cmp.Or(w.renamedTo(unquote(name)), name)
	}))
}

// nameIn returns the name of the function or variable that a line defines or declares, with quotes; "" if it has none.
func nameIn(line string) string {
	at := asm.NameStart([]byte(line))
	if at < 0 {
		return ""
	}
	return string(asm.GlobalName([]byte(line[at+1:])))
}

func (w *instrumenter) renamedTo(name string) string {
	return w.names[name]
}

// copies are the functions of the sanitizer's runtime that copy memory.
var copies = map[language.Role]string{language.Memcpy: "__asan_memcpy", language.Memmove: "__asan_memmove",
	language.Memset: "__asan_memset"}

// nameRuntime chooses the names of the runtime's functions. In LLVM 14 a function has one type: if the program declares
// two names of the same runtime function with different types, the later ones are aliases, defined by options of the
// linker.
func (w *instrumenter) nameRuntime() {
	w.names, w.declared, w.markers, w.handlers = map[string]string{}, map[string]bool{}, map[string]bool{},
		map[string]bool{}
	types := map[string][]string{}
	for _, f := range w.m.Funcs {
		to := entryOf(f).StandIn()
		if w.calls && to == "" {
			to = copies[entryOf(f).Role]
		}
		if to == "" {
			continue
		}
		t := typeText(f.Type)
		k := slices.Index(types[to], t)
		if k < 0 {
			k = len(types[to])
			types[to] = append(types[to], t)
		}
		if k > 0 {
			alias := fmt.Sprintf("%s.%d", to, k)
			w.defsyms = append(w.defsyms, fmt.Sprintf("-Wl,--defsym=%s=%s", alias, to))
			to = alias
		}
		w.names[f.Name] = to
	}
}

// variable makes a variable internal, and defines it if it is only declared.
func (w *instrumenter) variable(s string) {
	name := nameIn(s)
	ref := "@" + name
	g := w.m.GlobalByName[unquote(name)]
	if g == nil { // an alias, or a global that is not read
		w.emit("%s", w.rename(s))
		return
	}
	w.globals = append(w.globals, g)
	if g.Init != nil {
		s = internal(w.rename(s))
		w.emit("%s", variablePlace.ReplaceAllString(s, "$1"))
		return
	}
	debug := ""
	if i := strings.Index(s, ", !dbg "); i >= 0 {
		debug = s[i:]
	}
	switch t := g.Type; {
	case t.Kind == llvmir.OpaqueType || t.Kind == llvmir.ArrayType && t.Len == 0:
		n := max(w.sizes[g.Name], 1)
		w.emit("@unitproof.storage.%d = internal global [%d x i8] zeroinitializer, align 16", len(w.globals), n)
		w.emit("%s = internal alias %s, bitcast (%s* @unitproof.storage.%d to %s*)", ref, typeText(t),
			fmt.Sprintf("[%d x i8]", n), len(w.globals), typeText(t))
	default:
		// Constant variables are writable here: they are filled at the start.
		w.emit("%s = internal global %s zeroinitializer, align %d%s", ref, typeText(t), max(g.Align, t.Align, 1), debug)
	}
}

// declare keeps declarations of library functions and of the runtime, and defines the other functions.
func (w *instrumenter) declare(s string) {
	quoted := nameIn(s)
	if quoted == "" {
		w.emit("%s", s)
		return
	}
	name := unquote(quoted)
	f := w.m.FuncByName[name]
	switch {
	case strings.HasPrefix(name, "llvm.lifetime."):
		w.markers["declared "+name] = true
		w.emit("%s", s)
	case strings.HasPrefix(name, "llvm.") || f == nil || clangir.SanitizerCheck(f) != "":
		w.emit("%s", s)
	case w.missing[name]: // its address is NULL
		w.emit("%s", s)
	case entryOf(f).Native() == language.NativeNever:
		w.refuse("it uses " + name)
	case w.renamedTo(name) != "":
		if !w.declared[w.renamedTo(name)] {
			w.declared[w.renamedTo(name)] = true
			w.emit("%s", dropMetadata(w.rename(s)))
		}
	case entryOf(f).Native() == language.NativeLibrary || isMath(f):
		w.emit("%s", s)
	default:
		w.stub(s, quoted, f)
	}
}

// dropMetadata removes the debug information of a declaration; the definition has its own.
func dropMetadata(s string) string {
	return declaredDebug.ReplaceAllString(s, "declare ")
}

// stub defines a missing function: its result and its writes to memory are inputs.
func (w *instrumenter) stub(s, name string, f *llvmir.Func) {
	s = dropMetadata(s)
	s = "define internal " + strings.TrimPrefix(s, "declare ")
	s = strings.NewReplacer(" dso_local", "", " extern_weak", "", " external", "").Replace(s)
	w.emit("%s {", s)
	w.emit("entry:")
	if language.Lookup(f.Name).MayChangeErrno() {
		w.emit("  call void @unitproof_may_change_errno()")
	}
	t := typeText(f.Ret)
	if f.Ret.Kind != llvmir.VoidType {
		w.emit("  %%up.r = alloca %s, align 16", t)
		w.leaves("%up.r", t, f.Ret, "", func(pointer string, bits int) {
			w.emit("  call void @unitproof_result(i8* %s, i32 %d)", pointer, bits)
		})
	}
	if i := f.InMemory(); i >= 0 {
		w.emit("  %%up.m = bitcast %s %%%d to i8*", typeText(f.Params[i].Type), i)
		w.emit("  call void @unitproof_structure(i8* %%up.m, i64 %d)", f.Params[i].Pointee().Size)
	}
	if !entryOf(f).WritesNothing() {
		w.emit("  call void @unitproof_writes()")
	}
	if f.NoReturn {
		w.emit("  call void @unitproof_end()")
	}
	if f.Ret.Kind == llvmir.VoidType {
		w.emit("  ret void\n}")
		return
	}
	w.emit("  %%up.v = load %s, %s* %%up.r\n  ret %s %%up.v\n}", t, t, t)
}

// pointerBits marks a value as an address outside all objects.
const pointerBits = 1 << 16

// leaves calls f with an i8* to each scalar of a value in memory, in the interpreter's order of choices.
func (w *instrumenter) leaves(pointer, text string, t *llvmir.Type, path string, f func(pointer string, bits int)) {
	var parts []*llvmir.Type
	switch t.Kind {
	case llvmir.StructType:
		parts = t.Fields
	case llvmir.ArrayType, llvmir.VectorType:
		for range t.Len {
			parts = append(parts, t.Elem)
		}
	default:
		bits := t.Bits
		if t.Kind == llvmir.PointerType {
			bits = pointerBits
		}
		n := w.fresh
		w.fresh++
		if path == "" {
			w.emit("  %%up.%d = bitcast %s* %s to i8*", n, text, pointer)
		} else {
			w.emit("  %%up.%d.e = getelementptr %s, %s* %s, i32 0%s", n, text, text, pointer, path)
			w.emit("  %%up.%d = bitcast %s* %%up.%d.e to i8*", n, typeText(t), n)
		}
		f(fmt.Sprintf("%%up.%d", n), bits)
		return
	}
	for i, p := range parts {
		w.leaves(pointer, text, p, fmt.Sprintf("%s, i32 %d", path, i), f)
	}
}

var debugRef = lazyregexp.New(`, !dbg !\d+`)
