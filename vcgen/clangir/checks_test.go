package clangir

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestWhoLooksAtOperations checks Undefined of each operation that may have no result, in the order of the text.
func TestWhoLooksAtOperations(t *testing.T) {
	const untold = `__attribute__((no_sanitize("undefined"))) `
	names := map[Undefined]string{Unguarded: "unguarded", Sanitized: "sanitized", Unused: "unused"}
	tests := []struct{ name, body, want string }{
		{"division", "int f(int x, int y) { return x / y % 3; }", "sanitized sanitized"},
		{"division told not to", untold + "int f(int x, int y) { return x / y; }", "unguarded"},
		{"unsigned", "unsigned f(unsigned x, unsigned y) { return x / y; }", "sanitized"},
		{"wide division", "__int128 f(__int128 x, __int128 y) { return x % y; }", "sanitized"},
		{"narrow operands", "int f(short x, unsigned char y) { return x / y; }", "sanitized"},
		{"vectors", "typedef int v __attribute__((vector_size(8))); v f(v x, v y) { return (x / y) << y; }",
			"unguarded unguarded"},
		{"a scalar in front", "typedef int v __attribute__((vector_size(8))); v f(int n, v x) { return x / (9 / n); }",
			"sanitized unguarded"},
		{"shift by another width", "long f(long x, unsigned char n) { return x << n; }", "sanitized"},
		{"shift by a wider number", "int f(int x, long n) { return x >> n; }", "unguarded"}, // checks half of the bits
		{"bit-precise shift", "unsigned _BitInt(100) f(unsigned _BitInt(100) x, _BitInt(70) n) { return x << n; }",
			"sanitized"},
		{"conversion", "int f(float x) { return (int)x + (int)(double)x; }", "sanitized sanitized"},
		{"conversion told not to", untold + "unsigned f(double x) { return (unsigned)x; }", "unguarded"},
		{"zeros", "int f(unsigned x, unsigned long y) { return __builtin_ctz(x) & __builtin_clzl(y); }",
			"sanitized sanitized"},
		{"zeros told not to", untold + "int f(unsigned x) { return __builtin_clz(x); }", "unguarded"},
		{"first bit", "int f(int x, long y) { return __builtin_ffs(x) ^ __builtin_ffsl(y); }", "unused unused"},
		{"first bit told not to", untold + "int f(int x) { return __builtin_ffs(x) + __builtin_ctz(x); }",
			"unused unguarded"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := compiled(t, tt.body)
			var got []string
			for _, in := range instrs(m.FuncByName["f"]) {
				if _, ok := mayBeUndefined(in); ok {
					got = append(got, names[m.Of(in).Undefined])
				}
			}
			if have := strings.Join(got, " "); have != tt.want {
				t.Errorf("%s, want %s", have, tt.want)
			}
		})
	}
}

// TestChecksAreOfOperands checks that a sanitizer check does not apply to an operation with other operands.
func TestChecksAreOfOperands(t *testing.T) {
	text := clangtest.Compile(t, "int f(int x, int y, int z) { return x / y; }")
	for _, change := range []string{"sdiv i32 %1, %0", "sdiv i32 %0, %0"} {
		m := read(t, strings.Replace(text, "sdiv i32 %0, %1", change, 1))
		for _, in := range instrs(m.FuncByName["f"]) {
			if in.Op == llvmir.OpSDiv && m.Of(in).Undefined != Unguarded {
				t.Errorf("%s is %d", change, m.Of(in).Undefined)
			}
		}
	}
}

func TestSignedArithmeticThatNobodyChecks(t *testing.T) {
	const untold = `__attribute__((no_sanitize("undefined"))) `
	for _, tt := range []struct {
		body string
		want int // number of operations
	}{
		{"int f(int x) { return x * 31 + 7; }", 0},
		{untold + "int f(int x) { return x * 31 + 7; }", 2},
		{untold + "unsigned f(unsigned x) { return x * 31 + 7; }", 0},
		{"int f(short x, short y) { return x * y - x; }", 0},
		{untold + "int f(short x, short y) { return x * y - x; }", 1}, // the difference of an int and a short
		{untold + "int f(unsigned short x, unsigned short y) { return x * y; }", 1},
		{"int f(int n) { int a[n][n]; a[1][n - 1] = 2; return a[1][0]; }", 0},
	} {
		m, n := compiled(t, tt.body), 0
		for _, in := range instrs(m.FuncByName["f"]) {
			if m.Of(in).Wraps {
				n++
			}
		}
		if n != tt.want {
			t.Errorf("%s: %d operations, want %d", tt.body, n, tt.want)
		}
	}
}

func TestCheckedTypes(t *testing.T) {
	for decl, want := range map[string]string{
		"int":                  "int 32 true",
		"unsigned long":        "unsigned long 64 false",
		"unsigned _BitInt(17)": "unsigned _BitInt(17) 17 false",
		"_BitInt(100)":         "_BitInt(100) 100 true",
		"word":                 "word 9 false",
		"__int128":             "__int128 128 true",
	} {
		m := compiled(t, "typedef unsigned _BitInt(9) word; "+decl+" f("+decl+" x, int n) { return x << n; }")
		for _, in := range instrs(m.FuncByName["f"]) {
			if in.Op != llvmir.OpCall || !strings.Contains(in.Callee.Const.Func.Name, "shift_out_of_bounds") {
				continue
			}
			types := CheckedTypes(in.Args[0])
			if len(types) != 2 || types[1].Name != "int" {
				t.Fatalf("%s: %v", decl, types)
			}
			if got := fmt.Sprintf("%s %d %t", types[0].Name, types[0].Bits, types[0].Signed); got != want {
				t.Errorf("%s: %s, want %s", decl, got, want)
			}
		}
	}
}

// TestUnsignedDivisionsDoNotOverflow checks that clang's check of a division, which serves two kinds, has only one if
// the operands are unsigned.
func TestUnsignedDivisionsDoNotOverflow(t *testing.T) {
	for decl, want := range map[string]found.Kind{
		"int": found.SignedOverflow, "unsigned char": found.SignedOverflow, // promoted to int
		"unsigned": "", "unsigned long": "", "unsigned _BitInt(17)": "", "unsigned __int128": "",
	} {
		m := compiled(t, decl+" f("+decl+" x, "+decl+" y) { return x / y; }")
		for _, in := range instrs(m.FuncByName["f"]) {
			if in.Op != llvmir.OpCall || SanitizerCheck(in.Function()) != divisionHandler {
				continue
			}
			if first, second := KindsOf(divisionHandler, in.Args[0]); first != found.DivisionByZero || second != want {
				t.Errorf("%s: %s, %q, want %q", decl, first, second, want)
			}
		}
	}
}

// TestCheckedTypesOfNewerClang checks types of arbitrary width, which have a separate kind from clang 20 on.
func TestCheckedTypesOfNewerClang(t *testing.T) {
	m := read(t, `@0 = private unnamed_addr constant { i16, i16, [34 x i8] } { i16 2, i16 15, `+
		`[34 x i8] c"'wide' (aka '_BitInt(100)')\00d\00\00\00\00\00" }
@1 = private unnamed_addr constant { i16, i16, [6 x i8] } { i16 0, i16 11, [6 x i8] c"'int'\00" }
@2 = private unnamed_addr global { { ptr, i32, i32 }, ptr, ptr } { { ptr, i32, i32 } { ptr null, i32 1, i32 2 }, ptr @0, ptr @1 }

define void @f(i64 %a) {
  call void @__ubsan_handle_shift_out_of_bounds_abort(ptr @2, i64 %a, i64 %a)
  unreachable
}

declare void @__ubsan_handle_shift_out_of_bounds_abort(ptr, i64, i64)
`)
	got := fmt.Sprint(CheckedTypes(instrs(m.FuncByName["f"])[0].Args[0]))
	if want := "[{wide 100 true false} {int 32 true false}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAssumeIsNoArgument checks that a false __builtin_assume is reported as unreachable. Newer versions of clang check
// it by the handler of builtins.
func TestAssumeIsNoArgument(t *testing.T) {
	for kind, want := range map[int64]found.Kind{0: found.InvalidBuiltin, 1: found.InvalidBuiltin, 2: found.Unreachable} {
		init := &llvmir.Const{Elems: []*llvmir.Const{{}, {Int: big.NewInt(kind)}}}
		data := llvmir.Operand{Kind: llvmir.OperandConst,
			Const: &llvmir.Const{Kind: llvmir.ConstGlobal, Global: &llvmir.Global{Init: init}}}
		if got, _ := KindsOf(builtinHandler, data); got != want {
			t.Errorf("kind %d of the check: %s, want %s", kind, got, want)
		}
	}
}
