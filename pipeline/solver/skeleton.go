package solver

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// The skeleton of a query is its abstraction in which sums, products, shifts by a variable and applications have
// arbitrary values, the same one wherever the term occurs. Truth values, choices and comparisons remain:
//
//	s = a + b, s < n, s >= n       // the skeleton has s arbitrary, and is contradictory
//
// If the skeleton is unsatisfiable, so is the query, and the arithmetic, in which a search for the contradiction gets
// lost, is not even converted. Long loops often produce such queries: bounds that the program has tested, and the sums
// that it has compared with them.
//
// This is the abstraction of lazy SMT solving (Sebastiani, "Lazy Satisfiability Modulo Theories", JSAT 2007) without
// refinement: a satisfiable skeleton decides nothing.

const (
	// skeletonTerms is the minimal size of a query whose skeleton is checked.
	skeletonTerms = 100
	// skeletonSteps bounds the conflicts of the search in a skeleton.
	skeletonSteps = 5_000
)

// skeleton returns whether the skeleton of the assertions is unsatisfiable, and the number of conflicts.
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

// isOpen reports whether a skeleton leaves the value of a term open.
func isOpen(op smt.Op) bool {
	switch op {
	case smt.OpAdd, smt.OpMul, smt.OpUdiv, smt.OpUrem, smt.OpSdiv, smt.OpSrem, smt.OpShl, smt.OpLshr, smt.OpAshr,
		smt.OpApply:
		return true
	}
	return false
}
