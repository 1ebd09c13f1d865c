// Package invariant has conditions on the state at the head of a loop, from which invariants are found.
//
// A Condition can speak of that state and of nothing else, whoever makes it: of symbols and content that were there
// before the loop was entered, and of those that stand for what the loop changes. What an iteration makes (an input,
// the answer of a function without a body, the position of a scan, the content of a new object) is another in the next
// one. A symbol for it is made a quantified one of a condition on all elements; a condition without a quantifier cannot
// have it, and no condition can read such content.
//
// What a condition says of another state is had by putting the values of that state into it (State).
package invariant

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// Head is what conditions on the state at the head of a loop are made from.
type Head struct {
	terms *Terms
	first smt.Term
	last  smt.Func
	// own are the symbols that stand for what the loop changes, and entered those that were made with them: what a place
	// without a value was when the loop was entered.
	own, entered map[smt.Term]bool
	contents     map[smt.Func]bool

	Entry *State
	Back  []*State
	// Before is the head's state with the content that there was when the loop was entered.
	Before *State
}

// NewHead prepares conditions on the state at a head.
func NewHead(terms *Terms, h *unfold.Head) *Head {
	x := &Head{terms: terms, first: h.First, last: h.Last, own: map[smt.Term]bool{h.First: true},
		entered: map[smt.Term]bool{}, contents: map[smt.Func]bool{}}
	c := terms.c
	x.Entry, x.Before = newState(terms), newState(terms)
	x.Entry.vars[h.First] = c.True()
	for _, p := range h.Places {
		if p.Sym != 0 {
			x.own[p.Sym], x.Entry.vars[p.Sym] = true, p.Old
			for _, s := range c.Symbols(p.Old) {
				x.entered[s] = true
			}
		}
	}
	for _, d := range h.Contents {
		x.contents[d.Func], x.Entry.contents[d.Func], x.Before.contents[d.Func] = true, d.Old, d.Old
	}
	for _, b := range h.Back {
		s := newState(terms)
		s.vars[h.First] = c.False()
		for i, p := range h.Places {
			if p.Sym != 0 {
				s.vars[p.Sym] = b.Values[i]
			}
		}
		for _, d := range h.Contents {
			s.contents[d.Func] = b.State.Content(d.Obj)
		}
		x.Back = append(x.Back, s)
	}
	return x
}

// Changes tells whether the loop changes what a symbol stands for.
func (h *Head) Changes(s smt.Term) bool { return h.own[s] }

// Varies tells whether a term has a symbol of something that the loop changes.
func (h *Head) Varies(t smt.Term) bool { return slices.ContainsFunc(h.terms.c.Symbols(t), h.Changes) }

// Reads tells whether a term reads content that the loop changes.
func (h *Head) Reads(t smt.Term) bool {
	return slices.ContainsFunc(h.terms.c.Funcs(t), func(f smt.Func) bool { return h.contents[f] })
}

// Knows tells whether a symbol stands for something of the state at the head, and not for what an iteration makes.
func (h *Head) Knows(s smt.Term) bool { return s < h.first || h.own[s] || h.entered[s] }

// knownContent tells whether a term reads no content that was made behind the head.
func (h *Head) knownContent(t smt.Term) bool {
	fs := h.terms.c.Funcs(t) // in the order in which they were made
	return len(fs) == 0 || fs[len(fs)-1] <= h.last
}

// Speaks tells whether a term is one over the state at the head.
func (h *Head) Speaks(t smt.Term) bool {
	return h.knownContent(t) && !slices.ContainsFunc(h.terms.c.Symbols(t), func(s smt.Term) bool { return !h.Knows(s) })
}

// Condition is a condition on the state at the head of a loop; of all elements, if it is quantified.
type Condition struct {
	head *Head
	fact smt.Term
	// of has the condition for one element, witness is an arbitrary one.
	of      func(y smt.Term) smt.Term
	witness smt.Term
	// others are the symbols that were made behind the head, with arbitrary values in their place.
	others map[smt.Term]smt.Term
}

// Condition makes one without a quantifier. There is none where the term does not speak of the state at the head alone,
// or says nothing.
func (h *Head) Condition(t smt.Term) (*Condition, bool) {
	if h.terms.c.IsConst(t) || !h.Speaks(t) {
		return nil, false
	}
	return &Condition{head: h, fact: t}, true
}

// ForAll makes the condition that of(y) holds for all y. The witness is an arbitrary y, with symbols of its own. It is
// one for all values of what was made behind the head, too. There is none where it reads content that was made there.
func (h *Head) ForAll(witness smt.Term, of func(y smt.Term) smt.Term) (*Condition, bool) {
	c, t := h.terms.c, of(witness)
	if !h.knownContent(t) {
		return nil, false
	}
	out := &Condition{head: h, of: of, witness: witness, others: map[smt.Term]smt.Term{}}
	bound := c.Symbols(witness)
	for _, s := range c.Symbols(t) {
		if !h.Knows(s) && !slices.Contains(bound, s) {
			out.others[s] = c.Var("another", c.Sort(s))
		}
	}
	return out, true
}

// Quantified tells whether it is a condition on all elements.
func (x *Condition) Quantified() bool { return x.of != nil }

// Fact is the condition; of one that is quantified, the condition for the witness.
func (x *Condition) Fact() smt.Term {
	if x.of != nil {
		return x.of(x.witness)
	}
	return x.fact
}

// Witness is an arbitrary element, of a condition that is quantified.
func (x *Condition) Witness() smt.Term { return x.witness }

// Of is the condition for one element.
func (x *Condition) Of(y smt.Term) smt.Term { return x.of(y) }

// Instance is what the condition says of one element: for what the present iteration makes, and for any other value.
func (x *Condition) Instance(y smt.Term) smt.Term {
	t := x.of(y)
	return x.head.terms.c.And(t, x.arbitrary(t))
}

// In is what has to be asked for the condition to hold in a state.
func (x *Condition) In(s *State) smt.Term {
	t := x.Fact()
	if x.of != nil {
		t = x.arbitrary(t)
	}
	return s.Put(t)
}

// arbitrary has arbitrary values for what was made behind the head.
func (x *Condition) arbitrary(t smt.Term) smt.Term {
	if len(x.others) == 0 {
		return t
	}
	return x.head.terms.Replace(t, x.others)
}
