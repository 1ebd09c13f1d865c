package randproof

import (
	"fmt"
)

// small returns an expression with a small value, usually an index.
func (g *generator) small(depth int) string {
	return g.masked(depth, []int{1, 1, 3, 3, 7}[g.n(5)])
}

// masked returns an expression with a value within [0, m]: by a mask if m+1 is a power of two, else by remainder.
func (g *generator) masked(depth, m int) string {
	if m == 0 {
		return "0"
	}
	e := g.expr(depth)
	if m&(m+1) == 0 {
		return fmt.Sprintf("((%s) & %d)", e, m)
	}
	return fmt.Sprintf("(int)((unsigned)(%s) %% %du)", e, m+1)
}

// index returns an index for n elements; occasionally it is one too large.
func (g *generator) index(n int) string {
	switch k := g.n(40); {
	case k == 0:
		return g.masked(1, n)
	case k < 10:
		return fmt.Sprint(g.n(n))
	case k < 12:
		if v, ok := g.someVariable("loop"); ok {
			return v.name
		}
	}
	return g.masked(1, n-1)
}

// lvalue returns an integer lvalue of a variable; unless reading, it can be written.
func (g *generator) lvalue(v variable, reading bool) string {
	switch v.kind {
	case "array", "heap":
		return fmt.Sprintf("%s[%s]", v.name, g.index(v.n))
	case "pointer":
		if g.chance(50) {
			return "(*" + v.name + ")"
		}
		return fmt.Sprintf("%s[%s]", v.name, g.index(v.n))
	case "struct":
		return v.name + "." + g.member()
	case "structs":
		return fmt.Sprintf("%s[%s].%s", v.name, g.index(v.n), g.member())
	case "pstruct":
		return v.name + "->" + g.member()
	}
	return v.name
}

func (g *generator) member() string {
	switch g.n(9) {
	case 0, 1:
		return "a"
	case 2:
		return "b"
	case 3:
		return "c"
	case 4:
		return "d"
	case 5:
		return fmt.Sprintf("e[%s]", g.index(3))
	case 6:
		return "u.w"
	case 7:
		return fmt.Sprintf("u.q[%s]", g.index(4))
	}
	return fmt.Sprintf("u.h[%s]", g.index(2))
}

func (g *generator) constant() string {
	switch g.n(12) {
	case 0:
		return g.pick("127", "128", "255", "256", "32767", "65535", "INT32_MAX", "INT32_MIN", "UINT32_MAX", "INT64_MAX",
			"0x80000000u", "1ull << 63", "(int8_t)-128")
	case 1:
		return fmt.Sprintf("-%d", 1+g.n(9))
	}
	return fmt.Sprint(g.n(10))
}

// leaf returns a constant or a variable in scope.
func (g *generator) leaf() string {
	if g.chance(20) {
		return g.constant()
	}
	if g.chance(1) && g.spend(2) {
		return "in(0, 1)"
	}
	v, ok := g.someVariable("int", "int", "loop", "array", "struct", "structs", "pstruct", "pointer", "heap")
	if !ok || g.depth() && v.kind != "int" && v.kind != "loop" {
		if v, ok = g.someVariable("int", "loop"); !ok {
			return g.constant()
		}
	}
	g.nested++
	defer func() { g.nested-- }()
	return g.lvalue(v, true)
}

// depth reports whether the expression is an index within an index.
func (g *generator) depth() bool { return g.nested > 1 }

// expr returns an integer expression.
func (g *generator) expr(depth int) string {
	if depth <= 0 || g.chance(20) {
		return g.leaf()
	}
	a := func() string { return g.expr(depth - 1) }
	switch g.n(22) {
	case 0, 1:
		return fmt.Sprintf("(%s + %s)", a(), a())
	case 2:
		return fmt.Sprintf("(%s - %s)", a(), a())
	case 3:
		return fmt.Sprintf("(%s * %s)", a(), g.leaf())
	case 4:
		return fmt.Sprintf("(unsigned)(%s) * (unsigned)(%s)", a(), a())
	case 5:
		if g.chance(10) {
			return fmt.Sprintf("(%s %s %s)", a(), g.pick("/", "%"), g.leaf())
		}
		return fmt.Sprintf("(%s %s %d)", a(), g.pick("/", "%"), 1+g.n(9))
	case 6:
		return fmt.Sprintf("((%s) %s ((%s) & 7 | 1))", a(), g.pick("/", "%"), a())
	case 7:
		if g.chance(8) {
			return fmt.Sprintf("(%s %s %s)", a(), g.pick("<<", ">>"), g.leaf())
		}
		return fmt.Sprintf("(%s %s (%s & 7))", a(), g.pick("<<", ">>"), a())
	case 8:
		return fmt.Sprintf("((uint64_t)%s %s %d)", a(), g.pick("<<", ">>"), g.n(64))
	case 9, 10:
		return fmt.Sprintf("(%s)(%s)", g.intType(), a())
	case 11:
		return fmt.Sprintf("(%s %s %s)", a(), g.pick("<", "<=", ">", ">=", "==", "!="), a())
	case 12:
		return fmt.Sprintf("(%s %s %s)", a(), g.pick("&&", "||"), a())
	case 13:
		return fmt.Sprintf("(%s ? %s : %s)", a(), a(), a())
	case 14:
		return fmt.Sprintf("(%s %s %s)", a(), g.pick("&", "|", "^"), a())
	case 15:
		return fmt.Sprintf("%s(%s)", g.pick("~", "!", "!", "-(int8_t)", "-(long)(uint16_t)"), a())
	case 16:
		return fmt.Sprintf("((%s) & %d)", a(), 1<<(1+g.n(8))-1)
	case 17:
		if v, ok := g.someVariable("pointer", "array"); ok && v.n > 1 {
			return fmt.Sprintf("(&%s[%s] %s &%s[%s])", v.name, g.masked(0, v.n-1), g.pick("-", "<", "==", ">="), v.name,
				g.masked(0, v.n-1))
		}
	case 18:
		if v, ok := g.someVariable("float"); ok {
			return fmt.Sprintf("(%s %s %s)", v.name, g.pick("<", ">=", "=="), g.floating(0))
		}
	case 19:
		return fmt.Sprintf("(%s)(%s) %s (%s)(%s)", g.intType(), a(), g.pick("<", "==", ">", "+", "^"), g.intType(), a())
	}
	return g.leaf()
}

// floating returns a floating-point expression of small values.
func (g *generator) floating(depth int) string {
	if depth <= 0 {
		if v, ok := g.someVariable("float"); ok && g.chance(50) {
			return v.name
		}
		return g.pick("0.5", "1.0f", "-2.25", "3.0", "0.1", "-0.0", "1e10", "16777216.0f", "1e-310", "1e308", "(0.0 / 0.0)",
			"INFINITY", "1e-45f", "4294967296.0", fmt.Sprintf("(double)(int8_t)(%s)", g.leaf()),
			fmt.Sprintf("(float)(%s)", g.leaf()))
	}
	a := func() string { return g.floating(depth - 1) }
	switch g.n(12) {
	case 0:
		return fmt.Sprintf("(%s / %s)", a(), a())
	case 1:
		return fmt.Sprintf("%s(%s)", g.pick("sqrt", "fabs", "floor", "ceil", "trunc", "rint", "round", "nearbyint", "fabsf",
			"floorf", "sqrtf", "truncf"), a())
	case 2:
		return fmt.Sprintf("(%s)(%s)", g.pick("float", "double", "int8_t", "float"), g.pick(a(), g.floating(0)))
	case 3:
		return fmt.Sprintf("(%s ? %s : %s)", g.leaf(), a(), a())
	case 4:
		return fmt.Sprintf("fma(%s, %s, %s)", a(), g.floating(0), g.floating(0))
	case 5:
		return fmt.Sprintf("(%s - %s)", g.floating(0), g.floating(0)) // no fmod: the built-in solver does not support it
	case 6:
		return fmt.Sprintf("copysign(%s, %s)", a(), a())
	case 7:
		return fmt.Sprintf("%s(%s, %s)", g.pick("fmin", "fmax"), a(), a())
	}
	return fmt.Sprintf("(%s %s %s)", g.floating(depth-1), g.pick("+", "-", "*"), g.floating(depth-1))
}
