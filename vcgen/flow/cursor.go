package flow

import (
	"cmp"
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Cursor is a local variable with which nested loops walk over data, each for a part of the way. The position i of a
// tokenizer is one:
//
//	while (s[i]) {
//	  while (s[i] == ' ') i++;
//	  while (s[i] > ' ') i++;
//	}
//
// The data decides when such loops are left, so behind an inner loop the position is one of many. Merged into one
// state, it is a choice among them: every later access is at an unknown index, and the outer loop is unrolled as often
// as the longest path through each inner loop requires, though the position only grows. Therefore states with
// different values of a cursor are not merged as long as the cursor may still move; states with equal values are
// merged, in whatever iterations they are. So a walk over n bytes is unfolded at n positions, with constant indices,
// instead of in the n*n iterations of two loops.
//
// Kuznetsov, Kinder, Bucur and Candea ("Efficient State Merging in Symbolic Execution", 2012) keep states separate by
// "hot" variables, on which later queries depend. Cursors are the variables on which addresses and the ends of loops
// depend. Blocks are visited in the order of positions instead of iterations, so that all edges to a position are
// known when it is visited. The order affects only the number of merges: a later edge leads to another visit.
type Cursor struct {
	variable
	// loops are the loops that carry the cursor from one iteration to the next and move it.
	loops map[*Loop]bool
	// ahead marks the blocks from which the cursor may still be moved.
	ahead []bool
	// moves are the blocks that move it, once per move.
	moves []int
	// moved are the operands of the stores that move it. They hold the cursor while the sum is checked, before it is
	// stored.
	moved []int
	depth int  // of its outermost loop
	Down  bool // it is only decreased
	// Apart is set if it keeps states separate in every call. Memory without it may still be a cursor of a caller
	// (memory.go).
	Apart bool
	// returned marks the blocks from which the function may still return the value of the cursor.
	returned []bool
	// results are the calls whose results it holds, if it is not moved and bounds a loop (bounds.go).
	results []*llvmir.Instr
}

// CursorAt is a cursor that keeps states separate at a block, with the register that holds it there.
type CursorAt struct {
	Cursor, Reg int
	// Returned: only for a caller whose states the result keeps separate.
	Returned bool
}

// findCursors finds the cursors among the promoted variables of a function. A cursor is moved by constant steps in
// nested loops that carry it, and the data at the cursor decides when one of them is left.
func (fn *Function) findCursors() {
	if len(fn.loops) == 0 {
		return
	}
	d := newDataflow(fn)
	for reg := range fn.NumRegs {
		v := variable{reg: reg}
		if len(d.stores[v]) < 2 || !isIndex(fn.Alloca[reg].ElemType) {
			continue
		}
		k := fn.movedBySteps(d, v, func(*Loop) bool { return true })
		if !nested(k.loops) || !d.guides(k) {
			continue
		}
		k.ahead, k.Apart = fn.reaching(k.moves), true
		fn.Cursors = append(fn.Cursors, k)
	}
	fn.findCompanions(d)
	fn.findReturned(d)
	fn.findBounds(d)
	fn.keepApart()
}

// keepApart determines, for each block, the cursors that keep states separate there.
func (fn *Function) keepApart() {
	slices.SortStableFunc(fn.Cursors, func(a, b *Cursor) int { return cmp.Compare(a.depth, b.depth) })
	for b := range fn.Nodes {
		fn.Nodes[b].Cursors = fn.cursorsAt(b, func(k *Cursor) bool { return has(k.ahead, b) }, fn.Nodes[b].Live)
	}
	for b := range fn.Nodes { // the obligation of a failure belongs to the place of the check
		if bi := &fn.Nodes[b]; bi.Failure && len(bi.Succs) == 0 && bi.Idom >= 0 {
			bi.Cursors = fn.Nodes[bi.Idom].Cursors
		}
	}
}

// cursorsAt returns the cursors that keep states separate in a block: they may still be moved, or returned, and their
// register is live.
func (fn *Function) cursorsAt(b int, ahead func(*Cursor) bool, live []int) (out []CursorAt) {
	for i, k := range fn.Cursors {
		moves := ahead(k)
		if !k.Apart || !moves && !has(k.returned, b) {
			continue
		}
		for _, reg := range append([]int{k.reg}, k.moved...) {
			if slices.Contains(live, reg) {
				out = append(out, CursorAt{i, reg, !moves})
				break
			}
		}
	}
	return out
}

// has reports whether block b is marked; blocks may be nil.
func has(blocks []bool, b int) bool { return blocks != nil && blocks[b] }

// movedBySteps returns a variable as a cursor, with the loops that move it by constant steps and carry it. Only loops
// for which counts is true are included.
func (fn *Function) movedBySteps(d *dataflow, v variable, counts func(*Loop) bool) *Cursor {
	k := &Cursor{variable: v, loops: map[*Loop]bool{}, depth: len(fn.loops), Down: true}
	for _, s := range d.stores[v] {
		step, ok := d.step(s.in.Args[0], v, maxSteps)
		if !ok || step == 0 {
			continue
		}
		k.moves = append(k.moves, s.block)
		if v.mem == nil {
			k.moved = append(k.moved, s.in.Args[0].Reg)
		}
		k.Down = k.Down && step < 0
		for _, l := range fn.Nodes[s.block].Loops {
			if counts(l) && slices.Contains(fn.Nodes[l.Head].Live, v.reg) {
				k.loops[l] = true
				k.depth = min(k.depth, l.depth)
			}
		}
	}
	return k
}

// nested reports whether one of the loops is inside of another.
func nested(loops map[*Loop]bool) bool {
	for l := range loops {
		for _, around := range l.fn.Nodes[l.Head].Loops {
			if around != l && loops[around] {
				return true
			}
		}
	}
	return false
}

// findCompanions adds the variables with which the same loops walk over other data: they are moved by constant steps
// in loops that move a cursor, and addresses depend on them. If they were merged, each write through them would be to
// an unknown place.
func (fn *Function) findCompanions(d *dataflow) {
	walks := map[*Loop]bool{}
	for _, k := range fn.Cursors {
		for l := range k.loops {
			walks[l] = true
		}
	}
	n := len(fn.Cursors)
	for reg := range fn.NumRegs {
		v := variable{reg: reg}
		if len(d.stores[v]) == 0 || !isIndex(fn.Alloca[reg].ElemType) ||
			slices.ContainsFunc(fn.Cursors[:n], func(k *Cursor) bool { return k.variable == v }) {
			continue
		}
		k := fn.movedBySteps(d, v, func(l *Loop) bool { return walks[l] })
		if len(k.loops) > 0 && d.addresses(k) {
			k.ahead, k.Apart = fn.reaching(k.moves), true
			fn.Cursors = append(fn.Cursors, k)
		}
	}
}

// Walks reports whether loops move the cursor at all. The bound of a loop and a result are constant.
func (k *Cursor) Walks() bool { return len(k.loops) > 0 }

// Moves reports whether a loop carries the cursor from one iteration to the next and moves it.
func (k *Cursor) Moves(l *Loop) bool { return k.loops[l] }

// Memory returns the position of a cursor in memory: the distance in bytes from the pointer in a register, and the
// type of its content. t is nil for a promoted variable.
func (k *Cursor) Memory() (reg int, off int64, t *llvmir.Type) { return k.reg, k.off, k.mem }

func isIndex(t *llvmir.Type) bool {
	return t.Kind == llvmir.PointerType || t.Kind == llvmir.IntType && t.Bits >= 8 && t.Bits <= 64
}

// reaching marks the blocks from which a goal can be reached, including the goals.
func (fn *Function) reaching(goals []int) []bool {
	preds := fn.preds()
	out := make([]bool, len(fn.Nodes))
	todo := slices.Clone(goals)
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !out[b] {
			out[b] = true
			todo = append(todo, preds[b]...)
		}
	}
	return out
}
