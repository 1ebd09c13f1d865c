package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/kit"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// corpusDocument is the JSON output of corpus, described in docs/benchmarks.md.
type corpusDocument struct {
	Schema   int             `json:"schema"`
	Tool     string          `json:"tool"`
	CBMC     string          `json:"cbmc,omitempty"` // its version
	Date     string          `json:"date"`
	Machine  string          `json:"machine"`
	Projects []corpusProject `json:"projects"`
}

type corpusProject struct {
	Name    string                `json:"name"`
	Found   int                   `json:"found"`   // proofs of the kit
	Waiting int                   `json:"waiting"` // of these, those with a missing prerequisite
	Counts  map[found.Verdict]int `json:"counts"`
	WallMS  int64                 `json:"wall_ms"`
	// MemoryMB is the largest peak of a proof.
	MemoryMB int64 `json:"memory_mb"`
	// CheckCPUMS is the user and system time of one check of all proofs that both decided, with --cbmc.
	CheckCPUMS int64         `json:"check_cpu_ms,omitempty"`
	Proofs     []corpusProof `json:"proofs"`
}

type corpusProof struct {
	Name     string        `json:"name"`
	Verdict  found.Verdict `json:"verdict"`
	MS       int64         `json:"ms"`
	MemoryMB int64         `json:"memory_mb"`
	Why      string        `json:"why,omitempty"` // the first unproved finding, or the error
	// Bug is the planted bug. FoundMS is the time in ms from the start to its detection, Kind the violation with its
	// place.
	Bug     string `json:"bug,omitempty"`
	FoundMS int64  `json:"found_ms,omitempty"`
	Kind    string `json:"kind,omitempty"`
	// CPUMS is the user and system time of the whole command, with --cbmc.
	CPUMS int64       `json:"cpu_ms,omitempty"`
	CBMC  *corpusCBMC `json:"cbmc,omitempty"`
}

type corpusFlags struct {
	project project.Flags
	engine  cli.Engine
	jobs    int
	json    string
	verbose bool
	bugs    string
	cbmc    int
	limit   time.Duration
	program string
}

// corpusCommand imports and checks the proofs of other projects.
func corpusCommand(std cli.Streams) *cobra.Command {
	var flags corpusFlags
	cmd := &cobra.Command{
		Use:   "corpus [flags] DIR...",
		Short: "Import the CBMC starter kits of projects and check their proofs",
		Long: `corpus takes folders of projects, or folders that hold such folders. In each it does what "unitproof import cbmc" does,
which runs make and writes unitproof.toml, checks the proofs of the kit, and prints how many were proved, with times and memory.

With --cbmc N it takes N proofs of each project instead, spread over all, and does each twice, one after the other and from
nothing: by a fresh process of unitproof, and by the kit's own rules with the make, goto-cc, goto-instrument and cbmc (and
the SAT solver, where a kit wants one) on PATH. Then it does those that both decided by one check from nothing. With --bugs
it plants the bugs that a file lists, one after the other, in the clones, and takes each out again; with --cbmc as well, the
kit's own rules are asked about each.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return corpus(cmd, std, &flags, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "how many proofs to check at once (default: as check does)")
	f.StringVar(&flags.json, "json", "", "write the numbers to `FILE`; - is standard output")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "a line for each proof that is not proved")
	f.StringVar(&flags.bugs, "bugs", "", "plant the bugs that `FILE` lists, and tell which are found")
	f.IntVar(&flags.cbmc, "cbmc", 0, "compare `N` proofs of each project with CBMC")
	f.DurationVar(&flags.limit, "cbmc-timeout", 5*time.Minute, "how long a proof may take with CBMC")
	f.StringVar(&flags.program, "program", "",
		"with --cbmc: the unitproof `PROGRAM` to measure (default: the one in the folder of this program)")
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	return cmd
}

func corpus(cmd *cobra.Command, std cli.Streams, flags *corpusFlags, args []string) error {
	ctx := cmd.Context()
	if err := cli.CheckOutputs(flags.json); err != nil {
		return err
	}
	doc := corpusDocument{Schema: 1, Tool: cli.ToolName(), Date: time.Now().Format(time.DateOnly), Machine: machine(),
		Projects: []corpusProject{}}
	var list []library
	if flags.bugs != "" {
		var err error
		if list, err = readLibraries(flags.bugs); err != nil {
			return err
		}
	}
	var other *besideCBMC
	if flags.cbmc > 0 {
		var err error
		if other, err = findBeside(cmd, flags); err != nil {
			return err
		}
		defer os.RemoveAll(other.dir)
		doc.CBMC = other.kits.Version
	}
	for _, arg := range args {
		dirs, err := projects(arg)
		if err != nil {
			return err
		}
		for _, dir := range dirs {
			at := slices.IndexFunc(list, func(l library) bool { return repositoryName(l.Repository) == filepath.Base(dir) })
			if flags.bugs != "" && at < 0 {
				continue
			}
			fmt.Fprintf(std.Err, "%s\n", filepath.Base(dir))
			r, err := flags.open(ctx, std, dir)
			switch {
			case err != nil:
			case flags.bugs != "":
				err = r.plant(&list[at], other)
			case other != nil:
				err = r.compare(other)
			default:
				err = r.check()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", dir, err)
			}
			doc.Projects = append(doc.Projects, r.result)
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	out := std.Out
	if flags.json == "-" {
		out = std.Err
	}
	switch {
	case flags.bugs != "":
		printBugs(out, doc.Projects)
	case other != nil:
		printBeside(out, doc.Projects)
	default:
		printCorpus(out, doc.Projects)
	}
	return writeJSON(std, flags.json, doc)
}

// projects returns the folder itself, or the folders in it that are clones with a kit.
func projects(dir string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		// A clone has a .git of any form; the folders of one project have none.
		sub := filepath.Join(dir, e.Name())
		if _, err := os.Stat(filepath.Join(sub, ".git")); err == nil && kit.Has(sub) {
			list = append(list, sub)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil || len(list) == 0 {
		list = []string{dir}
	}
	return list, nil
}

// corpusRun is a project with an imported kit.
type corpusRun struct {
	ctx       context.Context
	std       cli.Streams
	flags     *corpusFlags
	dir       string
	kits      *kit.Kits
	workspace *project.Workspace
	proofs    []project.Proof
	result    corpusProject
}

// open imports the proofs of a project.
func (flags *corpusFlags) open(ctx context.Context, std cli.Streams, dir string) (*corpusRun, error) {
	made, err := kit.Import(ctx, dir)
	if err != nil {
		return nil, err
	}
	if made.Text != made.Old {
		if err := os.WriteFile(made.Path, []byte(made.Text), 0o644); err != nil {
			return nil, err
		}
	}
	w, err := project.Open(filepath.Dir(made.Path), flags.project)
	if err != nil {
		return nil, err
	}
	proofs, problems := w.Proofs(nil)
	for _, p := range problems {
		fmt.Fprintf(std.Err, "%s: %s\n", p.File, p.Message)
	}
	files := map[string]bool{}
	for i := range made.Kits.Proofs {
		if p := &made.Kits.Proofs[i]; p.Missing == "" {
			files[p.File] = true
		}
	}
	proofs = slices.DeleteFunc(proofs, func(p project.Proof) bool { return !files[p.File] })
	for i := range proofs {
		flags.engine.Apply(&proofs[i])
	}
	return &corpusRun{ctx, std, flags, dir, made.Kits, w, proofs, corpusProject{Name: filepath.Base(dir),
		Found: len(made.Kits.Proofs), Waiting: len(made.Kits.Waiting()), Counts: map[found.Verdict]int{}}}, nil
}

// check checks all proofs of the project.
func (r *corpusRun) check() error {
	start := time.Now()
	results := pipeline.Run(r.ctx, pipeline.Batch{
		Settings: pipeline.Settings{Root: paths.Root(r.workspace.Root), Solver: r.flags.engine.Solver,
			CacheDir: r.flags.engine.CacheDir, CacheReadOnly: r.flags.engine.CacheReadOnly},
		Proofs: r.proofs, Define: r.workspace.Definitions,
	}, pipeline.PoolOptions{Jobs: r.flags.jobs, OneRun: true}, func(pipeline.Event) {})
	if r.ctx.Err() != nil {
		return errors.New("interrupted")
	}
	r.result.WallMS = time.Since(start).Milliseconds()
	for i := range results {
		p := &results[i].Proof
		one := corpusProof{Name: p.Name, Verdict: p.Verdict, MS: p.Stats.TotalMS, MemoryMB: p.Stats.MemoryMB, Why: why(p)}
		r.result.Counts[p.Verdict]++
		r.result.MemoryMB = max(r.result.MemoryMB, one.MemoryMB)
		r.result.Proofs = append(r.result.Proofs, one)
		if r.flags.verbose && p.Verdict != found.Proved {
			fmt.Fprintf(r.std.Err, "  %-8s %s: %s\n", p.Verdict, p.Name, one.Why)
		}
	}
	return nil
}

// why returns the first error or finding with the verdict of an unproved proof.
func why(p *diagnostics.Proof) string {
	if p.Verdict == found.Proved {
		return ""
	}
	if len(p.Errors) > 0 {
		return fmt.Sprintf("%s:%d: %s", p.Errors[0].File, p.Errors[0].Line, p.Errors[0].Message)
	}
	for i := range p.Obligations {
		if o := &p.Obligations[i]; o.Verdict == p.Verdict {
			return fmt.Sprintf("%s:%d: [%s] %s", o.File, o.Line, o.Kind, cmp.Or(o.Reason, o.Message))
		}
	}
	return p.Reason
}

// printCorpus prints a table of the projects; times are wall-clock.
func printCorpus(w io.Writer, list []corpusProject) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	defer func() { _ = t.Flush() }()
	fmt.Fprintln(t, "project\tproofs\tproved\tfailed\tunknown\tbounded\tvacuous\terror"+
		"\twaiting\ttotal\tmedian\tslowest\tmemory")
	for _, p := range list {
		times := []int64{}
		for _, one := range p.Proofs {
			times = append(times, one.MS)
		}
		slices.Sort(times)
		median, slowest := int64(0), int64(0)
		if n := len(times); n > 0 {
			median, slowest = times[n/2], times[n-1]
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%.0f s\t%.2f s\t%.1f s\t%d MB\n", p.Name, p.Found,
			p.Counts[found.Proved], p.Counts[found.Failed], p.Counts[found.Unknown], p.Counts[found.Bounded],
			p.Counts[found.Vacuous], p.Counts[found.Error], p.Waiting, float64(p.WallMS)/1000, float64(median)/1000,
			float64(slowest)/1000, p.MemoryMB)
	}
}
