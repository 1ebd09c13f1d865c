// Package flow knows what can be said of a function before it is executed: its loops, which blocks come first, where
// executions must go through, which registers and variables are needed where.
//
// Reading order: flow.go (what is known), loops.go (weak topological order), dominators.go, failures.go (assertions in
// pieces), liveness.go, allocas.go (variables in registers), cursor.go and dataflow.go (variables that walk over data),
// bounds.go (what they found ends a loop elsewhere), memory.go (those that functions share), outcomes.go, written.go,
// unusedloops.go.
//
// It knows no terms and no states: package unfold executes.
package flow

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Function is what is known of a function before it is executed: computed once, used by every call.
type Function struct {
	*llvmir.Func
	m     *clangir.Module
	Nodes []Node // the blocks, by their index
	// Promoted tells for a register whether it is an alloca that lives in a register: a
	// scalar whose address is used by loads and stores of the whole only.
	Promoted []bool
	// Alloca maps the register of an alloca to its instruction.
	Alloca map[int]*llvmir.Instr
	// Origin maps registers that are bitcasts of an alloca to the alloca's register.
	Origin  map[int]int
	loops   []*Loop   // in source order
	Used    []bool    // registers that an instruction uses
	Cursors []*Cursor // keep states apart (cursor.go, memory.go)
	after   map[place]After
	// parameters are those that the registers of cursors in memory are, or hold.
	parameters map[int]int
	counts     map[*Loop]bool // loops that may be left depending on a counter alone (memory.go)
	// RecursesOnly: no execution leaves the function other than by calling it again.
	RecursesOnly bool
}

// Node is what is known of a block.
type Node struct {
	Order int     // position in the weak topological order
	Loops []*Loop // loops around the block, outermost first
	Succs []int   // successors in order, without those behind a call that never returns
	// Stop is the index of the first call that never returns, or the last instruction.
	Stop    int
	Ends    bool  // Stop is such a call
	Idom    int   // immediate dominator, -1 for the entry and unreachable blocks
	Live    []int // registers that are live at its entry, in ascending order
	Failure bool  // ends in a failure call
	// Resume is where the guard of a failure block flows: the place that all executions
	// get to that do not fail; -1 when there is none.
	Resume int
	// Decides lists the blocks with failure calls of assertions whose conditions begin to be evaluated here, where
	// that is not the block before the call: the operands of || and && are blocks of their own.
	Decides []int
	Cursors []CursorAt // those that keep states apart at the entry of the block
}

// Analyse finds out what Function holds.
func Analyse(m *clangir.Module, f *llvmir.Func) *Function {
	fn := &Function{Func: f, m: m, Nodes: make([]Node, len(f.Blocks))}
	for i, b := range f.Blocks {
		bi := &fn.Nodes[i]
		bi.Stop = len(b.Instrs) - 1
		bi.Idom, bi.Resume, bi.Order = -1, -1, -1
		bi.Succs = b.Succs
		for k, in := range b.Instrs {
			if in.Op != llvmir.OpCall {
				continue
			}
			if in.External() == nil {
				continue // a body tells itself whether it returns
			}
			if IsFailure(in) {
				bi.Failure = true
			}
			if clangir.NeverReturns(f, b, k) {
				bi.Stop, bi.Succs, bi.Ends = k, nil, true
				break
			}
		}
	}
	fn.RecursesOnly = fn.findRecursion()
	fn.findAllocas()
	fn.findUses()
	fn.weakTopologicalOrder()
	fn.dominators()
	fn.findConditions()
	fn.placeFailures()
	fn.liveness()
	fn.findCursors()
	return fn
}

// findRecursion reports whether every way through the function leads to a call of itself or to a failure. Any other
// call may end the execution, so with one the answer is no.
func (fn *Function) findRecursion() bool {
	found := false
	seen := make([]bool, len(fn.Nodes))
	var leaves func(b int) bool
	leaves = func(b int) bool {
		if seen[b] {
			return false
		}
		seen[b] = true
		for k, in := range fn.Blocks[b].Instrs {
			switch {
			case in.Op == llvmir.OpRet || in.Op == llvmir.OpInlineAsm || in.Op == llvmir.OpUnsupported:
				return true
			case in.Op != llvmir.OpCall || in.Intrinsic != "" && k < fn.Nodes[b].Stop:
			case in.Function() == fn.Func:
				found = true
				return false
			case !IsFailure(in):
				return true
			}
			if k == fn.Nodes[b].Stop {
				break
			}
		}
		return slices.ContainsFunc(fn.Nodes[b].Succs, leaves)
	}
	return len(fn.Nodes) > 0 && !leaves(0) && found
}

// inOrder lists the reachable blocks by their weak topological order.
func (fn *Function) inOrder() []int {
	out := make([]int, 0, len(fn.Nodes))
	pos := make(map[int]int)
	for b := range fn.Nodes {
		if o := fn.Nodes[b].Order; o >= 0 {
			pos[o] = b
		}
	}
	for i := 0; len(out) < len(pos); i++ {
		if b, ok := pos[i]; ok {
			out = append(out, b)
		}
	}
	return out
}

func (fn *Function) preds() [][]int {
	p := make([][]int, len(fn.Nodes))
	for b := range fn.Nodes {
		if fn.Nodes[b].Order < 0 {
			continue
		}
		for _, s := range fn.Nodes[b].Succs {
			p[s] = append(p[s], b)
		}
	}
	return p
}
