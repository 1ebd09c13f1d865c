package interp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
)

// checkNative runs a program natively and in the interpreter; both must print the same numbers.
func checkNative(t *testing.T, file string, flags ...string) {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "native")
	include := []string{"-I", filepath.Join("testdata", "native"), "-w", "-ffp-contract=off"}
	interptest.RunTool(t, "clang-14", append(include, "-O1", "-DNATIVE", file, "-o", bin)...)
	want := strings.Fields(interptest.RunTool(t, bin))

	opts := interptest.Options()
	opts.Trace, opts.MaxSteps = false, 50_000_000
	m := interp.New(context.Background(), interptest.Compile(t, append(include, flags...), file), "main", choice.Zero,
		opts)
	out := m.Run()
	if out.End != interp.EndReturn {
		t.Fatalf("%s: %s", file, interptest.Summary(out))
	}
	read := func(name string, off uint64, n int) uint64 {
		v, _ := m.Globals[m.View.Program.GlobalByName[name]].Read(off, n)
		return v.Bits
	}
	n := int(read("count", 0, 4))
	if n != len(want) || n == 0 {
		t.Fatalf("%s: emits %d numbers, natively %d", file, n, len(want))
	}
	for i, w := range want {
		if got := fmt.Sprintf("%x", read("results", uint64(i)*8, 8)); got != w {
			t.Fatalf("%s: number %d is %s, natively %s", file, i, got, w)
		}
	}
}

func TestNative(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "native", "*.c"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			checkNative(t, file)
		})
	}
}

// TestNativeRandom compares random programs without undefined behaviour.
func TestNativeRandom(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "random.c")
			g := &generator{r: rand.New(rand.NewPCG(seed, 7))}
			if err := os.WriteFile(file, []byte(g.program()), 0o666); err != nil {
				t.Fatal(err)
			}
			checkNative(t, file)
		})
	}
}

// generator writes random programs over integers, arrays, structs and pointers.
type generator struct {
	r   *rand.Rand
	out strings.Builder
}

var generatedTypes = []string{"uint8_t", "uint16_t", "uint32_t", "uint64_t", "int8_t", "int16_t", "int32_t", "int64_t"}

func (g *generator) pick(xs ...string) string { return xs[g.r.IntN(len(xs))] }

func (g *generator) program() string {
	w := func(format string, args ...any) { fmt.Fprintf(&g.out, format+"\n", args...) }
	w(`#include "emit.h"`)
	w("struct s { %s a; %s b[3]; %s c : 5; double d; struct s *p; };", g.pick(generatedTypes...),
		g.pick(generatedTypes...), g.pick("unsigned", "int"))
	w("static uint64_t v[8]; static struct s s[2];")
	for f := range 6 {
		w("static uint64_t f%d(uint64_t x, %s y, double z) {", f, g.pick(generatedTypes...))
		w("  uint64_t t = x; int64_t n = 0; double d = z;")
		for range 12 {
			g.statement(f, 2)
		}
		w("  return t + (uint64_t)n + (uint64_t)(d > 0.5);\n}")
	}
	w("void program(void) {\n  s[0].p = &s[1]; s[1].p = &s[0];")
	w("  for (unsigned i = 0; i < 40; i++) {\n    emit(f%d(i * 0x9e3779b97f4a7c15u, i, i / 3.0));", 5)
	w("    emit_double(s[i %% 2].d);\n  }\n  for (int i = 0; i < 8; i++) emit(v[i]);\n}")
	return g.out.String()
}

func (g *generator) statement(f, depth int) {
	w := func(format string, args ...any) { fmt.Fprintf(&g.out, "  "+format+"\n", args...) }
	e := func() string { return g.expr(3) }
	switch k := g.r.IntN(11); {
	case k == 0 && depth > 0:
		w("if (%s) {", e())
		g.statement(f, depth-1)
		w("} else {")
		g.statement(f, depth-1)
		w("}")
	case k == 1 && depth > 0:
		w("for (unsigned i = 0; i < %d; i++) {", 1+g.r.IntN(4))
		g.statement(f, depth-1)
		w("}")
	case k == 2 && depth > 0:
		w("switch (%s %% 4) { case 1:", e())
		g.statement(f, depth-1)
		w("case 2: t++; break; default:")
		g.statement(f, depth-1)
		w("}")
	case k == 3:
		w("v[%s %% 8] = %s;", e(), e())
	case k == 4:
		w("s[%s %% 2].%s = %s;", e(), g.pick("a", "b[1]", "b[2]", "c"), e())
	case k == 5:
		w("s[%s %% 2].p->b[%s %% 3] = %s;", e(), e(), e())
	case k == 6 && f > 0:
		w("t ^= f%d(%s, %s, d);", f-1, e(), e())
	case k == 7:
		w("d = d * %d.5 + (double)(int32_t)(%s) / 7;", g.r.IntN(3), e())
	case k == 8:
		w("s[%s %% 2].d = (float)d;", e())
	case k == 9:
		w("n = (%s)(%s) >> %d;", g.pick(generatedTypes...), e(), g.r.IntN(8))
	default:
		w("t %s= %s;", g.pick("+", "-", "*", "^", "|"), e())
	}
}

// expr writes an expression of type uint64_t.
func (g *generator) expr(depth int) string {
	if depth == 0 {
		switch g.r.IntN(7) {
		case 0:
			return fmt.Sprintf("(uint64_t)%dull", g.r.Uint64()>>g.r.IntN(64))
		case 1:
			return fmt.Sprintf("v[%d]", g.r.IntN(8))
		case 2:
			return fmt.Sprintf("(uint64_t)s[%d].%s", g.r.IntN(2), g.pick("a", "b[0]", "c", "p->a"))
		}
		return "(uint64_t)" + g.pick("x", "y", "t", "n")
	}
	a := g.expr(depth - 1)
	switch g.r.IntN(9) {
	case 0:
		return fmt.Sprintf("(%s / ((%s) | 1))", a, g.expr(depth-1))
	case 1:
		return fmt.Sprintf("(%s %% ((%s) | 1))", a, g.expr(depth-1))
	case 2:
		return fmt.Sprintf("(%s %s (%s & 63))", a, g.pick("<<", ">>"), g.expr(depth-1))
	case 3:
		return fmt.Sprintf("(uint64_t)(%s)(%s)", g.pick(generatedTypes...), a)
	case 4:
		t := g.pick(generatedTypes...)
		return fmt.Sprintf("(uint64_t)((%s)(%s) %s (%s)(%s))", t, a, g.pick("<", ">=", "==", "!="), t, g.expr(depth-1))
	case 5:
		return fmt.Sprintf("(%s ? %s : %s)", g.expr(depth-1), a, g.expr(depth-1))
	}
	return fmt.Sprintf("(%s %s %s)", a, g.pick("+", "-", "*", "&", "|", "^"), g.expr(depth-1))
}
