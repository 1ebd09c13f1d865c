package unfold

import (
	"fmt"
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A recursive function may be cut like a loop. Its call from outside becomes two executions:
//
//   - an arbitrary activation: the function is executed once, with arbitrary arguments, in a state in which everything
//     that the recursion changes is arbitrary. Its begin is a head. The call from outside and the calls in the
//     activation reach it, so the invariant there is a precondition.
//   - the code behind the call, with an arbitrary result, in such a state.
//
// A call in the activation is replaced in the same way as the one from outside. The end of the activation is a second
// head. Its invariant, which replaces a call, is a condition on the arguments, the memory at the begin, the result and
// the memory at the end. It holds for each activation that ends, by induction on the calls that end before it. So the
// two invariants say nothing of a recursion without an end, like those of a loop.
//
// The write set is found as that of a loop is: a run is repeated until the states at calls and at the end differ from
// that at the begin only in what is arbitrary there.

// activation is an arbitrary activation of a recursive function.
type activation struct {
	begin, end *Head
	// begins are, for the places that are pointers, the addresses from which they are measured.
	begins []smt.Term
	result *llvmir.Type
	// from is the address from which the result is measured, if it is NULL or a pointer at a distance from an argument;
	// otherwise 0.
	from smt.Term
}

// Replaced is a call that was replaced by the invariant of the end of an activation.
type Replaced struct {
	Guard smt.Term
	Event int // assumes the invariant
	// First: it is the call from outside.
	First bool
	// Before are the values of the places at the begin of the activation, After those of the places at its end.
	Before, After []smt.Term
	State         *mem.State // before the call
}

// mayCutRecursion reports whether the function of a frame can be cut. One that always calls itself is not: a condition
// that its recursion ends would be false.
func (fr *frame) mayCutRecursion() bool {
	f := fr.fn.Func
	return fr.caller != nil && !f.Variadic && !isAggregate(f.Ret) && fr.fn.EndsAlone()
}

// cutsRecursion reports whether the call of a frame is replaced.
func (fr *frame) cutsRecursion() bool {
	x := fr.r.opts.Induction
	return x != nil && x.cutting[fr.fn.SourceName] && fr.mayCutRecursion()
}

// cutCall replaces a call. It returns the result and the path behind it; none if no activation ends.
func (fr *frame) cutCall(args []value, in *llvmir.Instr, p *path) []returned {
	var act *activation
	for c := fr.caller; c != nil && act == nil; c = c.caller {
		if c.fn == fr.fn {
			act = c.activation
		}
	}
	if act != nil {
		if !fr.calls(act, args, p) {
			return nil
		}
		return []returned{fr.replaced(act, p, act.begin.Back[len(act.begin.Back)-1].Values, false)}
	}
	act = fr.activate(args, in, p)
	if act == nil || len(act.end.Back) == 0 {
		return nil
	}
	before := make([]smt.Term, len(act.begin.Places))
	for i, pl := range act.begin.Places {
		before[i] = pl.Old
	}
	return []returned{fr.replaced(act, p, before, true)}
}

// activate executes an arbitrary activation, beside the path of the call. It returns nil if the run has to end.
func (fr *frame) activate(args []value, in *llvmir.Instr, p *path) *activation {
	r, c, x := fr.r, fr.r.c, fr.r.opts.Induction
	name := fr.fn.SourceName
	inside := p.g.Extend(c, c.Var("within "+name, smt.Bool))
	q := &path{inside, p.st.Fork()}
	act := fr.begin(args, q)
	fr.activation, fr.entered = act, q.g
	fr.perform(slices.Clone(fr.regs[:len(args)]), in, nil, q)
	if r.stopped || x.repeat {
		return nil
	}
	for _, e := range fr.rets {
		if e.p != nil {
			fr.returns(act, e)
		}
	}
	return act
}

// begin makes the head at the begin of an activation: its registers hold the arguments.
func (fr *frame) begin(args []value, p *path) *activation {
	r, c, x, f := fr.r, fr.r.c, fr.r.opts.Induction, fr.fn.Func
	key := x.placeKey(fr.fn.SourceName, fr.site)
	key = fmt.Sprintf("%s@%d", key, x.seen[key])
	ch := x.frames[key]
	if ch == nil {
		ch = newChanges()
		if isPointer(f.Ret) {
			ch.from = fr.pointsFrom(args, 0)
		}
		x.frames[key] = ch
	}
	h := &Head{Loop: fr.fn.SourceName, Site: fr.site, Guard: p.g.T, First: c.Var("first "+fr.fn.SourceName, smt.Bool),
		changes: ch, key: key, live: map[int]value{}, Fn: fr.fn, At: fr.fn.Blocks[0].Instrs[0], Vars: map[int]smt.Term{}}
	x.Heads = append(x.Heads, h)
	h.Entry = r.event(seair.Event{Kind: seair.Obligation, Guard: h.Guard, Cond: c.True(), Site: h.Site,
		Check: found.LoopInvariant, Found: true})
	same := c.True()
	fr.regs = make([]value, fr.fn.NumRegs)
	for i, v := range args {
		if fr.regs[i], h.live[i] = v, v; i >= len(f.Params) || !ch.regs[i] {
			continue
		}
		t := f.Params[i].Type
		if v = r.force(v, t); v.t == 0 {
			x.refuse("a recursive function with a parameter of several parts")
			continue
		}
		pl := Place{Name: f.Params[i].Name, Old: v.t, Pointer: isPointer(t), entry: v.t}
		fr.regs[i] = value{t: fr.arbitrary(h, &pl, inRegister(i), ch.wild[i], ch.addresses[i])}
		h.live[i] = fr.regs[i]
		same = c.And(same, c.Eq(pl.Sym, pl.Old))
		h.Places, h.regs = append(h.Places, pl), append(h.regs, i)
		h.cells, h.held = append(h.cells, mem.Cell{Obj: -1}), append(h.held, cellChange{})
	}
	fr.addParameters(h)
	fr.arbitraryMemory(h, p, &same)
	r.event(seair.Event{Kind: seair.Assume, Guard: h.Guard, Cond: c.Implies(h.First, same), Site: h.Site})
	h.Event = r.event(seair.Event{Kind: seair.Assume, Guard: h.Guard, Cond: c.True(), Site: h.Site})
	for id, how := range ch.escaped {
		r.escaped[id] = max(r.escaped[id], how)
	}
	h.escaped = maps.Clone(r.escaped)
	h.Reads, h.Last = len(r.mem.Reads), c.LastFunc()
	h.since, h.state = len(r.mem.Objects), p.st.Fork()
	return fr.end(h)
}

// end makes the head at the end of an activation. Its places are the result, and those of the begin that are in memory.
func (fr *frame) end(begin *Head) *activation {
	r, c := fr.r, fr.r.c
	act := &activation{begin: begin, begins: make([]smt.Term, len(begin.Places)), result: fr.fn.Ret}
	h := &Head{Loop: begin.Loop, Site: begin.Site, Guard: begin.Guard, Entry: -1, Event: -1, Begin: begin,
		First: c.Var("none", smt.Bool), changes: begin.changes, key: begin.key, Fn: begin.Fn, At: begin.At,
		Vars: begin.Vars, Reads: begin.Reads, Last: begin.Last, state: begin.state}
	act.end = h
	put := func(pl Place, at mem.Cell) {
		h.Places, h.cells, h.regs = append(h.Places, pl), append(h.cells, at), append(h.regs, -1)
	}
	for i, pl := range begin.Places {
		if pl.Sym != 0 && pl.Pointer {
			act.begins[i] = c.Sub(begin.placeAt(r.mem, i), pl.Sym)
		}
	}
	if t := act.result; t.Kind != llvmir.VoidType {
		pl := Place{Name: "result", Sym: c.Var("result", scalarSort(t))}
		if pl.Old = c.False(); !c.Sort(pl.Sym).IsBool() {
			pl.Old = c.Int(c.Width(pl.Sym), 0)
		}
		if ch := begin.changes; ch.from > 0 {
			act.from, pl.Pointer, pl.Start, h.From = act.reference(ch.from-1), true, true, ch.from
		}
		put(pl, mem.Cell{Obj: -1})
		if begin.changes.null {
			h.MayBeNull = true
			put(Place{Name: "no result", Sym: c.Var("no result", smt.Bool), Old: c.False()}, mem.Cell{Obj: -1})
		}
	}
	for i, pl := range begin.Places {
		if begin.regs[i] >= 0 {
			continue
		}
		out := Place{}
		if pl.Sym != 0 {
			out = Place{Name: pl.Name, Sym: c.Var(pl.Name, c.Sort(pl.Sym)), Old: pl.Sym, Pointer: pl.Pointer, Start: pl.Start}
		}
		put(out, begin.cells[i])
	}
	h.held = make([]cellChange, len(h.cells))
	r.opts.Induction.Heads = append(r.opts.Induction.Heads, h)
	return act
}

// reference returns the address from which a parameter is measured. If all activations have the same value, it is that
// one.
func (act *activation) reference(reg int) smt.Term {
	if i := slices.Index(act.begin.regs, reg); i >= 0 {
		return act.begins[i]
	}
	return act.begin.live[reg].t
}

// placeAt returns the value of a place of a head in the state at the head.
func (h *Head) placeAt(m *mem.Memory, i int) smt.Term {
	if reg := h.regs[i]; reg >= 0 {
		return h.live[reg].t
	}
	return m.ReadCell(h.state.Content(h.cells[i].Obj), h.cells[i])
}

// calls records that a call in an activation reaches its begin. It reports whether the execution goes on.
func (fr *frame) calls(act *activation, args []value, p *path) bool {
	r, x, h, ch := fr.r, fr.r.opts.Induction, act.begin, act.begin.changes
	b := Back{Guard: p.g.T, Values: make([]smt.Term, len(h.Places)), State: p.st.Fork(), Reads: len(r.mem.Reads)}
	place := map[int]int{}
	for i, reg := range h.regs {
		if reg >= 0 {
			place[reg] = i
		}
	}
	for reg, t := range fr.fn.Params {
		if reg >= len(args) {
			x.refuse("a recursive function that is called without some arguments")
			return false
		}
		i, arbitrary := place[reg]
		if !arbitrary {
			if !sameValue(args[reg], h.live[reg]) {
				x.growTo(ch.regs[reg], func() { ch.regs[reg] = true })
			}
			continue
		}
		now := r.force(args[reg], t.Type)
		if now.t == 0 {
			x.refuse("a recursive function with a parameter of several parts")
			return false
		}
		b.Values[i] = fr.measured(act, i, now.t, p.g.T, func() { ch.wild[reg] = true }, func() { ch.addresses[reg] = true })
	}
	fr.reach(act, b.Values, p.g.T, p.st)
	b.Event = r.event(seair.Event{Kind: seair.Obligation, Guard: b.Guard, Cond: r.c.True(), Site: h.Site,
		Check: found.LoopInvariant, Found: true})
	h.Back = append(h.Back, b)
	return true
}

// measured returns the value of the i-th place of a begin in another state, in which it holds now. A pointer is
// measured from the same address as at the begin. For wild and address see slotFill.
func (fr *frame) measured(act *activation, i int, now smt.Term, guard smt.Term, wild, address func()) smt.Term {
	r, x, pl := fr.r, fr.r.opts.Induction, act.begin.Places[i]
	if pl.Pointer {
		d := r.distance(now, act.begins[i], guard, cutPoint{})
		if r.mem.HasBase(d) {
			wild()
			x.Changed = true
			return now
		}
		return d
	}
	if r.mem.HoldsAddress(now) && !r.mem.MayHold(pl.Sym) {
		address()
		x.Changed = true
	}
	return now
}

// reach adds the differences between a state and the one at the begin to the write set. The state is that at a call in
// the activation, or at its end. It sets the values of the begin's places in memory.
func (fr *frame) reach(act *activation, values []smt.Term, guard smt.Term, st *mem.State) {
	x, h := fr.r.opts.Induction, act.begin
	fr.growObjects(h, st)
	fr.growContents(h, st)
	fr.cellsAt(h, st, func(i int, _ slot, now, _ smt.Term, wild, address func()) {
		values[i] = fr.measured(act, i, now, guard, wild, address)
	})
	fr.growEscaped(h, st)
	if st.Limits != h.state.Limits || st.Tracking != h.state.Tracking {
		x.refuse("a recursive function that changes what may be written, or whether writes are tracked")
	}
}

// returns records a return of an activation.
func (fr *frame) returns(act *activation, e edge) {
	r, c, x, ch := fr.r, fr.r.c, fr.r.opts.Induction, act.begin.changes
	st := e.p.st.Fork()
	for _, id := range fr.objects {
		r.mem.Kill(st, id, c.True())
	}
	values := make([]smt.Term, len(act.begin.Places))
	fr.reach(act, values, e.g.T, st)
	h := act.end
	b := Back{Guard: e.g.T, State: st, Reads: len(r.mem.Reads)}
	if t := act.result; t.Kind != llvmir.VoidType {
		result := r.force(e.ret, t)
		none, _ := r.noValue.ofValue(result)
		if result.t == 0 || !c.IsFalse(none) {
			x.refuse("a recursive function that may end without a result")
			return
		}
		if act.from != 0 {
			null, guard := c.Eq(result.t, c.Int(c.Width(result.t), 0)), e.g.T
			if h.MayBeNull {
				guard = c.And(guard, c.Not(null))
			}
			b.Values = append(b.Values, r.distance(result.t, act.from, guard, cutPoint{}))
			if h.MayBeNull {
				b.Values = append(b.Values, null)
			}
			if r.mem.HasBase(b.Values[0]) { // it may be NULL, in the object of another argument, or in none of these
				if x.Changed = true; ch.null {
					ch.from = fr.pointsFrom(fr.args, ch.from)
				}
				ch.null = !ch.null && ch.from > 0
			}
		} else if r.mem.HoldsAddress(result.t) && !ch.address {
			ch.address, x.Changed = true, true
		}
		if act.from == 0 {
			b.Values = append(b.Values, result.t)
		}
	}
	for i, reg := range act.begin.regs {
		if reg < 0 {
			b.Values = append(b.Values, values[i])
		}
	}
	b.Event = r.event(seair.Event{Kind: seair.Obligation, Guard: b.Guard, Cond: c.True(), Site: h.Site,
		Check: found.LoopInvariant, Found: true})
	h.Back = append(h.Back, b)
}

// pointsFrom returns 1 plus the number of the first pointer among the arguments, from the given one on; 0 for none.
func (fr *frame) pointsFrom(args []value, from int) int {
	for reg := from; reg < min(len(args), len(fr.fn.Params)); reg++ {
		if isPointer(fr.fn.Params[reg].Type) && args[reg].t != 0 && fr.r.mem.HasBase(args[reg].t) {
			return reg + 1
		}
	}
	return 0
}

// replaced returns the result and the path behind a call that is replaced. before are the values of the places of the
// begin at the call; first is set for the call from outside.
func (fr *frame) replaced(act *activation, p *path, before []smt.Term, first bool) returned {
	r, c, begin, h := fr.r, fr.r.c, act.begin, act.end
	ch := begin.changes
	u := Replaced{Guard: p.g.T, First: first, Before: before, State: p.st}
	p = &path{p.g, p.st.Fork()}
	if !first { // objects of the activation, whose addresses the call may have been given
		for id := begin.since; id < len(r.mem.Objects); id++ {
			if p.st.Content(id) != nil && r.mem.Objects[id].Kind != mem.Function {
				fr.arbitraryContent(p.st, id, true)
			}
		}
	}
	var out returned
	if t := act.result; t.Kind != llvmir.VoidType {
		sym := c.Var("result of "+begin.Loop, scalarSort(t))
		u.After, out.value = append(u.After, sym), value{t: sym}
		if act.from != 0 {
			out.value.t = c.Add(act.from, sym)
		} else if ch.address {
			r.mem.MayPoint(sym, fr.changed())
		}
		if h.MayBeNull {
			null := c.Var("no result of "+begin.Loop, smt.Bool)
			u.After, out.value.t = append(u.After, null), c.Ite(null, c.Int(c.Width(sym), 0), out.value.t)
		}
	}
	cells := map[int][]mem.Cell{}
	now := map[int][]smt.Term{}
	for i, k := range begin.cells {
		if k.Obj < 0 {
			continue
		}
		cells[k.Obj] = append(cells[k.Obj], k)
		pl, state := begin.Places[i], begin.held[i]
		if pl.Sym == 0 { // not changed so far
			now[k.Obj] = append(now[k.Obj], r.mem.ReadCell(p.st.Content(k.Obj), k))
			u.After = append(u.After, 0)
			continue
		}
		sym := c.Var(pl.Name, c.Sort(pl.Sym))
		at := sym
		if pl.Pointer {
			at = c.Add(act.begins[i], sym)
		} else if state.wild || state.address || r.mem.MayHold(pl.Sym) {
			r.mem.MayPoint(sym, fr.changed())
		}
		now[k.Obj] = append(now[k.Obj], at)
		u.After = append(u.After, sym)
	}
	for _, d := range begin.Contents {
		if cells[d.Obj] == nil {
			cells[d.Obj] = []mem.Cell{}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(cells)) {
		v := p.st.Content(id)
		if ch.wholes[id] {
			v = fr.arbitraryContent(p.st, id, ch.tables[id] || r.mem.HoldsAddresses(p.st, id))
		}
		r.mem.SetContent(p.st, id, r.mem.WithCells(v, cells[id], now[id]), c.False())
	}
	for id := range ch.modified {
		r.mem.SetModified(p.st, id, c.Var("modified", smt.Bool))
	}
	u.Event = r.event(seair.Event{Kind: seair.Assume, Guard: u.Guard, Cond: c.True(), Site: fr.site})
	h.Calls = append(h.Calls, u)
	if h.Event < 0 {
		h.Event = u.Event
	}
	out.p = p
	return out
}

// arbitraryContent makes the content of an object arbitrary, and returns it. addresses: it may hold some.
func (fr *frame) arbitraryContent(st *mem.State, id int, addresses bool) *mem.Version {
	r := fr.r
	v, f := r.mem.Arbitrary(r.mem.Objects[id].Name)
	if addresses {
		r.mem.ContentMayPoint(f, fr.changed())
	}
	r.mem.SetContent(st, id, v, r.c.False())
	return v
}
