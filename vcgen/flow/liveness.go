package flow

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// effects calls use and def for the registers that an instruction uses and defines. The register of a promoted alloca
// represents the variable itself: a load uses it; a store and the start of its lifetime define it.
func (fn *Function) effects(in *llvmir.Instr, use func(int), def func(int)) {
	switch {
	case in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue:
		return
	case in.Op == llvmir.OpStore && in.Args[1].Kind == llvmir.OperandReg && fn.isPromoted(in.Args[1].Reg):
		if in.Args[0].Kind == llvmir.OperandReg {
			use(in.Args[0].Reg)
		}
		def(in.Args[1].Reg)
		return
	case in.Op == llvmir.OpCall && (in.Intrinsic == "lifetime.start" || in.Intrinsic == "lifetime.end"):
		if src, ok := fn.Origin[in.Args[1].Reg]; ok && in.Args[1].Kind == llvmir.OperandReg {
			if !fn.Promoted[src] {
				use(src)
			}
			def(src)
			return
		}
	case in.Op == llvmir.OpBitCast && in.Args[0].Kind == llvmir.OperandReg && fn.isPromoted(in.Args[0].Reg):
		return // only for lifetime markers
	case in.Op == llvmir.OpPhi:
		def(in.Dst)
		return // its operands are used on the edges
	}
	for _, a := range in.Args {
		if a.Kind == llvmir.OperandReg {
			use(a.Reg)
		}
	}
	if in.Op == llvmir.OpCall && in.Callee.Kind == llvmir.OperandReg {
		use(in.Callee.Reg)
	}
	facts := fn.m.Of(in)
	for _, w := range facts.Within {
		for _, o := range w.Indices {
			if o.Kind == llvmir.OperandReg {
				use(o.Reg)
			}
		}
	}
	if n := facts.Exponent; n.Kind == llvmir.OperandReg {
		use(n.Reg)
	}
	if in.Dst >= 0 {
		def(in.Dst)
	}
}

func (fn *Function) isPromoted(r int) bool { return fn.Promoted[r] }

// phiUses calls f with the registers that the phis of block to use if it is entered from block from.
func (fn *Function) phiUses(from, to int, f func(int)) {
	for _, in := range fn.Blocks[to].Instrs {
		if in.Op != llvmir.OpPhi {
			break
		}
		for i, p := range in.In {
			if p == from && in.Args[i].Kind == llvmir.OperandReg {
				f(in.Args[i].Reg)
			}
		}
	}
}

// liveness computes the registers that are live at the entry of each block.
func (fn *Function) liveness() {
	n := len(fn.Nodes)
	words := (fn.NumRegs + 63) / 64
	type set = []uint64
	gen, kill, live := make([]set, n), make([]set, n), make([]set, n)
	for b := range fn.Nodes {
		gen[b], kill[b], live[b] = make(set, words), make(set, words), make(set, words)
		for k, in := range fn.Blocks[b].Instrs {
			if k > fn.Nodes[b].Stop {
				break
			}
			fn.effects(in, func(r int) {
				if kill[b][r/64]>>(r%64)&1 == 0 {
					gen[b][r/64] |= 1 << (r % 64)
				}
			}, func(r int) { kill[b][r/64] |= 1 << (r % 64) })
		}
	}
	for changed := true; changed; {
		changed = false
		for b := n - 1; b >= 0; b-- {
			out := make(set, words)
			for _, s := range fn.Nodes[b].Succs {
				for w := range out {
					out[w] |= live[s][w]
				}
				fn.phiUses(b, s, func(r int) { out[r/64] |= 1 << (r % 64) })
			}
			for w := range out {
				in := gen[b][w] | out[w]&^kill[b][w]
				if in != live[b][w] {
					live[b][w], changed = in, true
				}
			}
		}
	}
	for b := range fn.Nodes {
		for r := range fn.NumRegs {
			if live[b][r/64]>>(r%64)&1 == 1 {
				fn.Nodes[b].Live = append(fn.Nodes[b].Live, r)
			}
		}
	}
}

// After is the analysis of the place behind an instruction.
type After struct {
	Live    []int // registers that are live there, in ascending order
	Cursors []CursorAt
}

// After returns the analysis of the place behind the k-th instruction of a block, which is neither a phi nor the last
// one.
func (fn *Function) After(b, k int) After {
	at := blockInstr{b, fn.Blocks[b].Instrs[k]}
	if a, known := fn.after[at]; known {
		return a
	}
	live := map[int]bool{}
	for _, s := range fn.Nodes[b].Succs {
		for _, r := range fn.Nodes[s].Live {
			live[r] = true
		}
		fn.phiUses(b, s, func(r int) { live[r] = true })
	}
	for i := fn.Nodes[b].Stop; i > k; i-- {
		var used []int
		fn.effects(fn.Blocks[b].Instrs[i], func(r int) { used = append(used, r) }, func(r int) { delete(live, r) })
		for _, r := range used {
			live[r] = true
		}
	}
	var a After
	for r := range fn.NumRegs {
		if live[r] {
			a.Live = append(a.Live, r)
		}
	}
	a.Cursors = fn.cursorsAt(b, func(c *Cursor) bool {
		again := slices.Index(c.moves, b) // if a block moves it twice, one move may be behind k
		return again >= 0 && slices.Contains(c.moves[again+1:], b) ||
			slices.ContainsFunc(fn.Nodes[b].Succs, func(s int) bool { return has(c.ahead, s) })
	}, a.Live)
	if fn.after == nil {
		fn.after = map[blockInstr]After{}
	}
	fn.after[at] = a
	return a
}
