package llvmir

import "testing"

// TestAsmKeeps: an empty template keeps what shares the register of its only result, and nothing else is known to.
func TestAsmKeeps(t *testing.T) {
	for _, c := range []struct {
		call string
		want bool
	}{
		{`call i32 asm sideeffect "", "=r,0"(i32 %x)`, true},
		{`call i32 asm "", "=&r,0,~{memory},~{dirflag},~{fpsr},~{flags}"(i32 %x)`, true},
		{`call i32 asm "", "={ax},0"(i32 %x)`, true},
		{`call i32 asm "nop", "=r,0"(i32 %x)`, false},
		{`call i32 asm "", "=r,r"(i32 %x)`, false},
		{`call i32 asm "", "=r"()`, false},
		{`call i32 asm "", "=r,0,r"(i32 %x, i32 %y)`, false},
		{`call i64 asm "", "=r,0"(i32 %x)`, false},
	} {
		m := read(t, "define void @f(i32 %x, i32 %y) {\n  %r = "+c.call+"\n  ret void\n}\n", ReadOptions{})
		in := instrs(m.FuncByName["f"])[0]
		arg, ok := in.AsmKeeps()
		if ok != c.want {
			t.Errorf("%s: keeps its argument: %t", c.call, ok)
		}
		if ok && arg.Reg != in.Args[0].Reg {
			t.Errorf("%s: it keeps %v", c.call, arg)
		}
	}
}
