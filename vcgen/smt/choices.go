package smt

import (
	"cmp"
	"slices"
)

// Choice is a term with few possible values; a question can be split into one for each value.
type Choice struct {
	Term Term // a Bool, or a bit-vector of at most 64 bits
	// Values are all possible values, unsigned, ascending.
	Values []uint64
	// Uses is the number of terms that contain it.
	Uses int
}

// Choices lists the terms in the facts that have between two and most possible values.
//
// Terms that most other terms contain come first. The only Bools listed are variables.
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

// values lists the possible values of a term; nil if there are too many, or if the term is not a choice.
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

// With returns a new question with the additional fact that a choice has a value.
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
