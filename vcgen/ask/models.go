package ask

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// pool keeps recent models, to answer later queries without a solver.
type pool struct {
	c    *smt.Context
	list []*Model // the newest last
}

// Model is a model of some query.
type Model struct {
	*smt.Evaluator
	// Old: it is from an earlier run.
	Old bool
	// judged is the number of the asker's axioms, from the first, that were evaluated in the model. broken are the
	// false ones among them. spoiled recognizes terms with symbols of broken axioms, or with symbols that other axioms
	// connect to these; nil if it has to be computed.
	judged  int
	broken  []smt.Term
	spoiled *dependence
}

// maxPool bounds the models that are evaluated before a solver is used.
const maxPool = 24

func (p *pool) satisfies(ctx context.Context, t smt.Term) bool {
	for i := len(p.list) - 1; i >= 0 && ctx.Err() == nil; i-- {
		if p.list[i].EvalBool(t) {
			return true
		}
	}
	return false
}

// add adds a model to the pool. It returns nil if the model does not satisfy its query.
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
