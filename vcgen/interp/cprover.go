package interp

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// The primitives of CBMC that inspect pointers.

func objectSize(c *call) state.Value {
	if p := c.arg(0); p.Obj != nil && p.Whole() {
		return c.size(p.Obj.Size)
	}
	return c.size(0)
}

func pointerOffset(c *call) state.Value {
	p := c.arg(0)
	if p.Obj != nil && p.Whole() {
		return c.size(p.Offset())
	}
	return c.size(p.Bits)
}

func pointerObject(c *call) state.Value {
	p := c.arg(0)
	switch {
	case p.Obj != nil && p.Whole():
		return c.size(p.Obj.Base)
	case p.Bits == 0:
		return c.size(0)
	}
	return c.size(p.Bits | 1<<(c.m.m.Layout.Pointer-1))
}

// size returns a result of type size_t.
func (c *call) size(n uint64) state.Value {
	if c.in.Type.Kind != llvmir.IntType || c.in.Type.Bits != c.m.m.Layout.Pointer {
		c.m.unsupported("a call of " + c.fn.Name + " without its declaration")
	}
	return state.Value{Bits: n}
}

// uninterpreted returns an arbitrary value: that of the first call with the same arguments.
func uninterpreted(c *call) state.Value {
	key := c.fn.Name
	for i := range c.args {
		key += fmt.Sprintf(" %x", c.arg(i).Big())
	}
	v := c.nondet()
	if first, ok := c.m.applied[key]; ok {
		return first
	}
	if c.m.applied == nil {
		c.m.applied = map[string]state.Value{}
	}
	c.m.applied[key] = v
	return v
}
