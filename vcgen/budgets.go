package vcgen

import "github.com/unitproof/unitproof/vcgen/ask"

// Budgets in conflicts. They bound the work, not the time, so that verdicts are independent of the machine.
const (
	feasibilityBudget    = 5_000
	inductiveFeasibility = 300
	failuresBudget       = 1_000
	failuresWork         = 750_000   // work of a query with this budget: two million clauses make conflicts that slow
	partWork             = 2_500_000 // the same for a query about few obligations: 150,000 clauses make them that slow
	failuresTogether     = 100_000   // divided by the number of obligations; at least failuresBudget
	cheapBudget          = 200       // of an obligation that is decided although the time is short
	cheapWork            = 100_000
	batchBudget          = 50_000
	coreBudget           = 20_000
)

// single returns the budget of a query about one obligation.
func (e *engine) single() int64 {
	if e.opts.SolverSteps > 0 {
		return int64(e.opts.SolverSteps)
	}
	return ask.SingleBudget
}

// batch returns the budget of a query about several obligations, which are queried separately if it does not suffice.
func (e *engine) batch() int64 { return e.share(batchBudget) }

// share scales a budget with the budget of a single obligation.
func (e *engine) share(budget int64) int64 { return max(e.single()*budget/ask.SingleBudget, 1) }
