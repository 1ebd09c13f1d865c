package llvmir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/llvmir/lexer"
)

// TestFloatConstants checks that constants in the syntax of LLVM 23 have the bits of those of LLVM 22 for the same C.
func TestFloatConstants(t *testing.T) {
	for _, c := range []struct{ typ, text, bits string }{
		{"double", "+inf", "7ff0000000000000"}, {"double", "-inf", "fff0000000000000"},
		{"double", "+qnan", "7ff8000000000000"}, {"double", "-nan(0x123)", "fff8000000000123"},
		{"double", "+snan(0x4000000000000)", "7ff4000000000000"}, {"float", "+snan(0x12)", "7f800012"},
		{"float", "-qnan", "ffc00000"}, {"double", "f0x3FD5555555555555", "3fd5555555555555"},
		{"double", "9.999880e-321", "7e8"}, {"double", "1.185760e-322", "18"}, {"double", "1.000000e+20", "4415af1d78b58c40"},
		{"float", "1.000000e+20", "60ad78ec"}, {"float", "1.000000e-01", "3dcccccd"}, {"half", "9.997550e-02", "2e66"},
		{"x86_fp80", "1.000000e-01", "3ffbcccccccccccccccd"}, {"x86_fp80", "+inf", "7fff8000000000000000"},
		{"float", "-0.000000e+00", "80000000"}, {"float", "3.402823466e+38", "7f7fffff"},
		{"float", "1.4e-45", "1"}, {"double", "2.2250738585072011e-308", "fffffffffffff"},
		{"double", "9007199254740993.0", "4340000000000000"}, // tie: round to even
		{"double", "9007199254740995.0", "4340000000000002"},
		{"float", "16777215.5", "4b800000"}, // the next power of two
		{"half", "0xH2E66", "2e66"}, {"float", "0x3FB99999A0000000", "3dcccccd"},
	} {
		m, err := Read(fmt.Appendf(nil, "@x = global %s %s\n", c.typ, c.text), ReadOptions{})
		if err != nil {
			t.Errorf("%s %s: %v", c.typ, c.text, err)
			continue
		}
		if got := m.GlobalByName["x"].Init.Int.Text(16); got != c.bits {
			t.Errorf("%s %s has the bits %s, want %s", c.typ, c.text, got, c.bits)
		}
	}
	for _, text := range []string{"float 1.0e+39", "float +snan(0x0)", "float +nan(0x800000)", "float +nana", "i32 +inf",
		"double f0x1FFFFFFFFFFFFFFFFF", "float splat (float 1.0)", "<2 x i32> splat (i8 1)"} {
		if _, err := Read([]byte("@x = global "+text+"\n"), ReadOptions{}); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// TestNewerWords checks syntax of LLVM 20 to 24 that differs from LLVM 19.
func TestNewerWords(t *testing.T) {
	m, err := Read([]byte(`define <2 x i32> @f(ptr noext captures(none) dead_on_return %p) #0 {
  %a = alloca i32
  call void @llvm.lifetime.start.p0(ptr %a)
  call void @g(ptr /* (p) */ %p, i32 /* ; */ 1)
  call void @llvm.lifetime.end.p0(ptr %a)
  %n = ptrtoaddr ptr %p to i64
  ret <2 x i32> splat (i32 7)
}
declare void @g(ptr, i32)
declare void @llvm.lifetime.start.p0(ptr captures(none)) #0
declare void @llvm.lifetime.end.p0(ptr captures(none)) #0
attributes #0 = { nocreateundeforpoison sanitize_type sanitize_realtime nodivergencesource nounwind }
`), ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	code := m.FuncByName["f"].Blocks[0].Instrs
	for _, k := range []int{1, 3} {
		if in := code[k]; !strings.HasPrefix(in.Intrinsic, "lifetime.") || len(in.Args) != 2 ||
			in.Args[1].Reg != code[0].Dst {
			t.Errorf("instruction %d is no lifetime of the variable: %+v", k, in)
		}
	}
	if code[4].Op != OpPtrToInt {
		t.Errorf("ptrtoaddr is %+v", code[4])
	}
	if ret := code[5].Args[0].Const; len(ret.Elems) != 2 || ret.Elems[1].Int.Int64() != 7 {
		t.Errorf("the result is %+v", ret)
	}
}

func TestSyntaxError(t *testing.T) {
	_, err := Read([]byte("@x = global i32 1\n\ndefine void @f() {\n  frobnicate i32 1\n}\n"), ReadOptions{})
	wrong, ok := err.(*lexer.SyntaxError)
	if !ok || wrong.Line != 4 || wrong.Source != "frobnicate i32 1" || !strings.Contains(wrong.Message, "frobnicate") {
		t.Errorf("%#v", err)
	}
}
