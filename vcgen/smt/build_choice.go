package smt

import "math/bits"

// spread bounds the number of different values of a bit-vector, by its structure.
//
// The value narrow + n stands for a number of few bits, or one of n open terms.
type spread uint8

const (
	anySpread spread = iota // unknown; always for Bool, and for less than 16 or more than 64 bits
	open                    // a symbol, or bits of symbols: any value
	narrow
	// widest bounds the number of open terms: each join of two such terms needs a condition for each.
	widest = narrow + 4
)

// spreadOf computes the spread of a term before the term is created.
func (c *Context) spreadOf(op Op, s Sort, f facts, args []Term) spread {
	w := int(s)
	if w < 16 || w > 64 {
		return anySpread
	}
	switch op {
	case OpVar, OpApply:
		return open
	case OpExtract, OpConcat:
		if c.symbols(args, spineLook) {
			return open
		}
	case OpIte:
		if n := c.spreadOfChoice(args[1], args[2]); n != anySpread {
			return n
		}
	case OpSext:
		if int(c.nodes[args[0]].sort) <= w/2 {
			return narrow
		}
	}
	if half := uint64(1) << uint(w-1); f.hi < half || f.lo >= half {
		lo, hi := signExtend64(f.lo, w), signExtend64(f.hi, w)
		if max(bits.Len64(uint64(lo^(lo>>63))), bits.Len64(uint64(hi^(hi>>63)))) <= w/2 {
			return narrow
		}
	}
	return anySpread
}

// symbols reports whether all terms are symbols, or bits of symbols, by a bounded search.
func (c *Context) symbols(terms []Term, depth int) bool {
	if depth == 0 {
		return false
	}
	for _, t := range terms {
		switch n := &c.nodes[t]; n.op {
		case OpVar, OpApply:
		case OpExtract, OpConcat:
			if !c.symbols(c.Args(t), depth-1) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// spreadOfChoice computes the spread of a choice from those of its branches.
func (c *Context) spreadOfChoice(a, b Term) spread {
	x, y := c.nodes[a].spread, c.nodes[b].spread
	opens := func(n spread) spread {
		if n == open {
			return 1
		}
		return n - narrow
	}
	if x == anySpread || y == anySpread || x == open && y == open {
		return anySpread
	}
	n := opens(x) + opens(y)
	if v := c.openLeaf(a); v != 0 && v == c.openLeaf(b) {
		n--
	}
	if narrow+n > widest {
		return anySpread
	}
	return narrow + n
}

// openLast moves an open term v behind the narrow values of a choice:
//
//	ite(c, ite(p, v, x), ite(q, v, y))  becomes  ite(ite(c, p, q), v, ite(c, x, y))
//
// An unwritten part of memory is open. Without this rule, each of many successive merges of states would choose among
// all of its bits, and x and y, which have few bits, would not be combined. The rule does not apply if the facts
// about the choice would become weaker, as for a minimum. It returns 0 if it does not apply.
func (c *Context) openLast(cond, a, b Term) Term {
	v := max(c.openLeaf(a), c.openLeaf(b))
	if v == 0 || a == v || b == v { // left to the rules for shared branches and to the normal form
		return 0
	}
	p, x := c.unless(a, v)
	q, y := c.unless(b, v)
	shared := p != termFalse && q != termFalse
	if !shared && (c.nodes[x].spread < narrow || c.nodes[y].spread < narrow) || !c.use(ruleIteOpenLast) {
		return 0
	}
	r := c.Ite(c.Ite(cond, p, q), v, c.Ite(cond, x, y))
	was := c.factsOf(OpIte, c.nodes[a].sort, 0, []Term{cond, a, b})
	if is := &c.nodes[r].facts; is.lo < was.lo || is.hi > was.hi || was.zeros&^is.zeros != 0 || was.ones&^is.ones != 0 {
		return 0
	}
	return r
}

// openLeaf returns the open term that t is, or that it chooses last; 0 if there is none.
func (c *Context) openLeaf(t Term) Term {
	n := &c.nodes[t]
	switch {
	case n.spread == open:
		return t
	case n.op == OpIte:
		x, y := c.arg1(t), c.arg2(t)
		if c.nodes[y].spread == open && (c.nodes[x].spread != open || y > x) {
			return y
		} else if c.nodes[x].spread == open {
			return x
		}
	}
	return 0
}

// unless splits a term into the condition under which it is v, and its value otherwise.
func (c *Context) unless(t, v Term) (is, other Term) {
	switch {
	case c.nodes[t].op == OpIte && c.arg1(t) == v:
		return c.arg0(t), c.arg2(t)
	case c.nodes[t].op == OpIte && c.arg2(t) == v:
		return c.Not(c.arg0(t)), c.arg1(t)
	}
	return termFalse, t
}
