package induction

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/invariant"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Conditions of a loop and of the obligations behind it become candidates.

// material is the text from which candidates of a head are made.
type material struct {
	literals []smt.Term // conditions on the ways back
	asked    []smt.Term // conditions of obligations in the loop and behind it
	decided  []smt.Term // the same, with choices decided; not among those that are compared
	guarded  []smt.Term // the same, each where the way to its obligation is taken
	atoms    []smt.Term // the comparisons in all of these
	// factors are the numbers in asked conditions: 1000 and 60 of a time in parts.
	factors map[int64]bool
}

// Limits of the conditions of obligations that become candidates.
const (
	maxAsked       = 80
	maxAskedSize   = 200
	maxCases       = 4 // choices that are decided, one within another
	maxCaseSize    = 600
	maxSplits      = 300 // choices that are decided for one head
	maxFactor      = 1 << 20
	maxGuarded     = 120
	maxGuardedSize = 40
	maxWay         = 6 // conditions of a way that are taken one by one and in pairs
)

// material collects the conditions that the loop of a head and the obligations behind it have.
func (in *Finder) material(i int) *material {
	if m := in.materials[i]; m != nil {
		return m
	}
	c, h, state := in.c, in.heads[i], in.states[i]
	m := &material{factors: map[int64]bool{}}
	in.materials[i] = m
	for k := range h.Back {
		for _, l := range in.literals(h, &h.Back[k]) {
			if !slices.Contains(m.literals, l) {
				m.literals = append(m.literals, l)
			}
		}
	}
	for _, l := range m.literals {
		m.atoms = in.atoms(l, m.atoms)
	}
	outer := map[smt.Term]bool{}
	for _, t := range c.Conjuncts(h.Guard) {
		outer[t] = true
	}
	splits := maxSplits
	for k := h.Event + 1; k < len(in.log.Events) && len(m.asked) < maxAsked; k++ {
		ev := &in.log.Events[k]
		if ev.Check == "" || c.IsTrue(ev.Cond) || ev.Found {
			continue
		}
		if ev.Check == found.Assertion && c.Size(ev.Cond) <= maxCaseSize {
			for _, t := range c.Cone(ev.Cond) {
				if c.Op(t) != smt.OpConst || c.Sort(t).IsBool() {
					continue
				}
				if v, ok := in.signed(t); ok && -maxFactor <= v && v <= maxFactor {
					m.factors[max(v, -v)] = true
				}
			}
		}
		for _, as := range in.atHead(i, k) {
			cond := as(ev.Cond)
			if !c.IsFalse(cond) && !state.Varies(cond) {
				continue
			}
			ask := func(list *[]smt.Term, t smt.Term) {
				if state.Varies(t) && state.DependsOnHeadOnly(t) && !c.IsConst(t) && c.Size(t) < maxAskedSize &&
					!slices.Contains(*list, t) {
					*list = append(*list, t)
				}
			}
			for _, t := range c.Conjuncts(cond) {
				if ask(&m.asked, t); state.DependsOnHeadOnly(t) {
					continue
				}
				for _, t := range in.cases(t, state, maxCases, &splits) {
					ask(&m.decided, t)
				}
			}
			m.guard(in, state, outer, as(ev.Guard), cond)
		}
	}
	for _, t := range append(slices.Clone(m.asked), m.guarded...) {
		m.atoms = in.atoms(t, m.atoms)
	}
	return m
}

// cases returns a condition with its choices decided, as far as it then depends on the state at a head only. Behind a
// loop that is also left by a break, each value is a choice between the one at the head and a later one.
func (in *Finder) cases(t smt.Term, state *invariant.Head, depth int, splits *int) (out []smt.Term) {
	c := in.c
	if state.DependsOnHeadOnly(t) {
		return []smt.Term{t}
	}
	if depth == 0 || *splits == 0 || c.Size(t) > maxCaseSize {
		return nil
	}
	*splits--
	cone := c.Cone(t)
	for k := len(cone) - 1; k >= 0; k-- {
		if c.Op(cone[k]) != smt.OpIte {
			continue
		}
		for _, value := range c.Args(cone[k])[1:] {
			for _, t := range c.Conjuncts(c.Substitute(t, map[smt.Term]smt.Term{cone[k]: value})) {
				out = append(out, in.cases(t, state, depth-1, splits)...)
			}
		}
		break
	}
	return out
}

// atHead returns the ways in which a term of an event is read as a term over the state at a head: as it is, and, if the
// event is in the loop, with the values that the loop carries at its end in the place of those at the head. In
//
//	while (c) { if (d) s = (s + 1) & 3; assert(s < 4); }
//
// the asserted condition is one over the new s, and the invariant is the same one over the s at the head.
func (in *Finder) atHead(i, event int) []func(smt.Term) smt.Term {
	c, h := in.c, in.heads[i]
	if h.Begin != nil {
		return in.atEnd(h, event)
	}
	out := []func(smt.Term) smt.Term{func(t smt.Term) smt.Term { return t }}
	for k := range h.Back {
		b := &h.Back[k]
		if to := in.carried(h, b); event < b.Event && len(to) > 0 {
			out = append(out, func(t smt.Term) smt.Term { return c.Substitute(t, to) })
		}
	}
	return out
}

// guard adds an obligation's condition together with the way to it: the condition holds, or one of the way's conditions
// does not. Of assert(n <= 0 || m < n) behind a loop, n <= 0 is a condition of the way and m < n the one that is asked;
// of `if (c) error();` the condition is false, and c is one of the way.
func (m *material) guard(in *Finder, state *invariant.Head, outer map[smt.Term]bool, guard, cond smt.Term) {
	c := in.c
	if len(m.guarded) >= maxGuarded || !state.DependsOnHeadOnly(cond) {
		return
	}
	var way, past []smt.Term // without and with what ends the loop
	for _, t := range c.Conjuncts(guard) {
		if outer[t] || !state.DependsOnHeadOnly(t) {
			continue
		}
		past = append(past, t)
		if !slices.Contains(m.literals, c.Not(t)) {
			way = append(way, t)
		}
	}
	put := func(where ...smt.Term) {
		if len(where) == 0 {
			return
		}
		if t := c.Implies(c.And(where...), cond); !c.IsConst(t) && in.terms.Size(t) <= maxGuardedSize && state.Varies(t) &&
			!slices.Contains(m.guarded, t) {
			m.guarded = append(m.guarded, t)
		}
	}
	put(past...)
	put(way...)
	for k, t := range way[:min(len(way), maxWay)] {
		put(t)
		for _, other := range way[:k] {
			put(other, t)
		}
	}
}
