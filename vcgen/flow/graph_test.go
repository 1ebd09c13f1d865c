package flow

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/flow/flowtest"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// analysed parses a module and analyses its function f.
func analysed(t testing.TB, text string) *Function {
	t.Helper()
	m := flowtest.Read(t, text)
	f := m.FuncByName["f"]
	if f == nil {
		t.Fatalf("no function f:\n%s", text)
	}
	return Analyse(m, f)
}

// graph analyses the function of a graph.
func graph(t testing.TB, text string) *Function {
	t.Helper()
	return analysed(t, flowtest.Graph(t, text))
}

// overRandomGraphs calls check for many random graphs.
func overRandomGraphs(t *testing.T, check func(t *testing.T, fn *Function)) {
	t.Helper()
	flowtest.OverRandomGraphs(t, func(t *testing.T, m *clangir.Module, f *llvmir.Func) { check(t, Analyse(m, f)) })
}

// name returns the name of a block in the graph.
func (fn *Function) name(b int) string {
	if b < 0 {
		return "-"
	}
	return fn.Blocks[b].Name
}

// block returns the block with a name.
func (fn *Function) block(t testing.TB, name string) int {
	t.Helper()
	for b, blk := range fn.Blocks {
		if blk.Name == name {
			return b
		}
	}
	t.Fatalf("no block %s", name)
	return -1
}

// reachable marks the blocks that can be reached from some blocks without passing others.
func (fn *Function) reachable(from []int, without ...int) []bool {
	seen := make([]bool, len(fn.Nodes))
	closed := make([]bool, len(fn.Nodes))
	for _, b := range without {
		closed[b] = true
	}
	var walk func(b int)
	walk = func(b int) {
		if seen[b] || closed[b] {
			return
		}
		seen[b] = true
		for _, s := range fn.Nodes[b].Succs {
			walk(s)
		}
	}
	for _, b := range from {
		walk(b)
	}
	return seen
}

// endsInFailure reports whether executions end in a block with the failure of an assertion.
func (fn *Function) endsInFailure(b int) bool {
	return fn.Nodes[b].Failure && len(fn.Nodes[b].Succs) == 0
}
