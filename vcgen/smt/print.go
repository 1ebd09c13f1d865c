package smt

import (
	"fmt"
	"strings"
)

// printDepth is the depth at which String cuts off nested terms.
const printDepth = 12

// symbol returns the unique printed name of a variable: its name, "!", its number in order of creation.
func (c *Context) symbol(t Term) string {
	k := c.nodes[t].aux
	return fmt.Sprintf("%s!%d", c.vars[k].name, k)
}

// String returns t in the syntax of SMT-LIB, without sharing.
//
// Subterms deeper than printDepth are cut to "…". A constant of n bits is written value:n.
func (c *Context) String(t Term) string {
	var b strings.Builder
	c.print(&b, t, printDepth)
	return b.String()
}

func (c *Context) print(b *strings.Builder, t Term, depth int) {
	if t == 0 || int(t) >= len(c.nodes) {
		fmt.Fprintf(b, "<no term %d>", t)
		return
	}
	n := &c.nodes[t]
	switch n.op {
	case OpTrue, OpFalse:
		b.WriteString(n.op.String())
		return
	case OpConst:
		fmt.Fprintf(b, "%v:%d", c.constValue(t).read(), n.sort)
		return
	case OpVar:
		b.WriteString(c.symbol(t))
		return
	}
	if depth == 0 || b.Len() > 4000 {
		b.WriteString("…")
		return
	}
	args := c.Args(t)
	switch n.op {
	case OpNot:
		if in := args[0]; c.nodes[in].op == OpAnd {
			x, y := c.arg0(in), c.arg1(in)
			if c.nodes[x].op == OpNot || c.nodes[y].op == OpNot {
				b.WriteString("(or ")
				c.printNegated(b, x, depth-1)
				b.WriteByte(' ')
				c.printNegated(b, y, depth-1)
				b.WriteByte(')')
				return
			}
		}
		b.WriteString("(not")
	case OpExtract:
		hi, lo := c.ExtractBounds(t)
		fmt.Fprintf(b, "((_ extract %d %d)", hi, lo)
	case OpZext, OpSext:
		fmt.Fprintf(b, "((_ %v %d)", n.op, int(n.sort)-c.Width(args[0]))
	case OpApply:
		fmt.Fprintf(b, "(%s", c.funcs[n.aux].name)
	case OpFRound:
		fmt.Fprintf(b, "(fround.%v", RoundMode(n.aux))
	case OpFToS, OpFToU, OpSToF, OpUToF, OpFToF:
		fmt.Fprintf(b, "((_ %v %d)", n.op, n.sort)
	default:
		fmt.Fprintf(b, "(%v", n.op)
	}
	for _, a := range args {
		b.WriteByte(' ')
		c.print(b, a, depth-1)
	}
	b.WriteByte(')')
}

func (c *Context) printNegated(b *strings.Builder, t Term, depth int) {
	if c.nodes[t].op == OpNot {
		c.print(b, c.arg0(t), depth)
		return
	}
	b.WriteString("(not ")
	c.print(b, t, depth)
	b.WriteByte(')')
}
