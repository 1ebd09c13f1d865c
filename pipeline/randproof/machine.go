package randproof

import (
	"fmt"
	"strings"
)

// Programs whose meaning depends on the machine: widths of types, signedness of char and enumerations, layout of
// structures, byte order, variable arguments.

var machineFeatures = []feature{
	{"widths", 1, false, (*generator).widths},
	{"plain char", 1, false, (*generator).plainChar},
	{"enumeration", 1, false, (*generator).enumeration},
	{"layout", 1, false, (*generator).layout},
	{"byte order", 1, false, (*generator).byteOrder},
	{"order of fields", 1, false, (*generator).orderOfFields},
	{"arguments of all widths", 1, false, (*generator).wideArguments},
	{"registers", 1, false, (*generator).registers},
	{"addresses", 1, false, (*generator).addresses},
}

// machineType returns an integer type, most of them of a width that depends on the machine.
func (g *generator) machineType() string {
	return g.pick("long", "unsigned long", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "long", "size_t", "wchar_t",
		"int", "unsigned", "long long", "unsigned long long", "char", "short", "uint16_t", "int_fast16_t", "intmax_t")
}

// widths writes arithmetic on operands whose width and signedness depend on the machine.
func (g *generator) widths(int) {
	w := g.fresh("w")
	a, b := g.machineType(), g.machineType()
	g.line("%s %sa = (%s)(%s); %s %sb = (%s)(%s);", a, w, a, g.expr(1), b, w, b, g.pick(g.expr(1), g.constant(),
		"-1", "~0ul", "1ull << 40", "(long)(~0ul >> 1)", "(long)(~0ul >> 1) - 1"))
	x, y := w+"a", w+"b"
	if g.chance(50) {
		x, y = y, x
	}
	for range 2 + g.n(4) {
		g.checkOf([]string{
			fmt.Sprintf("%s %s %s", x, g.pick("<", "<=", ">", ">=", "==", "!="), y),
			fmt.Sprintf("%s %s %s", x, g.pick("+", "-", "*"), y),
			fmt.Sprintf("%s %s %s", x, g.pick("&", "|", "^"), g.pick("~0ul", "1ul << 31", "0x80000000", "-1", "0xffff8000")),
			fmt.Sprintf("%s %s %s", x, g.pick("<", ">", "=="), g.pick("0xffffffff", "0x80000000", "4294967295", "-1", "-1l",
				"1u", "2147483648", "sizeof(int)", "~0ul", "(char)-1")),
			fmt.Sprintf("%s %s %s", x, g.pick("<<", ">>"), g.pick("15", "16", "31", "32", "33", "63", "sizeof(long) * 8 - 1",
				"sizeof("+x+") * 8 - 1")),
			fmt.Sprintf("(%s)(%s) %s (%s)", g.machineType(), x, g.pick("+", "-", "<", ">>", "=="), g.small(1)),
			fmt.Sprintf("sizeof(%s + %s) * 16 + sizeof(+%s) + sizeof(%s)", x, y, x, y),
			fmt.Sprintf("_Generic(%s %s %s, int: 1, unsigned: 2, long: 3, unsigned long: 4, long long: 5, "+
				"unsigned long long: 6)", x, g.pick("+", "*", "&"), y),
			fmt.Sprintf("(%s)((%s)%s * 65536)", g.machineType(), g.pick("unsigned", "unsigned long", "uint64_t"), x),
			fmt.Sprintf("%s %s (%s | 1)", x, g.pick("/", "%"), y),
			fmt.Sprintf("(%s ? %s : %s) < 0", g.expr(1), x, y),
			fmt.Sprintf("(~%s >> 3) + (-%s < 0)", x, y),
		}[g.n(12)])
	}
	g.add(variable{name: x, kind: "int", typ: "int64_t", ro: true})
}

// plainChar writes arithmetic and comparisons of char, and characters of string literals.
func (g *generator) plainChar(int) {
	c := g.fresh("c")
	g.line("char %s = (char)(%s), %sa[3] = {%s, '\\xf0', \"\\x7f\\x80\"[%s]}; struct { char f : %d; int g : 3; } %sf = "+
		"{.f = (char)%s};", c, g.expr(1), c, g.pick("'\\xff'", "(char)"+g.small(1), "200"), g.masked(1, 1), 2+g.n(6), c,
		g.small(1))
	for range 1 + g.n(3) {
		x := g.pick(c, fmt.Sprintf("%sa[%s]", c, g.index(3)), c+"f.f")
		switch g.n(4) {
		case 0:
			g.line("%s %s %s;", x, g.pick("+=", "-=", "^=", ">>=", "=", "|="), g.pick("1", "127", "'\\x81'", g.small(1)))
		case 1:
			g.line("%s = %s >> 1;", x, x)
		case 2:
			g.line("%sf.g = %s;", c, x)
		case 3:
			g.line("%s = (char)(%s ? -1 : %s);", x, g.expr(1), g.small(1))
		}
		g.checkOf([]string{
			fmt.Sprintf("%s %s %s", x, g.pick("<", ">", "==", "!="), g.pick("0", "0xff", "'\\xff'", "-1", "128", "EOF")),
			fmt.Sprintf("%s * 2 - (%s >> 2)", x, x),
			fmt.Sprintf("(%s)%s", g.machineType(), x),
			fmt.Sprintf("(unsigned char)%s - %s", x, x),
			fmt.Sprintf("%s / 2 + %s %% 3", x, x),
			fmt.Sprintf("(uint64_t)%s >> %d", x, g.n(64)),
			fmt.Sprintf("%sf.g - %sf.f", c, c),
		}[g.n(7)])
	}
	g.use("#include <stdio.h>\n")
	g.add(variable{name: c, kind: "int", typ: "char"})
}

// enumeration writes an enumeration. Its width and sign depend on its values, the machine and the options.
func (g *generator) enumeration(int) {
	e := g.fresh("e")
	packed := g.pick("", "", "", "__attribute__((packed)) ")
	g.line("enum %s%st { %sA, %sB = %s, %sC%s }; enum %st %s = (enum %st)(%s), %sa[2] = {%sB, %sA}; struct { char p; "+
		"enum %st e; enum %st f : %d; } %ss = {1, %sB, (enum %st)%s};", packed, e, e, e,
		g.pick("1", "127", "255", "-1", "300", "0x7fffffff", "0xfffffffe"), e, g.pick("", " = 7", " = -3"), e, e, e,
		g.pick(e+"A", e+"B", g.small(1), g.expr(1)), e, e, e, e, e, 4+g.n(5), e, e, e, g.small(1))
	x := g.pick(e, e+"a["+g.masked(1, 1)+"]", e+"s.e", e+"s.f")
	g.line("%s = %s;", x, g.pick(e+"C", "(enum "+e+"t)"+g.small(1), e, fmt.Sprintf("%s ? %sA : %sB", g.expr(1), e, e)))
	g.checkOf(fmt.Sprintf("sizeof(enum %st) * 8 + sizeof %ss + _Alignof(enum %st)", e, e, e))
	for range 1 + g.n(3) {
		g.checkOf(g.pick(x, fmt.Sprintf("%s %s %s", x, g.pick("<", ">", "=="), g.pick("0", "-1", "255", e+"B", "0xfe")),
			fmt.Sprintf("%s - 1 < 0", x), fmt.Sprintf("(%s)%s", g.machineType(), x), fmt.Sprintf("(enum %st)-1 < 0", e),
			e+"s.f", e+"s.e"))
	}
}

// layout writes a structure whose offsets and size depend on the machine, and accesses by offsets.
func (g *generator) layout(int) {
	l := g.fresh("l")
	var decl, init []string
	n := 2 + g.n(4)
	types := make([]string, n)
	for i := range n {
		types[i] = g.pick("char", "short", "int", "long", "long long", "double", "size_t", "float", "uint8_t", "uint64_t",
			"unsigned long", "int16_t", "void *", "wchar_t")
		align := g.pick("", "", "", "", "", "_Alignas(8) ", "_Alignas(16) ")
		decl = append(decl, fmt.Sprintf("%s%s m%d;", align, types[i], i))
		v := "(" + types[i] + ")" + g.small(1)
		if types[i] == "void *" {
			v = g.pick("0", l+"z", l+"z + 1")
		}
		init = append(init, v)
	}
	attribute := g.pick("", "", "", "__attribute__((packed)) ", "__attribute__((aligned(8))) ",
		"__attribute__((packed, aligned(2))) ")
	if attribute != "" {
		for i := range decl {
			decl[i] = strings.TrimPrefix(strings.TrimPrefix(decl[i], "_Alignas(8) "), "_Alignas(16) ")
		}
	}
	g.use("#include <stddef.h>\n")
	g.line("static char %sz[4]; struct %s%st { %s char last; }; struct %st %s[2] = {{%s}}, %sc;", l, attribute, l,
		strings.Join(decl, " "), l, l, strings.Join(init, ", "), l)
	at := func() string { return fmt.Sprintf("%s[%s]", l, g.masked(1, 1)) }
	g.line("%s[1] = %s[0]; memcpy(&%sc, &%s, sizeof %sc);", l, l, l, at(), l)
	m := g.n(n)
	off := fmt.Sprintf("offsetof(struct %st, m%d)", l, m)
	for range 2 + g.n(3) {
		switch g.n(6) {
		case 0, 1:
			if types[m] != "void *" && types[m] != "double" && types[m] != "float" {
				g.line("((unsigned char *)&%s)[%s + (size_t)(%s) %% sizeof(%s)] = (unsigned char)%s;", at(), off, g.expr(1),
					types[m], g.pick(g.small(1), "255", "128"))
			}
		case 2:
			g.line("memcpy((char *)&%sc + %s, (char *)%s + %s, sizeof(%s));", l, off, l, off, types[m])
		case 3:
			g.line("((struct %st *)((char *)&%s.m%d - %s))->last = (char)%s;", l, at(), m, off, g.small(1))
		case 4:
			g.line("*((char *)%s + %s * sizeof *%s + offsetof(struct %st, last)) = (char)%s;", l, g.masked(1, 1), l, l,
				g.small(1))
		case 5:
			g.line("memmove(&%s, &%s, sizeof *%s);", at(), at(), l)
		}
	}
	g.checkOf(fmt.Sprintf("sizeof(struct %st) * 32 + _Alignof(struct %st)", l, l))
	g.checkOf(off)
	g.checkOf(fmt.Sprintf("(char *)&%s[1].m%d - (char *)%s", l, m, l))
	g.checkOf(fmt.Sprintf("%s.last", at()))
	switch types[m] {
	case "void *":
		g.checkOf(fmt.Sprintf("%sc.m%d == %sz || !%sc.m%d", l, m, l, l, m))
	case "double", "float":
		g.checkOf(fmt.Sprintf("%s.m%d > %s", at(), m, g.pick("0.5", "2", "0")))
	default:
		g.checkOf(g.pick(fmt.Sprintf("%s.m%d", at(), m), fmt.Sprintf("%sc.m%d", l, m),
			fmt.Sprintf("memcmp(&%s.m%d, &%sc.m%d, sizeof %sc.m%d) == 0", at(), m, l, m, l, m)))
	}
}

// byteOrder writes accesses to the bytes and parts of a number.
func (g *generator) byteOrder(int) {
	b := g.fresh("b")
	t := g.pick("long", "long long", "int", "short", "size_t", "unsigned", "uint64_t", "uint16_t", "uint32_t")
	h := g.pick("uint8_t", "signed char", "char", "uint16_t", "short")
	if t == "int" || t == "unsigned" || t == "long" {
		h = g.pick(h, "uint16_t")
	} else if t == "long long" || t == "uint64_t" {
		h = g.pick(h, "int", "uint32_t", "long")
	}
	count := fmt.Sprintf("(int)(sizeof(%s) / sizeof(%s))", t, h)
	any := func() string { return fmt.Sprintf("(%s) %% (unsigned)%s", g.masked(1, 7), count) }
	g.line("%s %s = (%s)(%s); union { %s v; %s h[sizeof(%s) / sizeof(%s)]; unsigned char q[sizeof(%s)]; } %su = {%s};",
		t, b, t, g.pick(g.expr(1), "0x0102030405060708 + "+g.small(1), "0x80ff7f01 ^ "+g.small(1)), t, h, t, h, t, b, b)
	for range 2 + g.n(4) {
		switch g.n(8) {
		case 0:
			g.line("%su.h[%s] = (%s)(%s);", b, any(), h, g.expr(1))
		case 1:
			g.line("((%s *)&%s)[%s] %s %s;", h, b, any(), g.pick("=", "^=", "+="), g.small(1))
		case 2:
			g.line("memcpy(&%s, (char *)&%su + %s * sizeof(%s), sizeof(%s));", b, b, any(), h, h)
		case 3:
			g.line("%s = (%s)__builtin_bswap%s((%s)%s);", b, t, "32", "uint32_t", b)
		case 4:
			g.line("for (int i_ = 0, j_ = sizeof %s - 1; i_ < j_; i_++, j_--) { unsigned char t_ = %su.q[i_]; %su.q[i_] = "+
				"%su.q[j_]; %su.q[j_] = t_; }", b, b, b, b, b)
		case 5:
			g.line("%su.v %s %s;", b, g.pick("=", "^=", "|="), g.pick(b, g.small(1), "1"))
		case 6:
			g.line("*(%s *)((char *)&%s + %s * sizeof(%s)) = (%s)%s;", h, b, any(), h, h, g.small(1))
		case 7:
			g.line("memset((char *)&%s + %s * sizeof(%s), %s, 1);", b, any(), h, g.pick("0", "255", g.small(1)))
		}
	}
	g.checkOf(b)
	g.checkOf(fmt.Sprintf("%su.%s", b, g.pick("v", "q[0]", "q[1]", "h["+any()+"]", "h[0]")))
	g.checkOf(fmt.Sprintf("((%s *)&%s)[%s]", h, b, any()))
	g.checkOf(fmt.Sprintf("(%su.q[0] << 8 | %su.q[1]) == (%su.v & 0xffff)", b, b, b))
	g.add(variable{name: b, kind: "int", typ: "int64_t", ro: true})
}

// orderOfFields writes bit-fields that fill their units, and reads them as numbers and bytes.
func (g *generator) orderOfFields(int) {
	f := g.fresh("f")
	i, j := 1+g.n(14), 1+g.n(10)
	k := 32 - i - j
	second := g.pick("uint16_t x : 9, y : 7;", "unsigned char x : 3, y : 5; uint8_t z;", "short x : 12; unsigned y : 4;")
	g.line("union { struct { unsigned a : %d, b : %d; int c : %d; %s } f; uint32_t w; uint8_t q[6]; } %s, %sn; "+
		"memset(&%s, 0, sizeof %s); %sn = %s;", i, j, k, second, f, f, f, f, f, f)
	member := func() string { return g.pick("a", "b", "c", "x", "y") }
	for range 2 + g.n(4) {
		switch g.n(5) {
		case 0, 1:
			g.line("%s.f.%s %s %s;", f, member(), g.pick("=", "+=", "^=", "-="), g.pick(g.expr(1), g.small(1)))
		case 2:
			g.line("%s.q[%s] = (uint8_t)(%s);", f, g.masked(1, 3), g.expr(1))
		case 3:
			g.line("%s.w %s %s;", f, g.pick("=", "^=", "<<=", ">>="), g.pick("1", g.small(1), "3"))
		case 4:
			g.line("%sn.f.%s = %s.f.%s; %s.f = %sn.f;", f, member(), f, member(), f, f)
		}
	}
	g.checkOf(f + ".w")
	g.checkOf(fmt.Sprintf("%s.q[%s]", f, g.masked(1, 3)))
	g.checkOf(f + ".f." + member())
	g.checkOf(fmt.Sprintf("%sn.f.%s - %s.f.%s", f, member(), f, member()))
}

// passedStructs are the types of structs that are passed by value.
const passedStructs = "struct lc { long l; char c; };\nunion lf { long l; float f[2]; };\n" +
	"struct dd { double a, b; };\nstruct ff { float a, b, c; };\nstruct lll { long a[3]; };\n" +
	"struct c3 { char a[3]; };\nstruct wl { long long w; long l; };\n"

// wideArguments writes functions with variable arguments of all widths. Another function reads the last ones.
func (g *generator) wideArguments(int) {
	v := g.fresh("va")
	g.use(passedStructs)
	n := 2 + g.n(6)
	var args, reads []string
	for range n {
		t := g.pick("int", "int", "unsigned", "long", "unsigned long", "long long", "unsigned long long", "size_t", "double",
			"double", "const char *", "ptrdiff_t", "char", "float")
		e, read := g.small(1), fmt.Sprintf("(uint64_t)va_arg(*l, %s)", t)
		switch t {
		case "const char *":
			e, read = fmt.Sprintf("\"kl\" + %s", g.masked(1, 1)), "(uint64_t)*va_arg(*l, const char *)"
		case "double":
			e, read = fmt.Sprintf("%s / 2.0", g.small(1)), "(uint64_t)(va_arg(*l, double) * 4)"
		case "float":
			e, read = "(float)"+g.small(1), "(uint64_t)va_arg(*l, double)"
		case "char":
			e, read = "(char)("+g.expr(1)+")", "(uint64_t)va_arg(*l, int)"
		default:
			e = fmt.Sprintf("(%s)%s", t, g.pick(e, "("+g.expr(1)+")", "-1"))
		}
		switch g.n(24) {
		case 0, 1:
			e, read = fmt.Sprintf("(struct lc){%s, 5}", g.small(1)), "({ struct lc t_ = va_arg(*l, struct lc); "+
				"(uint64_t)(t_.l * 3 + t_.c); })"
		case 2, 3:
			e, read = fmt.Sprintf("(union lf){%s}", g.small(1)), "(uint64_t)va_arg(*l, union lf).l"
		case 4:
			e, read = fmt.Sprintf("(struct c3){{1, 2, (char)%s}}", g.small(1)), "({ struct c3 t_ = va_arg(*l, struct c3); "+
				"(uint64_t)(t_.a[0] * 9 + t_.a[2]); })"
		case 5:
			e, read = fmt.Sprintf("(struct dd){0.5, %s}", g.small(1)), "(uint64_t)(va_arg(*l, struct dd).b * 4)"
		case 6:
			e, read = fmt.Sprintf("(struct wl){%s, 7}", g.small(1)), "({ struct wl t_ = va_arg(*l, struct wl); "+
				"(uint64_t)(t_.w * 3 + t_.l); })"
		case 7:
			e, read = fmt.Sprintf("(struct ff){1.5f, 2, %s}", g.small(1)), "(uint64_t)(va_arg(*l, struct ff).c * 4)"
		}
		args, reads = append(args, e), append(reads, read)
	}
	half := g.n(n)
	sum := func(reads []string) string {
		text := "uint64_t t = 1; "
		for _, r := range reads {
			text += "t = t * 5 + " + r + "; "
		}
		return text
	}
	g.use(fmt.Sprintf("static uint64_t %s_rest(va_list *l) { %sreturn t; }\n", v, sum(reads[half:])))
	fixed := g.pick("int k", "long long k", "char k, double d, long m")
	last := fixed[strings.LastIndex(fixed, " ")+1:]
	g.use(fmt.Sprintf("static uint64_t %[1]s(%[2]s, ...) { va_list own, copy, *l = &own; va_start(own, %[3]s); "+
		"va_copy(copy, own); %[4]st = t * 7 + %[1]s_rest(l); va_end(own); l = &copy; t ^= %[5]s; va_end(copy); "+
		"return t + (uint64_t)%[3]s; }\n", v, fixed, last, sum(reads[:half]), reads[0]))
	first := g.small(1)
	if strings.HasPrefix(fixed, "char") {
		first = "'a', 1.5, " + g.small(1)
	}
	g.checkOf(fmt.Sprintf("%s(%s, %s)", v, first, strings.Join(args, ", ")))
	if g.chance(50) {
		g.line("uint64_t (*%sp)(%s, ...) = %s;", v, fixed, v)
		g.checkOf(fmt.Sprintf("%sp(%s, %s) >> %d", v, first, strings.Join(args, ", "), g.n(20)))
	}
}

// registers writes functions with parameters of many widths: pairs of registers, and the rest on the stack.
func (g *generator) registers(int) {
	r := g.fresh("r")
	g.use(passedStructs)
	types := []string{"char", "short", "int", "long", "long long", "float", "double", "const char *", "struct lc",
		"union lf", "struct dd", "struct ff", "struct lll", "struct c3", "struct wl", "_Bool", "size_t"}
	var params, args, sum []string
	for i := range 2 + g.n(7) {
		t, p := types[g.n(len(types))], fmt.Sprintf("p%d", i)
		e, read := fmt.Sprintf("(%s)%s", t, g.pick(g.small(1), "("+g.expr(1)+")")), "(uint64_t)"+p
		switch t {
		case "float", "double":
			e, read = fmt.Sprintf("(%s)(%s / 2.0)", t, g.small(1)), "(uint64_t)("+p+" * 4)"
		case "const char *":
			e, read = "\"mn\" + "+g.masked(1, 1), "(uint64_t)*"+p
		case "struct lc":
			e, read = fmt.Sprintf("(struct lc){%s, 5}", g.small(1)), fmt.Sprintf("(uint64_t)(%s.l * 3 + %s.c)", p, p)
		case "union lf":
			e, read = fmt.Sprintf("(union lf){%s}", g.small(1)), "(uint64_t)"+p+".l"
		case "struct dd", "struct ff":
			e, read = fmt.Sprintf("(%s){%s, 1.5f}", t, g.small(1)), fmt.Sprintf("(uint64_t)(%s.a + %s.b * 2)", p, p)
		case "struct lll", "struct c3":
			e, read = fmt.Sprintf("(%s){{1, %s, 3}}", t, g.small(1)), fmt.Sprintf("(uint64_t)(%s.a[1] + %s.a[2])", p, p)
		case "struct wl":
			e, read = fmt.Sprintf("(struct wl){%s, 2}", g.small(1)), fmt.Sprintf("(uint64_t)(%s.w * 5 + %s.l)", p, p)
		}
		params, args = append(params, t+" "+p), append(args, e)
		sum = append(sum, read)
	}
	result := g.pick("struct lc", "struct dd", "struct c3", "struct lll", "struct wl", "union lf", "struct ff")
	made := map[string]string{"struct lc": "{(long)(t & 0xff), 3}", "struct dd": "{(double)(t & 7), 1}",
		"struct c3": "{{(char)(t & 63), 1, 2}}", "struct lll": "{{(long)(t & 0xffff), 1, 2}}",
		"struct wl": "{(long long)t, 2}", "union lf": "{(long)(t & 0xffff)}", "struct ff": "{(float)(t & 15), 2, 1}"}[result]
	read := map[string]string{"struct lc": ".l", "struct dd": ".a", "struct c3": ".a[0]", "struct lll": ".a[0]",
		"struct wl": ".w", "union lf": ".l", "struct ff": ".a"}[result]
	g.use(fmt.Sprintf("static uint64_t %[1]s(%[2]s) { uint64_t t = 1; t = t * 3 + %[3]s; return t; }\n"+
		"static %[4]s %[1]sr(%[2]s) { uint64_t t = 1; t = t * 3 + %[3]s; return (%[4]s)%[5]s; }\n", r,
		strings.Join(params, ", "), strings.Join(sum, "; t = t * 3 + "), result, made))
	g.checkOf(fmt.Sprintf("%s(%s)", r, strings.Join(args, ", ")))
	g.line("%s (*%sp)(%s) = %sr;", result, r, strings.Join(params, ", "), r)
	g.checkOf(fmt.Sprintf("%s(%s)%s", g.pick(r+"r", r+"p"), strings.Join(args, ", "), read))
}

// addresses writes arithmetic on addresses as numbers, and sizes that wrap in 32 bits.
func (g *generator) addresses(int) {
	a := g.fresh("a")
	t := g.pick("int", "long", "short", "char", "double", "void *")
	g.line("%s %s[4]; uintptr_t %sn = (uintptr_t)%s; _Alignas(16) char %sq[32];", t, a, a, a, a)
	g.line("uintptr_t %sm = (uintptr_t)&%s[%s]; ptrdiff_t %sd = (char *)&%s[%s] - (char *)%s;", a, a, g.masked(1, 3), a,
		a, g.masked(1, 4), a)
	g.checkOf(fmt.Sprintf("%sm - %sn", a, a))
	g.checkOf(fmt.Sprintf("%sd %s", a, g.pick("", "> 15", "/ (ptrdiff_t)sizeof(int)", "- (ptrdiff_t)sizeof(long)")))
	switch g.n(5) {
	case 0:
		g.checkOf(fmt.Sprintf("(uintptr_t)%sq & 15", a))
	case 1:
		g.checkOf(fmt.Sprintf("(%s *)%sm == &%s[%s]", t, a, a, g.masked(1, 3)))
	case 2:
		g.checkOf(fmt.Sprintf("sizeof(%sn) * 8 + sizeof %s", a, a))
	case 3: // natively an allocation of more than 4 GiB fails
		g.line("if (sizeof(size_t) == 4) { size_t n_ = (size_t)(%s) + 0x20000000; long long *p_ = malloc(n_ * 8); if (p_) { "+
			"for (unsigned i_ = 0; i_ < %s; i_++) p_[i_] = 1; free(p_); } }", g.masked(1, 3), g.masked(1, 3))
	case 4:
		g.line("uint32_t %sw = (uint32_t)%sn;", a, a)
		if g.long == 4 {
			g.checkOf(fmt.Sprintf("(%s *)(uintptr_t)%sw == %s", t, a, a))
		}
	}
}
