package unfold

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/flow"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A loop may be cut at its head: everything that it changes is made arbitrary there, and its body is executed once
// from that state. Package vcgen/induction then searches for loop invariants.
//
// The write set of a loop is not computed in advance. A run starts from a guess, executes the body from a state that
// is arbitrary in the guessed places, and compares the state at each back edge with the state at the head. Every other
// difference is added to the guess, and the run is repeated. A run without new differences is sound: by induction on
// the iterations, each state in which the head is reached is one of the states from which the body was executed. So
// calls, library functions, aliases and errno need no special treatment. Components of the state other than registers
// and objects must be equal at the head and at the back edge. If they are not, the loop is cut at the next arrival at
// its head (cutting.go): the frame of a contract begins at the first one.

// Induction selects the loops that are cut at their heads. It lives across the runs of one proof.
type Induction struct {
	// Cut are the loops, by name. Loops that turn out to be long are added.
	Cut map[string]bool
	// Heads are the loop heads that the last run reached, in execution order.
	Heads []*Head
	// Changed is set if the write set of a loop grew, or another loop is to be cut: the run has to be repeated.
	Changed bool
	// arrivals are, by the name of a loop, the arrivals at its head before the one at which it is cut.
	arrivals map[string]int
	// Refused is the reason why the program cannot be proved by cutting these loops; "" if it can.
	Refused string

	repeat  bool            // another loop is to be cut: this run is of no use
	frees   bool            // an iteration frees memory that is older than the loop, other than a Block
	cutting map[string]bool // in this run
	frames  map[string]*changes
	seen    map[string]int
	// positions are the symbols of places that are measured from the begin of their object.
	positions map[smt.Term]*Head

	// linked: loops may have members (linked.go). links: an access needs them. families are the members by their size.
	linked, links bool
	families      map[int64]*family
	demotions     [ranks][]func() // what is given up if claims about pointers do not hold, by rank
}

// NewInduction returns an Induction that cuts the named loops.
func NewInduction(names []string) *Induction {
	x := &Induction{Cut: map[string]bool{}, frames: map[string]*changes{}, arrivals: map[string]int{},
		families: map[int64]*family{}}
	for _, n := range names {
		x.Cut[n] = true
	}
	return x
}

// Cuts reports whether all named loops are cut.
func (x *Induction) Cuts(names []string) bool {
	return !slices.ContainsFunc(names, func(n string) bool { return !x.Cut[n] })
}

// Endless reports whether a loop without an exit was cut at its head; false for no induction.
func (x *Induction) Endless() bool {
	return x != nil && slices.ContainsFunc(x.Heads, (*Head).Endless)
}

// Endless reports whether h is the head of a loop without an exit.
func (h *Head) Endless() bool { return h.loop != nil && h.Fn.Endless(h.loop) }

// ErrRepeat is the error of a run that was ended because another loop is to be cut at its head.
var ErrRepeat = errors.New("another loop is to be cut: the unfolding has to be repeated")

// repeats reports whether the run ends with ErrRepeat.
func (r *run) repeats() bool { return r.opts.Induction != nil && r.opts.Induction.repeat }

// begin prepares a run.
func (x *Induction) begin() {
	x.dropStale()
	x.Heads, x.Changed, x.frees, x.repeat, x.Refused, x.seen = nil, false, false, false, "", map[string]int{}
	x.positions = map[smt.Term]*Head{}
	x.cutting, x.demotions = maps.Clone(x.Cut), [ranks][]func(){}
}

// dropStale forgets the write sets that name objects by numbers which the next run gives to others.
func (x *Induction) dropStale() {
	for _, h := range x.Heads {
		if ch := h.changes; ch.links.grown { // what accesses through unknown pointers changed
			fresh := newChanges()
			fresh.regs, fresh.links, fresh.stale = ch.regs, ch.links, ch.stale
			*ch, ch.links.grown = *fresh, false
		}
	}
	for i, h := range x.Heads {
		if !h.changes.stale {
			continue
		}
		h.changes.stale, h.changes.escaped = false, map[int]acquaintance{}
		valid := map[string]*changes{}
		for _, g := range x.Heads[:i+1] {
			valid[g.key] = g.changes
			for _, how := range g.changes.owners { // what was seen behind later heads is uncertain
				*how = ownership{refused: how.refused}
			}
		}
		x.frames = valid
		return
	}
}

// forgetCells forgets, once for each loop, the cells of objects that may change anywhere, and reports whether there are
// any. Many were found by a run to which the pointer that writes them was still a constant. The next run finds those
// that are written at constant offsets.
func (x *Induction) forgetCells() (some bool) {
	for _, h := range x.Heads {
		if h.changes.reduced {
			continue
		}
		h.changes.reduced = true
		for _, d := range h.Contents {
			for _, k := range d.Cells {
				if s := inMemory(k); h.pointerAt(s) != 0 || h.leader(s) != nil {
					continue // blocks are known by their slots
				}
				some = some || h.changes.cells[k] != nil && !h.changes.cells[k].kept
				delete(h.changes.cells, k)
			}
		}
	}
	return some
}

func (x *Induction) refuse(why string) {
	if x.Refused == "" {
		x.Refused = why
	}
}

// changes is the write set of a loop, as far as it is known.
type changes struct {
	regs     map[int]bool // registers of its function
	cells    map[mem.Cell]*cellChange
	wholes   map[int]bool // objects that may change anywhere
	modified map[int]bool
	escaped  map[int]acquaintance
	// wild are registers whose pointers may leave their object. addresses are registers without a pointer type that
	// hold addresses.
	wild, addresses map[int]bool
	// tables are objects that may change anywhere and may hold addresses.
	tables map[int]bool
	// owners are pointers to blocks that the loop replaces; follows are pointers at a known distance from one of these.
	owners  map[slot]*ownership
	follows map[slot]slot
	links   *linkage
	// stale: the blocks have changed, so later objects have other numbers in the next run.
	stale bool
	// reduced: forgetCells was done.
	reduced bool
	// address: the result of a recursive function may be any address. Otherwise from is 1 plus the number of the parameter
	// from which it is measured, or 0 if it is no pointer. null: it may be NULL, too.
	address, null bool
	from          int
}

func newChanges() *changes {
	return &changes{regs: map[int]bool{}, cells: map[mem.Cell]*cellChange{}, wholes: map[int]bool{},
		modified: map[int]bool{}, escaped: map[int]acquaintance{}, wild: map[int]bool{}, addresses: map[int]bool{},
		tables: map[int]bool{}, owners: map[slot]*ownership{}, follows: map[slot]slot{},
		links: newLinkage()}
}

type cellChange struct {
	// kept: the cell is a part of an object that may change anywhere, but the cell itself has not changed so far. lost:
	// it is not told apart from the rest of the object any more. address: it may hold an address.
	kept, lost, wild, address bool
}

// Place is a scalar that a loop changes. Sym is its arbitrary value at the head, Old its value on entry to the loop.
// For a pointer that stays in its object, both are distances: from the begin of the object if Start is set, otherwise
// from the address on entry.
type Place struct {
	Name     string
	Sym, Old smt.Term
	Pointer  bool
	Start    bool
	// Block is set if it describes a block instead of a variable. Leader is set if it is a pointer, and the distance is
	// that from the pointer to this block.
	Block, Leader *Block
	// Ghost: it describes the members of a structure instead of a variable.
	Ghost bool

	entry smt.Term // the value on entry
}

// Contents is an object that a loop may change anywhere. New is its content at the head: the function Func, except for
// known values at constant offsets. Old is its content on entry to the loop.
type Contents struct {
	Obj      int
	New, Old *mem.Version
	Func     smt.Func
	Cells    []mem.Cell
}

// Head is a loop that was cut at its head, at one place of the execution.
type Head struct {
	Loop  string
	Site  *seair.Site
	Guard smt.Term
	// Entry is the event of the obligation that the invariant holds on entry to the loop. Event is the event that
	// assumes the invariant. Both conditions are true at first; vcgen/induction sets that of Event to the invariants
	// that it finds.
	Entry, Event int
	// First is true in the state in which the loop is entered, before its first iteration.
	First  smt.Term
	Places []Place
	// Compared are choices of positions in an object, with which the program compares places that are measured from its
	// begin.
	Compared []smt.Term
	Contents []Contents
	Blocks   []*Block
	Generics []*Generic
	Back     []Back
	// Reads and Last are the number of reads of arbitrary content, and the last function, when the head was reached.
	// Later ones are content that was created in the loop or behind it.
	Reads int
	Last  smt.Func
	// Fn is the function, At the first instruction of the head that has a position. Vars maps the registers of live
	// variables to their content at the head: the value, or the address of a variable in memory.
	Fn   *flow.Function
	At   *llvmir.Instr
	Vars map[int]smt.Term

	// Before is the number of arrivals at the head before the one at which the loop was cut.
	Before int

	// Begin is set if this is the end of an arbitrary activation of a recursive function, whose begin that is. Calls are
	// then the calls that the invariant replaces.
	Begin *Head
	Calls []Replaced
	// From is 1 plus the number of the parameter in whose object the result points; 0 if it is a number. The second place
	// then is whether it is NULL instead, if it may be.
	From      int
	MayBeNull bool

	loop    *flow.Loop // nil for an activation
	cells   []mem.Cell // of the places in memory; Obj is -1 for those in registers
	held    []cellChange
	regs    []int
	iters   []int32
	changes *changes
	anchors []anchor
	alive   map[int]smt.Term // the conditions that members and their targets are alive
	key     string           // of its changes
	since   int              // objects with this number or a larger one are created in the loop
	live    map[int]value
	state   *mem.State
	escaped map[int]acquaintance
	linked  bool // there are members
	slots   []slotState
	members []*member
	owned   map[atom]smt.Term // conditions under which an owner at the head points to something
	order   *order            // of the members; nil if the owners in them may contain a cycle
}

// Back is a back edge: the state at its end.
type Back struct {
	Guard  smt.Term
	Event  int // of the obligation that the invariant holds again
	Values []smt.Term
	State  *mem.State
	// Reads is the number of reads of arbitrary content so far.
	Reads int
}

// placeKey names a head, by its loop and calls, and counts how often the run has reached it.
func (x *Induction) placeKey(name string, site *seair.Site) string {
	for s := site; s != nil; s = s.Caller {
		name += "<" + strconv.Itoa(s.ID)
	}
	x.seen[name]++
	return name
}

// arbitraryHead makes everything that the loop can change arbitrary in the state at its head.
func (fr *frame) arbitraryHead(v *visit, l *flow.Loop, phis []*llvmir.Instr, p *path) {
	r, c, x := fr.r, fr.r.c, fr.r.opts.Induction
	bi := &fr.fn.Nodes[v.block]
	key := x.placeKey(l.Name, fr.site)
	if x.seen[key] > manyHeadsOfLoop && len(x.Heads) > manyHeads {
		fr.cutAround(l)
	}
	key = fmt.Sprintf("%s@%d", key, x.seen[key])
	ch := x.frames[key]
	if ch == nil {
		ch = newChanges()
		for b, blk := range fr.fn.Blocks {
			// What changes in the first iterations only is not to be guessed: it has to be known in all others.
			if x.arrivals[l.Name] > 0 || !slices.Contains(fr.fn.Nodes[b].Loops, l) {
				continue
			}
			for _, in := range blk.Instrs {
				if in.Op == llvmir.OpStore && in.Args[1].Kind == llvmir.OperandReg && fr.fn.Promoted[in.Args[1].Reg] {
					ch.regs[in.Args[1].Reg] = true
				}
			}
		}
		x.frames[key] = ch
	}
	if old := fr.heads[l]; old != nil && slices.Equal(old.iters, v.iters) {
		x.refuse("a loop that is entered several times in a row")
	}
	at := fr.loopAt(l)
	h := &Head{Loop: l.Name, loop: l, Site: fr.loopSite(l), Guard: p.g.T,
		First: c.Var("first "+l.Name, smt.Bool), changes: ch, key: key,
		iters: slices.Clone(v.iters), Before: x.arrivals[l.Name],
		live: map[int]value{}, Fn: fr.fn, At: at, Vars: map[int]smt.Term{}}
	if fr.heads == nil {
		fr.heads = map[*flow.Loop]*Head{}
	}
	fr.heads[l] = h
	x.Heads = append(x.Heads, h)
	h.Entry = r.event(seair.Event{Kind: seair.Obligation, Guard: h.Guard, Cond: c.True(), Site: h.Site,
		Check: found.LoopInvariant, Found: true})
	same := c.True()
	fr.ownedBlocks(h, p, &same)
	fr.linkSlots(h, p, &same)
	place := func(name string, s slot, old value, t *llvmir.Type, wild, address bool) value {
		old = r.force(old, t)
		if old.t == 0 {
			old = r.undef(t, p, at.ID)
		}
		if old.t == 0 {
			x.refuse("a loop that carries a value of several parts")
			return old
		}
		pl := Place{Name: name, Old: old.t, Pointer: isPointer(t), entry: old.t}
		if b := h.block(s); b != nil {
			h.Places = append(h.Places, Place{})
			return value{t: b.value}
		}
		if b := h.slotState(s); b != nil {
			h.Places = append(h.Places, Place{})
			return value{t: b.value}
		}
		out := fr.arbitrary(h, &pl, s, wild, address)
		same = c.And(same, c.Eq(pl.Sym, pl.Old))
		h.Places = append(h.Places, pl)
		return value{t: out}
	}
	for _, reg := range bi.Live {
		if ch.regs[reg] {
			t := (*llvmir.Type)(nil)
			if al := fr.fn.Alloca[reg]; al != nil && fr.fn.Promoted[reg] {
				t = al.ElemType
			} else {
				x.refuse("a loop that carries a value which is not a variable")
				continue
			}
			fr.regs[reg] = place(fr.fn.RegName(reg), inRegister(reg), fr.regs[reg], t, ch.wild[reg], ch.addresses[reg])
			h.regs, h.cells, h.held = append(h.regs, reg), append(h.cells, mem.Cell{Obj: -1}), append(h.held, cellChange{})
		}
		h.live[reg] = fr.regs[reg]
		if al := fr.fn.Alloca[reg]; al != nil && fr.regs[reg].t != 0 {
			h.Vars[reg] = fr.regs[reg].t
		}
	}
	fr.addParameters(h)
	for _, in := range phis {
		fr.regs[in.Dst] = place("phi", inRegister(in.Dst), fr.regs[in.Dst], in.Type, ch.wild[in.Dst], ch.addresses[in.Dst])
		h.regs, h.cells, h.held = append(h.regs, in.Dst), append(h.cells, mem.Cell{Obj: -1}), append(h.held, cellChange{})
	}
	fr.arbitraryMemory(h, p, &same)
	r.event(seair.Event{Kind: seair.Assume, Guard: h.Guard, Cond: c.Implies(h.First, same), Site: h.Site})
	h.Event = r.event(seair.Event{Kind: seair.Assume, Guard: h.Guard, Cond: c.True(), Site: h.Site})
	for id, how := range ch.escaped {
		r.escaped[id] = max(r.escaped[id], how)
	}
	h.escaped = maps.Clone(r.escaped)
	h.Reads, h.Last = len(r.mem.Reads), c.LastFunc()
	fr.fillBlocks(h, p)
	fr.fillMembers(h, p)
	fr.orderMembers(h, p.st)
	h.since, h.state = len(r.mem.Objects), p.st.Fork()
}

// arbitrary returns the arbitrary value of a place in a slot, and sets the symbols of the place. The place has its name
// and its value on entry, and Pointer is set if its type is a pointer. wild and address are those of its changes.
func (fr *frame) arbitrary(h *Head, pl *Place, s slot, wild, address bool) smt.Term {
	r, c := fr.r, fr.r.c
	if b := h.leader(s); b != nil {
		pl.Leader, pl.Pointer, pl.Sym, pl.Old = b, true, c.Var(pl.Name, smt.BV(r.mem.Width)), c.Sub(pl.entry, b.old)
		return c.Add(b.value, pl.Sym)
	}
	if pl.Pointer = pl.Pointer && !wild && r.mem.HasBase(pl.entry); pl.Pointer {
		pl.Sym = c.Var(pl.Name, smt.BV(r.mem.Width))
		if begin, offset, ok := (&distances{run: r, at: fr.atHead(h)}).start(pl.entry, h.Guard); ok {
			r.opts.Induction.positions[pl.Sym] = h
			pl.Old, pl.Start = offset, true
			return c.Add(begin, pl.Sym)
		}
		pl.Old = r.mem.Int(0)
		return c.Add(pl.entry, pl.Sym)
	}
	pl.Sym = c.Var(pl.Name, c.Sort(pl.entry))
	if address || wild || r.mem.HoldsAddress(pl.entry) {
		r.mem.MayPoint(pl.Sym, fr.changed())
	}
	return pl.Sym
}

// addParameters adds to the variables of a head the parameters that are never assigned, whether or not they are still
// live.
func (fr *frame) addParameters(h *Head) {
	stores, passed := map[int]int{}, map[int]int{}
	for _, b := range fr.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Op != llvmir.OpStore || in.Args[1].Kind != llvmir.OperandReg {
				continue
			}
			reg := in.Args[1].Reg
			stores[reg]++
			if from := in.Args[0]; from.Kind == llvmir.OperandReg && from.Reg < len(fr.fn.Params) {
				passed[reg] = from.Reg
			}
		}
	}
	for reg, param := range passed {
		if al := fr.fn.Alloca[reg]; al != nil && fr.fn.Promoted[reg] && stores[reg] == 1 && h.Vars[reg] == 0 {
			if v := fr.r.force(fr.regs[param], al.ElemType); v.t != 0 {
				h.Vars[reg] = v.t
			}
		}
	}
}

// maxKnownCells bounds the cells at constant offsets that are tracked in an object that may change anywhere. If there
// are more than maxVariables, those that only writes with any index reach are no variables of their own.
const (
	maxKnownCells = 40
	maxVariables  = 8
)

// arbitraryMemory is arbitraryHead for the content of objects.
func (fr *frame) arbitraryMemory(h *Head, p *path, same *smt.Term) {
	r, c, ch, x := fr.r, fr.r.c, h.changes, fr.r.opts.Induction
	cells := map[int][]mem.Cell{}
	for _, id := range slices.Sorted(maps.Keys(ch.wholes)) {
		cells[id] = nil
		for _, k := range r.mem.Cells(id, p.st.Content(id), maxKnownCells) {
			if ch.cells[k] == nil && !overlapsAny(k, ch.cells) {
				ch.cells[k] = &cellChange{kept: true}
			}
		}
	}
	for k, state := range ch.cells {
		if !state.lost {
			cells[k.Obj] = append(cells[k.Obj], k)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(cells)) {
		old := p.st.Content(id)
		if old == nil || id >= len(r.mem.Objects) || r.mem.Objects[id].Kind == mem.Function {
			x.refuse("a loop that writes objects which exist on some paths only")
			return
		}
		ks := cells[id]
		slices.SortFunc(ks, func(a, b mem.Cell) int { return int(a.Off - b.Off) })
		name := r.mem.Objects[id].Name
		var values []smt.Term
		for _, k := range ks {
			was := r.mem.ReadCell(old, k)
			state := ch.cells[k]
			if v := h.pointerAt(inMemory(k)); v != 0 && !state.kept {
				values = append(values, v)
				h.cells, h.held, h.regs = append(h.cells, k), append(h.held, *state), append(h.regs, -1)
				h.Places = append(h.Places, Place{})
				continue
			}
			if state.kept {
				values = append(values, was)
				h.cells, h.held, h.regs = append(h.cells, k), append(h.held, *state), append(h.regs, -1)
				h.Places = append(h.Places, Place{})
				continue
			}
			pl := Place{Name: fmt.Sprintf("%s+%d", name, k.Off), Old: was, entry: was, Pointer: k.N == r.mem.Space.Bytes()}
			now := fr.arbitrary(h, &pl, inMemory(k), state.wild, state.address)
			*same = c.And(*same, c.Eq(pl.Sym, pl.Old))
			values = append(values, now)
			h.Places = append(h.Places, pl)
			h.cells, h.held, h.regs = append(h.cells, k), append(h.held, *state), append(h.regs, -1)
		}
		v := old
		if ch.wholes[id] {
			tables := ch.tables[id] || r.mem.HoldsAddresses(p.st, id)
			var f smt.Func
			v, f = r.mem.Arbitrary(name)
			if tables {
				r.mem.ContentMayPoint(f, fr.changed())
			}
			h.Contents = append(h.Contents, Contents{Obj: id, Old: old, Func: f, Cells: ks})
		}
		v = r.mem.WithCells(v, ks, values)
		if ch.wholes[id] {
			h.Contents[len(h.Contents)-1].New = v
		}
		r.mem.SetContent(p.st, id, v, c.False())
	}
	for id := range ch.modified {
		r.mem.SetModified(p.st, id, c.Var("modified", smt.Bool))
	}
}

func overlapsAny(k mem.Cell, in map[mem.Cell]*cellChange) bool {
	for o := range in {
		if o.Obj == k.Obj && o.Off < k.Off+k.N && k.Off < o.Off+o.N {
			return true
		}
	}
	return false
}

// changed returns the origin of addresses that a loop of the function changes.
func (fr *frame) changed() mem.Origin { return mem.Origin{By: fr.fn.SourceName, Stored: true} }

// Cell returns the memory cell of the i-th place; false if it is in a register.
func (h *Head) Cell(i int) (mem.Cell, bool) { return h.cells[i], h.cells[i].Obj >= 0 }

// Register returns the register of the i-th place; negative if it is in memory.
func (h *Head) Register(i int) int { return h.regs[i] }

// OfFunction reports whether it is the begin or the end of an arbitrary activation of a recursive function.
func (h *Head) OfFunction() bool { return h.loop == nil }

// Pos returns the position of the loop, or of the recursive function.
func (h *Head) Pos() found.Pos {
	if l := h.Fn.Loc; h.OfFunction() && l != nil {
		return found.Pos{File: l.File, Line: l.Line, Column: max(l.Col, 1), Function: h.Fn.SourceName}
	}
	return h.Site.Pos
}

// Content returns the content of an object at the head.
func (h *Head) Content(obj int) *mem.Version { return h.state.Content(obj) }

// ChangedCells returns the constant offsets of an object at which the loop changes it.
func (h *Head) ChangedCells(obj int) []int64 {
	var out []int64
	for i, k := range h.cells {
		if k.Obj == obj && !h.held[i].kept {
			out = append(out, k.Off)
		}
	}
	return out
}
