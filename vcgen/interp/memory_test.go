package interp_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
)

// memoryText returns a line for each object, and one for the access.
func memoryText(m *found.Memory) string {
	var b strings.Builder
	for i := range m.Objects {
		o := &m.Objects[i]
		fmt.Fprintf(&b, "%s %s %d %d %s", o.Storage, o.Name, o.Frame, o.Size, o.Ended)
		for _, p := range o.Parts {
			if p.Left > 0 {
				fmt.Fprintf(&b, " (%d)", p.Left)
			}
			fmt.Fprintf(&b, " %d%s=%s", p.Off, p.Name, p.Value)
			if p.Value == "" {
				fmt.Fprintf(&b, "%d", p.Bytes)
			}
			if p.Target != nil {
				fmt.Fprintf(&b, "->%s%+d", m.Objects[p.Target.Object].Name, p.Target.Off)
			}
		}
		if o.Left > 0 {
			fmt.Fprintf(&b, " (%d)", o.Left)
		}
		b.WriteByte('\n')
	}
	if a := m.Access; a != nil {
		fmt.Fprintf(&b, "access %d %d %d %v outside=%v\n", a.Object, a.Off, a.Len, a.Write, a.Outside(m))
	}
	if m.More > 0 {
		fmt.Fprintf(&b, "more %d\n", m.More)
	}
	return b.String()
}

// TestMemory checks the description of memory at a violation.
func TestMemory(t *testing.T) {
	const head = "#include <stdlib.h>\n#include <string.h>\nvoid __VERIFIER_assert(_Bool);\n"
	tests := []struct{ name, src, want string }{
		{"behind the end of a block", `int main(void) { int n = 2; short *p = malloc(6); p[0] = 1; p[n] = 7; p[3] = 5; }`, `
heap malloc#1 0 6  0[0]=1, ?, 7
automatic n 1 4  0=2
automatic p 1 8  0=malloc#1->malloc#1+0
access 0 6 2 true outside=true
`},
		{"null", `struct s { int a; struct s *next; }; int main(void) { struct s x = {3, 0}; x.next->next = &x; }`, `
automatic x 1 16  0.a=3 8.next=NULL
access -1 8 8 true outside=true
`},
		{"freed", `struct s { char c; struct s *next; int bits : 3, more : 7; };
int main(void) { struct s *p = malloc(sizeof *p); p->next = p; p->bits = -1; p->more = 5; free(p); return p->c; }`, `
heap malloc#1 0 24 freed 0.c=[-1] 8.next=malloc#1 (freed)->malloc#1+0 16.bits, .more=-1, 5
automatic p 1 8  0=malloc#1 (freed)->malloc#1+0
access 0 0 1 false outside=false
`},
		{"the middle and the end of a large array", `char t[9000]; int main(void) { char *q = t + 4500; int n = 4500;
t[8999] = 9; t[4500] = 'm'; q[n] = 1; }`, `
static t 0 9000  0[0]=[0 0 0 0 0 0 0 0] 8[8]=[0 0 0 0 0 0 0 0] 16[16]=[0 0 0 0 0 0 0 0] (4456) ` +
			`4480[4480]=[0 0 0 0 0 0 0 0] 4488[4488]=[0 0 0 0 0 0 0 0] 4496[4496]=····m··· 4504[4504]=[0 0 ` +
			`0 0 0 0 0 0] 4512[4512]=[0 0 0 0 0 0 0 0] (4456) 8976[8976]=[0 0 0 0 0 0 0 0] 8984[8984]=[0 0 ` +
			`0 0 0 0 0 0] 8992[8992]=[0 0 0 0 0 0 0 9]
automatic q 1 8  0=t+4500->t+4500
automatic n 1 4  0=4500
access 0 9000 1 true outside=true
`},
		{"a huge block", `int main(void) { size_t n = 1ull << 40; long *p = malloc(n); if (!p) return 0;
p[1ull << 36] = 1; p[n / 8] = 2; }`, `
heap malloc#1 0 1099511627776  0[0]=[-1 -1 -1 -1 -1 -1 -1 -1] 8[1]=[-1 -1 -1 -1 -1 -1 -1 -1] ` +
			`16[2]=[-1 -1 -1 -1 -1 -1 -1 -1] (1099511627728) 1099511627752[137438953469]=[-1 -1 -1 -1 -1 -1 ` +
			`-1 -1] 1099511627760[137438953470]=[-1 -1 -1 -1 -1 -1 -1 -1] 1099511627768[137438953471]=[-1 ` +
			`-1 -1 -1 -1 -1 -1 -1]
automatic n 1 8  0=1099511627776
automatic p 1 8  0=malloc#1->malloc#1+0
access 0 1099511627776 8 true outside=true
`},
		{"frames", `int g; static int low(int *at, int k) { return at[k]; }
int main(void) { int a[2] = {4, 5}; int b = 1; g = 3; return low(a, -1) + b; }`, `
automatic a 2 8  0[0]=4 4[1]=5
automatic at 1 8  0=a->a+0
automatic k 1 4  0=-1
automatic b 2 4  0=1
static g 0 4  0=3
access 0 -4 4 false outside=true
`},
		{"leak", `int main(void) { malloc(3); }`, `
heap malloc#1 0 3  0=[-1 -1 -1]
access 0 0 0 false outside=false
`},
		{"a block of no known type", `int main(void) { void *p = malloc(10); memcpy(p, "abcdefghij", 10);
return ((char *)p)[10]; }`, `
heap malloc#1 0 10  0=[97 98 99 100 101 102 103 104] 8=[105 106]
automatic p 1 8  0=malloc#1->malloc#1+0
access 0 10 1 false outside=true
`},
		{"no access", `int main(void) { char *s = "hi"; int n = 2147483647; char text[3] = "ab"; return n + 1; }`, `
automatic s 1 8  0="hi"
automatic n 1 4  0=2147483647
automatic text 1 3  0[0]=ab·
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			opts := interptest.Options()
			opts.Checks[found.MemoryLeak] = true
			o := interp.Run(context.Background(), interptest.CompileText(t, head+test.src), "main",
				(&interptest.Script{}).Choose, opts)
			if o.Violation == nil || o.Violation.Memory == nil {
				t.Fatal(interptest.Summary(o))
			}
			if got, want := memoryText(o.Violation.Memory), strings.TrimPrefix(test.want, "\n"); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
		})
	}
}
