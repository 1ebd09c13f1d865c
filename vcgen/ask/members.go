package ask

import (
	"bytes"
	"slices"

	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Obligations are settled many at a time, so an edit that changes one of them changes the question about all. Hence
// that no execution violates an obligation is kept for each by itself, under two keys.
//
//   - Its whole prefix: everything that was assumed and held before it, and the axioms.
//   - Its slice: the part of that which shares symbols with it, directly or over others. The rest is a condition of its
//     own, so the slice has a model if and only if the whole has one, provided that the rest has. That is known when
//     some execution was found on which all of the prefix holds; without one the slice is not kept: a contradiction in
//     the rest would prove anything.
//
// The second key is what an edit elsewhere leaves alone. Both are sets of sets (setTable), one for each event, so that
// all keys of a proof cost one pass over its terms.

// Kinds of sets. Each stands for the conjunction of all that is in it and in the sets below it.
const (
	kindComponent = "component" // conditions that share symbols, in the order of the log
	kindPrefix    = "prefix"    // all of them
	kindViolation = "violation" // an obligation that is violated
)

// Member is an obligation's part in a question about several.
type Member struct {
	slice, whole int // sets
	known        *answer
}

// Known tells whether no execution violates the obligation, as an earlier question found out.
func (b *Member) Known() bool { return b.known != nil }

// Members enters the keys of the obligations of some events, in the order of the log; fails are what violates them.
// Nil: there is no memo.
func (x *Asker) Members(events []int, fails []smt.Term) map[int]*Member {
	m := x.opts.Memo
	if m == nil || len(events) == 0 {
		return nil
	}
	c := x.c
	wanted := map[int]bool{}
	for _, i := range events {
		wanted[i] = true
	}
	x.layout(fails)
	x.TakeNewAxioms()
	x.hashEvents()

	parts := &components{c: c, memo: m, of: map[smt.Term]int{}, functions: map[smt.Func]int{}}
	prefix := m.set(kindPrefix, nil, nil)
	hold := func(t smt.Term) {
		parts.hold(t)
		prefix = m.set(kindPrefix, []smt.Term{t}, []int{prefix})
	}
	axioms := slices.Clone(x.axioms) // in an order that does not depend on who asked first
	slices.SortFunc(axioms, func(a, b smt.Term) int {
		x, y := m.canon.Hash(a), m.canon.Hash(b)
		return bytes.Compare(x[:], y[:])
	})
	for _, a := range axioms {
		hold(a)
	}
	out := map[int]*Member{}
	last := events[len(events)-1]
	for i := range x.log.Events[:last+1] {
		e := &x.log.Events[i]
		if wanted[i] {
			target := []smt.Term{e.Guard, c.Not(e.Cond)}
			b := &Member{slice: m.set(kindViolation, target, parts.touched(target)),
				whole: m.set(kindViolation, target, []int{prefix})}
			for _, set := range []int{b.slice, b.whole} {
				if a := m.recall(set); a != nil && a.is == smt.Unsat {
					b.known = a
					break
				}
			}
			out[i] = b
		}
		switch {
		case e.Cond == 0 || c.IsTrue(e.Cond):
		case e.Kind == seair.Assume, e.Kind == seair.Obligation && !e.Accepted:
			hold(c.Implies(e.Guard, e.Cond))
		}
	}
	return out
}

// UseMember notes that what is known of an obligation counted.
func (x *Asker) UseMember(b *Member) {
	x.opts.Memo.use(b.known)
	if !b.known.ours {
		x.counts.Hits++
	}
}

// KeepMembers keeps of obligations, by their events, that no execution violates them, for each by itself. It is called
// at the end, when the executions that were found tell how far the prefix can hold.
func (x *Asker) KeepMembers(events []int, members map[int]*Member) {
	reach, looked := -1, false
	for _, event := range events {
		b := members[event]
		if b == nil || b.known != nil {
			continue
		}
		if !looked {
			reach, looked = x.satisfiable(), true
		}
		set := b.whole
		if event <= reach {
			set = b.slice
		}
		b.known = &answer{set: set, is: smt.Unsat}
		x.opts.Memo.put(b.known)
	}
}

// satisfiable returns the last event whose prefix some known model satisfies together with all axioms, negative for
// none: without a model, even the axioms might contradict each other.
func (x *Asker) satisfiable() int {
	c := x.c
	best := -1
	for _, ev := range x.models.list {
		holds := func(t smt.Term) bool { return ev.EvalBool(t) }
		axioms := true
		for _, a := range x.axioms {
			axioms = axioms && holds(a)
		}
		if !axioms {
			continue
		}
		n := 0
		for ; n < len(x.log.Events); n++ {
			e := &x.log.Events[n]
			selected := e.Kind == seair.Assume || e.Kind == seair.Obligation && !e.Accepted
			if selected && e.Cond != 0 && !holds(c.Implies(e.Guard, e.Cond)) {
				break
			}
		}
		best = max(best, n) // the event that does not hold still has its prefix
	}
	return best
}

// components partitions conditions into those that share symbols, directly or over others: a union-find (Tarjan 1975)
// over the nodes of the terms, each of which is visited once. Constants connect nothing.
type components struct {
	c         *smt.Context
	memo      *Memo
	of        map[smt.Term]int // node of a term
	functions map[smt.Func]int
	parent    []int
	set       []int // of a root: the component's set, -1 for none
}

func (s *components) node() int {
	s.parent = append(s.parent, len(s.parent))
	s.set = append(s.set, -1)
	return len(s.parent) - 1
}

func (s *components) find(x int) int {
	for s.parent[x] != x {
		s.parent[x] = s.parent[s.parent[x]]
		x = s.parent[x]
	}
	return x
}

// roots collects the components that terms touch, in the order in which they are met. With join, their nodes become
// one, which is returned.
func (s *components) roots(terms []smt.Term, join bool) (found []int, one int) {
	c := s.c
	seen := map[int]bool{}
	one = -1
	merge := func(x int) {
		if x = s.find(x); !seen[x] {
			seen[x] = true
			found = append(found, x)
		}
	}
	fresh := map[smt.Term]bool{}
	functions := map[smt.Func]bool{}
	var stack []smt.Term
	push := func(t smt.Term) {
		if c.IsConst(t) || fresh[t] {
			return
		}
		if x, known := s.of[t]; known {
			merge(x)
			return
		}
		fresh[t] = true
		stack = append(stack, t)
	}
	for _, t := range terms {
		push(t)
	}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if c.Op(t) == smt.OpApply {
			f := c.FuncOf(t)
			if x, known := s.functions[f]; known {
				merge(x)
			} else {
				functions[f] = true
			}
		}
		for _, a := range c.Args(t) {
			push(a)
		}
	}
	if join {
		one = s.node()
		for t := range fresh {
			s.of[t] = one
		}
		for f := range functions {
			s.functions[f] = one
		}
	}
	return found, one
}

// touched lists the sets of the components that the terms touch.
func (s *components) touched(terms []smt.Term) []int {
	found, _ := s.roots(terms, false)
	var sets []int
	for _, r := range found {
		if s.set[r] >= 0 {
			sets = append(sets, s.set[r])
		}
	}
	return sets
}

// hold adds a condition: the components that it touches are one from now on.
func (s *components) hold(t smt.Term) {
	found, one := s.roots([]smt.Term{t}, true)
	var sets []int
	for _, r := range found {
		if s.set[r] >= 0 {
			sets = append(sets, s.set[r])
		}
		s.parent[r] = one
	}
	s.set[one] = s.memo.set(kindComponent, []smt.Term{t}, sets)
}
