package unfold

import (
	"fmt"
	"math/rand"
	"regexp"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// read reads a module of assembly.
func read(t testing.TB, text string) *clangir.Module {
	t.Helper()
	m, err := clangir.Read([]byte(text), llvmir.ReadOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// analysed reads a module and analyses its function f.
func analysed(t testing.TB, text string) *function {
	t.Helper()
	m := read(t, text)
	f := m.FuncByName["f"]
	if f == nil {
		t.Fatalf("no function f:\n%s", text)
	}
	return analyse(m, f)
}

// node is a block of a graph: what it is called, where it stands in the source and what follows it.
type node struct {
	name      string
	line, col int
	fails     bool // it ends with the failure of an assertion
	succs     []string
}

var nodeText = regexp.MustCompile(`^([\w.]+)(?:@(\d+)(?::(\d+))?)?(!?)(?:>([\w.,]+))?$`)

// parseGraph reads blocks as they are written in the tables: "name@line:column!>successor,successor", with all but
// the name optional and ! for a block that ends with the failure of an assertion. The first one is the entry.
func parseGraph(t testing.TB, text string) []node {
	t.Helper()
	var out []node
	for _, word := range strings.Fields(text) {
		g := nodeText.FindStringSubmatch(word)
		if g == nil {
			t.Fatalf("no block: %q", word)
		}
		n := node{name: g[1], fails: g[4] != ""}
		fmt.Sscan(g[2], &n.line)
		fmt.Sscan(g[3], &n.col)
		if g[5] != "" {
			n.succs = strings.Split(g[5], ",")
		}
		out = append(out, n)
	}
	return out
}

// assembly writes a graph as a function f. Branches depend on its parameter.
func assembly(nodes []node) string {
	var b, meta strings.Builder
	b.WriteString("declare void @__assert_fail(i8*, i8*, i32, i8*) noreturn\ndefine void @f(i32 %x) !dbg !3 {\n")
	for i, n := range nodes {
		loc := ""
		if n.line > 0 {
			loc = fmt.Sprintf(", !dbg !%d", 10+i)
			fmt.Fprintf(&meta, "!%d = !DILocation(line: %d, column: %d, scope: !3)\n", 10+i, n.line, n.col)
		}
		fmt.Fprintf(&b, "%s:\n", n.name)
		switch {
		case n.fails:
			fmt.Fprintf(&b, "  call void @__assert_fail(i8* null, i8* null, i32 0, i8* null)%s\n  unreachable%s\n", loc, loc)
		case len(n.succs) == 0:
			fmt.Fprintf(&b, "  ret void%s\n", loc)
		case len(n.succs) == 1:
			fmt.Fprintf(&b, "  br label %%%s%s\n", n.succs[0], loc)
		default:
			fmt.Fprintf(&b, "  switch i32 %%x, label %%%s [", n.succs[0])
			for k, s := range n.succs[1:] {
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

// graph analyses the function that a graph is.
func graph(t testing.TB, text string) *function {
	t.Helper()
	return analysed(t, assembly(parseGraph(t, text)))
}

// name is what a block is called in the graph.
func (fn *function) name(b int) string {
	if b < 0 {
		return "-"
	}
	return fn.Blocks[b].Name
}

// block is the block with a name.
func (fn *function) block(t testing.TB, name string) int {
	t.Helper()
	for b, blk := range fn.Blocks {
		if blk.Name == name {
			return b
		}
	}
	t.Fatalf("no block %s", name)
	return -1
}

// randomGraph is a graph of a few blocks in which anything may follow anything but the entry, so that loops are entered
// in the middle, blocks cannot be reached, and executions do not end. Some blocks are failures.
func randomGraph(rng *rand.Rand) []node {
	nodes := make([]node, 2+rng.Intn(11))
	for i := range nodes {
		nodes[i].name = fmt.Sprintf("b%d", i)
		nodes[i].line = 1 + rng.Intn(20)
	}
	for i := range nodes {
		switch k := rng.Intn(8); {
		case i > 0 && k == 0:
			nodes[i].fails = true
		case i > 0 && k == 1:
		default:
			for range 1 + rng.Intn(3) {
				to := 1 + rng.Intn(len(nodes)-1)
				if rng.Intn(2) == 0 { // most edges lead on, as in programs
					to = min(i+1+rng.Intn(3), len(nodes)-1)
				}
				nodes[i].succs = append(nodes[i].succs, nodes[max(to, 1)].name)
			}
		}
	}
	return nodes
}

// overRandomGraphs calls check for many of them.
func overRandomGraphs(t *testing.T, check func(t *testing.T, fn *function)) {
	t.Helper()
	rng := rand.New(rand.NewSource(1))
	for range 1000 {
		nodes := randomGraph(rng)
		text := assembly(nodes)
		check(t, analysed(t, text))
		if t.Failed() {
			t.Fatalf("the graph:\n%s", text)
		}
	}
}

// reachable tells which blocks can be reached from some without going through one of others.
func (fn *function) reachable(from []int, without ...int) []bool {
	seen := make([]bool, len(fn.blocks))
	closed := make([]bool, len(fn.blocks))
	for _, b := range without {
		closed[b] = true
	}
	var walk func(b int)
	walk = func(b int) {
		if seen[b] || closed[b] {
			return
		}
		seen[b] = true
		for _, s := range fn.blocks[b].succs {
			walk(s)
		}
	}
	for _, b := range from {
		walk(b)
	}
	return seen
}

// endsInFailure reports whether executions end in a block with the failure of an assertion.
func (fn *function) endsInFailure(b int) bool {
	return fn.blocks[b].failure && len(fn.blocks[b].succs) == 0
}
