package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// newFlags are the flags of new.
type newFlags struct {
	project project.Flags
	engine  cli.Engine
	all     bool
	force   bool
	output  string
	budget  time.Duration
	jobs    int

	json, sarif, html string
}

func newCommand(std cli.Streams) *cobra.Command {
	var flags newFlags
	cmd := &cobra.Command{
		Use:   "new [flags] FUNCTION [FILE.c] | new --all [flags] DIR",
		Short: "Write the proof of a function, and check it",
		Long: `new writes a proof that calls a function with arbitrary arguments that fit
its types and its code, and checks it. Open questions stand as comments in the proof. The file is put beside the project's other proofs, or into proofs,
and entered in unitproof.toml if nothing else says which files belong to it.

With --all, it does so for every function of a folder that others can call, and lists
the results. Functions whose proofs are there already are left alone, so that a run
that was stopped goes on where it ended; they are checked as they stand.

The exit status is that of check.`,
		ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.all {
				if len(args) > 1 {
					return errors.New("--all takes one folder or file")
				}
				return newAll(cmd.Context(), std, &flags, args)
			}
			if len(args) == 0 || len(args) > 2 {
				return errors.New("expected the name of a function, and optionally its file")
			}
			return newOne(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&flags.all, "all", false, "for every function of a folder, or a file, that others can call")
	f.StringVarP(&flags.output, "output", "o", "",
		"the `FILE` of the proof, with --all the folder (default: beside the other proofs)")
	f.BoolVar(&flags.force, "force", false, "replace the file if it is there")
	f.DurationVar(&flags.budget, "budget", 10*time.Minute, "with --all: no further proof is begun after this `TIME`")
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "with --all: how many proofs are made at the same time, `N`; 0: one per CPU")
	f.StringVar(&flags.json, "json", "", "write the results as JSON to `FILE`; - is standard output")
	f.StringVar(&flags.sarif, "sarif", "", "with --all: write the results as SARIF to `FILE`")
	f.StringVar(&flags.html, "html", "", "with --all: write the results as a page into a `FOLDER`")
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	return cmd
}

// generator returns the generator of a call.
func (flags *newFlags) generator() (*pipeline.Generator, func(), error) {
	base, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	closeCache := flags.engine.OpenCache(false)
	w, err := project.Open(".", flags.project)
	if w == nil {
		closeCache()
		return nil, nil, err
	}
	jobs := flags.jobs
	if !flags.all {
		jobs = 1
	}
	g := &pipeline.Generator{Base: base, Flags: flags.project, Pool: pipeline.NewPool(pipeline.PoolOptions{Jobs: jobs}),
		Settings: (&cli.Listed{Workspace: w}).Batch(&flags.engine).Settings, Apply: flags.engine.Apply, Force: flags.force}
	g.Settings.Root = paths.Root(w.Root)
	return g, func() { g.Pool.Close(); closeCache() }, nil
}

// newDocument is the JSON output of new.
type newDocument struct {
	Schema int                   `json:"schema"`
	Tool   string                `json:"tool"`
	Proofs []*pipeline.Generated `json:"proofs"`
}

func (flags *newFlags) writeJSON(std cli.Streams, list []*pipeline.Generated) error {
	return cli.WriteJSON(std, flags.json, newDocument{diagnostics.Schema, cli.ToolName(), list})
}

func newOne(ctx context.Context, std cli.Streams, flags *newFlags, args []string) error {
	g, done, err := flags.generator()
	if err != nil {
		return err
	}
	defer done()
	g.Output = flags.output
	file := ""
	if len(args) == 2 {
		file = args[1]
	}
	out, err := g.Generate(ctx, args[0], file)
	if ctx.Err() != nil {
		return cli.ExitCode(cli.ExitInterrupted)
	}
	if err != nil {
		return err
	}
	people := std.Beside(flags.json)
	if err := flags.writeJSON(std, []*pipeline.Generated{out}); err != nil {
		return err
	}
	if out.Harness == "" {
		return fmt.Errorf("no proof of %s: %s", out.Function, out.Reason)
	}
	diagnostics.NewTextWriter(people, diagnostics.TextOptions{Sources: pipeline.ReadSources(g.Settings.Root),
		Color: cli.WantsColor(people), Width: cli.TerminalWidth(people)}).Proof(&out.Proof)
	fmt.Fprintf(people, "\nwrote %s", out.Harness)
	if out.Registered != "" {
		fmt.Fprintf(people, ", and entered it in %s", out.Registered)
	}
	fmt.Fprintln(people)
	for _, dir := range out.Includes {
		fmt.Fprintf(people, "  -I %s was added: of the folders that hold a header that was not found, it is the nearest\n",
			shellWord(dir))
	}
	if out.Size > 0 {
		fmt.Fprintf(people, "  up to %d elements; MAX_SIZE in the file is the bound\n", out.Size)
	}
	for _, q := range out.Questions {
		fmt.Fprintf(people, "  question: %s\n", q)
	}
	if len(out.Unreached) > 0 {
		fmt.Fprintf(people, "  no execution of the proof reaches %s of %s: do its inputs leave out cases?\n",
			linesOf(out.Unreached), out.File)
	}
	if out.Verdict == found.Failed {
		fmt.Fprintf(people, "  to search for conditions that exclude the failure: unitproof suggest "+
			"%s\n", shellWord(out.Harness))
	}
	if status := diagnostics.ExitStatus([]diagnostics.Proof{out.Proof}, nil); status != diagnostics.ExitProved {
		return cli.ExitCode(status)
	}
	return nil
}

// target is a function of --all.
type target struct{ function, file string }

// targets returns the functions with external linkage below a folder, or in a file.
func targets(w *project.Workspace, base string) ([]target, error) {
	var files []string
	info, err := os.Stat(base)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		files = []string{base}
	default:
		files = w.FilesBelow(base)
	}
	var list []target
	for _, f := range files {
		for _, name := range w.DefinedFunctions(f) {
			if name != "main" {
				list = append(list, target{name, f})
			}
		}
	}
	return list, nil
}

// newAll writes proofs for the functions of a folder.
func newAll(ctx context.Context, std cli.Streams, flags *newFlags, args []string) error {
	began := time.Now()
	if err := cli.CheckOutputs(flags.json, flags.sarif); err != nil {
		return err
	}
	g, done, err := flags.generator()
	if err != nil {
		return err
	}
	dir := "."
	if len(args) == 1 {
		dir = args[0]
	}
	if dir, err = filepath.Abs(dir); err != nil {
		done()
		return err
	}
	w, err := project.Open(".", flags.project)
	if err != nil {
		done()
		return err
	}
	all, err := targets(w, dir)
	if err != nil {
		done()
		return err
	}
	people := std.Beside(flags.json)
	jobs := flags.jobs
	if jobs <= 0 {
		jobs = runtime.NumCPU()
	}
	list := make([]*pipeline.Generated, len(all))
	tokens := make(chan struct{}, jobs)
	var wait sync.WaitGroup
	var telling sync.Mutex
	for i, t := range all {
		tokens <- struct{}{}
		wait.Go(func() {
			defer func() { <-tokens }()
			list[i] = flags.survey(ctx, g, t, began)
			telling.Lock()
			defer telling.Unlock()
			if list[i].Verdict != "" {
				fmt.Fprintf(people, "%-8s %s (%.1f s)\n", list[i].Verdict, t.function, float64(list[i].MS)/1000)
			}
		})
	}
	wait.Wait()
	done()
	if ctx.Err() != nil {
		return cli.ExitCode(cli.ExitInterrupted)
	}
	tellSurvey(people, list)
	if err := flags.writeJSON(std, list); err != nil {
		return err
	}
	return flags.checkAll(ctx, std, list)
}

// survey writes one of many proofs. An existing proof, or one without time left, has no verdict.
func (flags *newFlags) survey(ctx context.Context, g *pipeline.Generator, t target,
	began time.Time) *pipeline.Generated {
	out := &pipeline.Generated{Function: t.function, File: t.file}
	switch {
	case ctx.Err() != nil:
		out.Reason = "interrupted"
		return out
	case time.Since(began) > flags.budget:
		out.Reason = "no time was left (--budget)"
		return out
	}
	one := g.With(flags.output, t.function)
	made, err := one.Generate(ctx, t.function, t.file)
	if errors.Is(err, pipeline.ErrExists) {
		if err := one.Check(ctx, made); err != nil {
			made.Verdict, made.Reason = found.Error, err.Error()
		}
		return made
	}
	if err != nil {
		out.Verdict, out.Reason = found.Error, err.Error()
		return out
	}
	if made.Verdict == found.Error && strings.HasPrefix(made.Reason, "no function ") {
		made.Verdict, made.Reason = "", "it is not compiled in this configuration"
	}
	return made
}

// tellSurvey writes a table of the results by function.
func tellSurvey(w io.Writer, list []*pipeline.Generated) {
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	count := map[found.Verdict]int{}
	for _, g := range list {
		count[g.Verdict]++
		why := g.Reason
		if len(g.Failures) > 0 {
			why = g.Failures[0]
		}
		verdict := string(g.Verdict)
		if verdict == "" {
			verdict = "-"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\n", g.Function, verdict, why)
	}
	_ = table.Flush()
	functions := "functions"
	if len(list) == 1 {
		functions = "function"
	}
	fmt.Fprintf(w, "\n%d %s", len(list), functions)
	for _, v := range []found.Verdict{found.Proved, found.Failed, found.Bounded, found.Unknown, found.Vacuous,
		found.Error} {
		if count[v] > 0 {
			fmt.Fprintf(w, ", %d %s", count[v], v)
		}
	}
	fmt.Fprintln(w)
}

// checkAll writes the results of all proofs in the formats of check. They come from the cache.
func (flags *newFlags) checkAll(ctx context.Context, std cli.Streams, list []*pipeline.Generated) error {
	var files []string
	status := diagnostics.ExitProved
	var proofs []diagnostics.Proof
	for _, g := range list {
		if g.Harness != "" {
			files = append(files, g.Harness)
		}
		if g.Verdict != "" {
			g.Proof.Verdict = g.Verdict // the only data of a proof that cannot be built
			proofs = append(proofs, g.Proof)
		}
	}
	if len(proofs) > 0 {
		status = diagnostics.ExitStatus(proofs, nil)
	}
	if flags.sarif+flags.html != "" && len(files) > 0 {
		slices.Sort(files)
		quiet := cli.Streams{Out: io.Discard, Err: std.Err}
		again := &checkFlags{project: flags.project, sarif: flags.sarif, html: flags.html, quiet: true}
		err := check(ctx, quiet, again, files)
		var code cli.ExitCode
		if err != nil && !errors.As(err, &code) {
			return err
		}
	}
	if status != diagnostics.ExitProved {
		return cli.ExitCode(status)
	}
	return nil
}

// linesOf returns ascending lines in words, such as "lines 3 to 5, 9".
func linesOf(lines []int) string {
	var parts []string
	for i := 0; i < len(lines); {
		k := i
		for k+1 < len(lines) && lines[k+1] == lines[k]+1 {
			k++
		}
		part := fmt.Sprint(lines[i])
		if k > i {
			part = fmt.Sprintf("%d to %d", lines[i], lines[k])
		}
		parts = append(parts, part)
		i = k + 1
	}
	if len(lines) == 1 {
		return "line " + parts[0]
	}
	return "lines " + strings.Join(parts, ", ")
}
