// Package flow analyses functions before they are executed: loops, dominators, liveness, and variables that keep
// symbolic states separate.
//
//	int sum(int n) {
//	  int s = 0;                        // s and i are promoted: they live in registers
//	  for (int i = 0; i < n; i++)       // loop sum#1: its head is the block of i < n
//	    s += i;                         // live at the head: s, i, n
//	  assert(s >= 0);                   // a failure block: its guard flows back to Resume
//	  return s;
//	}
//
// Function has the results for a function, Node the results for a block. Analyse computes both; a Program also finds
// cursors in memory that several functions share. The order of blocks is the weak topological order of Bourdoncle, in
// which a Loop is a component.
//
// A cursor is a variable with which nested loops walk over data, such as the position of a tokenizer. Package unfold
// merges only states with equal positions of cursors. An outcome is a constant that a call returns. Package unfold does
// not merge states with different outcomes if a branch or a loop depends on the result and there are few. This package
// finds the cursors, and the branches and loops that depend on results; only the executor has the constants
// (unfold/positions.go). A Cursor of package choice is something else, a position in a list.
//
// Reading order: flow.go (Function and Node), loops.go (weak topological order), dominators.go, failures.go (failure
// blocks of assertions), liveness.go, allocas.go (variables in registers), cursor.go and dataflow.go (cursors in
// registers), bounds.go (results of calls that bound loops), memory.go (cursors in memory), outcomes.go (branches on
// results), written.go (assertions written as false), ends.go (loops that end), unusedloops.go.
//
// The package uses neither terms nor states: package unfold executes.
package flow

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Function is the analysis of a function, computed once and used by every call.
type Function struct {
	*llvmir.Func
	m     *clangir.Module
	Nodes []Node // the blocks, by their index
	// Promoted reports for each register whether it is an alloca that lives in a register: a scalar whose address is
	// used only by loads and stores of the whole.
	Promoted []bool
	// Alloca maps the register of an alloca to its instruction.
	Alloca map[int]*llvmir.Instr
	// Scoped contains the allocas whose lifetimes begin at markers, and not at the alloca.
	Scoped map[int]bool
	// Origin maps registers that are bitcasts of an alloca to the alloca's register.
	Origin  map[int]int
	loops   []*Loop   // in source order
	Used    []bool    // registers that an instruction uses
	Cursors []*Cursor // see cursor.go and memory.go
	after   map[blockInstr]After
	// parameters maps the registers of cursors in memory to the parameters that they are, or hold.
	parameters map[int]int
	counts     map[*Loop]bool // loops that may be left depending only on a counter (memory.go)
	// RecursesOnly is set if every execution of the function calls the function itself, and so never leaves it
	// otherwise.
	RecursesOnly bool
}

// Node is the analysis of a block.
type Node struct {
	Order int     // position in the weak topological order
	Loops []*Loop // loops around the block, outermost first
	Succs []int   // successors in order; none after a call that never returns
	// Stop is the index of the first call that never returns, or the last instruction.
	Stop    int
	Ends    bool  // Stop is a call that never returns
	Idom    int   // immediate dominator, -1 for the entry and unreachable blocks
	Live    []int // registers that are live at its entry, in ascending order
	Failure bool  // ends in a failure call
	// Resume is the block at which all executions continue that do not fail; the guard of a failure block flows there.
	// It is -1 if there is none.
	Resume int
	// Decides lists the failure blocks of assertions whose conditions begin to be evaluated here. It omits conditions
	// that begin in the block before the call: the operands of || and && are separate blocks.
	Decides []int
	Cursors []CursorAt // cursors that keep states separate at the entry of the block
}

// Analyse computes the Function of f.
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
				continue // the return of a function with a body is analysed there
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

// findRecursion reports whether every path through the function leads to a call of itself or to a failure. Any other
// call may end the execution, so it counts as leaving the function.
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

// inOrder returns the reachable blocks in weak topological order.
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
