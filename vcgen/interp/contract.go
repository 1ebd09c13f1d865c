package interp

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
)

// adder adds the implementation of a role.
type adder func(f func(c *call) state.Value, role language.Role)

// addContracts adds the primitives of contracts.
func addContracts(add adder) {
	addClauses(add)
	addFrames(add)
	addObjects(add)
	add(func(c *call) state.Value { return state.IntValue(uint64(c.m.opts.LoopContracts)) }, language.LoopMode)
	add(func(c *call) state.Value { return state.IntValue(0) }, language.Symbolic)
	add(func(c *call) state.Value { return state.Value{} }, language.ApartByName)
}

// addClauses adds the checks of clauses.
func addClauses(add adder) {
	none := state.Value{}
	check := func(kind found.Kind, message func(c *call) string) func(c *call) state.Value {
		return func(c *call) state.Value {
			if !c.argTrue(0) {
				c.m.violated(kind, func() string { return message(c) })
				c.m.stop(EndAssume, "a contract that is not checked here is violated")
			}
			return none
		}
	}
	// The text of the clause is the last argument, a string.
	words := func(c *call) string {
		p := c.arg(len(c.args) - 1)
		if p.Obj == nil || p.Obj.Global == nil {
			return "the clause"
		}
		var text []byte
		for off := p.Offset(); off < p.Obj.Size; off++ {
			b := p.Obj.Get(off).B
			if b == 0 {
				break
			}
			text = append(text, b)
		}
		return "`" + string(text) + "`"
	}
	add(func(c *call) state.Value {
		switch what := c.argInt(0); {
		case what != language.AssumesNothing:
			// Not modified in place: recorded earlier states share it.
			c.m.Assumes = append(slices.Clip(c.m.Assumes), what)
			if what == language.AssumesInvariant && c.m.opts.LoopContracts.Cut() && c.m.trace != nil {
				c.m.Out.Head = &Head{}
			}
		case len(c.m.Assumes) > 0:
			c.m.Assumes = c.m.Assumes[:len(c.m.Assumes)-1]
		}
		return none
	}, language.Assuming)
	add(check(found.Precondition, func(c *call) string { return "the call requires " + words(c) + ", which is not met" }),
		language.Requires)
	add(check(found.Postcondition, func(c *call) string { return words(c) + " is not ensured" }), language.Ensures)
	add(check(found.LoopInvariant, func(c *call) string {
		if c.argTrue(1) {
			return words(c) + " does not hold on entry"
		}
		return words(c) + " is not preserved by an iteration"
	}), language.Invariant)
	add(check(found.LoopVariant, func(c *call) string {
		return words(c) + " did not decrease in an iteration, or was below zero"
	}), language.Variant)
}

// addFrames adds the primitives of frames.
func addFrames(add adder) {
	none := state.Value{}
	add(func(c *call) state.Value {
		c.m.Limits = &state.Limit{Outer: c.m.Limits, Since: c.m.Order, MayFree: c.argTrue(0) && !c.m.opts.LoopContracts.Cut()}
		return none
	}, language.FrameBegin)
	add(func(c *call) state.Value {
		if p := c.arg(0); p.Obj != nil && p.Whole() {
			c.m.Limits = c.m.Limits.With(&state.Target{Object: p.Obj, At: p.Offset(), N: c.argInt(1)}, nil)
		}
		return none
	}, language.FrameAdd)
	add(func(c *call) state.Value {
		if p := c.arg(0); p.Obj != nil && p.Whole() {
			c.m.Limits = c.m.Limits.With(nil, &state.Target{Object: p.Obj})
		}
		return none
	}, language.FrameFree)
	add(func(c *call) state.Value {
		l := *c.m.Limits
		l.Everything, l.MayFree = true, true
		c.m.Limits = &l
		if c.m.opts.LoopContracts.Cut() && c.argTrue(0) {
			c.arbitraryLoop()
		}
		return none
	}, language.FrameWritten)
	add(func(c *call) state.Value { c.m.Paused++; return none }, language.FramePause)
	add(func(c *call) state.Value { c.m.Paused--; return none }, language.FrameGoOn)
	leave := func(c *call) state.Value {
		if c.m.Limits != nil {
			c.m.Limits = c.m.Limits.Outer
		}
		return none
	}
	add(leave, language.FrameEnd)
	add(func(c *call) state.Value {
		if c.m.opts.LoopContracts == language.LoopsPlain {
			return none
		}
		return leave(c)
	}, language.LoopLeave)
	add(func(c *call) state.Value {
		switch l := c.m.Limits; {
		case c.m.opts.LoopContracts == language.LoopsPlain || l == nil:
		case c.argTrue(0):
			c.m.Limits = l.Leaving()
		default:
			c.m.Limits = l.Stay()
		}
		return none
	}, language.LoopLeaving)
}

// addObjects adds the questions about objects.
func addObjects(add adder) {
	add(func(c *call) state.Value {
		o := c.arg(0).Obj
		return state.BoolValue(o != nil && c.arg(0).Whole() && o.Live && c.m.Limits != nil && !c.m.Limits.Older(o))
	}, language.IsNew)
	add(func(c *call) state.Value {
		if g := c.m.m.GlobalByName[language.Errno]; g != nil {
			return state.PointerTo(c.m.global(g), 0)
		}
		return state.Value{}
	}, language.ErrnoAt)
	add(func(c *call) state.Value {
		p := c.arg(0)
		if p.Obj == nil || !p.Whole() {
			return state.BoolValue(p.Bits == 0)
		}
		c.m.mark(p.Obj, BitLive, false)
		return state.BoolValue(p.Obj.Kind == state.OnHeap && p.Obj.Live && p.Offset() == 0)
	}, language.IsFreeable)
	add(func(c *call) state.Value {
		p := c.arg(0)
		if p.Obj == nil || !p.Whole() {
			return state.BoolValue(false)
		}
		c.m.mark(p.Obj, BitLive, false)
		return state.BoolValue(p.Obj.Kind == state.OnHeap && !p.Obj.Live)
	}, language.WasFreed)
}

// arbitraryLoop havocs the memory that a loop may write: of all reachable objects, those that the inputs select.
func (c *call) arbitraryLoop() {
	m := c.m
	seen := map[*state.Object]bool{}
	var all []*state.Object
	add := func(o *state.Object) {
		if o.Kind != state.Function && o.Live && !o.Readonly && !seen[o] {
			seen[o] = true
			all = append(all, o)
		}
	}
	for _, fr := range m.Frames {
		for _, o := range fr.Own {
			add(o)
		}
		for _, v := range fr.Regs {
			for _, e := range append(v.Elems(), v) {
				if e.Obj != nil {
					add(e.Obj)
				}
			}
		}
	}
	for _, g := range m.m.Globals {
		if !g.Constant {
			add(m.global(g))
		}
	}
	for i := 0; i < len(all); i++ {
		all[i].Pointers(add)
	}
	for _, o := range all {
		names := []string{objectName(o)}
		if o.Alloca != nil && slices.Contains(c.fr.Own, o) {
			names = append(names, choice.Local(o.Alloca.ID))
		}
		for _, name := range names {
			q := choice.Question{Kind: choice.LoopWrites, Site: c.in.ID, Name: name}
			if m.number(q) == 0 {
				continue
			}
			r := m.choose(o, 0, o.Size, c.in.ID, choice.LoopState, name, state.Arbitrary)
			r.Fn, r.Variable, r.DIType = c.fn.SourceName, o.Source, o.DIType
		}
	}
}

// objectName returns the name of an object in choices: a variable's name, or its allocation site and ordinal.
func objectName(o *state.Object) string {
	if o.Global != nil {
		return o.Global.Name
	}
	return fmt.Sprintf("%d#%d", o.Site, o.Ordinal)
}

// holds records the state at the head of a loop that is cut, after a further condition is known to hold there.
func (c *call) holds() {
	if n := len(c.m.Assumes); n == 0 || c.m.Assumes[n-1] != language.AssumesInvariant || c.m.Out.Head == nil {
		return
	}
	if loc := state.LocOf(c.fr.Fn, c.in); loc != nil && c.m.opts.UserFile(loc.File) {
		h := c.m.Out.Head
		h.At, h.Func, h.Vars, h.Steps = loc, c.fr.Fn.SourceName, c.m.View.Here(), len(c.m.trace.Steps)
	}
}
