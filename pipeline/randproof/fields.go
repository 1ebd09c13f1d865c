package randproof

import "fmt"

// Arithmetic on bit-fields of mixed widths and types.

var fieldFeatures = []feature{
	{"field arithmetic", 2, false, (*generator).fieldArithmetic},
}

func (g *generator) fieldArithmetic(int) {
	f := g.fresh("f")
	packed := g.pick("", "", "__attribute__((packed)) ")
	g.line("struct %s%s { unsigned a : %d; signed b : %d; _Bool c : 1; uint64_t d : %d; int64_t e : %d; uint8_t p; "+
		"short g : %d; %s unsigned char h : %d; } %s = {1, -1, 1, %s, -2, 3, 1, 2}, %sa[2] = {{.a = 1}, {.d = %s}};",
		packed, f+"t", 1+g.n(31), 1+g.n(31), 33+g.n(31), 1+g.n(63), 1+g.n(15), g.pick("", "unsigned : 0;", "int : 5;"),
		1+g.n(7), f, g.small(1), f, g.small(1))
	g.line("_Static_assert(sizeof %s <= 64, \"\");", f)
	any := func() string { return g.pick("a", "b", "c", "d", "e", "g", "h") }
	at := func() string { return g.pick(f, fmt.Sprintf("%sa[%s]", f, g.index(2))) }
	for range 3 + g.n(5) {
		x := at()
		switch g.n(8) {
		case 0, 1:
			g.line("%s.%s = %s;", x, any(), g.expr(1))
		case 2:
			g.line("%s.%s%s;", x, any(), g.step())
		case 3:
			g.line("%s.%s %s %s;", x, g.pick("a", "d", "h"), g.pick("+=", "-=", "*=", "^=", "<<=", ">>="), g.masked(1, 7))
		case 4:
			n := any()
			g.line("%s.%s = %s.%s;", x, n, at(), any())
		case 5:
			g.line("%s = %s;", x, at())
		case 6:
			g.line("%s.p = (uint8_t)(%s.a + %s.h);", x, x, x)
		case 7: // the value of an assignment is the stored value
			g.line("%s.p = (%s.%s = %s) %s %s;", x, x, any(), g.expr(1), g.pick("<", "==", ">"), g.masked(0, 3))
		}
	}
	g.checkOf(fmt.Sprintf("%s.%s", at(), any()))
	g.checkOf(fmt.Sprintf("%s.a - %s.h", f, f))
	g.checkOf(fmt.Sprintf("%s.%s %s %s.%s", at(), any(), g.pick("<", "==", ">="), at(), any()))
	g.checkOf(f + ".p")
	g.checkOf(fmt.Sprintf("(%s.d << %d) >> %d", f, g.n(30), g.n(30)))
}
