package minimize

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// goalOf returns, for each block of the entry, whether control can still reach the violation from there.
//
// The goal is the violating place, or the call in the entry that leads to it. The result is nil if it is unknown.
// Executions for this violation only end when they enter another block; the rest of the program may be much longer.
func goalOf(m *clangir.Module, entry string, v *interp.Violation) []bool {
	f := m.FuncByName[entry]
	if f == nil || v.Kind == found.MemoryLeak || v.Stack[0].Func != f || slices.Contains(m.Ctors, f) {
		return nil // leaks are found at the end
	}
	goal := make([]bool, len(f.Blocks))
	from := make([][]int, len(f.Blocks))
	var todo []int
	for i, b := range f.Blocks {
		for _, to := range b.Term().Succs {
			from[to] = append(from[to], i)
		}
		if slices.ContainsFunc(b.Instrs, func(in *llvmir.Instr) bool { return state.LocOf(f, in) == v.Stack[0].Loc }) {
			goal[i] = true
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range from[b] {
			if !goal[i] {
				goal[i] = true
				todo = append(todo, i)
			}
		}
	}
	return goal
}
