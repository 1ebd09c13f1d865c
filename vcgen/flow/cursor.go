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
	reg int
	// loops are those that carry the cursor from one iteration to the next and move it.
	loops map[*Loop]bool
	// ahead tells for a block whether the cursor may still be moved from there.
	ahead []bool
	// moved are the operands of the stores that move it: they are the cursor where the sum is checked before it is
	// stored.
	moved []int
	depth int  // of the outermost of its loops
	Down  bool // it is moved downwards only
}

// CursorAt is a cursor that keeps states apart at a block, and the register that holds it there.
type CursorAt struct{ Cursor, Reg int }

// findCursors finds the cursors of a function among its promoted variables: moved by constant steps in a loop inside of
// another, both of which carry them, and one of which is left depending on what is read where they point.
func (fn *Function) findCursors() {
	if len(fn.loops) < 2 {
		return
	}
	d := newDataflow(fn)
	for reg := range fn.NumRegs {
		if len(d.stores[reg]) < 2 || !isIndex(fn.Alloca[reg].ElemType) {
			continue
		}
		k, moves := fn.movedBySteps(d, reg, func(*Loop) bool { return true })
		if !nested(k.loops) || !d.guides(k) {
			continue
		}
		k.ahead = fn.reaching(moves)
		fn.Cursors = append(fn.Cursors, k)
	}
	fn.findCompanions(d)
	slices.SortStableFunc(fn.Cursors, func(a, b *Cursor) int { return cmp.Compare(a.depth, b.depth) })
	fn.Walks = map[*Loop]bool{}
	for _, k := range fn.Cursors {
		for l := range k.loops {
			fn.Walks[l] = true
		}
	}
	for b := range fn.Nodes {
		bi := &fn.Nodes[b]
		for i, k := range fn.Cursors {
			for _, reg := range append([]int{k.reg}, k.moved...) {
				if k.ahead[b] && slices.Contains(bi.Live, reg) {
					bi.Cursors = append(bi.Cursors, CursorAt{i, reg})
					break
				}
			}
		}
	}
	for b := range fn.Nodes { // the obligation of a failure is about where the check is made
		if bi := &fn.Nodes[b]; bi.Failure && len(bi.Succs) == 0 && bi.Idom >= 0 {
			bi.Cursors = fn.Nodes[bi.Idom].Cursors
		}
	}
}

// movedBySteps is a promoted variable as a cursor, with those loops that move it by constant steps and carry it from
// one iteration to the next, of which only some count; and the blocks that move it.
func (fn *Function) movedBySteps(d *dataflow, reg int, counts func(*Loop) bool) (k *Cursor, moves []int) {
	k = &Cursor{reg: reg, loops: map[*Loop]bool{}, depth: len(fn.loops), Down: true}
	for _, s := range d.stores[reg] {
		step, ok := d.step(s.in.Args[0], reg, 8)
		if !ok || step == 0 {
			continue
		}
		moves = append(moves, s.block)
		k.moved = append(k.moved, s.in.Args[0].Reg)
		k.Down = k.Down && step < 0
		for _, l := range fn.Nodes[s.block].Loops {
			if counts(l) && slices.Contains(fn.Nodes[l.Head].Live, reg) {
				k.loops[l] = true
				k.depth = min(k.depth, l.depth)
			}
		}
	}
	return k, moves
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
		if len(d.stores[reg]) == 0 || !isIndex(fn.Alloca[reg].ElemType) ||
			slices.ContainsFunc(fn.Cursors[:n], func(k *Cursor) bool { return k.reg == reg }) {
			continue
		}
		k, moves := fn.movedBySteps(d, reg, func(l *Loop) bool { return walks[l] })
		if len(k.loops) > 0 && d.addresses(k) {
			k.ahead = fn.reaching(moves)
			fn.Cursors = append(fn.Cursors, k)
		}
	}
}

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
