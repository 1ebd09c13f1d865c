package llvmir

import (
	"fmt"
	"strings"
	"testing"
)

// TestAsmResults checks which results of an empty template are unchanged.
//
// These are outputs that share their location with an input, and memory that is an input; all others have any value.
func TestAsmResults(t *testing.T) {
	for _, c := range []struct{ want, call string }{
		{"i32 is 0", `call i32 asm sideeffect "", "=r,0"(i32 %x)`},
		{"i32 is 0", `call i32 asm "", "=&r,0,~{memory},~{dirflag},~{fpsr},~{flags}"(i32 %x)`},
		{"i32 is 0", `call i32 asm "", "={ax},0"(i32 %x)`},
		{"i32", `call i32 asm "nop", "=r,0"(i32 %x)`},
		{"i32", `call i32 asm "", "=r,r"(i32 %x)`},
		{"i32", `call i32 asm "", "=r"()`},
		{"i32 is 0", `call i32 asm "", "=r,0,r"(i32 %x, i32 %y)`},
		{"i32 is 1", `call i32 asm "", "=r,r,0"(i32 %x, i32 %y)`},
		{"i64", `call i64 asm "", "=r,0"(i32 %x)`},
		{"i32 is 0, i32 is 1", `call { i32, i32 } asm "", "=r,=r,0,1"(i32 %x, i32 %y)`},
		{"i32 is 1, i32 is 0", `call { i32, i32 } asm "", "=r,=r,1,0"(i32 %x, i32 %y)`},
		{"i32 is 0, i64", `call { i32, i64 } asm "", "=r,=r,0"(i32 %x)`},
		{"", `call void asm "", "r,~{memory}"(i32 %x)`},
		{"i32 at 0", `call void asm "", "=*m"(i32* elementtype(i32) %p)`},
		{"", `call void asm "", "=*m,*m"(i32* elementtype(i32) %p, i32* elementtype(i32) %p)`},
		{"i32 at 0", `call void asm "", "=*m,*m"(i32* elementtype(i32) %p, i32* elementtype(i32) %q)`},
		{"", `call void asm "", "=*m,*m"(i32* elementtype(i32) @g, i32* elementtype(i32) @g)`},
		{"i32 at 0", `call void asm "nop", "=*m,*m"(i32* elementtype(i32) %p, i32* elementtype(i32) %p)`},
		{"i32 at 0 is 1", `call void asm "", "=*rm,0"(i32* elementtype(i32) %p, i32 %x)`},
		{"i32 at 0 is 1", `call void asm "", "=*r|m,0"(i32* elementtype(i32) %p, i32 %x)`},
		{"i32 is 2, i32 at 0 is 1", `call i32 asm "", "=*m,=r,0,1"(i32* elementtype(i32) %p, i32 %x, i32 %y)`},
		{"i32 is 2", `call i32 asm "", "=r,=*m,r,0,*m"(i32* elementtype(i32) %p, i32 %x, i32 %y, i32* elementtype(i32) %p)`},
	} {
		m := read(t, "@g = global i32 0\ndefine void @f(i32 %x, i32 %y, i32* %p, i32* %q) {\n  "+
			strings.Replace(c.call, "call", map[bool]string{true: "call", false: "%r = call"}[strings.Contains(c.call, "void")],
				1)+
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
		if got := strings.Join(got, ", "); got != c.want {
			t.Errorf("%s: %q, want %q", c.call, got, c.want)
		}
	}
}

// TestAsmCall checks that templates of one instruction that swaps or rotates bytes become calls of intrinsics.
//
// Templates with another width than the operand's, or with several instructions, do not.
func TestAsmCall(t *testing.T) {
	for call, want := range map[string]string{
		`i64 asm "bswap ${0:q}", "=r,0,~{dirflag}"(i64 %q)`:                                 "bswap",
		`i32 asm "bswapl $0", "=r,0"(i32 %x)`:                                               "bswap",
		`i32 asm " bswap\09$0\0A", "=r,0"(i32 %x)`:                                          "bswap",
		`i16 asm "rorw $$8, ${0:w}", "=r,0,~{cc}"(i16 %h)`:                                  "fshr 8",
		`i32 asm "roll $$5,$0", "=r,0,~{cc}"(i32 %x)`:                                       "fshl 5",
		`i32 asm "bswap ${0:q}", "=r,0"(i32 %x)`:                                            "",
		`i32 asm "bswapq $0", "=r,0"(i32 %x)`:                                               "",
		`i32 asm "bswap ${0:w}", "=r,0"(i32 %x)`:                                            "",
		`i16 asm "bswap $0", "=r,0"(i16 %h)`:                                                "",
		`i32 asm "roll $0", "=r,0"(i32 %x)`:                                                 "",
		`i32 asm "roll $$32, $0", "=r,0"(i32 %x)`:                                           "",
		`i32 asm "rolw $$8, $0", "=r,0"(i32 %x)`:                                            "",
		`i32 asm "rol $0, $$8", "=r,0"(i32 %x)`:                                             "",
		`i32 asm "bswap $0; incl $0", "=r,0"(i32 %x)`:                                       "",
		`i32 asm "bswap $1", "=r,0"(i32 %x)`:                                                "",
		`i32 asm "bswap $0", "=r,r"(i32 %x)`:                                                "",
		`i32 asm "bswap $0", "=r,0,r"(i32 %x, i32 %x)`:                                      "",
		`void asm "bswap $0", "=*m,*m"(i32* elementtype(i32) %p, i32* elementtype(i32) %p)`: "",
	} {
		result := "%r = "
		if strings.HasPrefix(call, "void") {
			result = ""
		}
		m := read(t, "define void @f(i16 %h, i32 %x, i64 %q, i32* %p) {\n  "+result+"call "+call+"\n  ret void\n}\n",
			ReadOptions{})
		got := ""
		if as := instrs(m.FuncByName["f"])[0].AsmCall(); as != nil {
			if got = as.Intrinsic; len(as.Args) == 3 {
				got += " " + as.Args[2].Const.Int.String()
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", call, got, want)
		}
	}
}
