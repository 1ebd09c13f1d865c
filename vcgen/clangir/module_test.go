package clangir

import (
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// compiled compiles a source with clang, reads the result, and verifies it.
func compiled(t testing.TB, source string) *Module {
	t.Helper()
	return read(t, clangtest.Compile(t, source))
}

func read(t testing.TB, text string) *Module {
	t.Helper()
	m, err := Read([]byte(text), llvmir.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := llvmir.Verify(m.Module); err != nil {
		t.Fatal(err)
	}
	return m
}

// instrs returns the instructions of a function.
func instrs(f *llvmir.Func) []*llvmir.Instr {
	var out []*llvmir.Instr
	for _, b := range f.Blocks {
		out = append(out, b.Instrs...)
	}
	return out
}

// TestFactsOfAnotherInstruction checks that a constant expression does not have the facts of the enclosing
// instruction.
func TestFactsOfAnotherInstruction(t *testing.T) {
	m := compiled(t, "int f(int x, long n) { return x >> n; }")
	found := 0
	for _, in := range instrs(m.FuncByName["f"]) {
		if in.Op == llvmir.OpAShr {
			if found++; m.Of(in).Exponent.Kind != llvmir.OperandReg {
				t.Errorf("%s has no exponent", in)
			}
			other := *in
			if got := m.Of(&other); got.Exponent.Kind == llvmir.OperandReg || got.Undefined != Unguarded {
				t.Errorf("a copy of %s has facts", in)
			}
		}
	}
	if found != 1 || m.Of(&llvmir.Instr{ID: 1 << 30}) != &noFacts {
		t.Errorf("%d shifts", found)
	}
}

// TestOtherText checks that text not written by clang is read or rejected without a panic.
func TestOtherText(t *testing.T) {
	for _, text := range []string{
		"",
		"define void @f() {\n  unreachable\n}\n",
		"define i32 @f(i32 %x) {\n  %bf.load = add i32 %x, 1\n  %bf.clear = and i32 %bf.load, 3\n  ret i32 %bf.clear\n}\n",
		"define i64 @f(i64 %x) {\nentry:\n  %sub.ptr.sub = sub i64 %x, 1\n  %sh_prom = shl i64 1, %sub.ptr.sub\n" +
			"  %s = shl i64 1, %sh_prom\n  ret i64 %s\n}\n",
		"define void @f() {\n  call void @__ubsan_handle_shift_out_of_bounds()\n  ret void\n}\n" +
			"declare void @__ubsan_handle_shift_out_of_bounds()\n",
	} {
		if _, err := Read([]byte(text), llvmir.ReadOptions{}); err != nil {
			t.Errorf("%s%v", text, err)
		}
	}
	if _, err := Read([]byte("define"), llvmir.ReadOptions{}); err == nil || !strings.HasPrefix(err.Error(), "llvmir: ") {
		t.Errorf("%v", err)
	}
}
