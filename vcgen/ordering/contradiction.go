package ordering

import (
	"cmp"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// maxGoals is the number of comparisons that are tried as the last step to a contradiction.
const maxGoals = 6

// Contradict reports whether facts are found to contradict each other: some of them imply that another one is false.
// This takes sums of several facts, where Clauses combines two or three. The largest comparisons are tried: they have
// the sums that are hard for a solver, and choices, whose cases are tried one by one.
func Contradict(c *smt.Context, facts []smt.Term) bool {
	x := NewProver(c).Facts(facts...)
	goals := slices.DeleteFunc(slices.Clone(x.atoms), func(t smt.Term) bool { return c.Size(t) > maxProverSize })
	slices.SortStableFunc(goals, func(a, b smt.Term) int { return cmp.Compare(c.Size(b), c.Size(a)) })
	for _, goal := range goals[:min(len(goals), maxGoals)] {
		if x.Implies(c.Not(goal)) {
			return true
		}
	}
	return false
}
