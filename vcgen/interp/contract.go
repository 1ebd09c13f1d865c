package interp

import (
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
)

// addContracts adds the primitives that contracts are written in. Loops are never cut here: an execution is one of the
// program.
func addContracts(add func(f func(c *call) state.Value, role language.Role)) {
	none := state.Value{}
	check := func(kind found.Kind, message func(c *call) string) func(c *call) state.Value {
		return func(c *call) state.Value {
			if !c.argTrue(0) {
				c.m.violated(kind, func() string { return message(c) })
				c.m.stop(EndAssume, "a contract that is not checked here does not hold")
			}
			return none
		}
	}
	// The words of the clause are the last argument, a string.
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
		if c.m.opts.NoLoopContracts {
			return state.IntValue(0)
		}
		return state.IntValue(1)
	}, language.LoopMode)
	add(func(c *call) state.Value { return state.IntValue(0) }, language.Symbolic)
	add(func(c *call) state.Value { return none }, language.Assuming)
	add(func(c *call) state.Value { return none }, language.ApartByName)
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
		return words(c) + " did not go down in an iteration, or was below zero"
	}), language.Variant)
	add(func(c *call) state.Value {
		c.m.Limits = &state.Limit{Outer: c.m.Limits, Since: c.m.Order, MayFree: c.argTrue(0)}
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
		if c.m.opts.NoLoopContracts {
			return none
		}
		return leave(c)
	}, language.LoopLeave)
	add(func(c *call) state.Value {
		switch l := c.m.Limits; {
		case c.m.opts.NoLoopContracts || l == nil:
		case c.argTrue(0):
			c.m.Limits = l.Leaving()
		default:
			c.m.Limits = l.Stay()
		}
		return none
	}, language.LoopLeaving)
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
