package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/vcgen/found"
)

func replayCommand(std cli.Streams) *cobra.Command {
	var flags selected
	cmd := &cobra.Command{
		Use:   "replay [FILE.c | DIR]...",
		Short: "Time native runs of counterexamples, from the click to the answer",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := cli.Some(flags.project, &flags.engine, args)
			if err != nil {
				return err
			}
			return measureReplay(cmd.Context(), std, l, &flags.engine)
		},
	}
	flags.add(cmd.Flags())
	return cmd
}

// measureReplay measures the response time of Replay in an editor. The first failed finding of each proof is replayed
// through the pool, as in the language server: once with a build of its native program, and once with the existing
// program. The proofs were checked before, as in the editor.
func measureReplay(ctx context.Context, std cli.Streams, l *cli.Listed, h *cli.Engine) error {
	dir, err := os.MkdirTemp("", "unitproof-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	h.CacheDir = dir
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1})
	defer pool.Close()
	var first, again []time.Duration
	outcomes := map[string]int{}
	for i, r := range pool.Run(ctx, l.Batch(h), nil) {
		k := slices.IndexFunc(r.Proof.Obligations, func(f diagnostics.Finding) bool { return f.Verdict == found.Failed })
		if k < 0 {
			continue
		}
		request := pipeline.ReplayRequest{Settings: l.Batch(h).Settings, Proof: l.Proofs[i],
			Findings: r.Proof.Obligations[k : k+1], Define: l.Workspace.Definitions}
		for _, times := range []*[]time.Duration{&first, &again} {
			start := time.Now()
			out := pool.Replay(ctx, request)
			if ctx.Err() != nil {
				return cli.ExitCode(cli.ExitInterrupted)
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
		fmt.Fprintf(std.Out, "%-40s median %6d ms   worst %6d ms\n", name, times[len(times)/2].Milliseconds(),
			times[len(times)-1].Milliseconds())
	}
	fmt.Fprintf(std.Out, "%d counterexamples: %d reproduced, %d not, %d not run\n", len(first),
		outcomes[diagnostics.Replayed]/2, outcomes[diagnostics.NotReplayed]/2, outcomes[diagnostics.ReplayNotRun]/2)
	row("from click to answer, first time", first)
	row("from click to answer, again", again)
	return nil
}
