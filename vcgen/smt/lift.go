package smt

// LiftChoices moves choices out of the comparisons in a formula:
//
//	ite(c, 1, 2) < ite(c, 5, 7)   becomes   ite(c, 1 < 5, 2 < 7), that is, true
//
// The branches of the result compare the chosen values, and comparisons of constants fold. Values that were merged by
// the same conditions, such as the members of one record, are chosen together on both sides. So a relation that holds
// for each record needs no search. Conditions are split in the order in which the choices were created, the last
// first, as in a decision diagram. Results are memoized.
//
// A comparison stays unchanged if
//
//   - it takes more steps than are left,
//   - it would leave many other comparisons,
//   - it contains only one choice, or
//   - it contains anything but choices, constants and variables.
//
// spent is the number of steps taken.
//
// Source: Kim, Somenzi and Jin, "Efficient Term-ITE Conversion for Satisfiability Modulo Theories" (2009), who
// convert choices in this way if the result is smaller.
func (c *Context) LiftChoices(f Term, steps int) (lifted Term, spent int) {
	remaining := steps
	lifted = c.Rewrite(f, map[Term]Term{}, func(t Term) (Term, bool) {
		switch c.nodes[t].op {
		case OpNot, OpAnd:
			return 0, false
		case OpEq, OpUlt, OpSlt:
		default:
			return t, true
		}
		if !c.nodes[c.arg0(t)].has(markPlain) || !c.nodes[c.arg1(t)].has(markPlain) || len(c.topChoices(t)) < 2 {
			return t, true
		}
		l := lift{c: c, memo: map[Term]Term{}, remaining: remaining}
		r, ok := l.comparison(t)
		if remaining = l.remaining; !ok {
			r = t
		}
		return r, true
	})
	return lifted, steps - remaining
}

// lift is the lifting of one comparison.
type lift struct {
	c         *Context
	memo      map[Term]Term
	remaining int // steps
	open      int // remaining comparisons of variables
}

// mostOpen bounds the comparisons that replace one comparison: many of them decide nothing, and enlarge the search.
const mostOpen = 32

// comparison lifts the choices out of a comparison. It returns false if no steps are left.
func (l *lift) comparison(t Term) (Term, bool) {
	c := l.c
	if r, done := l.memo[t]; done {
		return r, true
	}
	choices := c.topChoices(t)
	if len(choices) == 0 {
		if !c.IsConst(t) {
			l.open++
		}
		l.memo[t] = t
		return t, l.open <= mostOpen
	}
	if l.remaining == 0 {
		return 0, false
	}
	l.remaining--
	last := choices[0]
	for _, x := range choices {
		last = max(last, x)
	}
	cond := c.arg0(last)
	branch := func(i int) (Term, bool) {
		chosen := map[Term]Term{}
		for _, x := range choices {
			if c.arg0(x) == cond {
				chosen[x] = c.Arg(x, i)
			}
		}
		return l.comparison(c.Rewrite(t, chosen, func(Term) (Term, bool) { return 0, false }))
	}
	a, ok := branch(1)
	if !ok {
		return 0, false
	}
	b, ok := branch(2)
	if !ok {
		return 0, false
	}
	r := c.Ite(cond, a, b)
	l.memo[t] = r
	return r, true
}

// topChoices lists the choices in a term that are not inside another choice.
func (c *Context) topChoices(t Term) (list []Term) {
	seen := map[Term]bool{}
	for todo := []Term{t}; len(todo) > 0; {
		x := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case seen[x]:
		case c.nodes[x].op == OpIte:
			list = append(list, x)
		default:
			todo = append(todo, c.Args(x)...)
		}
		seen[x] = true
	}
	return list
}

// plainOf reports, before a term exists, whether it is a bit-vector of constants, variables and choices among these.
//
// The conditions of the choices are arbitrary.
func (c *Context) plainOf(op Op, s Sort, args []Term) bool {
	switch {
	case s == Bool || op == OpApply:
		return false
	case op == OpIte:
		args = args[1:]
	}
	for _, a := range args {
		if !c.nodes[a].has(markPlain) {
			return false
		}
	}
	return true
}
