package ask

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// If the facts exclude one of two paths that merge, the merged terms still choose between both. The condition of the
// choice has only one possible value, but this follows from the combination of facts, not from a single one. Such
// choices hide sums that would otherwise simplify.
//
//	(a || b) && (a || !b) && ite(a, x, y) - x == z    // a follows, so z is 0
//
// Therefore a hard query is first simplified by its backbone, the literals that all models have in common, restricted
// to conditions of choices. Each comparison is replaced by a Boolean variable, the same one for all occurrences, so
// that the search is purely propositional. A query per condition that had one value in all models so far decides
// whether it is in the backbone (Marques-Silva, Janota, and Lynce, "On Computing Backbones of Propositional Theories",
// 2010). The backbone is added to the facts.
const (
	// maxConditions bounds the examined conditions, and conditionBudget the conflicts per condition.
	maxConditions   = 1_000
	conditionBudget = 1_000
	// decideRounds bounds the repetitions: decided conditions may decide more.
	decideRounds = 4
)

// decide adds the decided conditions of choices to simplified facts and simplifies them again. It reports whether
// there are any.
func (x *Asker) decide(ctx context.Context, facts *smt.Question) bool {
	if x.opts.NoBackbones || x.c.Size(facts.Facts...) > caseSize {
		return false
	}
	progress := false
	for range decideRounds {
		list := x.decided(ctx, facts.Facts)
		if len(list) == 0 {
			break
		}
		facts.Facts = append(facts.Facts, list...)
		facts.Simplify()
		progress = true
	}
	return progress
}

// decided returns the conditions of choices, or their negations, that follow from facts for any truth values of
// comparisons.
func (x *Asker) decided(ctx context.Context, facts []smt.Term) (list []smt.Term) {
	c := x.c
	known := map[smt.Term]bool{}
	for _, f := range facts {
		known[f], known[c.Not(f)] = true, true
	}
	var open []smt.Term
	for _, t := range c.Cone(facts...) {
		if c.Op(t) != smt.OpIte || c.Sort(t).IsBool() {
			continue
		}
		if cond := c.Arg(t, 0); !known[cond] && len(open) < maxConditions {
			known[cond], known[c.Not(cond)] = true, true
			open = append(open, cond)
		}
	}
	if len(open) == 0 {
		return nil
	}
	s, err := x.make(c)
	if err != nil {
		return nil
	}
	defer s.Close()
	s.Expect(smt.Mixed)
	abstract := x.skeletons()
	for _, f := range facts {
		s.Assert(abstract(f))
	}
	ask := func(assumed ...smt.Term) (smt.Answer, *smt.Evaluator) {
		o, m := x.put(ctx, s, assumed, Question{Budget: conditionBudget})
		if m == nil {
			return o.Answer, nil
		}
		return o.Answer, c.NewEvaluator(m)
	}
	answer, model := ask()
	if answer != smt.Sat {
		return nil // if the facts contradict each other, the query itself will find that
	}
	value := map[smt.Term]bool{}
	for _, cond := range open {
		value[cond] = model.EvalBool(abstract(cond))
	}
	for i, cond := range open {
		want, constant := value[cond]
		if !constant {
			continue
		}
		if want {
			cond = c.Not(cond)
		}
		switch answer, model := ask(abstract(cond)); answer {
		case smt.Unsat:
			list = append(list, c.Not(cond))
		case smt.Sat:
			for _, later := range open[i:] {
				if want, constant := value[later]; constant && model.EvalBool(abstract(later)) != want {
					delete(value, later)
				}
			}
		case smt.StepLimit:
		default:
			return nil
		}
	}
	return list
}

// skeletons returns a function that replaces each Boolean subterm that is not propositional by a variable.
func (x *Asker) skeletons() func(smt.Term) smt.Term {
	c := x.c
	memo := map[smt.Term]smt.Term{}
	return func(t smt.Term) smt.Term {
		return c.Rewrite(t, memo, func(t smt.Term) (smt.Term, bool) {
			switch c.Op(t) {
			case smt.OpVar, smt.OpTrue, smt.OpFalse, smt.OpNot, smt.OpAnd, smt.OpOr, smt.OpIte:
				return 0, false
			case smt.OpEq:
				if c.Sort(c.Arg(t, 0)).IsBool() {
					return 0, false
				}
			}
			return c.Var("comparison", smt.Bool), true
		})
	}
}
