package unfold

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Two pointers to members may have the same target. What is known about that, in a state: which members a tag may be,
// which pointers differ, to what no member without an object points, and what is alive.

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
