package unfold

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A loop may build, walk, change and free a list or a tree of any size:
//
//	while (more()) { struct node *n = malloc(sizeof *n); n->next = head; head = n; }
//	for (struct node *p = head; p; p = p->next) ...
//
// At the head of such a loop, the state has a structure: any number of heap blocks of one size, its members. A pointer
// of the loop (a slot) and a pointer in a member (a cell) is NULL, or the address of a known object (a target), or that
// of a member. The members at which slots point are objects of the state, with arbitrary content; the pointers in these
// are chosen in the same way. All other members exist only as addresses without an object, the tags. An access through
// a tag cannot be proved; it makes the member of that tag an object from the next run on (Induction.expand). Two
// pointers may point to the same member, so each one is a choice between the members before it and one of its own. This
// is lazy initialization (Khurshid, Pasareanu and Visser, "Generalized Symbolic Execution for Model Checking and
// Testing", 2003), at a loop head, with any number of further members behind the tags.
//
// By induction on the iterations, every state at a back edge has such a structure if the pointers there are what the
// head allows (linkedBack). What is not an object at the head cannot be changed by the iteration.
//
// Frees need more, because a member without an object may point to the freed one. So some pointers are owners: no two
// owners point to the same member, and what they point to is alive. Each slot and each cell is one at first, and is
// demoted when a state shows that it may not be. If an owner pointed to a member at the head, no owner in a member
// without an object does. So such a member may be freed, if no owner points to it at the back edge (freedMembers).
// A slot that is no owner still points to a live member where that is shown at each back edge. A cell that is none may
// dangle once a member was freed.
//
// One arbitrary member, Generic, stands for all in invariants: its data are places of the head (Place.Generic), whose
// values at a back edge are those of any member there.

// family is a kind of members: all heap blocks of one size. It lives across the runs of one proof.
type family struct {
	size  int64
	cells map[mem.Cell]*memberCell // by offset and width; Obj is -1
}

// memberCell is what is known of the bytes of a member at a constant offset.
type memberCell struct {
	// pointer: it holds NULL, the address of a target, or that of a member, at the given offset in it. wild: it may hold
	// any other address.
	pointer, wild bool
	to            linkType
	// shared: it is no owner. followed: the program follows it from member to member.
	shared, followed bool
	read             bool // the program reads it as it is; other cells are known from writes only
}

// linkType is the type of a pointer to a member: the size of the member, and the offset in it.
type linkType struct{ size, at int64 }

// linkTarget is an object of the state to which a pointer may point. first: only when the loop is entered. late: only
// after an iteration. own: an iteration of the loop may store its address in a member.
type linkTarget struct {
	obj              int
	off              int64
	first, late, own bool
}

// membership is what is known of a slot that points to members.
type membership struct {
	to      linkType
	targets []linkTarget
	// shared: it is no owner. dangling: the member may have been freed. refused: it is no such pointer.
	shared, dangling, refused bool
}

// linkage is the part of the write set of a loop that concerns members.
type linkage struct {
	slots map[slot]*membership
	// fields are the targets of the pointers in members.
	fields map[mem.Cell][]linkTarget
	expand map[string]bool // paths of the tags that are objects
	freed  map[int]bool    // older objects that an iteration may free
	// anchors are the pointers in older members; true if one is no owner.
	anchors map[mem.Cell]*bool
	// relinks: an iteration changes pointers in members. frees: it may free members. dangle: cells that are no owners may
	// point to freed members.
	relinks, frees, dangle bool
	// grown: a slot is new, so accesses through it were not known in this run, nor what they change.
	grown bool
}

func newLinkage() *linkage {
	return &linkage{slots: map[slot]*membership{}, fields: map[mem.Cell][]linkTarget{}, expand: map[string]bool{},
		freed: map[int]bool{}, anchors: map[mem.Cell]*bool{}}
}

// member is a member of a structure that is an object.
type member struct {
	obj     int
	head    *Head
	fam     *family
	path    string
	exists  smt.Term
	byOwner bool // an owner made it
	cells   map[mem.Cell]smt.Term
	content smt.Func
}

// tag is the address of a member that is no object. live: it is alive at the head.
type tag struct {
	head        *Head
	path        string
	cell        mem.Cell
	to          linkType
	owner, live bool
	before      int // objects with this number or a larger one were made after it
}

// Generic is an arbitrary member at a head.
type Generic struct {
	Exists smt.Term
	Cells  []mem.Cell // in the order of Data
	Data   []smt.Term
	// Members are the values of Exists and Data for each member that is an object.
	Members [][]smt.Term

	fam   *family
	place int // of Exists; those of Data follow
}

// Size returns the size of the member, in bytes.
func (g *Generic) Size() int64 { return g.fam.size }

// Place returns the index of the place of the k-th of Data.
func (g *Generic) Place(k int) int { return g.place + 1 + k }

// slotState is a slot at a head.
type slotState struct {
	slot
	how   *membership
	value smt.Term
	null  int // the place of the condition that it is NULL
}

// Limits of the objects that stand for members at one head, and of the depth of their paths from a slot.
const (
	maxMembers     = 10
	maxMemberDepth = 4
	maxMemberCells = 32
	maxMemberSize  = 1 << 16
)

// links are the members of a run that are objects, and the tags.
type links struct {
	members map[int]*member
	tags    map[smt.Term]*tag
}

// family returns the family of a size.
func (x *Induction) family(size int64) *family {
	if x.families[size] == nil { // the heads so far have no arbitrary member of it
		x.families[size], x.Changed = &family{size: size, cells: map[mem.Cell]*memberCell{}}, true
	}
	return x.families[size]
}

// sorted returns the cells of a family, by offset.
func (f *family) sorted() []mem.Cell {
	return slices.SortedFunc(maps.Keys(f.cells), func(a, b mem.Cell) int { return cmp.Compare(a.Off, b.Off) })
}

// grow sets a flag, and records that the run has to be repeated.
func (x *Induction) grow(flag *bool) {
	if !*flag {
		*flag, x.Changed = true, true
	}
}

// Settled reports whether a run was the last one: nothing has changed, all claims about owners hold, and no structure
// is to be tried. Claims are judged only by a run in which nothing else changed, and the ones that cost least are given
// up first.
func (x *Induction) Settled() bool {
	for i := 0; i < ranks && !x.Changed; i++ {
		for _, give := range x.demotions[i] {
			give()
		}
	}
	if !x.Changed && x.links && !x.linked {
		x.linked, x.Changed, x.Refused = true, true, ""
		x.frames = map[string]*changes{}
	}
	x.Changed = x.Changed || x.forgetCells()
	return !x.Changed
}

// Linked reports whether loops may have members of structures.
func (x *Induction) Linked() bool { return x.linked }

// leaf is one value that a pointer may have, with the condition: NULL, an object at a constant offset, or a tag.
type leaf struct {
	cond smt.Term
	obj  int // mem.None for NULL and for a tag
	off  int64
	tag  smt.Term // 0 for none
}

// atom is what a leaf points to: an object, or the member of a tag.
type atom struct {
	obj int
	tag smt.Term
}

func (l leaf) atom() atom { return atom{l.obj, l.tag} }

func (l leaf) null() bool { return l.obj == mem.None && l.tag == 0 }

// leaves splits a pointer into the values that it may have under a guard, other than own. It returns false if one of
// them is neither NULL nor the address of an object or a member.
func (fr *frame) leaves(v, own, guard smt.Term) ([]leaf, bool) {
	r, c := fr.r, fr.r.c
	if v == 0 || c.Sort(v).IsBool() || c.Width(v) != r.mem.Width {
		return nil, false
	}
	var out []leaf
	fine := true
	q := &distances{run: r}
	var number func(t, cond smt.Term, depth int)
	number = func(t, cond smt.Term, depth int) {
		switch {
		case !fine || t == own || q.excluded(c.And(guard, cond)):
		case t == r.mem.Int(0):
			out = append(out, leaf{cond, mem.None, 0, 0})
		case c.Op(t) == smt.OpIte && depth > 0:
			number(c.Arg(t, 1), c.And(cond, c.Arg(t, 0)), depth-1)
			number(c.Arg(t, 2), c.And(cond, c.Not(c.Arg(t, 0))), depth-1)
		default:
			off, parts := c.SumParts(t)
			if len(parts) != 1 || parts[0].Coef != 1 || r.links.tags[parts[0].T] == nil {
				fine = false
				return
			}
			at := int64(off << (64 - r.mem.Width) >> (64 - r.mem.Width))
			out = append(out, leaf{cond, mem.None, at + r.links.tags[parts[0].T].to.at, parts[0].T})
		}
	}
	for _, x := range r.mem.Candidates(v, mem.AsNoObject) {
		if x.Obj == mem.None {
			number(x.Off, x.Cond, maxDistanceDepth)
			continue
		}
		if q.excluded(c.And(guard, x.Cond)) {
			continue
		}
		off, ok := c.Int64(x.Off)
		if !ok {
			return nil, false
		}
		out = append(out, leaf{x.Cond, x.Obj, off, 0})
	}
	return out, fine
}

// linkTo returns the type of the link that a leaf is; false for NULL and for objects that are no members.
func (r *run) linkTo(l leaf) (linkType, bool) {
	if l.tag != 0 {
		return linkType{r.links.tags[l.tag].to.size, l.off}, true
	}
	if l.obj == mem.None || !r.mayBeMember(l.obj) {
		return linkType{}, false
	}
	size, _ := r.c.Int64(r.mem.Objects[l.obj].Size)
	return linkType{size, l.off}, true
}

// mayBeMember reports whether an object has the properties of a member.
func (r *run) mayBeMember(id int) bool {
	size, ok := r.c.Int64(r.mem.Objects[id].Size)
	return ok && size > 0 && size <= maxMemberSize && r.mayBeBlock(id)
}

// mayLink reports whether the pointer of a variable is a slot from the next run on: it points to a member at a back
// edge or on entry. It records that.
func (fr *frame) mayLink(h *Head, s slot, pl Place, now, guard smt.Term) bool {
	x, slots := fr.r.opts.Induction, h.changes.links.slots
	if !x.linked || s == noSlot || slots[s] != nil && slots[s].refused {
		return false
	}
	to, ok := fr.pointsTo(h, now, pl.Sym, guard, false)
	if c := fr.r.c; !ok && pl.Pointer { // as in the first iteration
		to, ok = fr.pointsTo(h, c.Substitute(now, map[smt.Term]smt.Term{pl.Sym: fr.r.mem.Int(0)}), 0, guard, false)
	}
	if !ok {
		to, ok = fr.pointsTo(h, pl.entry, 0, h.Guard, true)
	}
	if ok {
		slots[s], h.changes.stale, x.Changed = &membership{to: to}, true, true
		h.changes.links.grown = true
	}
	return ok
}

// pointsTo returns the type of a pointer to members that is not own; false if it is none. older: any block may be one.
func (fr *frame) pointsTo(h *Head, v, own, guard smt.Term, older bool) (to linkType, ok bool) {
	list, ok := fr.leaves(v, own, guard)
	for _, l := range list {
		is, link := fr.r.linkTo(l)
		if !link || l.tag == 0 && l.obj < h.since && fr.r.links.members[l.obj] == nil && !older {
			continue
		}
		if ok = ok && (to.size == 0 || to == is); !ok {
			return to, false
		}
		to = is
	}
	return to, ok && to.size != 0
}

// slotState returns the state of a slot; nil if the variable is none.
func (h *Head) slotState(s slot) *slotState {
	for i := range h.slots {
		if h.slots[i].slot == s {
			return &h.slots[i]
		}
	}
	return nil
}

// isMember reports whether an object is a member that the head has made.
func (fr *frame) isMember(h *Head, id int) bool {
	m := fr.r.links.members[id]
	return m != nil && m.head == h
}

// linkSlots makes the members at which the slots of a head point, their pointers, and the generic members.
func (fr *frame) linkSlots(h *Head, p *path, same *smt.Term) {
	r, c, x, ch := fr.r, fr.r.c, fr.r.opts.Induction, h.changes.links
	for _, s := range slices.SortedFunc(maps.Keys(ch.slots), slot.compare) {
		if !ch.slots[s].refused {
			h.slots = append(h.slots, slotState{slot: s, how: ch.slots[s]})
		}
	}
	if len(x.families) == 0 && len(h.slots) == 0 {
		return
	}
	h.linked = true
	if p.st.Limits.Inner != nil {
		x.refuse("a loop over a list in a function with a contract")
		return
	}
	var owners []owner
	old := make([]smt.Term, len(h.slots))
	for i := range h.slots {
		s := &h.slots[i]
		if s.reg >= 0 {
			old[i] = r.force(fr.regs[s.reg], fr.fn.Alloca[s.reg].ElemType).t
		} else if v := p.st.Content(s.cell.Obj); v != nil {
			old[i] = r.mem.ReadCell(v, s.cell)
		}
		list, ok := fr.leaves(old[i], 0, p.g.T)
		for _, l := range list {
			to, is := r.linkTo(l)
			switch {
			case l.obj != mem.None:
				s.how.aim(x, linkTarget{obj: l.obj, off: l.off, first: true})
			case l.tag != 0 && (!is || to != s.how.to):
				ok = false
			case l.tag != 0:
				fr.sameAs(h, l, p.g.T, func(t linkTarget) { t.first = true; s.how.aim(x, t) })
			}
		}
		if !ok {
			x.refuseSlot(h, s)
			continue
		}
		owners = append(owners, owner{slot: s.how, guard: p.g.T, leaves: list})
	}
	fr.entryTargets(h, p)
	fr.freedMembers(h, p.st, p.g.T, true)
	fr.claims(h, append(owners, fr.anchors(h, p.st, p.g.T)...), p.st, p.g.T, true)
	h.owned = map[atom]smt.Term{}
	for _, id := range slices.Sorted(maps.Keys(ch.freed)) {
		if p.st.Content(id) != nil {
			gone := c.Var("freed", smt.Bool)
			r.mem.Kill(p.st, id, gone)
			*same = c.And(*same, c.Not(gone))
			h.own(c, atom{obj: id}, c.And(r.mem.Made(p.st, id), c.Not(r.mem.Live(p.st, id))))
		}
	}
	for _, o := range fr.anchors(h, p.st, p.g.T) {
		for _, l := range o.leaves {
			if l.null() {
				continue
			}
			holds := c.And(o.guard, l.cond)
			fact := h.own(c, l.atom(), holds)
			if l.obj != mem.None {
				fact = c.And(fact, r.mem.Live(p.st, l.obj))
			}
			r.event(seair.Event{Kind: seair.Assume, Guard: h.Guard, Cond: c.Implies(holds, fact), Site: h.Site})
		}
	}
	var todo []*member
	for i := range h.slots {
		s := &h.slots[i]
		null, value := fr.pointTo(h, p, link{path: fmt.Sprint(i), to: s.how.to, targets: s.how.targets,
			owner: !s.how.shared, live: !s.how.dangling, object: true}, c.True(), &todo)
		s.value = value
		s.null = fr.ghost(h, fmt.Sprintf("slot %d is null", i), null, c.Eq(old[i], r.mem.Int(0)), same)
		*same = c.And(*same, c.Eq(value, old[i]))
	}
	for k := 0; k < len(todo); k++ {
		m := todo[k]
		m.cells = map[mem.Cell]smt.Term{}
		for _, cell := range m.fam.sorted() {
			how := m.fam.cells[cell]
			path := fmt.Sprintf("%s.%d", m.path, cell.Off)
			switch {
			case how.wild:
				t := c.Var("pointer", smt.BV(int(cell.N)*8))
				r.mem.MayPoint(t, fr.changed())
				m.cells[cell] = t
			case how.pointer:
				_, m.cells[cell] = fr.pointTo(h, p, link{path: path, cell: cell, to: how.to, targets: ch.fields[cell],
					owner: !how.shared, live: !how.shared || !ch.dangle, object: ch.expand[path]}, m.exists, &todo)
			default:
				m.cells[cell] = c.Var(fmt.Sprintf("member+%d", cell.Off), smt.BV(int(cell.N)*8))
			}
		}
	}
	h.members = todo
	fr.generics(h, p, same)
}

// link describes a pointer to a member at a head.
type link struct {
	path                string
	cell                mem.Cell // in a member
	to                  linkType
	targets             []linkTarget
	owner, live, object bool
}

// pointTo makes a pointer at a head: its value, and the condition that it is NULL. where is the condition under which
// the pointer exists.
func (fr *frame) pointTo(h *Head, p *path, l link, where smt.Term, todo *[]*member) (null, value smt.Term) {
	r, c := fr.r, fr.r.c
	null = c.Var("null", smt.Bool)
	rest := c.Not(null) // none of the choices so far
	type option struct{ cond, value smt.Term }
	var options []option
	choose := func(value smt.Term, facts func(chosen smt.Term) smt.Term) {
		pick := c.And(rest, c.Var("points to", smt.Bool))
		rest = c.And(rest, c.Not(pick))
		options = append(options, option{pick, value})
		chosen := c.And(where, pick)
		r.event(seair.Event{Kind: seair.Assume, Guard: h.Guard, Cond: c.Implies(chosen, facts(chosen)), Site: h.Site})
	}
	for _, t := range l.targets {
		if p.st.Content(t.obj) == nil {
			continue
		}
		o := r.mem.Objects[t.obj]
		choose(c.Add(o.Base, r.mem.IntS(t.off)), func(chosen smt.Term) smt.Term {
			fact := c.True()
			if l.owner {
				fact = h.own(c, atom{obj: t.obj}, chosen)
			}
			fact = c.And(fact, r.mem.Made(p.st, t.obj), c.Or(c.BoolConst(!t.first), h.First),
				c.Not(c.And(c.BoolConst(t.late), h.First)))
			if l.cell.N > 0 && l.owner && !t.own {
				fact = c.And(fact, r.opts.Induction.heldAtFirst(c, h, t.obj))
			}
			if l.live && o.Kind == mem.Heap {
				fact = c.And(fact, r.mem.Live(p.st, t.obj))
			}
			return fact
		})
	}
	for _, m := range *todo {
		if m.fam.size != l.to.size || l.owner && m.byOwner {
			continue
		}
		choose(c.Add(r.mem.Objects[m.obj].Base, r.mem.IntS(l.to.at)), func(chosen smt.Term) smt.Term {
			fact := m.exists
			if l.owner {
				fact = c.And(fact, h.own(c, atom{obj: m.obj}, chosen))
			}
			if l.live {
				fact = c.And(fact, r.mem.Live(p.st, m.obj))
			}
			return fact
		})
	}
	if l.object && len(*todo) < maxMembers {
		m := &member{head: h, fam: r.opts.Induction.family(l.to.size), path: l.path, exists: c.And(where, rest),
			byOwner: l.owner}
		o := r.mem.NewObject(p.st, mem.Object{Kind: mem.Heap, Name: "member " + l.path, Align: r.heapAlign(),
			Size: r.mem.IntS(l.to.size), Guard: c.And(p.g.T, m.exists)}, r.mem.Zero(), m.exists)
		m.obj = o.ID
		if l.owner {
			h.own(c, atom{obj: m.obj}, m.exists)
		}
		r.allocSite[o.ID] = h.Site
		if !l.live {
			gone := c.Var("freed", smt.Bool)
			r.mem.Kill(p.st, o.ID, gone)
			h.own(c, atom{obj: m.obj}, c.And(m.exists, gone))
		}
		if !c.IsFalse(p.st.Tracking) {
			r.mem.SetModified(p.st, o.ID, c.Var("modified", smt.Bool))
		}
		r.links.members[o.ID] = m
		*todo = append(*todo, m)
		value = c.Add(o.Base, r.mem.IntS(l.to.at))
	} else {
		value = c.Var("member "+l.path, smt.BV(r.mem.Width))
		r.mem.MayPoint(value, fr.changed())
		if l.owner {
			h.own(c, atom{mem.None, value}, c.And(where, rest))
		}
		r.links.tags[value] = &tag{head: h, path: l.path, cell: l.cell, to: l.to, owner: l.owner, live: l.live,
			before: len(r.mem.Objects)}
		r.event(seair.Event{Kind: seair.Assume, Guard: h.Guard, Cond: c.Ne(value, r.mem.Int(0)), Site: h.Site})
	}
	for _, o := range slices.Backward(options) {
		value = c.Ite(o.cond, o.value, value)
	}
	return null, c.Ite(null, r.mem.Int(0), value)
}

// own records that an owner points to something under a condition, or that it was freed. Then no owner in a member
// without an object points to it. It returns the condition under which this was not known before.
func (h *Head) own(c *smt.Context, to atom, when smt.Term) (noOther smt.Term) {
	was, ok := h.owned[to]
	if !ok {
		was = c.False()
	}
	h.owned[to] = c.Or(was, c.And(h.Guard, when))
	return c.Not(was)
}

// fillMembers gives the members of a head their content.
func (fr *frame) fillMembers(h *Head, p *path) {
	r := fr.r
	for _, m := range h.members {
		v, f := r.mem.Arbitrary("content of a member")
		r.mem.ContentMayPoint(f, fr.changed())
		m.content = f
		cells := m.fam.sorted()
		values := make([]smt.Term, len(cells))
		for i, cell := range cells {
			values[i] = m.cells[cell]
		}
		r.mem.SetContent(p.st, m.obj, r.mem.WithCells(v, cells, values), r.c.False())
	}
}

// ghost adds a place that is no variable, and returns its index.
func (fr *frame) ghost(h *Head, name string, sym, old smt.Term, same *smt.Term) int {
	*same = fr.r.c.And(*same, fr.r.c.Eq(sym, old))
	h.Places = append(h.Places, Place{Name: name, Sym: sym, Old: old, Ghost: true})
	h.regs, h.cells, h.held = append(h.regs, -1), append(h.cells, mem.Cell{Obj: -1}), append(h.held, cellChange{})
	return len(h.Places) - 1
}

// generics makes an arbitrary member of each family at a head. It does so whether or not the loop has slots, because
// loops in it may change members.
func (fr *frame) generics(h *Head, p *path, same *smt.Term) {
	r, c := fr.r, fr.r.c
	for _, size := range slices.Sorted(maps.Keys(r.opts.Induction.families)) {
		fam := r.opts.Induction.families[size]
		g := &Generic{fam: fam}
		for _, cell := range fam.sorted() {
			if how := fam.cells[cell]; !how.pointer && !how.wild && cell.N <= 8 {
				g.Cells = append(g.Cells, cell)
			}
		}
		var before [][]smt.Term // the arbitrary members of earlier heads
		for _, e := range r.opts.Induction.Heads {
			if o := e.generic(fam); e != h && o != nil {
				before = append(before, o.row(c, e.Guard, g.Cells))
			}
		}
		old := fr.anyOf(before, g)
		exists := c.Var("exists", smt.Bool)
		g.Exists, g.place = exists, fr.ghost(h, "a member exists", exists, old[0], same)
		for i, cell := range g.Cells {
			sym := c.Var(fmt.Sprintf("any member+%d", cell.Off), smt.BV(int(cell.N)*8))
			fr.ghost(h, fmt.Sprintf("any member+%d", cell.Off), sym, old[i+1], same)
			g.Data = append(g.Data, sym)
		}
		for _, m := range h.members {
			if m.fam == fam {
				row := []smt.Term{c.And(m.exists, r.mem.Live(p.st, m.obj))}
				for _, cell := range g.Cells {
					row = append(row, m.cells[cell])
				}
				g.Members = append(g.Members, row)
			}
		}
		h.Generics = append(h.Generics, g)
	}
}

// generic returns the arbitrary member of a family; nil if the head has none.
func (h *Head) generic(fam *family) *Generic {
	for _, g := range h.Generics {
		if g.fam == fam {
			return g
		}
	}
	return nil
}

// row returns the condition that the arbitrary member exists under a guard, and its data.
func (g *Generic) row(c *smt.Context, guard smt.Term, cells []mem.Cell) []smt.Term {
	row := []smt.Term{c.And(guard, g.Exists)}
	for _, cell := range cells {
		if k := slices.Index(g.Cells, cell); k >= 0 {
			row = append(row, g.Data[k])
		} else {
			row = append(row, c.Var("any", smt.BV(int(cell.N)*8)))
		}
	}
	return row
}

// anyOf returns any one of the rows: whether it exists, and its data. Without any, nothing exists.
func (fr *frame) anyOf(rows [][]smt.Term, g *Generic) []smt.Term {
	c := fr.r.c
	if len(rows) == 0 {
		out := []smt.Term{c.False()}
		for _, cell := range g.Cells {
			out = append(out, c.Var("none", smt.BV(int(cell.N)*8)))
		}
		return out
	}
	out := slices.Clone(rows[0])
	for _, row := range rows[1:] {
		pick := c.Var("any member is", smt.Bool)
		for i := range out {
			out[i] = c.Ite(pick, row[i], out[i])
		}
	}
	return out
}
