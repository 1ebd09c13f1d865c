package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen"
)

// checkFlags is what a call of check asks for.
type checkFlags struct {
	project project.Flags
	hidden  hidden
	jobs    int
	noCache bool
	accept  []vcgen.Verdict

	json, sarif, junit, coverage string
	stats, quiet, verbose        bool
	replay                       bool
	trace                        string
}

func checkCommand(std streams) *cobra.Command {
	var flags checkFlags
	cmd := &cobra.Command{
		Use:   "check [flags] [FILE.c | DIR]...",
		Short: "Verify unit proofs",
		Long: `check verifies the unit proofs of files and folders; without arguments, all proofs of
the workspace.

Exit status: 0 all proved, or as expected; 1 a proof failed, is vacuous or is not as
expected; 2 none of these, but some proof is unknown or bounded; 3 a proof has an error,
no proof was found, or the call is wrong; 130 interrupted.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return check(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	addSelection(f, &flags.project)
	addSettings(f, &flags.project)
	addHidden(f, &flags.hidden)
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "how many proofs are checked at the same time, `N`; 0: one per CPU")
	addParsed(f, "accept", "bounded,unknown", "verdicts that do not fail the run", func(s string) error {
		list, err := parseAccept(s)
		flags.accept = append(flags.accept, list...)
		return err
	})
	f.BoolVar(&flags.noCache, "no-cache", false, "answer nothing from earlier runs, and keep nothing for later ones")
	f.BoolVar(&flags.hidden.cacheReadOnly, "cache-read-only", false, "use what earlier runs kept, and keep nothing for later ones")
	f.StringVar(&flags.json, "json", "", "write the results as JSON to `FILE`; - is standard output")
	f.StringVar(&flags.sarif, "sarif", "", "write the results as SARIF to `FILE`")
	f.StringVar(&flags.junit, "junit", "", "write the results as JUnit XML to `FILE`")
	f.StringVar(&flags.coverage, "coverage", "", "write the lines that some execution reaches to `FILE` (lcov)")
	f.BoolVar(&flags.replay, "replay", false, "run each counterexample natively, under sanitizers, and tell whether it reproduces")
	f.BoolVar(&flags.stats, "stats", false, "tell what each proof cost")
	f.StringVar(&flags.trace, "trace", "", "steps of a counterexample: `slice`, those that the violation depends on, or full, all of them\n(default slice; with -v full)")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "tell only what fails")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "tell every finding, and all steps of counterexamples")
	return cmd
}

// listed is what a call is about.
type listed struct {
	workspace *project.Workspace
	root      string
	proofs    []project.Proof
	// errors stand for what should have been a proof: files that are missing, configurations
	// that make no sense. They are results like others, so that no reader of any format can
	// miss them.
	errors []diagnostics.Proof
}

// listProofs opens the workspace of the working directory.
func listProofs(flags project.Flags, h *hidden, args []string) (*listed, error) {
	w, err := project.Open(".", flags)
	if w == nil {
		return nil, err
	}
	l := &listed{workspace: w, root: w.Root}
	if err != nil {
		l.errors = problemProofs(w.Root, err)
		return l, nil
	}
	proofs, problems := w.Proofs(args)
	for i := range proofs {
		h.apply(&proofs[i])
	}
	l.proofs = proofs
	if len(problems) > 0 {
		l.errors = problemProofs(w.Root, project.Problems(problems))
	}
	return l, nil
}

// problemProofs makes results of problems, one for each file.
func problemProofs(root string, err error) []diagnostics.Proof {
	var problems project.Problems
	if !errors.As(err, &problems) {
		return []diagnostics.Proof{diagnostics.ErrorProof(diagnostics.ProofMeta{Name: "unitproof", Root: root}, "", diagnostics.Error{Message: err.Error()})}
	}
	var order []string
	byFile := map[string][]diagnostics.Error{}
	for _, p := range problems {
		if byFile[p.File] == nil {
			order = append(order, p.File)
		}
		message := p.Message
		if p.Key != "" {
			message = p.Key + ": " + message
		}
		byFile[p.File] = append(byFile[p.File], diagnostics.Error{Message: message, File: p.File, Line: p.Line, Column: p.Column})
	}
	var out []diagnostics.Proof
	for _, file := range order {
		name := file
		if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
			name = rel
		}
		if name == "" {
			name = "unitproof"
		}
		out = append(out, diagnostics.ErrorProof(diagnostics.ProofMeta{Name: name, File: file, Root: root}, "", byFile[file]...))
	}
	return out
}

func check(ctx context.Context, std streams, flags *checkFlags, args []string) error {
	start := time.Now()
	outputs := 0
	for _, name := range []string{flags.json, flags.sarif, flags.junit, flags.coverage} {
		if name == "-" {
			outputs++
		}
	}
	if outputs > 1 {
		return errors.New("only one of --json, --sarif, --junit and --coverage can go to standard output")
	}
	if flags.quiet && flags.verbose {
		return errors.New("-q and -v exclude each other")
	}
	switch flags.trace {
	case "", "slice", "full":
	default:
		return fmt.Errorf("--trace %s: slice or full is wanted", flags.trace)
	}
	if flags.jobs < 0 {
		return fmt.Errorf("-j %d: a number from 0 on is wanted", flags.jobs)
	}
	if err := checkOutputs(flags.json, flags.sarif, flags.junit, flags.coverage); err != nil {
		return err
	}
	people := std.out
	if outputs > 0 {
		people = std.err
	}
	defer flags.hidden.openCache(flags.noCache)()
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: flags.jobs})
	if flags.hidden.cacheDir == "" {
		pool.Warm() // else it may be that nobody has anything to do
	}
	defer pool.Close()

	l, err := listProofs(flags.project, &flags.hidden, args)
	if err != nil {
		return err
	}
	for i := range l.proofs {
		o := &l.proofs[i].Options
		o.Coverage = o.Coverage || flags.coverage != ""
		o.FullTrace = flags.trace == "full" || flags.trace == "" && flags.verbose
	}
	batch := l.batch(&flags.hidden)
	batch.Replay = flags.replay
	out := &sticky{w: people}
	text := diagnostics.NewTextWriter(out, diagnostics.TextOptions{
		Sources: pipeline.ReadSources(l.root), Color: wantsColor(people), Quiet: flags.quiet, Verbose: flags.verbose,
		Stats: flags.stats, Width: terminalWidth(people), Remedies: l.remedies,
	})
	for i := range l.errors {
		text.Proof(&l.errors[i])
	}
	show := newProgress(std.err, len(l.proofs))
	next, interrupted := 0, 0 // the first proof that was not shown; how many are not to be, each for the same reason
	done := make([]*pipeline.Result, len(l.proofs))
	results := pool.Run(ctx, batch, func(e pipeline.Event) {
		if e.Result == nil {
			show.started(l.proofs[e.Index].Name)
			return
		}
		done[e.Index] = e.Result
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
	switch {
	case interrupted == 1:
		fmt.Fprintln(out, "interrupted before 1 proof was done (-v names it)")
	case interrupted > 1:
		fmt.Fprintf(out, "interrupted before %d proofs were done (-v names them)\n", interrupted)
	}

	proofs := append([]diagnostics.Proof(nil), l.errors...)
	for _, r := range results {
		proofs = append(proofs, r.Proof)
	}
	return finish(ctx, std, flags, args, l, out, proofs, results, start)
}

// batch is what is to be run.
func (l *listed) batch(h *hidden) pipeline.Batch {
	return pipeline.Batch{
		Settings: pipeline.Settings{Root: l.root, Solver: h.solver, CacheDir: h.cacheDir, CacheReadOnly: h.cacheReadOnly},
		Proofs:   l.proofs,
		Define:   l.workspace.Definitions,
	}
}

// finish writes what stands at the end of a run and works out its exit status.
func finish(ctx context.Context, std streams, flags *checkFlags, args []string, l *listed, people *sticky, proofs []diagnostics.Proof,
	results []pipeline.Result, start time.Time) error {
	status := diagnostics.ExitStatus(proofs, flags.accept)
	text := diagnostics.NewTextWriter(people, diagnostics.TextOptions{
		Color: wantsColor(people.w), Quiet: flags.quiet, Verbose: flags.verbose, ElapsedMS: max(time.Since(start).Milliseconds(), 1),
	})
	if len(proofs) > 0 {
		text.Total(proofs)
	} else {
		fmt.Fprintln(std.err, "unitproof: "+noProofs(l, args, &flags.project))
	}
	var failed []error
	if people.err != nil {
		failed = append(failed, fmt.Errorf("write the results: %w", people.err))
	}
	write := func(name string, f func(io.Writer) error) {
		if name != "" {
			if err := writeOutput(std, name, f); err != nil {
				failed = append(failed, err)
			}
		}
	}
	if flags.json+flags.sarif+flags.junit != "" {
		doc := diagnostics.NewDocument(toolName(), pipeline.DescribeToolchain(context.WithoutCancel(ctx), l.workspace.Config.Clang, flags.hidden.solver), proofs)
		sources := pipeline.ReadSources(l.root)
		write(flags.json, func(w io.Writer) error { return diagnostics.WriteJSON(w, doc) })
		write(flags.sarif, func(w io.Writer) error { return diagnostics.WriteSARIF(w, doc, sources) })
		write(flags.junit, func(w io.Writer) error { return diagnostics.WriteJUnit(w, doc, sources, flags.accept) })
	}
	write(flags.coverage, func(w io.Writer) error {
		var reports []*vcgen.Report
		for _, r := range results {
			reports = append(reports, &vcgen.Report{Covered: r.Covered})
		}
		return diagnostics.WriteLCOV(w, l.root, reports...)
	})
	for _, err := range failed {
		fmt.Fprintf(std.err, "unitproof: %v\n", err)
	}
	switch {
	case ctx.Err() != nil:
		return exitCode(exitInterrupted)
	case len(failed) > 0:
		return exitCode(diagnostics.ExitError)
	case status != diagnostics.ExitProved:
		return exitCode(status)
	}
	return nil
}

// noProofs says what was looked at in vain, and what would have been found.
func noProofs(l *listed, args []string, flags *project.Flags) string {
	var limits []string
	if flags.Filter != nil {
		limits = append(limits, fmt.Sprintf("--filter %s", flags.Filter))
	}
	if flags.Entry != "" {
		limits = append(limits, "--entry "+flags.Entry)
	}
	if flags.Shard[1] > 0 {
		limits = append(limits, fmt.Sprintf("--shard %d/%d", flags.Shard[0], flags.Shard[1]))
	}
	where := l.root
	if len(args) > 0 {
		where = strings.Join(args, ", ")
	}
	text := "no unit proof was found in " + where
	if len(limits) > 0 {
		return text + " with " + strings.Join(limits, " and ")
	}
	return text + "; that is a C file that includes unitproof.h and defines main, proof_NAME, NAME_proof or NAME_harness"
}
