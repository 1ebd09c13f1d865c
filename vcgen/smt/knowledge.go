package smt

import (
	"math"
	"slices"
)

// Knowledge is what assumptions that hold from now on say about variables, and about words of arbitrary memory (the
// fields of a struct that was never set): their values or bounds. Apply rewrites terms by it.
type Knowledge struct {
	c      *Context
	bounds map[Term]*interval
	subst  *substitution
	// uses lists for each variable those that are replaced by terms that mention it.
	uses map[Term][]Term
}

// NewKnowledge returns empty knowledge about the variables of c.
func NewKnowledge(c *Context) *Knowledge {
	return &Knowledge{c: c, bounds: map[Term]*interval{}, subst: &substitution{c: c, to: map[Term]Term{},
		memo: map[Term]Term{}}, uses: map[Term][]Term{}}
}

// Definition is what a variable, or a word, is from now on.
type Definition struct{ Of, Is Term }

// Learn takes in what a fact says of the variables and words for which may is true, of all where it is nil. It returns
// what those that are bounded were replaced by: equations that have to be assumed along with the fact.
func (k *Knowledge) Learn(fact Term, may func(v Term) bool) (definitions []Definition) {
	c := k.c
	q := &Question{c: c, words: true}
	fresh := map[Term]Term{}
	for _, f := range c.Conjuncts(k.Apply(fact)) {
		if v, as, ok := q.fixes(f); ok && (may == nil || may(v)) {
			fresh[v] = as
		} else if v, in, ok := q.bounds(f); ok && c.lowZeros(v) == 0 && (may == nil || may(v)) {
			b := k.bounds[v]
			if b == nil {
				b = anyOf(c.Width(v))
				k.bounds[v] = b
			}
			b.meet(in, c.Width(v))
			if _, done := fresh[v]; done {
				continue
			}
			if as, small, ok := q.narrow(v, *b); ok {
				fresh[v] = as
				if small != 0 { // the fact itself may be narrowed away: what it says stays
					k.bounds[small] = &interval{0, b.hi - b.lo, math.MinInt64, math.MaxInt64}
				}
			}
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	step := &substitution{c: c, to: fresh, memo: map[Term]Term{}}
	var order []Term
	for v := range fresh {
		order = append(order, v)
	}
	slices.Sort(order)
	for _, v := range order {
		// Only what mentions a variable is rewritten: going through all that is known would make n assumptions cost n².
		for _, u := range k.uses[v] {
			k.replace(u, step.apply(k.subst.to[u]))
		}
		delete(k.uses, v)
	}
	for _, v := range order {
		k.replace(v, fresh[v])
		definitions = append(definitions, Definition{v, fresh[v]})
	}
	k.subst.memo = map[Term]Term{}
	return definitions
}

// replace has v be replaced by a term from now on.
func (k *Knowledge) replace(v, as Term) {
	k.subst.to[v] = as
	for _, x := range k.c.Symbols(as) {
		k.uses[x] = append(k.uses[x], v)
	}
}

// Apply rewrites a term by what is known.
func (k *Knowledge) Apply(t Term) Term {
	if len(k.subst.to) == 0 || t == 0 || k.c.IsConst(t) {
		return t
	}
	return k.subst.apply(t)
}
