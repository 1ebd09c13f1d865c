// Package flowtest writes control-flow graphs as functions of LLVM assembly, for tests.
//
//	a>b,f  f!  b@7>c  c
//
// is a graph of four blocks: a branches to b and f, f fails an assertion, b is on line 7. Graph converts such a text,
// Random returns a random graph, and OverRandomGraphs runs a check on many of them.
package flowtest

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Read parses a module of LLVM assembly.
func Read(t testing.TB, text string) *clangir.Module {
	t.Helper()
	m, err := clangir.Read([]byte(text), llvmir.ReadOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// Node is a block of a graph: its name, its position in the source and its successors.
type Node struct {
	Name      string
	line, col int
	Fails     bool // it ends with the failure of an assertion
	Succs     []string
}

var nodeText = regexp.MustCompile(`^([\w.]+)(?:@(\d+)(?::(\d+))?)?(!?)(?:>([\w.,]+))?$`)

// parse parses the notation of [Graph].
func parse(t testing.TB, text string) []Node {
	t.Helper()
	var out []Node
	for _, word := range strings.Fields(text) {
		g := nodeText.FindStringSubmatch(word)
		if g == nil {
			t.Fatalf("no block: %q", word)
		}
		n := Node{Name: g[1], Fails: g[4] != ""}
		fmt.Sscan(g[2], &n.line)
		fmt.Sscan(g[3], &n.col)
		if g[5] != "" {
			n.Succs = strings.Split(g[5], ",")
		}
		out = append(out, n)
	}
	return out
}

// assembly returns a graph as a function f. Its branches depend on the parameter.
func assembly(nodes []Node) string {
	var b, meta strings.Builder
	b.WriteString("declare void @__assert_fail(i8*, i8*, i32, i8*) noreturn\ndefine void @f(i32 %x) !dbg !3 {\n")
	for i, n := range nodes {
		loc := ""
		if n.line > 0 {
			loc = fmt.Sprintf(", !dbg !%d", 10+i)
			fmt.Fprintf(&meta, "!%d = !DILocation(line: %d, column: %d, scope: !3)\n", 10+i, n.line, n.col)
		}
		fmt.Fprintf(&b, "%s:\n", n.Name)
		switch {
		case n.Fails:
			fmt.Fprintf(&b, "  call void @__assert_fail(i8* null, i8* null, i32 0, i8* null)%s\n  unreachable%s\n", loc, loc)
		case len(n.Succs) == 0:
			fmt.Fprintf(&b, "  ret void%s\n", loc)
		case len(n.Succs) == 1:
			fmt.Fprintf(&b, "  br label %%%s%s\n", n.Succs[0], loc)
		default:
			fmt.Fprintf(&b, "  switch i32 %%x, label %%%s [", n.Succs[0])
			for k, s := range n.Succs[1:] {
				fmt.Fprintf(&b, " i32 %d, label %%%s", k, s)
			}
			fmt.Fprintf(&b, " ]%s\n", loc)
		}
	}
	b.WriteString("}\n" + `!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!5}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "f.c", directory: "/src")
!2 = !DISubroutineType(types: !4)
!3 = distinct !DISubprogram(name: "f", scope: !1, file: !1, line: 1, type: !2, scopeLine: 1, unit: !0)
!4 = !{null}
!5 = !{i32 2, !"Debug Info Version", i32 3}
` + meta.String())
	return b.String()
}

// Graph returns the assembly of a graph as a function f. A block is written "name@line:column!>successor,successor";
// all but the name is optional, and ! marks a block that fails an assertion. The first block is the entry.
func Graph(t testing.TB, text string) string {
	t.Helper()
	return assembly(parse(t, text))
}

// Random returns a graph of a few blocks with random edges to any block but the entry. So loops may be entered in the
// middle, blocks may be unreachable, and executions may not end. Some blocks are failures.
func Random(rng *rand.Rand) []Node {
	nodes := make([]Node, 2+rng.Intn(11))
	for i := range nodes {
		nodes[i].Name = fmt.Sprintf("b%d", i)
		nodes[i].line = 1 + rng.Intn(20)
	}
	for i := range nodes {
		switch k := rng.Intn(8); {
		case i > 0 && k == 0:
			nodes[i].Fails = true
		case i > 0 && k == 1:
		default:
			for range 1 + rng.Intn(3) {
				to := 1 + rng.Intn(len(nodes)-1)
				if rng.Intn(2) == 0 { // most edges lead forward, as in programs
					to = min(i+1+rng.Intn(3), len(nodes)-1)
				}
				nodes[i].Succs = append(nodes[i].Succs, nodes[max(to, 1)].Name)
			}
		}
	}
	return nodes
}

// OverRandomGraphs calls check for the functions of many random graphs.
func OverRandomGraphs(t *testing.T, check func(t *testing.T, m *clangir.Module, f *llvmir.Func)) {
	t.Helper()
	rng := rand.New(rand.NewSource(1))
	for range 1000 {
		text := assembly(Random(rng))
		m := Read(t, text)
		check(t, m, m.FuncByName["f"])
		if t.Failed() {
			t.Fatalf("the graph:\n%s", text)
		}
	}
}
