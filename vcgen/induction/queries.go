package induction

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/invariant"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// allowances are the conflicts that a query about candidates may take, and those for its repetition, 0 for none. They
// fall as the search spends its total. Undecided candidates are dropped, so a few hard ones, such as the inverse of a
// hash, do not cost all others. Comparisons and equations have a total of their own, since most proofs need some. The
// others are many, put together from branches, and share a smaller one.
var allowances = []struct{ until, first, repeated int64 }{
	{inductionBudget * 3 / 4, houdiniBudget, hardBudget},
	{inductionBudget, 500, 0},
	{inductionBudget * 5 / 4, 100, 0},
	{inductionBudget * 3 / 2, 10, 0},
}

// plainSize is the largest size of each side of a plain comparison, in terms; othersWeight is the weight of a conflict
// for another candidate.
const (
	plainSize    = 16
	othersWeight = 3
)

// elementsTogether is the largest number of candidates about elements in one query, and elementsBudget its conflicts.
const (
	elementsTogether = 16
	elementsBudget   = 400
)

// isPlain reports whether a candidate of a head is one comparison or equation. The size of a side that does not change
// in the loop does not count.
func (in *Finder) isPlain(head int, l *lemma) bool {
	c, t := in.c, l.Fact()
	if c.Op(t) == smt.OpNot {
		t = c.Arg(t, 0)
	}
	switch c.Op(t) {
	case smt.OpEq, smt.OpUlt, smt.OpSlt:
		return in.isEquation(l) || !slices.ContainsFunc(c.Args(t), func(x smt.Term) bool {
			return in.terms.Size(x) > plainSize && in.states[head].Varies(x)
		})
	}
	return false
}

// allowance returns the entry of allowances after some conflicts.
func allowance(spent int64) (first, repeated int64) {
	for _, a := range allowances {
		if spent < a.until {
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

// dropScalars queries the candidates together, plain ones first. A short query drops most of those that may be false.
// If it does not suffice for the others, linear arithmetic shows most of them, and the rest is queried: few together,
// since a proof of many that are hard is a sum of theirs, and more if those were easy.
func (in *Finder) dropScalars(head int, open []*lemma, any, facts []smt.Term, event, rests int, to *invariant.State) {
	for _, plain := range []bool{true, false} {
		spent, weight := &in.spentOnPlain, int64(1)
		if !plain {
			spent, weight = &in.spentOnOthers, othersWeight
		}
		var of []*lemma
		var violated []smt.Term
		for i, l := range open {
			if in.isPlain(head, l) == plain {
				of, violated = append(of, l), append(violated, any[i])
			}
		}
		before := in.spent
		in.dropTogether(head, of, violated, facts, event, rests, to, func() (first, repeated int64) {
			return allowance(weight * (*spent + in.spent - before))
		})
		*spent += in.spent - before
	}
}

// dropTogether is dropScalars for candidates that share a total; allowed returns their current allowance.
func (in *Finder) dropTogether(head int, open []*lemma, any, facts []smt.Term, event, rests int, to *invariant.State,
	allowed func() (first, repeated int64)) {
	together := hardTogether
	for short := true; len(open) > 0 && in.ctx.Err() == nil; short = false {
		budget, repeated := allowed()
		q := ask.Question{Facts: facts, Any: any, Budget: budget, Undecided: ask.Halve, Session: in.session(event),
			Postpones: true}
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
			if now, _ := allowed(); now < budget {
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

// dropElements queries candidates about elements together, so that one model drops all that are false in it. Most of
// the time of such a query goes to the contents of memory. If it is hard to show some together, each is queried
// separately: all facts at the top level simplify it then.
func (in *Finder) dropElements(open []*lemma, any, facts []smt.Term, event, rests int) {
	query := func(of []smt.Term) ask.Outcome {
		budget := int64(hardBudget)
		if len(of) > 1 {
			budget = elementsBudget
		}
		known := in.relevant(event, append(slices.Clone(facts), of...))
		o := in.asker.Ask(in.ctx, ask.Question{Facts: slices.Concat(facts, known), Any: of, Budget: budget})
		in.spent += o.Steps
		return o
	}
	left := func() bool { return in.ctx.Err() == nil && in.spent <= inductionBudget }
	for together := true; len(open) > 0 && left(); {
		n := 1
		if together {
			n = min(len(open), elementsTogether)
		}
		o := query(any[:n])
		if n > 1 && o.Answer != smt.Unsat && o.Answer != smt.Sat {
			together = false
			continue
		}
		var openLeft []*lemma
		var anyLeft []smt.Term
		for i, l := range open[:n] {
			if o.Answer == smt.Sat && n > 1 && !o.Model.EvalBool(any[i]) {
				openLeft, anyLeft = append(openLeft, l), append(anyLeft, any[i])
				continue
			}
			in.record(l, event, rests, o)
		}
		together = together && len(openLeft) < n
		open, any = append(openLeft, open[n:]...), append(anyLeft, any[n:]...)
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
