package randproof

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Blocks generates a proof about a loop that replaces blocks of the heap: buffers that grow, that are freed and made
// again, exchanged, and to which other pointers lead. Many programs have a defect, often one of a late iteration.
func Blocks(seed uint64) string {
	g := &blockGenerator{loopGenerator: loopGenerator{r: rand.New(rand.NewPCG(seed, 2811))}}
	g.wrong, g.inStruct = g.chance(35), g.chance(30)
	g.start, g.step = g.pick("NULL", "malloc", "first"), g.pick("+ 1", "+ 4", "+ 8", "* 2")
	names := []string{"a", "b"}[:1+g.n(4)/3]
	g.line("#include <stdlib.h>\n#include <string.h>\n#include <unitproof.h>\n")
	g.line("struct buffer { unsigned char *p; size_t n, cap; };\n")
	g.line("int main(void) {")
	g.in = "  "
	g.line("unsigned n = nd_uint(), t = 0;")
	g.line("assume(n <= 100000);")
	g.line("unsigned char *s = malloc(n + 1);\n  if (!s) return 0;\n  memhavoc(s, n);")
	for _, x := range names {
		g.declare(x)
	}
	other := g.n(20) // a pointer into the first buffer, in one of five programs
	if other < 4 {
		g.line("unsigned char *q = %s;", []string{g.of("a", "p"), "NULL", "NULL", "NULL"}[other])
	}
	g.line("for (unsigned i = 0; i < n; i++) {")
	g.in = "    "
	g.before(other)
	for k, x := range names {
		g.append(x, fmt.Sprintf("s[i] %% %d == %d", len(names), k))
		g.change(x)
	}
	if len(names) == 2 {
		g.exchange()
	}
	g.after(other)
	g.in = "  "
	g.line("}")
	for _, x := range names {
		g.free(x)
	}
	g.line("free(s);\n  return t == 1;")
	return g.out.String() + "}\n"
}

type blockGenerator struct {
	loopGenerator
	wrong, inStruct bool
	start, step     string // where the first block comes from, and how the capacity grows
}

// slips reports whether a defect is made at a place at which some percent of the wrong programs have one.
func (g *blockGenerator) slips(percent int) bool { return g.wrong && g.chance(percent) }

// of returns the text for a member of a buffer: p, n or cap.
func (g *blockGenerator) of(x, member string) string {
	if g.inStruct {
		return x + "." + member
	}
	return x + "_" + member
}

func (g *blockGenerator) declare(x string) {
	if g.inStruct {
		g.line("struct buffer %s = {0};", x)
	} else {
		g.line("unsigned char *%s = NULL;\n  size_t %s = 0, %s = 0;", g.of(x, "p"), g.of(x, "n"), g.of(x, "cap"))
	}
	size := g.pick("1", "2", "8", "16")
	switch g.start {
	case "malloc":
		g.line("%s = malloc(%s);\n  if (!%s) return 0;\n  %s = %s;", g.of(x, "p"), size, g.of(x, "p"), g.of(x, "cap"), size)
	case "first":
		g.line("unsigned char first_%s[%s];\n  %s = first_%s;\n  %s = %s;", x, size, g.of(x, "p"), x, g.of(x, "cap"), size)
	}
}

// append appends a byte to a buffer under a condition.
func (g *blockGenerator) append(x, where string) {
	p, n, capacity := g.of(x, "p"), g.of(x, "n"), g.of(x, "cap")
	full := g.pick("@ == #", "@ >= #", "@ + 1 > #")
	if g.slips(25) {
		full = g.pick("@ > #", "@ == # + 1", "@ == # && s[i] != 7", "@ + 1 == #", "@ == # && i != 80")
	}
	full = strings.NewReplacer("@", n, "#", capacity).Replace(full)
	larger := fmt.Sprintf("%s %s", capacity, g.step)
	if g.step == "* 2" {
		larger = fmt.Sprintf("(%s ? %s * 2 : 8)", capacity, capacity)
	}
	size := larger
	if g.slips(30) {
		size += g.pick(" - 1", " + 1", " - (i > 70)")
	}
	g.line("if (%s) {\n      if (%s) {", where, full)
	g.in = "        "
	copied := g.start == "first" || g.chance(35)
	if copied {
		g.line("unsigned char *larger = malloc(%s);", size)
	} else {
		g.line("unsigned char *larger = realloc(%s, %s);", p, size)
	}
	g.line("if (!larger) break;")
	if copied {
		g.line("if (%s) memcpy(larger, %s, %s);", p, p, n)
		if !g.slips(20) {
			g.free(x)
		}
	}
	if !g.slips(25) {
		g.line("%s = larger;", p)
	}
	g.line("%s = %s;\n      }", capacity, larger)
	g.in = "      "
	g.line("%s[%s++] = s[i];\n    }", p, n)
	g.in = "    "
}

// free frees the block of a buffer, unless it is the one on the stack.
func (g *blockGenerator) free(x string) {
	if g.start == "first" && !g.slips(20) {
		g.line("if (%s != first_%s) free(%s);", g.of(x, "p"), x, g.of(x, "p"))
	} else {
		g.line("free(%s);", g.of(x, "p"))
	}
}

// change makes another use of a buffer.
func (g *blockGenerator) change(x string) {
	p, n, capacity := g.of(x, "p"), g.of(x, "n"), g.of(x, "cap")
	switch g.n(9) {
	case 0:
		if g.start == "first" {
			return
		}
		steps := []string{"free(" + p + ");", p + " = NULL;", n + " = " + capacity + " = 0;"}
		if g.slips(50) {
			k := g.n(3)
			steps = append(steps[:k], steps[k+1:]...)
		}
		g.line("if (s[i] == %d) {\n      %s\n    }", g.n(5), strings.Join(steps, "\n      "))
	case 1:
		g.line("if (s[i] == 9 && %s > 0) %s--;", n, n)
	case 2:
		g.line("if (s[i] == 8) %s = 0;", n)
	case 3:
		back := 1
		if g.wrong {
			back += g.n(2)
		}
		g.line("if (%s > %d) t += %s[%s - %d];", n, g.n(3), p, n, back)
	}
}

// exchange exchanges both buffers, or makes them share a block.
func (g *blockGenerator) exchange() {
	switch g.n(8) {
	case 0, 1:
		g.line("if (s[i] == 5) {")
		for _, m := range []string{"p", "n", "cap"} {
			typ := "size_t"
			if m == "p" {
				typ = "unsigned char *"
			}
			g.line("  %s %s = %s; %s = %s; %s = %s;", typ, m, g.of("a", m), g.of("a", m), g.of("b", m), g.of("b", m), m)
		}
		g.line("}")
	case 2:
		g.line("if (s[i] == 6) %s = %s;", g.of("b", "p"), g.of("a", "p"))
	}
}

// before and after use and set the other pointer, at the start and at the end of an iteration.
func (g *blockGenerator) before(other int) {
	switch other {
	case 2:
		g.line("if (q && s[i] == 4) t += *q;")
	case 3:
		g.line("q = %s;", g.of("a", "p"))
	}
}

func (g *blockGenerator) after(other int) {
	p, n := g.of("a", "p"), g.of("a", "n")
	switch other {
	case 0:
		g.line("if (q && s[i] == 4 && i > %s) q[0] = 1;", g.pick("0", "10", "70"))
	case 1:
		g.line("if (q && s[i] == 4) *q = 1;\n    if (%s > 0) q = %s + %s - 1;", n, p, n)
	case 2:
		g.line("q = %s > 0 ? %s : NULL;", n, p)
	case 3:
		g.line("if (q != %s && q && s[i] == 4) q[0] = 1;", p)
	}
}
