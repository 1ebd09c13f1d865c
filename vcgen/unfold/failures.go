package unfold

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// isFailure reports whether an instruction calls what reports the failure of an assertion or of a sanitizer's check.
func isFailure(in *llvmir.Instr) bool {
	f := in.External()
	if f == nil {
		return false
	}
	role := language.Function(f.Name, f.Arity()).Role
	return role == language.AssertFailure || role == language.Error || clangir.SanitizerCheck(f) != ""
}

// isAssertFailure reports whether an instruction calls what assert() of <assert.h> calls where its condition is false.
func isAssertFailure(in *llvmir.Instr) bool {
	f := in.External()
	return f != nil && language.Lookup(f.Name).Role == language.AssertFailure
}

// findConditions finds where the conditions of assertions begin. Of assert(a || b), the failure call is behind b, which
// is not looked at where a holds; the assertion has been reached all the same. The block begins that both the
// failure and what the condition goes on to otherwise cannot be reached without.
func (fn *function) findConditions() {
	preds := fn.preds()
	for f := range fn.blocks {
		bi := &fn.blocks[f]
		if !bi.failure || bi.idom < 0 || len(bi.succs) > 0 || !isAssertFailure(fn.Blocks[f].Instrs[bi.stop]) {
			continue
		}
		start := bi.idom
		for _, p := range preds[f] {
			for _, s := range fn.blocks[p].succs {
				if s != f {
					start = fn.commonDominator(start, fn.blocks[s].idom)
				}
			}
		}
		if start >= 0 && start != bi.idom {
			fn.blocks[start].decides = append(fn.blocks[start].decides, f)
		}
	}
}

// placeFailures moves blocks that end in a failure call right behind their last
// predecessor, into the loops that all predecessors share: their obligation belongs there
// in the order of events, though in the graph they lie outside of every loop.
func (fn *function) placeFailures() {
	preds := fn.preds()
	scaled := false
	taken := make(map[int]int, len(fn.blocks)) // how many blocks are at a position
	for b := range fn.blocks {
		bi := &fn.blocks[b]
		if !bi.failure || len(bi.succs) > 0 || bi.order < 0 || len(preds[b]) == 0 {
			continue
		}
		if !scaled { // make room between the positions
			for i := range fn.blocks {
				if fn.blocks[i].order >= 0 {
					fn.blocks[i].order *= len(fn.blocks) + 1
				}
				taken[fn.blocks[i].order]++
			}
			scaled = true
		}
		last := preds[b][0]
		around := fn.blocks[last].loops
		for _, p := range preds[b][1:] {
			if fn.blocks[p].order > fn.blocks[last].order {
				last = p
			}
			k := 0
			for k < len(around) && k < len(fn.blocks[p].loops) && around[k] == fn.blocks[p].loops[k] {
				k++
			}
			around = around[:k]
		}
		bi.loops = around
		taken[bi.order]--
		pos := fn.blocks[last].order + 1
		for taken[pos] > 0 {
			pos++
		}
		bi.order = pos
		taken[pos]++
	}
	for b := range fn.blocks {
		if r := fn.blocks[b].resume; r >= 0 && fn.blocks[r].order <= fn.blocks[b].order {
			fn.blocks[b].resume = -1
		}
	}
}
