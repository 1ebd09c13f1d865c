package pipeline

import (
	"context"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/equiv"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// inLockstep reports whether the versions are shown to be equal step by step (package lockstep), and sets the answer.
// If they are not, nothing is known: this finds no differences.
func (t *twoVersions) inLockstep(ctx context.Context, c *Checker) bool {
	text, _, err := t.compile(ctx, c, *t.p, nil)
	if err != nil {
		return false // the next attempt reports it
	}
	proof, err := equiv.Lockstep(ctx, text, t.before, t.function, t.p.Options.Checks,
		func(c *smt.Context) (smt.Solver, error) { return solver.New(solver.Default, c, solver.Options{}) })
	if err != nil {
		t.out.Steps = err.Error()
		return false
	}
	t.out.Answer = diagnostics.SameBehaviour
	for _, name := range proof.Missing {
		t.out.Assumed = append(t.out.Assumed,
			name+" has no body: it does the same in both versions if its arguments and the memory are the same")
	}
	return true
}
