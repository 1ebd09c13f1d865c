package unfold

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// maxElements bounds the elements of an array that are places of their own although the loop chooses among them: the
// flags of two processes.
const maxElements = 4

// backEdge ends a path at the head of a cut loop. It adds every difference between the state there and the state at
// the head to the loop's write set.
func (fr *frame) backEdge(h *Head, to int, e edge) {
	r, c, x, ch := fr.r, fr.r.c, fr.r.opts.Induction, h.changes
	b := Back{Guard: e.g.T, Values: make([]smt.Term, len(h.Places)), State: e.p.st, Reads: len(r.mem.Reads)}
	fill := func(i int, s slot, now smt.Term, was smt.Term, wild, address func()) {
		pl := h.Places[i]
		if lead := h.leader(s); lead != nil {
			was = fr.slotAt(lead.slot, to, e)
		}
		leaves := func(otherwise func()) {
			if x.linked && fr.mayLink(h, s, pl, now, e.g.T) {
				return
			}
			if x.linked && h.leader(s) == nil {
				x.demotions[giveUp] = append(x.demotions[giveUp], func() { otherwise(); x.Changed = true })
				return
			}
			x.Changed = true
			switch {
			case h.leader(s) != nil:
				delete(ch.follows, s)
				otherwise()
			case !fr.mayOwn(h, s, now) && !(s != noSlot && fr.mayFollow(h, s, pl.entry)):
				otherwise()
			}
		}
		if pl.Pointer {
			if d := r.distance(now, was, e.g.T, fr.atHead(h)); r.mem.HasBase(d) {
				leaves(wild)
			} else {
				now = d
			}
		} else if r.mem.HoldsAddress(now) {
			if !r.mem.MayHold(pl.Sym) {
				leaves(address)
			} else {
				fr.mayLink(h, s, pl, now, e.g.T)
			}
		}
		b.Values[i] = now
	}
	place := map[int]int{}
	for i, reg := range h.regs {
		if reg >= 0 {
			place[reg] = i
		}
	}
	fr.backBlocks(h, to, e, b.Values)
	fr.linkedBack(h, to, e, b.Values)
	bi := &fr.fn.Nodes[to]
	was := func(i int, now value) smt.Term { // of a pointer: its address on entry to the loop
		if !h.Places[i].Pointer {
			return 0
		}
		return c.Sub(now.t, h.Places[i].Sym)
	}
	for k, reg := range bi.Live {
		now := e.live[k]
		i, carried := place[reg]
		if !carried {
			if !sameValue(now, h.live[reg]) {
				x.growTo(ch.regs[reg], func() { ch.regs[reg] = true })
			}
			continue
		}
		if h.pointerAt(inRegister(reg)) != 0 {
			continue
		}
		now = r.force(now, fr.fn.Alloca[reg].ElemType)
		if now.t == 0 {
			now = r.undef(fr.fn.Alloca[reg].ElemType, e.p, h.Site.ID)
		}
		fill(i, inRegister(reg), now.t, was(i, h.live[reg]), func() { ch.wild[reg] = true },
			func() { ch.addresses[reg] = true })
	}
	k := 0
	for _, in := range fr.fn.Blocks[to].Instrs {
		if in.Op != llvmir.OpPhi {
			break
		}
		i := place[in.Dst]
		if k >= len(e.phis) || e.phis[k].t == 0 || h.Places[i].Pointer {
			x.refuse("a loop that carries a value which is not a variable")
			return
		}
		fill(i, noSlot, e.phis[k].t, 0, func() {}, func() { ch.addresses[in.Dst] = true })
		k++
	}
	fr.growObjects(h, e.p.st)
	fr.growContents(h, e.p.st)
	fr.cellsAt(h, e.p.st, fill)
	fr.growEscaped(h, e.p.st)
	if e.p.st.Limits != h.state.Limits || e.p.st.Tracking != h.state.Tracking {
		if h.Before == maxArrivalsBefore {
			x.refuse("a loop that changes what may be written, or whether writes are tracked")
			return
		}
		x.arrivals[h.Loop], x.Changed, x.repeat = h.Before+1, true, true
		clear(x.frames) // of an arbitrary first iteration
		return
	}
	b.Event = r.event(seair.Event{Kind: seair.Obligation, Guard: b.Guard, Cond: c.True(), Site: h.Site,
		Check: found.LoopInvariant, Found: true})
	h.Back = append(h.Back, b)
}

// growTo records a change that is not yet known.
func (x *Induction) growTo(known bool, set func()) {
	if !known {
		set()
		x.Changed = true
	}
}

// growObjects adds the objects that differ between a state and the one at a head to the write set.
func (fr *frame) growObjects(h *Head, st *mem.State) {
	r, x, ch := fr.r, fr.r.opts.Induction, h.changes
	for _, d := range r.mem.Changes(h.state, st, h.since) {
		if h.isBlock(d.Obj) || fr.isMember(h, d.Obj) {
			continue
		}
		if d.Freed && !d.Other && h.linked && r.mem.Objects[d.Obj].Kind == mem.Heap {
			x.growTo(ch.links.freed[d.Obj], func() { ch.links.freed[d.Obj] = true })
		} else if d.Other || d.Freed && !fr.mayBeFreed(h, d.Obj) {
			x.frees = true
			continue
		}
		if d.Modified {
			x.growTo(ch.modified[d.Obj], func() { ch.modified[d.Obj] = true })
		}
		if !d.Content || ch.wholes[d.Obj] {
			continue
		}
		cells, ok := r.mem.DifferInCells(d.Obj, st.Content(d.Obj), h.state.Content(d.Obj))
		if !ok {
			cells, ok = r.mem.DifferInElements(d.Obj, st.Content(d.Obj), h.state.Content(d.Obj), maxElements)
		}
		if !ok {
			ch.wholes[d.Obj], x.Changed = true, true
			continue
		}
		for _, cell := range cells {
			if ch.cells[cell] == nil && overlapsAny(cell, ch.cells) {
				ch.wholes[d.Obj], x.Changed = true, true
				for o := range ch.cells {
					if o.Obj == d.Obj {
						delete(ch.cells, o)
					}
				}
				break
			}
			x.growTo(ch.cells[cell] != nil, func() { ch.cells[cell] = &cellChange{} })
		}
	}
}

// growContents makes places of the cells that were written in objects that may change anywhere.
func (fr *frame) growContents(h *Head, st *mem.State) {
	r, x, ch := fr.r, fr.r.opts.Induction, h.changes
	for _, d := range h.Contents {
		writes, cells, _, complete := r.mem.WritesSince(d.Obj, st.Content(d.Obj), d.New)
		lost, stored := !complete, false
		for _, w := range writes {
			lost = lost || w.Len != 0
			stored = stored || w.Val != 0 && r.mem.HoldsAddress(w.Val)
		}
		for _, k := range cells {
			lost = lost || ch.cells[k] == nil || ch.cells[k].lost
			if !overlapsAny(k, ch.cells) && len(d.Cells) < maxKnownCells {
				ch.cells[k], x.Changed = &cellChange{}, true
			}
		}
		if (stored || lost && r.mem.HoldsAddresses(st, d.Obj)) && !r.mem.ContentMayHold(d.Func) {
			ch.tables[d.Obj], x.Changed = true, true
		}
	}
}

// slotFill sets the value of the i-th place at the end of an iteration. was is the address from which a pointer is
// measured. wild records that the pointer leaves its object, address that the place may hold an address.
type slotFill func(i int, s slot, now, was smt.Term, wild, address func())

// cellsAt calls fill for the places of a head that are in memory, with their values in another state.
func (fr *frame) cellsAt(h *Head, st *mem.State, fill slotFill) {
	r, c, x, ch := fr.r, fr.r.c, fr.r.opts.Induction, h.changes
	for i, cell := range h.cells {
		if cell.Obj < 0 || h.pointerAt(inMemory(cell)) != 0 && !h.held[i].kept {
			continue
		}
		now, then := r.mem.ReadCell(st.Content(cell.Obj), cell), r.mem.ReadCell(h.state.Content(cell.Obj), cell)
		state := ch.cells[cell]
		if h.held[i].kept {
			if now != then && state != nil && state.kept {
				state.kept, state.lost, x.Changed = false, h.anyIndex(r.mem, st, cell), true
			}
			continue
		}
		start := then
		if h.Places[i].Pointer {
			start = c.Sub(then, h.Places[i].Sym)
		}
		if state == nil { // a part of an object that may change anywhere from the next run on
			state = &cellChange{}
		}
		fill(i, inMemory(cell), now, start, func() { state.wild = true }, func() { state.address = true })
	}
}

// anyIndex reports whether an iteration writes a cell of an object with many cells, but never at its own offset.
func (h *Head) anyIndex(m *mem.Memory, st *mem.State, cell mem.Cell) bool {
	at := slices.IndexFunc(h.Contents, func(d Contents) bool { return d.Obj == cell.Obj })
	if at < 0 || len(h.Contents[at].Cells) <= maxVariables {
		return false
	}
	_, cells, _, complete := m.WritesSince(cell.Obj, st.Content(cell.Obj), h.Contents[at].New)
	return complete && !slices.Contains(cells, cell)
}

// growEscaped adds the objects that functions without a body came to know since a head to its changes.
func (fr *frame) growEscaped(h *Head, st *mem.State) {
	r, x, ch := fr.r, fr.r.opts.Induction, h.changes
	for id := h.since; id < len(r.mem.Objects); id++ {
		if r.opts.Checks[found.MemoryLeak] && r.mem.MayLeak(st, id) {
			x.refuse("a loop that allocates, with leaks checked")
		}
	}
	for id, how := range r.escaped {
		if h.escaped[id] < how && id < h.since {
			x.growTo(ch.escaped[id] >= how, func() { ch.escaped[id] = how })
		}
	}
}

// sameValue reports whether a register has not changed.
func sameValue(a, b value) bool {
	return a.t == b.t && a.lazy == b.lazy && slices.EqualFunc(a.e, b.e, sameValue)
}
