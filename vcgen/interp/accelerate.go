package interp

import (
	"math"

	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A loop that only counts is executed at once: `while (x < 0x0fffffff) x += 2;` would take seconds. If an iteration
// takes the way of the one before it, and every variable that it writes changes by a constant, then the same is true
// of the next iterations, until a comparison has another result or a number wraps (acceleration: Boigelot, "Symbolic
// methods for exploring infinite state spaces", 1998). These iterations are skipped except for the last one. Addresses,
// checks and whatever else does not change were executed in the iteration before.
//
// A skipped instruction counts in Executed, so that a run has the same numbers with and without a trace. Runs with an
// observer skip nothing.

// Limits of acceleration: iterations of a loop before the first attempt, and those that have to be skipped at least.
const (
	firstAttempt = 200
	leastSkipped = 64
)

// acceleration is the loop whose head was entered last.
type acceleration struct {
	frame *state.Frame
	head  int
	count int   // entries in a row
	next  int   // the count at which an iteration is recorded
	way   []int // blocks entered since then
	on    bool  // way is recorded
}

// arrive is called when control has entered a block of the top frame.
func (m *Machine) arrive(fr *state.Frame, from, to int) {
	a := &m.loop
	if to > from { // no back edge
		if a.on {
			a.way = append(a.way, to)
		}
		return
	}
	if a.frame != fr || a.head != to {
		*a = acceleration{frame: fr, head: to, next: firstAttempt, way: a.way[:0]}
		return
	}
	a.count++
	switch {
	case a.on:
		a.way, a.on = append(a.way, to), false
		a.next = 2 * a.count
		if m.obs == nil && m.opts.Switch == nil {
			m.skip(fr, a.way)
		}
	case a.count >= a.next:
		a.way, a.on = a.way[:0], true
	}
}

// skip executes iterations at once that take the given way, the one of the last iteration.
func (m *Machine) skip(fr *state.Frame, way []int) {
	guess := &iteration{m: m, fr: fr}
	if !guess.run(way) {
		return
	}
	x := &iteration{m: m, fr: fr, byCell: guess.changes(), byReg: guess.phiChanges(way)}
	if !x.run(way) || !x.confirmed(way) {
		return
	}
	n := x.limit - min(x.limit, 1)
	if m.trace != nil {
		n = min(n, uint64(max(m.opts.TraceFrom-m.Executed, 0)/x.steps))
	}
	if n < leastSkipped || n > uint64((math.MaxInt64/2-m.Executed)/x.steps) {
		return
	}
	for _, phi := range phis(fr.Block) {
		v := x.regs[phi.Dst]
		fr.Regs[phi.Dst].Bits = (fr.Regs[phi.Dst].Bits + n*x.byReg[phi.Dst]) & state.Mask(v.bits)
	}
	for k, by := range x.byCell {
		if by != 0 {
			v, _ := m.fetch(k.obj, k.off, intType(k.bits))
			m.put(k.obj, k.off, state.IntValue((v.Bits+n*by)&state.Mask(k.bits)), intType(k.bits))
		}
	}
	m.Executed += int64(n) * x.steps
	m.skipped += int64(n) * x.steps
}

// phis returns the phis of a block.
func phis(b *llvmir.Block) []*llvmir.Instr {
	n := 0
	for n < len(b.Instrs) && b.Instrs[n].Op == llvmir.OpPhi {
		n++
	}
	return b.Instrs[:n]
}

// changes returns the changes of the cells that the iteration wrote.
func (x *iteration) changes() map[cell]uint64 {
	out := map[cell]uint64{}
	for k, v := range x.cells {
		was, _ := x.m.fetch(k.obj, k.off, intType(k.bits))
		out[k] = (v.Bits - was.Bits) & state.Mask(k.bits)
	}
	return out
}

// phiChanges returns the changes of the phis at the head.
func (x *iteration) phiChanges(way []int) map[int]uint64 {
	out := map[int]uint64{}
	for _, phi := range phis(x.fr.Block) {
		if v, ok := x.incoming(phi, last(way)); ok {
			out[phi.Dst] = (v.Bits - x.fr.Regs[phi.Dst].Bits) & state.Mask(v.bits)
		}
	}
	return out
}

// last returns the block from which a way comes back to the head.
func last(way []int) int {
	if len(way) < 2 {
		return way[0] // a loop of one block
	}
	return way[len(way)-2]
}

// confirmed reports whether all that the iteration writes has changed as assumed, and will.
func (x *iteration) confirmed(way []int) bool {
	for k, by := range x.changes() {
		if by != x.byCell[k] || x.cells[k].by != by {
			return false
		}
	}
	if len(x.cells) != len(x.byCell) {
		return false
	}
	for _, phi := range phis(x.fr.Block) {
		v, ok := x.incoming(phi, last(way))
		by := x.byReg[phi.Dst]
		was := x.fr.Regs[phi.Dst]
		if !ok || v.Obj != was.Obj || (was.Bits+by)&state.Mask(v.bits) != v.Bits || v.by != by || v.Obj != nil && by != 0 {
			return false
		}
	}
	return true
}
