package randproof

import (
	"fmt"
	"strings"
)

// Structures of all shapes as arguments and results, which the calling convention splits into registers; globals that
// contain addresses.

var passingFeatures = []feature{
	{"passing", 2, false, (*generator).passing},
	{"wired globals", 1, false, (*generator).wiredGlobals},
}

// passing declares a structure of random members, and functions that take and return it.
func (g *generator) passing(int) {
	t := g.fresh("ab")
	var decl, sum, init []string
	for i := range 1 + g.n(4) {
		m := string(rune('a' + i))
		switch g.n(10) {
		case 0, 1, 2:
			typ := g.pick("int8_t", "int16_t", "int", "int64_t", "uint8_t", "unsigned", "_Bool")
			decl, sum, init = append(decl, typ+" "+m), append(sum, "x."+m), append(init, g.small(1))
		case 3, 4, 5:
			decl, sum, init = append(decl, g.pick("float ", "float ", "double ")+m), append(sum, "(int64_t)(x."+m+" * 4)"),
				append(init, fmt.Sprintf("(int8_t)%s / %s", g.small(1), g.pick("2.0f", "4.0", "1.0f")))
		case 6:
			n := 2 + g.n(4)
			decl, sum, init = append(decl, fmt.Sprintf("%s %s[%d]", g.pick("char", "uint8_t", "short"), m, n)),
				append(sum, fmt.Sprintf("x.%s[0] * 5 + x.%s[%d]", m, m, n-1)), append(init, fmt.Sprintf("{1, %s}", g.small(1)))
		case 7:
			decl, sum, init = append(decl, fmt.Sprintf("%s %s : %d", g.pick("unsigned", "int", "uint64_t"), m, 3+g.n(20))),
				append(sum, "(int64_t)x."+m), append(init, g.masked(1, 3))
		case 8:
			decl, sum, init = append(decl, "const char *"+m), append(sum, "*x."+m),
				append(init, fmt.Sprintf("\"pq\" + %s", g.masked(1, 1)))
		case 9:
			decl, sum, init = append(decl, "struct { "+g.pick("float", "short", "int")+" p, q; } "+m),
				append(sum, "(int64_t)(x."+m+".p + 2 * x."+m+".q)"), append(init, fmt.Sprintf("{%s, 3}", g.small(1)))
		}
	}
	packed := g.pick("", "", "", "", "__attribute__((packed)) ")
	g.use(fmt.Sprintf(`struct %[1]s%[2]s { %[3]s; };
static int64_t sum_%[2]s(struct %[2]s x) { return %[4]s; }
static struct %[2]s one_%[2]s(struct %[2]s x, int k, double d, struct %[2]s y) { if (d > 1) { struct %[2]s t = x; x = y; y = t; } return k ? x : y; }
static int64_t many_%[2]s(int i1, int i2, int i3, int i4, int i5, struct %[2]s x, int i6, float f, struct %[2]s y) { return sum_%[2]s(x) * 3 + sum_%[2]s(y) + i1 + i5 * 2 + i6 * 4 + (f > 2); }
`, packed, t, strings.Join(decl, "; "), strings.Join(sum, " * 7 + ")))
	if !g.plain {
		g.use(fmt.Sprintf("static int64_t some_%[1]s(int n, ...) { va_list l; va_start(l, n); int64_t t = 0; while (n-- > "+
			"0) { t = t * 3 + sum_%[1]s(va_arg(l, struct %[1]s)); t += va_arg(l, int); } va_end(l); return t; }\n", t))
	}
	g.line("struct %s %sx = {%s}, %sy[2] = {%sx}; struct %s (*%sf)(struct %s, int, double, struct %s) = one_%s;", t, t,
		strings.Join(init, ", "), t, t, t, t, t, t, t)
	element := fmt.Sprintf("%sy[%s]", t, g.index(2))
	switch g.n(4) {
	case 0:
		g.line("%s = one_%s(%sx, %s, %s, %sy[0]);", element, t, t, g.small(1), g.pick("0.5", "2", "(double)"+g.small(1)), t)
	case 1:
		g.line("%sx = %sf(%s, (int)%s, 1.5, %sx);", t, t, element, g.small(1), t)
	case 2:
		g.line("%s = %s ? %sx : one_%s(%sy[0], 1, 0, %sx);", element, g.expr(1), t, t, t, t)
	case 3:
		g.line("*(%s ? &%sx : %sy) = %s;", g.expr(1), t, t, element)
	}
	g.checkOf(fmt.Sprintf("sum_%s(%s)", t, g.pick(t+"x", element)))
	g.checkOf(fmt.Sprintf("many_%s(1, 2, 3, 4, %s, %sx, 5, %s, %s)", t, g.small(1), t, g.pick("2.5f", "0"), element))
	if !g.plain {
		g.checkOf(fmt.Sprintf("some_%s(%s, %sx, (int)%s, %sy[1], 7)", t, g.pick("2", "1", g.masked(1, 1)), t, g.small(1), t))
	}
	g.checkOf(fmt.Sprintf("sum_%s(one_%s(%sy[1], %s, 0, %sx))", t, t, t, g.expr(1), t))
}

func (g *generator) wiredGlobals(int) {
	w := g.fresh("w")
	g.use(fmt.Sprintf(`static int %[1]sn[4] = {1, [2] = %[2]d, 9}; extern int *%[1]sl;
struct %[1]s { const char *name; int *at; struct %[1]s *other; union { float f; uint32_t w; } u; unsigned b : 5; } static %[1]sa, %[1]sb = {"bee", %[1]sn + 1, &%[1]sa, {1.5f}, 17}, %[1]sa = {.at = &%[1]sn[3], .other = &%[1]sb, .u.w = 7};
int *%[1]sl = &%[1]sn[2]; static struct %[1]s *const %[1]st[] = {&%[1]sa, &%[1]sb, NULL}; static uint8_t *%[1]sp = (uint8_t *)%[1]sn + 5;
`, w, g.n(9)))
	for range 1 + g.n(4) {
		switch g.n(6) {
		case 0:
			g.line("*%st[%s]->at %s %s;", w, g.masked(1, 1), g.pick("=", "^="), g.small(1))
		case 1:
			g.line("%sl = %sb.at + %s; *%sl = %s;", w, w, g.pick("0", "1", "-1", g.masked(1, 1)), w, g.small(1))
		case 2:
			g.line("if (%st[%s]) %sa.other = %st[%s];", w, g.index(3), w, w, g.masked(1, 1))
		case 3:
			g.line("*%sp = %s; %sp += %s;", w, g.small(1), w, g.pick("1", "-1", "0"))
		case 4:
			g.line("%sa.other->b %s %s;", w, g.pick("+=", "-=", "="), g.small(1))
		case 5:
			g.line("for (struct %s *const *p_ = %st; *p_; p_++) (*p_)->u.w ^= (uint32_t)%s;", w, w, g.small(1))
		}
	}
	g.checkOf(fmt.Sprintf("%sn[%s]", w, g.index(4)))
	g.checkOf(fmt.Sprintf("%sa.other->other->b + *%sl", w, w))
	g.checkOf(fmt.Sprintf("%st[%s]->u.w", w, g.masked(1, 1)))
	g.checkOf(fmt.Sprintf("*%sb.at * 16 + %sb.name[%s] + (%sb.other == &%sa)", w, w, g.masked(1, 3), w, w))
}
