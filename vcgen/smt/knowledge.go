package smt

import (
	"math"
	"slices"
)

// Knowledge has the values and bounds of variables that follow from assumptions which hold from now on.
//
// Words of arbitrary memory (fields of a struct that was never written) count as variables. Apply rewrites terms by
// it.
type Knowledge struct {
	c      *Context
	bounds map[Term]*interval
	subst  *substitution
	// uses maps a variable to the variables that are replaced by terms containing it.
	uses map[Term][]Term
}

// NewKnowledge returns empty Knowledge about the variables of c.
func NewKnowledge(c *Context) *Knowledge {
	return &Knowledge{c: c, bounds: map[Term]*interval{}, subst: &substitution{c: c, to: map[Term]Term{},
		memo: map[Term]Term{}}, uses: map[Term][]Term{}}
}

// Definition is the term Is that replaces the variable or word Of.
type Definition struct{ Of, Is Term }

// Learn adds the consequences of a fact for variables and words.
//
// Only those for which may returns true are considered; all if may is nil. It returns the definitions that replace
// bounded ones, which must be assumed along with the fact.
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
				if small != 0 { // the fact itself may be narrowed away; its bound remains
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
		// Only terms that contain the variable are rewritten: a scan of all terms would make n assumptions cost n².
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

// replace replaces v by a term from now on.
func (k *Knowledge) replace(v, as Term) {
	k.subst.to[v] = as
	for _, x := range k.c.Symbols(as) {
		k.uses[x] = append(k.uses[x], v)
	}
}

// Apply rewrites a term by the knowledge.
func (k *Knowledge) Apply(t Term) Term {
	if len(k.subst.to) == 0 || t == 0 || k.c.IsConst(t) {
		return t
	}
	return k.subst.apply(t)
}
