package smt

import (
	"encoding/binary"
	"slices"
)

// maxDisjuncts bounds the size of the disjunctions that are compared.
const maxDisjuncts = 6

// resolve replaces two facts that are the same disjunction except for the sign of one disjunct by the common
// disjuncts.
//
// It reports whether there were any such facts. This is self-subsuming resolution (Eén and Biere, "Effective
// Preprocessing in SAT", 2005). Assumptions after a path that ends have this form: "the status is 2, or the path
// ended" and "the path did not end, or the status is 2".
func (q *Question) resolve() (found bool) {
	c := q.c
	// at maps a disjunction without one of its literals to the fact and the sign of that literal.
	type rest struct {
		fact int
		neg  bool
	}
	at := map[string]rest{}
	gone := map[int]bool{}
	for i := 0; i < len(q.Facts); i++ {
		for _, lits := range [][]literal{c.disjuncts(q.Facts[i], 1), c.disjuncts(q.Facts[i], maxDisjuncts)} {
			if len(lits) < 2 || gone[i] {
				continue
			}
			for k, l := range lits {
				key := literalKey(lits, k)
				other, seen := at[key]
				if !seen || gone[other.fact] {
					at[key] = rest{i, l.neg}
					continue
				}
				if other.neg == l.neg || other.fact == i {
					continue
				}
				resolvent := c.False()
				for j, x := range lits {
					if j != k {
						resolvent = c.Or(resolvent, c.notIf(x.t, x.neg))
					}
				}
				gone[other.fact], gone[i] = true, true
				q.Facts = append(q.Facts, resolvent)
				found = true
				break
			}
		}
	}
	if found {
		facts := q.Facts[:0]
		for i, f := range q.Facts {
			if !gone[i] {
				facts = append(facts, f)
			}
		}
		q.Facts = facts
	}
	return found
}

// A literal is a Bool or its negation.
type literal struct {
	t   Term
	neg bool
}

// disjuncts lists the disjuncts of a fact, a negated conjunction, in ascending order.
//
// It descends through depth nested conjunctions, and returns nil if there are too many disjuncts. Only a conjunction
// that is not split can be found again in another fact.
func (c *Context) disjuncts(f Term, depth int) []literal {
	if c.Op(f) != OpNot || c.Op(c.Arg(f, 0)) != OpAnd {
		return nil
	}
	var out []literal
	stack := []Term{c.Arg(f, 0)}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch {
		case c.Op(x) == OpAnd && depth > 0:
			depth--
			stack = append(stack, c.Args(x)...)
		case c.Op(x) == OpNot:
			out = append(out, literal{c.Arg(x, 0), false})
		default:
			out = append(out, literal{x, true})
		}
		if len(out)+len(stack) > maxDisjuncts {
			return nil
		}
	}
	slices.SortFunc(out, func(a, b literal) int { return int(a.t) - int(b.t) })
	return out
}

func (c *Context) notIf(t Term, neg bool) Term {
	if neg {
		return c.Not(t)
	}
	return t
}

// literalKey encodes a disjunction, beginning with literal k without its sign.
func literalKey(lits []literal, k int) string {
	key := binary.AppendUvarint(nil, uint64(lits[k].t))
	for j, x := range lits {
		if j != k {
			n := uint64(x.t) << 1
			if x.neg {
				n |= 1
			}
			key = binary.AppendUvarint(key, n)
		}
	}
	return string(key)
}
