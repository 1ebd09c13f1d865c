package unfold

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// function is what the unfolder knows of a function before it runs it: computed once,
// used by every call.
type function struct {
	*llvmir.Func
	m      *clangir.Module
	blocks []blockInfo
	// promoted tells for a register whether it is an alloca that lives in a register: a
	// scalar whose address is used by loads and stores of the whole only.
	promoted []bool
	// alloca maps the register of an alloca to its instruction.
	alloca map[int]*llvmir.Instr
	// origin maps registers that are bitcasts of an alloca to the alloca's register.
	origin map[int]int
	loops  []*loop // in source order
	used   []bool  // registers that an instruction uses
	// cursors keep states apart (cursor.go); walks are the loops that move one.
	cursors []*cursor
	walks   map[*loop]bool
	// recursesOnly: no execution leaves the function other than by calling it again.
	recursesOnly bool
}

type blockInfo struct {
	order int     // position in the weak topological order
	loops []*loop // loops around the block, outermost first
	succs []int   // successors in order, without those behind a call that never returns
	// stop is the index of the first call that never returns, or the last instruction.
	stop    int
	ends    bool // stop is such a call
	idom    int  // immediate dominator, -1 for the entry and unreachable blocks
	live    []int
	failure bool // ends in a failure call
	// resume is where the guard of a failure block flows: the place that all executions
	// get to that do not fail; -1 when there is none.
	resume int
	// decides lists the blocks with failure calls of assertions whose conditions begin to be evaluated here, where
	// that is not the block before the call: the operands of || and && are blocks of their own.
	decides []int
	cursors []at // those that keep states apart at the entry of the block
}

func analyse(m *clangir.Module, f *llvmir.Func) *function {
	fn := &function{Func: f, m: m, blocks: make([]blockInfo, len(f.Blocks))}
	for i, b := range f.Blocks {
		bi := &fn.blocks[i]
		bi.stop = len(b.Instrs) - 1
		bi.idom, bi.resume, bi.order = -1, -1, -1
		bi.succs = b.Succs
		for k, in := range b.Instrs {
			if in.Op != llvmir.OpCall {
				continue
			}
			if in.External() == nil {
				continue // a body tells itself whether it returns
			}
			if isFailure(in) {
				bi.failure = true
			}
			if clangir.NeverReturns(f, b, k) {
				bi.stop, bi.succs, bi.ends = k, nil, true
				break
			}
		}
	}
	fn.recursesOnly = fn.findRecursion()
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
func (fn *function) findRecursion() bool {
	found := false
	seen := make([]bool, len(fn.blocks))
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
			case in.Op != llvmir.OpCall || in.Intrinsic != "" && k < fn.blocks[b].stop:
			case in.Function() == fn.Func:
				found = true
				return false
			case !isFailure(in):
				return true
			}
			if k == fn.blocks[b].stop {
				break
			}
		}
		return slices.ContainsFunc(fn.blocks[b].succs, leaves)
	}
	return len(fn.blocks) > 0 && !leaves(0) && found
}

// inOrder lists the reachable blocks by their weak topological order.
func (fn *function) inOrder() []int {
	out := make([]int, 0, len(fn.blocks))
	pos := make(map[int]int)
	for b := range fn.blocks {
		if o := fn.blocks[b].order; o >= 0 {
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

func (fn *function) preds() [][]int {
	p := make([][]int, len(fn.blocks))
	for b := range fn.blocks {
		if fn.blocks[b].order < 0 {
			continue
		}
		for _, s := range fn.blocks[b].succs {
			p[s] = append(p[s], b)
		}
	}
	return p
}
