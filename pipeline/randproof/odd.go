package randproof

import (
	"fmt"
	"strings"
)

// Statements of the rarer parts of C: unusual layouts, lifetimes cut by jumps, side effects in conditions, atomics,
// callbacks of the library.

// oddFeatures are part of features.
var oddFeatures = []feature{
	{"packed", 1, false, (*generator).packed},
	{"bit-fields", 1, false, (*generator).bitFields},
	{"flexible", 1, false, (*generator).flexible},
	{"tagged", 1, false, (*generator).tagged},
	{"label", 1, true, (*generator).labelled},
	{"case", 1, true, (*generator).declaredInSwitch},
	{"library sort", 1, false, (*generator).librarySort},
	{"atomic", 1, false, (*generator).atomics},
	{"alloca", 1, false, (*generator).allocas},
	{"effects", 1, false, (*generator).effects},
	{"representation", 1, false, (*generator).representation},
	{"cleanup", 1, false, (*generator).cleanups},
	{"parent's local", 1, false, (*generator).outArgument},
	{"overflow", 1, false, (*generator).overflows},
	{"barrier", 1, false, (*generator).barriers},
}

// oddDeclarations are the declarations that these statements use.
const oddDeclarations = `static int order(const void *a, const void *b) { int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static int undone;
static void undo(int *p) { undone = (int)((unsigned)undone * 3u + (unsigned)*p); }
static int down(int *up, int n) { int mine = n; if (n > 0) { *up = (int)((unsigned)*up + (unsigned)n); return down(n & 1 ? &mine : up, n - 1) + (mine & 15); } return *up & 15; }
`

func (g *generator) checkOf(e string) {
	if g.checks < 100 {
		g.line("CHECK(%d, %s);", g.checks, e)
		g.checks++
	}
}

func (g *generator) packed(int) {
	p := g.fresh("k")
	t, u := g.pick("int", "uint16_t", "int64_t", "uint32_t"), g.pick("int16_t", "uint8_t", "int", "uint64_t")
	g.line("struct __attribute__((packed)) %s { %s; %s b; %s c; } %sv[3] = {{%s, 2, 3}};", p,
		g.pick("char a", "uint8_t a", "char a[3]"), t, u, p, g.pick("{1}", "1"))
	for range 1 + g.n(4) {
		switch g.n(5) {
		case 0, 1:
			g.line("%sv[%s].%s %s %s;", p, g.masked(1, 1), g.pick("b", "c"), g.pick("=", "^=", "|="), g.expr(1))
		case 2:
			g.line("%sv[%s] = %sv[%s];", p, g.index(3), p, g.masked(1, 1))
		case 3:
			g.line("((unsigned char *)%sv)[%s] = %s;", p, g.masked(1, 7), g.expr(1))
		case 4:
			q := g.fresh("p")
			g.line("%s *%s = (void *)&%sv[%s].b; *%s = (%s)(%s);", t, q, p, g.masked(1, 1), q, t, g.small(1))
		}
	}
	g.checkOf(fmt.Sprintf("%sv[%s].%s", p, g.masked(1, 1), g.pick("b", "c")))
	g.checkOf(fmt.Sprintf("((unsigned char *)%sv)[%s]", p, g.masked(1, 7)))
}

func (g *generator) bitFields(int) {
	b := g.fresh("k")
	field := func(name string) string {
		t := g.pick("unsigned", "int", "uint8_t", "int64_t", "uint16_t", "signed char")
		return fmt.Sprintf("%s %s : %d;", t, name, 1+g.n(8*map[string]int{"unsigned": 4, "int": 4, "uint8_t": 1, "int64_t": 8,
			"uint16_t": 2, "signed char": 1}[t]))
	}
	gap := g.pick("", "int : 0;", "int : 3;", "char h;")
	g.line("union { struct { %s %s %s %s } f; unsigned char q[32]; } %s; memset(&%s, %s, sizeof %s);", field("a"),
		field("b"), gap, field("c"), b, b, g.pick("0", "255", "165"), b)
	for range 2 + g.n(4) {
		n := g.pick("a", "b", "c")
		switch g.n(5) {
		case 0, 1:
			g.line("%s.f.%s = %s;", b, n, g.expr(1))
		case 2:
			g.line("%s.f.%s %s %s;", b, n, g.pick("^=", "|=", "&="), g.expr(1))
		case 3:
			g.line("%s.q[%s] = %s;", b, g.masked(1, 7), g.expr(1))
		case 4:
			g.line("%s.f.%s = !%s.f.%s;", b, n, b, g.pick("a", "b", "c"))
		}
	}
	g.checkOf(fmt.Sprintf("%s.f.%s", b, g.pick("a", "b", "c")))
	g.checkOf(fmt.Sprintf("%s.q[%s]", b, g.masked(1, 3)))
}

func (g *generator) flexible(int) {
	f := g.fresh("z")
	t := g.pick("uint8_t", "int16_t", "int")
	g.line("struct %s { uint8_t n; %s d[]; } *%sp; size_t %sn = %s;", f, t, f, f, g.masked(1, 3))
	g.line("%sp = malloc(sizeof *%sp + %sn * sizeof(%s));", f, f, f, t)
	g.checkNull(f + "p")
	g.line("%sp->n = (uint8_t)%sn; for (int k_ = 0; k_ < %sp->n; k_++) %sp->d[k_] = (%s)(k_ + %s);", f, f, f, f, t,
		g.small(0))
	if g.chance(50) {
		g.line("struct %s *%sq = realloc(%sp, sizeof *%sp + (%sn + 1) * sizeof(%s));", f, f, f, f, f, t)
		g.checkNull(f + "q")
		g.line("%sq->d[%sq->n++] = 9; %sp = %sq;", f, f, f, f)
	}
	g.line("if (%sp->n > %s) %sp->d[%s] = %s;", f, g.pick("3", "2", "3"), f, g.masked(1, 3), g.expr(1))
	g.checkOf(fmt.Sprintf("%sp->n ? %sp->d[%sp->n - 1] : 77", f, f, f))
	if g.chance(40) {
		g.line("free(%sp);", f)
	}
}

func (g *generator) tagged(int) {
	p := g.fresh("q")
	g.line("_Alignas(8) int64_t %sa = 3, %sb[2] = {4, 5}; uintptr_t %s = (uintptr_t)(%s ? &%sa : &%sb[%s]);", p, p, p,
		g.expr(1), p, p, g.masked(1, 1))
	g.line("%s |= (uintptr_t)(%s);", p, g.masked(1, 7))
	if g.chance(30) {
		g.line("%s ^= (uintptr_t)(%s);", p, g.masked(1, 3))
	}
	g.line("*(int64_t *)(%s & ~(uintptr_t)7) %s %s;", p, g.pick("=", "^=", "|="), g.small(1))
	g.checkOf(fmt.Sprintf("%s & 7", p))
	g.checkOf(fmt.Sprintf("%sa + %sb[0] * 100 + %sb[1] * 10000", p, p, p))
	if g.chance(40) {
		g.line("uintptr_t %sx = (uintptr_t)&%sa ^ (uintptr_t)%sb; int64_t *%sy = (int64_t *)(%sx ^ (uintptr_t)%s);", p, p, p,
			p, p, g.pick(p+"b", "&"+p+"a"))
		g.checkOf(fmt.Sprintf("*%sy", p))
	}
}

// labelled writes a declaration behind a label, whose address is taken, in a block that is re-entered or left.
func (g *generator) labelled(depth int) {
	n, again, x := g.fresh("n"), g.fresh("again"), g.fresh("x")
	bound := g.bound()
	old := g.breakable
	g.breakable = false
	g.loops++
	g.line("int %s = 0, %ss = 0;", n, n)
	g.block("for (int k_ = 0; k_ < 2; k_++)", "", func() {
		g.line("%s:;", again)
		g.line("int %s = %s, *%sp = &%s; *%sp += 1;", x, g.small(1), x, x, x)
		g.block("", "", func() { g.statements(1, depth) })
		g.line("%ss = (int)((unsigned)%ss * 5u + (unsigned)*%sp);", n, n, x)
		g.line("if (++%s < %s) goto %s;", n, bound, again)
	})
	g.loops--
	g.breakable = old
	g.checkOf(n + "s")
}

func (g *generator) declaredInSwitch(depth int) {
	x := g.fresh("x")
	g.line("int %sr = 0;", x)
	g.block(fmt.Sprintf("for (int k_ = 0; k_ < %s; k_++)", g.pick("2", "3")), "", func() {
		g.block(fmt.Sprintf("switch (k_ + %s)", g.masked(1, 1)), "", func() {
			g.line("int %s, *%sp;", x, x)
			g.line("case 0: %s = %s; %sp = &%s; %sr += *%sp; break;", x, g.small(1), x, x, x, x)
			g.line("case 1: %s = 2; %sp = &%s; *%sp ^= %s; if (%s) %sr += %s; /* fall through */", x, x, x, x, g.small(1),
				g.expr(1), x, x)
			g.line("default: %s = %sr; %sr += 1 + (%s & 3);", x, x, x, x)
		})
	})
	g.checkOf(x + "r")
}

func (g *generator) librarySort(int) {
	a := g.fresh("v")
	n := 2 + g.n(2)
	var vs []string
	for range n {
		vs = append(vs, g.small(1))
	}
	g.line("int %s[%d] = {%s};", a, n, strings.Join(vs, ", "))
	g.line("qsort(%s, %s, sizeof *%s, order);", a, g.pick(fmt.Sprint(n), g.masked(1, n)), a)
	g.checkOf(fmt.Sprintf("%s[0] * 100 + %s[%d]", a, a, n-1))
	if g.chance(40) {
		g.line("int %sk = %s, *%sf = bsearch(&%sk, %s, %d, sizeof *%s, order);", a, g.small(1), a, a, a, n-1, a)
		g.checkOf(fmt.Sprintf("%sf ? *%sf == %sk : 2", a, a, a))
	}
	g.add(variable{name: a, kind: "array", typ: "int", n: n})
}

func (g *generator) atomics(int) {
	a := g.fresh("v")
	t := g.pick("int", "uint8_t", "uint64_t", "int16_t")
	g.line("%s %s = (%s)(%s), %se = (%s)(%s);", t, a, t, g.small(1), a, t, g.small(1))
	for range 1 + g.n(3) {
		switch g.n(4) {
		case 0:
			g.line("%se = __atomic_fetch_%s(&%s, (%s)(%s), 5);", a, g.pick("add", "sub", "and", "or", "xor", "nand", "max",
				"min"), a, t, g.expr(1))
		case 1:
			g.line("%se = __atomic_exchange_n(&%s, (%s)(%s), 5);", a, a, t, g.expr(1))
		case 2:
			g.line("if (__atomic_compare_exchange_n(&%s, &%se, (%s)(%s), 0, 5, 5)) %se = 7;", a, a, t, g.expr(1), a)
		case 3:
			g.line("__atomic_%s_fetch(&%s, (%s)(%s), 5);", g.pick("add", "xor"), a, t, g.expr(1))
		}
	}
	g.checkOf(a)
	g.checkOf(a + "e")
	g.add(variable{name: a, kind: "int", typ: t})
}

func (g *generator) allocas(int) {
	if g.loops > 0 {
		return
	}
	a := g.fresh("y")
	g.line("int *%s[3]; for (int k_ = 0; k_ < 3; k_++) { %s[k_] = __builtin_alloca(sizeof(int) * (size_t)(1 + %s)); "+
		"*%s[k_] = k_ + %s; }", a, a, g.masked(1, 1), a, g.small(1))
	g.line("*%s[%s] = %s;", a, g.masked(1, 1), g.small(1))
	if g.chance(15) {
		g.line("%s[0][%s] = 1;", a, g.masked(1, 1))
	}
	g.checkOf(fmt.Sprintf("*%s[0] + *%s[1] * 10 + *%s[2] * 100", a, a, a))
}

func (g *generator) effects(int) {
	a := g.fresh("i")
	g.line("int %s = %s, %sn = 0;", a, g.small(1), a)
	cond := []string{
		fmt.Sprintf("(%sn += 1, %s) && (%sn += 2, %s)", a, g.expr(1), a, g.expr(1)),
		fmt.Sprintf("(%sn++, %s) || ((%sn += 4), %s > 1)", a, g.expr(1), a, a),
		fmt.Sprintf("(%s ? (%sn += 1) : (%sn += 2)) > 1", g.expr(1), a, a),
		fmt.Sprintf("({ int t_ = %s; %sn += t_ & 3; t_; }) || !(%s = 5)", g.small(1), a, a),
		fmt.Sprintf("!(%s && (%s = %s))", g.expr(1), a, g.small(1)),
	}[g.n(5)]
	g.line("if (%s) %s += %sn;", cond, a, a)
	g.checkOf(fmt.Sprintf("%s * 16 + %sn", a, a))
	g.add(variable{name: a, kind: "int", typ: "int"})
}

// representation writes copies of structures as bytes, in whole and in parts.
func (g *generator) representation(int) {
	s := g.fresh("y")
	g.line("struct mid %s = {%s, 2, 3}, %st; unsigned char %sb[sizeof %s]; memcpy(%sb, &%s, sizeof %s);", s, g.expr(1), s,
		s, s, s, s, s)
	g.line("%sb[%s] = %s;", s, g.masked(1, 7), g.expr(1))
	switch g.n(3) {
	case 0:
		g.line("memcpy(&%st, %sb, sizeof %st);", s, s, s)
	case 1:
		g.line("for (unsigned k_ = 0; k_ < sizeof %st; k_++) ((unsigned char *)&%st)[k_] = %sb[k_];", s, s, s)
	case 2:
		g.line("memset(&%st, 0, sizeof %st); memcpy(&%st, %sb, %s);", s, s, s, s, g.pick("8", g.masked(1, 7)))
	}
	g.checkOf(s + "t.x")
	g.line("const void *%sp[2] = {%sb, &%st}; const void *%sq[2]; memcpy(%sq, %sp + %s, sizeof *%sp); memcpy(%sq + 1, "+
		"%sp, sizeof *%sp);", s, s, s, s, s, s, g.masked(1, 1), s, s, s, s)
	g.checkOf(fmt.Sprintf("*(unsigned char *)%sq[%s]", s, g.masked(1, 1)))
}

func (g *generator) cleanups(int) {
	c := g.fresh("i")
	g.block(fmt.Sprintf("for (int k_ = 0; k_ < %s; k_++)", g.pick("2", "3")), "", func() {
		g.line("__attribute__((cleanup(undo))) int %s = k_ + %s;", c, g.small(1))
		g.line("if (%s) %s;", g.expr(1), g.pick("continue", "break"))
		g.line("%s += 2;", c)
	})
	g.checkOf("undone")
}

func (g *generator) outArgument(int) {
	o := g.fresh("i")
	g.line("int %s = %s, %sr = down(&%s, %s);", o, g.small(1), o, o, g.masked(1, 3))
	g.checkOf(fmt.Sprintf("%s * 100 + %sr", o, o))
	g.add(variable{name: o, kind: "int", typ: "int"})
}

func (g *generator) overflows(int) {
	o := g.fresh("b")
	t := g.pick("int", "uint8_t", "int64_t", "unsigned", "int16_t", "uint64_t")
	cast := func() string { return g.pick("int", "unsigned", "int8_t", "uint64_t", "int64_t", "uint16_t") }
	g.line("%s %s; int %so = __builtin_%s_overflow((%s)(%s), (%s)(%s), &%s);", t, o, o, g.pick("add", "sub", "mul"),
		cast(), g.expr(1), cast(), g.expr(1), o)
	g.checkOf(o)
	g.checkOf(o + "o")
}

// barriers writes assembly that hides a value from the optimizer without changing it.
func (g *generator) barriers(int) {
	h := g.fresh("h")
	g.line("%s %s = %s;", g.pick("int", "uint8_t", "int64_t", "unsigned", "int16_t"), h, g.expr(1))
	g.line("__asm__ %s(\"\" : %s);", g.pick("", "volatile "), fmt.Sprintf(
		g.pick(`"+r"(%s)`, `"+m"(%s)`, `"+r"(%[1]s) : : "memory"`,
			`"=r"(%[1]s) : "0"(%[1]s)`, `"+rm"(%s)`, `"+&r"(%s)`), h))
	if g.chance(30) {
		g.line("__asm__ volatile(\"\" : : %s : \"memory\");", fmt.Sprintf(g.pick(`"r"(%s)`, `"r"(&%s)`, `"m"(%s)`), h))
	}
	g.checkOf(h)
}
