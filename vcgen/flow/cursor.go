package flow

import (
	"cmp"
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A Cursor is a local variable with which nested loops walk over data, each a part of the way: the position of a
// tokenizer. Where such loops are left depends on the data, so behind an inner loop the position is one of many, and
// joined into one state it is a choice among them: every later access is at an unknown index, and the loops around go
// on as long as the longest way through each would take them, though the position only grows. Hence states that differ
// in the value of a cursor are not joined as long as the cursor may move on; those that agree are, in whatever
// iterations they are. A walk over n bytes is unfolded at n places then, with constant indices, instead of in the n*n
// iterations of two loops.
//
// Kuznetsov, Kinder, Bucur and Candea ("Efficient State Merging in Symbolic Execution", 2012) keep states apart by
// "hot" variables, those on which later queries depend; here these are the ones on which addresses and the ends of
// loops depend. Places are visited in the order of the positions instead of the iterations, so that all ways to a place
// are known when it is visited. The order decides how much is joined and nothing else: an edge that comes later makes
// another visit.
type Cursor struct {
	variable
	// loops are those that carry the cursor from one iteration to the next and move it.
	loops map[*Loop]bool
	// ahead tells for a block whether the cursor may still be moved from there.
	ahead []bool
	// moves are the blocks that move it, each as often as it does.
	moves []int
	// moved are the operands of the stores that move it: they are the cursor where the sum is checked before it is
	// stored.
	moved []int
	depth int  // of the outermost of its loops
	Down  bool // it is moved downwards only
	// Apart: it keeps states apart, whoever calls. Memory that does not may still be a cursor of a caller (memory.go).
	Apart bool
	// returned tells for a block whether the function may still return the value of the cursor from there.
	returned []bool
	// results are the calls whose results it is, where it moves nowhere and is the bound of a loop (bounds.go).
	results []*llvmir.Instr
}

// CursorAt is a cursor that keeps states apart at a block, and the register that holds it there.
type CursorAt struct {
	Cursor, Reg int
	// Returned: it does so only for a caller whose states the result keeps apart.
	Returned bool
}

// findCursors finds the cursors of a function among its promoted variables: moved by constant steps in a loop inside of
// another, both of which carry them, and one of which is left depending on what is read where they point.
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

// keepApart finds out which cursors keep states apart at which blocks.
func (fn *Function) keepApart() {
	slices.SortStableFunc(fn.Cursors, func(a, b *Cursor) int { return cmp.Compare(a.depth, b.depth) })
	for b := range fn.Nodes {
		fn.Nodes[b].Cursors = fn.cursorsAt(b, func(k *Cursor) bool { return has(k.ahead, b) }, fn.Nodes[b].Live)
	}
	for b := range fn.Nodes { // the obligation of a failure is about where the check is made
		if bi := &fn.Nodes[b]; bi.Failure && len(bi.Succs) == 0 && bi.Idom >= 0 {
			bi.Cursors = fn.Nodes[bi.Idom].Cursors
		}
	}
}

// cursorsAt are the cursors that keep states apart in a block, as far as they may still be moved, or returned, and some
// registers are live.
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

// has tells whether a block is one of some; nil: there are none.
func has(blocks []bool, b int) bool { return blocks != nil && blocks[b] }

// movedBySteps is a variable as a cursor, with those loops that move it by constant steps and carry it from one
// iteration to the next, of which only some count.
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

// findCompanions adds the variables with which such loops go over other data: moved by constant steps in loops that
// carry them and move a cursor, where addresses depend on them. Joined, they would make each write one to an unknown
// place.
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

// Walks tells whether loops move the cursor at all: the bound of a loop, or a result, stays what it is.
func (k *Cursor) Walks() bool { return len(k.loops) > 0 }

// Moves tells whether a loop carries the cursor from one iteration to the next and moves it.
func (k *Cursor) Moves(l *Loop) bool { return k.loops[l] }

// Memory is where a cursor in memory is: so many bytes behind where a register points, and the type of what is there;
// nil: it is a promoted variable.
func (k *Cursor) Memory() (reg int, off int64, t *llvmir.Type) { return k.reg, k.off, k.mem }

func isIndex(t *llvmir.Type) bool {
	return t.Kind == llvmir.PointerType || t.Kind == llvmir.IntType && t.Bits >= 8 && t.Bits <= 64
}

// reaching tells from which blocks one of some blocks can be reached; these themselves among them.
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
