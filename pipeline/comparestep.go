package pipeline

import (
	"context"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/equiv"
	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// stepsTime is the limit of the comparison step by step, in CPU time. Most successful ones take less than 2 s.
const stepsTime = 8 * time.Second

// inLockstep reports whether the versions are shown to be equal step by step (package lockstep), and sets the answer.
// If they are not, nothing is known: this finds no differences.
func (t *twoVersions) inLockstep(ctx context.Context, c *Checker) bool {
	p := *t.p
	if t.Apply != nil {
		t.Apply(&p)
	}
	if p.Options.Disable[vcgen.Lockstep] {
		return false
	}
	text, files, err := t.compile(ctx, c, *t.p, nil)
	if err != nil {
		return false // the next attempt reports it
	}
	timer := &timer{start: time.Now(), cpu: ownTime, began: ownTime()} // the solver runs in this process
	limited, cancel := timer.limit(ctx, min(p.Timeout, stepsTime))
	defer cancel()
	proof, err := equiv.Lockstep(limited, text, t.before, t.function, t.file, t.p.Options.Checks,
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
	t.filesAfter = files
	t.out.Assumed = append(t.out.Assumed, t.assumptions(proof.Missing)...)
	return true
}
