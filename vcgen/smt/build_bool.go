package smt

import "fmt"

// Conjunctions are binary and disjunctions do not exist: Or(a, b) is Not(And(Not a, Not b)), as in an and-inverter
// graph, so that each rule is stated once. A path condition And(And(And(g, c1), c2), c3) is a spine that leans to the
// left. The rules inspect spineLook levels of it and never rebuild it; appending a conjunct costs the same at any
// length.
const spineLook = 8

// Not returns the negation.
func (c *Context) Not(a Term) Term {
	c.mustBool("Not", a)
	switch c.nodes[a].op {
	case OpNot:
		return c.arg0(a)
	case OpTrue:
		return termFalse
	case OpFalse:
		return termTrue
	}
	return c.intern(OpNot, Bool, 0, []Term{a})
}

// opposite reports whether one operand is the negation of the other.
func (c *Context) opposite(a, b Term) bool {
	switch {
	case c.nodes[a].op == OpNot:
		return c.arg0(a) == b
	case c.nodes[b].op == OpNot:
		return c.arg0(b) == a
	}
	return a == termTrue && b == termFalse || a == termFalse && b == termTrue
}

// And returns the conjunction; true for no operands. It is built from left to right.
func (c *Context) And(ts ...Term) Term {
	c.mustBool("And", ts...)
	r := termTrue
	for _, t := range ts {
		r = c.and2(r, t)
	}
	return r
}

// Or returns the disjunction; false for no operands.
func (c *Context) Or(ts ...Term) Term {
	c.mustBool("Or", ts...)
	r := termTrue
	for _, t := range ts {
		r = c.and2(r, c.Not(t))
	}
	return c.Not(r)
}

// Xor returns a != b for Bools.
func (c *Context) Xor(a, b Term) Term {
	c.mustBool("Xor", a, b)
	return c.Not(c.eqBool(a, b))
}

// Implies returns "a implies b".
func (c *Context) Implies(a, b Term) Term {
	c.mustBool("Implies", a, b)
	return c.Not(c.and2(a, c.Not(b)))
}

// Iff returns a == b for Bools.
func (c *Context) Iff(a, b Term) Term {
	c.mustBool("Iff", a, b)
	return c.eqBool(a, b)
}

// literalImplies reports whether a implies x by their outermost form.
//
// That is the case if they are equal, or if a is t = k and x is t != l with different constants.
func (c *Context) literalImplies(a, x Term) bool {
	if a == x {
		return true
	}
	n := &c.nodes[a]
	if n.op != OpEq || c.nodes[x].op != OpNot {
		return false
	}
	y := c.arg0(x)
	if c.nodes[y].op != OpEq || c.arg0(a) != c.arg0(y) {
		return false
	}
	k, l := c.arg1(a), c.arg1(y)
	return k != l && c.nodes[k].op == OpConst && c.nodes[l].op == OpConst // hash-consed: different constants differ
}

// implies reports whether a implies x, by a bounded search.
//
// x must be a conjunct of a, a part of its spine, or implied by a single conjunct.
func (c *Context) implies(a, x Term) bool {
	for i := 0; i < spineLook; i++ {
		if c.nodes[a].op != OpAnd {
			return c.literalImplies(a, x)
		}
		if a == x || c.literalImplies(c.arg1(a), x) {
			return true
		}
		a = c.arg0(a)
	}
	return a == x
}

// refutes reports whether a implies the negation of x. It creates no terms.
func (c *Context) refutes(a, x Term) bool {
	if c.nodes[x].op == OpNot {
		return c.implies(a, c.arg0(x))
	}
	for i := 0; i < spineLook; i++ {
		l := a
		and := c.nodes[a].op == OpAnd
		if and {
			l = c.arg1(a)
		}
		if c.literalRefutes(l, x) {
			return true
		}
		if !and {
			return false
		}
		a = c.arg0(a)
	}
	return c.opposite(a, x)
}

// literalRefutes reports whether a implies the negation of x, which is not itself a negation.
func (c *Context) literalRefutes(a, x Term) bool {
	if c.nodes[a].op == OpNot {
		return c.arg0(a) == x || c.implies(x, c.arg0(a)) // contraposition
	}
	if c.nodes[a].op != OpEq || c.nodes[x].op != OpEq || c.arg0(a) != c.arg0(x) {
		return false
	}
	k, l := c.arg1(a), c.arg1(x)
	return k != l && c.nodes[k].op == OpConst && c.nodes[l].op == OpConst
}

func (c *Context) and2(a, b Term) Term {
	switch {
	case a == termTrue || a == b:
		return b
	case b == termTrue:
		return a
	case a == termFalse || b == termFalse:
		return termFalse
	case c.opposite(a, b) && c.use(ruleAndOpposite):
		return termFalse
	}
	// And(And(x,c),c) = And(x,c), And(And(x,c),!c) = false, on both sides.
	switch {
	case (c.refutes(a, b) || c.refutes(b, a)) && c.use(ruleAndRefuted):
		return termFalse
	case c.implies(a, b) && c.use(ruleAndImplied):
		return a
	case c.implies(b, a) && c.use(ruleAndImplied):
		return b
	}
	if less := c.strict(a, b); less != 0 && c.use(ruleAndStrict) {
		return less
	}
	if c.enter() {
		r := c.andOr(a, b)
		if r == 0 {
			r = c.andOr(b, a)
		}
		if r == 0 {
			r = c.factor(a, b)
		}
		c.leave()
		if r != 0 {
			return r
		}
	}
	e := edge(0)
	if c.functions {
		known := Term(0)
		if known, e = c.andKnown(a, b); known != 0 && c.use(ruleAndKnown) {
			return known
		}
	}
	// And is commutative, but the first order in which it was built determines the spine
	t := c.lookup(OpAnd, Bool, 0, b, a)
	if t == 0 {
		t = c.intern(OpAnd, Bool, 0, []Term{a, b})
	}
	if c.functions {
		c.setDiagram(t, e)
	}
	return t
}

// strict returns y < x for NOT(x < y) AND NOT(x = y), in any order; 0 for other terms.
func (c *Context) strict(a, b Term) Term {
	if c.nodes[a].op != OpNot || c.nodes[b].op != OpNot {
		return 0
	}
	less, equal := c.arg0(a), c.arg0(b)
	if c.nodes[less].op == OpEq {
		less, equal = equal, less
	}
	if c.nodes[equal].op != OpEq {
		return 0
	}
	x, y := c.arg0(equal), c.arg1(equal)
	op := c.nodes[less].op
	if op != OpUlt && op != OpSlt || !(c.arg0(less) == x && c.arg1(less) == y || c.arg0(less) == y && c.arg1(less) == x) {
		return 0
	}
	if op == OpUlt {
		return c.Ult(c.arg1(less), c.arg0(less))
	}
	return c.Slt(c.arg1(less), c.arg0(less))
}

// andOr simplifies a AND NOT(p AND q).
//
// If a refutes a part of the inner conjunction, the result is a. If a implies a part, that part is dropped: g AND
// NOT(g AND c) = g AND NOT c. It returns 0 if neither applies.
func (c *Context) andOr(a, b Term) Term {
	if c.nodes[b].op != OpNot {
		return 0
	}
	in := c.arg0(b)
	var conjuncts [4]Term // right-hand conjuncts above the current node of the spine
	n := 0
	for c.nodes[in].op == OpAnd && n < len(conjuncts) {
		p, q := c.arg0(in), c.arg1(in)
		if (c.refutes(a, p) || c.refutes(a, q)) && c.use(ruleAndNotRefuted) {
			return a
		}
		rest := Term(0)
		if c.implies(a, q) {
			rest = p
		} else if c.implies(a, p) {
			rest = q
		}
		if rest != 0 && c.use(ruleAndNotImplied) {
			for n--; n >= 0; n-- {
				rest = c.and2(rest, conjuncts[n])
			}
			return c.and2(a, c.Not(rest))
		}
		conjuncts[n] = q
		n++
		in = p
	}
	return 0
}

// factor simplifies NOT x AND NOT y if x and y are conjunctions with a common part.
//
// x = g AND r and y = g AND s give NOT(g AND (r OR s)). Guards collapse so at a join: (g AND c) OR (g AND NOT c) = g.
// It returns 0 if there is no common part.
func (c *Context) factor(a, b Term) Term {
	if c.nodes[a].op != OpNot || c.nodes[b].op != OpNot {
		return 0
	}
	x, y := c.arg0(a), c.arg0(b)
	var r, s [2 * spineLook]Term // conjuncts above the common prefix, outermost first
	i, j := 0, 0
	u, v := x, y
	for u != v {
		// Arguments have smaller handles: the greater one cannot be part of the other's spine.
		if u > v {
			if c.nodes[u].op != OpAnd || i == len(r) {
				break
			}
			r[i] = c.arg1(u)
			i++
			u = c.arg0(u)
		} else {
			if c.nodes[v].op != OpAnd || j == len(s) {
				break
			}
			s[j] = c.arg1(v)
			j++
			v = c.arg0(v)
		}
	}
	if u == v && c.use(ruleOrCommonPrefix) {
		rt, st := termTrue, termTrue
		for i--; i >= 0; i-- {
			rt = c.and2(rt, r[i])
		}
		for j--; j >= 0; j-- {
			st = c.and2(st, s[j])
		}
		return c.Not(c.and2(u, c.Or(rt, st)))
	}
	if c.nodes[x].op != OpAnd || c.nodes[y].op != OpAnd {
		return 0
	}
	p, q := c.arg0(x), c.arg1(x)
	t, w := c.arg0(y), c.arg1(y)
	switch {
	case q == w && c.use(ruleOrCommonConjunct):
		return c.Not(c.and2(c.Or(p, t), q))
	case p == w && c.use(ruleOrCommonConjunct):
		return c.Not(c.and2(p, c.Or(q, t)))
	case q == t && c.use(ruleOrCommonConjunct):
		return c.Not(c.and2(q, c.Or(p, w)))
	}
	return 0
}

// eqBool builds the equality of Bools. The normal form has no negated operand.
func (c *Context) eqBool(a, b Term) Term {
	switch {
	case a == b:
		return termTrue
	case a == termTrue:
		return b
	case b == termTrue:
		return a
	case a == termFalse:
		return c.Not(b)
	case b == termFalse:
		return c.Not(a)
	}
	neg := false
	if c.nodes[a].op == OpNot {
		a, neg = c.arg0(a), !neg
	}
	if c.nodes[b].op == OpNot {
		b, neg = c.arg0(b), !neg
	}
	if a > b {
		a, b = b, a
	}
	var r Term
	switch {
	case a == b:
		r = termTrue
	case c.isBoolEq(b) && c.arg0(b) == a && c.use(ruleIffCancels): // a = (a = x) is x
		r = c.arg1(b)
	case c.isBoolEq(b) && c.arg1(b) == a && c.use(ruleIffCancels):
		r = c.arg0(b)
	default:
		r = c.intern(OpEq, Bool, 0, []Term{a, b})
	}
	if neg {
		return c.Not(r)
	}
	return r
}

func (c *Context) isBoolEq(t Term) bool {
	return c.nodes[t].op == OpEq && c.nodes[c.arg0(t)].sort == Bool
}

// Ite returns "if cond then a else b"; a and b are Bools or bit-vectors of one sort.
func (c *Context) Ite(cond, a, b Term) Term {
	c.mustBool("Ite", cond)
	if c.nodes[a].sort != c.nodes[b].sort || a == 0 || b == 0 {
		panic(fmt.Sprintf("smt: Ite: branches %s and %s have different sorts", c.String(a), c.String(b)))
	}
	if c.nodes[cond].op == OpNot {
		cond, a, b = c.arg0(cond), b, a
	}
	switch {
	case cond == termTrue || a == b:
		return a
	case cond == termFalse:
		return b
	}
	a = c.under(cond, true, a)
	b = c.under(cond, false, b)
	if a == b {
		return a
	}
	if c.nodes[a].sort == Bool {
		return c.iteBool(cond, a, b)
	}
	if c.enter() {
		r := c.iteShared(cond, a, b)
		if r == 0 {
			r = c.openLast(cond, a, b)
		}
		c.leave()
		if r != 0 {
			return r
		}
	}
	return c.intern(OpIte, c.nodes[a].sort, 0, []Term{cond, a, b})
}

// under simplifies a branch t of an ite given the value of the condition.
//
// For example, ite(c, ite(c,x,y), z) = ite(c,x,z); the inner condition may also be one that c decides by a bounded
// search.
func (c *Context) under(cond Term, val bool, t Term) Term {
	for i := 0; i < spineLook && c.nodes[t].op == OpIte; i++ {
		d := c.arg0(t)
		switch known := c.decide(cond, val, d); {
		case known == 0 || !c.use(ruleIteDecided):
			return t
		case known == 1:
			t = c.arg1(t)
		default:
			t = c.arg2(t)
		}
	}
	return t
}

// decide returns 1 or -1 if d is true or false given that cond is val, and 0 if that is not found.
//
// It uses a bounded search and diagrams.
func (c *Context) decide(cond Term, val bool, d Term) int {
	switch {
	case d == cond:
		if val {
			return 1
		}
		return -1
	case val && c.implies(cond, d):
		return 1
	case val && c.refutes(cond, d):
		return -1
	case !val && c.implies(d, cond): // not cond, so not d
		return -1
	case !val && c.nodes[d].op == OpNot && c.implies(c.arg0(d), cond):
		return 1
	}
	if c.functions {
		return c.decideFunction(cond, val, d)
	}
	return 0
}

func (c *Context) iteBool(cond, a, b Term) Term {
	switch {
	case (a == termTrue || a == cond) && c.use(ruleIteOfConstant):
		return c.Or(cond, b)
	case (a == termFalse || c.opposite(a, cond)) && c.use(ruleIteOfConstant):
		return c.and2(c.Not(cond), b)
	case (b == termTrue || c.opposite(b, cond)) && c.use(ruleIteOfConstant):
		return c.Not(c.and2(cond, c.Not(a)))
	case (b == termFalse || b == cond) && c.use(ruleIteOfConstant):
		return c.and2(cond, a)
	case c.opposite(a, b) && c.use(ruleIteOpposite):
		return c.eqBool(cond, a)
	}
	if c.enter() {
		r := c.iteShared(cond, a, b)
		c.leave()
		if r != 0 {
			return r
		}
	}
	if c.nodes[a].op == OpNot && c.nodes[b].op == OpNot && c.use(ruleIteNegations) {
		return c.Not(c.intern(OpIte, Bool, 0, []Term{cond, c.arg0(a), c.arg0(b)}))
	}
	return c.intern(OpIte, Bool, 0, []Term{cond, a, b})
}

// iteShared joins nested choices that share a branch, and simplifies an inner condition by the outer one.
//
// It returns 0 if no rule applies.
func (c *Context) iteShared(cond, a, b Term) Term {
	if c.nodes[a].op == OpIte {
		d, x, y := c.arg0(a), c.arg1(a), c.arg2(a)
		switch {
		case y == b && c.use(ruleIteSharesBranch): // ite(c1, ite(c2,x,y), y) = ite(c1 and c2, x, y)
			return c.Ite(c.and2(cond, d), x, y)
		case x == b && c.use(ruleIteSharesBranch): // ite(c1, ite(c2,x,y), x) = ite(c1 and not c2, y, x)
			return c.Ite(c.and2(cond, c.Not(d)), y, x)
		}
		if c.nodes[d].op == OpAnd {
			p, q := c.arg0(d), c.arg1(d)
			if c.implies(cond, p) && c.use(ruleIteImpliedConjunct) {
				return c.Ite(cond, c.Ite(q, x, y), b)
			} else if c.implies(cond, q) && c.use(ruleIteImpliedConjunct) {
				return c.Ite(cond, c.Ite(p, x, y), b)
			}
		}
	}
	if c.nodes[b].op == OpIte {
		d, x, y := c.arg0(b), c.arg1(b), c.arg2(b)
		switch {
		case x == a && c.use(ruleIteSharesBranch): // ite(c1, x, ite(c2,x,y)) = ite(c1 or c2, x, y)
			return c.Ite(c.Or(cond, d), x, y)
		case y == a && c.use(ruleIteSharesBranch): // ite(c1, y, ite(c2,x,y)) = ite(not c1 and c2, x, y)
			return c.Ite(c.and2(c.Not(cond), d), x, y)
		}
		if c.nodes[d].op == OpAnd { // not cond holds here
			p, q := c.arg0(d), c.arg1(d)
			if c.decide(cond, false, p) == 1 && c.use(ruleIteImpliedConjunct) {
				return c.Ite(cond, a, c.Ite(q, x, y))
			} else if c.decide(cond, false, q) == 1 && c.use(ruleIteImpliedConjunct) {
				return c.Ite(cond, a, c.Ite(p, x, y))
			}
		}
	}
	return 0
}

// BoolToBV returns 1 or 0 in w bits: ite(b, 1, 0).
func (c *Context) BoolToBV(b Term, w int) Term { return c.Ite(b, c.Int(w, 1), c.Int(w, 0)) }

// BVToBool returns t != 0.
func (c *Context) BVToBool(t Term) Term {
	w := c.mustBV("BVToBool", t)
	return c.Not(c.Eq(t, c.Int(w, 0)))
}
