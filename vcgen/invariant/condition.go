// Package invariant represents conditions on the state at a loop head: formulas whose only free symbols are that
// state. Package induction chooses among them.
//
//	s = 0; x = nd_int();
//	for (i = 0; i < n; i++) {
//	  y = nd_int();
//	  s += y;
//	}
//
// A condition may contain symbols and content that existed before the loop (n, x), and the symbols for everything that
// the loop changes (i, s). It may not contain anything that an iteration creates (the input y, the result of a function
// without a body, the position of a scan, the content of a new object), because the next iteration creates another one.
// In a condition on all elements such a symbol is universally quantified; any other condition with one is rejected. No
// condition may read content that an iteration creates.
//
// Head makes conditions for one loop head. Condition is one of them. State is another state, on entry or at a back
// edge: a condition is evaluated in it by substitution (State.Put). Terms finds and replaces reads of memory in terms.
package invariant

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// Head makes conditions on the state at a loop head.
type Head struct {
	terms *Terms
	first smt.Term
	last  smt.Func
	// own are the symbols of everything that the loop changes. entered are the symbols of the values on entry, which
	// are new for places without a value.
	own, entered map[smt.Term]bool
	contents     map[smt.Func]bool

	Entry *State
	Back  []*State
	// Before is the state at the head, except that content is as it was on entry to the loop.
	Before *State
	// Calls are the states behind the calls that the end of an activation replaces.
	Calls []*State
}

// NewHead returns a Head for a loop that was cut.
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
	if h.Begin != nil {
		x.ofActivation(h)
	}
	return x
}

// ofActivation adds the begin of the activation whose end a head is: a condition may contain the symbols of the places
// there, which each call has, and no others that the activation created.
func (x *Head) ofActivation(h *unfold.Head) {
	x.first, x.entered[h.Begin.First] = h.Begin.First, true
	for _, p := range h.Begin.Places {
		if p.Sym != 0 {
			x.entered[p.Sym] = true
		}
	}
	for i := range h.Calls {
		x.Calls = append(x.Calls, callState(x.terms, h, &h.Calls[i]))
	}
}

// callState returns the state behind a call: the arguments are those of the call, the result and what the call changes
// are arbitrary.
func callState(terms *Terms, end *unfold.Head, call *unfold.Replaced) *State {
	s, c := newState(terms), terms.c
	s.vars[end.Begin.First], s.vars[end.First] = c.BoolConst(call.First), c.False()
	for k, p := range end.Begin.Places {
		if p.Sym != 0 {
			s.vars[p.Sym] = call.Before[k]
		}
	}
	for _, d := range end.Begin.Contents {
		s.contents[d.Func] = call.State.Content(d.Obj)
	}
	for k, p := range end.Places {
		if p.Sym != 0 {
			s.vars[p.Sym] = call.After[k]
		}
	}
	return s
}

// Changes reports whether s is the symbol of something that the loop changes.
func (h *Head) Changes(s smt.Term) bool { return h.own[s] }

// Varies reports whether a term contains the symbol of something that the loop changes.
func (h *Head) Varies(t smt.Term) bool { return slices.ContainsFunc(h.terms.c.Symbols(t), h.Changes) }

// Reads reports whether a term reads content that the loop changes.
func (h *Head) Reads(t smt.Term) bool {
	return slices.ContainsFunc(h.terms.c.Funcs(t), func(f smt.Func) bool { return h.contents[f] })
}

// HasSymbol reports whether a symbol belongs to the state at the head, and was not created by an iteration.
func (h *Head) HasSymbol(s smt.Term) bool { return s < h.first || h.own[s] || h.entered[s] }

// knownContent reports whether a term reads only content that existed at the head.
func (h *Head) knownContent(t smt.Term) bool {
	fs := h.terms.c.Funcs(t) // in the order in which they were made
	return len(fs) == 0 || fs[len(fs)-1] <= h.last
}

// DependsOnHeadOnly reports whether a term depends only on the state at the head.
func (h *Head) DependsOnHeadOnly(t smt.Term) bool {
	foreign := func(s smt.Term) bool { return !h.HasSymbol(s) }
	return h.knownContent(t) && !slices.ContainsFunc(h.terms.c.Symbols(t), foreign)
}

// Condition is a condition on the state at a loop head; if it is quantified, for all elements.
type Condition struct {
	head *Head
	fact smt.Term
	// of returns the condition for one element; witness is an arbitrary element.
	of      func(y smt.Term) smt.Term
	witness smt.Term
	// others maps symbols that were created behind the head to arbitrary values.
	others map[smt.Term]smt.Term
}

// Condition returns an unquantified condition. It returns false if the term depends on more than the state at the
// head, or is constant.
func (h *Head) Condition(t smt.Term) (*Condition, bool) {
	if h.terms.c.IsConst(t) || !h.DependsOnHeadOnly(t) {
		return nil, false
	}
	return &Condition{head: h, fact: t}, true
}

// ForAll returns the condition that of(y) holds for all y. witness is an arbitrary y, made of new symbols. The
// condition also holds for all values of symbols that were created behind the head. ForAll returns false if the
// condition reads content that was created there.
func (h *Head) ForAll(witness smt.Term, of func(y smt.Term) smt.Term) (*Condition, bool) {
	c, t := h.terms.c, of(witness)
	if !h.knownContent(t) {
		return nil, false
	}
	out := &Condition{head: h, of: of, witness: witness, others: map[smt.Term]smt.Term{}}
	bound := c.Symbols(witness)
	for _, s := range c.Symbols(t) {
		if !h.HasSymbol(s) && !slices.Contains(bound, s) {
			out.others[s] = c.Var("another", c.Sort(s))
		}
	}
	return out, true
}

// Quantified reports whether it is a condition on all elements.
func (x *Condition) Quantified() bool { return x.of != nil }

// Fact returns the condition; if it is quantified, the condition for the witness.
func (x *Condition) Fact() smt.Term {
	if x.of != nil {
		return x.of(x.witness)
	}
	return x.fact
}

// Witness returns the arbitrary element of a quantified condition.
func (x *Condition) Witness() smt.Term { return x.witness }

// Of returns the condition for one element.
func (x *Condition) Of(y smt.Term) smt.Term { return x.of(y) }

// Instance returns the condition for one element, both for the values that the current iteration creates and for
// arbitrary ones.
func (x *Condition) Instance(y smt.Term) smt.Term {
	t := x.of(y)
	return x.head.terms.c.And(t, x.arbitrary(t))
}

// In returns the formula to prove for the condition to hold in a state.
func (x *Condition) In(s *State) smt.Term {
	t := x.Fact()
	if x.of != nil {
		t = x.arbitrary(t)
	}
	return s.Evaluate(t)
}

// arbitrary returns a term with arbitrary values for the symbols created behind the head.
func (x *Condition) arbitrary(t smt.Term) smt.Term {
	if len(x.others) == 0 {
		return t
	}
	return x.head.terms.Replace(t, x.others)
}
