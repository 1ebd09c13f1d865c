package randproof

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Loops generates a proof about loops over arrays of symbolic length. Its assertions are often true, or false only
// after many iterations. Its arithmetic is unsigned, and most accesses are valid.
func Loops(seed uint64) string {
	g := &loopGenerator{r: rand.New(rand.NewPCG(seed, 1414))}
	g.typ = g.pick("unsigned", "unsigned", "unsigned char", "unsigned short", "uint64_t")
	g.line("#include <stdlib.h>\n#include <string.h>\n#include <unitproof.h>\n")
	g.line("int main(void) {")
	g.in = "  "
	g.line("unsigned n = nd_uint(), m = nd_uint(), s = %s, f = 0, w = 0;", g.pick("0", "0", "1", "m"))
	g.line("assume(n <= %s && m <= %s);", g.pick("1000", "5000", "100000"), g.pick("3", "200", "n"))
	g.line("%s *a = malloc((n + 1) * sizeof *a), *b = malloc((n + 1) * sizeof *b);", g.typ)
	g.line("if (!a || !b)\n    return 0;")
	g.line("memhavoc(a, (n + 1) * sizeof *a);\n  memhavoc(b, (n + 1) * sizeof *b);")
	if g.chance(30) {
		g.line("a[0] = %s;", g.pick("0", "1", "m"))
	}
	for range 1 + g.n(2) {
		g.loop()
	}
	if g.chance(70) {
		g.line("unsigned k = nd_uint();\n  if (k < n) {")
		g.in = "    "
		for range 1 + g.n(2) {
			g.assertion("k")
		}
		g.in = "  "
		g.line("}")
	}
	for range g.n(3) {
		g.assertion("n")
	}
	g.line("free(a);\n  free(b);\n  return 0;")
	return g.out.String() + "}\n"
}

type loopGenerator struct {
	r       *rand.Rand
	out     strings.Builder
	in, typ string
	loops   int
}

func (g *loopGenerator) n(n int) int                { return g.r.IntN(n) }
func (g *loopGenerator) chance(percent int) bool    { return g.n(100) < percent }
func (g *loopGenerator) pick(from ...string) string { return from[g.n(len(from))] }
func (g *loopGenerator) line(format string, args ...any) {
	if len(args) == 0 {
		g.out.WriteString(g.in + format + "\n")
		return
	}
	fmt.Fprintf(&g.out, g.in+format+"\n", args...)
}

// late returns a condition that holds in few iterations.
func (g *loopGenerator) late(i string) string {
	return i + g.pick(" > 0", " > 1", " > 70", " > 70", " > 90", " == 71", " == 100", " >= 65")
}

// value returns a number that is in scope in an iteration.
func (g *loopGenerator) value(i string) string {
	switch g.n(9) {
	case 0:
		return i
	case 1:
		return "a[" + i + "]"
	case 2:
		return "b[" + i + "]"
	case 3:
		return g.pick("0", "1", "2", "7", "255")
	case 4:
		return "m"
	case 5:
		return "s"
	case 6:
		return "x"
	case 7:
		return "a[0]"
	}
	return g.pick("a["+i+"] + 1", "b["+i+"] ^ 1", i+" + 1", "2 * "+i, "n - "+i, "a["+i+"] / 2", "b["+i+" / 2]")
}

func (g *loopGenerator) condition(i string) string {
	if g.chance(25) {
		return g.late(i)
	}
	return g.value(i) + g.pick(" < ", " <= ", " == ", " != ", " > ") + g.value(i)
}

func (g *loopGenerator) loop() {
	i := fmt.Sprintf("i%d", g.loops)
	g.loops++
	switch g.n(5) {
	case 0:
		g.line("for (unsigned %s = 0; %s < n; %s += %s) {", i, i, i, g.pick("2", "3"))
	case 1:
		g.line("for (unsigned %s = n; %s-- > 0;) {", i, i)
	case 2:
		g.line("for (unsigned %s = %s; %s < n; %s++) {", i, g.pick("1", "m", "n / 2"), i, i)
	default:
		g.line("for (unsigned %s = 0; %s < n; %s++) {", i, i, i)
	}
	g.in = "    "
	if g.chance(35) {
		g.turn(i)
		return
	}
	g.line("unsigned x = %s;", g.pick("0", i, "nd_uint()", "nd_uint()", "nd_uint() % 4", "a["+i+"]", "m"))
	for range 1 + g.n(3) {
		g.statement(i)
	}
	if g.chance(60) {
		if g.chance(80) {
			g.line("if (%s)", g.late(i))
			g.out.WriteString("  ")
		}
		if g.chance(60) { // values of earlier iterations compared with this one's
			g.line("sassert(%s %s x);", g.pick("a[0]", "a["+i+" / 2]", "b[0]", "s"), g.pick("==", "<=", ">="))
		} else {
			g.assertion(i)
		}
		if g.chance(60) {
			g.statement(i)
		}
	}
	g.in = "  "
	g.line("}")
}

// turn writes the body of a loop with an input in each iteration. A late iteration compares it with values stored by
// earlier ones.
func (g *loopGenerator) turn(i string) {
	g.line("%s x = (%s)nd_uint();", g.typ, g.typ)
	op := g.pick("==", "<=", ">=")
	g.line("if (%s > %s)\n      sassert(a[%s] %s x);", i, g.pick("70", "90", "100"), g.pick("0", i+" / 2", i+" - 1"), op)
	switch g.n(3) {
	case 0:
		g.line("a[%s] = x;", i)
	case 1:
		g.line("if (!(a[%s] %s x))\n      break;", i, op)
	default:
		g.line("a[%s] = x;", i)
		g.statement(i)
	}
	g.in = "  "
	g.line("}")
}

func (g *loopGenerator) statement(i string) {
	switch g.n(17) {
	case 14:
		g.line("a[%s] = x;", i)
	case 15:
		g.line("if (a[%s] %s x)\n      break;", i, g.pick(">", "<", "!="))
	case 16:
		g.line("if (%s)\n      a[%s] = x;", g.late(i), i)
	case 0, 1:
		g.line("a[%s] = %s;", i, g.value(i))
	case 2:
		g.line("b[%s] = %s;", i, g.value(i))
	case 3:
		g.line("if (%s)\n      a[%s] = %s;", g.condition(i), i, g.value(i))
	case 4:
		g.line("if (%s)\n      break;", g.condition(i))
	case 5:
		g.line("if (%s)\n      continue;", g.condition(i))
	case 6:
		g.line("if (%s > s)\n      s = %s;", "a["+i+"]", "a["+i+"]")
	case 7:
		g.line("s = %s;", g.value(i))
	case 8:
		g.line("if (%s)\n      f = 1;", g.condition(i))
	case 9:
		g.line("w++;")
	case 10:
		g.line("if (%s)\n      w += %s;", g.condition(i), g.pick("1", "1", "2"))
	case 11:
		g.line("b[w <= n ? w : n] = %s;", g.value(i))
	case 12:
		g.line("for (unsigned j = 0; j < %s; j++)\n      b[j < n ? j : n] = %s;", g.pick("m", "3", i), g.value(i))
	case 13:
		g.line("assume(%s);", g.pick("x < 9", "x != 5", "a["+i+"] >= x", "x <= a["+i+"] + 1"))
	}
}

func (g *loopGenerator) assertion(at string) {
	x, y := g.pick("a[@]", "b[@]", "s", "w", "f", "a[0]"), g.pick("a[@]", "b[@]", "s", "m", "n", "w", "0", "1", "7",
		"@", "@ + 1", "2 * @", "2 * n", "255")
	op := g.pick("==", "<=", "<=", ">=", "!=")
	given := ""
	if g.chance(15) {
		given = g.pick("f || ", "!f || ", "w > 0 || ", "m < 3 || ")
	}
	g.line("sassert(%s);", strings.ReplaceAll(given+x+" "+op+" "+y, "@", at))
}

//go:embed native/loops.c
var loopRuntime []byte

// loopHeader is unitproof.h in native runs.
const loopHeader = `#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
bool nd_bool(void);
int nd_int(void);
unsigned nd_uint(void);
uint8_t nd_uint8_t(void);
int8_t nd_int8_t(void);
void memhavoc(void *, size_t);
void assume(int);
void holds(int, int);
#define sassert(c) holds((c) != 0, __LINE__)
#define main proof
`

// PrepareLoops compiles the runtime of LoopTruth into dir.
func PrepareLoops(ctx context.Context, tools Tools, dir string) (*Prepared, error) {
	for name, content := range map[string]string{"unitproof.h": loopHeader, "runtime.c": string(loopRuntime)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, tools.Clang, "-O2", "-c", "runtime.c", "-o", "runtime.o")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling the native runtime: %w\n%s", err, out)
	}
	return &Prepared{tools: tools, dir: dir}, nil
}

// LoopTruth runs a program of Loops, Blocks, Walks or Lists natively, with many lengths and several styles of inputs.
// The result lacks the runs that did not end in time. Without sanitizers, err reports a run that crashed.
func (n *Prepared) LoopTruth(ctx context.Context, text string, sanitized bool) (*Truth, error) {
	dir, err := os.MkdirTemp(n.dir, "run")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "proof.c"), []byte(text), 0o600); err != nil {
		return nil, err
	}
	flags := []string{"-O1", "-w", "-g", "-I", n.dir, "proof.c", filepath.Join(n.dir, "runtime.o"), "-o", "program"}
	if sanitized {
		flags = append(flags, "-O0", "-fsanitize=address,signed-integer-overflow,"+sanitizers, "-fno-sanitize-recover=all")
	}
	cmd := exec.CommandContext(ctx, n.tools.Clang, flags...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling natively: %w\n%s\n%s", err, out, text)
	}
	return n.loopRuns(ctx, dir)
}

// loopRuns runs the program of LoopTruth in dir.
func (n *Prepared) loopRuns(ctx context.Context, dir string) (*Truth, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(dir, "program"))
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0:symbolize=0:redzone=128:"+
		"print_legend=0:quarantine_size_mb=1",
		"UBSAN_OPTIONS=symbolize=0:print_stacktrace=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("running natively: %w\n%s", err, tail(stderr.String()))
	}
	o := &observed{Truth: Truth{Violations: map[Place]string{}, Reached: map[int]bool{}}}
	for _, line := range strings.Split(stdout.String(), "\n") {
		var k int
		if _, err := fmt.Sscanf(line, "hit %d", &k); err == nil {
			o.Reached[k] = true
		} else if _, err := fmt.Sscanf(line, "runs %d", &k); err == nil {
			o.Runs = k
		}
	}
	return &o.Truth, n.reports(ctx, dir, stderr.Bytes(), o)
}
