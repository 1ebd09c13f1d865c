package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
)

// stagesFlags are the flags of stages.
type stagesFlags struct {
	measured
	compare          string
	program, against string
	profile          string
}

func stagesCommand(std cli.Streams) *cobra.Command {
	var flags stagesFlags
	cmd := &cobra.Command{
		Use:   "stages [--runs N] [--json FILE] [--compare FILE] [FILE.c | DIR]...",
		Short: "Time the stages of proofs, with nothing kept from earlier runs and with everything",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStages(cmd, std, &flags, args)
		},
	}
	f := cmd.Flags()
	flags.add(f)
	f.StringVar(&flags.compare, "compare", "", "compare with the `FILE` of an earlier call")
	f.StringVar(&flags.against, "against", "", "compare with another unitproof-bench `PROGRAM`: run the two alternately")
	f.StringVar(&flags.program, "program", "",
		"with --against: the unitproof-bench `PROGRAM` to measure instead of this one")
	f.StringVar(&flags.profile, "profile", "", "check in this process and write cpu.pprof and allocs.pprof to `DIR`")
	return cmd
}

func runStages(cmd *cobra.Command, std cli.Streams, flags *stagesFlags, args []string) error {
	if err := flags.contradiction(); err != nil {
		return err
	}
	if flags.program != "" && flags.against == "" {
		return errors.New("--program: say with --against what to compare it with")
	}
	if flags.against != "" {
		return compareBuilds(cmd, std, flags, args)
	}
	var before *stagesDocument
	if flags.compare != "" {
		var err error
		if before, err = readStages(flags.compare); err != nil {
			return err
		}
	}
	l, err := cli.Some(flags.project, &flags.engine, args)
	if err != nil {
		return err
	}
	doc, err := measureStages(cmd.Context(), l, flags)
	if err != nil {
		return err
	}
	return flags.show(std, doc, before)
}

// show prints a document, and writes it to the requested file.
func (flags *stagesFlags) show(std cli.Streams, doc, before *stagesDocument) error {
	out := flags.people(std)
	printStages(out, doc)
	if before != nil {
		printComparison(out, doc, before)
	}
	if out.Err != nil {
		return out.Err
	}
	return flags.write(std, doc)
}

// measureStages checks the proofs one at a time, so that they do not affect each other. Each run is first cold, with
// an empty cache, and then warm, with the cache of the cold pass.
func measureStages(ctx context.Context, l *cli.Listed, flags *stagesFlags) (*stagesDocument, error) {
	dir, err := os.MkdirTemp("", "unitproof-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	flags.engine.CacheDir = dir
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1, InProcess: flags.profile != ""})
	defer pool.Close()
	batch := l.Batch(&flags.engine)
	batch.Measure = true
	// The first proof of a worker searches for the compiler, which is not part of the measurement.
	first := batch
	first.Proofs = first.Proofs[:1]
	pool.Run(ctx, first, nil)

	doc := &stagesDocument{Schema: stagesSchema, Tool: cli.ToolName(), Runs: flags.runs, CPUs: runtime.NumCPU(),
		Machine: machine(),
		Date:    time.Now().UTC().Format(time.RFC3339), Proofs: make([]stagesProof, len(l.Proofs))}
	stop, err := startProfile(flags.profile)
	if err != nil {
		return nil, err
	}
	defer stop()
	for range flags.runs {
		if err := pipeline.CleanCache(dir); err != nil {
			return nil, err
		}
		for _, warm := range []bool{false, true} {
			results := pool.Run(ctx, batch, nil)
			if ctx.Err() != nil {
				return nil, cli.ExitCode(cli.ExitInterrupted)
			}
			sum := sample{}
			for i := range results {
				s := sampleOf(&results[i])
				if err := doc.Proofs[i].take(&results[i].Proof, s, warm); err != nil {
					return nil, err
				}
				sum.add(s)
			}
			phaseOf(&doc.Cold, &doc.Warm, warm).take(sum)
		}
	}
	doc.finish()
	return doc, stop()
}

// take adds a sample of a proof.
func (p *stagesProof) take(r *diagnostics.Proof, s sample, warm bool) error {
	if p.Name == "" {
		p.Name, p.Verdict = r.Name, string(r.Verdict)
	}
	if p.Verdict != string(r.Verdict) {
		return fmt.Errorf("%s is sometimes %s and sometimes %s", p.Name, p.Verdict, r.Verdict)
	}
	p.Obligations = r.Stats.Obligations
	if warm {
		p.WarmQueries = r.Stats.SolverQueries
	} else {
		p.Queries = r.Stats.SolverQueries
	}
	phaseOf(&p.Cold, &p.Warm, warm).take(s)
	return nil
}

func phaseOf(cold, warm *phase, isWarm bool) *phase {
	if isWarm {
		return warm
	}
	return cold
}
