package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/editing"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/remote"
)

// watchFlags are the flags of watch.
type watchFlags struct {
	project        project.Flags
	engine         cli.Engine
	jobs           int
	noCache, json  bool
	quiet, verbose bool
}

func watchCommand(std cli.Streams) *cobra.Command {
	var flags watchFlags
	cmd := &cobra.Command{
		Use:   "watch [flags] [FILE.c | DIR]...",
		Short: "Verify again whenever a file changes",
		Long: `watch verifies the unit proofs of files and folders like check, and then again those that
depend on what changes: the proofs' own files, the sources and headers that they read, and
configurations. It goes on until it is interrupted.

With --json each line is an event: what changed, a proof that was started, a violation as
soon as it was found, the result of a proof, and the counts at the end of each run.`,
		ValidArgsFunction: cli.CFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return watch(cmd.Context(), std, &flags, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	cli.AddRemote(f, &flags.engine)
	cli.AddCluster(f, &flags.engine)
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "how many proofs are checked at the same time, `N`; 0: one per CPU")
	f.BoolVar(&flags.noCache, "no-cache", false, "ignore cached results, and cache nothing")
	f.BoolVar(&flags.json, "json", false, "one event a line, as JSON")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print only failures")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print every finding, and all steps of counterexamples")
	return cmd
}

func watch(ctx context.Context, std cli.Streams, flags *watchFlags, args []string) error {
	if flags.quiet && flags.verbose {
		return errors.New("-q and -v cannot be combined")
	}
	if len(flags.engine.Disable) > 0 {
		return errors.New("--disable is a flag of check only")
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	var given []string
	for _, a := range args {
		if _, err := os.Stat(a); err != nil {
			return err
		}
		path, err := filepath.Abs(a)
		if err != nil {
			return err
		}
		given = append(given, path)
	}
	w, err := project.Open(here, flags.project) // for its root; the Workspace reports problems
	if w == nil {
		return err
	}
	if len(given) == 0 {
		given = []string{w.Root}
	}
	opts := editing.Options{Folders: []string{here}, Args: given, Solver: flags.engine.Solver, Trusted: true,
		Watch: true, Flags: flags.project}
	if !flags.noCache {
		if dir, err := pipeline.CacheDir(); err == nil { // without a cache folder, nothing is cached
			opts.CacheDir = dir
		}
	}
	far, err := cli.FarOf(w, flags.engine.Far)
	if err != nil {
		return err
	}
	if far.Note != "" {
		fmt.Fprintln(std.Err, "unitproof: "+far.Note)
	}
	opts.Far = func(remote.Far) remote.Far { return far.Far }
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: flags.jobs})
	defer pool.Close()
	pool.Warm()
	opts.Pool = pool

	ctx, stop := context.WithCancel(ctx)
	defer stop()
	v := &watchView{std: std, flags: flags, root: paths.Root(w.Root), out: &cli.Sticky{W: std.Out},
		last: &editing.Snapshot{}, problems: map[string]string{}}
	workspace := editing.NewWorkspace(opts, func(u editing.Update) {
		if v.update(u); v.out.Err != nil {
			stop() // the reader has closed the output
		}
	})
	<-ctx.Done()
	workspace.Close()
	if v.out.Err != nil {
		return fmt.Errorf("write the results: %w", v.out.Err)
	}
	return cli.ExitCode(cli.ExitInterrupted)
}

// watchView writes updates, as text or as events.
type watchView struct {
	std      cli.Streams
	flags    *watchFlags
	root     paths.Root
	out      *cli.Sticky
	last     *editing.Snapshot
	problems map[string]string // last message about each configuration
	files    []string          // changed since the last run
	running  bool
	began    time.Time
	batch    []diagnostics.Proof // results of the current run
	waiting  bool
}

func (v *watchView) update(u editing.Update) {
	v.changed(u.Files)
	if u.Message != "" {
		v.problem(u.Message, "", nil)
	}
	v.configurations(u.Snapshot)
	for _, id := range u.Changed {
		p, before := u.Snapshot.Proof(id), v.last.Proof(id)
		if before == nil {
			before = &editing.ProofState{}
		}
		finished := p.Result != nil && p.Result != before.Result
		begun := p.Phase == editing.Running && before.Phase != editing.Running
		if begun || finished {
			v.begin()
		}
		if finished && before.Phase != editing.Running {
			v.event(diagnostics.Event{Event: diagnostics.EventProofStarted, Name: p.Proof.Name, File: v.root.Show(p.Proof.File)})
		}
		if finished {
			v.result(p)
		}
		if begun {
			v.event(diagnostics.Event{Event: diagnostics.EventProofStarted, Name: p.Proof.Name, File: v.root.Show(p.Proof.File)})
		}
		for i := len(before.Partial); i < len(p.Partial); i++ {
			v.event(diagnostics.Event{Event: diagnostics.EventFinding, Name: p.Proof.Name, Finding: &p.Partial[i]})
		}
	}
	for _, id := range u.Removed {
		if p := v.last.Proof(id); p != nil && !v.flags.json {
			fmt.Fprintf(v.out, "%s is gone\n", p.Proof.Name)
		}
	}
	v.last = u.Snapshot
	if u.Total == 0 {
		v.end()
	}
}

// changed records files that have changed.
func (v *watchView) changed(files []string) {
	if len(files) == 0 {
		return
	}
	var names []string
	for _, f := range files {
		names = append(names, v.root.Show(f))
		if v.stays(f) {
			v.files = append(v.files, v.root.Show(f))
		}
	}
	v.event(diagnostics.Event{Event: diagnostics.EventChanged, Files: names})
	slices.Sort(v.files)
	v.files = slices.Compact(v.files)
}

// stays reports whether a file exists or a result depends on it. Temporary files that editors create during a save do
// not.
func (v *watchView) stays(file string) bool {
	if _, err := os.Lstat(file); err == nil {
		return true
	}
	for _, p := range v.last.Proofs() {
		if _, rests := p.Rests[file]; rests {
			return true
		}
	}
	return false
}

// begin starts the output about a run.
func (v *watchView) begin() {
	if v.running {
		return
	}
	v.running, v.waiting, v.began, v.batch = true, false, time.Now(), nil
	if names := v.files; len(names) > 0 && !v.flags.json {
		const shown = 3
		more := ""
		if len(names) > shown {
			more = fmt.Sprintf(" and %d more", len(names)-shown)
			names = names[:shown]
		}
		fmt.Fprintf(v.out, "\n%s changed: %s%s\n", time.Now().Format("15:04:05"), strings.Join(names, ", "), more)
	}
	v.files = nil
	v.event(diagnostics.Event{Event: diagnostics.EventRunStarted})
}

// result writes the result of one proof.
func (v *watchView) result(p *editing.ProofState) {
	v.batch = append(v.batch, *p.Result)
	v.event(diagnostics.Event{Event: diagnostics.EventProof, Name: p.Proof.Name, Proof: p.Result})
	if !v.flags.json {
		v.text(0).Proof(p.Result)
	}
}

// end ends the output about a run.
func (v *watchView) end() {
	if v.running {
		v.running = false
		v.event(diagnostics.Event{Event: diagnostics.EventRunFinished, Counts: diagnostics.CountVerdicts(v.batch)})
		if !v.flags.json && len(v.batch) > 0 {
			v.text(max(time.Since(v.began).Milliseconds(), 1)).Total(v.batch)
		}
	}
	v.files = nil // the changes affected no proof
	if len(v.last.Proofs()) == 0 && !v.waiting {
		v.waiting = true
		v.problem("no unit proof was found in "+string(v.root)+"; waiting for changes", "", nil)
	}
}

func (v *watchView) text(elapsed int64) *diagnostics.TextWriter {
	return diagnostics.NewTextWriter(v.out, diagnostics.TextOptions{Sources: pipeline.ReadSources(v.root),
		Color: cli.WantsColor(v.std.Out),
		Quiet: v.flags.quiet, Verbose: v.flags.verbose, ElapsedMS: elapsed})
}

// configurations writes the errors of configurations if they have changed.
func (v *watchView) configurations(s *editing.Snapshot) {
	for file, problems := range s.Problems() {
		text := ""
		if len(problems) > 0 {
			text = project.Problems(problems).Error()
		}
		if text != v.problems[file] {
			v.problems[file] = text
			if text != "" {
				v.problem(text, file, problems)
			}
		}
	}
}

func (v *watchView) problem(text, file string, problems []project.Problem) {
	if v.flags.json {
		v.event(diagnostics.Event{Event: diagnostics.EventError, File: v.root.Show(file), Message: text})
		return
	}
	if problems == nil {
		fmt.Fprintln(v.std.Err, "unitproof: "+text)
		return
	}
	for _, p := range cli.ProblemProofs(v.root, project.Problems(problems)) {
		v.text(0).Proof(&p)
	}
}

// event writes a line in JSON mode.
func (v *watchView) event(e diagnostics.Event) {
	if v.flags.json {
		_ = diagnostics.WriteEvent(v.out, e) // out keeps the error
	}
}
