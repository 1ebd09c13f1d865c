package induction

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/invariant"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// allowances are the conflicts that a query about candidates may take, and those for its repetition, 0 for none. They
// fall as the search spends its total. Undecided candidates are dropped, so a few hard ones, such as the inverse of a
// hash, do not cost all others.
var allowances = []struct{ until, first, repeated int64 }{
	{inductionBudget * 3 / 4, houdiniBudget, hardBudget},
	{inductionBudget, 500, 0},
	{inductionBudget * 5 / 4, 100, 0},
	{inductionBudget * 3 / 2, 10, 0},
}

// allowance returns the current entry of allowances.
func (in *Finder) allowance() (first, repeated int64) {
	for _, a := range allowances {
		if in.spent < a.until {
			return a.first, a.repeated
		}
	}
	return 1, 0
}

// session returns the session for queries about an event.
func (in *Finder) session(event int) *ask.Session {
	s := in.sessions[event]
	if s == nil {
		s = &ask.Session{Whole: true}
		in.sessions[event] = s
	}
	return s
}

// dropScalars queries the candidates together. A short query drops most of those
// that may be false. If it does not suffice for the others, linear arithmetic shows most of them, and the rest is
// queried: few together, since a proof of many that are hard is a sum of theirs, and more if those were easy.
func (in *Finder) dropScalars(head int, open []*lemma, any, facts []smt.Term, event, rests int, to *invariant.State,
) {
	together := hardTogether
	for short := true; len(open) > 0 && in.ctx.Err() == nil; short = false {
		budget, repeated := in.allowance()
		q := ask.Question{Facts: facts, Any: any, Budget: budget, Undecided: ask.Halve, Session: in.session(event)}
		if short {
			q.Budget, q.Undecided = min(budget, shortBudget), ask.Leave
		} else {
			q.Any = any[:min(len(any), together)]
			together *= 2
		}
		settled := make([]bool, len(open))
		for i, o := range in.asker.Each(in.ctx, q, func(_ []int, o ask.Outcome) { in.spent += o.Steps }) {
			if o.Answer == smt.StepLimit && short {
				continue
			}
			if o.Steps > budget/2 {
				together = hardTogether
			}
			if o.Answer == smt.StepLimit && repeated > 0 {
				o = in.asker.Ask(in.ctx, ask.Question{Facts: q.Facts, Any: any[i : i+1], Budget: repeated})
				in.spent += o.Steps
			}
			in.record(open[i], event, rests, o)
			settled[i] = true
			if now, _ := in.allowance(); now < budget {
				break // the others are queried with the smaller budget
			}
		}
		var openLeft []*lemma
		var anyLeft []smt.Term
		for i := range open {
			if !settled[i] {
				openLeft, anyLeft = append(openLeft, open[i]), append(anyLeft, any[i])
			}
		}
		if open, any = openLeft, anyLeft; short && len(open) > 0 {
			open, any = in.shown(head, open, any, facts, event, rests, to)
		}
	}
}

// shown returns the candidates, with their violations, that neither a difference nor linear arithmetic shows in an
// event. rests is the number of candidates that were dropped when the facts were collected: they may include some that
// were dropped since.
func (in *Finder) shown(head int, open []*lemma, any, facts []smt.Term, event, rests int, to *invariant.State,
) (left []*lemma, violated []smt.Term) {
	known := in.prover.Facts(facts...)
	for i, l := range open {
		if h := in.heads[head]; event != h.Entry && h.Begin == nil && in.keeps(l.Fact(), to) ||
			!in.noOrdering && known.Work() < maxEliminations && known.Implies(in.c.Not(any[i])) {
			l.holds[event] = rests + 1
			continue
		}
		left, violated = append(left, l), append(violated, any[i])
	}
	in.asker.Spend(int64(known.Work()) * eliminationWork)
	return left, violated
}

// dropElements queries each candidate separately, so that all facts at the top level simplify it.
func (in *Finder) dropElements(open []*lemma, any, facts []smt.Term, event, rests int) {
	for i, l := range open {
		if in.ctx.Err() != nil || in.spent > inductionBudget {
			return
		}
		known := in.relevant(event, append(slices.Clone(facts), any[i]))
		o := in.asker.Ask(in.ctx, ask.Question{Facts: slices.Concat(facts, known), Any: any[i : i+1], Budget: hardBudget})
		in.spent += o.Steps
		in.record(l, event, rests, o)
	}
}

// record records whether a candidate holds in an event, or drops it. rests is the number of candidates that had been
// dropped before. Once the context has ended, facts may be missing and queries are stopped: only a proof counts. So the
// search may go on later.
func (in *Finder) record(l *lemma, event, rests int, o ask.Outcome) {
	if o.Answer != smt.Unsat {
		if in.ctx.Err() != nil {
			return
		}
		l.dropped, l.lost = true, event
		if o.Answer == smt.Sat {
			l.model = o.Model
		}
		return
	}
	l.holds[event] = rests + 1
}
