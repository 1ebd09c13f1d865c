package clangir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestVariableArguments checks the places of variable arguments.
//
// s is the area of saved registers, m the memory after them, each with the offset.
func TestVariableArguments(t *testing.T) {
	const types = "struct large { long a[3]; }; struct aligned { _Alignas(32) int a; }; struct wide { __int128 v; char " +
		"c; };\n" +
		"typedef float four __attribute__((vector_size(16))); void f(int, ...); void g(double, long, long, long, long, " +
		"long, ...);\n"
	for _, tt := range []struct{ name, call, want string }{
		{"registers", "f(0, 1, 2L, 1.5)", "s32 s40 s160"},
		{"too many for them", "f(0, 1, 2, 3, 4, 5, 6, 7)", "s8 s16 s24 s32 s40 m0 m8"},
		{"vectors", "four v; f(0, v, 1.5f, v)", "s128 s144 s160"},
		{"__int128 in registers", "__int128 v; f(0, 1, v)", "s24 s32 s40"},
		{"__int128 behind them", "__int128 v; f(0, 1, 2, 3, 4, v, 5, 6, v)", "s8 s16 s24 s32 m0 s40 m16 m32"},
		{"structs", "struct large l; f(0, l, 1L, l)", "m0 s40 m24"},
		{"aligned structs", "struct aligned a; struct wide w; struct large l; f(0, l, w, a, l)", "m0 m32 m64 m96"},
		{"parameters take registers", "g(0, 1, 2, 3, 4, 5, 6, 7, 1.5)", "s40 m0 s160"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := compiled(t, types+"void h(void) { "+tt.call+"; }")
			for _, in := range instrs(m.FuncByName["h"]) {
				if in.Op != llvmir.OpCall || in.Intrinsic != "" {
					continue
				}
				v := VariableArguments(m.Layout, in.Callee.Const.Func, in)
				var got []string
				for _, a := range v.Args {
					area := "m"
					if a.Saved {
						area = "s"
					}
					got = append(got, fmt.Sprint(area, a.Offset))
				}
				if have := strings.Join(got, " "); have != tt.want {
					t.Errorf("%s, want %s", have, tt.want)
				}
			}
		})
	}
}

// TestStackedArguments checks the places of variable arguments on machines that pass all of them in memory.
func TestStackedArguments(t *testing.T) {
	const aligned = "%%aligned = type { i32, [12 x i8] }\ndeclare void @f(i32, ...)\n"
	for _, tt := range []struct{ name, layout, triple, args, want string }{
		// clang's va_arg skips to the alignment of the struct, although the slot has an address only
		{"aligned structs by address", "E-m:e-p:32:32-i64:64-n32", "powerpc-unknown-linux-gnu",
			"i32 1, %%aligned* byval(%%aligned) align 32 null, i32 2, i64 3", "0 32 36 40, aligned to 32"},
		{"aligned structs as integers", "E-m:e-i64:64-n32:64", "powerpc64-unknown-linux-gnu",
			"i32 1, [1 x i128] undef, i32 2, i128 3, i32 4, [2 x i64] undef", "4 16 36 40 60 64, aligned to 16"},
		{"small structs at the beginning of a slot", "E-m:m-p:32:32-i8:8:32-i16:16:32-i64:64-n32-S64",
			"mips-unknown-linux-gnu", "i32 1, i8 inreg 2, i16 inreg 3, i32 4", "4 8 12 16, aligned to 8"},
		{"structs by address", "e-m:e-p:16:16-i32:16-i64:16-f32:16-f64:16-a:8-n8:16-S16", "msp430-none",
			"i16 1, %%aligned* byval(%%aligned) align 2 null, i64 2, { double, double } undef, i16 3",
			"0 2 4 12 28, aligned to 4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := "target datalayout = %q\ntarget triple = %q\n" + aligned +
				"define void @h() {\n  call void (i32, ...) @f(i32 0, " + tt.args + ")\n  ret void\n}\n"
			m := read(t, fmt.Sprintf(text, tt.layout, tt.triple))
			v := VariableArguments(m.Layout, m.FuncByName["f"], instrs(m.FuncByName["h"])[0])
			var at []string
			for _, a := range v.Args {
				at = append(at, fmt.Sprint(a.Offset))
			}
			if got := fmt.Sprintf("%s, aligned to %d", strings.Join(at, " "), v.Align); got != tt.want || v.Unsupported != "" {
				t.Errorf("%s, want %s (%s)", got, tt.want, v.Unsupported)
			}
		})
	}
}

// TestWholeArgumentsOf128Bits checks that integers of 128 bits are not split, as in clang 20 and later.
//
// Such an integer takes two registers or none; a following smaller argument gets a remaining register.
func TestWholeArgumentsOf128Bits(t *testing.T) {
	m := read(t, `target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

define void @h(i128 %v) {
  call void (i32, ...) @f(i32 0, i32 1, i128 %v, i64 2, i128 %v, i64 3, i128 %v)
  ret void
}

define void @after(i128 %v, i128 %w, i64 %x, ...) {
  ret void
}

declare void @f(i32, ...)
`)
	in := instrs(m.FuncByName["h"])[0]
	var got []string
	for _, a := range VariableArguments(m.Layout, m.FuncByName["f"], in).Args {
		got = append(got, fmt.Sprint(map[bool]string{true: "s", false: "m"}[a.Saved], a.Offset))
	}
	if have := strings.Join(got, " "); have != "s8 s16 s32 m0 s40 m16" {
		t.Error(have)
	}
	if v := VariableArguments(m.Layout, m.FuncByName["after"], nil); v.GPOffset != 48 {
		t.Errorf("registers begin at %d", v.GPOffset)
	}
}
