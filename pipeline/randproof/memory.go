package randproof

import (
	"fmt"
	"strings"
)

// Statements that stress the memory model: ranges of symbolic offset and length, pointers to one of several objects,
// structures wired by inputs.

// offset returns an offset into size bytes such that n bytes from there are inside; occasionally they are not.
func (g *generator) offset(size, n int) string {
	room := size - n
	switch k := g.n(30); { // AddressSanitizer misses accesses that are partly outside
	case k == 0 && n == 1:
		return g.masked(1, room+1)
	case k < 8:
		return fmt.Sprint(g.n(room + 1))
	}
	m := 1
	for m*2+1 <= room && g.chance(75) {
		m = m*2 + 1
	}
	if room == 0 {
		return "0"
	}
	low := g.n(room - m + 1)
	return fmt.Sprintf("%d + (%s)", low, g.masked(1, m))
}

// blob writes a buffer that is written and read in pieces.
func (g *generator) blob(int) {
	size := []int{6, 8, 13, 16, 24, 40, 300}[g.n(7)]
	b, d := g.fresh("x"), g.fresh("y")
	if g.chance(30) {
		g.line("unsigned char *%s = calloc(1, %d), %s[%d] = {%s};", b, size, d, size, g.expr(0))
		g.checkNull(b)
	} else {
		g.line("unsigned char %s[%d] = {1, 2, %s}, %s[%d] = {%s};", b, size, g.expr(0), d, size, g.expr(0))
		p := g.fresh("x")
		g.line("unsigned char *%s = %s;", p, b)
		b = p
	}
	for range 3 + g.n(5) {
		to, from := b, d
		if g.chance(30) {
			to, from = d, b
		}
		n := 1 + g.n(min(size, 9))
		if size > 100 && g.chance(40) {
			n = 200 + g.n(90)
		}
		length := fmt.Sprint(n)
		if g.chance(50) {
			length = fmt.Sprintf("(size_t)(%s)", g.masked(1, n))
		}
		w := g.pick("uint16_t", "uint32_t", "uint64_t", "int16_t")
		ws := map[string]int{"uint16_t": 2, "uint32_t": 4, "uint64_t": 8, "int16_t": 2}[w]
		if ws > size {
			w, ws = "uint16_t", 2
		}
		switch g.n(8) {
		case 0:
			g.line("memset(%s + %s, %s, %s);", to, g.offset(size, n), g.expr(1), length)
		case 1:
			g.line("memcpy(%s + %s, %s + %s, %s);", to, g.offset(size, n), from, g.offset(size, n), length)
		case 2:
			g.line("memmove(%s + %s, %s + %s, %s);", to, g.offset(size, n), to, g.offset(size, n), length)
		case 3:
			g.line("*(%s *)(%s + %s) = (%s)(%s);", w, to, g.offset(size, ws), w, g.expr(2))
		case 4:
			g.line("%s[%s] = %s;", to, g.offset(size, 1), g.expr(1))
		case 5:
			g.line("*(%s *)(%s + %s) += *(%s *)(%s + %s) * 3u;", w, to, g.offset(size, ws), w, from, g.offset(size, ws))
		case 6:
			g.line("if (%s) memcpy(%s, %s, %d);", g.expr(1), to, from, size)
		case 7:
			g.line("for (int k_ = 0; k_ < %s; k_++) %s[k_ + %s] ^= %s[k_];", g.pick("3", g.masked(1, 3)), to,
				g.offset(size-3, 1), from)
		}
	}
	for range 2 {
		if g.checks < 100 {
			if g.chance(50) {
				g.line("CHECK(%d, %s[%s]);", g.checks, b, g.offset(size, 1))
			} else {
				w := g.pick("uint16_t", "uint32_t")
				g.line("CHECK(%d, *(%s *)(%s + %s));", g.checks, w, b, g.offset(size, 4))
			}
			g.checks++
		}
	}
	if size <= 40 && g.checks < 100 {
		h := g.fresh("k")
		g.line("unsigned %s = 7; for (int k_ = 0; k_ < %d; k_++) %s = %s * 33 + %s[k_];", h, size, h, h, b)
		g.line("CHECK(%d, %s);", g.checks, h)
		g.checks++
	}
}

// pool writes assignments through a pointer to one of several objects.
func (g *generator) pool(int) {
	p := g.fresh("q")
	t := g.pick("int", "uint8_t", "int64_t", "int16_t")
	g.line("static %s %ss = 3; %s %sa = 1, %sb[2] = {5, 6}, *%sh = malloc(2 * sizeof *%sh);", t, p, t, p, p, p, p)
	g.checkNull(p + "h")
	g.line("%sh[0] = 7; %sh[1] = 8; %ss = 3;", p, p, p)
	g.line("%s *%s[5] = {&%sa, %sb, %sh, &%ss, %sb + 1};", t, p, p, p, p, p, p)
	for range 2 + g.n(4) {
		i := g.masked(1, 3)
		if g.chance(40) {
			i = g.masked(1, 4)
		}
		switch g.n(6) {
		case 0, 1:
			g.line("*%s[%s] %s %s;", p, i, g.pick("=", "+=", "^="), g.expr(1))
		case 2:
			g.line("%s[%s] = %s[%s];", p, i, p, g.masked(1, 3))
		case 3:
			g.line("memcpy(%s[%s], %s[%s], sizeof(%s));", p, i, p, g.masked(1, 3), t)
		case 4:
			g.line("{ %s **t_ = &%s[%s]; **t_ += 2; *t_ = %s ? *t_ : &%sa; }", t, p, i, g.expr(1), p)
		case 5:
			g.line("if (%s[%s] == %s[%s]) *%s[0] = 9;", p, i, p, g.masked(1, 3), p)
		}
	}
	if g.chance(30) {
		g.line("if (%s) free(%sh);", g.expr(1), p)
		g.line("*%s[%s] += 1;", p, g.masked(1, 3))
	}
	if g.checks < 99 {
		g.line("CHECK(%d, *%s[%s]);", g.checks, p, g.masked(1, 3))
		g.line("CHECK(%d, %sa + %sb[0] * 3 + %sb[1] * 5 + %ss * 11);", g.checks+1, p, p, p, p)
		g.checks += 2
	}
	g.add(variable{name: p + "a", kind: "int", typ: t})
	g.add(variable{name: p + "b", kind: "array", typ: t, n: 2})
}

// graph writes nodes that inputs connect, and a walk over them.
func (g *generator) graph(int) {
	n := g.fresh("n")
	g.line("struct %s { struct %s *l, *r; %s v; } %s[4] = {{0}};", n, n, g.pick("int", "uint8_t", "uint64_t"), n)
	g.line("for (int k_ = 0; k_ < 4; k_++) { %s[k_].l = &%s[(k_ + 1) & 3]; %s[k_].r = k_ %% 2 ? &%s[0] : NULL; "+
		"%s[k_].v = k_; }", n, n, n, n, n)
	for range 1 + g.n(3) {
		g.line("%s[%s].%s = %s;", n, g.masked(1, 3), g.pick("l", "r"), g.pick("NULL",
			fmt.Sprintf("&%s[%s]", n, g.masked(1, 3))))
	}
	g.line("struct %s *%sp = &%s[%s]; int %ss = 0;", n, n, n, g.masked(1, 3), n)
	g.line("for (int k_ = 0; k_ < %s; k_++) {", g.pick("3", "4", g.masked(1, 3)))
	g.indent++
	if g.chance(85) {
		g.line("if (!%sp) break;", n)
	}
	g.line("%ss = %ss * 4 + (int)(%sp->v & 3); %sp->v %s %s;", n, n, n, n, g.pick("+=", "="), g.small(1))
	g.line("%sp = (%s) & 1 ? %sp->l : %sp->r;", n, g.pick(g.expr(1), n+"p->v"), n, n)
	g.indent--
	g.line("}")
	if g.checks < 100 {
		g.line("CHECK(%d, %ss);", g.checks, n)
		g.checks++
	}
	g.add(variable{name: n + "s", kind: "int", typ: "int"})
}

// strings writes calls of the C library's string functions.
func (g *generator) strings(int) {
	s := g.fresh("s")
	size := 4 + g.n(5)
	g.line("char %s[%d] = \"%s\", %sd[%d] = \"%s\";", s, size, g.pick("ab", "a", "", "abc"), s, size,
		g.pick("ab", "b", "abc", ""))
	for range 1 + g.n(2) {
		g.line("%s[%s] = (char)(%s ? 'b' : %s);", s, g.masked(1, 2), g.expr(1), g.pick("0", "'a'", "-1"))
	}
	m := g.masked(1, 3)
	switch g.n(4) {
	case 0:
		g.line("strncpy(%sd, %s, %s);", s, s, m)
	case 1:
		g.line("strcpy(%sd, %s);", s, s)
	case 2:
		g.line("strncat(%sd, %s, %s);", s, s, g.pick("1", m))
	case 3:
		g.line("memmove(%s + 1, %s, %s);", s, s, m)
	}
	e := g.pick(fmt.Sprintf("strlen(%s)", s), fmt.Sprintf("strcmp(%s, %sd) < 0", s, s),
		fmt.Sprintf("strncmp(%s, %sd, %s) > 0", s, s, m),
		fmt.Sprintf("strchr(%s, 'b') ? strchr(%s, 'b') - %s : -1", s, s, s), fmt.Sprintf("memcmp(%s, %sd, %s) == 0", s, s, m),
		fmt.Sprintf("strrchr(%s, 'a') == %s", s, s), fmt.Sprintf("memchr(%s, 'b', %s) != NULL", s, m),
		fmt.Sprintf("strstr(%s, \"b\") != NULL", s),
		fmt.Sprintf("strspn(%s, \"ab\")", s), fmt.Sprintf("strcspn(%s, \"b\")", s), fmt.Sprintf("strnlen(%s, %s)", s, m))
	g.line("int %sr = (int)(%s);", s, e)
	g.add(variable{name: s + "r", kind: "int", typ: "int"})
	if g.checks < 99 {
		g.line("CHECK(%d, %sr);", g.checks, s)
		g.line("CHECK(%d, %sd[0] + %sd[1] * 256 + %sd[2] * 65536);", g.checks+1, s, s, s)
		g.checks += 2
	}
}

// table writes a read of a constant table.
func (g *generator) table(int) {
	t := g.fresh("t")
	n := []int{5, 17, 70, 100}[g.n(4)]
	typ := g.pick("uint8_t", "int", "int16_t")
	var vs []string
	for range n {
		vs = append(vs, fmt.Sprint(g.n(120)))
	}
	g.line("static const %s %s[%d] = {%s};", typ, t, n, strings.Join(vs, ", "))
	g.line("int %sr = %s[%s];", t, t, g.offset(n, 1))
	g.add(variable{name: t + "r", kind: "int", typ: "int"})
	g.add(variable{name: t, kind: "array", typ: typ, n: n, ro: true})
}

// walk writes a loop that moves a pointer over an array.
func (g *generator) walk(depth int) {
	a, ok := g.someVariable("array", "heap")
	if !ok || a.typ == "_Bool" {
		g.declare()
		return
	}
	p := g.fresh("p")
	end := fmt.Sprintf("%s + %s", a.name, g.pick(fmt.Sprint(a.n), g.masked(1, a.n)))
	q := ""
	if a.ro {
		q = "const "
	}
	g.line("%s%s *%s = %s, *%se = %s;", q, a.typ, p, a.name, p, end)
	g.inLoop(depth, func() {
		g.block(fmt.Sprintf("while (%s %s %se)", p, g.pick("<", "!="), p), "", func() {
			if !a.ro {
				g.line("%s %s %s;", g.pick("*"+p, "*"+p, p+"[0]"), g.pick("=", "+=", "^="), g.expr(1))
			}
			g.line("if (%s) break;", g.pick("*"+p+" == 2", g.expr(1)))
			g.line("%s++;", p)
		})
	})
	g.line("int %sd = (int)(%s - %s);", p, p, a.name)
	g.add(variable{name: p + "d", kind: "int", typ: "int"})
}

// sort writes the sorting of a small array.
func (g *generator) sort(int) {
	a, ok := g.someVariable("array")
	if !ok || a.ro || a.n > 4 || a.typ == "_Bool" {
		g.declare()
		return
	}
	g.line("for (int i_ = 0; i_ < %d; i_++) for (int j_ = 0; j_ + 1 < %d - i_; j_++) if (%s[j_] > %s[j_ + 1]) { %s t_ "+
		"= %s[j_]; %s[j_] = %s[j_ + 1]; %s[j_ + 1] = t_; }",
		a.n, a.n, a.name, a.name, a.typ, a.name, a.name, a.name, a.name)
	if g.checks < 100 {
		g.line("CHECK(%d, %s[%d]);", g.checks, a.name, g.n(a.n))
		g.checks++
	}
}

// sized writes the allocation, resizing and freeing of blocks whose sizes are inputs.
func (g *generator) sized(int) {
	h := g.fresh("z")
	t := g.pick("uint8_t", "int16_t", "int")
	g.line("size_t %sn = %s; %s *%s = %s;", h, g.small(1), t, h, g.pick(fmt.Sprintf("calloc(%sn, sizeof(%s))", h, t),
		fmt.Sprintf("malloc(%sn * sizeof(%s))", h, t)))
	g.checkNull(h)
	g.line("for (size_t k_ = 0; k_ < %sn; k_++) %s[k_] = (%s)(k_ * 3 + %s);", h, h, t, g.small(0))
	if g.chance(40) {
		g.line("size_t %sm = %sn + %s; %s *%sg = realloc(%s, (%sm + 1) * sizeof(%s));", h, h,
			g.pick("0", "1", g.masked(1, 1)), t, h, h, h, t)
		g.checkNull(h + "g")
		g.line("for (size_t k_ = %sn; k_ <= %sm; k_++) %sg[k_] = 1;", h, h, h)
		g.line("%s = %sg; %sn = %sm + 1; if (%sm > %s) %s[%sm - 1] = 2;", h, h, h, h, h, h+"n - 1", h, h)
	}
	if g.chance(50) {
		g.line("if (%sn > 1) %s[%sn - %s] = 1;", h, h, h, g.pick("1", "2", g.masked(1, 1)))
	} else {
		g.line("%s[%s] = 1;", h, g.small(1))
	}
	if g.checks < 100 {
		g.line("CHECK(%d, %sn ? %s[0] + 100 * %s[%sn - 1] : 55);", g.checks, h, h, h, h)
		g.checks++
	}
	if g.chance(50) {
		g.line("free(%s);", h)
		if g.chance(15) {
			g.line("if (%s) free(%s);", g.expr(1), h)
		}
	}
}

// blocks writes the allocation of blocks in a loop, and frees and uses some.
func (g *generator) blocks(int) {
	b := g.fresh("k")
	g.line("int *%s[3];", b)
	g.line("for (int k_ = 0; k_ < 3; k_++) { %s[k_] = malloc(sizeof(int)); if (!%s[k_]) %s; *%s[k_] = k_ * %s; }", b, b,
		g.pick("abort()", "return 0", "exit(3)"), b, g.small(1))
	g.line("for (int k_ = 0; k_ < 3; k_++) if (k_ == (%s)) { free(%s[k_]); %s[k_] = %s; }", g.masked(1, 3), b, b,
		g.pick("NULL", b+"[0]", "NULL"))
	g.line("for (int k_ = 0; k_ < 3; k_++) { if (!%s[k_]) continue; *%s[k_] += k_ + 1; }", b, b)
	g.line("int %sr = 0; for (int k_ = 0; k_ < 3; k_++) %sr = %sr * 8 + (%s[k_] ? *%s[k_] : 7);", b, b, b, b, b)
	g.add(variable{name: b + "r", kind: "int", typ: "int"})
	if g.checks < 100 {
		g.line("CHECK(%d, %sr);", g.checks, b)
		g.checks++
	}
}
