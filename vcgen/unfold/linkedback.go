package unfold

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// aim adds a target to a slot.
func (how *membership) aim(x *Induction, t linkTarget) { how.targets = aim(x, how.targets, t) }

// aim adds a target to a list. One that is possible at any time replaces one that is possible at certain times.
func aim(x *Induction, list []linkTarget, t linkTarget) []linkTarget {
	for i, o := range list {
		if o.obj != t.obj || o.off != t.off {
			continue
		}
		if joined := (linkTarget{t.obj, t.off, o.first && t.first, o.late && t.late, o.own || t.own}); joined != o {
			list[i], x.Changed = joined, true
		}
		return list
	}
	x.Changed = true
	return append(list, t)
}

// changesCell reports whether the loop may change a cell.
func (ch *changes) changesCell(at mem.Cell) bool {
	for o, how := range ch.cells {
		if !how.kept && o.Obj == at.Obj && o.Off < at.Off+at.N && at.Off < o.Off+o.N {
			return true
		}
	}
	return ch.wholes[at.Obj]
}

// entryTargets adds the members of earlier heads to which members without an object may point when a loop is entered.
func (fr *frame) entryTargets(h *Head, p *path) {
	r, x, ch := fr.r, fr.r.opts.Induction, h.changes.links
	inherit := func(to mem.Cell, t linkTarget) { ch.fields[to] = aim(x, ch.fields[to], t) }
	for _, g := range x.Heads {
		if g == h || !g.linked {
			continue
		}
		for cell, list := range g.changes.links.fields {
			for _, t := range list {
				inherit(cell, linkTarget{obj: t.obj, off: t.off})
			}
		}
		ch.dangle = ch.dangle || g.changes.links.dangle
	}
	for _, id := range slices.Sorted(maps.Keys(r.links.members)) {
		m := r.links.members[id]
		if m.head == h || p.st.Content(id) == nil {
			continue
		}
		held := !fr.certified(h, leaf{r.c.True(), id, 0, 0}, r.c.And(p.g.T, m.exists), true)
		for _, size := range slices.Sorted(maps.Keys(x.families)) {
			for _, cell := range x.families[size].sorted() {
				how := x.families[size].cells[cell]
				if how.pointer && how.to.size == m.fam.size && (held || how.shared) {
					inherit(cell, linkTarget{obj: id, off: how.to.at})
				}
			}
		}
	}
}

// linkedBack adds the state of the structures at a back edge to its values.
func (fr *frame) linkedBack(h *Head, to int, e edge, out []smt.Term) {
	if !h.linked {
		return
	}
	r, c, x, ch := fr.r, fr.r.c, fr.r.opts.Induction, h.changes.links
	at := slices.Index(x.Heads, h)
	var members []int // those that are no older than the head
	queued := map[int]bool{}
	for _, id := range slices.Sorted(maps.Keys(r.links.members)) {
		if m := r.links.members[id]; slices.Index(x.Heads, m.head) >= at && e.p.st.Content(id) != nil {
			members, queued[id] = append(members, id), true
		}
	}
	// accept reports whether a pointer of a type may have a value at the head, and adds its target or its member.
	accept := func(l leaf, to linkType, aim func(linkTarget)) bool {
		is, link := r.linkTo(l)
		switch {
		case l.null():
		case l.tag == 0 && l.obj < h.since && !queued[l.obj]:
			aim(linkTarget{obj: l.obj, off: l.off})
		case !link || is != to:
			return false
		case l.tag != 0:
			fr.sameAs(h, l, e.g.T, aim)
		case !queued[l.obj]:
			members, queued[l.obj] = append(members, l.obj), true
		}
		return true
	}
	x.innerLinks(h, at, queued)
	var owners []owner
	for i := range h.slots {
		s := &h.slots[i]
		now := fr.slotAt(s.slot, to, e)
		lives := fr.lives(s.slot, e.p.st)
		list, ok := fr.leaves(now, 0, c.And(e.g.T, lives))
		null := c.False()
		for _, l := range list {
			ok = accept(l, s.how.to, func(t linkTarget) { s.how.aim(x, t) }) && ok
			if l.null() {
				null = c.Or(null, l.cond)
			}
			if l.tag != 0 {
				x.follow(r, l.tag, ch.frees)
			}
		}
		if !ok {
			x.refuseSlot(h, s)
			out[s.null] = h.Places[s.null].Sym
			continue
		}
		out[s.null] = null
		fr.endsBack(h, s, list, e.p.st, c.And(e.g.T, lives),
			func(obj int) bool { return obj < h.since && !queued[obj] })
		owners = append(owners, owner{slot: s.how, guard: lives, leaves: list})
	}
	for k := 0; k < len(members); k++ {
		id := members[k]
		m, v := r.links.members[id], e.p.st.Content(id)
		size, _ := c.Int64(r.mem.Objects[id].Size)
		fam := x.family(size)
		for _, cell := range r.mem.Cells(id, v, maxMemberCells) {
			fam.learn(x, mem.Cell{Obj: -1, Off: cell.Off, N: cell.N}, false)
		}
		for _, cell := range fam.sorted() {
			how := fam.cells[cell]
			if how.wild {
				continue
			}
			now := r.mem.ReadCell(v, mem.Cell{Obj: id, Off: cell.Off, N: cell.N})
			if !how.pointer && !r.mem.HoldsAddress(now) {
				continue
			}
			g := c.And(e.g.T, r.mem.Live(e.p.st, id))
			changed := m == nil || m.head != h || m.cells[cell] != now
			list, ok := fr.leaves(now, 0, g)
			if !how.pointer {
				for _, l := range list {
					if to, link := r.linkTo(l); link && (l.tag != 0 || l.obj >= h.since || queued[l.obj]) {
						how.pointer, how.to, x.Changed = true, to, true
					}
				}
			}
			for _, l := range list {
				ok = how.pointer && accept(l, how.to, func(t linkTarget) {
					if changed {
						t.late, t.own = true, true
						ch.fields[cell] = aim(x, ch.fields[cell], t)
					}
				}) && ok
			}
			if !ok {
				x.later(giveUp, &how.wild, &x.Heads[0].changes.stale) // members behind it are no objects any more
				continue
			}
			if changed {
				x.grow(&ch.relinks)
			}
			owners = append(owners, owner{cell: how, off: cell.Off, guard: g, leaves: list})
		}
	}
	owners = append(owners, fr.anchors(h, e.p.st, e.g.T)...)
	fr.freedMembers(h, e.p.st, e.g.T, false)
	fr.claims(h, owners, e.p.st, e.g.T, false)
	fr.keepsOrder(h, e.p.st, e.g.T, false)
	fr.genericsBack(h, at, members, e.p.st, out)
}

// innerLinks adds to the changes of a head what the loops in its iteration may do to members without an object. at is
// the index of the head, and members are the objects that are members.
func (x *Induction) innerLinks(h *Head, at int, members map[int]bool) {
	ch := h.changes.links
	for _, k := range x.Heads[at+1:] {
		l := k.changes.links
		for _, size := range slices.Sorted(maps.Keys(x.families)) {
			for _, cell := range x.families[size].sorted() {
				for _, t := range l.fields[cell] {
					if t.obj < h.since && !members[t.obj] {
						ch.fields[cell] = aim(x, ch.fields[cell], linkTarget{t.obj, t.off, false, true, true})
					}
				}
			}
		}
		for of, to := range map[*bool]*bool{&l.relinks: &ch.relinks, &l.frees: &ch.frees, &l.dangle: &ch.dangle} {
			if *of {
				x.grow(to)
			}
		}
	}
}

// genericsBack adds the states of the members without an object to the values of a back edge. at is the index of the
// head, and members are the objects that are members.
func (fr *frame) genericsBack(h *Head, at int, members []int, st *mem.State, out []smt.Term) {
	r, c, x := fr.r, fr.r.c, fr.r.opts.Induction
	for _, g := range h.Generics {
		rows := [][]smt.Term{g.row(c, c.True(), g.Cells)}
		for _, id := range members {
			if size, _ := c.Int64(r.mem.Objects[id].Size); size != g.fam.size {
				continue
			}
			row := []smt.Term{r.mem.Live(st, id)}
			for _, cell := range g.Cells {
				row = append(row, r.mem.ReadCell(st.Content(id), mem.Cell{Obj: id, Off: cell.Off, N: cell.N}))
			}
			rows = append(rows, row)
		}
		for _, k := range x.Heads[at+1:] {
			if o := k.generic(g.fam); o != nil {
				rows = append(rows, o.row(c, k.Guard, g.Cells))
			}
		}
		copy(out[g.place:], fr.anyOf(rows, g))
	}
}
