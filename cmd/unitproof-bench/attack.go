package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// attackCommand searches for proofs that native execution refutes. Several proofs run at once. A violation counts
// even if the interpreter does not confirm it: the processor shares no defect with the engine.
func attackCommand(std cli.Streams) *cobra.Command {
	var flags selected
	seconds := 10.0
	jobs := 2
	cmd := &cobra.Command{
		Use:   "attack [flags] [FILE.c | DIR]...",
		Short: "Run proofs natively with random inputs under sanitizers",
		Long: `attack runs proofs natively with random inputs, under sanitizers. A violation of a proof that is proved is a
defect of the engine. Ways of branches that no execution is said to take are errors in the programs that it runs.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return attack(cmd.Context(), std, &flags, args, time.Duration(seconds*float64(time.Second)), jobs)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Float64Var(&seconds, "seconds", seconds, "how long to run each proof")
	f.IntVarP(&jobs, "jobs", "j", jobs, "how many to run at once")
	flags.add(f)
	return cmd
}

// attack runs the proofs; the exit status is 1 if one of them is violated.
func attack(ctx context.Context, std cli.Streams, flags *selected, args []string, d time.Duration, jobs int) error {
	l, err := cli.List(flags.project, &flags.engine, args)
	if err != nil {
		return err
	}
	probed, dead := probeDead(ctx, l, flags)
	checker := pipeline.NewChecker(pipeline.Settings{Root: l.Root, Solver: flags.engine.Solver})
	defer checker.Close()
	var mu sync.Mutex
	var wg sync.WaitGroup
	violated, failed, idle, runs := 0, 0, 0, 0
	slots := make(chan struct{}, max(jobs, 1))
	for i, p := range l.Proofs {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			define := func(names []string) map[string][]project.Unit { return l.Workspace.Definitions(&p, names) }
			proof, res, err := checker.Explore(ctx, p, define, pipeline.ExploreOptions{Duration: d, First: true,
				Virtual: probed[i]})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				failed++
				fmt.Fprintf(std.Out, "error      %s: %v\n", p.Name, err)
			case proof != nil && proof.Verdict == found.Error:
				failed++
				fmt.Fprintf(std.Out, "error      %s: %s\n", p.Name, proof.Reason)
			case res.Impossible != "":
				idle++
				fmt.Fprintf(std.Out, "impossible %s: %s\n", p.Name, res.Impossible)
			case len(proof.Obligations) == 0 && len(res.Unconfirmed) == 0 && res.Runs == 0:
				idle++
				fmt.Fprintf(std.Out, "not run    %s: the time ended before the first run\n", p.Name)
			case len(proof.Obligations) > 0:
				violated++
				o := &proof.Obligations[0]
				fmt.Fprintf(std.Out, "violated   %s: %s:%d: %s\n", p.Name, o.File, o.Line, o.Message)
			case len(res.Unconfirmed) > 0:
				violated++
				fmt.Fprintf(std.Out, "violated   %s: %s\n", p.Name, res.Unconfirmed[0])
			default:
				runs += res.Runs
				fmt.Fprintf(std.Out, "held       %s: %d runs, %d ended by an assumption\n", p.Name, res.Runs, res.Rejected)
			}
		}()
	}
	wg.Wait()
	fmt.Fprintf(std.Out, "%d proofs with %d dead ways, %d violated, %d errors, %d not run, %d runs\n",
		len(l.Proofs), dead, violated, failed, idle, runs)
	switch {
	case ctx.Err() != nil:
		return cli.ExitCode(cli.ExitInterrupted)
	case failed > 0 || len(l.Errors) > 0:
		return cli.ExitCode(diagnostics.ExitError)
	case violated > 0:
		return cli.ExitCode(1)
	}
	return nil
}

// probeDead adds error calls to the dead ways of branches, in the files of each proved proof.
func probeDead(ctx context.Context, l *cli.Listed, flags *selected) (probed []map[string][]byte, dead int) {
	batch := l.Batch(&flags.engine)
	batch.Proofs = slices.Clone(l.Proofs)
	for i := range batch.Proofs {
		batch.Proofs[i].Options.Explain = true
	}
	sources := pipeline.ReadSources(l.Root)
	for _, r := range pipeline.Run(ctx, batch, pipeline.PoolOptions{OneRun: true}, func(pipeline.Event) {}) {
		texts := map[string][]byte{}
		files := map[string]bool{}
		for i := range r.Proof.Branches {
			files[r.Proof.Branches[i].File] = true
		}
		if r.Proof.Verdict != found.Proved {
			files = nil
		}
		for file := range files {
			if text, n := diagnostics.ProbeDead(sources, file, r.Proof.Branches); n > 0 {
				texts[l.Root.Find(file)] = text
				dead += n
			}
		}
		probed = append(probed, texts)
	}
	return probed, dead
}
