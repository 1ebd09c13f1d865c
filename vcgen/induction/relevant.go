package induction

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// A candidate about a place that no obligation and no branch depends on proves nothing: a checksum, in a loop whose
// accesses are to be proved. Queries about the values of such places are often hard. Therefore places are relevant if a
// condition or a guard of an event depends on them, or the value that a loop gives another relevant place (M. Weiser,
// "Program Slicing", ICSE 1981). Content is not followed: if an event depends on content that a loop changes, all
// places are relevant. So are those that describe blocks and members of structures.

// findRelevant finds the relevant places.
func (in *Finder) findRelevant() {
	type source struct{ values []smt.Term } // what the symbols of a place may be
	sources := map[smt.Term]*source{}       // by the symbols of the places
	changed := map[smt.Func]bool{}
	if slices.ContainsFunc(in.heads, func(h *unfold.Head) bool { return len(h.Blocks)+len(h.Generics) > 0 }) {
		return
	}
	in.irrelevant = map[smt.Term]bool{}
	for _, h := range in.heads {
		for _, x := range h.Contents {
			changed[x.Func] = true
		}
		for k, p := range h.Places {
			if p.Sym == 0 || in.c.IsConst(p.Sym) {
				continue
			}
			s := &source{values: []smt.Term{p.Old}}
			for _, b := range h.Back {
				s.values = append(s.values, b.Values[k])
			}
			for _, sym := range in.c.Symbols(p.Sym) {
				sources[sym], in.irrelevant[sym] = s, true
			}
			for _, u := range h.Calls {
				sources[u.After[k]], in.irrelevant[u.After[k]] = &source{values: []smt.Term{p.Sym}}, true
			}
		}
	}
	var todo []smt.Term
	for k := range in.log.Events {
		ev := &in.log.Events[k]
		if ev.Kind != seair.Axiom {
			todo = append(todo, ev.Guard)
		}
		// That the first state at a head is the one on entry is about every place.
		if ev.Kind == seair.Obligation || ev.Kind == seair.Assume && !in.mentionsFirst(ev.Cond) {
			todo = append(todo, ev.Cond)
		}
	}
	for _, h := range in.heads {
		for _, b := range h.Back {
			todo = append(todo, b.Guard)
		}
	}
	seen := map[smt.Term]bool{0: true}
	for len(todo) > 0 {
		t := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[t] {
			continue
		}
		seen[t] = true
		for _, f := range in.c.Funcs(t) {
			if changed[f] {
				in.irrelevant = nil
				return
			}
		}
		for _, sym := range in.c.Symbols(t) {
			if s := sources[sym]; s != nil && in.irrelevant[sym] {
				delete(in.irrelevant, sym)
				todo = append(todo, s.values...)
			}
		}
	}
}

// mentionsFirst reports whether a condition depends on whether a head is reached for the first time.
func (in *Finder) mentionsFirst(t smt.Term) bool {
	symbols := in.c.Symbols(t)
	return slices.ContainsFunc(in.heads, func(h *unfold.Head) bool { return slices.Contains(symbols, h.First) })
}

// concernsIrrelevant reports whether a term depends on a place that is not relevant.
func (in *Finder) concernsIrrelevant(t smt.Term) bool {
	if len(in.irrelevant) == 0 {
		return false
	}
	for _, sym := range in.c.Symbols(t) {
		if in.irrelevant[sym] {
			return true
		}
	}
	return false
}
