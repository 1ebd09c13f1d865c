package induction

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Induction finds many invariants, and most follow from others. Invariants returns the ones that C can express and that
// do not follow from the rest.

// Limits of explanations, and of their cost, in conflicts per query.
const (
	maxTold    = 40 // invariants of one head, before implied ones are removed
	toldBudget = 300
	maxCost    = 400
	casts      = 80 // each
)

// phrased is an invariant in C.
type phrased struct {
	*lemma
	text string
}

// Cuts reports whether a loop was cut at its head.
func (in *Finder) Cuts(loop string) bool {
	for _, h := range in.heads {
		if h.Loop == loop {
			return true
		}
	}
	return false
}

// Invariants returns the invariants of a loop that hold in all its executions, and the number of others that C cannot
// express. Those of a recursive function are clauses of a contract.
func (in *Finder) Invariants(ctx context.Context, loop string) (list []found.Invariant, unwritten int) {
	in.ctx = ctx
	for _, end := range []bool{false, true} {
		var common []string
		first := true
		for i, h := range in.heads {
			if h.Loop != loop || end != (h.Begin != nil) {
				continue
			}
			texts, others := in.invariantsOf(i)
			if unwritten = max(unwritten, others); first {
				common, first = texts, false
				continue
			}
			common = slices.DeleteFunc(common, func(t string) bool { return !slices.Contains(texts, t) })
		}
		for _, t := range common {
			list = append(list, found.Invariant{Text: t, Origin: found.Found})
		}
	}
	return list, unwritten
}

// invariantsOf writes the invariants of a head in C, without the ones that follow from others.
func (in *Finder) invariantsOf(i int) (texts []string, unwritten int) {
	h := in.heads[i]
	ph := in.newPhraser(i)
	var scalars, elements []phrased
	seen := map[string]bool{}
	for _, l := range in.lemmas[i] {
		if l.dropped {
			continue
		}
		p, ok := ph.lemma(l)
		switch {
		case !ok || cost(p.text) > maxCost:
			if l.text == statesText || l.Quantified() && !slices.Contains(in.c.Symbols(l.Fact()), h.First) {
				unwritten++
			}
		case seen[p.text]:
		case l.Quantified():
			seen[p.text], elements = true, append(elements, p)
		default:
			seen[p.text], scalars = true, append(scalars, p)
		}
	}
	kept := in.independent(i, in.simplest(scalars), nil)
	all := in.independent(i, in.simplest(elements), kept)
	for _, p := range append(kept, all...) {
		switch {
		case h.Begin != nil:
			p.text = "__CPROVER_ensures(" + p.text + ")"
		case h.OfFunction():
			p.text = "__CPROVER_requires(" + p.text + ")"
		}
		texts = append(texts, p.text)
	}
	return texts, unwritten
}

// simplest sorts by cost and returns the first maxTold.
func (in *Finder) simplest(list []phrased) []phrased {
	slices.SortStableFunc(list, func(a, b phrased) int {
		return cmp.Or(cmp.Compare(cost(a.text), cost(b.text)))
	})
	return list[:min(len(list), maxTold)]
}

// cost estimates how hard a condition is to read: casts and numbers that are not in the source cost more than length.
func cost(text string) int {
	n := len(text) + 500*strings.Count(text, "?") + casts*strings.Count(text, "_t)") +
		casts*strings.Count(text, "(int)") + casts*strings.Count(text, "(long)") + casts*strings.Count(text, "(unsigned ")
	digits := 0
	for _, r := range text {
		if r < '0' || r > '9' {
			digits = 0
			continue
		}
		if digits++; digits > 6 {
			n += 200
		}
	}
	return n
}

// independent removes the conditions that follow from the rest, from the facts before the loop, or from before.
func (in *Finder) independent(i int, list, before []phrased) []phrased {
	c, h := in.c, in.heads[i]
	given := append([]smt.Term{in.factsBefore(h.Event), h.Guard}, in.facts(h.Event, again)...)
	for _, p := range before {
		given = append(given, p.Fact())
	}
	out := slices.Clone(list)
	for k := len(out) - 1; k >= 0 && in.ctx.Err() == nil; k-- {
		facts := slices.Clone(given)
		goal := out[k].Fact()
		if out[k].Quantified() {
			for j, p := range out { // an asserted condition is kept only if nothing else implies it
				if j != k && (p.over != 0 || p.unit != 0 || out[k].over == 0 && out[k].unit == 0) {
					facts = append(facts, in.instancesFor(p, goal)...)
				}
			}
		} else {
			for j, p := range out {
				if j != k {
					facts = append(facts, p.Fact())
				}
			}
		}
		o := in.asker.Ask(in.ctx, ask.Question{Facts: facts, Any: []smt.Term{c.Not(goal)}, Budget: toldBudget,
			Session: in.session(h.Event)})
		if o.Answer == smt.Unsat {
			out = slices.Delete(out, k, k+1)
		}
	}
	return out
}

// instancesFor returns the instances of a condition on elements for the reads of a term.
func (in *Finder) instancesFor(p phrased, of smt.Term) (out []smt.Term) {
	for _, r := range in.terms.Reads(of) {
		for _, t := range p.triggers {
			if t.fn == r.Func {
				for _, y := range t.solve(r.Off, r.N) {
					out = append(out, p.Of(y))
				}
			}
		}
	}
	return out
}
