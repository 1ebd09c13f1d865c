package pipeline

import (
	"context"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/replay"
)

// Attack runs a proof natively with random and boundary inputs under sanitizers for a
// duration. A violation of what check calls proved is a defect of the engine. A proof that
// does not compile is the first result.
func (c *Checker) Attack(ctx context.Context, p project.Proof, define Define, d time.Duration) (*diagnostics.Proof, replay.Result, error) {
	b, err := c.build(ctx, &p, define, &Live{})
	if err != nil {
		failed := failedBuild(ctx, &p, c.meta(&p), err)
		return &failed, replay.Result{}, nil
	}
	t, err := c.toolchain(ctx, p.Clang)
	if err != nil {
		return nil, replay.Result{}, err
	}
	res, err := replay.Attack{Clang: t.Clang, Module: b.module.Text, Entry: p.Entry, Duration: d, MallocMayFail: p.Options.MallocMayFail}.Run(ctx)
	return nil, res, err
}
