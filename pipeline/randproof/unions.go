package randproof

import "fmt"

// One object accessed with several types.

var unionFeatures = []feature{
	{"union", 2, false, (*generator).unions},
	{"tagged union", 1, false, (*generator).variant},
}

// unions writes and reads the members of unions of integers and floating-point numbers. No float is a NaN: the program
// does not determine a NaN's bits after a move.
func (g *generator) unions(int) {
	u := g.fresh("u")
	g.line("union { float f; uint32_t w; int32_t i; uint8_t q[4]; struct { uint16_t lo, hi; } p; int16_t h[2]; struct "+
		"{ unsigned m : 23, e : 8, s : 1; } b; } %s = {.w = %s}, %sa[2] = {{1.5f}, {.w = 7}};", u, g.small(1), u)
	g.line("union { double d; uint64_t w; int64_t i; float f[2]; uint8_t q[8]; } %sd = {.w = (uint64_t)%s};", u,
		g.small(1))
	object := func() string { return g.pick(u, u, fmt.Sprintf("%sa[%s]", u, g.index(2))) }
	for range 3 + g.n(5) {
		x := object()
		switch g.n(12) {
		case 0:
			g.line("%s.f = %s;", x, g.pick("0.5f", "-1.0f", "3.25f", "1e-40f", "(float)(int8_t)("+g.expr(1)+")", "-0.0f"))
		case 1:
			g.line("%s.w = (uint32_t)(%s) & 0xbf7fffffu;", x, g.expr(1))
		case 2:
			g.line("%s.q[%s] = (uint8_t)(%s) & %s;", x, g.index(4), g.expr(1), g.pick("0x3f", "0x80", "15"))
		case 3:
			g.line("%s.p.%s = (uint16_t)(%s) & 0x3f7f;", x, g.pick("lo", "hi"), g.expr(1))
		case 4:
			g.line("%s = %s;", x, object())
		case 5:
			g.line("%s.w = %s.w & 0xbf7fffffu;", x, x)
			g.line("%s.f = %s.f * %s;", x, x, g.pick("2.0f", "0.5f", "-1.0f"))
			g.line("%s.w = %s.w & 0xbf7fffffu;", x, x)
		case 6:
			g.line("%s.b.%s = (%s) & 63;", x, g.pick("m", "s", "e"), g.expr(1))
		case 7:
			g.line("%sd.d = %s;", u, g.pick("1.0", "-0.5", "(double)(int16_t)("+g.expr(1)+")", "4294967297.0"))
		case 8:
			g.line("%sd.w = (uint64_t)(%s) & 0x3fefffffffffffffu;", u, g.expr(1))
		case 9:
			g.line("%sd.f[%s] = %s;", u, g.index(2), g.pick("0.5f", "2.0f", "(float)(int8_t)"+g.small(1)))
		case 10:
			g.line("if (%s.f < %s) %s.i ^= 1;", x, g.pick("1.0f", "0.0f", "2.0"), x)
		case 11:
			g.line("%s.h[%s] = (int16_t)%s;", x, g.masked(1, 1), g.small(1))
		}
	}
	g.checkOf(fmt.Sprintf("%s.%s", object(), g.pick("w", "i", "q[3]", "p.hi", "h[1]", "f > 0.75f", "f == 0.5f", "b.e",
		"b.s")))
	g.checkOf(fmt.Sprintf("%sd.%s", u, g.pick("w", "i", "q[7]", "d >= 1.0", "f[1] == 1.875f")))
	g.checkOf(u + ".w")
}

// variant writes a union with its tag.
func (g *generator) variant(int) {
	v := g.fresh("v")
	g.line("struct { enum { %sI, %sF, %sP } tag; union { int i; float f; const char *p; }; } %s[2] = {{%sI, {1}}, "+
		"{%sF, {.f = 2.5f}}};", v, v, v, v, v, v)
	at := fmt.Sprintf("%s[%s]", v, g.masked(1, 1))
	switch g.n(3) {
	case 0:
		g.line("%s.tag = %sP; %s.p = \"abc\" + %s;", at, v, at, g.masked(0, 3))
	case 1:
		g.line("%s.tag = %sF; %s.f = (float)%s;", at, v, at, g.small(1))
	case 2:
		g.line("%s.tag = %sI; %s.i = (int8_t)%s;", at, v, at, g.small(1))
	}
	g.line("int %sr = 0;", v)
	g.block("for (int k_ = 0; k_ < 2; k_++) switch ("+v+"[k_].tag)", "", func() {
		g.line("case %sI: %sr += %s[k_].i; break;", v, v, v)
		g.line("case %sF: if (%s[k_].f < 100) %sr += (int)(%s[k_].f * 2); break;", v, v, v, v)
		g.line("case %sP: %sr += %s[k_].p[0] * 100; break;", v, v, v)
	})
	g.checkOf(v + "r")
}
