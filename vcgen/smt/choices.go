package smt

import (
	"cmp"
	"slices"
)

// Choice is a term of few values, for each of which a question can be asked by itself.
type Choice struct {
	Term Term // a Bool, or a bit-vector of at most 64 bits
	// Values are all that it can have, unsigned, the least first.
	Values []uint64
	// Uses is how many terms are made of it.
	Uses int
}

// Choices lists the terms in the facts that have at most so many values, and two at least, those first that most other
// terms are made of. Of Bools only variables are listed.
func (q *Question) Choices(most int) []Choice {
	c := q.c
	bounds := map[Term]*interval{}
	for _, f := range q.Facts {
		if v, in, ok := q.bounds(f); ok {
			if bounds[v] == nil {
				bounds[v] = anyOf(c.Width(v))
			}
			bounds[v].meet(in, c.Width(v))
		}
	}
	uses := map[Term]int{}
	cone := c.Cone(q.Facts...)
	for _, t := range cone {
		for _, a := range c.Args(t) {
			uses[a]++
		}
	}
	var out []Choice
	for _, t := range cone {
		if values := q.values(t, bounds[t], most); len(values) > 1 {
			out = append(out, Choice{Term: t, Values: values, Uses: uses[t]})
		}
	}
	slices.SortStableFunc(out, func(a, b Choice) int { return cmp.Compare(b.Uses, a.Uses) })
	return out
}

// values lists what a term can be; nil where these are too many, or where it is no choice.
func (q *Question) values(t Term, b *interval, most int) (list []uint64) {
	c := q.c
	switch w := c.Width(t); {
	case c.IsConst(t), w > 64, w == 0 && c.Op(t) != OpVar:
		return nil
	case w == 0:
		return []uint64{0, 1}
	}
	lo, hi := c.Range(t)
	if b != nil {
		lo, hi = max(lo, b.lo), min(hi, b.hi)
	}
	if lo > hi || hi-lo >= uint64(most) {
		return nil
	}
	zeros, ones := c.KnownBits(t)
	for n := range hi - lo + 1 {
		if v := lo + n; v&zeros == 0 && v&ones == ones {
			list = append(list, v)
		}
	}
	return list
}

// With returns a question of its own that asks for a choice to have a value, too.
func (q *Question) With(choice Choice, value uint64) *Question {
	fact := choice.Term
	switch {
	case q.c.Width(fact) > 0:
		fact = q.c.Eq(fact, q.c.Int(q.c.Width(fact), value))
	case value == 0:
		fact = q.c.Not(fact)
	}
	return NewQuestion(q.c, append(slices.Clone(q.Facts), fact))
}
