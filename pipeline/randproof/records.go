package randproof

import "fmt"

// Structures as values: nested, copied, passed, returned, chosen.

var recordFeatures = []feature{
	{"records", 2, false, (*generator).records},
	{"enclosing", 1, false, (*generator).enclosing},
	{"big result", 1, false, (*generator).bigResult},
}

const recordDeclarations = `struct in { int8_t a; uint16_t b; };
struct rec { struct in i[2]; int64_t w; _Bool f; uint8_t tail[3]; };
static struct rec bump(struct rec r, int k) { r.i[k & 1].a++; r.w += k; r.f = r.w; return r; }
static struct rec *which(struct rec *a, struct rec *b, int c) { return c ? a : b; }
static struct in turned(struct in x) { return (struct in){(int8_t)x.b, (uint16_t)x.a}; }
static int64_t weigh(const struct rec *r) { return r->i[0].a + r->i[1].b * 3 + r->w * 5 + r->f * 7 + r->tail[0] * 11 + r->tail[2] * 13; }
`

func (g *generator) records(int) {
	g.use(recordDeclarations)
	r := g.fresh("r")
	g.line("struct rec %s = {.i = {{%s, 2}, {.b = 3}}, .w = %s, .tail = {1, 2, 3}}, %sa[3] = {{.w = 1}, {.w = 2, .f = "+
		"1}, {.tail = {9}}};", r, g.small(1), g.small(1), r)
	element := func() string { return fmt.Sprintf("%sa[%s]", r, g.index(3)) }
	for range 3 + g.n(5) {
		switch g.n(11) {
		case 0:
			g.line("%s = bump(%s, (int)%s);", g.pick(r, element()), g.pick(r, element()), g.small(1))
		case 1:
			g.line("%s = %s;", element(), element())
		case 2:
			g.line("*which(&%s, &%s, %s) = %s;", r, element(), g.expr(1), element())
		case 3:
			g.line("%s.i[%s] = turned(%s.i[%s]);", element(), g.index(2), g.pick(r, element()), g.masked(1, 1))
		case 4:
			g.line("%s.tail[%s] = %s;", element(), g.index(3), g.expr(1))
		case 5:
			g.line("{ struct rec t_ = %s, *p_ = &%s; %s = *p_; *p_ = t_; }", r, element(), r)
		case 6:
			g.line("memcpy(&%s, &%s, sizeof %s);", element(), r, r)
		case 7:
			g.line("%s.f = %s;", g.pick(r, element()), g.pick(g.expr(1), "0.25", r+".tail", "(uint8_t)"+g.expr(1)))
		case 8:
			g.line("%s.i[0] = %s.i[%s];", r, r, g.masked(1, 1))
		case 9:
			g.line("%s.w %s %s;", element(), g.pick("+=", "-=", "^="), g.expr(1))
		case 10:
			g.line("%s = (%s) ? %s : %s;", r, g.expr(1), r, element())
		}
	}
	g.checkOf(fmt.Sprintf("weigh(&%s)", g.pick(r, r+"a[1]", element())))
	g.checkOf(fmt.Sprintf("bump(%s, %s).%s", g.pick(r, element()), g.masked(1, 3), g.pick("w", "f", "i[0].a", "i[1].a")))
	g.checkOf(fmt.Sprintf("(%s ? %s : %s).%s", g.expr(1), r, element(), g.pick("w", "f", "tail[1]", "i[1].b")))
}

// enclosing writes accesses of a structure by the address of a member.
func (g *generator) enclosing(int) {
	g.use(recordDeclarations)
	r := g.fresh("r")
	g.line("struct rec %s[2] = {{.w = 5}, {.w = 6, .tail = {1, 2, 3}}}; uint16_t *%sm = &%s[%s].i[%s].b;", r, r, r,
		g.masked(1, 1), g.masked(1, 1))
	g.line("struct in *%se = (struct in *)((char *)%sm - offsetof(struct in, b)); %se->a = %s;", r, r, r, g.small(1))
	g.line("uint8_t *%st = %s[%s].tail + %s; struct rec *%sr = (struct rec *)(%st - offsetof(struct rec, tail));", r, r,
		g.masked(1, 1), g.pick("0", "0", "0", "sizeof(struct rec)*0"), r, r)
	g.line("%sr->w %s %s; %st[%s] = 4;", r, g.pick("+=", "="), g.small(1), r, g.index(3))
	g.checkOf(fmt.Sprintf("weigh(&%s[%s]) + weigh(%sr) * 1000", r, g.masked(1, 1), r))
}

const bigDeclarations = `struct big { int a[5]; double d; char s[4]; };
static struct big filled(int k, double d) { struct big b = {{k, k + 1}, d, "xy"}; for (int i = 2; i < 5; i++) b.a[i] = b.a[i - 1] + b.a[i - 2]; return b; }
static int through(struct big b, int i) { b.a[i] ^= 1; return b.a[i] + b.s[i & 3] + (b.d > 1); }
`

func (g *generator) bigResult(int) {
	g.use(bigDeclarations)
	b := g.fresh("b")
	g.line("struct big %s = filled(%s, %s), %st = %s;", b, g.small(1), g.pick("0.5", "1.5", "(double)"+g.small(1)), b, b)
	g.line("int %sr = through(%s, %s);", b, g.pick(b, b+"t", fmt.Sprintf("filled(%s, 2)", g.small(1))), g.index(5))
	g.line("%st.a[%s] = %s; %s = %st;", b, g.index(5), g.expr(1), g.pick(b, b+"t"), b)
	g.checkOf(b + "r")
	g.checkOf(fmt.Sprintf("%s.a[%s] + filled(1, 2).a[%s]", b, g.masked(1, 3), g.masked(1, 3)))
	g.add(variable{name: b + "r", kind: "int", typ: "int"})
}
