package ask

import (
	"context"
	"slices"

	"github.com/unitproof/unitproof/vcgen/ordering"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// A query that is hard as a whole may be easy for each value of a term on which much of it depends: the length of a
// text, the index at which a loop stopped, whether an allocation failed. A read at such an index is one of many terms,
// but a single one if the index is known. If part of the budget of a query does not suffice, the query is therefore
// solved for each value of such a term. A hard case is split again, by a second and a third term. The cases are
// exhaustive, so the query has no model exactly if no case has one, and a model of a case is a model of the query.
// (Heule, Kullmann, Wieringa, and Biere, "Cube and Conquer: Guiding CDCL SAT Solvers by Lookaheads", 2011; here the
// cases are values of a term, and the lookahead measures how much the terms shrink.)
//
// docs/benchmarks.md has the figures.
const (
	// casesAfter is the number of conflicts after which a query is split into cases; a smaller budget is used up
	// first.
	casesAfter = 10_000
	// caseBudget is the number of conflicts per case, caseFirst the number after which a case is itself split.
	caseBudget = 5_000
	caseFirst  = 1_000
	// maxCases bounds the values of a term, and caseDepth the number of terms with fixed values.
	maxCases  = 130
	caseDepth = 3
	// caseUses is the minimum number of terms that depend on a choice. caseChoices bounds the choices that are tried,
	// and caseSize the number of terms of a query for which the search for a choice pays off.
	caseUses    = 4
	caseChoices = 8
	caseSize    = 50_000
	// maxImplied bounds the clauses about comparisons that are added if cases do not help.
	maxImplied = 3_000
	// casesShare bounds the work of all cases, as a multiple of the work before the split.
	casesShare = 10
)

// split is the state of a split into cases.
type split struct {
	depth int
	until int64 // the work at which the split is given up
	// decided: the facts include the conditions that they decide.
	decided bool
}

// solve solves simplified facts with a new solver, in up to four steps. It tries the whole query, the query simplified
// by its decided conditions, cases, and the whole query with clauses about comparisons. The model is nil unless the
// answer is Sat.
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
	if at.decided && at.depth == 0 { // the decided conditions hid sums
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
	if at.depth == 0 && x.contradict(facts) {
		return Outcome{Result: smt.Result{Answer: smt.Unsat, Steps: steps}}, nil
	}
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

// cases solves facts for each value of a choice, until a case has a model or no answer.
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
		one := x.fix(facts, by, by.Values[len(by.Values)-1-k]) // large values are usually the hardest
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

// fix assigns a value to a choice.
func (x *Asker) fix(facts *smt.Question, by smt.Choice, value uint64) *smt.Question {
	defer x.opts.Stage("simplify")()
	one := facts.With(by, value)
	one.Simplify()
	return one
}

// implied returns clauses about what the comparisons and products in the facts imply of each other.
func (x *Asker) implied(facts *smt.Question) []smt.Term {
	if x.opts.NoOrdering || x.c.Size(facts.Facts...) > caseSize {
		return nil
	}
	defer x.opts.Stage("simplify")()
	products := ordering.Products(x.c, facts.Facts)
	return append(products, ordering.Clauses(x.c, slices.Concat(facts.Facts, products), maxImplied)...)
}

// contradict reports whether linear arithmetic shows that the facts contradict each other.
func (x *Asker) contradict(facts *smt.Question) bool {
	if x.opts.NoOrdering || x.c.Size(facts.Facts...) > caseSize {
		return false
	}
	defer x.opts.Stage("simplify")()
	return ordering.Contradict(x.c, facts.Facts)
}

// choose returns the choice whose cases are the cheapest in total, if they are cheaper than the whole. The estimated
// cost of a query grows with the third power of its size, so that cases have to shrink the terms considerably.
func (x *Asker) choose(facts *smt.Question) (best smt.Choice, found bool) {
	total := x.c.Size(facts.Facts...)
	if total > caseSize {
		return best, false
	}
	least := 1.0
	for i, choice := range facts.Choices(maxCases) {
		if i == caseChoices || choice.Uses < caseUses {
			break
		}
		// A value that contradicts the facts says nothing about the size of the other cases.
		n, size := len(choice.Values), 0
		for _, k := range slices.Compact([]int{0, n / 2, n - 1}) {
			size = max(size, x.c.Size(x.fix(facts, choice, choice.Values[k]).Facts...))
		}
		part := float64(size) / float64(total)
		if cost := float64(n) * part * part * part; cost < least {
			best, found, least = choice, true, cost
		}
	}
	return best, found
}
