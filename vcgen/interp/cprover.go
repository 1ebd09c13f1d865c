package interp

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// The primitives of CBMC that ask about pointers.

func objectSize(c *call) value {
	if p := c.arg(0); p.obj != nil && p.whole() {
		return c.size(p.obj.size)
	}
	return c.size(0)
}

func pointerOffset(c *call) value {
	p := c.arg(0)
	if p.obj != nil && p.whole() {
		return c.size(p.offset())
	}
	return c.size(p.bits)
}

func pointerObject(c *call) value {
	p := c.arg(0)
	switch {
	case p.obj != nil && p.whole():
		return c.size(p.obj.base)
	case p.bits == 0:
		return c.size(0)
	}
	return c.size(p.bits | 1<<63)
}

// size is a result of 64 bits.
func (c *call) size(n uint64) value {
	if c.in.Type.Kind != llvmir.IntType || c.in.Type.Bits != 64 {
		c.m.unsupported("a call of " + c.fn.Name + " without its declaration")
	}
	return value{bits: n}
}

// uninterpreted gives an arbitrary value, the one of the first call with these arguments.
func uninterpreted(c *call) value {
	key := c.fn.Name
	for i := range c.args {
		key += fmt.Sprintf(" %x", c.arg(i).big())
	}
	v := c.nondet()
	if first, ok := c.m.applied[key]; ok {
		return first
	}
	if c.m.applied == nil {
		c.m.applied = map[string]value{}
	}
	c.m.applied[key] = v
	return v
}
