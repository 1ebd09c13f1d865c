package randproof

import (
	"fmt"
	"strings"
)

func (g *generator) writable() (variable, bool) {
	var vs []variable
	for _, v := range g.vars("int", "int", "array", "struct", "structs", "pstruct", "pointer", "heap") {
		if !v.ro {
			vs = append(vs, v)
		}
	}
	if len(vs) == 0 {
		return variable{}, false
	}
	return vs[g.n(len(vs))], true
}

func (g *generator) assign(int) {
	v, ok := g.writable()
	if !ok {
		g.declare()
		return
	}
	l := g.lvalue(v, false)
	switch g.n(6) {
	case 0:
		g.line("%s%s;", l, g.step())
	case 1:
		g.line("%s %s %s;", l, g.pick("+=", "-=", "^=", "|=", "&="), g.expr(2))
	case 2:
		g.line("%s %s %s;", l, g.pick("<<=", ">>="), g.masked(1, 7))
	default:
		g.line("%s = %s;", l, g.expr(3))
	}
}

// step returns an increment or decrement. CBMC 6.3.1 crashes on b++ for a _Bool b.
func (g *generator) step() string {
	if g.plain {
		return g.pick(" += 1", " -= 1")
	}
	return g.pick("++", "--")
}

func (g *generator) branch(depth int) {
	g.block(fmt.Sprintf("if (%s)", g.expr(2)), "", func() { g.statements(1+g.n(3), depth) })
	if g.chance(50) {
		g.block("else", "", func() { g.statements(1+g.n(2), depth) })
	}
}

// inLoop writes the body of a loop.
func (g *generator) inLoop(depth int, body func()) {
	old, continuable := g.breakable, g.continuable
	g.breakable, g.continuable = true, true
	g.loops++
	body()
	g.loops--
	g.breakable, g.continuable = old, continuable
}

// continuing returns continue if it belongs to a counting loop of the generator; a loop by goto may be in between.
func (g *generator) continuing() string {
	if g.continuable {
		return "continue"
	}
	return "break"
}

func (g *generator) bound() string {
	if g.chance(50) {
		return fmt.Sprint(1 + g.n(4))
	}
	return g.small(1)
}

func (g *generator) forLoop(depth int) {
	i := g.fresh("i")
	t := g.pick("int", "unsigned", "uint8_t", "size_t")
	open := fmt.Sprintf("for (%s %s = 0; %s < %s; %s++)", t, i, i, g.bound(), i)
	if g.chance(20) {
		open = fmt.Sprintf("for (int %s = %s; %s > 0; %s--)", i, g.bound(), i, i)
	}
	g.inLoop(depth, func() {
		g.block(open, "", func() {
			g.add(variable{name: i, kind: "loop", typ: t})
			g.statements(1+g.n(3), depth)
		})
	})
}

func (g *generator) whileLoop(depth int) {
	n := g.fresh("n")
	g.line("int %s = 0;", n)
	g.inLoop(depth, func() {
		if g.chance(30) {
			g.block("do", fmt.Sprintf(" while (%s < %s && %s);", n, g.bound(), g.expr(1)), func() {
				g.line("%s++;", n)
				g.statements(1+g.n(2), depth)
			})
			return
		}
		cond := fmt.Sprintf("%s++ < %s && %s", n, g.bound(), g.expr(1))
		if g.chance(25) {
			cond = "1"
		}
		g.block(fmt.Sprintf("while (%s)", cond), "", func() {
			if cond == "1" {
				g.line("if (%s++ >= %s) break;", n, g.bound())
			}
			g.statements(1+g.n(3), depth)
		})
	})
	g.add(variable{name: n, kind: "loop", typ: "int"})
}

// gotoLoop writes a loop by goto, with a jump into its middle or two exits.
func (g *generator) gotoLoop(depth int) {
	n, again, out, mid := g.fresh("n"), g.fresh("again"), g.fresh("out"), g.fresh("mid")
	bound := g.bound()
	e := g.expr(1)
	g.line("int %s = 0;", n)
	enter := g.chance(40)
	if enter {
		g.line("if (%s) goto %s;", g.expr(1), mid)
	}
	old, continuable := g.breakable, g.continuable
	g.breakable, g.continuable = false, false
	g.loops++
	g.line("%s:;", again)
	g.block("", "", func() {
		g.statements(1, depth)
		g.line("if (%s) goto %s;", e, out)
	})
	if enter {
		g.line("%s:;", mid)
	}
	g.block("", "", func() { g.statements(1, depth) })
	g.line("if (++%s < %s) goto %s;", n, bound, again)
	g.loops--
	g.breakable, g.continuable = old, continuable
	g.line("%s:;", out)
	g.add(variable{name: n, kind: "loop", typ: "int"})
}

func (g *generator) switchOver(depth int) {
	old := g.breakable
	g.breakable = true
	e := g.expr(2)
	if g.chance(60) {
		e = g.small(1)
	}
	g.block(fmt.Sprintf("switch (%s + 0)", e), "", func() {
		used := map[string]bool{}
		for range 1 + g.n(4) {
			c := g.pick("0", "1", "2", "3", "7", "-1", "100", "4 ... 6")
			if used[c] {
				continue
			}
			used[c] = true
			g.line("case %s:;", c)
			g.block("", "", func() { g.statements(1, depth) })
			if g.chance(60) {
				g.line("break;")
			}
		}
		if g.chance(60) {
			g.line("default:;")
			g.block("", "", func() { g.statements(1, depth) })
		}
	})
	g.breakable = old
}

func (g *generator) leave(int) {
	switch {
	case g.loops > 0 && g.breakable && g.chance(70):
		g.line("if (%s) %s;", g.expr(1), g.pick("break", "break", g.continuing()))
	case g.result != "":
		g.line("if (%s) return %s;", g.expr(1), g.result)
	}
}

func (g *generator) assume(int) {
	e := g.expr(2)
	if g.chance(70) {
		e = fmt.Sprintf("(%s) != %d", g.expr(2), g.n(4))
	}
	g.line("assume(%s);", e)
}

// move writes copies of bytes.
func (g *generator) move(int) {
	to, ok := g.someVariable("array", "heap", "pointer")
	from, ok2 := g.someVariable("array", "heap", "pointer")
	if !ok || !ok2 || to.ro {
		g.assign(0)
		return
	}
	n := min(to.n, from.n)
	length := fmt.Sprintf("%s * sizeof(%s)", g.masked(1, n), g.smaller(to.typ, from.typ))
	if g.chance(25) {
		length = g.masked(1, 3)
	}
	if g.chance(25) || g.plain {
		length = fmt.Sprintf("%d", g.n(n)+1)
	}
	if strings.Contains(from.typ+to.typ, "Bool") && to.typ != from.typ || to.typ == "_Bool" {
		length = fmt.Sprintf("%d * sizeof(_Bool)", 1+g.n(n)) // a _Bool may have no other bytes
		if from.typ != "_Bool" {
			return
		}
	}
	switch g.n(5) {
	case 0:
		b := g.expr(1)
		if to.typ == "_Bool" {
			b = g.masked(1, 1)
		}
		g.line("memset(%s, %s, %s);", to.name, b, length)
	case 1:
		if to.name != from.name {
			g.line("memcpy(%s, %s, %s);", to.name, from.name, length)
		}
	case 2:
		k := g.masked(0, 1)
		if to.typ != "_Bool" {
			g.line("memmove(%s + %s, %s, %s);", to.name, k, from.name, length)
		}
	case 3:
		if to.typ != "_Bool" && to.name != from.name {
			g.line("memmove(%s, (char *)%s + %s, %s);", to.name, from.name, g.masked(0, 1), length)
		}
	default:
		g.line("memmove(%s, %s, %s);", to.name, from.name, length)
	}
}

var sizes = map[string]int{"int": 4, "unsigned": 4, "int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2,
	"int64_t": 8, "uint64_t": 8, "char": 1, "_Bool": 1, "short": 2}

// size returns the size of a type of integers in bytes.
func (g *generator) size(t string) int {
	if t == "long" || t == "size_t" {
		return g.long
	}
	return sizes[t]
}

func (g *generator) smaller(a, b string) string {
	if g.size(a) < g.size(b) {
		return a
	}
	return b
}

// heap declares a pointer to a block.
func (g *generator) heap() {
	name := g.fresh("h")
	t := g.pick("int", "uint8_t", "int16_t", "uint64_t", "char")
	n := 1 + g.n(4)
	count := fmt.Sprint(n)
	if g.chance(30) {
		count = fmt.Sprintf("(size_t)(%d + %s)", n, g.masked(1, 3))
	}
	if g.chance(40) {
		g.line("%s *%s = calloc(%s, sizeof *%s);", t, name, count, name)
		g.checkNull(name)
	} else {
		g.line("%s *%s = malloc(%s * sizeof *%s);", t, name, count, name)
		g.checkNull(name)
		// Unwritten memory has another value natively than in the engine.
		g.line("memset(%s, %s, %s * sizeof *%s);", name, g.expr(0), count, name)
	}
	g.add(variable{name: name, kind: "heap", typ: t, n: n})
}

func (g *generator) checkNull(name string) {
	switch {
	case g.result != "" && g.chance(80):
		g.line("if (!%s) return %s;", name, g.result)
	case g.chance(80):
		g.line("assume(%s != NULL);", name)
	}
}

// heapUse frees or resizes a block, and perhaps continues to use it.
func (g *generator) heapUse(int) {
	h, ok := g.someVariable("heap")
	if !ok {
		g.heap()
		return
	}
	if g.loops > 0 && g.chance(70) {
		return
	}
	drop := func() {
		for i, v := range g.scope {
			if v.name == h.name {
				g.scope[i].kind = "gone"
			}
		}
	}
	switch g.n(6) {
	case 0, 1:
		g.line("free(%s);", h.name)
		if g.chance(85) {
			drop()
		}
	case 2:
		g.line("if (%s) free(%s);", g.expr(1), h.name)
		if g.chance(60) {
			drop()
		}
	case 3, 4:
		name := g.fresh("h")
		n := 1 + g.n(4)
		g.line("%s *%s = realloc(%s, %d * sizeof *%s);", h.typ, name, h.name, n, name)
		drop()
		g.checkNull(name)
		if n > h.n {
			g.line("memset(%s + %d, 1, %d * sizeof *%s);", name, h.n, n-h.n, name)
		}
		g.add(variable{name: name, kind: "heap", typ: h.typ, n: n})
	case 5:
		g.line("%s = %s + %s;", h.name, h.name, g.masked(1, 1))
	}
}

func (g *generator) structs(int) {
	a, ok := g.someVariable("struct", "pstruct", "structs")
	b, ok2 := g.someVariable("struct", "pstruct", "structs")
	if !ok || !ok2 || a.ro {
		g.declare()
		return
	}
	members := func(v variable) string {
		switch v.kind {
		case "structs":
			return fmt.Sprintf("%s[%s]", v.name, g.index(v.n))
		case "pstruct":
			return "*" + v.name
		}
		return v.name
	}
	switch g.n(5) {
	case 0, 1:
		g.line("%s = %s;", members(a), members(b))
	case 2:
		g.line("(%s).next = %s;", members(a), g.pick("NULL", "&("+members(b)+")"))
		g.line("if ((%s).next) (%s).next->a = %s;", members(a), members(a), g.expr(1))
	case 3:
		name := g.fresh("p")
		g.line("struct s *%s = %s ? &(%s) : &(%s);", name, g.expr(1), members(a), members(b))
		g.add(variable{name: name, kind: "pstruct", typ: "struct s", n: 1})
	case 4:
		g.line("%s = (struct s){.a = %s, .u.w = %s};", members(a), g.expr(1), g.expr(1))
	}
}

func (g *generator) pointers(int) {
	p, ok := g.someVariable("pointer")
	if !ok {
		if a, ok := g.someVariable("array"); ok && !a.ro && a.typ != "_Bool" {
			name := g.fresh("p")
			k := a.n / 2
			g.line("%s *%s = %s + %s;", a.typ, name, a.name, g.masked(1, k))
			g.add(variable{name: name, kind: "pointer", typ: a.typ, n: a.n - k})
		}
		return
	}
	name := g.fresh("p")
	switch g.n(6) {
	case 0:
		g.line("%s *%s = (%s *)((uintptr_t)%s ^ 0);", p.typ, name, p.typ, p.name)
	case 1:
		if g.long < 8 { // an address may have all bits
			g.line("%s *%s = (%s *)~~(uintptr_t)%s;", p.typ, name, p.typ, p.name)
			break
		}
		g.line("%s *%s = (%s *)(((uintptr_t)%s << 1 | %s) >> 1);", p.typ, name, p.typ, p.name, g.masked(1, 1))
	case 2:
		g.line("%s *%s = %s ? %s : %s;", p.typ, name, g.expr(1), p.name, g.pick(p.name, "NULL"))
		g.line("if (!%s) %s = %s;", name, name, p.name)
	case 3:
		g.line("%s *%s[2] = {%s, %s}; memcpy(&%s[%s], &%s[0], sizeof %s);", p.typ, name+"a", p.name, p.name, name+"a",
			g.masked(1, 1), name+"a", p.name)
		g.line("%s *%s = %s[%s];", p.typ, name, name+"a", g.masked(1, 1))
	case 4:
		g.line("void *%s = %s; %s *%s = %s;", name+"v", p.name, p.typ, name, name+"v")
	case 5:
		g.line("uintptr_t %s = (uintptr_t)%s; %s *%s = (%s *)(%s + %s * sizeof *%s - sizeof *%s + sizeof *%s);", name+"u",
			p.name, p.typ, name, p.typ, name+"u", g.masked(1, 1), p.name, p.name, p.name)
		g.add(variable{name: name, kind: "pointer", typ: p.typ, n: max(p.n-1, 1)})
		return
	}
	g.add(variable{name: name, kind: "pointer", typ: p.typ, n: p.n})
}

// escape stores the address of a local outside its block.
func (g *generator) escape(int) {
	p := g.fresh("p")
	t := g.pick("int", "uint8_t", "int64_t")
	g.line("%s %s = 7, *%s = &%s;", t, p+"x", p, p+"x")
	switch g.n(3) {
	case 0:
		g.block("", "", func() {
			g.line("%s t_ = (%s)(%s);", t, t, g.expr(1))
			g.line("if (%s) %s = &t_;", g.expr(1), p)
			g.line("*%s += 1;", p)
		})
	case 1:
		g.block(fmt.Sprintf("for (int k_ = 0; k_ < %d; k_++)", 1+g.n(3)), "", func() {
			g.line("%s t_ = (%s)(%s);", t, t, g.expr(1))
			g.line("%s = &t_;", p)
			g.line("*%s = 3;", p)
		})
	case 2:
		g.block("", "", func() {
			g.line("%s = &(%s){(%s)(%s)};", p, t, t, g.expr(1))
			g.line("*%s ^= 1;", p)
		})
		g.line("%s = &%s;", p, p+"x") // without optimization clang does not end the lifetime of compound literals
	}
	if g.chance(70) {
		g.line("if (%s) %s = &%s;", g.pick("1", g.expr(1)), p, p+"x")
	}
	if g.chance(70) {
		g.line("*%s = %s;", p, g.expr(1))
	}
	g.add(variable{name: p + "x", kind: "int", typ: t})
}

func (g *generator) floats(int) {
	v, ok := g.someVariable("float")
	if !ok {
		name := g.fresh("f")
		g.line("%s %s = %s;", g.pick("double", "float"), name, g.floating(1))
		g.add(variable{name: name, kind: "float"})
		return
	}
	switch g.n(7) {
	case 0:
		g.line("%s = %s;", v.name, g.floating(2))
	case 1:
		w, ok := g.someVariable("int")
		if ok && !w.ro {
			g.line("if (%s > -100 && %s < %s) %s = (%s)%s;", v.name, v.name, g.pick("100", "256", "1e9"), w.name, w.typ, v.name)
		}
	case 2:
		g.line("if (%s < %s) %s += 1;", v.name, g.floating(0), v.name)
	case 3:
		if g.checks < 100 {
			g.line("CHECK(%d, %s %s %s);", g.checks, v.name, g.pick("<", ">", "==", "!=", "<=", ">="), g.floating(1))
			g.checks++
		}
	case 4: // the bits of a number that is no NaN
		b := g.fresh("f")
		g.line("float %s = %s; uint32_t %sw = 0; if (%s == %s) memcpy(&%sw, &%s, 4);", b, g.floating(1), b, b, b, b, b)
		g.add(variable{name: b + "w", kind: "int", typ: "uint32_t"})
	case 5:
		b := g.fresh("f")
		g.line("uint32_t %sw = (uint32_t)(%s) %s; float %s; memcpy(&%s, &%sw, 4);", b, g.expr(1),
			g.pick("", "<< 23", "<< 30"), b, b, b)
		g.add(variable{name: b, kind: "float"})
	case 6:
		w, ok := g.someVariable("int")
		if ok && !w.ro {
			g.line("%s = (%s)(%s);", w.name, w.typ, g.floating(1))
		}
	}
}

func (g *generator) wide(int) {
	name := g.fresh("w")
	g.line("%s__int128 %s = (__int128)(%s) %s (%s);", g.pick("", "unsigned "), name, g.expr(1), g.pick("*", "+", "-", "^"),
		g.expr(1))
	g.line("%s %s %d;", name, g.pick("<<=", ">>=", "/=", "%="), 1+g.n(20))
	g.line("uint64_t %s = (uint64_t)(%s >> %d);", name+"h", name, g.n(100))
	g.add(variable{name: name + "h", kind: "int", typ: "uint64_t"})
}

func (g *generator) vla(int) {
	name := g.fresh("a")
	t := g.pick("int", "uint8_t", "int16_t")
	low := 1
	if g.chance(10) {
		low = 0
	}
	g.line("int %s = %d + %s; %s %s[%s];", name+"n", low, g.small(1), t, name, name+"n")
	g.line("memset(%s, %s, sizeof %s);", name, g.expr(0), name)
	g.line("%s[%s - 1] = %s;", name, name+"n", g.expr(1))
	g.add(variable{name: name, kind: "heapless", typ: t, n: 1})
	if g.checks < 100 {
		g.line("CHECK(%d, %s[%s] + sizeof %s);", g.checks, name, g.pick("0", name+"n / 2", name+"n - 1"), name)
		g.checks++
	}
}

// list writes a linked list and sums it.
func (g *generator) list(int) {
	l := g.fresh("l")
	g.line("struct %s { int v; struct %s *next; } *%s = NULL;", l, l, l)
	g.block(fmt.Sprintf("for (int k_ = 0; k_ < %s; k_++)", g.pick("2", "3", g.masked(1, 3))), "", func() {
		g.line("struct %s *t_ = malloc(sizeof *t_);", l)
		if g.chance(70) {
			g.line("if (!t_) break;")
		} else {
			g.line("assume(t_ != NULL);")
		}
		g.line("t_->v = k_ + %s; t_->next = %s; %s = t_;", g.small(1), l, l)
	})
	g.line("int %s = 0;", l+"s")
	g.line("for (struct %s *t_ = %s; t_; t_ = t_->next) %s += t_->v;", l, l, l+"s")
	if g.chance(50) {
		g.line("while (%s) { struct %s *t_ = %s->next; free(%s); %s = t_; }", l, l, l, l, l)
	} else if g.chance(50) {
		g.line("if (%s) { free(%s); %s%s->v; }", l, l, g.pick("if (0) ", "if ("+g.expr(1)+") "), l+"s += "+l)
	}
	g.add(variable{name: l + "s", kind: "int", typ: "int"})
}

func (g *generator) matrix(depth int) {
	m := g.fresh("m")
	t := g.pick("int", "uint8_t", "int16_t")
	a, b := 2+g.n(2), 2+g.n(2)
	g.line("%s %s[%d][%d] = {{%s}};", t, m, a, b, g.expr(1))
	g.line("for (int i_ = 0; i_ < %d; i_++) for (int j_ = 0; j_ < %d; j_++) %s[i_][j_] += i_ * %s + j_;", a, b, m,
		g.small(0))
	g.line("%s[%s][%s] = %s;", m, g.index(a), g.index(b), g.expr(1))
	if g.checks < 100 {
		g.line("CHECK(%d, %s[%s][%s]);", g.checks, m, g.index(a), g.index(b))
		g.checks++
	}
}

// bytes writes reads of a value's representation.
func (g *generator) bytes(int) {
	v, ok := g.someVariable("array", "heap", "pointer")
	if !ok {
		return
	}
	name := g.fresh("b")
	n := v.n * g.size(v.typ)
	g.line("unsigned %s = 0; for (int k_ = 0; k_ < %d; k_++) %s = %s * 31 + ((unsigned char *)%s)[k_];", name, min(n, 4),
		name, name, v.name)
	g.add(variable{name: name, kind: "int", typ: "unsigned"})
	if !v.ro && v.typ != "_Bool" {
		g.line("((unsigned char *)%s)[%s] = %s;", v.name, g.masked(1, min(n, 4)-1), g.expr(1))
		if n >= 4 {
			w := g.fresh("u")
			g.line("uint32_t %s; memcpy(&%s, (char *)%s + %s, 4);", w, w, v.name, g.masked(1, n-4))
			g.add(variable{name: w, kind: "int", typ: "uint32_t"})
		}
	}
}

func (g *generator) builtin(int) {
	name := g.fresh("b")
	switch g.n(6) {
	case 0:
		g.line("int %s; int %s = __builtin_%s_overflow((%s)(%s), (%s)(%s), &%s);", name+"r", name,
			g.pick("add", "sub", "mul"), g.pick("int", "int64_t", "uint8_t"), g.expr(1), g.pick("int", "unsigned"), g.expr(1),
			name+"r")
		g.add(variable{name: name + "r", kind: "int", typ: "int"})
	case 1:
		g.line("int %s = __builtin_popcount((unsigned)(%s));", name, g.expr(1))
	case 2:
		g.line("int %s = __builtin_%s((unsigned)(%s)%s);", name, g.pick("ctz", "clz"), g.expr(1), g.pick(" | 1", " | 16", ""))
	case 3:
		g.line("uint32_t %s = __builtin_bswap32((uint32_t)(%s));", name, g.expr(1))
	case 4:
		v, ok := g.someVariable("heap", "array")
		if !ok {
			return
		}
		g.line("int %s = sea_is_dereferenceable(%s, %s);", name, v.name, g.masked(1, 3))
	default:
		g.line("if (!(%s)) __builtin_unreachable();", g.pick(g.expr(2), g.expr(1)+" | 1", g.expr(1)+" | 1"))
		return
	}
	g.add(variable{name: name, kind: "int", typ: "int"})
}
