package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/vcgen/ask"
)

func cacheVerifyCommand(std cli.Streams) *cobra.Command {
	o := pipeline.RecheckOptions{Share: 0.1}
	timeout := time.Duration(0)
	cmd := &cobra.Command{
		Use: "verify [flags]", Args: cobra.NoArgs,
		Short: "Repeat a sample of the cached solver queries",
		Long: `verify repeats a sample of the solver queries whose answers are cached, and reports each answer
that differs. Entries of other versions of unitproof are skipped, since they are never used.

Exit status: 0 all are confirmed; 1 one is wrong; 2 none is wrong, and one could not be decided
within its budget, or the time ended; 3 the command line is wrong, or the cache cannot be read; 130 interrupted.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return cacheVerify(cmd.Context(), std, o, timeout) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Float64Var(&o.Share, "share", o.Share, "the part of the queries to repeat, from 0 to 1")
	f.IntVar(&o.Number, "number", 0, "repeat at most `N` queries; 0: as many as --share gives")
	f.Int64Var(&o.Seed, "seed", 1, "the seed of the sample")
	f.DurationVar(&timeout, "timeout", timeout, "stop after `DUR`; 0: no limit")
	f.StringVar(&o.Solver, "solver", "", "the solver: cadical, z3 or smtlib:COMMAND")
	return cmd
}

func cacheVerify(interrupted context.Context, std cli.Streams, o pipeline.RecheckOptions, timeout time.Duration) error {
	if o.Share <= 0 || o.Share > 1 {
		return errors.New("--share: more than 0, at most 1")
	}
	if o.Number < 0 {
		return errors.New("--number: not less than 0")
	}
	dir, err := pipeline.CacheDir()
	if err != nil {
		return err
	}
	o.Dir = dir
	ctx := interrupted
	if timeout > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, timeout)
		defer stop()
	}
	sum, err := pipeline.RecheckCache(ctx, o, func(r ask.Recheck) {
		fmt.Fprintf(std.Out, "%x: %s (%d terms)\n", r.Key[:8], r.Detail, r.Terms)
	})
	if interrupted.Err() != nil {
		return cli.ExitCode(cli.ExitInterrupted)
	}
	late := ctx.Err() != nil
	if err != nil && !late {
		return err
	}
	text := fmt.Sprintf("%d of %d queries repeated: %d wrong, %d not decided", sum.Asked, sum.Kept, sum.Wrong,
		sum.Undecided)
	if sum.Foreign > 0 {
		text += fmt.Sprintf("; %d entries are of other versions", sum.Foreign)
	}
	if late {
		text += "; the time ended"
	}
	if _, err := fmt.Fprintln(std.Out, text); err != nil {
		return err
	}
	switch {
	case sum.Wrong > 0:
		fmt.Fprintln(std.Err, `unitproof: "unitproof cache clean" removes the cache; please report the wrong answer`)
		return cli.ExitCode(diagnostics.ExitFailed)
	case sum.Undecided > 0 || late:
		return cli.ExitCode(diagnostics.ExitUndecided)
	}
	return nil
}
