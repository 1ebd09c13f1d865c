package interp

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// cprover finds the primitives of CBMC that ask about pointers, and uninterpreted functions.
func cprover(c *call) (func(c *call) value, bool) {
	name := c.fn.Name
	switch {
	case name == "__CPROVER_OBJECT_SIZE":
		return func(c *call) value {
			if p := c.arg(0); p.obj != nil && p.whole() {
				return c.size(p.obj.size)
			}
			return c.size(0)
		}, true
	case name == "__CPROVER_POINTER_OFFSET":
		return func(c *call) value {
			p := c.arg(0)
			if p.obj != nil && p.whole() {
				return c.size(p.offset())
			}
			return c.size(p.bits)
		}, true
	case name == "__CPROVER_POINTER_OBJECT":
		return func(c *call) value {
			p := c.arg(0)
			switch {
			case p.obj != nil && p.whole():
				return c.size(p.obj.base)
			case p.bits == 0:
				return c.size(0)
			}
			return c.size(p.bits | 1<<63)
		}, true
	case strings.HasPrefix(name, "__CPROVER_uninterpreted_"):
		return uninterpreted, true
	case strings.HasPrefix(name, "__CPROVER_") && !strings.HasPrefix(name, "__CPROVER_file_local_"):
		return func(c *call) value { c.m.unsupported("a call of " + name); return value{} }, true
	}
	return nil, false
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
