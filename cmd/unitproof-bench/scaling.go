package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/cmd/internal/curve"
	"github.com/unitproof/unitproof/cmd/unitproof-bench/scaling"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// scalingDocument is the JSON output of scaling.
type scalingDocument struct {
	Schema  int             `json:"schema"`
	Tool    string          `json:"tool"`
	Date    string          `json:"date"`
	CPUs    int             `json:"cpus"`
	Machine string          `json:"machine"`
	Series  []scalingSeries `json:"series"`
}

type scalingSeries struct {
	Name   string         `json:"name"`
	Points []scalingPoint `json:"points"`
	series *scaling.Series
}

// scalingPoint is one size of a series, with the costs of all its proofs together.
type scalingPoint struct {
	N       int    `json:"n"`
	Verdict string `json:"verdict"` // of the proofs; if they differ, the first other than proved
	Runs    int    `json:"runs"`
	phase
}

// enough is the time after which a size is not measured again.
const enough = 15 * time.Second

// Limits of one proof of a series. They are generous, as the growth of costs is of interest.
const (
	scalingTimeout = 20 * time.Minute
	scalingMemory  = 12 << 30
)

// scalingFlags are the flags of scaling.
type scalingFlags struct {
	measured
	maxSize int
	from    []string
	profile string
}

func scalingCommand(std cli.Streams) *cobra.Command {
	var flags scalingFlags
	cmd := &cobra.Command{
		Use:   "scaling [--runs N] [--filter REGEXP] DIR",
		Short: "Measure generated programs of growing size, and write scaling.md with plots to a folder",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.contradiction(); err != nil {
				return err
			}
			stop, err := startProfile(flags.profile)
			if err != nil {
				return err
			}
			return errors.Join(measureScaling(cmd.Context(), std, &flags, args[0]), stop())
		},
	}
	f := cmd.Flags()
	flags.add(f)
	f.IntVar(&flags.maxSize, "max-size", 0, "leave out sizes above `N`")
	f.StringArrayVar(&flags.from, "from", nil,
		"take the numbers of a `FILE` that --json wrote instead of measuring (repeatable)")
	f.StringVar(&flags.profile, "profile", "", "check in this process and write cpu.pprof and allocs.pprof to `DIR`")
	return cmd
}

// measureScaling measures the series whose names match --filter, and writes a page with plots to dir.
func measureScaling(ctx context.Context, std cli.Streams, flags *scalingFlags, dir string) error {
	doc := &scalingDocument{Schema: 1, Tool: cli.ToolName(), Date: time.Now().UTC().Format("2006-01-02"),
		CPUs: runtime.NumCPU(), Machine: machine()}
	known, err := measuredSeries(doc, flags.from)
	if err != nil {
		return err
	}
	for i := range scaling.All {
		s := &scaling.All[i]
		if f := flags.project.Filter; f != nil && !f.MatchString(s.Name) {
			continue
		}
		if old := known[s.Name]; old != nil {
			old.series = s
			doc.Series = append(doc.Series, *old)
			continue
		}
		if !strings.Contains(doc.Tool, cli.ToolName()) {
			doc.Tool += ", " + cli.ToolName()
		}
		fmt.Fprintf(std.Out, "%s: %s\n", s.Name, s.Title)
		result := scalingSeries{Name: s.Name, series: s}
		for _, n := range s.Sizes {
			if flags.maxSize > 0 && n > flags.maxSize {
				continue
			}
			point, err := measureSize(ctx, s, n, flags)
			if err != nil {
				return fmt.Errorf("%s of size %d: %w", s.Name, n, err)
			}
			result.Points = append(result.Points, *point)
			t := point.total()
			fmt.Fprintf(std.Out, "%12s %-9s %s ms CPU, %s ms wall, %s MB\n", curve.Count(n), point.Verdict, t.CPUMS.span(),
				t.WallMS.span(), number(point.memory()))
		}
		if len(result.Points) > 0 {
			doc.Series = append(doc.Series, result)
		}
		// Written after each series, as the next may take long.
		if err := writeScaling(doc, dir); err != nil {
			return err
		}
		if err := flags.write(std, doc); err != nil {
			return err
		}
	}
	if len(doc.Series) == 0 {
		return fmt.Errorf("no series matches --filter %s", flags.project.Filter)
	}
	if err := writeScaling(doc, dir); err != nil {
		return err
	}
	return flags.write(std, doc)
}

// measuredSeries reads the series of documents by name, from the first document that has them. It copies machine and
// versions to doc, to which the series are added.
func measuredSeries(doc *scalingDocument, files []string) (map[string]*scalingSeries, error) {
	known := map[string]*scalingSeries{}
	var tools []string
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var old scalingDocument
		if err := json.Unmarshal(data, &old); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if old.Schema != doc.Schema {
			return nil, fmt.Errorf("%s: schema %d of scaling, and this program knows %d", file, old.Schema, doc.Schema)
		}
		if !slices.Contains(tools, old.Tool) {
			tools = append(tools, old.Tool)
		}
		doc.Date, doc.CPUs, doc.Machine = old.Date, old.CPUs, old.Machine
		for i := range old.Series {
			if s := &old.Series[i]; known[s.Name] == nil && len(s.Points) > 0 {
				known[s.Name] = s
			}
		}
	}
	if len(tools) > 0 {
		doc.Tool = strings.Join(tools, ", ")
	}
	return known, nil
}

// measureSize checks the programs of one size, cold, for the requested number of runs but not much longer than
// enough.
func measureSize(ctx context.Context, s *scaling.Series, n int, flags *scalingFlags) (*scalingPoint, error) {
	dir, err := os.MkdirTemp("", "unitproof-scaling-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for name, text := range s.Files(n) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	settings := flags.project
	settings.Filter = nil // it selects series
	timeout, memory := scalingTimeout, int64(scalingMemory)
	settings.Timeout, settings.MaxMemory = &timeout, &memory
	if s.Unwind != nil {
		unwind := s.Unwind(n)
		settings.Unwind = &unwind
	}
	w, err := project.Open(dir, settings)
	if err != nil {
		return nil, err
	}
	proofs, problems := w.Proofs([]string{dir})
	if len(problems) > 0 {
		return nil, project.Problems(problems)
	}
	for i := range proofs {
		flags.engine.Apply(&proofs[i])
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1, InProcess: flags.profile != ""})
	defer pool.Close()
	batch := pipeline.Batch{Settings: pipeline.Settings{Root: paths.Root(dir), Solver: flags.engine.Solver, Measure: true},
		Proofs: proofs, Define: w.Definitions}
	if err := warmUp(ctx, pool, batch); err != nil {
		return nil, err
	}
	point := &scalingPoint{N: n, Verdict: "proved"}
	for begin := time.Now(); point.Runs < flags.runs && (point.Runs == 0 || time.Since(begin) < enough); point.Runs++ {
		sum := sample{}
		results := pool.Run(ctx, batch, nil)
		if ctx.Err() != nil {
			return nil, cli.ExitCode(cli.ExitInterrupted)
		}
		for i := range results {
			if v := string(results[i].Proof.Verdict); v != "proved" {
				point.Verdict = v
			}
			sum.add(sampleOf(&results[i]))
		}
		point.take(sum)
	}
	point.finish()
	return point, nil
}

// warmUp makes the worker find the compiler, by checking a trivial program.
func warmUp(ctx context.Context, pool *pipeline.Pool, batch pipeline.Batch) error {
	dir, err := os.MkdirTemp("", "unitproof-scaling-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main_harness.c"),
		[]byte("#include <unitproof.h>\nint main(void) { sassert(1); return 0; }\n"), 0o600); err != nil {
		return err
	}
	w, err := project.Open(dir, project.Flags{})
	if err != nil {
		return err
	}
	proofs, problems := w.Proofs([]string{dir})
	if len(problems) > 0 {
		return project.Problems(problems)
	}
	batch.Proofs = proofs
	pool.Run(ctx, batch, nil)
	return nil
}

// shownStages are the stages whose growth the page shows: the groups, and the parts of the engine.
var shownStages = []string{"total", "compile", "generate/read", "generate/unfold", "generate/questions",
	"generate/simplify", "solve/encode", "solve/search"}

// writeScaling writes DIR/scaling.md and DIR/images/scaling-*.svg.
func writeScaling(doc *scalingDocument, dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "images"), 0o755); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("# How costs grow\n\n")
	b.WriteString("Written by `make scaling` (docs/benchmarks.md). Costs are CPU time of the worker process " +
		"and its compilers, cold, the median of up to ")
	fmt.Fprintf(&b, "%d runs, on %s with %d processors, %s, %s. The programs are generated by "+
		"cmd/unitproof-bench/scaling.\n\n", mostRuns(doc), doc.Machine, doc.CPUs, doc.Tool, doc.Date)
	b.WriteString("An exponent is the slope of the logarithms of cost and n, over the sizes at which a stage costs at " +
		"least 3 ms and a thirtieth of its largest cost: " +
		"1 is linear, and *n log n* has on the same sizes the slope in its column (for the total). A dash: too cheap to " +
		"tell.\n\n")
	b.WriteString("| series | n up to | verdicts | total at the largest | peak memory | n log n | " +
		strings.Join(shownStages, " | ") + " |\n")
	b.WriteString("|---|---|---|---|---|---|" + strings.Repeat("---|", len(shownStages)) + "\n")
	for i := range doc.Series {
		s := &doc.Series[i]
		last := &s.Points[len(s.Points)-1]
		total := curve.GrowthOf(s.sizes(), s.costs("total"))
		fmt.Fprintf(&b, "| [%s](#%s) | %s %s | %s | %s s | %s MB | %s ", s.Name, anchor(s.series.Title),
			curve.Count(last.N), s.series.N, s.verdicts(),
			number(last.total().CPUMS.Median/1000), number(last.memory()), exponent(total, total.NLogN))
		for _, stage := range shownStages {
			g := curve.GrowthOf(s.sizes(), s.costs(stage))
			fmt.Fprintf(&b, "| %s ", exponent(g, g.Exponent))
		}
		b.WriteString("|\n")
	}
	for i := range doc.Series {
		s := &doc.Series[i]
		image := "scaling-" + s.Name + ".svg"
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n![Costs of the stages over n, both axes logarithmic](images/%s)\n\n",
			s.series.Title, s.series.Program, image)
		fmt.Fprintf(&b, "| %s | %s |\n|---|%s\n", s.series.N, strings.Join(shownStages, " | "),
			strings.Repeat("---|", len(shownStages)))
		for k := range s.Points {
			p := &s.Points[k]
			fmt.Fprintf(&b, "| %s ", curve.Count(p.N))
			for _, stage := range shownStages {
				fmt.Fprintf(&b, "| %s ms ", number(p.stage(stage).CPUMS.Median))
			}
			b.WriteString("|\n")
		}
		lines := []curve.Line{}
		for _, stage := range shownStages {
			lines = append(lines, curve.Line{Name: stage, Costs: s.costs(stage)})
		}
		plot := curve.Plot(s.series.Title, s.series.N, s.sizes(), lines)
		if err := os.WriteFile(filepath.Join(dir, "images", image), []byte(plot), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "scaling.md"), []byte(b.String()), 0o644)
}

func mostRuns(doc *scalingDocument) int {
	n := 0
	for i := range doc.Series {
		for k := range doc.Series[i].Points {
			n = max(n, doc.Series[i].Points[k].Runs)
		}
	}
	return n
}

func (s *scalingSeries) sizes() []int {
	var out []int
	for i := range s.Points {
		out = append(out, s.Points[i].N)
	}
	return out
}

// costs returns the medians of a stage in milliseconds of CPU time.
func (s *scalingSeries) costs(stage string) []float64 {
	var out []float64
	for i := range s.Points {
		out = append(out, s.Points[i].stage(stage).CPUMS.Median)
	}
	return out
}

// verdicts returns the verdicts that occur.
func (s *scalingSeries) verdicts() string {
	var out []string
	for i := range s.Points {
		if v := s.Points[i].Verdict; !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return strings.Join(out, ", ")
}

func exponent(g curve.Growth, x float64) string {
	if !g.Known {
		return "–"
	}
	return fmt.Sprintf("%.2f", x)
}

// anchor returns the fragment that Markdown renderers assign to a heading.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(heading) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		}
	}
	return b.String()
}
