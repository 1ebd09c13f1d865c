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

// owner is a pointer to members in a state: a slot, a cell of a member, or an anchor. An anchor is a variable, or a
// cell of an older member, that the loop does not change.
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

// Of two pointers to the same member, the one with the smaller worth is demoted. Cells from which a loop that frees
// takes the next member are worth most.
func (o owner) worth() int {
	switch {
	case o.cell != nil && o.cell.freeing:
		return 4
	case o.cell != nil && o.cell.followed:
		return 3
	case o.slot != nil:
		return 2
	case o.anchor != nil:
		return 1
	}
	return 0
}

// rank orders demotions in time. An anchor comes after slots: a slot that walks along the members is demoted anyway,
// and the anchor is an owner then.
func (o owner) rank() int {
	switch {
	case o.slot != nil:
		return 4
	case o.anchor != nil:
		return 5
	case !o.cell.followed:
		return 2
	}
	return 3 + o.worth()
}

// expanding is the rank of tags that become objects. A tag may turn out not to be needed if the loop changes the
// pointer.
// cyclic is the rank of the order of members, which is tried again if a pointer in members is no owner any more.
// ambiguous is the rank of a cell that holds the same member in two members, as a pointer to a parent does. giveUp is
// the rank of pointers that are no pointers to members. ranks is the number of ranks.
const (
	expanding = 0
	cyclic    = 1
	ambiguous = 3
	giveUp    = 8
	ranks     = 9
)

// demote makes an owner a pointer that is none, from the next run on that has no other reason.
func (x *Induction) demote(o owner) {
	x.later(o.rank(), o.slack())
	if o.slot == nil && o.anchor == nil {
		x.demotions[o.rank()] = append(x.demotions[o.rank()], x.reorder)
	}
}

// reorder tries the order of members again, and the claims about slots that were given up without it.
func (x *Induction) reorder() {
	lost := false
	for _, ch := range x.frames {
		lost = lost || ch.links.cyclic
	}
	if lost {
		x.hope()
	}
}

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

// mayBeTargets returns the objects to which a pointer in a member may point.
func (fr *frame) mayBeTargets() []int {
	ids := map[int]bool{}
	for id := range fr.r.links.members {
		ids[id] = true
	}
	for _, k := range fr.r.opts.Induction.Heads {
		for _, list := range k.changes.links.fields {
			for _, t := range list {
				ids[t.obj] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(ids))
}

// freedMembers records whether a member that others without an object may point to may have been freed.
func (fr *frame) freedMembers(h *Head, st *mem.State, guard smt.Term, entering bool) {
	r, c, x, ch := fr.r, fr.r.c, fr.r.opts.Induction, h.changes.links
	for _, id := range fr.mayBeTargets() {
		q := &distances{run: r}
		gone := c.And(guard, r.mem.Made(st, id), c.Not(r.mem.Live(st, id)))
		if st.Content(id) == nil || r.mem.Objects[id].Kind != mem.Heap || q.excluded(gone) {
			continue
		}
		x.grow(&ch.dangle)
		if !entering {
			now := gone
			if was, ok := h.alive[id]; ok {
				now = c.And(gone, was)
			}
			if !(&distances{run: r}).excluded(now) {
				x.grow(&ch.frees)
			}
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
	if x.Changed {
		return // demotions are given up only by a run in which nothing changes
	}
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
					if a.cell != nil && a.cell == b.cell && !a.cell.freeing {
						x.later(ambiguous, a.slack())
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

// follow records that the program follows the pointers in a cell from member to member, and whether a loop that frees
// members does so. What was demoted is tried again, because another pointer may be demoted in its place.
func (x *Induction) follow(r *run, sym smt.Term, freeing bool) {
	t := r.links.tags[sym]
	if t.cell.N == 0 {
		return
	}
	for _, f := range x.families {
		if how := f.cells[t.cell]; how != nil && how.to == t.to && !(how.followed && (how.freeing || !freeing)) {
			how.followed, how.freeing, x.Changed = true, how.freeing || freeing, true
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
	x.hope()
}

// hope makes all claims about slots again, and those that rest on them.
func (x *Induction) hope() {
	for _, ch := range x.frames {
		for _, how := range ch.links.slots {
			how.shared, how.dangling = false, false
		}
		ch.links.dangle, ch.links.frees, ch.links.relinks, ch.links.cyclic = false, false, false, false
	}
}
