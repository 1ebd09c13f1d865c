package ask

import "github.com/unitproof/unitproof/vcgen/smt"

// pool keeps models that were found, to answer later questions without a query.
type pool struct {
	c    *smt.Context
	list []*Model // the newest last
}

// Model is a model of some question.
type Model struct {
	*smt.Evaluator
	// Old: it is one of an earlier run.
	Old bool
	// judged is how many of the asker's axioms, from the first, were evaluated in it; broken are those that do not hold,
	// and spoiled tells what speaks of their symbols, or of others that axioms connect with them (nil: not known yet).
	judged  int
	broken  []smt.Term
	spoiled *dependence
}

// maxPool bounds the models that are asked before the solver is.
const maxPool = 24

func (p *pool) satisfies(t smt.Term) bool {
	for i := len(p.list) - 1; i >= 0; i-- {
		if p.list[i].EvalBool(t) {
			return true
		}
	}
	return false
}

// add keeps a model; nil when it does not satisfy the question that it answers.
func (p *pool) add(m *smt.Model, terms []smt.Term) *Model {
	k := &Model{Evaluator: p.c.NewEvaluator(m)}
	for _, t := range terms {
		if !k.EvalBool(t) {
			return nil
		}
	}
	if len(p.list) == maxPool {
		p.list = p.list[1:]
	}
	p.list = append(p.list, k)
	return k
}
