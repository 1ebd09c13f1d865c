package ask

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ordering"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A question that is hard as a whole may be easy for each value of a term that much of it depends on: the length of a
// text, the place where a loop stopped, whether an allocation failed. What is read there is one of many terms, and a
// single one once the value is known. So where a part of the budget of a question has ended, it is asked for each value
// of such a term, and in each of these cases, where that is hard, too, for each value of a second and of a third one.
// The cases are all that there are, so they have no model only if the question has none, and a model of one is a model
// of it. (Heule, Kullmann, Wieringa, and Biere, "Cube and Conquer: Guiding CDCL SAT Solvers by Lookaheads", 2011; cases
// are values of a term here, and how much the terms shrink is what is looked ahead for.)
//
// docs/solvers.md has the figures.
const (
	// casesAfter are the conflicts after which a question is tried by cases, or its whole budget, if that is less.
	casesAfter = 10_000
	// caseBudget are the conflicts of each case, and caseFirst those after which it is itself tried by cases.
	caseBudget = 5_000
	caseFirst  = 1_000
	// maxCases bounds the values of a term, and caseDepth how many terms have one at the same time.
	maxCases  = 130
	caseDepth = 3
	// caseUses is how many terms are made of one that is a choice, at least, caseChoices how many of them are looked at,
	// and caseSize the most terms of a question that looking is worth it for.
	caseUses    = 4
	caseChoices = 8
	caseSize    = 50_000
	// maxImplied bounds the clauses about comparisons that are told to the solver of a question that is still hard then.
	maxImplied = 3_000
	// casesShare is how many times the work may be done by cases that was done before: they are given up then.
	casesShare = 10
)

// split is how far a question was taken apart.
type split struct {
	depth int
	until int64 // the work at which it is given up to take it apart
	// decided: the facts tell what they decide.
	decided bool
}

// solve asks a solver that is made for a conjunction of simplified facts: as a whole, anew where the facts decide more
// than they show, by cases, and as a whole again, with what comparisons imply of each other. The model is that of a
// Sat, else nil.
func (x *Asker) solve(ctx context.Context, facts *smt.Question, q Question, at split) (Outcome, *smt.Model) {
	before := x.Work()
	s, err := x.make(x.c)
	if err != nil {
		return Outcome{Result: smt.Result{Answer: smt.Failed, Reason: err.Error()}}, nil
	}
	defer s.Close()
	for _, f := range facts.Facts {
		s.Assert(f)
	}
	if at.decided && at.depth == 0 { // sums were hidden behind what was decided
		for _, f := range x.implied(facts) {
			s.Assert(f)
		}
	}
	if !q.Cases || x.opts.NoCases || at.depth == caseDepth {
		return x.put(ctx, s, nil, q)
	}
	first := q
	if at.depth == 0 {
		first.Budget = min(q.Budget, casesAfter)
	} else {
		first.Budget = caseFirst
	}
	o, m := x.put(ctx, s, nil, first)
	if o.Answer != smt.StepLimit {
		return o, m
	}
	steps := o.Steps
	if at.depth == 0 && !at.decided && x.decide(ctx, facts) {
		at.decided = true
		o, m = x.solve(ctx, facts, q, at)
		o.Steps += steps
		return o, m
	}
	if choice, found := x.choose(facts); found {
		if at.depth == 0 {
			at.until = x.Work() + casesShare*(x.Work()-before)
		}
		o, m = x.cases(ctx, facts, choice, q, at)
		steps += o.Steps
	}
	if o.Answer != smt.StepLimit {
		o.Steps = steps
		return o, m
	}
	q.Budget -= first.Budget
	if at.depth == 0 && !at.decided {
		if list := x.implied(facts); len(list) > 0 {
			for _, f := range list {
				s.Assert(f)
			}
			q.Budget = max(q.Budget, first.Budget)
		}
	}
	if q.Budget > 0 {
		o, m = x.put(ctx, s, nil, q)
		steps += o.Steps
	}
	o.Steps = steps
	return o, m
}

// cases asks about facts for each value of a choice, until one has a model or no answer.
func (x *Asker) cases(ctx context.Context, facts *smt.Question, by smt.Choice, q Question, at split,
) (Outcome, *smt.Model) {
	q.Budget, q.Work = caseBudget, 0
	at.depth++
	steps := int64(0)
	for k := range by.Values {
		if k > 0 && x.opts.Interrupts() {
			x.pause()
		}
		switch {
		case ctx.Err() != nil:
			return Outcome{Result: smt.Stopped(ctx)}, nil
		case x.Work() > at.until:
			return Outcome{Result: smt.Result{Answer: smt.StepLimit, Steps: steps}}, nil
		}
		one := x.fix(facts, by, by.Values[len(by.Values)-1-k]) // large ones are the hardest, mostly
		o, m := x.solve(ctx, one, q, at)
		if steps += o.Steps; o.Answer != smt.Unsat {
			if m != nil {
				one.Complete(m)
			}
			o.Steps = steps
			return o, m
		}
	}
	return Outcome{Result: smt.Result{Answer: smt.Unsat, Steps: steps}}, nil
}

// fix gives a choice a value.
func (x *Asker) fix(facts *smt.Question, by smt.Choice, value uint64) *smt.Question {
	defer x.opts.Stage("simplify")()
	one := facts.With(by, value)
	one.Simplify()
	return one
}

// implied lists what the comparisons in the facts imply of each other.
func (x *Asker) implied(facts *smt.Question) []smt.Term {
	if x.opts.NoOrdering || x.c.Size(facts.Facts...) > caseSize {
		return nil
	}
	defer x.opts.Stage("simplify")()
	return ordering.Clauses(x.c, facts.Facts, maxImplied)
}

// choose looks for the choice whose cases are all together the easiest, if they are easier than the whole. What a
// question costs is taken to grow with the third power of its size: terms have to shrink, and not only to be fewer.
func (x *Asker) choose(facts *smt.Question) (best smt.Choice, found bool) {
	whole := x.c.Size(facts.Facts...)
	if whole > caseSize {
		return best, false
	}
	least := 1.0
	for i, choice := range facts.Choices(maxCases) {
		if i == caseChoices || choice.Uses < caseUses {
			break
		}
		// Where a value contradicts the facts, its case tells nothing of the others.
		n, size := len(choice.Values), 0
		for _, k := range slices.Compact([]int{0, n / 2, n - 1}) {
			size = max(size, x.c.Size(x.fix(facts, choice, choice.Values[k]).Facts...))
		}
		part := float64(size) / float64(whole)
		if cost := float64(n) * part * part * part; cost < least {
			best, found, least = choice, true, cost
		}
	}
	return best, found
}
