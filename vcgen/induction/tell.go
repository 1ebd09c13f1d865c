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

// What induction has found is many conditions, most of which follow from others. Those are told that are conditions of
// C and do not follow from the rest of these.

// Limits of what is told, and of what that may cost: conflicts of a question.
const (
	maxTold    = 40 // of one head, before those that follow are left out
	toldBudget = 300
	maxCost    = 400
	casts      = 80 // each
)

// phrased is a condition that was found, in C.
type phrased struct {
	*lemma
	text string
}

// Cuts tells whether a loop was cut at its head.
func (in *Finder) Cuts(loop string) bool {
	for _, h := range in.heads {
		if h.Loop == loop {
			return true
		}
	}
	return false
}

// Told are the invariants of a loop that hold wherever the program comes to it, and how many others there are that no
// condition of C says.
func (in *Finder) Told(ctx context.Context, loop string) (list []found.Invariant, unwritten int) {
	in.ctx = ctx
	var common []string
	first := true
	for i, h := range in.heads {
		if h.Loop != loop {
			continue
		}
		texts, others := in.tellHead(i)
		if unwritten = max(unwritten, others); first {
			common, first = texts, false
			continue
		}
		common = slices.DeleteFunc(common, func(t string) bool { return !slices.Contains(texts, t) })
	}
	for _, t := range common {
		list = append(list, found.Invariant{Text: t, Origin: found.Found})
	}
	return list, unwritten
}

// tellHead writes the conditions of a head in C, and leaves out those that follow from the others.
func (in *Finder) tellHead(i int) (texts []string, unwritten int) {
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
			if l.Quantified() && !slices.Contains(in.c.Symbols(l.Fact()), h.First) {
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
		texts = append(texts, p.text)
	}
	return texts, unwritten
}

// simplest are those that are told first, simple ones before others.
func (in *Finder) simplest(list []phrased) []phrased {
	slices.SortStableFunc(list, func(a, b phrased) int {
		return cmp.Or(cmp.Compare(cost(a.text), cost(b.text)))
	})
	return list[:min(len(list), maxTold)]
}

// cost is how hard a condition is to read: numbers that nobody wrote and casts before length.
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

// independent leaves out what follows from the rest, from what is known of the loop's surroundings, and from what was
// told before.
func (in *Finder) independent(i int, list, before []phrased) []phrased {
	c, h := in.c, in.heads[i]
	given := append([]smt.Term{in.held(h.Event), h.Guard}, in.facts(h.Event)...)
	for _, p := range before {
		given = append(given, p.Fact())
	}
	out := slices.Clone(list)
	for k := len(out) - 1; k >= 0 && in.ctx.Err() == nil; k-- {
		facts := slices.Clone(given)
		goal := out[k].Fact()
		if out[k].Quantified() {
			for j, p := range out { // what is asserted is told where nothing else says it
				if j != k && (p.over != 0 || p.unit != 0 || out[k].over == 0 && out[k].unit == 0) {
					facts = append(facts, in.said(p, goal)...)
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
			Session: &in.asking})
		if o.Answer == smt.Unsat {
			out = slices.Delete(out, k, k+1)
		}
	}
	return out
}

// said is what a condition on elements says of those that a term reads.
func (in *Finder) said(p phrased, of smt.Term) (out []smt.Term) {
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
