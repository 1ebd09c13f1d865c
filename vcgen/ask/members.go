package ask

import (
	"bytes"
	"slices"

	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Many obligations are decided by one query, so an edit of one of them changes the query. Therefore the result that no
// execution violates an obligation is cached for each obligation separately, under one of two keys:
//
//   - Its whole prefix: everything that was assumed and held before it, and the axioms.
//   - Its slice: the part of the prefix that shares symbols with it, directly or transitively. The rest has no symbol
//     in common with the slice, so the slice has a model exactly if the whole has one, provided that the rest has a
//     model. That is known if some execution was found on which the whole prefix holds. Otherwise the slice is not
//     used as a key: a contradiction in the rest would prove anything.
//
// An edit elsewhere does not change the slice. Both keys are sets of sets (setTable), one per event, so that all keys
// of a proof take one pass over its terms.

// Kinds of sets. A set represents the conjunction of its terms and of its subsets.
const (
	kindComponent = "component" // conditions that share symbols, in the order of the log
	kindPrefix    = "prefix"    // all conditions
	kindViolation = "violation" // a violated obligation
)

// Member is the part of an obligation in a query about several.
type Member struct {
	slice, full int // the two keys
	known       *answer
}

// Known reports whether a cached answer shows that no execution violates the obligation.
func (b *Member) Known() bool { return b.known != nil }

// Old reports whether the answer is from an earlier process.
func (b *Member) Old() bool { return !b.known.ours }

// Members returns the members of the obligations of some events, in log order. fails are their violations. It returns
// nil if there is no memo.
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
	axioms := slices.Clone(x.axioms) // in an order that is independent of earlier queries
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
				full: m.set(kindViolation, target, []int{prefix})}
			for _, set := range []int{b.slice, b.full} {
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

// UseMember records that the cached answer about an obligation was used.
func (x *Asker) UseMember(b *Member) {
	x.opts.Memo.use(b.known)
	if !b.known.ours {
		x.counts.Hits++
	}
}

// KeepMembers caches for each obligation separately that no execution violates it. It is called at the end of a run,
// when the executions that were found show which prefixes are satisfiable.
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
		set := b.full
		if event <= reach {
			set = b.slice
		}
		b.known = &answer{set: set, is: smt.Unsat}
		x.opts.Memo.put(b.known)
	}
}

// satisfiable returns the last event whose prefix some known model satisfies together with all axioms; negative if
// there is none. Without such a model, even the axioms might contradict each other.
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
		best = max(best, n) // the event after the last satisfied one still has a satisfied prefix
	}
	return best
}

// components partitions conditions by shared symbols, directly or transitively. It is a union-find structure (Tarjan
// 1975) over the nodes of terms, and visits each node once. Constants connect nothing.
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

// roots returns the components that contain symbols of the terms, in the order in which they are found. If join is
// set, it also creates a node for the new terms and returns it.
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

// touched returns the sets of the components that share symbols with the terms.
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

// hold adds a condition and merges the components that it touches.
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
