package randproof

import (
	"fmt"
	"strings"
)

// helper writes a function.
func (g *generator) helper() {
	h := helper{name: g.fresh("f")}
	if g.chance(20) && !g.plain {
		g.variadic(h.name)
		g.helpers = append(g.helpers, helper{name: h.name, params: []string{"variadic"}, ret: "int"})
		return
	}
	if g.chance(20) {
		g.recursive(h.name)
		g.helpers = append(g.helpers, helper{name: h.name, params: []string{"small"}, ret: "int"})
		return
	}
	depth := len(g.scope)
	h.ret = g.pick("int", "int", g.intType(), "struct small", "struct mid", "struct s")
	var decl []string
	for range 1 + g.n(3) {
		name := g.fresh("a")
		k := g.pick("int", "int", "pointer", "small", "mid", "struct", "pstruct")
		h.params = append(h.params, k)
		switch k {
		case "int":
			t := g.intType()
			decl = append(decl, t+" "+name)
			g.add(variable{name: name, kind: "int", typ: t})
		case "pointer":
			decl = append(decl, "int *"+name)
			g.add(variable{name: name, kind: "pointer", typ: "int", n: 2})
		case "small", "mid":
			decl = append(decl, "struct "+k+" "+name)
			g.add(variable{name: "(int)" + name + ".x", kind: "int", typ: "int", ro: true})
			g.add(variable{name: "(int)" + name + ".y", kind: "int", typ: "int", ro: true})
		case "struct":
			decl = append(decl, "struct s "+name)
			g.add(variable{name: name, kind: "struct", typ: "struct s"})
		case "pstruct":
			decl = append(decl, "struct s *"+name)
			g.add(variable{name: name, kind: "pstruct", typ: "struct s", n: 1})
		}
	}
	make := func() string {
		switch h.ret {
		case "struct small":
			return fmt.Sprintf("(struct small){(signed char)(%s), (signed char)(%s)}", g.expr(1), g.expr(1))
		case "struct mid":
			return fmt.Sprintf("(struct mid){%s, (signed char)(%s), 3}", g.expr(1), g.expr(1))
		case "struct s":
			return fmt.Sprintf("(struct s){.a = %s, .b = %s}", g.expr(1), g.expr(1))
		}
		return fmt.Sprintf("(%s)(%s)", h.ret, g.expr(2))
	}
	g.result = make()
	g.inHelper = true // it may be called often
	g.block(fmt.Sprintf("static %s %s(%s)", h.ret, h.name, strings.Join(decl, ", ")), "", func() {
		if g.chance(20) {
			name := g.fresh("s")
			g.line("static int %s = 3;", name)
			g.line("%s++;", name)
			g.add(variable{name: name, kind: "int", typ: "int"})
		}
		g.statements(1+g.n(4), 2)
		g.line("return %s;", make())
	})
	g.inHelper = false
	g.scope = g.scope[:depth]
	g.helpers = append(g.helpers, h)
}

func (g *generator) variadic(name string) {
	g.line("static int %s(int n, ...) { va_list l; va_start(l, n); int t = 0; for (int i = 0; i < n; i++) { if (i %% 3 "+
		"== 0) t += va_arg(l, int); else if (i %% 3 == 1) t += (int)va_arg(l, double); else t += (int)va_arg(l, struct "+
		"mid).x; } va_end(l); return t; }", name)
}

func (g *generator) recursive(name string) {
	g.recursion[name] = true
	kind := g.n(3)
	if g.plain && kind == 1 {
		kind = 0
	}
	switch kind {
	case 0:
		g.line("static int %s(int n) { return n <= 0 ? %d : n + %s(n - 1); }", name, g.n(5), name)
	case 1:
		g.line("static int %s(int n) { int a[2] = {n, 1}; if (n <= 0) return a[1]; a[n & 1] += %s(n - 1) + %s(n - 2); "+
			"return a[0] ^ a[1]; }", name, name, name)
	default:
		g.line("static int %so(int n);", name)
		g.line("static int %s(int n) { return n <= 0 ? 1 : %so(n - 1); }", name, name)
		g.line("static int %so(int n) { return n <= 0 ? 0 : %s(n - 1); }", name, name)
	}
}

// argument returns an argument for a parameter of a kind.
func (g *generator) argument(kind string) string {
	switch kind {
	case "int":
		return g.expr(2)
	case "small":
		return g.small(1)
	case "pointer":
		for _, v := range g.vars("array", "heap", "pointer") {
			if v.typ == "int" && v.n >= 2 && !v.ro {
				return v.name
			}
		}
		return fmt.Sprintf("(int[]){%s, 2, 3}", g.expr(1))
	case "mid":
		return fmt.Sprintf("(struct mid){%s, 2, 3}", g.expr(1))
	case "struct":
		if v, ok := g.someVariable("struct"); ok {
			return v.name
		}
		return fmt.Sprintf("(struct s){.a = %s}", g.expr(1))
	case "pstruct":
		if v, ok := g.someVariable("struct"); ok && !v.ro {
			return "&" + v.name
		}
		if v, ok := g.someVariable("pstruct", "structs"); ok {
			return v.name
		}
		return "&(struct s){.b = 3}"
	}
	return "0"
}

func (g *generator) call(int) {
	if len(g.helpers) == 0 {
		g.assign(0)
		return
	}
	h := g.helpers[g.n(len(g.helpers))]
	var args []string
	for _, k := range h.params {
		switch {
		case k == "variadic":
			n := g.n(4)
			args = append(args, fmt.Sprint(n))
			for i := range n {
				args = append(args, []string{"(int)(int8_t)(" + g.expr(1) + ")", "(double)(int8_t)(" + g.expr(1) + ")",
					"(struct mid){(int8_t)(" + g.expr(1) + "), 2, 3}"}[i%3])
			}
		case k == "small" && h.ret == "int" && len(h.params) == 1 && g.isRecursive(h):
			args = append(args, g.small(1))
		case k == "small":
			args = append(args, fmt.Sprintf("(struct small){(signed char)(%s), 2}", g.expr(1)))
		default:
			args = append(args, g.argument(k))
		}
	}
	call := fmt.Sprintf("%s(%s)", h.name, strings.Join(args, ", "))
	name := g.fresh("r")
	switch h.ret {
	case "struct small", "struct mid":
		g.line("%s %s = %s;", h.ret, name, call)
		g.add(variable{name: "(int)" + name + ".x", kind: "int", typ: "int", ro: true})
		g.add(variable{name: "(int)" + name + ".y", kind: "int", typ: "int", ro: true})
	case "struct s":
		g.line("struct s %s = %s;", name, call)
		g.add(variable{name: name, kind: "struct", typ: "struct s"})
	default:
		g.line("%s %s = %s;", h.ret, name, call)
		g.add(variable{name: name, kind: "int", typ: h.ret})
	}
}

func (g *generator) isRecursive(h helper) bool {
	return len(h.params) == 1 && h.params[0] == "small" && g.recursion[h.name]
}

// functionPointer writes an indirect call of one of several functions.
func (g *generator) functionPointer(int) {
	name := g.fresh("fp")
	table := g.pick("twice, same", "twice, (int (*)(int))0, same")
	n := strings.Count(table, ",") + 1
	for _, h := range g.helpers {
		if g.recursion[h.name] {
			table, n = table+", "+h.name, n+1
			break
		}
	}
	g.line("int (*%s[])(int) = {%s};", name, table)
	g.line("int (*%s)(int) = %s[%s];", name+"p", name, g.index(n))
	// A native call of NULL leaves no trace of its place.
	g.line("if (!%s) %s = same;", name+"p", name+"p")
	g.line("int %s = %s((int)%s);", name+"r", name+"p", g.small(1))
	g.add(variable{name: name + "r", kind: "int", typ: "int"})
}
