package randproof

import "fmt"

// Integer promotions and conversions: chains of types, _Bool, narrowing assignments, division and shifts of negative
// values.

var conversionFeatures = []feature{
	{"conversions", 2, false, (*generator).conversions},
	{"bool", 1, false, (*generator).bools},
	{"narrowing", 2, false, (*generator).narrowing},
	{"numbers", 1, false, (*generator).numbers},
	{"wide integers", 1, false, (*generator).wideIntegers},
}

func (g *generator) anyType() string {
	return g.pick("signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long long",
		"unsigned long long", "char", "_Bool", "long", "int8_t", "uint64_t")
}

func (g *generator) conversions(int) {
	c := g.fresh("c")
	a, b, d := g.anyType(), g.anyType(), g.anyType()
	g.line("%s %sa = (%s)(%s); %s %sb = (%s)%sa; %s %sd = (%s)(%s);", a, c, a, g.expr(1), b, c, b, c, d, c, d, g.expr(1))
	x, y := c+g.pick("a", "b", "d"), c+g.pick("a", "b", "d")
	for range 1 + g.n(3) {
		e := []string{
			fmt.Sprintf("%s %s %s", x, g.pick("<", "<=", ">", "==", "!="), y),
			fmt.Sprintf("%s < -1", x),
			fmt.Sprintf("%s == (%s)-1", x, g.anyType()),
			fmt.Sprintf("%s ? %s : %s", y, x, g.pick("-1", "1u", "-1ll", "1ull", y)),
			fmt.Sprintf("(%s ? %s : %s) < 0", g.expr(1), x, y),
			fmt.Sprintf("(%s)%s >> %s", g.anyType(), x, g.masked(0, 7)),
			fmt.Sprintf("-%s < 0", x),
			fmt.Sprintf("~%s", x),
			fmt.Sprintf("!%s + !!%s * 2", x, y),
			fmt.Sprintf("(%s)(%s - %s)", g.anyType(), x, y),
			fmt.Sprintf("sizeof(%s + %s) * 8 + (%s + 0 > %s)", x, y, x, y),
			fmt.Sprintf("(%s, %s)", x, y),
		}[g.n(12)]
		g.line("int64_t %s%d = (int64_t)(%s);", c, g.names, e)
		g.checkOf(fmt.Sprintf("%s%d", c, g.names))
		g.names++
	}
	g.add(variable{name: "(int8_t)" + c + "b", kind: "int", typ: "int", ro: true})
}

func (g *generator) bools(int) {
	b := g.fresh("t")
	g.line("_Bool %s = %s, %sa[2] = {%s, 2};", b, g.pick(g.expr(1), "0.5", g.small(1)+" * 256", "(uint8_t)"+g.expr(1),
		"(float)"+g.small(1), "\"x\""), b, g.expr(1))
	for range 1 + g.n(4) {
		t := g.pick(b, fmt.Sprintf("%sa[%s]", b, g.index(2)))
		g.line("%s%s;", t, g.pick(g.step(), g.step(), " ^= 1", " += "+g.small(1), " -= "+g.small(1), " = !"+b,
			" = "+g.expr(1), " &= "+g.expr(1), " |= 2", " <<= 1", " *= 3", " = "+g.expr(1)+" > 1", " = -"+b, " = ~"+b))
	}
	g.checkOf(fmt.Sprintf("%s + %sa[0] * 2 + %sa[1] * 4", b, b, b))
	g.checkOf(fmt.Sprintf("%s == %s", b, g.small(1)))
}

// narrowing writes assignments of promoted values to a smaller type.
func (g *generator) narrowing(int) {
	c := g.fresh("c")
	t := g.anyType()
	g.line("%s %s = (%s)(%s);", t, c, t, g.expr(1))
	for range 2 + g.n(4) {
		switch g.n(9) {
		case 0:
			g.line("%s %s %s;", c, g.pick("+=", "-=", "*="), g.pick(g.small(1), "(int8_t)"+g.expr(1), "3u", "-2", "1ull"))
		case 1:
			g.line("%s %s %s;", c, g.pick("/=", "%="), g.pick("-1", "-2", "3", "5u", "-7ll", "(int8_t)("+g.expr(1)+") | 1"))
		case 2:
			g.line("%s %s %s;", c, g.pick("<<=", ">>="), g.pick("1", "3", g.masked(1, 7)))
		case 3:
			if t != "_Bool" {
				g.line("%s = (%s)((%s) %s (%s)%s);", c, t, g.expr(1), g.pick("/", "%"), g.pick("int", "int8_t", "long long"),
					g.pick("-3", "7", "-1"))
			}
		case 4:
			g.line("%s %s %s;", c, g.pick("^=", "|=", "&="), g.expr(1))
		case 5:
			g.line("%s = -%s;", c, c)
		case 6:
			g.line("%s%s;", c, g.step())
		case 7:
			if g.plain && t == "_Bool" { // CBMC lacks this conversion
				continue
			}
			g.line("if (%s > -100 && %s < 100) %s %s %s;", c, c, c, g.pick("*=", "/=", "+=", "-="),
				g.pick("1.5", "0.5f", "2.25"))
		case 8:
			g.line("%s = ~%s;", c, c)
		}
	}
	g.checkOf(c)
	g.add(variable{name: c, kind: "int", typ: "int", ro: true})
}

// numbers writes conversions between integers and floating-point numbers with rounding.
func (g *generator) numbers(int) {
	x := g.fresh("x")
	t := g.pick("int", "unsigned", "long long", "unsigned long long", "short", "uint8_t")
	g.line("%s %si = (%s)(%s + %s);", t, x, t, g.pick("16777216", "9007199254740992ll", "2147483520", "0", "255",
		"-16777217", "4294967040ull", "0x7fffffffffffff00ll"), g.small(1))
	f := g.pick("float", "double")
	g.line("%s %s = (%s)%si;", f, x, f, x)
	e := []string{
		fmt.Sprintf("%s == %si", x, x),
		fmt.Sprintf("(%s)%si > %s", g.pick("float", "double"), x, g.pick("16777216.0f", "255.5", "9007199254740992.0",
			"-1.0")),
		fmt.Sprintf("%s + 1 == %s", x, x),
		fmt.Sprintf("%s < %si + 1", x, x),
		fmt.Sprintf("(float)%s == %s", x, x),
		fmt.Sprintf("%s >= -1e9 && %s <= 1e9 ? (long long)(%s / %s) : -7", x, x, x, g.pick("2", "3.0f", "-0.5")),
		fmt.Sprintf("%s >= 0 && %s < 200 ? (uint8_t)%s : 300", x, x, x),
		fmt.Sprintf("(%s > %s) + 2 * (%s != %s)", x, g.floating(0), x, g.floating(0)),
		fmt.Sprintf("(int)%s", x), // may not fit
		fmt.Sprintf("%s ? 1 : 2", x),
		fmt.Sprintf("!(%s - %si)", x, x),
	}
	for range 1 + g.n(3) {
		g.checkOf(e[g.n(len(e))])
	}
	g.add(variable{name: x, kind: "float"})
}

// wideIntegers writes 128-bit arithmetic.
func (g *generator) wideIntegers(int) {
	w := g.fresh("w")
	t := g.pick("__int128", "unsigned __int128")
	g.line("%s %s = %s, %sb = ((%s)(%s) << %d) + %s;", t, w, g.expr(1), w, t, g.masked(1, 3), g.pick2(31, 63, 64, 100),
		g.small(1))
	for range 1 + g.n(3) {
		switch g.n(6) {
		case 0:
			g.line("%s = (%s)((unsigned __int128)%s %s (unsigned __int128)%sb);", w, t, w, g.pick("+", "-", "^", "*"), w)
		case 1:
			g.line("%s %s %s;", w, g.pick("/=", "%="), g.pick("3", "7", "1000"))
		case 2:
			g.line("%s = %sb >> %s;", w, w, g.masked(1, 7))
		case 3:
			g.line("if (%s %s %sb) %s ^= 1;", w, g.pick("<", ">", "=="), w, w)
		case 4:
			g.line("%sb %s %s;", w, g.pick("^=", "|=", "&="), w)
		case 5:
			g.line("{ unsigned char q_[16]; memcpy(q_, &%s, 16); %sb ^= q_[%s]; }", w, w, g.masked(1, 15))
		}
	}
	g.checkOf(fmt.Sprintf("(uint64_t)%s", w))
	g.checkOf(fmt.Sprintf("(uint64_t)((unsigned __int128)%s >> 64)", g.pick(w, w+"b")))
	g.checkOf(fmt.Sprintf("%s < %sb", w, w))
}

func (g *generator) pick2(xs ...int) int { return xs[g.n(len(xs))] }
