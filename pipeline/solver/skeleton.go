package solver

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// The skeleton of a question is what is left of it when sums, products, shifts by a variable and applications have any
// value, the same one wherever they stand: truth values, choices, comparisons. Where it contradicts itself so does the
// question, and the arithmetic, in which a search for the contradiction loses its way, is not even converted. What a
// long loop leaves is often of that kind: bounds that the program has tested, and sums that it has tested them of.
// This is the abstraction of lazy SMT solving (Sebastiani, "Lazy Satisfiability Modulo Theories", JSAT 2007) without
// its refinement: a skeleton that has a model decides nothing.

const (
	// skeletonTerms is the size of a question below which its skeleton is not worth the look.
	skeletonTerms = 100
	// skeletonSteps bounds the conflicts that are spent on a skeleton.
	skeletonSteps = 5_000
)

// skeleton tells whether the skeleton of what is asserted has no model, and the conflicts that it took.
func (s *cadical) skeleton(ctx context.Context, steps int64) (unsat bool, used int64) {
	k := newCadical(s.c, Options{Search: s.search})
	defer k.Close()
	k.b.abstract = true
	k.memory = s.memory
	k.polled(ctx)
	for _, t := range s.pending {
		if k.assert(t) != nil {
			return false, 0
		}
	}
	if k.f.unsat {
		return true, 0
	}
	if k.flush(ctx) != nil {
		return false, 0
	}
	limit := int64(skeletonSteps)
	if steps > 0 {
		limit = min(limit, steps)
	}
	res := k.solve(ctx, int(limit))
	return res.Answer == smt.Unsat, res.Steps
}

// isOpen tells whether a skeleton leaves the value of a term open.
func isOpen(op smt.Op) bool {
	switch op {
	case smt.OpAdd, smt.OpMul, smt.OpUdiv, smt.OpUrem, smt.OpSdiv, smt.OpSrem, smt.OpShl, smt.OpLshr, smt.OpAshr,
		smt.OpApply:
		return true
	}
	return false
}
