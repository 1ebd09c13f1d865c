package llvmir

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// read reads a module and verifies it.
func read(t *testing.T, text string, opts ReadOptions) *Module {
	t.Helper()
	m, err := Read([]byte(text), opts)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	if err := Verify(m); err != nil {
		t.Fatalf("Verify: %v", err)
	}
	shown(m)
	return m
}

// shown formats all instructions and constants; no content may break that.
func shown(m *Module) (n int) {
	for _, g := range m.Globals {
		n += len(g.Init.String())
	}
	for _, f := range m.Funcs {
		for _, in := range instrs(f) {
			n += len(in.String())
		}
	}
	return n
}

// instrs returns the instructions of a function.
func instrs(f *Func) []*Instr {
	var out []*Instr
	for _, b := range f.Blocks {
		out = append(out, b.Instrs...)
	}
	return out
}

func TestLayout(t *testing.T) {
	tests := []struct {
		typ               string
		size, store, algn int64
		offsets           []int64
	}{
		{"i1", 1, 1, 1, nil},
		{"i8", 1, 1, 1, nil},
		{"i24", 4, 3, 4, nil},
		{"i33", 8, 5, 8, nil},
		{"i64", 8, 8, 8, nil},
		{"i128", 16, 16, 8, nil}, // LLVM 14; clang aligns variables of this type to 16 explicitly
		{"half", 2, 2, 2, nil},
		{"float", 4, 4, 4, nil},
		{"double", 8, 8, 8, nil},
		{"x86_fp80", 16, 10, 16, nil},
		{"fp128", 16, 16, 16, nil},
		{"i8*", 8, 8, 8, nil},
		{"[3 x i16]", 6, 6, 2, nil},
		{"[0 x i32]", 0, 0, 4, nil},
		{"<4 x i32>", 16, 16, 16, nil},
		{"<3 x i32>", 16, 12, 16, nil},
		{"<8 x i1>", 1, 1, 1, nil},
		{"{ i8, i32 }", 8, 8, 4, []int64{0, 4}},
		{"<{ i8, i32 }>", 5, 5, 1, []int64{0, 1}},
		{"{ i8, { i16, i64 }, i8 }", 32, 32, 8, []int64{0, 8, 24}},
		{"{ i8, x86_fp80 }", 32, 32, 16, []int64{0, 16}},
		{"{}", 0, 0, 1, []int64{}},
		{"%node", 24, 24, 8, []int64{0, 8, 16}},
	}
	for _, tt := range tests {
		t.Run(tt.typ, func(t *testing.T) {
			m := read(t, "%node = type { %node*, i8, %node* }\n@g = external global "+tt.typ, ReadOptions{})
			g := m.GlobalByName["g"].Type
			if g.Size != tt.size || g.StoreSize != tt.store || g.Align != tt.algn || !slices.Equal(g.Offsets, tt.offsets) {
				t.Errorf("size %d, store size %d, alignment %d, offsets %v", g.Size, g.StoreSize, g.Align, g.Offsets)
			}
			if got := g.String(); got != tt.typ {
				t.Errorf("String() = %s", got)
			}
		})
	}
}

func TestTypesAreCanonical(t *testing.T) {
	// %a and %b contain each other by value and by pointer, in either order.
	m := read(t, `
%a = type { %b*, i32 }
%b = type { %a, i8 }
@x = external global %b
@y = external global %a
@p = external global %b*
@q = external global { i32, [2 x %a*] }
@r = external global { i32, [2 x %a*] }`, ReadOptions{})
	g := func(name string) *Type { return m.GlobalByName[name].Type }
	if g("x").Fields[0] != g("y") || g("y").Fields[0] != g("p") || g("p").Elem != g("x") {
		t.Error("recursive types are duplicated")
	}
	if g("q") != g("r") {
		t.Error("equal literal types differ")
	}
	if g("x").Size != 24 || g("x").Offsets[1] != 16 {
		t.Errorf("layout of %%b: size %d, offsets %v", g("x").Size, g("x").Offsets)
	}
}

func TestConstants(t *testing.T) {
	tests := []struct{ typ, value, want string }{
		{"i8", "-1", "255"},
		{"i1", "true", "1"},
		{"i128", "-2", "340282366920938463463374607431768211454"},
		{"float", "1.500000e+00", "0x3fc00000"},
		{"double", "1.000000e-01", "0x3fb999999999999a"},
		{"double", "0xFFF0000000000000", "0xfff0000000000000"},
		{"double", "0x7FF8000000000000", "0x7ff8000000000000"},
		{"double", "0xFFF8000000000123", "0xfff8000000000123"},
		{"float", "0x7FF80000A0000000", "0x7fc00005"},
		{"half", "0xH3E00", "0x3e00"},
		{"[1 x double]", "[double 0x7FF8000000000001]", "{0x7ff8000000000001}"},
		{"<2 x i8>", "<i8 1, i8 undef>", "{1, undef}"},
		{"<{ i8, i32 }>", "<{ i8 1, i32 2 }>", "{1, 2}"},
		{"i8*", "getelementptr (i8, i8* inttoptr (i64 16 to i8*), i64 4)", "(gep i8* (inttoptr i8* 16) + 4)"},
		{"i32*", "getelementptr inbounds ({ [2 x i32] }, { [2 x i32] }* bitcast (%s* @s to { [2 x i32] }*), i64 0, i32 0, " +
			"inrange i64 1)", "@s+4"},
		{"x86_fp80", "0xK3FFF8CCCCCCCCCCCCCCD", "0x3fff8ccccccccccccccd"},
		{"x86_fp80", "0xK7FFF8000000000000000", "0x7fff8000000000000000"},
		{"i32", "zeroinitializer", "0"},
		{"[2 x i16]", "zeroinitializer", "zero"},
		{"[2 x i8]", "[i8 65, i8 66]", `"AB"`},
		{"[3 x i8]", `c"a\00\22"`, `"a\x00\""`},
		{"[18 x i8]", `c"0x7FF4000000000001"`, `"0x7FF4000000000001"`},
		{"i8*", "bitcast (%s* @s to i8*)", "@s"},
		{"i32*", "getelementptr inbounds (%s, %s* @s, i64 1, i32 2, i64 -1)", "@s+28"},
		{"i8*", "getelementptr (i8, i8* bitcast (%s* getelementptr (%s, %s* @s, i64 1) to i8*), i64 3)", "@s+27"},
		{"i64", "ptrtoint (i32* getelementptr (%s, %s* null, i64 0, i32 1) to i64)", "4"},
		{"i64", "sub (i64 ptrtoint (i32* getelementptr (%s, %s* @s, i64 0, i32 1) to i64), i64 ptrtoint (%s* @s to i64))",
			"4"},
		{"i64", "ptrtoint (%s* @s to i64)", "(ptrtoint i64 @s)"},
		{"i8*", "inttoptr (i64 4096 to i8*)", "(inttoptr i8* 4096)"},
		{"i8*", "inttoptr (i64 ptrtoint (%s* @s to i64) to i8*)", "@s"},
		{"i1", "icmp eq (i8* bitcast (%s* @s to i8*), i8* getelementptr (i8, i8* bitcast (%s* @s to i8*), i64 0))", "1"},
		{"i1", "icmp ult (i8* bitcast (%s* @s to i8*), i8* null)", "(icmp ult i1 @s, null)"},
		{"i32", "select (i1 icmp ne (%s* @s, %s* null), i32 1, i32 2)", "(select i32 (icmp ne i1 @s, null), 1, 2)"},
		{"i32", "select (i1 true, i32 7, i32 8)", "7"},
		{"i8", "add (i8 200, i8 100)", "44"},
		{"i8", "sdiv (i8 -128, i8 -1)", "(sdiv i8 128, 255)"},
		{"i8", "ashr (i8 -128, i8 3)", "240"},
		{"i8", "shl (i8 1, i8 8)", "(shl i8 1, 8)"},
		{"i64", "sext (i8 -1 to i64)", "18446744073709551615"},
		{"i8", "trunc (i64 511 to i8)", "255"},
		{"double", "bitcast (i64 4607182418800017408 to double)", "0x3ff0000000000000"},
		{"i8*", "bitcast (i32 ()* @f to i8*)", "@f"},
		{"i8*", "bitcast (i32* @alias to i8*)", "@s+4"},
	}
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			m := read(t, fmt.Sprintf("%%s = type { i32, i32, [4 x i32] }\n@s = global %%s zeroinitializer\n"+
				"@alias = alias i32, getelementptr (%%s, %%s* @s, i64 0, i32 1)\ndeclare i32 @f()\n@g = global %s %s", tt.typ,
				tt.value), ReadOptions{})
			if got := m.GlobalByName["g"].Init.String(); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAddressComputations(t *testing.T) {
	tests := []struct{ index, want string }{
		{"%s, %s* %p, i64 0", "%0 + 0"},
		{"%s, %s* %p, i64 2, i32 1", "%0 + 52"},
		{"%s, %s* %p, i64 %i", "%0 + 0 + %1*24"},
		{"%s, %s* %p, i64 %i, i32 2, i32 %j", "%0 + 8 + %1*24 + %2*4"},
		{"%s, %s* %p, i64 -1, i32 2, i32 3", "%0 + -4"},
		{"i8, i8* %q, i32 %j", "%3 + 0 + %2*1"},
		{"{}, {}* %e, i64 %i", "%4 + 0"}, // a scale of zero is dropped
	}
	for _, tt := range tests {
		t.Run(tt.index, func(t *testing.T) {
			m := read(t, "%s = type { i32, i32, [4 x i32] }\ndefine void @f(%s* %p, i64 %i, i32 %j, i8* %q, {}* %e) {\n"+
				"%r = getelementptr inbounds "+tt.index+"\nret void\n}", ReadOptions{})
			in := m.Funcs[0].Blocks[0].Instrs[0]
			_, got, _ := strings.Cut(in.String(), "* ")
			if got != tt.want || !in.Inbounds {
				t.Errorf("got %s", in)
			}
		})
	}
}

func TestIntrinsicStem(t *testing.T) {
	for name, want := range map[string]string{
		"llvm.memcpy.p0i8.p0i8.i64":                    "memcpy",
		"llvm.sadd.with.overflow.i32":                  "sadd.with.overflow",
		"llvm.lifetime.start.p0i8":                     "lifetime.start",
		"llvm.trap":                                    "trap",
		"llvm.va_start":                                "va_start",
		"llvm.umin.v32i8":                              "umin",
		"llvm.masked.load.v4f32.p0v4f32":               "masked.load",
		"llvm.fptosi.sat.i32.f64":                      "fptosi.sat",
		"llvm.ptr.annotation.p0s_struct.foos":          "ptr.annotation",
		"llvm.experimental.constrained.sitofp.f64.i32": "experimental.constrained.sitofp",
		"llvm.x86.avx.ptestz.256":                      "x86.avx.ptestz.256",
		"llvm.x86.sse42.crc32.32.8":                    "x86.sse42.crc32.32.8",
		"llvm.is.constant.i32":                         "is.constant",
	} {
		if got := intrinsicStem(name); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

const linkageModule = `
@pub = global i32 1
@priv = internal constant i32 2
@str = private unnamed_addr constant [1 x i8] zeroinitializer
@tls = thread_local global i32 3
@llvm.used = appending global [1 x i8*] [i8* bitcast (i32* @pub to i8*)], section "llvm.metadata"
@llvm.global_ctors = appending global [3 x { i32, void ()*, i8* }] [
  { i32, void ()*, i8* } { i32 65535, void ()* @late, i8* null },
  { i32, void ()*, i8* } { i32 101, void ()* @early, i8* null },
  { i32, void ()*, i8* } { i32 65535, void ()* @last, i8* null }]
@other = alias void (), void ()* @early
@picked = ifunc i32 (i32), i32 (i32)* ()* @resolver
declare i32 (i32)* @resolver()
define internal void @late() { ret void }
define void @early() { ret void }
define void @last() { ret void }
declare void @stop() #0
declare void @ext(i8*, i8*)
define void @main(i64* byval(i64) align 8 %x, i32* sret(i32) %y) {
  call void @other()
  call void @stop() #0
  call void @main(i64* byval(i64) align 8 %x, i32* sret(i32) %y)
  %r = call i32 @picked(i32 1)
  %f = bitcast i64* %x to void ()*
  call void %f()
  call void bitcast (void ()* @late to void (i32)*)(i32 3)
  unreachable
}
attributes #0 = { nounwind noreturn }
`

func TestModuleFacts(t *testing.T) {
	m := read(t, linkageModule, ReadOptions{})
	g := func(name string) *Global { return m.GlobalByName[name] }
	if !g("pub").External || g("priv").External || !g("priv").Constant || g("pub").Constant {
		t.Error("linkage or constness is wrong")
	}
	if !g("str").UnnamedAddr || g("pub").UnnamedAddr || !g("tls").ThreadLocal || g("pub").ThreadLocal {
		t.Error("unnamed_addr or thread_local is wrong")
	}
	if len(m.Globals) != 4 {
		t.Errorf("%d globals: llvm.* are no objects", len(m.Globals))
	}
	var ctors []string
	for _, f := range m.Ctors {
		ctors = append(ctors, f.Name)
	}
	if !slices.Equal(ctors, []string{"early", "late", "last"}) {
		t.Errorf("constructors %v", ctors)
	}
	f := func(name string) *Func { return m.FuncByName[name] }
	if f("other") != f("early") {
		t.Error("an alias is not its target")
	}
	if f("picked").Unsupported == "" {
		t.Error("an ifunc is supported")
	}
	if !f("stop").NoReturn || f("main").NoReturn || f("late").External || !f("main").External {
		t.Error("noreturn or linkage of functions is wrong")
	}
	main := f("main")
	if main.Params[0].ByVal != m.FuncByName["main"].Type.Params[0].Elem || main.Params[0].Align != 8 ||
		main.Params[1].SRet == nil {
		t.Errorf("parameters %+v", main.Params)
	}
	calls := instrs(main)
	if c := calls[0].Callee.Const; c == nil || c.Func != f("early") {
		t.Error("a call of an alias does not call its target")
	}
	if !calls[1].NoReturn || calls[0].NoReturn {
		t.Error("noreturn at call sites is wrong")
	}
	if b := calls[2].ByVal; len(b) != 2 || b[0] == nil || b[1] != nil || calls[0].ByVal != nil {
		t.Errorf("byval arguments %v", b)
	}
	if calls[5].Callee.Kind != OperandReg {
		t.Error("an indirect call has no register as callee")
	}
	if c := calls[6]; c.Callee.Const.Func != f("late") || len(c.FuncType.Params) != 1 {
		t.Error("a call through a cast loses its function or its type")
	}
}

func TestControlFlow(t *testing.T) {
	m := read(t, `
define i32 @f(i32 %x) {
entry:
  switch i32 %x, label %d [ i32 1, label %m
                            i32 -2, label %m ]
d:
  br label %m
dead:
  br label %m
m:
  %r = phi i32 [ 5, %entry ], [ 5, %entry ], [ %later, %dead ], [ 6, %d ]
  %later = add i32 %r, 1
  ret i32 %later
}`, ReadOptions{})
	f := m.Funcs[0]
	if s := f.Blocks[0].Term().String(); s != "#1 switch %0 -> 1, 1 -> 3, 4294967294 -> 3" {
		t.Errorf("switch: %s", s)
	}
	if p := f.Blocks[3].Preds; !slices.Equal(p, []int{0, 1, 2}) {
		t.Errorf("predecessors %v", p)
	}
	if s := f.Blocks[3].Instrs[0].String(); s != "#4 %1 = phi i32 5 from 0, %2 from 2, 6 from 1" {
		t.Errorf("phi: %s", s)
	}
	if !slices.Equal(f.RegNames, []string{"x", "r", "later"}) {
		t.Errorf("registers %v", f.RegNames)
	}
}

// instructionTests have one instruction of each kind and its dump.
var instructionTests = []struct{ text, want string }{
	{"%r = freeze i32 %x", "%3 = freeze i32 %0"},
	{"%r = fneg double %d", "%3 = fneg double %1"},
	{"%r = frem double %d, 2.0", "%3 = frem double %1, 0x4000000000000000"},
	{"%r = fcmp uge double %d, %d", "%3 = fcmp fuge i1 %1, %1"},
	{"%r = icmp sle i32 %x, -1", "%3 = icmp sle i1 %0, 4294967295"},
	{"%r = select i1 true, i32 %x, i32 undef", "%3 = select i32 1, %0, undef"},
	{"%r = alloca i32, i32 %x, align 16", "%3 = alloca i32* i32 x %0 align 16"},
	{"%r = alloca i32", "%3 = alloca i32* i32 x 1 align 4"},
	{"%r = load volatile i32, i32* %p, align 2", "%3 = load i32 %2 align 2"},
	{"store atomic i32 1, i32* %p seq_cst, align 4", "store 1, %2 align 4"},
	{"%r = cmpxchg i32* %p, i32 %x, i32 3 seq_cst seq_cst, align 4", "%3 = cmpxchg { i32, i1 } %2, %0, 3"},
	{"%r = atomicrmw xchg i32* %p, i32 %x seq_cst, align 4", `%3 = atomicrmw i32 %2, %0 "xchg"`},
	{"fence seq_cst", "fence"},
	{"%r = insertvalue { i32, i8 } undef, i32 %x, 0", "%3 = insertvalue { i32, i8 } undef, %0 [0]"},
	{"%r = extractvalue { i32, [2 x i8] } zeroinitializer, 1, 0", "%3 = extractvalue i8 zero [1 0]"},
	{"%r = insertelement <2 x i32> undef, i32 %x, i32 1", "%3 = insertelement <2 x i32> undef, %0, 1"},
	{"%r = extractelement <2 x i32> zeroinitializer, i32 %x", "%3 = extractelement i32 zero, %0"},
	{"%r = shufflevector <2 x i32> undef, <2 x i32> undef, <3 x i32> <i32 2, i32 undef, i32 0>",
		"%3 = shufflevector <3 x i32> undef, undef mask [2 -1 0]"},
	{"%r = va_arg i32* %p, i32", `%3 = unsupported i32 %2 "va_arg as an instruction"`},
	{"%r = addrspacecast i32* %p to i32 addrspace(1)*", "%3 = bitcast i32* %2"},
	{`%r = call i32 asm sideeffect "bswap $0", "=r,0"(i32 %x)`, `%3 = asm i32 %0 "bswap $0"`},
	{"%r = call nonnull align 16 i8* @f(i32 %x)", "%3 = call i8* @f %0"},
	{"call void @llvm.va_start(i8* null)", "call @llvm.va_start [va_start] null"},
	{"%r = getelementptr i32, <2 x i32*> undef, i64 1",
		`%3 = unsupported <2 x i32*> undef "an address computation on a vector of pointers"`},
}

const instructionFrame = "declare i8* @f(i32)\ndeclare void @llvm.va_start(i8*)\ndefine void @g(i32 %x, double %d, " +
	"i32* %p) {\n"

// everyInstruction returns a module with all of them.
func everyInstruction() string {
	var b strings.Builder
	b.WriteString(instructionFrame)
	for i, tt := range instructionTests {
		b.WriteString(strings.Replace(tt.text, "%r =", fmt.Sprintf("%%r%d =", i), 1) + "\n")
	}
	return b.String() + "ret void\n}"
}

// TestVAArg checks that va_arg becomes accesses of the memory that a va_list points to.
func TestVAArg(t *testing.T) {
	for _, p := range []struct{ pointer, list, number string }{{"i8*", "i8**", "i64*"}, {"ptr", "ptr", "ptr"}} {
		m, err := Read([]byte(strings.NewReplacer("PTR", p.pointer, "LIST", p.list).Replace(`
target datalayout = "e-m:e-p:16:16-i32:16-i64:16-f32:16-f64:16-a:8-n8:16-S16"
target triple = "msp430-none"
define i64 @f(LIST %l) {
  %x = va_arg LIST %l, i64
  %y = va_arg LIST %l, i64
  %z = add i64 %x, %y
  ret i64 %z
}
`)), ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(m); err != nil {
			t.Error(err)
		}
		f := m.FuncByName["f"]
		var ops []Op
		for _, in := range f.Blocks[0].Instrs {
			ops = append(ops, in.Op)
			if in.Op == OpGEP && in.GEP.Const != 8 {
				t.Errorf("the next argument is %d bytes behind", in.GEP.Const)
			}
		}
		want := []Op{OpLoad, OpGEP, OpStore, OpBitCast, OpLoad}
		if p.pointer == "ptr" {
			want = []Op{OpLoad, OpGEP, OpStore, OpLoad}
		}
		if want = append(append(want, want...), OpAdd, OpRet); !slices.Equal(ops, want) {
			t.Errorf("%v, want %v", ops, want)
		}
	}
}

// TestEveryInstruction reads one instruction of each kind and compares its dump.
func TestEveryInstruction(t *testing.T) {
	for _, tt := range instructionTests {
		t.Run(tt.text, func(t *testing.T) {
			m := read(t, instructionFrame+tt.text+"\nret void\n}", ReadOptions{})
			got := strings.TrimPrefix(m.FuncByName["g"].Blocks[0].Instrs[0].String(), "#1 ")
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestUnsupported(t *testing.T) {
	m := read(t, `
define i32 @f(i8* %p, i32 %x) {
  indirectbr i8* %p, [label %a, label %b]
a:
  callbr void asm sideeffect "", "X"(i8* blockaddress(@f, %b)) to label %b [label %a]
b:
  ret i32 %x
}
define void @naked() naked { unreachable }`, ReadOptions{})
	f := m.FuncByName["f"]
	if in := f.Blocks[1].Term(); in.Op != OpUnsupported || in.Text != "asm goto" || len(in.Succs) != 2 {
		t.Errorf("asm goto: %s", in)
	}
	if in := f.Blocks[0].Term(); in.Op != OpSwitch || len(in.Cases) != 2 || len(in.Succs) != 3 ||
		f.Blocks[in.Succs[0]].Term().Op != OpUnreachable || f.Blocks[in.Succs[2]].Name != "b" {
		t.Errorf("computed goto: %s", in)
	}
	if m.FuncByName["naked"].Unsupported == "" {
		t.Error("a naked function is supported")
	}
}

func TestErrors(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"syntax", "@a = global i32 0\ndefine void @f() {\n  frobnicate i32 3\n}", "line 3"},
		{"attribute", "define void @f() {\n  ret void\n}\ndefine void @g() quantumsafe {\n  ret void\n}", "line 4"},
		{"target", "target triple = \"sparc-linux-gnu\"", "not supported"},

		{"undefined register", "define i32 @f() {\n  ret i32 %x\n}", "line 2"},
		{"unknown enumerator",
			"@x = global i32 0, !dbg !0\n!0 = !DIGlobalVariable(name: \"x\", type: !1)\n!1 = !DIDerivedType(tag: " +
				"DW_TAG_quantum_type, baseType: null)", "line 3"},
		{"absurd vector", "define void @f() {\n  %r = shufflevector <2 x i8> undef, <2 x i8> undef, <99999999999 x i32> " +
			"zeroinitializer\n  ret void\n}", "mask"},
		{"self-containing type", "%a = type { i32, %a }\n@x = external global %a", "contains itself"},
		{"too large", "@x = external global [4611686018427387904 x [4 x i64]]", "too large"},
		{"alias cycle", "@a = alias i32, i32* @b\n@b = alias i32, i32* @a", "itself"},
		{"deep nesting", "@x = external global " + strings.Repeat("[1 x ", maxNesting+1) + "i8" +
			strings.Repeat("]", maxNesting+1), "line 1"},
		{"deep pointers", "@x = external global i8" + strings.Repeat("*", maxNesting+1), "line 1"},
		{"bad debug variable", "declare void @llvm.dbg.declare(metadata, metadata, metadata)\ndefine void @f(i8* %p) {\n" +
			"  call void @llvm.dbg.declare(metadata i8* %p, metadata !0, metadata !DIExpression())\n  ret void\n}\n!0 = !{}",
			"names no variable"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read([]byte(tt.text), ReadOptions{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// TestRefusals has texts that must be rejected. Each error has the line.
func TestRefusals(t *testing.T) {
	const frame = "%s = type { i32, i8 }\ndeclare i32 @e(i32)\ndefine i32 @f(i32 %x, i8* %p) {\n"
	for _, tt := range []struct{ text, want string }{
		{"%r = frobnicate i32 %x", "not known"},
		{"%r = add disjoint i32 %x, 1", "disjoint"},
		{"%r = add exact i32 %x, 1", "exact"},
		{"%r = udiv nsw i32 %x, 1", "nsw"},
		{"%r = add i64 %x, 1", "has type i32, not i64"},
		{"%r = add i32 %x, 1.0", "no constant of type i32"},
		{"%r = add i32 %x, 99999999999", "too large"},
		{"%r = add i32 %x, %late\n%late = add i8 1, 1", "has type i8 here"},
		{"%r = add i32 %x, %nowhere", "not defined"},
		{"%x = add i32 1, 1", "defined twice"},
		{"%7 = add i32 1, 1", "number 7 stands where 1 belongs"},
		{"%r = icmp quantum i32 %x, 1", "no predicate"},
		{"%r = load i32, i8* %p", "a pointer of type i8* to a value of type i32"},
		{"%r = load i32, ptr %p", "whose pointers have none"},
		{"%r = load atomic i8, i8* %p sometimes, align 1", "no memory order"},
		{"%r = load i8, i8* %p, align 1, size 3", "stands where metadata belongs"},
		{"store i32 1, i8* %p", "a pointer of type i8* to a value of type i32"},
		{"%r = getelementptr %s, %s* null, i64 0, i32 2", "no such field"},
		{"%r = getelementptr i32, i8* %p, i64 0", "a base of type i8*"},
		{"%r = extractvalue { i32, i8 } undef, 2", "no member 2"},
		{"%r = call i32 @e(i64 1)", "stands where one of type"},
		{"%r = call i32 @e(i32 1, i32 2)", "stands where one of type"},
		{"%r = call i32 @nobody(i32 1)", "no object"},
		{"%r = call i32 @e(i32 quantum 1)", "quantum"},
		{"%r = call i32 @e(i32 1) quantum", "quantum"},
		{"%r = call quantumcc i32 @e(i32 1)", "quantumcc"},
		{"%r = call i32 @e(i32 1) #9", "#9 are not defined"},
		{"%r = call void @f2()", "no object"},
		{"%r = fence seq_cst", "result of an instruction without one"},
		{"%r = atomicrmw quantum i8* %p, i8 1 seq_cst", "no operation"},
		{"%r = bitcast %t* null to i8*", "%t is not defined"},
		{"%r = add i32 1, 1, !dbg !9", "!9 is not defined"},
		{"br label %nowhere", "block %nowhere is not defined"},
		{"br i32 %x, label %a, label %a", "a branch on a value of type i32"},
		{"ret i8 1", "a result of type i8"},
		{"switch i32 %x, label %a [ i8 1, label %a ]", "a case of type i8"},
		{"%r = add i32 1, 1\nagain:", "no terminator"},
		{"%r = select i8 1, i32 1, i32 2", "a choice by a value"},
		{"%r = select i1 true, i32 1, i8 2", "select of i32 and i8"},
		{"%r = phi i32 [ 1, %nowhere ]", "block %nowhere is not defined"},
		{"%r = add i32 trunc (i64 5 to i8), 1", "a constant of type i8"},
		{"%r = add i32 fshl (i32 5, i32 5), 1", "\"fshl\" is not known"},
		{"%r = extractelement <2 x i8> [i8 1, i8 2], i32 0", "stands where a constant"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			_, err := Read([]byte(frame+tt.text+"\nret i32 0\n}"), ReadOptions{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "line ") {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	for _, tt := range []struct{ text, want string }{
		{"@a = quantum global i32 0", "stands where a variable belongs"},
		{"@a = global i32 0, quantum", "not known"},
		{"@a = global i32 0\n@a = global i32 1", "defined twice"},
		{"@a = global [2 x i8] c\"abc\"", "a string of 3 bytes"},
		{"@a = global [2 x i32] [i32 1]", "1 elements"},
		{"@a = global { i8, i32 } { i32 1, i8 1 }", "an element of type i32"},
		{"@a = global i32 0 @b = global i32 0", "stands where"},
		{"@a = global i32* @b", "no object"},
		{"@a = global i8* @b\n@b = global i32 0", "stands where one of type i8*"},
		{"@\"17\" = global i32 0", "looks like a number"},
		{"%t = type i32", "no struct"},
		{"%t = type { i32 }\n%t = type { i8 }", "defined twice"},
		{"%t = type { %u }", "%u is not defined"},
		{"declare void @f() quantum", "not known"},
		{"declare quantum void @f()", "no type"},
		{"define void @f() {\n}", "no blocks"},
		{"define void @f() {\nret void", "not closed"},
		{"define void @f(i32 %1) {\nret void\n}", "stands where %0 belongs"},
		{"define void @f() {\nret void\nret void\n}\n}", "begins nothing"},
		{"attributes #0 = { quantum }", "stands where"},
		{"attributes #0 = { memories(none) }", "memories"},
		{"!0 = !{}\n!0 = !{}", "defined twice"},
		{"!0 = !DILocation(line: 1", "not closed"},
		{"^0 = module: (path: \"x\")", "begins nothing"},
		{"uselistorder i32 1, { 1, 0 }", "begins nothing"},
		{"quantum", "begins nothing"},
		{"@a = global [4 x i8] c\"abc", "does not end"},
		{"@a = global i32 12ab", "no number"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			_, err := Read([]byte(tt.text), ReadOptions{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "line ") {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestVerifyFindsDefects(t *testing.T) {
	const text = "define i32 @f(i32 %x) {\n  %y = add i32 %x, 1\n  br label %b\nb:\n  %z = phi i32 [ %y, %0 ]\n  ret " +
		"i32 %z\n}"
	tests := []struct {
		name   string
		damage func(f *Func)
	}{
		{"no terminator", func(f *Func) { f.Blocks[1].Instrs = f.Blocks[1].Instrs[:1] }},
		{"register out of range", func(f *Func) { f.Blocks[0].Instrs[0].Args[0].Reg = 9 }},
		{"register defined twice", func(f *Func) { f.Blocks[0].Instrs[0].Dst = 0 }},
		{"phi edge", func(f *Func) { f.Blocks[1].Instrs[0].In[0] = 1 }},
		{"predecessors", func(f *Func) { f.Blocks[1].Preds = nil }},
		{"missing type", func(f *Func) { f.Blocks[0].Instrs[0].Type = nil }},
		{"numbering", func(f *Func) { f.Blocks[0].Instrs[0].ID = 7 }},
		{"argument type", func(f *Func) { f.Blocks[0].Instrs[0].Args[1].Type = f.Type }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := read(t, text, ReadOptions{})
			tt.damage(m.Funcs[0])
			if Verify(m) == nil {
				t.Error("Verify finds nothing")
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(linkageModule))
	f.Add([]byte("%a = type { %a* }\n@x = global { %a, [2 x i8] } zeroinitializer\ndefine void @f() !dbg !0 {\n  ret " +
		"void\n}\n!0 = distinct !DISubprogram(name: \"f\", type: !1)\n!1 = !DISubroutineType(types: !{null})"))
	f.Add([]byte("define <2 x i1> @f(<2 x i8> %x) {\n  %r = icmp eq <2 x i8> %x, <i8 1, i8 undef>\n  ret <2 x i1> %r\n}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(text, ReadOptions{})
		if err != nil {
			return
		}
		// Text that LLVM rejects may violate the invariants; it must not crash the tools.
		_ = Verify(m)
		shown(m)
	})
}
