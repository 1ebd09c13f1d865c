package pipeline

import (
	"context"
	"os"

	"github.com/unitproof/unitproof/pipeline/project"
)

// Recall returns the result of Check if it follows from the cache: it reads files, starts no process and does not run
// the engine. It returns false if the check needs more.
func (c *Checker) Recall(ctx context.Context, p project.Proof, define Define) (Result, bool) {
	return c.recall(ctx, p, define, Live{})
}

func (c *Checker) recall(ctx context.Context, p project.Proof, define Define, live Live) (Result, bool) {
	if !c.canRecall() {
		return Result{}, false
	}
	live.onlyKept = true
	r, missed := c.check(ctx, p, define, live)
	return r, missed == nil && ctx.Err() == nil
}

// canRecall reports whether Recall can find any result.
func (c *Checker) canRecall() bool { return c.results != nil && !c.settings.Replay }

// recall answers a proof of a batch in this process from the cache, if possible: a worker takes longer to start, and
// the parts that may crash, the engine and the solvers, do not run. Measurements need the work of the workers instead.
func (l *Pool) recall(ctx context.Context, b *Batch, j *Job, checker *Checker) (Result, bool) {
	if l.opts.InProcess || b.Measure {
		return Result{}, false
	}
	r, ok := checker.recall(ctx, j.Proof, j.Define, Live{Inputs: j.Inputs})
	r.Proof.Stats.MemoryMB = peakSize(os.Getpid()) >> 20
	return r, ok
}

// define returns the Define of one proof of the batch; nil if the proof has no candidate files.
func (b *Batch) define(p *project.Proof) Define {
	if b.Define == nil || len(p.SourceCandidates) == 0 {
		return nil
	}
	return func(names []string) map[string][]project.Unit { return b.Define(p, names) }
}
