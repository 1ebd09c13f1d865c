package vcgen

import "github.com/unitproof/unitproof/vcgen/ask"

// Budgets in conflicts. They bound the work and not the time, so that verdicts do not
// depend on the machine.
const (
	feasibilityBudget = 5_000
	failuresBudget    = 1_000
	failuresWork      = 750_000   // of a question with this budget: two million clauses make conflicts that slow
	partWork          = 2_500_000 // of one about a few: 150,000 clauses do
	failuresTogether  = 100_000   // of as many questions as each has obligations; failuresBudget is the least for one
	batchBudget       = 50_000
	coreBudget        = 20_000
)

// single is the budget of a question about one obligation.
func (e *engine) single() int64 {
	if e.opts.SolverSteps > 0 {
		return int64(e.opts.SolverSteps)
	}
	return ask.SingleBudget
}

// batch is that of a question about several, which are asked about by themselves where it ends.
func (e *engine) batch() int64 { return e.share(batchBudget) }

// share is a budget that grows and shrinks with that of a single obligation.
func (e *engine) share(budget int64) int64 { return max(e.single()*budget/ask.SingleBudget, 1) }
