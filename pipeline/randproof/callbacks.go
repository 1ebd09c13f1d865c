package randproof

import "fmt"

// Functions in tables and structures, functions as arguments, variable arguments that are passed on.

var callbackFeatures = []feature{
	{"operations", 2, false, (*generator).operations},
	{"higher order", 1, false, (*generator).higherOrder},
	{"variable arguments", 1, false, (*generator).variableArguments},
	{"static local", 1, false, (*generator).staticLocal},
}

const operationDeclarations = `struct ops { int (*get)(void *, int); void (*set)(void *, int, int); const char *name; };
static int vec_get(void *p, int i) { return ((int *)p)[i & 1]; }
static void vec_set(void *p, int i, int v) { ((int *)p)[i & 1] = v; }
static int low_get(void *p, int i) { return ((uint8_t *)p)[i & 7]; }
static void low_set(void *p, int i, int v) { ((uint8_t *)p)[i & 7] = (uint8_t)v; }
static void no_set(void *p, int i, int v) { (void)p; (void)i; (void)v; }
static const struct ops ops_table[3] = {{vec_get, vec_set, "v"}, {low_get, low_set, "lo"}, {low_get, no_set, ""}};
static int (*getter(int k))(void *, int) { return k ? ops_table[k & 1].get : NULL; }
`

// operations writes calls through a table of structures of functions.
func (g *generator) operations(int) {
	g.use(operationDeclarations)
	o := g.fresh("o")
	g.line("int %sv[2] = {%s, 258}; const struct ops *%s = &ops_table[%s]; struct ops %sc = *%s;", o, g.small(1), o,
		g.pick(g.masked(1, 1), g.masked(1, 2), g.index(3)), o, o)
	for range 1 + g.n(4) {
		switch g.n(6) {
		case 0, 1:
			g.line("%s->set(%sv, %s, %s);", o, o, g.masked(1, 7), g.small(1))
		case 2:
			g.line("%sc.%s;", o, g.pick(fmt.Sprintf("set = %s ? vec_set : no_set", g.expr(1)), "get = low_get", "set = no_set",
				"name = \"q\""))
		case 3:
			g.line("(*%sc.set)(%sv, %s, (int8_t)%s);", o, o, g.masked(1, 3), g.small(1))
		case 4:
			g.line("if (%s->get == low_get) %s = &ops_table[0];", o, o)
		case 5:
			g.line("{ int (*f_)(void *, int) = getter(%s); if (f_) %sv[0] ^= f_(%sv, 1); }", g.small(1), o, o)
		}
	}
	g.checkOf(fmt.Sprintf("%s->get(%sv, %s)", g.pick(o, "(&"+o+"c)"), o, g.masked(1, 3)))
	g.checkOf(fmt.Sprintf("%sv[0] ^ %sv[1]", o, o))
	g.checkOf(fmt.Sprintf("%sc.name[0] + (%sc.set == no_set)", o, o))
}

const higherDeclarations = `static int plus(int a, int b) { return (int)((unsigned)a + (unsigned)b); }
static int most(int a, int b) { return a > b ? a : b; }
static int fold(int (*f)(int, int), const int *v, int n, int e) { for (int i = 0; i < n; i++) e = f(e, v[i]); return e; }
static int folded(int (*f)(int, int), const int *v, int n, int e) { return n > 0 ? folded(f, v + 1, n - 1, f(e, *v)) : e; }
struct count { int n; int *into; };
static void each(void (*f)(struct count *, int), struct count *c, const int *v, int n) { for (; n-- > 0; v++) f(c, *v); }
static void odd_ones(struct count *c, int x) { if (x & 1) { c->n++; if (c->into) *c->into++ = x; } }
static void all_ones(struct count *c, int x) { c->n += x & 15; }
`

func (g *generator) higherOrder(int) {
	g.use(higherDeclarations)
	h := g.fresh("h")
	g.line("int %sv[3] = {%s, %s, 3}, %so[4] = {0}; struct count %sc = {0, %s};", h, g.small(1), g.expr(1), h, h,
		g.pick("NULL", h+"o", h+"o + 1", fmt.Sprintf("%so + %s", h, g.masked(1, 1))))
	g.line("int (*%sf[])(int, int) = {plus, most}; int %sr = %s(%sf[%s], %sv, %s, %s);", h, h, g.pick("fold", "folded"), h,
		g.index(2), h, g.pick("3", g.masked(1, 3)), g.small(1))
	g.line("each(%s ? odd_ones : all_ones, &%sc, %sv, %s);", g.expr(1), h, h, g.pick("3", g.masked(1, 3), "2"))
	g.checkOf(h + "r")
	g.checkOf(fmt.Sprintf("%sc.n * 10 + %so[%s]", h, h, g.masked(1, 3)))
	g.add(variable{name: h + "v", kind: "array", typ: "int", n: 3})
}

const argumentDeclarations = `static int summed(int n, va_list l) { int t = 0; while (n-- > 0) t = (int)((unsigned)t + (unsigned)va_arg(l, int)); return t; }
static int twice_summed(int n, ...) { va_list l, m; va_start(l, n); va_copy(m, l); int a = summed(n, l), b = summed(n / 2, m); va_end(m); va_end(l); return a * 16 + b; }
static int64_t formatted(const char *f, ...) { va_list l; va_start(l, f); int64_t t = 0; for (; *f; f++) switch (*f) { case 'd': t += va_arg(l, int); break; case 'l': t += va_arg(l, long long) * 2; break; case 's': t += va_arg(l, const char *)[0]; break; case 'f': t += va_arg(l, double) > 1 ? 1000 : 0; break; case 'p': ++*va_arg(l, int *); break; default: t ^= 1; } va_end(l); return t; }
`

func (g *generator) variableArguments(int) {
	g.use(argumentDeclarations)
	v := g.fresh("v")
	g.line("int %s = %s;", v, g.small(1))
	switch g.n(3) {
	case 0:
		g.line("int %sr = twice_summed(%s, (int)%s, (int)%s, (short)%s, 1000);", v, g.pick("4", g.masked(1, 3)),
			g.small(1), g.small(1), g.small(1))
	case 1:
		g.line("int64_t %sr = formatted(%s, (int)%s, (long long)%s, \"z\" + %s, &%s, 2.5f, -1, 1, 2, 3, 4, 5ll);", v,
			g.pick("\"dlspf\"", "\"dl\"", "\"dlspfdddddl\"", fmt.Sprintf("%s ? \"dlsp\" : \"d-\"", g.expr(1))), g.small(1),
			g.small(1), g.masked(1, 1), v)
	case 2:
		g.line("int64_t %sr = formatted(\"%s\" + %s, (int)%s, (int)%s, %s);", v, "ddd", g.masked(1, 3), g.small(1),
			g.small(1), "(_Bool)"+g.small(1))
	}
	g.checkOf(v + "r")
	g.checkOf(v)
	g.add(variable{name: v, kind: "int", typ: "int"})
}

const staticDeclarations = `static int counted(int by) { static int n = 3, seen[2]; static int *last = &n; int was = *last; n += by & 7; last = by & 1 ? &seen[n & 1] : &n; *last += 1; return was; }
static int *place(int k) { static int a[2] = {1, 2}; static int b; return k & 1 ? a : &b; }
`

func (g *generator) staticLocal(int) {
	g.use(staticDeclarations)
	s := g.fresh("s")
	g.line("int %s = counted(%s); *place(%s) += %s; %s = (int)((unsigned)%s * 16u + (unsigned)counted(%s));", s,
		g.small(1), g.small(1), g.small(1), s, s, g.small(1))
	g.checkOf(s)
	g.checkOf(fmt.Sprintf("*place(0) * 100 + place(1)[%s]", g.index(2)))
}
