package unfold

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A loop may replace a block of the heap: `if (len == cap) buf = realloc(buf, cap *= 2);`. At the head, the pointer is
// what it was on entry, or NULL, or it points to a block of an earlier iteration. That block is an object of its own:
// live, of any size, with any content. Other pointers to it are addresses of unknown origin, unless their distance from
// this one is known (mayFollow).
//
// By induction on the iterations, every state at a back edge is such a state if the pointer there is one of these:
//
//   - what it was on entry, and the objects of that time are as live as they were then;
//   - NULL;
//   - a distance from the start of the head's block, or of a block that the iteration has allocated. The block is live,
//     and no other pointer of this kind points to it.
//
// blockAt checks this; if it fails, the pointer becomes an address of unknown origin.

// slot is a variable in a register of the loop's function, or in memory. reg and cell.Obj are -1 for the other kind.
type slot struct {
	reg  int
	cell mem.Cell
}

// inRegister and inMemory return the slot of a variable.
func inRegister(reg int) slot { return slot{reg, mem.Cell{Obj: -1}} }

// noSlot is no variable.
var noSlot = inRegister(-1)

func inMemory(cell mem.Cell) slot { return slot{-1, cell} }

func (s slot) compare(o slot) int {
	return cmp.Or(cmp.Compare(s.reg, o.reg), cmp.Compare(s.cell.Obj, o.cell.Obj), cmp.Compare(s.cell.Off, o.cell.Off),
		cmp.Compare(s.cell.N, o.cell.N))
}

// ownership is what is known of a pointer to a block that a loop replaces.
type ownership struct {
	// moved: it may point behind the start of its block, or elsewhere than on entry. null: it may be NULL after an
	// iteration. addresses: the block may hold addresses. refused: it is no such pointer.
	moved, null, addresses, refused bool
}

// Block is the block to which a pointer of a loop points at the head, if the loop may replace it.
type Block struct {
	Obj int // the block of an earlier iteration
	// Initial is true if the pointer is what it was on entry, and that may be an object. Null is true if it is NULL
	// otherwise.
	Initial, Null smt.Term
	Size          smt.Term // of the block, in bytes; 0 for NULL
	Offset        smt.Term // of the pointer in the block
	Content       smt.Func // of the block of an earlier iteration

	slot   slot
	how    *ownership
	old    smt.Term
	entry  []mem.Candidate
	live   map[int]smt.Term // of the objects in entry, when the head was reached
	value  smt.Term         // at the head
	object bool             // entry has an object
	places blockPlaces
}

// Register returns the register of the pointer's variable; false if it is in memory.
func (b *Block) Register() (int, bool) { return b.slot.reg, b.slot.reg >= 0 }

// Cell returns the place of the pointer in memory.
func (b *Block) Cell() mem.Cell { return b.slot.cell }

// blockPlaces are the indexes of the places of a block; -1 if there is none.
type blockPlaces struct{ initial, null, size, offset int }

// ownedBlocks makes the blocks of a head. It comes before everything else that the head makes arbitrary: addresses of
// unknown origin only point to objects that exist already.
func (fr *frame) ownedBlocks(h *Head, p *path, same *smt.Term) {
	r := fr.r
	for _, s := range slices.SortedFunc(maps.Keys(h.changes.owners), slot.compare) {
		how := h.changes.owners[s]
		if how.refused {
			continue
		}
		b := &Block{slot: s, how: how, live: map[int]smt.Term{}}
		if s.reg >= 0 {
			b.old = r.force(fr.regs[s.reg], fr.fn.Alloca[s.reg].ElemType).t
		} else if v := p.st.Content(s.cell.Obj); v != nil {
			b.old = r.mem.ReadCell(v, s.cell)
		}
		if b.old == 0 || !fr.takeEntry(b, p) {
			how.refused, h.changes.stale = true, true
			r.opts.Induction.Changed = true
			continue // the others are made, because this run goes on
		}
		h.Blocks = append(h.Blocks, b)
	}
	for _, b := range h.Blocks {
		b.Initial, b.Null = r.c.False(), r.c.False()
		if b.object {
			b.Initial = r.c.Var("initial", smt.Bool)
		}
		if b.how.null || !b.object {
			b.Null = r.c.Var("null", smt.Bool)
		}
		for id := range b.live {
			if r.mem.Objects[id].Kind == mem.Heap {
				r.mem.Kill(p.st, id, r.c.And(r.c.Not(b.Initial), r.c.Var("freed", smt.Bool)))
			}
		}
	}
	for _, b := range h.Blocks {
		fr.makeBlock(h, b, p, same)
	}
}

// takeEntry finds the objects to which the pointer of a block points on entry, and reports whether all are known.
func (fr *frame) takeEntry(b *Block, p *path) bool {
	r, known := fr.r, true
	q := &distances{run: r}
	for _, x := range r.mem.Candidates(b.old, func(when smt.Term) {
		known = known && q.excluded(r.c.And(p.g.T, when))
	}) {
		switch {
		case q.excluded(r.c.And(p.g.T, x.Cond)):
		case x.Obj == mem.None:
			if x.Off != r.mem.Int(0) {
				// The loop around this one replaces the same block, perhaps. This run shows that, with NULL in the place of
				// a value that has no object yet.
				known = known && r.opts.Induction.carries(x.Off)
				x.Off, r.opts.Induction.Changed = r.mem.Int(0), true
			}
			b.entry = append(b.entry, x)
		default:
			b.live[x.Obj], b.object = r.mem.Live(p.st, x.Obj), true
			b.entry = append(b.entry, x)
		}
	}
	return known && len(b.entry) > 0
}

// carries reports whether a term is the value of a place at a head that was reached before.
func (x *Induction) carries(t smt.Term) bool {
	return slices.ContainsFunc(x.Heads, func(h *Head) bool {
		return slices.ContainsFunc(h.Places, func(p Place) bool { return p.Sym == t })
	})
}

// chosen returns the value of the candidate that is the case. The last one is the case if no other one is.
func (r *run) chosen(list []mem.Candidate, of func(x mem.Candidate) smt.Term) (out smt.Term) {
	for i := len(list) - 1; i >= 0; i-- {
		if t := of(list[i]); out == 0 {
			out = t
		} else {
			out = r.c.Ite(list[i].Cond, t, out)
		}
	}
	return out
}

// sizeOf returns the size of the object of a candidate, 0 if it has none.
func (r *run) sizeOf(x mem.Candidate) smt.Term {
	if x.Obj == mem.None {
		return r.mem.Int(0)
	}
	return r.mem.Objects[x.Obj].Size
}

// makeBlock makes the object of a block, its places and its pointer.
func (fr *frame) makeBlock(h *Head, b *Block, p *path, same *smt.Term) {
	r, c := fr.r, fr.r.c
	none, word := r.mem.Int(0), smt.BV(r.mem.Width)
	name := fmt.Sprintf("block %d", len(h.Places))
	place := func(name string, sym, old smt.Term) int {
		if c.IsConst(sym) {
			return -1
		}
		*same = c.And(*same, c.Eq(sym, old))
		h.Places = append(h.Places, Place{Name: name, Sym: sym, Old: old, Block: b})
		h.regs, h.cells, h.held = append(h.regs, -1), append(h.cells, mem.Cell{Obj: -1}), append(h.held, cellChange{})
		return len(h.Places) - 1
	}
	oldSize := r.chosen(b.entry, r.sizeOf)
	oldOffset := r.chosen(b.entry, func(x mem.Candidate) smt.Term { return x.Off })
	b.Size, b.Offset = c.Var("size of "+name, word), oldOffset
	if b.how.moved {
		b.Offset = c.Var("offset in "+name, word)
	}
	made := c.And(c.Not(b.Initial), c.Not(b.Null))
	o := r.mem.NewObject(p.st, mem.Object{Kind: mem.Heap, Name: name, Align: r.heapAlign(), Size: b.Size,
		Guard: c.And(p.g.T, made)}, r.mem.Zero(), made)
	b.Obj = o.ID
	r.allocSite[o.ID] = h.Site
	if !c.IsFalse(p.st.Tracking) {
		r.mem.SetModified(p.st, o.ID, c.Var("modified", smt.Bool))
	}
	b.places = blockPlaces{place(name+" is initial", b.Initial, c.BoolConst(b.object)),
		place(name+" is null", b.Null, c.BoolConst(!b.object)), place("size of "+name, b.Size, oldSize), -1}
	if b.how.moved {
		b.places.offset = place("offset in "+name, b.Offset, oldOffset)
	}
	b.value = c.Ite(b.Null, none, c.Add(o.Base, b.Offset))
	isNull := c.And(c.Not(b.Initial), b.Null)
	facts := c.And(c.Implies(isNull, c.And(c.Eq(b.Size, none), c.Eq(b.Offset, none))),
		c.Implies(made, c.Ule(b.Size, r.mem.Int(r.mem.Space.MaxSize))))
	if b.object {
		was := r.chosen(b.entry, func(x mem.Candidate) smt.Term {
			if x.Obj == mem.None {
				return none
			}
			return c.Add(r.mem.Objects[x.Obj].Base, b.Offset)
		})
		b.value = c.Ite(b.Initial, was, b.value)
		facts = c.And(facts, c.Implies(b.Initial, c.Eq(b.Size, oldSize)))
	}
	r.event(seair.Event{Kind: seair.Assume, Guard: h.Guard, Cond: facts, Site: h.Site})
}

// fillBlocks gives the blocks of a head their arbitrary content. It counts as content that an iteration makes, so that
// no candidate reads it: the next iteration may have another block.
func (fr *frame) fillBlocks(h *Head, p *path) {
	r := fr.r
	for _, b := range h.Blocks {
		v, f := r.mem.Arbitrary("content of a block")
		if b.how.addresses {
			r.mem.ContentMayPoint(f, fr.changed())
		}
		b.Content = f
		r.mem.SetContent(p.st, b.Obj, v, r.c.False())
	}
}

// block returns the block of a variable, nil if it has none.
func (h *Head) block(s slot) *Block {
	for _, b := range h.Blocks {
		if b.slot == s {
			return b
		}
	}
	return nil
}

// pointerAt returns the pointer of a variable at the head if it points to a block or to members, 0 otherwise.
func (h *Head) pointerAt(s slot) smt.Term {
	if b := h.block(s); b != nil {
		return b.value
	}
	if m := h.slotState(s); m != nil {
		return m.value
	}
	return 0
}

// isBlock reports whether an object is the block of an earlier iteration.
func (h *Head) isBlock(id int) bool {
	return slices.ContainsFunc(h.Blocks, func(b *Block) bool { return b.Obj == id })
}

// mayBeFreed reports whether the state at a head covers that an iteration frees an object: it is on the heap, and the
// pointer of a block pointed to it on entry.
func (fr *frame) mayBeFreed(h *Head, id int) bool {
	return fr.r.mem.Objects[id].Kind == mem.Heap && slices.ContainsFunc(h.Blocks, func(b *Block) bool {
		_, ok := b.live[id]
		return ok
	})
}

// blockState is what the pointer of a block is at a back edge.
type blockState struct {
	initial, null, size, offset smt.Term
}

// backBlocks adds the states of the blocks at a back edge to its values.
func (fr *frame) backBlocks(h *Head, to int, e edge, out []smt.Term) {
	r := fr.r
	taken := map[int]bool{}
	for _, b := range h.Blocks {
		s, ok := fr.blockAt(h, b, fr.slotAt(b.slot, to, e), e, taken)
		if !ok {
			b.how.refused, h.changes.stale, r.opts.Induction.Changed = true, true, true
			s = blockState{b.Initial, b.Null, b.Size, b.Offset}
		}
		for _, x := range []struct {
			place int
			value smt.Term
		}{{b.places.initial, s.initial}, {b.places.null, s.null}, {b.places.size, s.size}, {b.places.offset, s.offset}} {
			if x.place >= 0 {
				out[x.place] = x.value
			}
		}
		for id, how := range r.escaped { // of a block that the iteration has made
			if taken[id] && id >= h.since && h.escaped[b.Obj] < how && h.changes.escaped[b.Obj] < how {
				h.changes.escaped[b.Obj], r.opts.Induction.Changed = how, true
			}
		}
	}
}

// slotAt returns the value of a variable at a back edge; 0 if it has none.
func (fr *frame) slotAt(s slot, to int, e edge) smt.Term {
	if s.reg < 0 {
		if v := e.p.st.Content(s.cell.Obj); v != nil {
			return fr.r.mem.ReadCell(v, s.cell)
		}
		return 0
	}
	if k := slices.Index(fr.fn.Nodes[to].Live, s.reg); k >= 0 {
		return fr.r.force(e.live[k], fr.fn.Alloca[s.reg].ElemType).t
	}
	return 0
}

// blockAt returns the state of a block's pointer at a back edge. It returns false if the pointer is none of what the
// head allows. taken are the objects to which other such pointers point there.
func (fr *frame) blockAt(h *Head, b *Block, now smt.Term, e edge, taken map[int]bool) (blockState, bool) {
	r, c := fr.r, fr.r.c
	s := blockState{initial: c.False(), null: c.False(), size: r.mem.Int(0), offset: r.mem.Int(0)}
	if now == 0 {
		return s, false
	}
	q := &distances{run: r}
	unknown := c.False()
	cands := r.mem.Candidates(now, func(when smt.Term) { unknown = c.Or(unknown, when) })
	if !q.excluded(c.And(e.g.T, unknown)) {
		return s, false
	}
	grow := func(flag *bool) {
		if !*flag {
			*flag, r.opts.Induction.Changed = true, true
		}
	}
	var own []int
	for i := len(cands) - 1; i >= 0; i-- {
		x := cands[i]
		g := c.And(e.g.T, x.Cond)
		if q.excluded(g) {
			continue
		}
		initial, null := c.False(), c.False()
		switch was, entered := b.live[x.Obj]; {
		case x.Obj == mem.None:
			if x.Off != r.mem.Int(0) {
				return s, false
			}
			null = c.True()
			grow(&b.how.null)
		case entered:
			same := c.Eq(r.mem.Live(e.p.st, x.Obj), was)
			if !q.excluded(c.And(g, c.Not(c.And(same, b.entered(c, x.Obj))))) {
				return s, false
			}
			initial = c.True()
		case (x.Obj == b.Obj || x.Obj >= h.since) && r.mayBeBlock(x.Obj):
			if taken[x.Obj] || !q.excluded(c.And(g, c.Not(r.mem.Live(e.p.st, x.Obj)))) {
				return s, false
			}
			own = append(own, x.Obj)
			if r.mem.HoldsAddresses(e.p.st, x.Obj) {
				grow(&b.how.addresses)
			}
		default:
			return s, false
		}
		size := r.sizeOf(x)
		if i == len(cands)-1 {
			s.initial, s.null, s.size, s.offset = initial, null, size, x.Off
			continue
		}
		s.initial, s.null = c.Ite(x.Cond, initial, s.initial), c.Ite(x.Cond, null, s.null)
		s.size, s.offset = c.Ite(x.Cond, size, s.size), c.Ite(x.Cond, x.Off, s.offset)
	}
	for _, id := range own {
		taken[id] = true
	}
	if s.offset != b.Offset {
		grow(&b.how.moved)
	}
	return s, true
}

// entered returns the condition under which the pointer pointed to an object on entry.
func (b *Block) entered(c *smt.Context, obj int) smt.Term {
	t := c.False()
	for _, x := range b.entry {
		if x.Obj == obj {
			t = c.Or(t, x.Cond)
		}
	}
	return t
}

// mayBeBlock reports whether an object has the properties that the block of a head has.
func (r *run) mayBeBlock(id int) bool {
	o := r.mem.Objects[id]
	return o.Kind == mem.Heap && !o.Lent && !o.Part && !o.Spare && !o.Unframed && !o.Library && len(o.Parts) == 0 &&
		o.Align >= r.heapAlign()
}

// mayOwn reports whether the pointer of a variable may be that of a block from the next run on: an iteration gives it
// one. It records that.
func (fr *frame) mayOwn(h *Head, s slot, now smt.Term) bool {
	r := fr.r
	if h.changes.owners[s] != nil || s == noSlot || r.opts.Checks[found.MemoryLeak] || r.c.Sort(now).IsBool() ||
		r.c.Width(now) != r.mem.Width {
		return false
	}
	gets, known := false, true
	for _, x := range r.mem.Candidates(now, func(smt.Term) { known = false }) {
		gets = gets || x.Obj != mem.None && x.Obj >= h.since && r.mayBeBlock(x.Obj)
	}
	if !gets || !known {
		return false
	}
	h.changes.owners[s] = &ownership{}
	h.changes.stale = true
	r.opts.Induction.Changed = true
	return true
}

// leader returns the block from whose pointer that of a variable has a known distance, nil if there is none.
func (h *Head) leader(s slot) *Block {
	to, ok := h.changes.follows[s]
	if !ok {
		return nil
	}
	return h.block(to)
}

// mayFollow reports whether the pointer of a variable had a known distance from that of a block on entry. If so, the
// next run has one at the head, and checks that each iteration leaves one.
func (fr *frame) mayFollow(h *Head, s slot, old smt.Term) bool {
	r := fr.r
	for _, b := range h.Blocks {
		if !b.how.refused && b.slot != s && r.c.Sort(old) == r.c.Sort(b.old) && !r.mem.HoldsAddress(r.c.Sub(old, b.old)) {
			h.changes.follows[s], r.opts.Induction.Changed = b.slot, true
			return true
		}
	}
	return false
}
