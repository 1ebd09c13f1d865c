package flow

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// IsFailure reports whether an instruction calls a function that reports the failure of an assertion or of a
// sanitizer's check.
func IsFailure(in *llvmir.Instr) bool {
	f := in.External()
	if f == nil {
		return false
	}
	role := language.Function(f.Name, f.Arity()).Role
	return role == language.AssertFailure || role == language.Error || clangir.SanitizerCheck(f) != ""
}

// isAssertFailure reports whether an instruction is the failure call of assert() of <assert.h>.
func isAssertFailure(in *llvmir.Instr) bool {
	f := in.External()
	return f != nil && language.Lookup(f.Name).Role == language.AssertFailure
}

// findConditions finds the beginnings of the conditions of assertions. In assert(a || b) the failure call follows b,
// which is not evaluated if a holds, though the assertion has been reached. The beginning is the last block that
// dominates both the failure and the blocks at which the condition continues otherwise.
func (fn *Function) findConditions() {
	preds := fn.preds()
	for f := range fn.Nodes {
		bi := &fn.Nodes[f]
		if !bi.Failure || bi.Idom < 0 || len(bi.Succs) > 0 || !isAssertFailure(fn.Blocks[f].Instrs[bi.Stop]) {
			continue
		}
		start := bi.Idom
		for _, p := range preds[f] {
			for _, s := range fn.Nodes[p].Succs {
				if s != f {
					start = fn.commonDominator(start, fn.Nodes[s].Idom)
				}
			}
		}
		// Rust continues behind an if, and behind an assertion in it, at one block. A block before the assertion does
		// not belong to its condition.
		if failure := fn.Blocks[f].Instrs[bi.Stop]; start >= 0 && clangir.Panic(failure) != "" {
			first := bi.Idom
			for b := first; b >= 0 && b != start; {
				if b = fn.Nodes[b].Idom; b >= 0 && clangir.OfCondition(fn.Blocks[b].Term(), failure) {
					first = b
				}
			}
			start = first
		}
		if start >= 0 && start != bi.Idom {
			fn.Nodes[start].Decides = append(fn.Nodes[start].Decides, f)
		}
	}
}

// placeFailures moves failure blocks directly behind their last predecessor, into the loops that all predecessors
// share. Their obligation belongs there in the order of events, though in the graph they are outside of every loop.
func (fn *Function) placeFailures() {
	preds := fn.preds()
	scaled := false
	taken := make(map[int]int, len(fn.Nodes)) // number of blocks at a position
	for b := range fn.Nodes {
		bi := &fn.Nodes[b]
		if !bi.Failure || len(bi.Succs) > 0 || bi.Order < 0 || len(preds[b]) == 0 {
			continue
		}
		if !scaled { // make room between the positions
			for i := range fn.Nodes {
				if fn.Nodes[i].Order >= 0 {
					fn.Nodes[i].Order *= len(fn.Nodes) + 1
				}
				taken[fn.Nodes[i].Order]++
			}
			scaled = true
		}
		last := preds[b][0]
		around := fn.Nodes[last].Loops
		for _, p := range preds[b][1:] {
			if fn.Nodes[p].Order > fn.Nodes[last].Order {
				last = p
			}
			k := 0
			for k < len(around) && k < len(fn.Nodes[p].Loops) && around[k] == fn.Nodes[p].Loops[k] {
				k++
			}
			around = around[:k]
		}
		bi.Loops = around
		taken[bi.Order]--
		pos := fn.Nodes[last].Order + 1
		for taken[pos] > 0 {
			pos++
		}
		bi.Order = pos
		taken[pos]++
	}
	for b := range fn.Nodes {
		if r := fn.Nodes[b].Resume; r >= 0 && fn.Nodes[r].Order <= fn.Nodes[b].Order {
			fn.Nodes[b].Resume = -1
		}
	}
}
