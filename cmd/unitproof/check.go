package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/cache"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// checkFlags are the flags of check.
type checkFlags struct {
	project project.Flags
	engine  cli.Engine
	jobs    int
	noCache bool
	accept  []found.Verdict

	json, sarif, junit, coverage string
	results                      string
	baseline                     string
	writeBaseline                bool
	html                         string // an output folder; only for report
	strength                     bool   // only for report
	stats, quiet, verbose        bool
	explainCost                  bool
	replay                       bool
	stopOnFailure                bool
	explain                      bool
	trace                        string

	grow     growth // zero: one size, without changes
	growPlot string
}

func checkCommand(std cli.Streams) *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check [flags] [FILE.c | DIR]...",
		Short: "Verify unit proofs",
		Long: `check verifies the unit proofs of files and folders; without arguments, all proofs of
the workspace.

Exit status: 0 all proved, or as expected; 1 a proof failed, is vacuous or is not as
expected; 2 none of these, but some proof is unknown or bounded; 3 a proof has an error,
no proof was found, or the command line is wrong; 130 interrupted.`,
		ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return check(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	cli.AddRemote(f, &flags.engine)
	cli.AddCluster(f, &flags.engine)
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "how many proofs are checked at the same time, `N`; 0: one per CPU")
	cli.AddParsed(f, "accept", "bounded,unknown", "verdicts that do not fail the run", func(s string) error {
		list, err := parseAccept(s)
		flags.accept = append(flags.accept, list...)
		return err
	})
	cli.Offer(f, "accept", string(found.Bounded), string(found.Unknown), "bounded,unknown")
	f.BoolVar(&flags.noCache, "no-cache", false, "ignore cached results, and cache nothing")
	f.BoolVar(&flags.engine.CacheReadOnly, "cache-read-only", false,
		"use cached results, but cache nothing")
	f.StringVar(&flags.json, "json", "", "write the results as JSON to `FILE`; - is standard output")
	f.StringVar(&flags.results, "results", "",
		"write the results to `FILE` with what they rest on, for \"unitproof import results\" and for editors")
	f.StringVar(&flags.baseline, "baseline", "",
		"compare the proofs with those of `FILE`, and fail if one got worse: a worse verdict,\n"+
			"fewer obligations, more assumptions; a FILE that does not exist is written")
	f.BoolVar(&flags.writeBaseline, "write-baseline", false, "write the --baseline file without comparing")
	f.StringVar(&flags.sarif, "sarif", "", "write the results as SARIF to `FILE`")
	f.StringVar(&flags.junit, "junit", "", "write the results as JUnit XML to `FILE`")
	f.StringVar(&flags.coverage, "coverage", "", "write the lines that some execution reaches to `FILE` (lcov)")
	f.BoolVar(&flags.replay, "replay", false,
		"run each counterexample natively, under sanitizers, and report whether it reproduces")
	f.BoolVar(&flags.stopOnFailure, "stop-on-failure", false,
		"stop at the first proof that fails; unfinished proofs are unknown")
	f.BoolVar(&flags.explain, "explain", false,
		"report the assumptions that each proof needs, the inputs of its assertions, and branches that no\nexecution takes; "+
			"takes about as long as the check itself")
	f.BoolVar(&flags.stats, "stats", false, "print the time, memory and queries of each proof")
	f.BoolVar(&flags.explainCost, "explain-cost", false,
		"print the findings, loops and functions that took most of the time, with advice")
	cli.AddParsed(f, "grow", "N=A..B",
		"find the largest size up to B, given as the macro N, that is decided in the time;\n"+
			"tell what each size takes", func(s string) (err error) {
			flags.grow, err = parseGrowth(s)
			return err
		})
	f.StringVar(&flags.growPlot, "grow-plot", "", "draw the time by size to `FILE` (SVG)")
	f.StringVar(&flags.trace, "trace", "",
		"steps of a counterexample: `slice`, those that the violation depends on, or full, all of them\n(default slice; "+
			"with -v full)")
	cli.Offer(f, "trace", "slice", "full")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print only failures")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print every finding, and all steps of counterexamples")
	return cmd
}

// standardOutputs returns the number of outputs that go to standard output instead of the text.
func (flags *checkFlags) standardOutputs() int {
	n := 0
	for _, name := range []string{flags.json, flags.results, flags.sarif, flags.junit, flags.coverage} {
		if name == "-" {
			n++
		}
	}
	return n
}

// contradiction returns an error for flags that exclude each other.
func (flags *checkFlags) contradiction() error {
	if flags.standardOutputs() > 1 {
		return errors.New("only one of --json, --results, --sarif, --junit and --coverage can go to standard output")
	}
	if flags.quiet && flags.verbose {
		return errors.New("-q and -v cannot be combined")
	}
	if flags.growPlot != "" && flags.grow == (growth{}) {
		return errors.New("--grow-plot needs --grow")
	}
	if flags.writeBaseline && flags.baseline == "" {
		return errors.New("--write-baseline needs --baseline FILE")
	}
	switch flags.trace {
	case "", "slice", "full":
	default:
		return fmt.Errorf("--trace %s: must be slice or full", flags.trace)
	}
	if flags.jobs < 0 {
		return fmt.Errorf("-j %d: must be 0 or more", flags.jobs)
	}
	return cli.CheckOutputs(flags.json, flags.results, flags.sarif, flags.junit, flags.coverage, flags.baseline)
}

// checkRun is one call of check.
type checkRun struct {
	std    cli.Streams
	flags  *checkFlags
	args   []string
	start  time.Time
	listed *cli.Listed
	people *cli.Sticky // output for the text
	notes  []string    // deviations from the request that change no verdict
}

func check(ctx context.Context, std cli.Streams, flags *checkFlags, args []string) error {
	start := time.Now()
	if err := flags.contradiction(); err != nil {
		return err
	}
	if flags.grow != (growth{}) {
		return grow(ctx, std, flags, args)
	}
	people := std.Out
	if flags.standardOutputs() > 0 {
		people = std.Err
	}
	defer flags.engine.OpenCache(flags.noCache)()
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: flags.jobs, OneRun: true})
	if flags.engine.CacheDir == "" {
		pool.Warm() // otherwise it may turn out that there is no work
	}
	defer pool.Close()

	l, err := cli.List(flags.project, &flags.engine, args)
	if err != nil {
		return err
	}
	if err := l.KeepsInputs(flags.json, flags.results, flags.sarif, flags.junit, flags.coverage); err != nil {
		return err
	}
	for i := range l.Proofs {
		o := &l.Proofs[i].Options
		o.Coverage = o.Coverage || flags.coverage != "" || flags.html != ""
		o.Explain = flags.explain
		o.FullTrace = flags.trace == "full" || flags.trace == "" && flags.verbose
	}
	if l.Far, err = cli.FarOf(l.Workspace, flags.engine.Far); err != nil {
		return err
	}
	batch := l.Batch(&flags.engine)
	batch.Replay = flags.replay
	if flags.results != "" {
		batch.Rests = pipeline.NewRests(l.Root, flags.engine.Solver)
	}
	run := &checkRun{std: std, flags: flags, args: args, start: start, listed: l, people: &cli.Sticky{W: people}}
	results := run.results(ctx, pool, batch)
	if l.Far.Note != "" {
		run.notes = append(run.notes, l.Far.Note)
	}
	if dir := flags.engine.CacheDir; dir != "" {
		if err := cache.Refusal(dir); err != nil {
			run.notes = append(run.notes, err.Error())
		}
	}
	for _, why := range pool.RemoteFailures() {
		run.notes = append(run.notes, "the shared cache was not always used: "+why)
	}
	run.notes = append(run.notes, pool.ClusterNotes()...)
	return run.finish(ctx, results)
}

// results checks the proofs, and writes each result as soon as all before it are written.
func (run *checkRun) results(ctx context.Context, pool *pipeline.Pool, batch pipeline.Batch) []pipeline.Result {
	l, flags, out := run.listed, run.flags, run.people
	text := diagnostics.NewTextWriter(out, diagnostics.TextOptions{
		Sources: pipeline.ReadSources(l.Root), Color: cli.WantsColor(out.W), Quiet: flags.quiet, Verbose: flags.verbose,
		Stats: flags.stats, ExplainCost: flags.explainCost, Width: cli.TerminalWidth(out.W),
		Remedies: remediesIn(l.Workspace),
	})
	for i := range l.Errors {
		text.Proof(&l.Errors[i])
	}
	show := newProgress(run.std.Err, len(l.Proofs), cli.IsTerminal(run.std.Err))
	next, interrupted := 0, 0 // the first proof that is not written yet; number of interrupted ones
	done := make([]*pipeline.Result, len(l.Proofs))
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	stopped := false
	results := pool.Run(ctx, batch, func(e pipeline.Event) {
		switch {
		case e.Found != nil:
			show.found(l.Proofs[e.Index].Name, e.Found)
			return
		case e.Result == nil:
			show.started(l.Proofs[e.Index].Name)
			return
		}
		done[e.Index] = e.Result
		if flags.stopOnFailure && diagnostics.ExitStatus([]diagnostics.Proof{e.Result.Proof}, flags.accept) ==
			diagnostics.ExitFailed {
			stopped = true
			stop()
		}
		show.hide()
		for ; next < len(done) && done[next] != nil; next++ {
			if p := &done[next].Proof; !flags.verbose && pipeline.Interrupted(p) {
				interrupted++
			} else {
				text.Proof(p)
			}
		}
		show.finished()
	})
	show.close()
	why := "interrupted"
	if stopped {
		why = "stopped at a failure"
	}
	switch {
	case interrupted == 1:
		fmt.Fprintln(out, why+" before 1 proof was done (-v names it)")
	case interrupted > 1:
		fmt.Fprintf(out, "%s before %d proofs were done (-v names them)\n", why, interrupted)
	}

	return results
}

// finish writes the end of a run's output, and returns its exit status as an error.
func (run *checkRun) finish(ctx context.Context, results []pipeline.Result) error {
	std, flags, l, people := run.std, run.flags, run.listed, run.people
	proofs := append([]diagnostics.Proof(nil), l.Errors...)
	for _, r := range results {
		proofs = append(proofs, r.Proof)
	}
	status := diagnostics.ExitStatus(proofs, flags.accept)
	text := diagnostics.NewTextWriter(people, diagnostics.TextOptions{
		Color: cli.WantsColor(people.W), Quiet: flags.quiet, Verbose: flags.verbose,
		ElapsedMS: max(time.Since(run.start).Milliseconds(), 1),
	})
	if ctx.Err() == nil {
		run.unusedAccepts(std.Err, results)
	}
	switch {
	case len(proofs) > 0:
		text.Machines(proofs)
		text.Total(proofs)
	case len(l.Workspace.Names()) > 0:
		status = diagnostics.ExitProved
		fmt.Fprintf(people, "shard %s has no proofs: the others have %d\n", flags.project.Shard, len(l.Workspace.Names()))
	default:
		fmt.Fprintln(std.Err, "unitproof: "+l.NothingFound(run.args, &flags.project))
	}
	if ctx.Err() == nil {
		run.compareHistory(results)
	}
	if flags.baseline != "" && ctx.Err() == nil && len(proofs) > 0 {
		switch worse, err := run.compareBaseline(proofs); {
		case err != nil:
			return err
		case worse && (status == diagnostics.ExitProved || status == diagnostics.ExitUndecided):
			status = diagnostics.ExitFailed
		}
	}
	for _, note := range run.notes {
		fmt.Fprintln(std.Err, "unitproof: "+note)
	}
	var failed []error
	if people.Err != nil {
		failed = append(failed, fmt.Errorf("write the results: %w", people.Err))
	}
	write := func(name string, f func(io.Writer) error) {
		if name != "" {
			if err := cli.WriteOutput(std, name, f); err != nil {
				failed = append(failed, err)
			}
		}
	}
	if flags.json+flags.results+flags.sarif+flags.junit+flags.html != "" {
		doc := diagnostics.NewDocument(cli.ToolName(), pipeline.DescribeToolchain(context.WithoutCancel(ctx),
			l.Workspace.Config.Clang, flags.engine.Solver), proofs)
		doc.Shard, doc.Notes = l.Shard(flags.project.Shard), run.notes
		sources := pipeline.ReadSources(l.Root)
		write(flags.json, func(w io.Writer) error { return diagnostics.WriteJSON(w, doc) })
		write(flags.results, func(w io.Writer) error { return diagnostics.WriteJSON(w, doc.ForOthers()) })
		write(flags.sarif, func(w io.Writer) error { return diagnostics.WriteSARIF(w, doc, sources) })
		write(flags.junit, func(w io.Writer) error { return diagnostics.WriteJUnit(w, doc, sources, flags.accept) })
		if flags.html != "" {
			if err := run.writePage(ctx, doc, results); err != nil {
				failed = append(failed, err)
			}
		}
	}
	write(flags.coverage, func(w io.Writer) error {
		var reports []*vcgen.Report
		var branches []diagnostics.Branch
		for _, r := range results {
			branches = append(branches, r.Proof.Branches...)
			reports = append(reports, &vcgen.Report{Covered: r.Covered})
		}
		return diagnostics.WriteLCOV(w, l.Root, branches, reports...)
	})
	for _, err := range failed {
		fmt.Fprintf(std.Err, "unitproof: %v\n", err)
	}
	switch {
	case ctx.Err() != nil:
		return cli.ExitCode(cli.ExitInterrupted)
	case len(failed) > 0:
		return cli.ExitCode(diagnostics.ExitError)
	case status != diagnostics.ExitProved:
		return cli.ExitCode(status)
	}
	return nil
}

// parseAccept parses the value of --accept.
func parseAccept(s string) ([]found.Verdict, error) {
	var list []found.Verdict
	for _, word := range strings.Split(s, ",") {
		switch v := found.Verdict(strings.TrimSpace(word)); v {
		case found.Bounded, found.Unknown:
			list = append(list, v)
		default:
			return nil, fmt.Errorf("%q: only bounded and unknown can be accepted for a whole run", word)
		}
	}
	return list, nil
}
