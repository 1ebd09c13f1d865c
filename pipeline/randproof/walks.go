package randproof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Walks generates a proof about pointers that move through arrays, strings and blocks of any length. They move up and
// down, with strides, through a pointer to a pointer, in a structure, and by callees that return a position or NULL.
// There may be two in one object, and they may change to another one. Many assertions, and some accesses, are wrong for
// few lengths or contents only.
func Walks(seed uint64) string {
	g := &walkGenerator{loopGenerator: loopGenerator{r: rand.New(rand.NewPCG(seed, 4646))}, helpers: map[string]bool{}}
	g.typ = g.pick("unsigned char", "unsigned char", "char", "short", "unsigned")
	g.wrong = g.chance(45)
	g.in = "  "
	g.line("unsigned n = nd_uint(), m = nd_uint(), s = 0, f = 0, count = 0;")
	g.line("assume(n <= %s && m <= %s);", g.pick("100", "130", "130", "1000", "100000"),
		g.pick("n", "n", "n", "n + 1", "3", "200"))
	g.line("T *a = malloc((n + 1) * sizeof *a);\n  if (!a)\n    return 0;")
	g.line("memhavoc(a, (n + 1) * sizeof *a);")
	g.second()
	switch g.n(5) {
	case 0, 1, 2:
		g.line("a[n] = 0;")
		g.ended = true
	case 3:
		g.line("a[m <= n ? m : n] = %s;", g.pick("0", "0", "5"))
	}
	for k := range 1 + g.n(5)/3 {
		g.cursor(k)
		g.walk()
		for range 1 + g.n(2) {
			g.claim()
		}
	}
	if g.chance(40) {
		g.line("unsigned k = nd_uint();\n  if (k < n) {")
		g.in = "    "
		for range 1 + g.n(2) {
			g.line("%ssassert(%s);", g.rarely(), g.element("k"))
		}
		g.in = "  "
		g.line("}")
	}
	body := g.out.String()
	g.out.Reset()
	g.in = ""
	g.line("#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unitproof.h>\n")
	g.line("typedef %s T;", g.typ)
	g.line("struct cursor { T *pos, *end; unsigned at, count; };\n")
	for _, h := range walkHelpers {
		if g.helpers[h.name] {
			within := g.slip("s + 1 < e", "s < e")
			g.line("%s\n", strings.NewReplacer("#1", g.pick("1", "2"), "#2", g.pick("0", "2", "5"),
				"#s", within).Replace(h.text))
		}
	}
	g.line("int main(void) {\n%s  return s == 1;", body)
	return g.out.String() + "}\n"
}

// walkHelpers are the callees of Walks. #1 and #2 are element values, #s guards an access one further.
var walkHelpers = []struct{ name, text string }{
	{"find", `static T *find(T *s, T *e, T c) {
  for (; s < e; s++)
    if (*s == c)
      return s;
  return NULL;
}`},
	{"next", `static T *next(T *s, T *e) {
  if (s >= e)
    return NULL;
  if (*s == #1 && #s)
    return s + 2;
  return s + 1;
}`},
	{"step", `static int step(T **s, T *e) {
  if (*s >= e)
    return 0;
  if (**s == #2)
    return -1;
  ++*s;
  return 1;
}`},
	{"leap", `static int leap(const T **p, const T *e) {
  const T *s = *p;
  if (s == e)
    return 0;
  if (*s == #1 && #s)
    s++;
  *p = s + 1;
  return 1;
}`},
	{"skip", `static T *skip(T *s, T *e) {
  while (s < e && *s <= #1)
    s++;
  return s;
}`},
	{"word", `static T *word(T *s) {
  while (*s == #1)
    s++;
  return s;
}`},
	{"back", `static T *back(T *s, T *from) { return s > from ? s - 1 : NULL; }`},
	{"either", `static T *either(T *x, T *y, unsigned c) {
  if (c == #1)
    return x;
  return y;
}`},
	{"put", `static void put(struct cursor *c, T v) {
  if (c->pos < c->end)
    *c->pos++ = v;
  else
    c->count++;
}`},
	{"get", `static int get(struct cursor *c) {
  if (c->pos == c->end)
    return -1;
  c->at++;
  return *c->pos++;
}`},
}

type walkGenerator struct {
	loopGenerator
	wrong, ended bool // defects may be made; a[n] is 0
	helpers      map[string]bool
	// p is the pointer that walks, between from and e, in the structure st if that is not "". w is a pointer that writes
	// between wb and we, or "".
	p, from, e, st string
	w, wb, we      string
	known          []string // pointers of earlier loops into a
	same           bool     // b is in the object of a
	down           bool
	k              int
}

// slip returns right, or in some of the wrong programs another text.
func (g *walkGenerator) slip(right string, wrong ...string) string {
	if g.wrong && g.chance(25) {
		return g.pick(wrong...)
	}
	return right
}

func (g *walkGenerator) use(helper string) string {
	g.helpers[helper] = true
	return helper
}

// second declares the pointer b and its end be: another object, another position of a, or either.
func (g *walkGenerator) second() {
	g.line("T *c = malloc((n + 1) * sizeof *c);\n  if (!c)\n    return 0;")
	if g.chance(50) {
		g.line("memhavoc(c, (n + 1) * sizeof *c);")
	}
	switch g.n(8) {
	case 0:
		g.line("T *b = a, *be = a + n;")
		g.same = true
	case 1:
		g.line("T *b = a + (m <= n ? m : 0), *be = a + n;")
		g.same = true
	case 2:
		g.line("T *b = m == %s ? a : c, *be = b + n;", g.pick("3", "70", "n"))
	case 3:
		g.line("T *b = %s(a, c, m), *be = b + n;", g.use("either"))
	case 4:
		g.line("T *b = %s(a, a + n / 2, m), *be = a + n;", g.use("either"))
		g.same = true
	default:
		g.line("T *b = c, *be = c + n;")
	}
}

// cursor declares the pointer of the next loop.
func (g *walkGenerator) cursor(k int) {
	g.k = k
	g.down = g.chance(25)
	g.from, g.e, g.st = "a", "a + n", ""
	switch {
	case len(g.known) > 0 && g.chance(60): // starts where an earlier loop ended
		g.from = g.known[g.n(len(g.known))]
		g.down = false
	case g.chance(15):
		g.from, g.e = "b", "be"
	case g.chance(15):
		g.from = g.slip("a + (m <= n ? m : n)", "a + m")
	}
	start, end := g.from, g.e
	if g.down {
		start = g.slip(g.e, "a + n + 1", g.e)
	}
	switch g.n(6) {
	case 0:
		g.st = fmt.Sprintf("st%d", k)
		g.line("struct cursor cur%d = {%s, %s, 0, 0}, *st%d = &cur%d;", k, start, end, k, k)
		g.p, g.e = g.st+"->pos", g.st+"->end"
	case 1:
		g.st = fmt.Sprintf("st%d", k)
		g.line("struct cursor *st%d = malloc(sizeof *st%d);\n  if (!st%d)\n    return 0;", k, k, k)
		g.line("st%d->pos = %s;\n  st%d->end = %s;\n  st%d->at = st%d->count = 0;", k, start, k, end, k, k)
		g.p, g.e = g.st+"->pos", g.st+"->end"
	case 2:
		g.line("T *p%d = %s, **pp%d = &p%d;", k, start, k, k)
		g.p = fmt.Sprintf("(*pp%d)", k)
	default:
		g.p = fmt.Sprintf("p%d", k)
		g.line("T *%s = %s;", g.p, start)
	}
	if g.chance(30) && g.st == "" {
		g.line("T *e%d = %s;", k, g.e)
		g.e = fmt.Sprintf("e%d", k)
	}
	if g.from != "a" && g.from != "b" {
		g.line("T *from%d = %s;", k, g.from)
		g.from = fmt.Sprintf("from%d", k)
	}
	g.w = ""
	if g.chance(45) {
		g.w, g.wb, g.we = fmt.Sprintf("w%d", k), "b", "be"
		if g.chance(40) {
			g.wb, g.we = g.from, g.e
		}
		g.line("T *%s = %s;", g.w, g.wb)
	}
}

// walk writes a loop.
func (g *walkGenerator) walk() {
	p, e := g.p, g.e
	first, advance := "", p+"++;"
	switch {
	case g.down && g.chance(50):
		g.line("while (%s > %s) {", p, g.from)
		first, advance = p+"--;", ""
	case g.down:
		g.line("for (%s--; %s >= %s; %s--) {", p, p, g.from, p)
		advance = ""
	case (g.ended && g.from != "b" || g.wrong) && g.chance(20):
		g.line("while (*%s) {", p)
	case (g.ended && g.from != "b" || g.wrong) && g.chance(20):
		g.line("while (*%s && *%s != %s) {", p, p, g.pick("1", "2", "7"))
	case g.chance(12):
		by := g.pick("2", "3")
		g.line("while (%s - %s >= %s) {", e, p, g.slip(by, "1"))
		advance = fmt.Sprintf("%s += %s;", p, by)
	case g.chance(12):
		q := fmt.Sprintf("q%d", g.k)
		g.line("for (T *%s; (%s = %s(%s, %s, %s)) != NULL;) {", q, q, g.use("find"), p, e, g.pick("1", "2", "0"))
		advance = p + " = " + q + g.slip(" + 1;", " + 1;", ";")
	case g.chance(12):
		g.line("while (%s && %s != %s) {", p, p, e)
		advance = fmt.Sprintf("%s = %s(%s, %s);", p, g.use("next"), p, e)
	case g.chance(12):
		g.line("while (%s(&%s, %s) > 0) {", g.use("step"), p, e)
		advance, first = "", "s = "+p+"[-1];"
	case g.chance(12):
		g.line("while (%s((const T **)&%s, %s)) {", g.use("leap"), p, e)
		advance, first = "", "count++;"
	case g.st != "" && g.chance(40):
		g.line("for (int v; (v = %s(%s)) >= 0;) {", g.use("get"), g.st)
		advance = ""
	case g.chance(30):
		g.line("for (; %s != %s; %s++) {", p, e, p)
		advance = ""
	default:
		g.line("while (%s < %s) {", p, g.slip(e, e+" + 1", e))
	}
	g.in = "    "
	if first != "" {
		g.line("%s", first)
	}
	for range 1 + g.n(5)/2 {
		g.moves()
	}
	if g.chance(20) {
		g.claim()
	}
	if advance != "" {
		g.line("%s", advance)
	}
	g.in = "  "
	g.line("}")
	if strings.Contains(advance, "next(") && !g.wrong {
		g.line("if (!%s)\n    return 0;", p)
	}
	if g.from == "a" && !strings.HasPrefix(p, "(") && !slices.Contains(g.known, p) {
		g.known = append(g.known, p)
	}
}

// moves writes a statement of a loop.
func (g *walkGenerator) moves() {
	p, e, w := g.p, g.e, g.w
	small := g.pick("0", "1", "2", "5")
	switch g.n(20) {
	case 0, 1:
		g.line("count++;")
	case 2:
		g.line("if (*%s == %s)\n      break;", p, small)
	case 3:
		g.line("if (*%s == %s)\n      count++;", p, small)
	case 4, 5, 6:
		switch {
		case w == "":
			g.line("s = *%s;", p)
		case !g.wrong || g.chance(60):
			g.line("if (%s*%s != %s)\n      *%s++ = *%s;", g.slip(w+" < "+g.we+" && ", w+" <= "+g.we+" && ", ""), p, small, w, p)
		default:
			g.line("*%s++ = *%s;", w, p)
		}
	case 7:
		g.line("if (*%s == %s)\n      *%s = %s;", p, small, p, g.pick("0", "1", "7"))
	case 8:
		g.line("if (%s - %s == %s)\n      f = 1;", p, g.from, g.pick("0", "3", "71", "90"))
	case 9:
		g.line("if (%s < %s && *%s == 2)\n      %s++;", p, g.slip(e+" - 1", e), p, p)
	case 10:
		g.line("for (T *q = %s; q < %s && q - %s < %s; q++)\n      s += *q;", p, e, p, g.pick("2", "3", "70"))
	case 11:
		g.line("for (T *q = %s; q != %s; q++)\n      if (*q == %s)\n        f = 1;", g.from, p, small)
	case 12:
		if g.wrong {
			g.line("if (count %s)\n      %s = %s;", g.pick("> 70", "== 71", "> n"), g.pick("a[n]", "b[0]", "*be", "a[n / 2]"),
				g.pick("0", "1", "7"))
		}
	case 13:
		if w != "" && g.chance(60) {
			g.line("if (*%s == 6 && %s > %s)\n      %s--;", p, w, g.wb, w)
		} else {
			g.line("*%s = %s;", p, g.pick("0", "1", "(T)count", "7"))
		}
	case 14:
		if g.e != "" && g.wrong && g.st != "" {
			g.line("if (count == %s) {\n      %s = b;\n      %s = be;\n    }", g.pick("3", "71"), p, e)
		} else if g.wrong {
			g.line("if (count == %s)\n      %s = b;", g.pick("3", "71"), p)
		}
	case 15:
		g.line("if (%s > %s && *%s(%s, %s) == %s)\n      break;", p, g.from, g.use("back"), p, g.from, small)
	case 16:
		if !g.down {
			g.line("%s = %s(%s, %s);\n    if (%s == %s)\n      break;", p, g.use("skip"), p, e, p, e)
		}
	case 17:
		if g.ended && !g.down {
			g.line("%s = %s(%s);\n    if (%s == %s)\n      break;", p, g.use("word"), p, p, e)
		}
	case 18:
		if w != "" && g.wrong {
			g.line("if (*%s == 7)\n      %s = %s;", p, w, g.pick("a", "b", "c", p))
		}
	case 19:
		g.line("if (*%s == %s)\n      s = (unsigned)(%s - %s);", p, small, p, g.from)
	}
}

// rarely returns the text before an assertion: a condition that few inputs satisfy, or none.
func (g *walkGenerator) rarely() string {
	switch g.n(4) {
	case 0:
		return "if (" + g.pick("n > 70", "n > 70", "n == 91", "m == 3", "count == 80", "count > 65", "f", "s == 7", "n == 0",
			"m == n") + ")\n    " + g.in
	}
	return ""
}

// claim writes an assertion about the pointers.
func (g *walkGenerator) claim() {
	p, from, e, w := g.p, g.from, g.e, g.w
	stop := g.pick("0", "1", "70", "71", "90")
	switch g.n(16) {
	case 0:
		g.line("%ssassert(%s >= %s);", g.rarely(), p, from)
	case 1, 2:
		g.line("%ssassert(%s %s %s);", g.rarely(), p, g.pick("<=", "<=", "==", "<"), e)
	case 3:
		g.line("%ssassert(%s - %s != %s);", g.rarely(), p, from, stop)
	case 4:
		g.line("%ssassert(%s != %s - 1);", g.rarely(), p, e)
	case 5:
		g.line("%ssassert(count %s %s - %s);", g.rarely(), g.pick("==", "<=", ">="), p, from)
	case 6:
		g.line("%ssassert(count %s %s);", g.rarely(), g.pick("<=", "<=", "!=", ">="), g.pick("n", "n", "n / 2", stop))
	case 7:
		g.line("%ssassert(a[n] == 0);", g.rarely())
	case 8:
		g.line("%ssassert(%s < %s || %s > %s || *%s %s);", g.rarely(), p, from, p, e, p,
			g.pick("== 0", "== 0", "!= 1", "!= 5"))
	case 9:
		g.line("%ssassert(%s <= %s || %s[-1] %s);", g.rarely(), p, from, p, g.pick("!= 0", "!= 1", "!= 5", "== s"))
	case 10, 11:
		if w != "" {
			g.line("%ssassert(%s %s %s);", g.rarely(), w, g.pick("<=", "<=", ">=", "!="), g.pick(g.wb, g.we, g.we))
		}
	case 12, 13:
		if w != "" {
			g.line("%ssassert(%s - %s %s %s - %s);", g.rarely(), w, g.wb, g.pick("<=", "<=", "==", "!="), p, from)
		}
	case 14:
		g.line("%ssassert(%s);", g.rarely(), g.pick("f == 0", "s == 0", "s <= 255", "!f || n > 3", "!f || n > 71"))
	case 15:
		if g.st != "" {
			g.line("%ssassert(%s->at %s %s - %s);", g.rarely(), g.st, g.pick("==", "<="), p, from)
		} else {
			g.line("%ssassert((%s - %s) %% %s == 0);", g.rarely(), p, from, g.pick("2", "3"))
		}
	}
}

// element returns a condition on an element.
func (g *walkGenerator) element(k string) string {
	x := g.pick("a", "a", "b", "c")
	cond := x + "[" + k + "] " + g.pick("!= 0", "!= 1", "!= 5", "== a["+k+"]", "== 7", "<= 7")
	if g.w != "" && g.chance(50) {
		return fmt.Sprintf("%s >= %s - %s || %s[%s] %s", k, g.w, g.wb, g.wb, k, g.pick("!= 0", "!= 1", "!= 2", "!= 5"))
	}
	if g.chance(50) {
		return fmt.Sprintf("%s >= %s - %s || %s", k, g.p, g.from, cond)
	}
	return cond
}
