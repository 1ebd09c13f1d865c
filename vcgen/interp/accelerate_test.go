package interp_test

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/interptest"
)

// countingLoop returns a function with a loop over variables of random types, with branches and overflow. It has at
// most 20,000 iterations. An assertion behind it is false.
func countingLoop(rnd *rand.Rand, name string) string {
	types := []string{"unsigned char", "signed char", "unsigned short", "short", "int", "unsigned", "long", "uint64_t"}
	pick := func(of ...string) string { return of[rnd.Intn(len(of))] }
	var b strings.Builder
	fmt.Fprintf(&b, "void %s(void) {\n", name)
	vars := []string{"a", "b", "c", "s.d", "t[1]"}
	fmt.Fprintf(&b, "  struct { %s e, d; } s = {%d, %d};\n", pick(types...), rnd.Intn(9), rnd.Intn(9))
	fmt.Fprintf(&b, "  %s t[2] = {0, %d};\n", pick(types...), rnd.Intn(100))
	for _, v := range vars[:3] {
		fmt.Fprintf(&b, "  %s %s = %d;\n", pick(types...), v, rnd.Intn(200)-50)
	}
	update := func() string {
		v, w := pick(vars...), pick(vars...)
		switch rnd.Intn(7) {
		case 0:
			return fmt.Sprintf("%s = %s + %d;", v, w, rnd.Intn(9))
		case 1:
			return fmt.Sprintf("%s -= %d;", v, rnd.Intn(5))
		case 2:
			return fmt.Sprintf("%s = 3 * %s - %d;", v, w, rnd.Intn(1000))
		case 3:
			return fmt.Sprintf("%s = i;", v)
		}
		return fmt.Sprintf("%s += %d;", v, rnd.Intn(7))
	}
	fmt.Fprintf(&b, "  for (%s i = 0; i < %d; i += %d) {\n", pick("int", "unsigned", "long"), 300+rnd.Intn(20_000),
		1+rnd.Intn(3))
	for range 1 + rnd.Intn(4) {
		if rnd.Intn(3) == 0 {
			fmt.Fprintf(&b, "    if (%s %s %s + %d) %s\n", pick(vars...), pick("<", ">", "==", "!=", "<=", ">="),
				pick("i", "b", "0"), rnd.Intn(9000), pick(update(), "break;", "continue;"))
		}
		fmt.Fprintf(&b, "    %s\n", update())
	}
	b.WriteString("  }\n  sassert(a == 12345 && b == 54321);\n  sassert(c + s.d == t[1] + 77);\n}\n")
	return b.String()
}

// TestAcceleration compares the outcomes of runs of counting loops that skip iterations with those of runs that skip
// none.
func TestAcceleration(t *testing.T) {
	const functions = 60
	rnd := rand.New(rand.NewSource(1))
	var b strings.Builder
	b.WriteString("#include <stdint.h>\n#include <stddef.h>\n")
	for i := range functions {
		b.WriteString(countingLoop(rnd, fmt.Sprintf("f%d", i)))
	}
	flags := "-fsanitize=signed-integer-overflow,implicit-conversion"
	skipped := 0
	for _, m := range []struct{ name, flag string }{{"checked", flags}, {"unchecked", "-fwrapv"}} {
		module := interptest.CompileText(t, b.String(), m.flag)
		for i := range functions {
			entry := fmt.Sprintf("f%d", i)
			opts := interptest.Options()
			opts.Trace = false
			run := func(observed bool) *interp.Outcome {
				x := interp.New(context.Background(), module, entry, (&interptest.Script{}).Choose, opts)
				if observed { // such runs skip nothing
					x.Observe(interp.Unobserved{})
				}
				return x.Run()
			}
			fast, slow := run(false), run(true)
			if f, s := interptest.OutcomeText(fast), interptest.OutcomeText(slow); f != s {
				t.Fatalf("%s of %s: with acceleration\n%swithout\n%s%s", entry, m.name, f, s, b.String())
			}
			if fast.Skipped > 0 {
				skipped++
			}
			opts.Trace, opts.TraceFrom = true, max(0, fast.Executed-500)
			if f, s := interptest.OutcomeText(run(false)), interptest.OutcomeText(run(true)); f != s {
				t.Fatalf("%s of %s, traced: with acceleration\n%swithout\n%s", entry, m.name, f, s)
			}
		}
	}
	if skipped < functions/2 {
		t.Errorf("only %d of %d runs skipped iterations", skipped, 2*functions)
	}
}
