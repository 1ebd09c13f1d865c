package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// runFlags are the flags of run.
type runFlags struct {
	project project.Flags
	engine  cli.Engine
	seconds float64
	seed    uint64
	first   bool
	noCache bool
	json    string
	verbose bool
}

func runCommand(std cli.Streams) *cobra.Command {
	flags := runFlags{seconds: 10, seed: 1}
	cmd := &cobra.Command{
		Use:   "run [flags] FILE.c...",
		Short: "Execute unit proofs natively with random inputs",
		Long: `run builds each unit proof natively, with the address and undefined-behaviour sanitizers, and
executes it with random and boundary inputs for some seconds. A violation is reported as check
would report it. Nothing is proved by a run that meets none.

Exit status: 0 no violation; 1 a violation; 2 a proof could not be run; 3 a proof has an
error, no proof was found, or the command line is wrong.`,
		Args: someFiles, ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProofs(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Float64Var(&flags.seconds, "seconds", flags.seconds, "how long to run each proof, `N` seconds")
	f.Uint64Var(&flags.seed, "seed", flags.seed,
		"the number `N` of the first run: runs with the same number begin with the same choices")
	f.BoolVar(&flags.first, "first", false, "end with the first violation of a proof")
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	f.BoolVar(&flags.noCache, "no-cache", false, "ignore cached results, and cache nothing")
	f.StringVar(&flags.json, "json", "", "write the violations as JSON to `FILE`, as check does; - is standard output")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print whole traces, and violations that could not be confirmed")
	return cmd
}

func runProofs(ctx context.Context, std cli.Streams, flags *runFlags, args []string) error {
	defer flags.engine.OpenCache(flags.noCache)()
	people := std.Beside(flags.json)
	if err := cli.CheckOutputs(flags.json); err != nil {
		return err
	}
	if !(flags.seconds > 0) {
		return fmt.Errorf("--seconds %v: must be above 0", flags.seconds)
	}
	l, err := cli.List(flags.project, &flags.engine, args)
	if err != nil {
		return err
	}
	if err := l.KeepsInputs(flags.json); err != nil {
		return err
	}
	text := diagnostics.NewTextWriter(people, diagnostics.TextOptions{Sources: pipeline.ReadSources(l.Root),
		Color: cli.WantsColor(people), Verbose: flags.verbose, Remedies: remediesIn(l.Workspace)})
	for i := range l.Errors {
		text.Proof(&l.Errors[i])
	}
	if len(l.Proofs) == 0 && len(l.Errors) == 0 && len(l.Workspace.Names()) == 0 {
		return errors.New(l.NothingFound(args, &flags.project))
	}
	checker := pipeline.NewChecker(l.Batch(&flags.engine).Settings)
	defer checker.Close()
	proofs := l.Errors
	failed, idle, broken := 0, 0, len(l.Errors)
	for _, p := range l.Proofs {
		define := func(names []string) map[string][]project.Unit { return l.Workspace.Definitions(&p, names) }
		start := time.Now()
		proof, native, err := checker.Explore(ctx, p, define, pipeline.ExploreOptions{
			Duration: time.Duration(flags.seconds * float64(time.Second)), Seed: flags.seed, First: flags.first})
		switch {
		case err != nil:
			broken++
			fmt.Fprintf(people, "%s: error: %v\n", p.Name, err)
			continue
		case native.Impossible != "":
			idle++
			fmt.Fprintf(people, "not run  %s: %s\n", p.Name, native.Impossible)
			continue
		case proof.Verdict == found.Error:
			broken++
			text.Proof(proof)
		case len(proof.Obligations) > 0:
			failed++
			proof.Stats.TotalMS = time.Since(start).Milliseconds()
			text.Proof(proof)
		case native.Runs == 0:
			idle++
			fmt.Fprintf(people, "not run  %s: no run was made in %v s\n", p.Name, flags.seconds)
			continue
		default:
			fmt.Fprintf(people, "held     %s\n", p.Name)
		}
		proofs = append(proofs, *proof)
		if proof.Verdict != found.Error {
			fmt.Fprintf(people, "         %s: %d runs, %d of them ended by an assumption\n", p.Name, native.Runs,
				native.Rejected)
			if open := native.Sandbox.Words(); open != "" {
				fmt.Fprintf(people, "         %s: %s\n", p.Name, open)
			}
			if native.Runs > 0 && native.Runs == native.Rejected {
				fmt.Fprintf(people, "         %s: no run came to an end of the proof\n", p.Name)
			}
		}
		for _, u := range native.Unconfirmed {
			if flags.verbose {
				fmt.Fprintf(people, "         not confirmed: %s\n", u)
			}
		}
		if ctx.Err() != nil {
			break
		}
	}
	if flags.json != "" {
		doc := diagnostics.NewDocument(cli.ToolName(), pipeline.DescribeToolchain(context.WithoutCancel(ctx),
			l.Workspace.Config.Clang, flags.engine.Solver), proofs)
		if err := cli.WriteOutput(std, flags.json, func(w io.Writer) error {
			return diagnostics.WriteJSON(w,
				doc)
		}); err != nil {
			return err
		}
	}
	switch {
	case ctx.Err() != nil:
		return cli.ExitCode(cli.ExitInterrupted)
	case broken > 0:
		return cli.ExitCode(diagnostics.ExitError)
	case failed > 0:
		return cli.ExitCode(1)
	case idle > 0:
		return cli.ExitCode(2)
	}
	return nil
}
