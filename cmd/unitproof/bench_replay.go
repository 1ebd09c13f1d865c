package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/vcgen/found"
)

// benchReplay times what a user waits for after a click on Replay: the first failed finding of each
// proof goes through the pool as it does in the language server, once when its native program has
// to be built and once when it is there. The proofs have been checked before, as they have in the
// editor.
func benchReplay(ctx context.Context, std streams, l *listed, h *hidden) error {
	dir, err := os.MkdirTemp("", "unitproof-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	h.cacheDir = dir
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1})
	defer pool.Close()
	var first, again []time.Duration
	outcomes := map[string]int{}
	for i, r := range pool.Run(ctx, l.batch(h), nil) {
		k := slices.IndexFunc(r.Proof.Obligations, func(f diagnostics.Finding) bool { return f.Verdict == found.Failed })
		if k < 0 {
			continue
		}
		request := pipeline.ReplayRequest{Settings: l.batch(h).Settings, Proof: l.proofs[i], Findings: r.Proof.Obligations[k : k+1], Define: l.workspace.Definitions}
		for _, times := range []*[]time.Duration{&first, &again} {
			start := time.Now()
			out := pool.Replay(ctx, request)
			if ctx.Err() != nil {
				return exitCode(exitInterrupted)
			}
			*times = append(*times, time.Since(start))
			outcomes[out.Outcomes[0].Result]++
		}
	}
	if len(first) == 0 {
		return fmt.Errorf("nothing fails, so there is nothing to replay")
	}
	row := func(name string, times []time.Duration) {
		slices.Sort(times)
		fmt.Fprintf(std.out, "%-40s median %6d ms   worst %6d ms\n", name, times[len(times)/2].Milliseconds(), times[len(times)-1].Milliseconds())
	}
	fmt.Fprintf(std.out, "%d counterexamples: %d reproduced, %d not, %d not run\n", len(first),
		outcomes[diagnostics.Replayed]/2, outcomes[diagnostics.NotReplayed]/2, outcomes[diagnostics.ReplayNotRun]/2)
	row("from click to answer, first time", first)
	row("from click to answer, again", again)
	return nil
}
