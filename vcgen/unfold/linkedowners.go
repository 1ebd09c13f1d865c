package unfold

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A free needs more than a structure of members (linked.go), because a member without an object may point to the freed
// one. So some pointers are owners: no two owners point to the same member, and what they point to is alive. Each slot
// and each cell is one at first, and is demoted when a state shows that it may not be. If an owner pointed to a member
// at the head, no owner in a member without an object does. So such a member may be freed, if no owner points to it at
// the back edge (freedMembers). A slot that is no owner still points to a live member where that is shown at each back
// edge. A cell that is none may dangle once a member was freed.

// owner is a pointer to members in a state: a slot, a cell of a member, or an anchor. An anchor is a variable, or a cell
// of an older member, that the loop does not change.
type owner struct {
	slot   *membership
	cell   *memberCell
	anchor *bool // whether it is no owner
	off    int64 // of a cell
	guard  smt.Term
	leaves []leaf
}

// slack is set if the pointer is no owner.
func (o owner) slack() *bool {
	switch {
	case o.slot != nil:
		return &o.slot.shared
	case o.anchor != nil:
		return o.anchor
	}
	return &o.cell.shared
}

// Of two pointers to the same member, the one with the smaller worth is demoted.
func (o owner) worth() int {
	switch {
	case o.cell != nil && o.cell.followed:
		return 3
	case o.slot != nil:
		return 2
	case o.anchor != nil:
		return 1
	}
	return 0
}

// rank orders demotions in time. An anchor comes after slots: a slot that walks along the members is demoted anyway, and
// the anchor is an owner then.
func (o owner) rank() int {
	switch {
	case o.cell != nil && !o.cell.followed:
		return 0
	case o.slot != nil:
		return 1
	case o.anchor != nil:
		return 2
	}
	return 3
}

// ranks is the number of ranks. giveUp is the rank of pointers that are no pointers to members.
const (
	giveUp = 4
	ranks  = 5
)

// demote makes an owner a pointer that is none, from the next run on that has no other reason.
func (x *Induction) demote(o owner) { x.later(o.rank(), o.slack()) }

// later sets flags behind a run in which nothing has changed.
func (x *Induction) later(rank int, flags ...*bool) {
	x.demotions[rank] = append(x.demotions[rank], func() {
		for _, f := range flags {
			x.grow(f)
		}
	})
}

// refuseSlot makes a slot an ordinary pointer, from the next run on that has no other reason.
func (x *Induction) refuseSlot(h *Head, s *slotState) {
	x.later(giveUp, &s.how.refused, &h.changes.stale)
}

// anchors returns the pointers in older members in a state, except for slots and for those that are known to be no
// owners.
func (fr *frame) anchors(h *Head, st *mem.State, guard smt.Term) (list []owner) {
	r, c, x, ch := fr.r, fr.r.c, fr.r.opts.Induction, h.changes
	for _, id := range slices.Sorted(maps.Keys(r.links.members)) {
		m := r.links.members[id]
		if slices.Index(x.Heads, m.head) >= slices.Index(x.Heads, h) || st.Content(id) == nil || ch.wholes[id] {
			continue
		}
		for _, cell := range m.fam.sorted() {
			at, how := mem.Cell{Obj: id, Off: cell.Off, N: cell.N}, m.fam.cells[cell]
			slack := ch.links.slack(anchorAt{slot: inMemory(at)})
			if !how.pointer || how.wild || how.shared || *slack || ch.links.slots[inMemory(at)] != nil ||
				ch.changesCell(at) {
				continue
			}
			live := r.mem.Live(st, id)
			leaves, ok := fr.leaves(r.mem.ReadCell(st.Content(id), at), 0, c.And(guard, live))
			if !ok {
				x.grow(slack)
				continue
			}
			list = append(list, owner{anchor: slack, guard: live, leaves: leaves})
		}
	}
	for _, a := range h.anchors {
		if *a.slack {
			continue
		}
		live := c.True()
		if a.obj >= 0 {
			live = r.mem.Live(st, a.obj)
		}
		if leaves, ok := fr.leaves(a.value, 0, c.And(guard, live)); ok {
			list = append(list, owner{anchor: a.slack, guard: live, leaves: leaves})
		} else {
			x.grow(a.slack)
		}
	}
	return list
}

// freedMembers records whether a member that others without an object may point to may have been freed.
func (fr *frame) freedMembers(h *Head, st *mem.State, guard smt.Term, entering bool) {
	r, c, x, ch := fr.r, fr.r.c, fr.r.opts.Induction, h.changes.links
	ids := map[int]bool{}
	for id := range r.links.members {
		ids[id] = true
	}
	for _, k := range x.Heads {
		for _, list := range k.changes.links.fields {
			for _, t := range list {
				ids[t.obj] = true
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		q := &distances{run: r}
		gone := c.And(guard, r.mem.Made(st, id), c.Not(r.mem.Live(st, id)))
		if st.Content(id) == nil || r.mem.Objects[id].Kind != mem.Heap || q.excluded(gone) {
			continue
		}
		x.grow(&ch.dangle)
		if !entering {
			x.grow(&ch.frees)
		}
		if fr.certified(h, leaf{c.True(), id, 0, 0}, gone, entering) {
			continue
		}
		for _, f := range x.families {
			for _, how := range f.cells {
				if how.pointer {
					x.demote(owner{cell: how})
				}
			}
		}
	}
}

// claims checks what a head claims of the pointers in a state: owners point to live members, each to another one, and
// other slots point to live members.
func (fr *frame) claims(h *Head, list []owner, st *mem.State, guard smt.Term, entering bool) {
	c, x, ch := fr.r.c, fr.r.opts.Induction, h.changes.links
	for _, o := range list {
		for _, l := range o.leaves {
			if l.null() {
				continue
			}
			g := c.And(guard, o.guard, l.cond)
			if !fr.alive(h, l, st, g, entering) {
				x.demote(o)
				switch {
				case o.slot != nil:
					x.later(o.rank(), &o.slot.dangling)
				case o.cell != nil && o.anchor == nil:
					x.later(o.rank(), &ch.dangle)
				}
			}
			if !*o.slack() && !fr.certified(h, l, g, entering) {
				x.demote(o)
			}
		}
	}
	for i, a := range list {
		for _, b := range list[:i] {
			for _, l := range a.leaves {
				for _, k := range b.leaves {
					if l.null() || k.null() || *a.slack() || *b.slack() {
						continue
					}
					g := c.And(guard, a.guard, b.guard, l.cond, k.cond)
					if fr.distinct(l, k, g) || (&distances{run: fr.r}).excluded(g) {
						continue
					}
					if b.worth() < a.worth() || b.worth() == a.worth() && b.off > a.off {
						x.demote(b)
					} else {
						x.demote(a)
					}
				}
			}
		}
	}
}

// follow records that the program follows the pointers in a cell from member to member. What was demoted is tried
// again, because another pointer may be demoted in its place.
func (x *Induction) follow(r *run, sym smt.Term) {
	t := r.links.tags[sym]
	if t.cell.N == 0 {
		return
	}
	for _, f := range x.families {
		if how := f.cells[t.cell]; how != nil && !how.followed && how.to == t.to {
			how.followed, x.Changed = true, true
			x.promote()
		}
	}
}

// promote makes all pointers to members owners again.
func (x *Induction) promote() {
	for _, f := range x.families {
		for _, how := range f.cells {
			how.shared = false
		}
	}
	for _, ch := range x.frames {
		for _, how := range ch.links.slots {
			how.shared, how.dangling = false, false
		}
		ch.links.dangle, ch.links.frees, ch.links.relinks = false, false, false
	}
}
