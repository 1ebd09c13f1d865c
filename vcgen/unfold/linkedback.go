package unfold

import (
	"maps"
	"slices"
	"strings"

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

// owner is a pointer to members in a state: a slot, a cell of a member, or an anchor. An anchor is a cell of an older
// member that the loop does not change.
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

// rank orders owners by how much is lost if they are demoted.
func (o owner) rank() int {
	switch {
	case o.cell != nil && !o.cell.followed:
		return 0
	case o.cell == nil:
		return 1
	}
	return 2
}

// ranks is the number of ranks. giveUp is the rank of pointers that are no pointers to members.
const (
	giveUp = 3
	ranks  = 4
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

// changesCell reports whether the loop may change a cell.
func (ch *changes) changesCell(at mem.Cell) bool {
	for o, how := range ch.cells {
		if !how.kept && o.Obj == at.Obj && o.Off < at.Off+at.N && at.Off < o.Off+o.N {
			return true
		}
	}
	return ch.wholes[at.Obj]
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
			slack := ch.links.anchors[at]
			if !how.pointer || how.wild || how.shared || slack != nil && *slack ||
				ch.links.slots[inMemory(at)] != nil || ch.changesCell(at) {
				continue
			}
			if slack == nil {
				slack = new(bool)
				ch.links.anchors[at] = slack
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
	return list
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

// sameAs calls aim for the older members that may be the member of a tag in a state with a guard.
func (fr *frame) sameAs(h *Head, l leaf, guard smt.Term, aim func(linkTarget)) {
	x, at := fr.r.opts.Induction, 0
	if at = slices.Index(x.Heads, h); slices.Index(x.Heads, fr.r.links.tags[l.tag].head) >= at {
		return
	}
	q := &distances{run: fr.r}
	for _, id := range slices.Sorted(maps.Keys(fr.r.links.members)) {
		m := fr.r.links.members[id]
		if slices.Index(x.Heads, m.head) < at && fr.mayBe(l.tag, id) && !q.excluded(fr.r.c.And(guard, m.exists)) {
			aim(linkTarget{obj: id, off: l.off})
		}
	}
}

// mayBe reports whether the member of a tag may be an object: one that became an object after the tag was made. At one
// head, owners point to different members.
func (fr *frame) mayBe(sym smt.Term, obj int) bool {
	t, m := fr.r.links.tags[sym], fr.r.links.members[obj]
	if m == nil || m.fam.size != t.to.size || obj < t.before {
		return false
	}
	return m.head != t.head || !(t.owner && m.byOwner)
}

// distinct reports whether two leaves point to different members in a state with a guard: by their kinds, or because
// both were pointed to by owners at one head since.
func (fr *frame) distinct(a, b leaf, guard smt.Term) bool {
	r, c, x := fr.r, fr.r.c, fr.r.opts.Induction
	if a.tag == 0 {
		a, b = b, a
	}
	switch {
	case a.tag == 0:
		return a.obj != b.obj
	case a.tag == b.tag:
		return false
	case b.tag == 0:
		if !fr.mayBe(a.tag, b.obj) {
			return true
		}
	default:
		t, u := r.links.tags[a.tag], r.links.tags[b.tag]
		if t.to.size != u.to.size || t.head == u.head && t.owner && u.owner {
			return true
		}
	}
	q := &distances{run: r}
	for _, k := range slices.Backward(x.Heads) {
		one, is := k.owned[a.atom()]
		two, too := k.owned[b.atom()]
		if is && too && q.excluded(c.And(guard, c.Not(c.And(one, two)))) {
			return true
		}
	}
	return false
}

// certified reports whether no owner in a member without an object points to what a leaf is, in a state with a guard.
// That is so if an owner pointed to it at a head, and no loop since then may have stored its address in a member. A
// known object to which no pointer in a member may point needs no such head. entering: the state is the one in which
// the loop of h is entered.
func (fr *frame) certified(h *Head, l leaf, guard smt.Term, entering bool) bool {
	r, c, x := fr.r, fr.r.c, fr.r.opts.Induction
	q := &distances{run: r}
	first := func(k *Head) bool { return k == h && (entering || q.excluded(c.And(guard, c.Not(h.First)))) }
	for _, k := range slices.Backward(x.Heads) {
		if !k.linked || k == h && entering {
			continue
		}
		if owned, ok := k.owned[l.atom()]; ok {
			guard = c.And(guard, c.Not(owned))
		}
		switch {
		case q.excluded(guard):
			return true
		case l.tag != 0 && (r.links.tags[l.tag].head == k || k.changes.links.relinks && !first(k)):
			return false
		case l.tag == 0 && (fr.isMember(k, l.obj) || k.stores(l.obj) && !first(k)):
			return false
		}
	}
	return true
}

// stores reports whether an iteration of the loop may store the address of an older object in a member.
func (h *Head) stores(obj int) bool {
	for _, list := range h.changes.links.fields {
		if slices.ContainsFunc(list, func(t linkTarget) bool { return t.obj == obj && t.own }) {
			return true
		}
	}
	return false
}

// heldAtFirst returns the condition under which a pointer in a member may point to an older object when a loop is
// entered: no owner that was known at an earlier head points to it.
func (x *Induction) heldAtFirst(c *smt.Context, h *Head, obj int) smt.Term {
	t := c.True()
	for _, k := range slices.Backward(x.Heads[:slices.Index(x.Heads, h)]) {
		if owned, ok := k.owned[atom{obj: obj}]; ok {
			t = c.And(t, c.Not(owned))
		}
		if k.stores(obj) {
			break
		}
	}
	return t
}

// alive reports whether what a leaf points to is alive in a state with a guard.
func (fr *frame) alive(h *Head, l leaf, st *mem.State, guard smt.Term, entering bool) bool {
	r, c, x := fr.r, fr.r.c, fr.r.opts.Induction
	q := &distances{run: r}
	if l.tag == 0 {
		return q.excluded(c.And(guard, c.Not(r.mem.Live(st, l.obj))))
	}
	for _, id := range slices.Sorted(maps.Keys(r.links.members)) { // the tag may be one that was freed
		gone := c.And(guard, r.mem.Made(st, id), c.Not(r.mem.Live(st, id)))
		if fr.mayBe(l.tag, id) && st.Content(id) != nil && !(&distances{run: r}).excluded(gone) &&
			!fr.distinct(l, leaf{c.True(), id, 0, 0}, gone) {
			return false
		}
	}
	for _, k := range slices.Backward(x.Heads) {
		if !k.linked || k == h && entering {
			continue
		}
		if owned, ok := k.owned[l.atom()]; ok {
			guard = c.And(guard, c.Not(owned))
		}
		first := k == h && q.excluded(c.And(guard, c.Not(h.First)))
		t := r.links.tags[l.tag]
		switch {
		case q.excluded(guard):
			return true
		case k == t.head:
			return t.live && !h.changes.links.dangle
		case k.changes.links.frees && !first:
			return false
		}
	}
	return false
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
					if b.rank() < a.rank() || b.rank() == a.rank() && b.off > a.off {
						x.demote(b)
					} else {
						x.demote(a)
					}
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
		list, ok := fr.leaves(now, 0, e.g.T)
		null := c.False()
		for _, l := range list {
			ok = accept(l, s.how.to, func(t linkTarget) { s.how.aim(x, t) }) && ok
			if l.null() {
				null = c.Or(null, l.cond)
			}
			if l.tag != 0 {
				x.follow(r, l.tag)
			}
		}
		if !ok {
			x.refuseSlot(h, s)
			out[s.null] = h.Places[s.null].Sym
			continue
		}
		out[s.null] = null
		owners = append(owners, owner{slot: s.how, guard: e.g.T, leaves: list})
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
				x.later(giveUp, &how.wild)
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

// learn adds a cell. Cells that overlap others are left out, except that a read is preferred to a write.
func (f *family) learn(x *Induction, cell mem.Cell, read bool) {
	if cell.N != 1 && cell.N != 2 && cell.N != 4 && cell.N != 8 || cell.Off < 0 || cell.Off+cell.N > f.size {
		return
	}
	if how := f.cells[cell]; how != nil {
		how.read = how.read || read
		return
	}
	for o, how := range f.cells {
		if o.Off < cell.Off+cell.N && cell.Off < o.Off+o.N && (how.read || how.pointer || !read) {
			return
		}
	}
	for o := range f.cells {
		if o.Off < cell.Off+cell.N && cell.Off < o.Off+o.N {
			delete(f.cells, o)
		}
	}
	if len(f.cells) < maxMemberCells {
		f.cells[cell], x.Changed = &memberCell{read: read}, true
	}
}

// learnReads adds the cells of members that the program reads.
func (r *run) learnReads() {
	x := r.opts.Induction
	if x.Changed { // reads through pointers that are not known yet
		return
	}
	of := map[smt.Func]*family{}
	for _, m := range r.links.members {
		of[m.content] = m.fam
	}
	if len(of) == 0 {
		return
	}
	for _, rd := range r.mem.Reads {
		if off, ok := r.c.Int64(rd.Off); ok && of[rd.Func] != nil {
			of[rd.Func].learn(x, mem.Cell{Obj: -1, Off: off, N: rd.N}, true)
		}
	}
}

// hasMembers reports whether a loop so far has members without an object.
func (x *Induction) hasMembers() bool {
	return x != nil && slices.ContainsFunc(x.Heads, func(h *Head) bool { return h.linked })
}

// unresolved is called for an access through an address whose object is unknown. If it is a tag, its member becomes an
// object from the next run on. If a loop has changed the pointer, structures of members are tried.
func (r *run) unresolved(p *path, ptr smt.Term) {
	x := r.opts.Induction
	if x == nil {
		return
	}
	r.mem.Candidates(ptr, func(when smt.Term) {
		if !(&distances{run: r}).excluded(r.c.And(p.g.T, when)) {
			for _, sym := range r.mem.Unknowns(ptr) {
				r.resolve(sym)
			}
		}
	})
}

func (r *run) resolve(sym smt.Term) {
	x := r.opts.Induction
	t := r.links.tags[sym]
	if t == nil {
		o, ok := r.mem.OriginOf(sym)
		x.links = x.links || ok && o.Stored && o.By != ""
		return
	}
	x.follow(r, sym)
	ch := t.head.changes
	if strings.Count(t.path, ".") > unrolledMembers && r.running.cutWalk() {
		return
	}
	if !ch.links.expand[t.path] && strings.Count(t.path, ".") <= maxMemberDepth && len(ch.links.expand) < maxMembers {
		ch.links.expand[t.path], ch.stale, x.Changed = true, true, true
	}
}

// unrolledMembers is the number of members behind the first one that a loop may reach before it is cut.
const unrolledMembers = 1

// cutWalk cuts the innermost loop around the running visit that is not cut, from the next run on. It reports whether
// there is one.
func (fr *frame) cutWalk() bool {
	x := fr.r.opts.Induction
	for block := fr.visiting.block; fr != nil; block, fr = fr.callBlock, fr.caller {
		for _, l := range slices.Backward(fr.fn.Nodes[block].Loops) {
			if x.Cut[l.Name] || !fr.fn.EntersAtHead(l) {
				continue
			}
			x.Cut[l.Name], x.Changed = true, true
			for _, ch := range x.frames {
				clear(ch.links.expand)
				ch.stale = true
			}
			return true
		}
	}
	return false
}
