package replay

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// instrumentText instruments a module whose entry is f, and checks that the result is assembly.
func instrumentText(t *testing.T, text string, watch sanitizer, opts vcgen.Options) *instrumented {
	t.Helper()
	m, err := clangir.Read([]byte(text), llvmir.ReadOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	out := instrument([]byte(text), m, "f", nil, nil, watch, "", opts)
	if out.impossible != "" {
		return out
	}
	after, err := clangir.Read(out.text, llvmir.ReadOptions{})
	if err == nil {
		err = llvmir.Verify(after.Module)
	}
	if err != nil {
		t.Errorf("what comes out is no assembly: %v\n%s", err, out.text)
	}
	return out
}

// bodyOf is the body of a function in a module's text, its lines trimmed.
func bodyOf(text []byte, name string) []string {
	_, rest, ok := strings.Cut(string(text), " @"+name+"(")
	if !ok {
		return nil
	}
	_, rest, _ = strings.Cut(rest, "\n")
	rest, _, _ = strings.Cut(rest, "\n}")
	var lines []string
	for l := range strings.Lines(rest) {
		lines = append(lines, strings.TrimSpace(l))
	}
	return lines
}

const declarations = `
%struct.pair = type { i32, i8* }
declare void @use(i32*)
declare i32 @given()
declare i8* @malloc(i64)
declare void @assume(i1)
declare i8* @memcpy(i8*, i8*, i64)
declare void @exit(i32) noreturn
declare void @takes(%struct.pair*)
declare void @__ubsan_handle_add_overflow(i8*, i64, i64)
declare void @__ubsan_handle_add_overflow_abort(i8*, i64, i64)
declare void @llvm.lifetime.start.p0i8(i64, i8*)
declare void @llvm.lifetime.end.p0i8(i64, i8*)
declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i1)
declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i1)
declare void @llvm.trap()
declare i32 @llvm.ctpop.i32(i32)
declare i64 @llvm.expect.with.probability.i64(i64, i64, double)
`

// TestInstrumentedInstructions checks the code around each instruction: the native run requests inputs at the same
// points as the interpreter. Sites are the numbers of the instructions.
func TestInstrumentedInstructions(t *testing.T) {
	reads := sanitizer{reads: true}
	accepting := vcgen.Options{Accept: []vcgen.AcceptRule{{Kind: found.SignedOverflow}}}
	unchecked := vcgen.Options{Semantics: found.Semantics{Checks: map[found.Kind]bool{found.DivisionByZero: false}}}
	tracking := "declare i1 @sea_is_modified(i8*)\n"
	for _, test := range []struct {
		what, more, params, body string
		watch                    sanitizer
		opts                     vcgen.Options
		want                     string
	}{
		{
			what: "a local variable gets its content",
			body: `
%x = alloca i32
ret void`,
			want: `
%x = alloca i32
%up.1 = bitcast i32* %x to i8*
call void @unitproof_local(i32 1, i8* %up.1, i64 4)
ret void`,
		},
		{
			what:   "so does one of variable size",
			params: "i32 %n",
			body: `
%x = alloca i16, i32 %n
ret void`,
			want: `
%x = alloca i16, i32 %n
%up.1 = bitcast i16* %x to i8*
%up.1.w = zext i32 %n to i64
%up.1.n = mul i64 %up.1.w, 2
call void @unitproof_local(i32 1, i8* %up.1, i64 %up.1.n)
call void @unitproof_added(i8* %up.1, i64 %up.1.n)
ret void`,
		},
		{
			what:   "and one of a size of 64 bits",
			params: "i64 %n",
			body: `
%x = alloca i16, i64 %n, align 16
ret void`,
			want: `
%x = alloca i16, i64 %n, align 16
%up.1 = bitcast i16* %x to i8*
%up.1.n = mul i64 %n, 2
call void @unitproof_local(i32 1, i8* %up.1, i64 %up.1.n)
call void @unitproof_added(i8* %up.1, i64 %up.1.n)
ret void`,
		},
		{
			what: "and again where its lifetime begins",
			body: `
%x = alloca i8
call void @llvm.lifetime.start.p0i8(i64 1, i8* %x)
call void @llvm.lifetime.end.p0i8(i64 1, i8* %x)
ret void`,
			want: `
%x = alloca i8
%up.1 = bitcast i8* %x to i8*
call void @unitproof_local(i32 1, i8* %up.1, i64 1)
call void @llvm.lifetime.start.p0i8(i64 1, i8* %x)
call void @unitproof_local(i32 2, i8* %x, i64 1)
call void @llvm.lifetime.end.p0i8(i64 1, i8* %x)
ret void`,
		},
		{
			what: "a call of a function without a body notes its site",
			body: `
%r = call i32 @given()
ret void`,
			want: `
store i32 1, i32* @unitproof_site
%r = call i32 @given()
ret void`,
		},
		{
			what: "a function of the library gets the runtime's name",
			body: `
%p = call i8* @malloc(i64 4)
call void @assume(i1 true)
ret void`,
			want: `
store i32 1, i32* @unitproof_site
%p = call i8* @unitproof_malloc(i64 4)
store i32 2, i32* @unitproof_site
call void @unitproof_assume(i1 true)
ret void`,
		},
		{
			what: "behind a call that does not return the execution ends",
			body: `
call void @exit(i32 1)
unreachable`,
			want: `
store i32 1, i32* @unitproof_site
call void @unitproof_exit(i32 1)
call void @unitproof_end()
unreachable`,
		},
		{
			what:   "a call through a pointer is checked",
			params: "void (i32*)* %h, i32 (i8)* %g",
			body: `
call void %h(i32* null)
%r = call i32 %g(i8 1)
%s = call i32 %g(i8 2)
%t = add i32 %s, 1
ret void`,
			want: `
store i32 1, i32* @unitproof_site
%up.1 = bitcast void (i32*)* %h to i8*
call void @unitproof_call(i8* %up.1, i64 5725443324511459123, i32 0)
call void %h(i32* null)
store i32 2, i32* @unitproof_site
%up.2 = bitcast i32 (i8)* %g to i8*
call void @unitproof_call(i8* %up.2, i64 5725443324511459123, i32 0)
%r = call i32 %g(i8 1)
store i32 3, i32* @unitproof_site
%up.3 = bitcast i32 (i8)* %g to i8*
call void @unitproof_call(i8* %up.3, i64 1105744753504722277, i32 1)
%s = call i32 %g(i8 2)
%t = add i32 %s, 1
ret void`,
		},
		{
			what:   "a copy's bounds are checked before it",
			params: "i8* %p, i8* %q",
			body: `
call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %p, i8* %q, i64 8, i1 false)
call void @llvm.memset.p0i8.i64(i8* %p, i8 0, i64 8, i1 false)
%r = call i8* @memcpy(i8* %p, i8* %q, i64 3)
ret void`,
			want: `
call void @unitproof_range(i8* %p, i8* %q, i64 8)
call void @llvm.memcpy.p0i8.p0i8.i64(i8* align 4 %p, i8* %q, i64 8, i1 false)
call void @unitproof_range(i8* %p, i8* null, i64 8)
call void @llvm.memset.p0i8.i64(i8* %p, i8 0, i64 8, i1 false)
store i32 3, i32* @unitproof_site
call void @unitproof_range(i8* %p, i8* %q, i64 3)
%r = call i8* @memcpy(i8* %p, i8* %q, i64 3)
ret void`,
		},
		{
			what: "a trap is told",
			body: `
call void @llvm.trap()
unreachable`,
			want: `
store i32 1, i32* @unitproof_site
call void @unitproof_trap()
call void @llvm.trap()
unreachable`,
		},
		{
			what: "what no backend knows is its operand",
			body: `
%r = call i64 @llvm.expect.with.probability.i64(i64 5, i64 1, double 9.0e-01)
ret void`,
			want: `
%r = or i64 5, 5
ret void`,
		},
		{
			what: "other intrinsics stay",
			body: `
%r = call i32 @llvm.ctpop.i32(i32 5)
ret void`,
			want: `
%r = call i32 @llvm.ctpop.i32(i32 5)
ret void`,
		},
		{
			what:   "assembly computes arbitrary values",
			params: "i32 %x",
			body: `
%r = call i32 asm "nop", "=r,r"(i32 %x)
ret void`,
			want: `
%up.1 = bitcast i32* @unitproof.scratch.0 to i8*
call void @unitproof_value(i32 1, i8* %up.1, i32 32)
%r = load i32, i32* @unitproof.scratch.0
ret void`,
		},
		{
			what:   "writes are recorded where something asks for them",
			more:   tracking,
			params: "i32* %p",
			body: `
store i32 1, i32* %p
store atomic volatile i32 1, i32* %p syncscope("singlethread") release, align 4
ret void`,
			want: `
%up.1 = bitcast i32* %p to i8*
call void @unitproof_wrote(i8* %up.1, i64 4)
store i32 1, i32* %p
%up.2 = bitcast i32* %p to i8*
call void @unitproof_wrote(i8* %up.2, i64 4)
store atomic volatile i32 1, i32* %p syncscope("singlethread") release, align 4
ret void`,
		},
		{
			what:   "else they are not",
			params: "i32* %p",
			body: `
store i32 1, i32* %p
ret void`,
			want: `
store i32 1, i32* %p
ret void`,
		},
		{
			what:   "reads are checked where that is asked for",
			watch:  reads,
			params: "i32* %p, %struct.pair* %q",
			body: `
%a = load i32, i32* %p
%b = load atomic i32, i32* %p syncscope("singlethread") acquire, align 4
%c = load %struct.pair, %struct.pair* %q
%d = bitcast i32* %p to i8*
%e = load i8, i8* %d
%bf.load = load i32, i32* %p
%bf.lshr = lshr i32 %bf.load, 3
%bf.clear = and i32 %bf.lshr, 15
ret void`,
			want: `
%up.1 = bitcast i32* %p to i8*
call void @unitproof_read(i8* %up.1, i64 4, i32 0)
%a = load i32, i32* %p
%up.2 = bitcast i32* %p to i8*
call void @unitproof_read(i8* %up.2, i64 4, i32 0)
%b = load atomic i32, i32* %p syncscope("singlethread") acquire, align 4
%c = load %struct.pair, %struct.pair* %q
%d = bitcast i32* %p to i8*
%up.3 = bitcast i8* %d to i8*
call void @unitproof_read(i8* %up.3, i64 1, i32 0)
%e = load i8, i8* %d
%up.4 = bitcast i32* %p to i8*
call void @unitproof_read_bits(i8* %up.4, i32 3, i32 4)
%bf.load = load i32, i32* %p
%bf.lshr = lshr i32 %bf.load, 3
%bf.clear = and i32 %bf.lshr, 15
ret void`,
		},
		{
			what:   "structs given by value take along what was never written",
			watch:  reads,
			params: "%struct.pair* byval(%struct.pair) %q",
			body: `
call void @takes(%struct.pair* byval(%struct.pair) align 8 %q)
ret void`,
			want: `
%up.1 = bitcast %"struct.pair"* %"q" to i8*
call void @unitproof_take(i8* %up.1, i64 16)
store i32 1, i32* @unitproof_site
%up.2 = bitcast %struct.pair* %q to i8*
call void @unitproof_give(i8* %up.2, i64 16)
call void @takes(%struct.pair* byval(%struct.pair) align 8 %q)
ret void`,
		},
		{
			what:   "a division that may have no result is computed by the runtime",
			opts:   unchecked,
			params: "i32 %x, i64 %y",
			body: `
%a = sdiv exact i32 %x, 3
%b = urem i64 %y, %y
%c = shl nuw nsw i32 %x, %x
%d = add i32 %x, %x
ret void`,
			want: `
%up.1.x = zext i32 %x to i64
%up.1.y = zext i32 3 to i64
%up.1.r = call i64 @unitproof_integer(i32 1, i32 1, i64 %up.1.x, i64 %up.1.y, i32 32)
%a = trunc i64 %up.1.r to i32
%up.2.x = add i64 %y, 0
%up.2.y = add i64 %y, 0
%b = call i64 @unitproof_integer(i32 2, i32 2, i64 %up.2.x, i64 %up.2.y, i32 64)
%up.3 = icmp uge i32 %"x", 32
%up.4 = zext i1 %up.3 to i32
call void @unitproof_undefined(i32 %up.4, i32 3)
%up.5.x = zext i32 %x to i64
%up.5.y = zext i32 %x to i64
%up.5.r = call i64 @unitproof_integer(i32 3, i32 4, i64 %up.5.x, i64 %up.5.y, i32 32)
%c = trunc i64 %up.5.r to i32
%d = add i32 %x, %x
ret void`,
		},
		{
			what:   "else it is left to the machine",
			params: "i32 %x",
			body: `
%a = sdiv i32 %x, 3
ret void`,
			want: `
%a = sdiv i32 %x, 3
ret void`,
		},
		{
			what:   "a conversion that may have no result",
			opts:   unchecked,
			params: "float %x, double %y",
			body: `
%a = fptosi float %x to i8
%b = fptoui double %y to i64
ret void`,
			want: `
%up.1 = fpext float %x to double
call void @unitproof_converted(i32 1, double %up.1, i32 8)
%up.2.x = fpext float %x to double
%up.2.r = call i64 @unitproof_to_integer(i32 1, i32 1, double %up.2.x, i32 8)
%a = trunc i64 %up.2.r to i8
call void @unitproof_converted(i32 0, double %y, i32 64)
%up.4.x = fadd double %y, -0.0
%b = call i64 @unitproof_to_integer(i32 2, i32 0, double %up.4.x, i32 64)
ret void`,
		},
		{
			what:   "the bits of a NaN are chosen",
			params: "float %x, double %y",
			body: `
%a = fadd float %x, %x
%b = fptrunc double %y to float
%c = fneg double %y
ret void`,
			want: `
%up.1.f = fadd float %x, %x
%a = call float @unitproof_nan32(i32 1, float %up.1.f)
%up.2.f = fptrunc double %y to float
%b = call float @unitproof_nan32(i32 2, float %up.2.f)
%c = fneg double %y
ret void`,
		},
		{
			what:   "a report of what is accepted returns",
			opts:   accepting,
			params: "i1 %ok",
			body: `
br i1 %ok, label %cont, label %handler
handler:
call void @__ubsan_handle_add_overflow_abort(i8* null, i64 0, i64 0) noreturn
unreachable
cont:
ret void`,
			want: `
br i1 %ok, label %cont, label %handler
handler:
call void @__ubsan_handle_add_overflow(i8* null, i64 0, i64 0) noreturn
br label %"cont"
cont:
ret void`,
		},
		{
			what:   "else it does not",
			params: "i1 %ok",
			body: `
br i1 %ok, label %cont, label %handler
handler:
call void @__ubsan_handle_add_overflow_abort(i8* null, i64 0, i64 0) noreturn
unreachable
cont:
ret void`,
			want: `
br i1 %ok, label %cont, label %handler
handler:
call void @__ubsan_handle_add_overflow_abort(i8* null, i64 0, i64 0) noreturn
call void @unitproof_end()
unreachable
cont:
ret void`,
		},
		{
			what:   "what no sanitizer looks at is checked",
			params: "<2 x i32> %x, <2 x i32> %y, i32 %z",
			body: `
%a = lshr <2 x i32> %x, %y
%b = udiv i32 %z, 3
%c = udiv i32 3, %z
ret void`,
			want: `
%up.1 = icmp uge <2 x i32> %"y", <i32 32, i32 32>
%up.2.bits = bitcast <2 x i1> %up.1 to i2
%up.2 = icmp ne i2 %up.2.bits, 0
%up.3 = zext i1 %up.2 to i32
call void @unitproof_undefined(i32 %up.3, i32 3)
%a = lshr <2 x i32> %x, %y
%b = udiv i32 %z, 3
%up.4 = icmp eq i32 %z, 0
%up.5 = zext i1 %up.4 to i32
call void @unitproof_undefined(i32 %up.5, i32 1)
%c = udiv i32 3, %z
ret void`,
		},
		{
			what:   "a table of a switch stays",
			params: "i32 %x",
			body: `
switch i32 %x, label %a [
    i32 1, label %b
  ]
a:
ret void
b:
ret void`,
			want: `
switch i32 %x, label %a [
i32 1, label %b
]
a:
ret void
b:
ret void`,
		},
	} {
		var body strings.Builder
		for l := range strings.Lines(strings.TrimPrefix(test.body, "\n")) {
			if !strings.HasSuffix(strings.TrimSpace(l), ":") && !strings.HasPrefix(l, " ") {
				body.WriteString("  ")
			}
			body.WriteString(l)
		}
		out := instrumentText(t, declarations+test.more+"define void @f("+test.params+") {\n"+body.String()+"\n}\n",
			test.watch, test.opts)
		got := strings.Join(bodyOf(out.text, "f"), "\n")
		if got != strings.TrimPrefix(test.want, "\n") {
			t.Errorf("%s: %s\ngot\n%s\nwant%s", test.what, out.impossible, got, test.want)
		}
	}
}

// TestInstrumentedDefinitions checks functions and variables of the module: definitions of the program stay and do not
// collide with the runtime's; missing ones get a body or storage.
func TestInstrumentedDefinitions(t *testing.T) {
	const entry = "define void @f() {\n  ret void\n}\n"
	for _, test := range []struct{ what, line, want string }{
		{"a function of the program is its own", "define dso_local hidden i32 @strlen(i8* %p) comdat {\n  ret i32 0\n}",
			"define internal i32 @strlen(i8* %p) {\n  ret i32 0\n}"},
		{"a malloc of the program keeps its name", "define i8* @malloc(i64 %n) {\n  ret i8* null\n}",
			"define internal i8* @malloc(i64 %n) {\n  ret i8* null\n}"},
		{"what a call of nothing gives is an input", "declare i8 @nd_byte()",
			"define internal i8 @nd_byte() {\nentry:\n  %up.r = alloca i8, align 16\n" +
				"  %up.0 = bitcast i8* %up.r to i8*\n  call void @unitproof_result(i8* %up.0, i32 8)\n" +
				"  %up.v = load i8, i8* %up.r\n  ret i8 %up.v\n}"},
		{"each part of a struct is one, a pointer is told as such", "declare { i16, [2 x i8*] } @nd_parts()",
			"  call void @unitproof_result(i8* %up.0, i32 16)\n" +
				"  %up.1.e = getelementptr { i16, [2 x i8*] }, { i16, [2 x i8*] }* %up.r, i32 0, i32 1, i32 0\n" +
				"  %up.1 = bitcast i8** %up.1.e to i8*\n  call void @unitproof_result(i8* %up.1, i32 65536)\n"},
		{"an unknown function may write", "declare void @g(i32*)",
			"define internal void @g(i32*) {\nentry:\n  call void @unitproof_writes()\n  ret void\n}"},
		{"printf does not", "declare i32 @printf(i8*, ...)", "  call void @unitproof_result(i8* %up.0, i32 32)\n  %up.v"},
		{"one that does not return ends the execution", "declare void @g() noreturn",
			"  call void @unitproof_end()\n  ret void\n}"},
		{"a function on floats is the library's", "declare double @sqrt(double)", "declare double @sqrt(double)\n"},
		{"a function that is only called like one is not", "declare i32 @sqrt(i32)", "define internal i32 @sqrt(i32) {"},
		{"a variable is internal", "@g = dso_local global i32 7, section \".data.mine\", align 4",
			"@g = internal global i32 7, align 4\n"},
		{"a string that contains a name keeps it",
			"@g = constant [14 x i8] c\"a@free, comdat\", comdat, align 1\ndeclare void @free(i8*)",
			"@g = internal constant [14 x i8] c\"a@free, comdat\", align 1\n"},
		{"a thread-local one stays so", "@g = thread_local global i32 7", "@g = internal thread_local global i32 7\n"},
		{"one that is declared only has storage, which can be written even if it is constant",
			"@g = external constant i64, align 8",
			"@g = internal global i64 zeroinitializer, align 8\n"},
		{"one of incomplete type is as large as is known elsewhere", "@g = external global [0 x i32]",
			"@unitproof.storage.1 = internal global [1 x i8] zeroinitializer, align 16\n" +
				"@g = internal alias [0 x i32], bitcast ([1 x i8]* @unitproof.storage.1 to [0 x i32]*)\n"},
	} {
		out := instrumentText(t, test.line+"\n"+entry, sanitizer{}, vcgen.Options{})
		if !strings.Contains(string(out.text), test.want) {
			t.Errorf("%s: %s\n%s\nwant\n%s", test.what, out.impossible, out.text, test.want)
		}
	}
}

// TestInstrumentedNames checks that one function of the runtime replaces several of the library, with aliases of the
// linker if their types differ.
func TestInstrumentedNames(t *testing.T) {
	out := instrumentText(t, `
declare void @assume(i1)
declare void @__VERIFIER_assume(i32)
declare void @__CPROVER_assume(i1)
define void @f() {
  call void @assume(i1 true)
  call void @__VERIFIER_assume(i32 1)
  call void @__CPROVER_assume(i1 true)
  ret void
}
`, sanitizer{}, vcgen.Options{})
	got := strings.Join(bodyOf(out.text, "f"), "\n")
	for _, call := range []string{"@unitproof_assume(i1 true)", "@unitproof_assume.1(i32 1)"} {
		if !strings.Contains(got, call) {
			t.Errorf("no call %s in\n%s", call, got)
		}
	}
	if strings.Count(string(out.text), "declare void @unitproof_assume(i1)") != 1 {
		t.Errorf("not declared once:\n%s", out.text)
	}
	if len(out.link) != 1 || out.link[0] != "-Wl,--defsym=unitproof_assume.1=unitproof_assume" {
		t.Errorf("link with %q", out.link)
	}
}

// TestNotInstrumented checks that a module whose native run could not agree with the engine is refused, with a reason.
func TestNotInstrumented(t *testing.T) {
	for _, test := range []struct{ text, why string }{
		{"define void @g() {\n  ret void\n}\n", "the module has no function f"},
		{"declare void @f()\n", "the module has no function f"},
		{"module asm \"nop\"\ndefine void @f() {\n  ret void\n}\n", "the program has assembly outside functions"},
		{"declare i32 @setjmp(i8*)\ndefine void @f() {\n  ret void\n}\n", "it uses setjmp"},
		{"declare i32 @pthread_create(i8*)\ndefine void @f() {\n  ret void\n}\n", "it uses pthread_create"},
	} {
		if out := instrumentText(t, test.text, sanitizer{}, vcgen.Options{}); out.impossible != test.why {
			t.Errorf("%s: %q, want %q", test.text, out.impossible, test.why)
		}
	}
}
