package induction

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/invariant"
)

// A phase is a part of the search. Its candidates are tried with those that survive the phases before as facts.
type phase int

const (
	plain    phase = iota // comparisons and equations
	scalars               // all others without elements; arbitrary content makes queries hard, so none is a fact
	elements              // candidates about elements
	again                 // late candidates
)

// phase returns the phase in which a candidate is tried.
func (l *lemma) phase() phase {
	switch {
	case l.late:
		return again
	case l.Quantified():
		return elements
	}
	return l.among
}

// Find drops candidates without elements until the rest is inductive. It reports whether it finished within its limits.
// If the context ended, another call continues the search.
func (in *Finder) Find(ctx context.Context) bool {
	in.ctx = ctx
	if !in.begun {
		in.begun = true
		in.rechain()
		in.prepare()
		for i, h := range in.heads {
			if h.Begin != nil {
				in.endCandidates(i)
				continue
			}
			in.scalarCandidates(i)
			in.quantified(i)
		}
		in.pause()
	}
	return in.dropUnquantified()
}

// pause drops the candidates about elements that were not decided, until they are resumed.
func (in *Finder) pause() {
	for _, l := range slices.Concat(in.lemmas...) {
		if l.phase() == elements && !l.dropped {
			l.dropped, l.paused = true, true
		}
	}
}

// resume takes up the candidates again that pause has dropped, with the readings so far.
func (in *Finder) resume() {
	in.done = 0
	for _, l := range slices.Concat(in.lemmas...) {
		if l.paused {
			l.dropped, l.paused = false, false
		}
		clear(l.readings)
	}
}

// dropUnquantified is dropAll for candidates without elements, and reports whether it finished within its limits. Plain
// ones that are inductive by themselves are not asked again whenever one of the many others is dropped. The rest of the
// plain ones may be inductive together with the others.
func (in *Finder) dropUnquantified() bool {
	if in.among == plain {
		if !in.dropAll(plain) {
			return false
		}
		in.among = scalars
		for i, h := range in.heads {
			for _, l := range in.lemmas[i] {
				if l.dropped && l.phase() == plain && (l.lost != h.Entry || len(in.facts(h.Entry, plain)) > 0) {
					l.among, l.dropped = scalars, false
					clear(l.holds)
				}
			}
		}
	}
	return in.dropAll(scalars)
}

// forget drops the candidates of a phase.
func (in *Finder) forget(p phase) {
	for _, l := range slices.Concat(in.lemmas...) {
		l.dropped = l.dropped || l.phase() == p
	}
}

// Refine goes on behind Find, for obligations that need more. Each call tries further candidates until some hold, adds
// these to the log, and reports whether there are any. The first ones are about elements, whose queries take most of
// the time. If they exceed the budget, all of them are dropped; the others are inductive without them.
//
// Late candidates come next: those without elements again, with the facts about elements, and the states of a loop that
// has few. The sum of an array is at most its length if each element is at most 1.
func (in *Finder) Refine(ctx context.Context) (some bool) {
	in.ctx = ctx
	for in.refined != again && !some && ctx.Err() == nil {
		in.retract()
		p := elements
		if in.refined == elements {
			p = again
		}
		some = in.refine(p)
		in.Conclude()
	}
	return some
}

func (in *Finder) refine(p phase) (some bool) {
	if p == elements {
		in.resume()
	} else {
		in.spend()
		some = in.late()
		until := in.asker.Work() + maxFiniteWork
		for i := range in.heads {
			some = in.finite(i, until) || some
		}
		if !some {
			in.refined = p
			return false
		}
	}
	finished := in.dropAll(p)
	switch {
	case !finished && in.ctx.Err() != nil && p == elements:
		in.pause()
		return false
	case !finished:
		in.forget(p)
	}
	if in.ctx.Err() == nil {
		in.refined = p
	}
	return slices.ContainsFunc(slices.Concat(in.lemmas...), func(l *lemma) bool { return l.phase() == p && !l.dropped })
}

// late makes late candidates of those that an iteration may violate without facts about elements, and that depend on
// content that it reads. It reports whether there are any.
func (in *Finder) late() (some bool) {
	about := false // a head so far has an invariant about elements
	for i, h := range in.heads {
		about = about || slices.ContainsFunc(in.lemmas[i], func(l *lemma) bool { return l.Quantified() && !l.dropped })
		made := 0
		for _, l := range slices.Clone(in.lemmas[i]) {
			if !about || !l.dropped || l.phase() > scalars || l.lost == h.Entry || made == maxLate ||
				!in.readsContent(i, l) {
				continue
			}
			in.lemmas[i] = append(in.lemmas[i], &lemma{Condition: l.Condition, text: l.text, late: true, members: l.members,
				holds: map[int]int{}})
			made++
		}
		some = some || made > 0
	}
	return some
}

// readsContent reports whether a candidate depends on content that an iteration reads.
func (in *Finder) readsContent(head int, l *lemma) bool {
	return slices.ContainsFunc(in.states[head].Back, func(b *invariant.State) bool {
		return len(in.terms.Reads(l.In(b))) > 0
	})
}
