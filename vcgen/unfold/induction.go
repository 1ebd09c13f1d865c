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
// and objects must be equal at the head and at the back edge, or the loop is not cut.

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

// Endless reports whether a loop without an exit was cut at its head; false for no induction.
func (x *Induction) Endless() bool {
	return x != nil && slices.ContainsFunc(x.Heads, func(h *Head) bool { return h.Fn.Endless(h.loop) })
}

// ErrRepeat is the error of a run that was ended because another loop is to be cut at its head.
var ErrRepeat = errors.New("another loop is to be cut: the unfolding has to be repeated")

// repeats reports whether the run ends with ErrRepeat.
func (r *run) repeats() bool { return r.opts.Induction != nil && r.opts.Induction.repeat }

// begin prepares a run.
func (x *Induction) begin() {
	x.dropStale()
	x.Heads, x.Changed, x.frees, x.repeat, x.Refused, x.seen = nil, false, false, false, "", map[string]int{}
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
}

func newChanges() *changes {
	return &changes{regs: map[int]bool{}, cells: map[mem.Cell]*cellChange{}, wholes: map[int]bool{},
		modified: map[int]bool{}, escaped: map[int]acquaintance{}, wild: map[int]bool{}, addresses: map[int]bool{},
		tables: map[int]bool{}, owners: map[slot]*ownership{}, follows: map[slot]slot{},
		links: newLinkage()}
}

type cellChange struct {
	// kept: the cell is a part of an object that may change anywhere, but the cell itself has not changed so far.
	// address: it may hold an address.
	kept, wild, address bool
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
	First    smt.Term
	Places   []Place
	Contents []Contents
	Blocks   []*Block
	Generics []*Generic
	Back     []Back
	// Reads and Last are the number of reads of arbitrary content, and the last function, when the head was reached.
	// Later ones are content that was created in the loop or behind it.
	Reads int
	Last  smt.Func
	// Fn is the function, At the instruction that gives the loop's position. Vars maps the registers of live variables
	// to their content at the head: the value, or the address of a variable in memory.
	Fn   *flow.Function
	At   *llvmir.Instr
	Vars map[int]smt.Term

	// Before is the number of arrivals at the head before the one at which the loop was cut.
	Before int

	loop    *flow.Loop
	cells   []mem.Cell // of the places in memory; Obj is -1 for those in registers
	held    []cellChange
	regs    []int
	iters   []int32
	changes *changes
	key     string // of its changes
	since   int    // objects with this number or a larger one are created in the loop
	live    map[int]value
	state   *mem.State
	escaped map[int]acquaintance
	linked  bool // there are members
	slots   []slotState
	members []*member
	owned   map[atom]smt.Term // conditions under which an owner at the head points to something
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

// Numbers of iterations beyond which a loop is long, that is, worth cutting: with a constant condition, outside and
// inside of a cut loop; and with any other condition, if they made few terms, if they made heavyTerms, and if loops
// in them were cut.
const (
	longConstant = 260
	longInside   = 40
	longSymbolic = 20
	longHeavy    = 3
	longAround   = 4
	heavyTerms   = 40_000
)

// Numbers of heads of one loop, and of all, beyond which the loop around it is cut instead of unrolled.
const (
	manyHeadsOfLoop = 3
	manyHeads       = 12
)

// cutAround records that the innermost loop around l is cut from the next run on.
func (fr *frame) cutAround(l *flow.Loop) {
	x := fr.r.opts.Induction
	for block := l.Head; fr != nil; block, fr = fr.callBlock, fr.caller {
		loops := fr.fn.Nodes[block].Loops
		for k := len(loops) - 1; k >= 0; k-- {
			if outer := loops[k]; outer != l && !x.Cut[outer.Name] && fr.fn.EntersAtHead(outer) {
				x.Cut[outer.Name], x.Changed, x.repeat = true, true, true
				return
			}
		}
	}
}

// withinCut reports whether a loop is executed in an iteration of another loop that is cut.
func (fr *frame) withinCut(l *flow.Loop) bool {
	for block := l.Head; fr != nil; block, fr = fr.callBlock, fr.caller {
		for _, outer := range fr.fn.Nodes[block].Loops {
			if outer != l && fr.heads[outer] != nil {
				return true
			}
		}
	}
	return false
}

// cutsLoop reports whether a loop is cut at its head. A loop with another entry cannot be cut.
func (fr *frame) cutsLoop(l *flow.Loop) bool {
	x := fr.r.opts.Induction
	return x != nil && x.cutting[l.Name] && fr.fn.EntersAtHead(l)
}

// maxArrivalsBefore bounds the arrivals at a head before the loop is cut. A loop with a contract is cut at the second
// or third one: its frame begins at the first, and it may check its contract in an iteration of its own.
const maxArrivalsBefore = 2

// cutsHere reports whether a loop is cut at an arrival at its head, which is counted from 0.
func (fr *frame) cutsHere(l *flow.Loop, arrival int32) bool {
	return fr.cutsLoop(l) && int(arrival) == fr.r.opts.Induction.arrivals[l.Name]
}

// endsHere reports whether an arrival at the head of a loop ends a path, because the loop is cut at an earlier one.
func (fr *frame) endsHere(l *flow.Loop, arrival int32) bool {
	return fr.cutsLoop(l) && int(arrival) > fr.r.opts.Induction.arrivals[l.Name]
}

// cutContracted records that a loop with a contract is cut from the next run on. Its frame begins at the first arrival
// at the head, so the second one is arbitrary.
func (fr *frame) cutContracted(l *flow.Loop) {
	x := fr.r.opts.Induction
	if x != nil && !x.Cut[l.Name] && fr.fn.EntersAtHead(l) {
		x.Cut[l.Name], x.arrivals[l.Name], x.Changed, x.repeat = true, 1, true, true
	}
}

// long records a loop with many iterations. It reports whether the loop is cut at its head from the next run on.
func (fr *frame) long(l *flow.Loop, iterations int32, constant bool) bool {
	x := fr.r.opts.Induction
	limit := int32(longConstant)
	if x != nil && fr.withinCut(l) {
		limit = longInside
	}
	symbolic := longSymbolic
	if x != nil && fr.r.c.NumTerms()-fr.since[l] > heavyTerms {
		symbolic = longHeavy
	} else if x != nil && len(x.Heads) > fr.headsBefore[l] {
		symbolic = longAround
	}
	if constant && iterations <= limit || !constant && fr.symbolic[l] <= symbolic {
		return false
	}
	fr.r.prog.Long = true
	fr.r.prog.Endless = fr.r.prog.Endless || fr.fn.Endless(l)
	if x == nil || x.Cut[l.Name] || !fr.fn.EntersAtHead(l) {
		return false
	}
	x.Cut[l.Name], x.Changed, x.repeat = true, true, true
	return true
}

// arbitraryHead makes everything that the loop can change arbitrary in the state at its head.
func (fr *frame) arbitraryHead(v *visit, l *flow.Loop, phis []*llvmir.Instr, p *path) {
	r, c, x := fr.r, fr.r.c, fr.r.opts.Induction
	bi := &fr.fn.Nodes[v.block]
	key := l.Name
	for s := fr.site; s != nil; s = s.Caller {
		key += "<" + strconv.Itoa(s.ID)
	}
	if x.seen[key]++; x.seen[key] > manyHeadsOfLoop && len(x.Heads) > manyHeads {
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
	h := &Head{Loop: l.Name, loop: l, Site: r.site(at, fr), Guard: p.g.T,
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
		if begin, offset, ok := r.start(pl.entry, h.Guard, fr.atHead(h)); ok {
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

// start splits a pointer under a guard into the begin of its object and an offset. It fails if the pointer is a choice
// between pointers into the middle of objects.
func (r *run) start(pointer, guard smt.Term, at cutPoint) (begin, offset smt.Term, ok bool) {
	pointer = (&distances{run: r, at: at}).chosen(pointer, guard)
	begin = r.mem.Int(0)
	_, parts := r.c.SumParts(pointer)
	for _, p := range parts {
		if r.mem.HasBase(p.T) {
			begin = r.c.Add(begin, r.c.Mul(p.T, r.mem.Int(p.Coef)))
		}
	}
	for _, x := range r.mem.Candidates(begin, mem.AsNoObject) {
		if x.Obj == mem.None {
			continue
		}
		if off, isConst := r.c.Uint64(x.Off); !isConst || off != 0 {
			return 0, 0, false
		}
		ok = true
	}
	return begin, r.c.Sub(pointer, begin), ok
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

// maxKnownCells bounds the cells at constant offsets that are tracked in an object that may change anywhere.
const maxKnownCells = 40

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
	for k := range ch.cells {
		cells[k.Obj] = append(cells[k.Obj], k)
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

// backEdge ends a path at the head of a cut loop. It adds every difference between the state there and the state at
// the head to the loop's write set.
func (fr *frame) backEdge(h *Head, to int, e edge) {
	r, c, x, ch := fr.r, fr.r.c, fr.r.opts.Induction, h.changes
	grow := func(has bool, set func()) {
		if !has {
			set()
			x.Changed = true
		}
	}
	b := Back{Guard: e.g.T, Values: make([]smt.Term, len(h.Places)), State: e.p.st, Reads: len(r.mem.Reads)}
	fill := func(i int, s slot, now smt.Term, was smt.Term, wild, address func()) {
		pl := h.Places[i]
		if lead := h.leader(s); lead != nil {
			was = fr.slotAt(lead.slot, to, e)
		}
		leaves := func(otherwise func()) {
			if x.linked && fr.mayLink(h, s, pl, now, e.g.T) {
				return
			}
			if x.linked && h.leader(s) == nil {
				x.demotions[giveUp] = append(x.demotions[giveUp], func() { otherwise(); x.Changed = true })
				return
			}
			x.Changed = true
			switch {
			case h.leader(s) != nil:
				delete(ch.follows, s)
				otherwise()
			case !fr.mayOwn(h, s, now) && !(s != noSlot && fr.mayFollow(h, s, pl.entry)):
				otherwise()
			}
		}
		if pl.Pointer {
			if d := r.distance(now, was, e.g.T, fr.atHead(h)); r.mem.HasBase(d) {
				leaves(wild)
			} else {
				now = d
			}
		} else if r.mem.HoldsAddress(now) {
			if !r.mem.MayHold(pl.Sym) {
				leaves(address)
			} else {
				fr.mayLink(h, s, pl, now, e.g.T)
			}
		}
		b.Values[i] = now
	}
	place := map[int]int{}
	for i, reg := range h.regs {
		if reg >= 0 {
			place[reg] = i
		}
	}
	fr.backBlocks(h, to, e, b.Values)
	fr.linkedBack(h, to, e, b.Values)
	bi := &fr.fn.Nodes[to]
	was := func(i int, now value) smt.Term { // of a pointer: its address on entry to the loop
		if !h.Places[i].Pointer {
			return 0
		}
		return c.Sub(now.t, h.Places[i].Sym)
	}
	for k, reg := range bi.Live {
		now := e.live[k]
		i, carried := place[reg]
		if !carried {
			if !sameValue(now, h.live[reg]) {
				grow(ch.regs[reg], func() { ch.regs[reg] = true })
			}
			continue
		}
		if h.pointerAt(inRegister(reg)) != 0 {
			continue
		}
		now = r.force(now, fr.fn.Alloca[reg].ElemType)
		if now.t == 0 {
			now = r.undef(fr.fn.Alloca[reg].ElemType, e.p, h.Site.ID)
		}
		fill(i, inRegister(reg), now.t, was(i, h.live[reg]), func() { ch.wild[reg] = true },
			func() { ch.addresses[reg] = true })
	}
	k := 0
	for _, in := range fr.fn.Blocks[to].Instrs {
		if in.Op != llvmir.OpPhi {
			break
		}
		i := place[in.Dst]
		if k >= len(e.phis) || e.phis[k].t == 0 || h.Places[i].Pointer {
			x.refuse("a loop that carries a value which is not a variable")
			return
		}
		fill(i, noSlot, e.phis[k].t, 0, func() {}, func() { ch.addresses[in.Dst] = true })
		k++
	}
	for _, d := range r.mem.Changes(h.state, e.p.st, h.since) {
		if h.isBlock(d.Obj) || fr.isMember(h, d.Obj) {
			continue
		}
		if d.Freed && !d.Other && h.linked && r.mem.Objects[d.Obj].Kind == mem.Heap {
			grow(ch.links.freed[d.Obj], func() { ch.links.freed[d.Obj] = true })
		} else if d.Other || d.Freed && !fr.mayBeFreed(h, d.Obj) {
			x.frees = true
			continue
		}
		if d.Modified {
			grow(ch.modified[d.Obj], func() { ch.modified[d.Obj] = true })
		}
		if !d.Content || ch.wholes[d.Obj] {
			continue
		}
		cells, ok := r.mem.DifferInCells(d.Obj, e.p.st.Content(d.Obj), h.state.Content(d.Obj))
		if !ok {
			ch.wholes[d.Obj], x.Changed = true, true
			continue
		}
		for _, cell := range cells {
			if ch.cells[cell] == nil && overlapsAny(cell, ch.cells) {
				ch.wholes[d.Obj], x.Changed = true, true
				for o := range ch.cells {
					if o.Obj == d.Obj {
						delete(ch.cells, o)
					}
				}
				break
			}
			grow(ch.cells[cell] != nil, func() { ch.cells[cell] = &cellChange{} })
		}
	}
	for _, d := range h.Contents { // a cell written at a constant offset becomes a place, too
		writes, cells, _, complete := r.mem.WritesSince(d.Obj, e.p.st.Content(d.Obj), d.New)
		lost, stored := !complete, false
		for _, w := range writes {
			lost = lost || w.Len != 0
			stored = stored || w.Val != 0 && r.mem.HoldsAddress(w.Val)
		}
		for _, k := range cells {
			lost = lost || ch.cells[k] == nil
			if !overlapsAny(k, ch.cells) && len(d.Cells) < maxKnownCells {
				ch.cells[k], x.Changed = &cellChange{}, true
			}
		}
		if (stored || lost && r.mem.HoldsAddresses(e.p.st, d.Obj)) && !r.mem.ContentMayHold(d.Func) {
			ch.tables[d.Obj], x.Changed = true, true
		}
	}
	for i, cell := range h.cells {
		if cell.Obj < 0 || h.pointerAt(inMemory(cell)) != 0 && !h.held[i].kept {
			continue
		}
		now, then := r.mem.ReadCell(e.p.st.Content(cell.Obj), cell), r.mem.ReadCell(h.state.Content(cell.Obj), cell)
		state := ch.cells[cell]
		if h.held[i].kept {
			if now != then && state != nil {
				state.kept, x.Changed = false, true
			}
			continue
		}
		start := then
		if h.Places[i].Pointer {
			start = c.Sub(then, h.Places[i].Sym)
		}
		if state == nil { // a part of an object that may change anywhere from the next run on
			state = &cellChange{}
		}
		fill(i, inMemory(cell), now, start, func() { state.wild = true }, func() { state.address = true })
	}
	for id := h.since; id < len(r.mem.Objects); id++ {
		if r.opts.Checks[found.MemoryLeak] && r.mem.MayLeak(e.p.st, id) {
			x.refuse("a loop that allocates, with leaks checked")
		}
	}
	for id, how := range r.escaped {
		if h.escaped[id] < how && id < h.since {
			grow(ch.escaped[id] >= how, func() { ch.escaped[id] = how })
		}
	}
	if e.p.st.Limits != h.state.Limits || e.p.st.Tracking != h.state.Tracking {
		if h.Before == maxArrivalsBefore {
			x.refuse("a loop that changes what may be written, or whether writes are tracked")
			return
		}
		x.arrivals[h.Loop], x.Changed, x.repeat = h.Before+1, true, true
		clear(x.frames) // of an arbitrary first iteration
		return
	}
	b.Event = r.event(seair.Event{Kind: seair.Obligation, Guard: b.Guard, Cond: c.True(), Site: h.Site,
		Check: found.LoopInvariant, Found: true})
	h.Back = append(h.Back, b)
}

// Limits of a distance: the choices that it contains, one within another and in total, and the queries whether one is
// excluded.
const (
	maxDistanceDepth   = 40
	maxDistanceChoices = 400
	maxDistanceQueries = 12
)

// atHead returns the position of a head.
func (fr *frame) atHead(h *Head) cutPoint { return cutPoint{fr: fr, block: h.loop.Head} }

// distances is the search for the distance of two pointers.
type distances struct {
	*run
	// at is the position behind which results of excluded matter; without a frame, they may matter anywhere.
	at               cutPoint
	choices, queries int
}

// distance returns now - was for two pointers under a guard. If their difference is a choice between pointers, it
// returns the choice between the differences, in which the base of an object cancels: behind `end > s && *--end == ' '`
// the pointer is (end > s ? end - 1 : end), whose distance from end is (end > s ? -1 : 0). A choice that the guard
// excludes does not count: behind `if ((p = next(p)) == NULL) return` the NULL that next returns.
func (r *run) distance(now, was, guard smt.Term, at cutPoint) smt.Term {
	d := r.c.Sub(now, was)
	if out, ok := (&distances{run: r, at: at}).withoutBase(d, guard, maxDistanceDepth); ok {
		return out
	}
	return d
}

// withoutBase takes choices out of a sum until none of the values chosen has the base of an object, and reports whether
// that succeeds. The result equals the sum if the guard is true.
func (r *distances) withoutBase(t, guard smt.Term, depth int) (smt.Term, bool) {
	c := r.c
	if !r.mem.HasBase(t) {
		return t, true
	}
	if r.choices++; depth == 0 || r.choices > maxDistanceChoices {
		return 0, false
	}
	_, parts := c.SumParts(t)
	for _, p := range parts {
		if c.Op(p.T) != smt.OpIte || !r.mem.HasBase(p.T) {
			continue
		}
		by := c.Int(c.Width(t), p.Coef)
		rest := c.Sub(t, c.Mul(p.T, by))
		cond := c.Arg(p.T, 0)
		a, someA := r.withoutBase(c.Add(rest, c.Mul(c.Arg(p.T, 1), by)), c.And(guard, cond), depth-1)
		b, someB := r.withoutBase(c.Add(rest, c.Mul(c.Arg(p.T, 2), by)), c.And(guard, c.Not(cond)), depth-1)
		switch {
		case someA && someB:
			return c.Ite(cond, a, b), true
		case someA && r.excluded(c.And(guard, c.Not(cond))):
			return a, true
		case someB && r.excluded(c.And(guard, cond)):
			return b, true
		}
	}
	return 0, false
}

// chosen replaces each choice of pointers in a sum by the value that a guard leaves.
func (r *distances) chosen(t, guard smt.Term) smt.Term {
	c := r.c
	for again := true; again; {
		again = false
		_, parts := c.SumParts(t)
		for _, p := range parts {
			if c.Op(p.T) != smt.OpIte || !r.mem.HasBase(p.T) {
				continue
			}
			cond, value := c.Arg(p.T, 0), smt.Term(0)
			if r.excluded(c.And(guard, c.Not(cond))) {
				value = c.Arg(p.T, 1)
			} else if r.excluded(c.And(guard, cond)) {
				value = c.Arg(p.T, 2)
			} else {
				continue
			}
			t, again = c.Add(t, c.Mul(c.Sub(value, p.T), c.Int(c.Width(t), p.Coef))), true
			break
		}
	}
	return t
}

// excluded reports whether a guard is known to be false. A query assumes the obligations so far, so it is recorded:
// without one that stays open, the guard may be true, and the state behind lacks that case.
func (r *distances) excluded(guard smt.Term) bool {
	if r.c.IsFalse(guard) {
		return true
	}
	if r.queries++; r.queries > maxDistanceQueries || r.feasible(guard) {
		return false
	}
	at := r.at
	at.all = at.fr == nil
	r.infeasible(guard, at)
	return true
}

// sameValue reports whether a register has not changed.
func sameValue(a, b value) bool {
	return a.t == b.t && a.lazy == b.lazy && slices.EqualFunc(a.e, b.e, sameValue)
}

// changed returns the origin of addresses that a loop of the function changes.
func (fr *frame) changed() mem.Origin { return mem.Origin{By: fr.fn.SourceName, Stored: true} }

// Cell returns the memory cell of the i-th place; false if it is in a register.
func (h *Head) Cell(i int) (mem.Cell, bool) { return h.cells[i], h.cells[i].Obj >= 0 }

// Register returns the register of the i-th place; negative if it is in memory.
func (h *Head) Register(i int) int { return h.regs[i] }

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
