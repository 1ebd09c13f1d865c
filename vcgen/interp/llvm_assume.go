package interp

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/found"
)

// stated executes llvm.assume; a false assumption is undefined behaviour (see package unfold).
func (c *call) stated() {
	if !c.argTrue(0) {
		c.m.violated(found.Unreachable, func() string { return c.m.expressed("the condition") + " is false" })
	}
	if c.m.m.Of(c.in).Declared {
		return
	}
	for _, f := range c.in.Facts {
		c.fact(f.Tag, f.From, f.To)
	}
}

// fact checks the statement of an operand bundle.
func (c *call) fact(tag string, from, to int) {
	p := c.arg(from)
	if tag == "nonnull" {
		if p.Bits == 0 {
			c.m.violated(found.Unreachable, func() string { return "the pointer is NULL, and is stated not to be" })
		}
		return
	}
	align, offset := c.argInt(from+1), uint64(0)
	if from+2 < to {
		offset = c.argInt(from + 2)
	}
	if (p.Bits-offset)&(align-1) != 0 {
		c.m.violated(found.Unreachable, func() string {
			return fmt.Sprintf("the address %#x is not aligned to %d bytes, as is stated", p.Bits-offset, align)
		})
	}
}
