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
// Frees need owners among the pointers (linkedowners.go). Invariants are about one arbitrary member (linkedgeneric.go).

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
	// shared: it is no owner. followed: the program follows it from member to member. freeing: a loop that frees members
	// does so.
	shared, followed, freeing bool
	read                      bool // the program reads it as it is; other cells are known from writes only
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
	ends                      map[mem.Cell]bool // the cells that are NULL in its member (linkedends.go); false: may not be
}

// linkage is the part of the write set of a loop that concerns members.
type linkage struct {
	slots map[slot]*membership
	// fields are the targets of the pointers in members.
	fields map[mem.Cell][]linkTarget
	expand map[string]bool // paths of the tags that are objects
	freed  map[int]bool    // older objects that an iteration may free
	// anchors are older pointers that the loop does not change; true if one is no owner.
	anchors map[anchorAt]*bool
	// relinks: an iteration changes pointers in members. frees: it may free members. dangle: cells that are no owners may
	// point to freed members.
	relinks, frees, dangle bool
	cyclic                 bool // the owners in members may contain a cycle (linkedorder.go)
	// grown: a slot is new, so accesses through it were not known in this run, nor what they change.
	grown bool
}

func newLinkage() *linkage {
	return &linkage{slots: map[slot]*membership{}, fields: map[mem.Cell][]linkTarget{}, expand: map[string]bool{},
		freed: map[int]bool{}, anchors: map[anchorAt]*bool{}}
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

// slotState is a slot at a head.
type slotState struct {
	slot
	how   *membership
	value smt.Term
	null  int              // the place of the condition that it is NULL
	picks map[int]smt.Term // the conditions that it points to the members that are objects
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

// slotState returns the state of a slot; nil if the variable is none.
func (h *Head) slotState(s slot) *slotState {
	for i := range h.slots {
		if h.slots[i].slot == s {
			return &h.slots[i]
		}
	}
	return nil
}

// lives returns the condition under which a variable exists in a state: nothing is claimed of what freed memory holds.
func (fr *frame) lives(s slot, st *mem.State) smt.Term {
	if s.reg >= 0 {
		return fr.r.c.True()
	}
	return fr.r.mem.Live(st, s.cell.Obj)
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
	old, lived := make([]smt.Term, len(h.slots)), make([]smt.Term, len(h.slots)) // on entry
	for i := range h.slots {
		s := &h.slots[i]
		if s.reg >= 0 {
			old[i] = r.force(fr.regs[s.reg], fr.fn.Alloca[s.reg].ElemType).t
		} else if v := p.st.Content(s.cell.Obj); v != nil {
			old[i] = r.mem.ReadCell(v, s.cell)
		}
		lives := fr.lives(s.slot, p.st)
		lived[i] = lives
		list, ok := fr.leaves(old[i], 0, c.And(p.g.T, lives))
		for _, l := range list {
			to, is := r.linkTo(l)
			switch {
			case l.obj != mem.None:
				s.how.aim(x, linkTarget{obj: l.obj, off: l.off, first: true})
			case l.tag != 0 && (!is || to != s.how.to):
				ok = false
			case l.tag != 0:
				fr.sameAs(h, l, c.And(p.g.T, lives), func(t linkTarget) { t.first = true; s.how.aim(x, t) })
			}
		}
		if !ok {
			x.refuseSlot(h, s)
			continue
		}
		s.enter(h, x, list)
		owners = append(owners, owner{slot: s.how, guard: lives, leaves: list})
	}
	fr.entryTargets(h, p)
	h.anchors = fr.olderVariables(h, p)
	fr.freedMembers(h, p.st, p.g.T, true)
	fr.claims(h, append(owners, fr.anchors(h, p.st, p.g.T)...), p.st, p.g.T, true)
	fr.keepsOrder(h, p.st, p.g.T, true)
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
		s.picks = map[int]smt.Term{}
		null, value := fr.pointTo(h, p, link{path: fmt.Sprint(i), to: s.how.to, targets: s.how.targets,
			owner: !s.how.shared, live: !s.how.dangling, object: true, picks: s.picks}, fr.lives(s.slot, p.st), &todo)
		s.value = value
		s.null = fr.ghost(h, fmt.Sprintf("slot %d is null", i), null, c.Eq(old[i], r.mem.Int(0)), same)
		*same = c.And(*same, c.Implies(lived[i], c.Eq(value, old[i])))
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
				m.cells[cell] = r.mem.Int(0)
				ended := fr.ended(h, m, cell, p.st)
				if where := c.And(m.exists, c.Not(ended)); !c.IsFalse(where) {
					_, to := fr.pointTo(h, p, link{path: path, cell: cell, to: how.to, targets: ch.fields[cell],
						owner: !how.shared, live: !how.shared || !ch.dangle, object: ch.expand[path]}, where, &todo)
					m.cells[cell] = c.Ite(ended, r.mem.Int(0), to)
				}
			default:
				m.cells[cell] = c.Var(fmt.Sprintf("member+%d", cell.Off), smt.BV(int(cell.N)*8))
			}
		}
	}
	h.members = todo
	h.alive = map[int]smt.Term{}
	for _, id := range fr.mayBeTargets() {
		if p.st.Content(id) != nil {
			h.alive[id] = r.mem.Live(p.st, id)
		}
	}
	fr.generics(h, p, same)
}

// link describes a pointer to a member at a head.
type link struct {
	path                string
	cell                mem.Cell // in a member
	to                  linkType
	targets             []linkTarget
	owner, live, object bool
	picks               map[int]smt.Term // gets the conditions that it points to the members that are objects; or nil
}

// pointTo makes a pointer at a head: its value, and the condition that it is NULL. where is the condition under which
// the pointer exists.
func (fr *frame) pointTo(h *Head, p *path, l link, where smt.Term, todo *[]*member) (null, value smt.Term) {
	r, c := fr.r, fr.r.c
	null = c.Var("null", smt.Bool)
	rest := c.Not(null) // none of the choices so far
	type option struct{ cond, value smt.Term }
	var options []option
	choose := func(obj int, value smt.Term, facts func(chosen smt.Term) smt.Term) {
		pick := c.And(rest, c.Var("points to", smt.Bool))
		rest = c.And(rest, c.Not(pick))
		options = append(options, option{pick, value})
		if l.picks != nil {
			l.picks[obj] = pick
		}
		chosen := c.And(where, pick)
		r.event(seair.Event{Kind: seair.Assume, Guard: h.Guard, Cond: c.Implies(chosen, facts(chosen)), Site: h.Site})
	}
	for _, t := range l.targets {
		if p.st.Content(t.obj) == nil {
			continue
		}
		o := r.mem.Objects[t.obj]
		choose(t.obj, c.Add(o.Base, r.mem.IntS(t.off)), func(chosen smt.Term) smt.Term {
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
		choose(m.obj, c.Add(r.mem.Objects[m.obj].Base, r.mem.IntS(l.to.at)), func(chosen smt.Term) smt.Term {
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
		if l.picks != nil {
			l.picks[m.obj] = rest
		}
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
