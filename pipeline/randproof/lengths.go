package randproof

import "fmt"

// Functions of string.h with lengths that depend on inputs, on typed arrays and strings; string and compound literals.

var lengthFeatures = []feature{
	{"lengths", 2, false, (*generator).lengths},
	{"compared bytes", 1, false, (*generator).comparedBytes},
	{"literals", 2, false, (*generator).literals},
	{"vector", 1, false, (*generator).vector},
}

func (g *generator) lengths(int) {
	a := g.fresh("a")
	t := g.pick("int", "short", "char", "int64_t")
	n := 3 + g.n(4)
	g.line("%s %s[%d] = {1, 2, %s}, %sb[%d] = {%s, 5, 6};", t, a, n, g.small(1), a, n, g.small(1))
	g.line("size_t %sn = %s;", a, g.pick(g.masked(1, 3), g.masked(1, 3), g.masked(1, n)))
	for range 2 + g.n(4) {
		count := g.pick(a+"n", a+"n", a+"n / 2", a+"n ? "+a+"n - 1 : 0", fmt.Sprint(n-1))
		switch g.n(6) {
		case 0:
			g.line("memcpy(%s, %sb, (%s) * sizeof(%s));", a, a, count, t)
		case 1:
			g.line("memmove(%s + %s, %s, (%s) * sizeof *%s);", a, g.pick("1", "1", g.masked(1, 1)), a,
				g.pick(count, fmt.Sprint(n-1), fmt.Sprint(n-2)), a)
		case 2:
			g.line("memmove(%s, %s + %s, (%s) * sizeof *%s);", a, a, g.pick("1", g.masked(1, 1)), g.pick(count, fmt.Sprint(n-1)),
				a)
		case 3:
			g.line("memset(%sb + %s, %s, (%s) * sizeof *%s);", a, g.masked(1, 1), g.pick("0", "255", g.expr(1)),
				g.pick(count, "1", fmt.Sprint(n-1)), a)
		case 4:
			g.line("memcpy((char *)%sb + %s, %s, %sn);", a, g.masked(1, 1), a, a)
		case 5:
			g.line("if (%sn < %d) %s[%sn] = %s;", a, n, a, a, g.small(1))
		}
	}
	g.checkOf(fmt.Sprintf("%s[%s]", a, g.index(n)))
	g.checkOf(fmt.Sprintf("%sb[%s]", a, g.masked(1, 1)))
	g.checkOf(fmt.Sprintf("memcmp(%s, %sb, %sn * sizeof *%s) == 0", a, a, a, a))
	g.add(variable{name: a, kind: "array", typ: t, n: n})
}

func (g *generator) comparedBytes(int) {
	s := g.fresh("s")
	g.line("char %s[6] = \"ab\", %st[6] = {'a', (char)(%s ? 'b' : %s), 'c'}; size_t %sn = %s;", s, s, g.expr(1),
		g.pick("'c'", "0", "-3", "200"), s, g.masked(1, 3))
	if g.chance(60) {
		g.line("%s[%s] = (char)('a' + %s);", s, g.masked(1, 3), g.masked(1, 1))
	}
	if g.chance(20) {
		g.line("memset(%s, 'x', %s); %s", s, g.pick("6", "5", "3 + "+g.masked(1, 3)),
			g.pick("", fmt.Sprintf("%s[5] = 0;", s)))
	}
	wanted := g.pick("0", "'b'", "'a' + 256") // is converted to char; not in cbmc
	if g.plain {
		wanted = "'b'"
	}
	sign := func(call string) string { return fmt.Sprintf("(%s > 0) - (%s < 0)", call, call) }
	g.checkOf(g.pick(fmt.Sprintf("strlen(%s)", s), fmt.Sprintf("strlen(%s + (%sn & 1))", s, s),
		fmt.Sprintf("strlen(%st)", s)))
	g.checkOf(g.pick(sign(fmt.Sprintf("memcmp(%s, %st, %sn)", s, s, s)), sign(fmt.Sprintf("strcmp(%s, %st)", s, s)),
		sign(fmt.Sprintf("strncmp(%s, %st, %sn)", s, s, s))))
	first := fmt.Sprintf("memchr(%st, 'c', %sn) == %st + 2", s, s, s)
	if g.plain { // has no body there
		first = s + "n"
	}
	g.checkOf(g.pick(first, fmt.Sprintf("strchr(%s, %s) != NULL", s, wanted), fmt.Sprintf("strrchr(%s, 'a') == %s", s, s)))
}

func (g *generator) literals(int) {
	l := g.fresh("l")
	g.line("static const char *const %sw[] = {\"zero\", \"one\" \"1\", \"\", \"\\xff\\0b\"}; const char *%s = %sw[%s];", l,
		l, l, g.index(4))
	g.line("int *%sp = (int[4]){%s, [2] = %s, 7}; const struct mid *%sm = &(struct mid){.z = 2, .x = %s};", l, g.small(1),
		g.small(1), l, g.small(1))
	switch g.n(4) {
	case 0:
		g.line("%sp[%s] = \"0123456789abcdef\"[%s];", l, g.index(4), g.masked(1, 15))
	case 1:
		g.line("%sp += %s; *%sp = %s;", l, g.masked(1, 1), l, g.small(1))
	case 2:
		g.line("%sm = %s ? %sm : &(const struct mid){4, 5, 6};", l, g.expr(1), l)
	case 3:
		g.line("char %sc[] = \"mutable\"; %sc[%s] ^= 32; %s = %sc;", l, l, g.masked(1, 7), l, l)
	}
	g.checkOf(fmt.Sprintf("%s[%s]", l, g.pick("0", "0", g.masked(1, 1))))
	g.checkOf(fmt.Sprintf("strlen(%s)", l))
	g.checkOf(fmt.Sprintf("%sm->x * 10 + %sm->z", l, l))
	g.checkOf(fmt.Sprintf("%sp[%s]", l, g.masked(1, 1)))
	g.checkOf(fmt.Sprintf("(int[]){5, %s, 7}[%s] + (struct mid){1, 2, %s}.z", g.small(1), g.index(3), g.small(1)))
	g.checkOf(g.pick(fmt.Sprintf("L\"wide\"[%s]", g.index(4)), fmt.Sprintf("\"abc\"[%s] + sizeof \"ab\" \"cd\"",
		g.index(4)), fmt.Sprintf("((int[2][2]){{1, 2}, {3, %s}})[%s][1]", g.small(1), g.index(2))))
}

const vectorDeclarations = `struct vec { int *d; size_t n, cap; };
static int push(struct vec *v, int x) { if (v->n == v->cap) { size_t c = v->cap ? v->cap * 2 : 1; int *d = realloc(v->d, c * sizeof *d); if (!d) return 0; v->d = d; v->cap = c; } v->d[v->n++] = x; return 1; }
static int pop(struct vec *v, int *x) { if (!v->n) return 0; *x = v->d[--v->n]; return 1; }
static int insert(struct vec *v, size_t at, int x) { if (at > v->n || !push(v, x)) return 0; memmove(v->d + at + 1, v->d + at, (v->n - 1 - at) * sizeof *v->d); v->d[at] = x; return 1; }
`

// vector writes operations on an array that grows by realloc.
func (g *generator) vector(int) {
	g.use(vectorDeclarations)
	v := g.fresh("v")
	g.line("struct vec %s = {0}; int %sx = -1, %so = 0;", v, v, v)
	for range 2 + g.n(3) {
		switch g.n(5) {
		case 0, 1:
			g.line("%so += push(&%s, %s);", v, v, g.small(1))
		case 2:
			g.line("for (int k_ = 0; k_ < %s; k_++) if (!push(&%s, k_ + %s)) break;", g.pick("2", g.masked(1, 3)), v, g.small(0))
		case 3:
			g.line("%so += pop(&%s, &%sx) * 4;", v, v, v)
		case 4:
			g.line("%so += insert(&%s, %s, %s) * 16;", v, v, g.masked(1, 1), g.small(1))
		}
	}
	g.checkOf(fmt.Sprintf("%s.n * 256 + (size_t)%so", v, v))
	g.checkOf(fmt.Sprintf("%s.n ? %s.d[%s.n - 1] : -5", v, v, v))
	g.checkOf(v + "x")
	if g.chance(15) { // beyond the elements
		g.line("if (%s.d) %s.d[%s.n] = 3;", v, v, v)
	}
	if g.chance(60) {
		g.line("free(%s.d);", v)
		if g.chance(15) {
			g.line("if (%s) %sx = %s.d[0];", g.expr(1), v, v)
		}
	}
}
