package induction

import (
	"maps"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// Candidates of the end of an arbitrary activation (unfold/recursion.go): relations of the arguments, the memory at the
// begin, the result and the memory at the end.

// endCandidates makes the candidates of the end of an activation.
func (in *Finder) endCandidates(i int) {
	m := in.material(i)
	for _, t := range slices.Concat(m.asked, m.guarded, m.decided) {
		in.add(i, "", t)
	}
	in.baseCases(i)
	in.ranges(i)
	in.comparisonCandidates(i, m.atoms)
	in.weakenable(i, m.atoms)
	in.sampled(i)
}

// arguments returns the numbers that are given to the activation whose end a head is; none for other heads.
func (in *Finder) arguments(i int) (out []smt.Term) {
	c, begin := in.c, in.heads[i].Begin
	if begin == nil {
		return nil
	}
	put := func(t smt.Term) {
		number := !c.IsConst(t) && !c.Sort(t).IsBool() && c.Width(t) <= 64 && !in.prog.Memory.HasBase(t)
		if number && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	for _, p := range begin.Places {
		if p.Sym != 0 {
			put(p.Sym)
		}
	}
	for _, reg := range slices.Sorted(maps.Keys(begin.Vars)) {
		put(begin.Vars[reg])
	}
	return out
}

// baseCases makes candidates of the results that come from no other call, each under its condition. Of
// `if (n == 0) return 1;` it makes that the result is 1 if n is 0.
func (in *Finder) baseCases(i int) {
	c, h, state := in.c, in.heads[i], in.states[i]
	var each func(p unfold.Place, t, when smt.Term, depth int)
	each = func(p unfold.Place, t, when smt.Term, depth int) {
		if c.Op(t) == smt.OpIte && depth > 0 {
			cond := c.Arg(t, 0)
			each(p, c.Arg(t, 1), c.And(when, cond), depth-1)
			each(p, c.Arg(t, 2), c.And(when, c.Not(cond)), depth-1)
			return
		}
		if c.Size(t) <= maxAssigned {
			in.add(i, "==", c.Eq(p.Sym, t))
			in.add(i, "where", c.Implies(when, c.Eq(p.Sym, t)))
		}
	}
	for _, b := range h.Back {
		when := c.True()
		for _, l := range in.literals(h, &b) {
			if state.DependsOnHeadOnly(l) {
				when = c.And(when, l)
			}
		}
		for k, p := range h.Places {
			if p.Sym != 0 {
				each(p, b.Values[k], when, maxCases)
			}
		}
	}
}

// atEnd is atHead for the end of an activation. Results and memory of a call that was replaced become those of the
// activation, and its arguments become the activation's. Of `s = sum(n); assert(s >= n);` it makes that the result is
// at least the argument.
//
// A number that is a constant before the call may also stand for a sum. Of `moves = 0; hanoi(n); assert(moves == f(n))`
// it also makes that each activation adds f(n); of `assert(length(s, 0) <= n)`, that the second argument and the result
// together are at most n.
func (in *Finder) atEnd(h *unfold.Head, event int) (out []func(smt.Term) smt.Term) {
	c := in.c
	for _, u := range h.Calls {
		if u.Event >= event {
			continue
		}
		results, arguments, sums := map[smt.Term]smt.Term{}, map[smt.Term]smt.Term{}, map[smt.Term]smt.Term{}
		for k, p := range h.Places {
			if p.Sym != 0 {
				results[u.After[k]], sums[u.After[k]] = p.Sym, p.Sym
			}
		}
		ways := []map[smt.Term]smt.Term{results, arguments, sums}
		at := len(h.Places) - 1
		for k := len(h.Begin.Places) - 1; k >= 0; k-- { // both end with the places in memory, in the same order
			p, before := h.Begin.Places[k], u.Before[k]
			_, inMemory := h.Begin.Cell(k)
			switch {
			case p.Sym == 0:
			case !c.IsConst(before):
				arguments[before], sums[before] = p.Sym, p.Sym
			case c.Sort(before).IsBool():
			case inMemory:
				if now := h.Places[at].Sym; now != 0 {
					sums[u.After[at]] = c.Add(c.Sub(now, p.Sym), before)
				}
			case len(h.Places) > 0:
				if now := h.Places[0].Sym; now != 0 && c.Sort(now) == c.Sort(before) {
					ways = append(ways, map[smt.Term]smt.Term{u.After[0]: c.Add(now, c.Sub(p.Sym, before))})
				}
			}
			if inMemory {
				at--
			}
		}
		maps.Copy(arguments, results)
		for _, to := range ways {
			out = append(out, func(t smt.Term) smt.Term { return in.terms.Replace(t, to) })
		}
	}
	return out
}

// maxLeading bounds the candidates of the end of an activation that become some of a loop in it.
const maxLeading = 60

// leadsTo makes candidates of a loop in an activation of the candidates at the end of the activation. If the result has
// to be at most n, the variable that the loop leaves in the result has to be so.
func (in *Finder) leadsTo(loop, end int) {
	c, h, state := in.c, in.heads[loop], in.states[loop]
	made := 0
	for k, b := range in.heads[end].Back {
		if b.Event < h.Event {
			continue
		}
		for _, l := range in.lemmas[end] {
			if made == maxLeading {
				return
			}
			splits := maxSplits
			for _, t := range in.cases(l.In(in.states[end].Back[k]), state, maxCases, &splits) {
				if state.Varies(t) && !c.IsConst(t) && c.Size(t) < maxAskedSize {
					in.add(loop, "", t)
					made++
				}
			}
		}
	}
}
