package unfold

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// In a list, no member is its own successor, however far away:
//
//	struct node *p = *link;
//	*link = p->next;
//	free(p);
//
// link points into the member before p. If that could be p itself, link would dangle. So the owners in members contain
// no cycle: at a head, each member has a rank, and an owner in a member points to one with a smaller rank. That is
// claimed of all heads, and shown of each state that enters a loop or goes back.
//
// A cycle of such a state contains an owner that was stored since the last head. Of the ranks at that head, those of
// the members to which only owners in known objects point (certified), and those of new members, may be chosen anew. So
// it suffices that no cycle consists of such members alone, and that a way from a member with a rank to another one
// leads to a smaller rank.

// maxOrderSteps bounds the pointers that are followed to show that a state has an order. Members that may be linked in
// any way have many ways.
const maxOrderSteps = 5000

// order is the order of the members at a head: their ranks, and the owners in them at the head. width is that of a
// rank: there are as many ranks as a chain may have members. With too few, no state satisfies what a head assumes.
type order struct {
	width  int
	ranks  map[atom]smt.Term
	owners map[mem.Cell]smt.Term
}

// rank returns the rank of a member.
func (o *order) rank(c *smt.Context, of atom) smt.Term {
	if o.ranks[of] == 0 {
		o.ranks[of] = c.Var("rank", smt.BV(o.width))
	}
	return o.ranks[of]
}

// ownerEdge is a pointer in a member that is an owner, with one of its values.
type ownerEdge struct {
	cell mem.Cell
	to   leaf
	now  smt.Term // the value of the pointer
}

// ownerEdges returns the owners in the members of a state that are objects, by object. It returns false if one of them
// may be another address.
func (fr *frame) ownerEdges(st *mem.State, guard smt.Term) (map[int][]ownerEdge, bool) {
	r, c, x := fr.r, fr.r.c, fr.r.opts.Induction
	edges := map[int][]ownerEdge{}
	for id, o := range r.mem.Objects {
		size, ok := c.Int64(o.Size)
		v := st.Content(id)
		if !ok || v == nil || x.families[size] == nil || !r.mayBeMember(id) {
			continue
		}
		live := r.mem.Live(st, id)
		for _, cell := range x.families[size].sorted() {
			how := x.families[size].cells[cell]
			if !how.pointer || how.wild || how.shared {
				continue
			}
			at := mem.Cell{Obj: id, Off: cell.Off, N: cell.N}
			now := r.mem.ReadCell(v, at)
			leaves, ok := fr.leaves(now, 0, c.And(guard, live))
			if !ok {
				return nil, false
			}
			for _, l := range leaves {
				if l.tag != 0 || l.obj != mem.None && r.mayBeMember(l.obj) {
					l.cond = c.And(live, l.cond)
					edges[id] = append(edges[id], ownerEdge{cell: at, to: l, now: now})
				}
			}
		}
	}
	return edges, true
}

// orderMembers gives the members of a head an order.
func (fr *frame) orderMembers(h *Head, st *mem.State) {
	r, c := fr.r, fr.r.c
	if !h.linked || h.changes.links.cyclic {
		return
	}
	edges, ok := fr.ownerEdges(st, h.Guard)
	if !ok {
		r.opts.Induction.later(cyclic, &h.changes.links.cyclic)
		return
	}
	h.order = &order{width: bits.Len(uint(len(r.mem.Objects) + len(r.links.tags))), ranks: map[atom]smt.Term{},
		owners: map[mem.Cell]smt.Term{}}
	for _, id := range slices.Sorted(maps.Keys(edges)) {
		for _, e := range edges[id] {
			h.order.owners[e.cell] = e.now
			less := c.Ult(h.order.rank(c, e.to.atom()), h.order.rank(c, atom{obj: id}))
			r.event(seair.Event{Kind: seair.Assume, Guard: h.Guard, Cond: c.Implies(e.to.cond, less), Site: h.Site})
		}
	}
}

// keepsOrder gives up the order of a head if a state may have a cycle. entering: the state is the one in which the loop
// of h is entered.
func (fr *frame) keepsOrder(h *Head, st *mem.State, guard smt.Term, entering bool) {
	c, x := fr.r.c, fr.r.opts.Induction
	if x.Changed || h.changes.links.cyclic {
		return
	}
	edges, ok := fr.ownerEdges(st, guard)
	for _, k := range slices.Backward(x.Heads) {
		if !ok || !k.linked || k == h && entering {
			continue
		}
		ok = (&distances{run: fr.r}).excluded(c.And(guard, k.Guard)) ||
			k.order != nil && fr.acyclic(h, k, edges, c.And(guard, k.Guard), entering)
		guard = c.And(guard, c.Not(k.Guard))
	}
	if !ok || !(&distances{run: fr.r}).excluded(guard) && !fr.acyclic(h, nil, edges, guard, entering) {
		x.later(cyclic, &h.changes.links.cyclic)
	}
}

// acyclic reports whether the owners of a state contain no cycle. k is the last head before it; nil if there is none.
func (fr *frame) acyclic(h, k *Head, edges map[int][]ownerEdge, guard smt.Term, entering bool) bool {
	r, c := fr.r, fr.r.c
	from := slices.Sorted(maps.Keys(edges))
	free := map[int]bool{} // members whose rank may be chosen
	isFree := func(id int) bool {
		if _, known := free[id]; !known {
			free[id] = k == nil || id >= k.since || fr.certified(h, leaf{c.True(), id, 0, 0}, guard, entering)
		}
		return free[id]
	}
	steps := 0
	// walk follows the owners of a member. It began at start, and changed is set if one of the owners was stored.
	var walk func(start, at int, when smt.Term, changed bool, visited []int) bool
	walk = func(start, at int, when smt.Term, changed bool, visited []int) bool {
		for _, e := range edges[at] {
			if steps++; steps > maxOrderSteps {
				return false
			}
			cond := c.And(when, e.to.cond)
			changed := changed || k == nil || k.order.owners[e.cell] != e.now
			possible := func(cond smt.Term) bool { return !(&distances{run: r}).excluded(c.And(guard, cond)) }
			switch {
			case c.IsFalse(c.And(guard, cond)):
			case e.to.tag != 0 && slices.ContainsFunc(from, func(id int) bool {
				same := leaf{cond: c.True(), obj: id}
				return isFree(id) && fr.mayBe(e.to.tag, id) && !fr.distinct(e.to, same, c.And(guard, cond))
			}): // the way may go on there
				return false
			case e.to.tag == 0 && isFree(e.to.obj) && e.to.obj == start:
				if possible(cond) {
					return false
				}
			case e.to.tag == 0 && isFree(e.to.obj):
				if !slices.Contains(visited, e.to.obj) &&
					!walk(start, e.to.obj, cond, changed, append(visited, e.to.obj)) {
					return false
				}
			case k == nil:
				return false
			case changed && !isFree(start):
				less := c.Ult(k.order.rank(c, e.to.atom()), k.order.rank(c, atom{obj: start}))
				if possible(c.And(cond, c.Not(less))) {
					return false
				}
			}
		}
		return true
	}
	return !slices.ContainsFunc(from, func(id int) bool { return !walk(id, id, c.True(), false, []int{id}) })
}
