package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// benchFlags is what a call of bench asks for.
type benchFlags struct {
	project project.Flags
	hidden  hidden
	runs    int
	json    string
	compare string

	program, against string
	replay           bool
	profile          string
	cbmc             bool
	cbmcTimeout      time.Duration
	page             string
	scaling          string
	maxSize          int
	from             []string
}

// benchCommand is for the people who work on this program, and for those who doubt its figures. docs/benchmarks.md tells
// how it is used and what it writes.
func benchCommand(std streams) *cobra.Command {
	var flags benchFlags
	cmd := &cobra.Command{
		Use: "bench [--runs N] [--json FILE] [--compare FILE] [FILE.c | DIR]...", Hidden: true,
		Short: "Time the stages of proofs, with nothing kept from earlier runs and with everything",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runBench(cmd, std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVar(&flags.runs, "runs", 5, "how often each proof is checked, `N`")
	f.StringVar(&flags.json, "json", "", "write the numbers to `FILE`; - is standard output")
	f.StringVar(&flags.compare, "compare", "", "compare with the `FILE` of an earlier call")
	f.StringVar(&flags.against, "against", "", "compare with another unitproof `PROGRAM`: run the two alternately")
	f.StringVar(&flags.program, "program", "", "with --against: the `PROGRAM` to measure instead of this one")
	f.BoolVar(&flags.replay, "replay", false, "time native runs of counterexamples instead")
	f.BoolVar(&flags.cbmc, "cbmc", false, "check each proof with an installed cbmc as well, from start to end, and compare")
	f.DurationVar(&flags.cbmcTimeout, "cbmc-timeout", 2*time.Minute, "with --cbmc: how long one call may take")
	f.StringVar(&flags.page, "page", "", "with --cbmc: write the comparison as a page of Markdown to `FILE`")
	f.StringVar(&flags.profile, "profile", "", "check in this process and write cpu.pprof and allocs.pprof to `DIR`")
	f.StringVar(&flags.scaling, "scaling", "", "measure generated programs of growing size and write scaling.md with plots to `DIR`; --filter selects series")
	f.StringArrayVar(&flags.from, "from", nil, "with --scaling, or --cbmc and --page: take the numbers of a `FILE` that --json wrote instead of measuring (repeatable)")
	f.IntVar(&flags.maxSize, "max-size", 0, "with --scaling: leave out sizes above `N`")
	addSelection(f, &flags.project)
	addSettings(f, &flags.project)
	addHidden(f, &flags.hidden)
	return cmd
}

func runBench(cmd *cobra.Command, std streams, flags *benchFlags, args []string) error {
	ctx := cmd.Context()
	if flags.runs < 1 {
		return errors.New("--runs: at least 1")
	}
	if flags.program != "" && flags.against == "" {
		return errors.New("--program: say with --against what to compare it with")
	}
	if flags.against != "" {
		return benchAgainst(cmd, std, flags, args)
	}
	if flags.scaling != "" {
		if len(args) > 0 {
			return errors.New("--scaling measures its own programs, no files")
		}
		stop, err := startProfile(flags.profile)
		if err != nil {
			return err
		}
		return errors.Join(benchScaling(ctx, std, flags), stop())
	}
	if flags.cbmc && len(flags.from) > 0 {
		return drawCBMC(flags)
	}
	var before *benchDocument
	if flags.compare != "" {
		var err error
		if before, err = readBench(flags.compare); err != nil {
			return err
		}
	}
	l, err := someProofs(flags.project, &flags.hidden, args)
	if err != nil {
		return err
	}
	if flags.replay {
		return benchReplay(ctx, std, l, &flags.hidden)
	}
	if flags.cbmc {
		return benchCBMC(cmd, std, flags, l)
	}
	doc, err := measureBench(ctx, l, flags)
	if err != nil {
		return err
	}
	return showBench(std, flags, doc, before)
}

// showBench prints a document and writes it where it was asked for.
func showBench(std streams, flags *benchFlags, doc, before *benchDocument) error {
	out := &sticky{w: std.out}
	if flags.json == "-" {
		out.w = std.err
	}
	printBench(out, doc)
	if before != nil {
		printComparison(out, doc, before)
	}
	if out.err != nil {
		return out.err
	}
	if flags.json == "" {
		return nil
	}
	return writeOutput(std, flags.json, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", " ")
		return enc.Encode(doc)
	})
}

// measureBench checks the proofs one at a time, or they would measure each other: in each run first cold, with an empty cache,
// then warm, with what the cold pass left.
func measureBench(ctx context.Context, l *listed, flags *benchFlags) (*benchDocument, error) {
	dir, err := os.MkdirTemp("", "unitproof-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	flags.hidden.cacheDir = dir
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1, InProcess: flags.profile != ""})
	defer pool.Close()
	batch := l.batch(&flags.hidden)
	batch.Measure = true
	// The first proof of a worker looks for the compiler; nobody waits for that twice.
	first := batch
	first.Proofs = first.Proofs[:1]
	pool.Run(ctx, first, nil)

	doc := &benchDocument{Schema: benchSchema, Tool: toolName(), Runs: flags.runs, CPUs: runtime.NumCPU(), Machine: machine(),
		Date: time.Now().UTC().Format(time.RFC3339), Proofs: make([]benchProof, len(l.proofs))}
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
				return nil, exitCode(exitInterrupted)
			}
			sum := benchSample{}
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
func (p *benchProof) take(r *diagnostics.Proof, s benchSample, warm bool) error {
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

func phaseOf(cold, warm *benchPhase, isWarm bool) *benchPhase {
	if isWarm {
		return warm
	}
	return cold
}

// machine says on what was measured: the processor's name, where the system tells.
func machine() string {
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
