package induction

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// Limits of the candidates about an arbitrary member of a structure.
const (
	maxMemberValues = 8  // values that one cell is given, one by one and as a set
	maxMemberAtom   = 60 // size of a condition
	maxNulls        = 6  // pointers that are compared in pairs: both are NULL, or neither
)

// ofMembers turns a condition on an arbitrary member of a structure into one that holds if there is such a member. It
// also returns this condition for each member that is an object. Other conditions are returned as they are.
func (in *Finder) ofMembers(head int, fact smt.Term) (smt.Term, []smt.Term) {
	c, symbols := in.c, in.c.Symbols(fact)
	var about []*unfold.Generic
	for _, g := range in.heads[head].Generics {
		if slices.ContainsFunc(symbols, func(s smt.Term) bool { return s == g.Exists || slices.Contains(g.Data, s) }) {
			about, fact = append(about, g), c.Implies(g.Exists, fact)
		}
	}
	var all []smt.Term
	for _, g := range about { // of two arbitrary members, one at a time is an object
		for _, row := range g.Members {
			to := map[smt.Term]smt.Term{g.Exists: row[0]}
			for i, s := range g.Data {
				to[s] = row[i+1]
			}
			all = append(all, c.Substitute(fact, to))
		}
	}
	return fact, all
}

// memberCandidates makes candidates about the pointers to members, and about the data of all members of a structure:
// the values that iterations give them, and what obligations ask of a member.
func (in *Finder) memberCandidates(i int) {
	c, h, state := in.c, in.heads[i], in.states[i]
	in.nullCandidates(i)
	for _, g := range h.Generics {
		for k, sym := range g.Data {
			var given []smt.Term
			set := c.False()
			for _, b := range h.Back {
				for _, t := range in.leaves(b.Values[g.Place(k)], nil) {
					if t == sym || len(given) == maxMemberValues || slices.Contains(given, t) ||
						in.isMemberData(i, t) || !state.DependsOnHeadOnly(t) {
						continue
					}
					given = append(given, t)
					in.add(i, "==", c.Eq(sym, t))
					set = c.Or(set, c.Eq(sym, t))
				}
			}
			if len(given) > 1 {
				in.add(i, "", set)
			}
		}
		for _, t := range in.askedOfMembers(i, g) {
			in.add(i, "", t)
		}
		in.inherited(i, g)
	}
}

// nullCandidates makes candidates about which pointers to members are NULL. The first and the last one of a list are
// NULL together, and the head of a list of n members is if n is 0. What is asked of one pointer is also read for two: a
// list that is reversed is empty if what is left and what is done are.
func (in *Finder) nullCandidates(i int) {
	c, h := in.c, in.heads[i]
	nulls := h.Nulls()
	nulls = nulls[:min(len(nulls), maxNulls)]
	conditions := slices.Clone(nulls)
	for k, p := range h.Places {
		if len(conditions) < 2*maxNulls && !p.Ghost && in.isInteger(i, k) {
			conditions = append(conditions, c.Eq(p.Sym, c.Int(c.Width(p.Sym), 0)))
		}
	}
	for k, b := range conditions {
		for _, a := range nulls[:min(k, len(nulls))] {
			in.add(i, "", c.Eq(a, b))
			in.add(i, "", c.Implies(a, b))
			in.add(i, "", c.Implies(b, a))
		}
	}
	for _, t := range in.material(i).asked {
		for _, a := range nulls {
			for _, b := range nulls {
				if both := c.Substitute(t, map[smt.Term]smt.Term{a: c.And(a, b)}); both != t {
					in.add(i, "", both)
				}
			}
		}
	}
}

// inherited makes candidates about an arbitrary member of those of earlier heads.
func (in *Finder) inherited(i int, g *unfold.Generic) {
	for j, h := range in.heads[:i] {
		for _, o := range h.Generics {
			if o.Size() != g.Size() {
				continue
			}
			to := map[smt.Term]smt.Term{o.Exists: g.Exists}
			for k, cell := range o.Cells {
				if at := slices.Index(g.Cells, cell); at >= 0 {
					to[o.Data[k]] = g.Data[at]
				}
			}
			for _, l := range slices.Clone(in.lemmas[j]) {
				if !l.Quantified() {
					if t := in.c.Substitute(l.Fact(), to); t != l.Fact() {
						in.add(i, "", t)
					}
				}
			}
		}
	}
}

// askedOfMembers returns the conditions in obligations behind a head that are about one member, as conditions on the
// head's arbitrary member.
func (in *Finder) askedOfMembers(i int, g *unfold.Generic) (out []smt.Term) {
	c, state := in.c, in.states[i]
	to := map[smt.Term]smt.Term{}
	for _, h := range in.heads[i:] {
		for _, o := range h.Generics {
			if o.Size() != g.Size() {
				continue
			}
			for _, row := range append(slices.Clone(o.Members), append([]smt.Term{o.Exists}, o.Data...)) {
				for k, cell := range o.Cells {
					if at := slices.Index(g.Cells, cell); at >= 0 {
						to[row[k+1]] = g.Data[at]
					}
				}
			}
		}
	}
	seen := map[smt.Term]bool{}
	about := func(t smt.Term) bool {
		return slices.ContainsFunc(c.Symbols(t), func(s smt.Term) bool { return slices.Contains(g.Data, s) })
	}
	var collect func(t smt.Term)
	collect = func(t smt.Term) {
		if seen[t] || !c.Sort(t).IsBool() || len(out) >= maxAsked {
			return
		}
		seen[t] = true
		if x := c.Substitute(t, to); x != t && c.Size(x) <= maxMemberAtom && about(x) {
			for _, v := range in.withoutChoices(x, maxVariants) {
				if !c.IsConst(v) && state.DependsOnHeadOnly(v) && about(v) {
					out = append(out, v, c.Not(v))
				}
			}
		}
		for _, a := range c.Args(t) {
			collect(a)
		}
	}
	for k := in.heads[i].Event + 1; k < len(in.log.Events); k++ {
		if ev := &in.log.Events[k]; ev.Check != "" && !ev.Found && !c.IsTrue(ev.Cond) {
			collect(ev.Cond)
			collect(ev.Guard)
		}
	}
	return out
}

// maxVariants bounds the terms that a term with choices becomes.
const maxVariants = 24

// withoutChoices returns what a condition is for each of the values between which it chooses: of (c ? x : y) < 9, the
// conditions x < 9 and y < 9.
func (in *Finder) withoutChoices(t smt.Term, most int) (out []smt.Term) {
	c := in.c
	for todo := []smt.Term{t}; len(todo) > 0 && len(out)+len(todo) <= most; {
		x := todo[0]
		todo = todo[1:]
		choice := in.choiceIn(x)
		if choice == 0 {
			out = append(out, x)
			continue
		}
		for _, a := range c.Args(choice)[1:] {
			todo = append(todo, c.Substitute(x, map[smt.Term]smt.Term{choice: a}))
		}
	}
	return out
}

// choiceIn returns a choice between numbers in a term, 0 if there is none.
func (in *Finder) choiceIn(t smt.Term) smt.Term {
	c := in.c
	if c.Op(t) == smt.OpIte && !c.Sort(t).IsBool() {
		return t
	}
	for _, a := range c.Args(t) {
		if x := in.choiceIn(a); x != 0 {
			return x
		}
	}
	return 0
}

// isMemberData reports whether a term is the data of a member that is an object at a head.
func (in *Finder) isMemberData(head int, t smt.Term) bool {
	return slices.ContainsFunc(in.heads[head].Generics, func(g *unfold.Generic) bool {
		return slices.ContainsFunc(g.Members, func(row []smt.Term) bool { return slices.Contains(row[1:], t) })
	})
}
