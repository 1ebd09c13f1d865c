package flow

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// findBounds adds the variables that hold the result of a call and decide when a loop is left, such as the number of
// tokens found. If each state has a single number, the loop visits only the tokens that exist; in a merged state it
// would also visit elements that were never written. If another function is called between the call and the loop, the
// result is no bound, because that function would be executed for each number.
func (fn *Function) findBounds(d *dataflow) {
	for reg := range fn.NumRegs {
		v := variable{reg: reg}
		var calls []blockInstr
		for _, s := range d.stores[v] {
			if in := d.called(s.in.Args[0]); in != nil {
				calls = append(calls, blockInstr{s.block, in})
			}
		}
		if len(calls) == 0 || !isIndex(fn.Alloca[reg].ElemType) ||
			slices.ContainsFunc(fn.Cursors, func(k *Cursor) bool { return k.variable == v }) {
			continue
		}
		ends, loops := fn.endedBy(d, v)
		if len(ends) == 0 {
			continue
		}
		k := &Cursor{variable: v, depth: len(fn.loops), ahead: fn.reaching(ends), Apart: true}
		for _, call := range calls {
			if fn.callsNone(call, k, loops) {
				k.results = append(k.results, call.in)
			}
		}
		if len(k.results) > 0 {
			fn.Cursors = append(fn.Cursors, k)
		}
	}
}

// endedBy returns the blocks that decide by a variable whether a loop continues, and these loops. The loops do not
// write the variable.
func (fn *Function) endedBy(d *dataflow, v variable) (blocks []int, loops []*Loop) {
	for _, l := range fn.loops {
		written := slices.ContainsFunc(d.stores[v], func(s blockInstr) bool { return fn.inside(s.block, l) })
		if written || !slices.Contains(fn.Nodes[l.Head].Live, v.reg) {
			continue
		}
		n := len(blocks)
		for b := range fn.Nodes {
			if fn.leaves(b, l) && d.dependsOn(b, func(in *llvmir.Instr) bool { return d.loads(in, v) }) {
				blocks = append(blocks, b)
			}
		}
		if len(blocks) > n {
			loops = append(loops, l)
		}
	}
	return blocks, loops
}

// callsNone reports whether no function with a body is called between a call and the loops, as long as the variable is
// live.
func (fn *Function) callsNone(from blockInstr, k *Cursor, loops []*Loop) bool {
	calls := func(list []*llvmir.Instr) bool {
		return slices.ContainsFunc(list, func(in *llvmir.Instr) bool {
			f := in.Function()
			return in.Op == llvmir.OpCall && in.Intrinsic == "" && in != from.in && (f == nil || len(f.Blocks) > 0)
		})
	}
	instrs := fn.Blocks[from.block].Instrs
	if calls(instrs[slices.Index(instrs, from.in):]) {
		return false
	}
	seen := make([]bool, len(fn.Nodes))
	for todo := slices.Clone(fn.Nodes[from.block].Succs); len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[b] || !k.ahead[b] || !slices.Contains(fn.Nodes[b].Live, k.reg) {
			continue
		}
		seen[b] = true
		if !slices.ContainsFunc(loops, func(l *Loop) bool { return fn.inside(b, l) }) && calls(fn.Blocks[b].Instrs) {
			return false
		}
		todo = append(todo, fn.Nodes[b].Succs...)
	}
	return true
}

// called returns the call of a function with a body whose result an operand is, possibly converted; nil if it is none.
func (d *dataflow) called(o llvmir.Operand) *llvmir.Instr {
	for o.Kind == llvmir.OperandReg && d.defs[o.Reg] != nil {
		switch in := d.defs[o.Reg]; in.Op {
		case llvmir.OpCall:
			if f := in.Function(); f == nil || len(f.Blocks) == 0 {
				return nil
			}
			return in
		case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpSExt:
			o = in.Args[0]
		default:
			return nil
		}
	}
	return nil
}

// Bounds reports whether the result of the k-th instruction of a block, a call, keeps states separate as the bound of
// a loop.
func (fn *Function) Bounds(b, k int) bool {
	call := fn.Blocks[b].Instrs[k]
	return slices.ContainsFunc(fn.Cursors, func(c *Cursor) bool { return slices.Contains(c.results, call) })
}

// findReturned extends the cursors whose value a function returns up to the return, and adds the variable that holds
// the result. They keep states separate for a caller whose loops depend on the result.
func (fn *Function) findReturned(d *dataflow) {
	var ends []int
	slot := -1
	until := map[*Cursor][]int{}
	copied := func(o llvmir.Operand, block int) {
		for _, k := range fn.Cursors {
			if step, ok := d.step(o, k.variable, maxSteps); ok && step == 0 && k.mem == nil {
				until[k] = append(until[k], block)
			}
		}
	}
	for b := range fn.Nodes {
		ret := fn.Blocks[b].Term()
		if ret.Op != llvmir.OpRet || len(ret.Args) == 0 || fn.Nodes[b].Order < 0 {
			continue
		}
		ends = append(ends, b)
		copied(ret.Args[0], b)
		if in := d.loaded(ret.Args[0]); in >= 0 && slot < 0 {
			slot = in
			for _, s := range d.stores[variable{reg: slot}] {
				copied(s.in.Args[0], s.block)
			}
		}
	}
	for k, blocks := range until {
		k.returned = fn.reaching(blocks)
	}
	if slot >= 0 && len(until) > 0 {
		result := &Cursor{variable: variable{reg: slot}, depth: len(fn.loops), returned: fn.reaching(ends), Apart: true}
		fn.Cursors = append(fn.Cursors, result)
	}
}

// loaded returns the promoted variable whose content an operand is; -1 if it is none.
func (d *dataflow) loaded(o llvmir.Operand) int {
	if o.Kind != llvmir.OperandReg || d.defs[o.Reg] == nil || d.defs[o.Reg].Op != llvmir.OpLoad {
		return -1
	}
	if at := d.defs[o.Reg].Args[0]; at.Kind == llvmir.OperandReg && d.fn.Promoted[at.Reg] {
		return at.Reg
	}
	return -1
}
