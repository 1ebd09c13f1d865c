package llvmir

import (
	"fmt"
	"strings"
	"testing"
)

// TestAsmResults: an empty template keeps what shares its place with an argument and memory that is one; all else
// may be any value.
func TestAsmResults(t *testing.T) {
	for call, want := range map[string]string{
		`call i32 asm sideeffect "", "=r,0"(i32 %x)`:                                                           "i32 is 0",
		`call i32 asm "", "=&r,0,~{memory},~{dirflag},~{fpsr},~{flags}"(i32 %x)`:                               "i32 is 0",
		`call i32 asm "", "={ax},0"(i32 %x)`:                                                                   "i32 is 0",
		`call i32 asm "nop", "=r,0"(i32 %x)`:                                                                   "i32",
		`call i32 asm "", "=r,r"(i32 %x)`:                                                                      "i32",
		`call i32 asm "", "=r"()`:                                                                              "i32",
		`call i32 asm "", "=r,0,r"(i32 %x, i32 %y)`:                                                            "i32 is 0",
		`call i32 asm "", "=r,r,0"(i32 %x, i32 %y)`:                                                            "i32 is 1",
		`call i64 asm "", "=r,0"(i32 %x)`:                                                                      "i64",
		`call { i32, i32 } asm "", "=r,=r,0,1"(i32 %x, i32 %y)`:                                                "i32 is 0, i32 is 1",
		`call { i32, i32 } asm "", "=r,=r,1,0"(i32 %x, i32 %y)`:                                                "i32 is 1, i32 is 0",
		`call { i32, i64 } asm "", "=r,=r,0"(i32 %x)`:                                                          "i32 is 0, i64",
		`call void asm "", "r,~{memory}"(i32 %x)`:                                                              "",
		`call void asm "", "=*m"(i32* elementtype(i32) %p)`:                                                    "i32 at 0",
		`call void asm "", "=*m,*m"(i32* elementtype(i32) %p, i32* elementtype(i32) %p)`:                       "",
		`call void asm "", "=*m,*m"(i32* elementtype(i32) %p, i32* elementtype(i32) %q)`:                       "i32 at 0",
		`call void asm "", "=*m,*m"(i32* elementtype(i32) @g, i32* elementtype(i32) @g)`:                       "",
		`call void asm "nop", "=*m,*m"(i32* elementtype(i32) %p, i32* elementtype(i32) %p)`:                    "i32 at 0",
		`call void asm "", "=*rm,0"(i32* elementtype(i32) %p, i32 %x)`:                                         "i32 at 0 is 1",
		`call void asm "", "=*r|m,0"(i32* elementtype(i32) %p, i32 %x)`:                                        "i32 at 0 is 1",
		`call i32 asm "", "=*m,=r,0,1"(i32* elementtype(i32) %p, i32 %x, i32 %y)`:                              "i32 is 2, i32 at 0 is 1",
		`call i32 asm "", "=r,=*m,r,0,*m"(i32* elementtype(i32) %p, i32 %x, i32 %y, i32* elementtype(i32) %p)`: "i32 is 2",
	} {
		m := read(t, "@g = global i32 0\ndefine void @f(i32 %x, i32 %y, i32* %p, i32* %q) {\n  "+
			strings.Replace(call, "call", map[bool]string{true: "call", false: "%r = call"}[strings.Contains(call, "void")], 1)+
			"\n  ret void\n}\n", ReadOptions{})
		var got []string
		for _, r := range instrs(m.FuncByName["f"])[0].AsmResults() {
			s := fmt.Sprintf("i%d", r.Type.Bits)
			if r.To >= 0 {
				s += fmt.Sprintf(" at %d", r.To)
			}
			if r.From >= 0 {
				s += fmt.Sprintf(" is %d", r.From)
			}
			got = append(got, s)
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}
