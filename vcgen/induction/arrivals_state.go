package induction

import (
	"math/big"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// The values of the engine's symbols in an execution: variables and content at arrivals at heads, objects, inputs. A
// symbol has no value if that is uncertain, for example because the log has two places for one of the program.

// general is the index in arrivals.given of values that are valid in the whole run; heads have their number plus 1.
const general = 0

// takeNarrower records the symbols that assumptions have replaced by narrower ones.
func (a *arrivals) takeNarrower() {
	c, asked := a.in.c, map[smt.Term]bool{}
	for _, x := range a.in.log.Inputs {
		asked[x.Value] = true
	}
	for k := range a.in.log.Events {
		ev := &a.in.log.Events[k]
		if ev.Kind != seair.Assume || !c.IsTrue(ev.Guard) {
			continue
		}
		for _, t := range c.Conjuncts(ev.Cond) {
			if c.Op(t) != smt.OpEq || c.Sort(c.Arg(t, 0)).IsBool() {
				continue
			}
			for k := range 2 {
				v, as := c.Arg(t, k), c.Arg(t, 1-k)
				if of := c.Symbols(as); c.Op(v) == smt.OpVar && len(of) == 1 && of[0] > v && !asked[of[0]] {
					a.same[v] = append(a.same[v], as)
				}
			}
		}
	}
}

// choosing records the inputs of an execution. An input that is requested at a single place of the program determines
// the symbol of that place; in a loop, the latest iteration does.
func (a *arrivals) choosing(choose choice.Inputs) choice.Inputs {
	return func(q choice.Question) choice.Answer {
		got := choose(q)
		k := choice.Key{Kind: q.Kind, Site: q.Site, Name: q.Name}
		if q.Site != 0 && q.Kind != choice.MissingBody {
			k.Name = ""
		}
		list := a.inputs[k]
		if len(list) != 1 || q.Kind == choice.Object || q.Kind == choice.Size || q.Kind == choice.Defined {
			return got
		}
		switch x := list[0]; {
		case q.Content && x.Bytes:
			size := uint64(8 * arrivalWords)
			if o := a.objects[siteKey(q.Site, q.Name)]; o != nil {
				size = min(size, o.Size)
			}
			a.setBytes(x.Content, size, func(off uint64) byte {
				if got.Content == nil {
					return 0
				}
				return got.Content(off)
			})
		case !q.Content && x.Value != 0:
			v := got.Value
			if v == nil {
				v = new(big.Int)
			}
			if v.IsUint64() {
				a.set(general, x.Value, v.Uint64())
			}
		}
		return got
	}
}

// set assigns a value to a term, that is, to the symbol that it consists of. from is general, or the head at whose
// arrival the value is known, plus 1.
func (a *arrivals) set(from int, t smt.Term, v uint64) {
	c, w := a.in.c, 0
	value := smt.BoolValue(v&1 != 0)
	if !c.Sort(t).IsBool() {
		if w = c.Width(t); w > 64 {
			return
		}
		value = smt.UintValue(w, v)
	}
	switch c.Op(t) {
	case smt.OpConst:
	case smt.OpVar:
		if was, ok := a.model.Var(t); ok && a.known[t] && was == value {
			return
		}
		a.model.SetVar(t, value)
		a.known[t] = true
		for _, other := range a.same[t] {
			a.set(from, other, v)
		}
	case smt.OpZext:
		a.set(from, c.Arg(t, 0), v)
	default:
		if w > 0 {
			if k, parts := c.SumParts(t); len(parts) == 1 && parts[0].Coef == 1 && parts[0].T != t {
				a.set(from, parts[0].T, v-k)
				return
			}
		}
		a.given[from][t] = value
	}
}

// setBytes sets the first n bytes of a content. Further bytes are zero in the evaluation, but unknown in queries.
func (a *arrivals) setBytes(f smt.Func, n uint64, at func(off uint64) byte) {
	n = min(n, 8*arrivalWords)
	for k := uint64(0); 8*k < n; k++ {
		word := uint64(0)
		for i := range min(8, n-8*k) {
			word |= uint64(at(8*k+i)) << (8 * i)
		}
		a.model.SetFunc(f, smt.UintValue(61, k), smt.UintValue(64, word))
	}
	a.bytes[f] = n
}

// look sets a content to the current bytes of an object.
func (a *arrivals) look(f smt.Func, o *state.Object) {
	a.setBytes(f, o.Size, func(off uint64) byte { return o.Get(off).B })
}

// Made implements interp.Observer.
func (a *arrivals) Made(o *state.Object) {
	name := o.Name
	if o.Global != nil {
		name = o.Global.Name
	}
	key := siteKey(o.Site, name)
	a.objects[key] = o
	if ids := a.ofSite[key]; len(ids) == 1 {
		x := a.in.prog.Memory.Objects[ids[0]]
		a.set(general, x.Base, o.Base)
		a.set(general, x.Size, o.Size)
	}
}

// object returns the object of the execution that corresponds to an object of the engine, nil if that is uncertain.
func (a *arrivals) object(id int) *state.Object {
	x := a.in.prog.Memory.Objects[id]
	key := siteKey(x.Site, x.Name)
	if len(a.ofSite[key]) != 1 {
		return nil
	}
	return a.objects[key]
}

// arriveAt takes in the state at a head; first: the loop was entered.
func (a *arrivals) arriveAt(i int, fr *state.Frame, first bool) {
	a.flush(i)
	for k := i; k < len(a.in.heads); k++ {
		clear(a.given[k+1])
	}
	in, h, at := a.in, a.in.heads[i], i+1
	if first {
		a.entered[i] = map[int]state.Value{}
	}
	a.set(at, h.First, b2u(first))
	for k, b := range h.Blocks {
		a.arriveBlock(i, k, b, fr, first)
	}
	for k, p := range h.Places {
		if p.Sym == 0 || p.Block != nil || p.Ghost {
			continue
		}
		v, ok := a.valueOf(h, k, fr)
		if first && ok {
			a.entered[i][k] = v
		}
		if acts := a.active[fr]; acts != nil && h.OfFunction() && ok {
			acts[k] = v
		}
		if p.Leader != nil {
			if to, known := a.pointerOf(h, p.Leader, fr); ok && known && to.Obj == v.Obj {
				a.set(at, p.Sym, v.Bits-to.Bits)
			} else {
				delete(a.known, p.Sym)
			}
			continue
		}
		a.setPlace(i, k, v, ok)
	}
	for reg, t := range h.Vars {
		if h.Fn.Promoted[reg] && !in.prog.Memory.HasBase(t) {
			if v, ok := a.variable(h, fr, reg, in.c.Width(t)); ok {
				a.set(at, t, v.Bits)
			}
		}
	}
	for _, d := range h.Contents {
		o := a.object(d.Obj)
		if o == nil {
			delete(a.bytes, d.Func)
			continue
		}
		a.look(d.Func, o)
		if f, ok := d.Old.Arbitrary(); ok && first {
			a.look(f, o)
		}
	}
	for id := range in.prog.Memory.Objects {
		if f, ok := h.Content(id).Arbitrary(); ok && a.bytes[f] == 0 {
			if o := a.object(id); o != nil {
				a.look(f, o)
			}
		}
	}
	a.pending[i] = a.counts(i)
}

// counts counts an arrival at a head, and reports whether it is visited.
func (a *arrivals) counts(i int) bool {
	a.turn[i]++
	n := a.turn[i]
	if a.seen[i] == a.most || n > a.dense && n&(n-1) != 0 {
		return false
	}
	a.seen[i]++
	return true
}

// setPlace sets the symbol of a place from its value at a head, if that is known, and the one on entry.
func (a *arrivals) setPlace(i, k int, v state.Value, ok bool) {
	at, p := i+1, a.in.heads[i].Places[k]
	was, entered := a.entered[i][k]
	if entered && !p.Pointer {
		a.set(at, p.Old, was.Bits)
	}
	switch {
	case ok && !p.Pointer:
		a.set(at, p.Sym, v.Bits)
	case ok && entered && was.Obj == v.Obj && p.Start && v.Obj != nil:
		a.set(at, p.Old, was.Bits-v.Obj.Base)
		a.set(at, p.Sym, v.Bits-v.Obj.Base)
	case ok && entered && was.Obj == v.Obj && !p.Start:
		a.set(at, p.Sym, v.Bits-was.Bits)
	default:
		delete(a.known, p.Sym)
	}
}

// arriveBlock takes in the k-th block of a head.
func (a *arrivals) arriveBlock(i, k int, b *unfold.Block, fr *state.Frame, first bool) {
	h, at, m := a.in.heads[i], i+1, a.in.prog.Memory
	v, ok := a.pointerOf(h, b, fr)
	key := -1 - k // places have their own numbers
	if first && ok {
		a.entered[i][key] = v
	}
	was, entered := a.entered[i][key]
	if !ok || !entered || v.Obj == nil && v.Bits != 0 {
		for _, t := range []smt.Term{b.Initial, b.Null, b.Size, b.Offset, m.Objects[b.Obj].Base} {
			delete(a.known, t)
		}
		delete(a.bytes, b.Content)
		return
	}
	initial := v.Obj != nil && v.Obj == was.Obj
	size, offset := uint64(0), uint64(0)
	if v.Obj != nil {
		size, offset = v.Obj.Size, v.Bits-v.Obj.Base
	}
	a.set(at, b.Initial, b2u(initial))
	a.set(at, b.Null, b2u(v.Obj == nil))
	a.set(at, b.Size, size)
	if a.in.c.Op(b.Offset) == smt.OpVar {
		a.set(at, b.Offset, offset)
	}
	if v.Obj != nil && !initial {
		a.set(at, m.Objects[b.Obj].Base, v.Obj.Base)
		a.look(b.Content, v.Obj)
	}
}

// pointerOf returns the pointer to a block.
func (a *arrivals) pointerOf(h *unfold.Head, b *unfold.Block, fr *state.Frame) (state.Value, bool) {
	w := a.in.prog.Memory.Width
	if reg, ok := b.Register(); ok {
		return a.variable(h, fr, reg, w)
	}
	return a.cell(b.Cell(), w)
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// valueOf returns the value of the k-th place of a head.
func (a *arrivals) valueOf(h *unfold.Head, k int, fr *state.Frame) (state.Value, bool) {
	c := a.in.c
	w := 1
	if s := c.Sort(h.Places[k].Sym); !s.IsBool() {
		w = c.Width(h.Places[k].Sym)
	}
	if cell, ok := h.Cell(k); ok {
		return a.cell(cell, w)
	}
	return a.variable(h, fr, h.Register(k), w)
}

// cell returns the content of a cell of w bits.
func (a *arrivals) cell(at mem.Cell, w int) (state.Value, bool) {
	o := a.object(at.Obj)
	if o == nil || !o.Live || w > 64 || uint64(at.Off+at.N) > o.Size {
		return state.Value{}, false
	}
	v, _ := o.Read(uint64(at.Off), int(at.N))
	return v, true
}

// variable returns the content of a register, or of the variable whose address it holds.
func (a *arrivals) variable(h *unfold.Head, fr *state.Frame, reg, bits int) (state.Value, bool) {
	v := fr.Regs[reg]
	if v.X != nil || bits > 64 {
		return state.Value{}, false
	}
	if h.Fn.Alloca[reg] == nil {
		return v, true
	}
	o, n := v.Obj, (bits+7)/8
	if o == nil || !o.Live || o.Base != v.Bits || uint64(n) > o.Size {
		return state.Value{}, false
	}
	v, seen := o.Read(0, n)
	return v, !seen.Uninit
}
