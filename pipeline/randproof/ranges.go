package randproof

import (
	"fmt"
	"slices"
)

// Values near the limits of types, bounded by conditions and assumptions, and arithmetic with constants on them.

var rangeFeatures = []feature{
	{"ranges", 3, false, (*generator).ranges},
	{"bounded steps", 1, false, (*generator).boundedSteps},
}

// ends are values at which the results of conversions and comparisons change.
var ends = []string{"INT32_MAX", "INT32_MIN", "127", "-128", "255", "32767", "-32768", "65535", "0", "0", "-1", "1000"}

var wideEnds = append([]string{"INT64_MAX", "INT64_MIN", "UINT32_MAX", "(int64_t)INT32_MIN - 1", "INT64_C(1) << 40",
	"-(INT64_C(1) << 33)"}, ends...)

// near returns a constant a few steps from an end; the compiler computes it in 64 unsigned bits, so that it cannot
// overflow.
func (g *generator) near(t string, around []string) string {
	return fmt.Sprintf("(%s)((uint64_t)(%s) + (uint64_t)INT64_C(%d))", t, around[g.n(len(around))], g.n(9)-4)
}

func (g *generator) ranges(int) {
	x := g.fresh("x")
	t := g.pick("int", "int", "int", "int64_t", "int64_t", "unsigned", "uint64_t", "int8_t", "int16_t", "uint8_t")
	// A few consecutive values, anywhere in the type.
	size := 2 + g.n(6)
	if g.spend(size) {
		g.line("%s %s = (%s)((uint64_t)(%s) + (uint64_t)in(0, %d));", t, x, t, g.near("int64_t", wideEnds), size-1)
	} else {
		g.line("%s %s = (%s)((uint64_t)(%s) + (uint64_t)%s);", t, x, t, g.near("int64_t", wideEnds), g.small(1))
	}
	names := []string{x}
	value := func() string { return names[g.n(len(names))] }
	bound := func() string {
		v := value()
		return g.pick(
			fmt.Sprintf("%s %s %s", v, g.pick("<", "<=", ">", ">=", "!=", "=="), g.near(t, wideEnds)),
			fmt.Sprintf("%s %s %s", v, g.pick("<", "<=", ">", ">=", "!="), g.near(g.intType(), wideEnds)),
			fmt.Sprintf("%s >= %s && %s < %s", v, g.near(t, wideEnds), v, g.near(t, wideEnds)),
			fmt.Sprintf("!(%s > %s || %s <= %s)", v, g.near(t, wideEnds), v, g.near(t, wideEnds)),
			fmt.Sprintf("(unsigned)%s - %du < %du", v, g.n(300), 1+g.n(300)),
			fmt.Sprintf("(%s)%s %s %s", g.pick("int8_t", "uint8_t", "int", "int64_t", "uint64_t"), v, g.pick("<", ">="),
				g.near("int", ends)))
	}
	for range 2 + g.n(5) {
		switch g.n(8) {
		case 0:
			g.line("assume(%s || %s);", bound(), bound())
		case 1:
			y := g.fresh("x")
			g.line("%s %s = %s; if (%s) %s = (%s)(%s %s %s);", t, y, value(), bound(), y, t, value(), g.pick("+", "-", "*"),
				g.pick(g.near(t, ends), g.near("int", ends), "1", "2", "-1", "3"))
			names = append(names, y)
		case 2:
			y := g.fresh("x")
			g.line("%s %s = %s %s %s;", t, y, value(), g.pick("+", "-", "-"), g.pick(fmt.Sprint(1+g.n(5)), g.near(t, ends)))
			names = append(names, y)
		case 3:
			g.checkOf(bound())
		case 4:
			g.line("if (%s) { CHECK(%d, %s %s %s); }", bound(), g.checks, value(), g.pick("+", "-", "*", "/", "%", "<"),
				g.pick("1", "2", "-1", "7", g.near("int", ends)))
			if g.checks++; g.checks >= 100 {
				return
			}
		case 5:
			v := value()
			g.line("if (%s) %s = (%s)%s;", bound(), v, t, g.pick("-"+v, "~"+v, v+" >> 1", v+" / 2", v+" % 5", v+" ^ 1"))
		case 6:
			g.line("if (%s) %s %s;", bound(), value(), g.pick("++", "--", "+= 2", "-= 3"))
		case 7:
			v := value()
			g.line("%s = %s > %s ? %s : %s;", v, v, g.near(t, wideEnds), g.near(t, wideEnds), v)
		}
		if g.checks >= 99 {
			return
		}
	}
	g.checkOf(value())
	for _, v := range slices.Backward(names) {
		g.add(variable{name: v, kind: "int", typ: g.pick("int64_t", "int"), ro: true})
	}
}

// boundedSteps writes a counter between bounds near the limit of its type.
func (g *generator) boundedSteps(int) {
	i := g.fresh("i")
	t := g.pick("int", "unsigned", "int8_t", "uint8_t", "int64_t", "uint16_t")
	g.line("%s %s = (%s)((uint64_t)(%s) + (uint64_t)%s), %se = (%s)((uint64_t)%s + %d); int %sn = 0;", t, i, t,
		g.near("int64_t", ends), g.small(1), i, t, i, 1+g.n(4), i)
	step := g.pick(fmt.Sprintf("%s++", i), fmt.Sprintf("%s += 2", i), fmt.Sprintf("++%s", i))
	g.line("for (; %s %s %se && %sn < 6; %s) %sn++;", i, g.pick("<", "!=", "<=", "<"), i, i, step, i)
	g.checkOf(i)
	g.checkOf(i + "n")
}
