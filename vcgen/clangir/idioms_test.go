package clangir

import (
	"fmt"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// TestIdioms checks the meanings of clang's idioms, in the order of the text.
//
// d is a difference of two pointers, slot the variable of a result, c a struct passed as a number. Bit-fields are
// low+width for reads and low=width for writes, and keep for the other bits of a written storage unit.
func TestIdioms(t *testing.T) {
	const types = "#include <stdbool.h>\n#include <stddef.h>\n" +
		"struct b { unsigned a : 3, b : 4; int c : 7; bool d : 1; unsigned long far : 40; };\n" +
		"struct p { int x, y; }; struct q { long x; char y; }; union u { float f; char c[4]; }; struct one { double d; };\n" +
		"void take(struct p); void takes(struct q); struct p gives(void);\n"
	for _, tt := range []struct{ code, want string }{
		{"ptrdiff_t f(int *p, int *q) { return p - q; }", "d"},
		{"long f(long sub, long ptr) { return sub - ptr; }", ""},
		{"long f(char *p, char *q) { return (long)p - (long)q; }", ""},
		{"int f(int x) { if (x) return 1; return 2; }", "slot"},
		{"int f(int x) { int retval = x; return retval; }", ""},
		{"unsigned f(struct b *s) { return s->a; }", "0+3"},
		{"unsigned f(struct b *s) { return s->b; }", "3+4"},
		{"int f(struct b *s) { return s->c; }", "7+7"},
		{"bool f(struct b *s) { return s->d; }", "14+1"},
		{"unsigned long f(struct b *s) { return s->far; }", "15+40"},
		{"void f(struct b *s) { s->a = 0; }", "keep 0=3"},
		{"void f(struct b *s) { s->b = 5; }", "keep 3=4"},
		{"void f(struct b *s, int x) { s->c = x; }", "keep 7=7"},
		{"void f(struct b *s) { s->a++; }", "0+3 keep 0=3"},
		{"void f(struct b *s) { s->b |= 1; }", "3+4 keep 3=4"},
		{"int f(struct b *s, int x) { return (s->c = x) + 1; }", "keep 7=7"},
		{"static struct b g; unsigned f(void) { g.b = 1; return g.a; }", "keep 3=4 0+3"},
		{"int f(int *bf, int load) { return (*bf >> 3) & load; }", ""},
		{"void f(struct p *p) { take(*p); }", "c"},
		{"void f(struct q *p) { takes(*p); }", "c c"},
		{"struct p f(struct p *p) { return *p; }", "c slot"},
		{"union u f(union u *p) { return *p; }", "c slot"},
		{"float f(union u *p) { return p->f; }", ""},
		{"int f(struct p *p) { return p->x + p->y; }", ""},
	} {
		m := compiled(t, types+tt.code)
		var got []string
		note := func(yes bool, what string) {
			if yes {
				got = append(got, what)
			}
		}
		slots := 0
		for _, in := range instrs(m.FuncByName["f"]) {
			f := m.Of(in)
			note(f.PointerDifference, "d")
			note(f.Coerced, "c")
			if f.ReturnSlot {
				slots++
			}
			if b := f.BitField; b != nil {
				sign := map[llvmir.Op]string{llvmir.OpLoad: "+", llvmir.OpStore: "="}[in.Op]
				text := fmt.Sprintf("%d%s%d", b.Low, sign, b.Width)
				if b.Width == 0 {
					text = "keep"
				}
				got = append(got, text)
			}
		}
		note(slots == 1, "slot")
		if have := strings.Join(got, " "); have != tt.want {
			t.Errorf("%s: %q, want %q", tt.code, have, tt.want)
		}
	}
}
