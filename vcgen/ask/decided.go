package ask

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Where ways meet that the facts exclude, terms choose by conditions of which the facts leave one value only; it shows
// in how facts are joined, and not in one of them. Sums hide behind such choices, and nothing of them cancels. So in a
// question that is hard the conditions of choices are asked about, with each comparison standing for any truth value,
// the same one wherever it stands: the literals that all models have in common are its backbone, which is found with a
// question for each condition that had one value in all models so far (Marques-Silva, Janota, and Lynce, "On Computing
// Backbones of Propositional Theories", 2010). They are facts, too, and rewrite all others.
const (
	// maxConditions bounds the conditions that are asked about, and conditionBudget the conflicts for each.
	maxConditions   = 1_000
	conditionBudget = 1_000
	// decideRounds is how often facts are looked at: what was decided may decide more.
	decideRounds = 4
)

// decide adds to simplified facts which conditions of choices they decide, and simplifies them again; false: there are
// none.
func (x *Asker) decide(ctx context.Context, facts *smt.Question) bool {
	if x.opts.NoBackbones || x.c.Size(facts.Facts...) > caseSize {
		return false
	}
	some := false
	for range decideRounds {
		list := x.decided(ctx, facts.Facts)
		if len(list) == 0 {
			break
		}
		facts.Facts = append(facts.Facts, list...)
		facts.Simplify()
		some = true
	}
	return some
}

// decided lists the conditions of choices, or their negations, that follow from facts whatever comparisons are.
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
		return nil // where they contradict each other, the question itself will tell
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

// skeletons rewrites terms to what is left of them when each Bool that is not made of others is a variable.
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
