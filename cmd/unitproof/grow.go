package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/cmd/internal/curve"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
)

// growth is the value of --grow: the macro that sets the size of a proof, and the range of sizes.
type growth struct {
	macro    string
	from, to int
}

// parseGrowth parses "N=4..64".
func parseGrowth(s string) (growth, error) {
	macro, sizes, ok := strings.Cut(s, "=")
	low, high, both := strings.Cut(sizes, "..")
	from, lowErr := strconv.Atoi(low)
	to, highErr := strconv.Atoi(high)
	switch {
	case !ok || !both || lowErr != nil || highErr != nil:
		return growth{}, errors.New("must be a macro and two sizes, like N=4..64")
	case !regexp.MustCompile(`^[A-Za-z_]\w*$`).MatchString(macro):
		return growth{}, fmt.Errorf("%q is not the name of a macro", macro)
	case from < 1 || to <= from || to > maxSize:
		return growth{}, fmt.Errorf("%d..%d: the sizes must be from 1 to %d, the smaller one first", from, to, maxSize)
	}
	return growth{macro, from, to}, nil
}

const maxSize = 1 << 30

// sizeTried is the result of a proof at one size.
type sizeTried struct {
	Size        int           `json:"size"`
	Verdict     found.Verdict `json:"verdict"`
	Reason      string        `json:"reason,omitempty"`
	TotalMS     int64         `json:"total_ms"`
	MemoryMB    int64         `json:"memory_mb"`
	Obligations int           `json:"obligations"`
}

// decided reports whether the proof is decided at the size.
func (s *sizeTried) decided() bool {
	return s.Verdict == found.Proved || s.Verdict == found.Failed || s.Verdict == found.Vacuous
}

// grown is the result of a proof over the tried sizes.
type grown struct {
	Name  string      `json:"name"`
	File  string      `json:"file"`
	Macro string      `json:"macro"`
	Tried []sizeTried `json:"tried"` // by size
	// Decided is the largest decided size; 0 if there is none.
	Decided int `json:"decided"`
	// Exponent is the growth exponent of the total time over the decided sizes; nil if there are too few.
	Exponent *float64 `json:"exponent,omitempty"`
}

// next returns the next size to try, or 0 at the end. While all sizes are proved it is twice the last one, then the
// middle between the largest proved and the smallest undecided size. A proof that fails, or has an error, ends the
// search.
func (g *grown) next(sizes growth) int {
	decided, undecided := 0, 0
	for i := range g.Tried {
		switch t := &g.Tried[i]; {
		case t.Verdict == found.Proved:
			decided = max(decided, t.Size)
		case t.decided() || t.Verdict == found.Error:
			return 0
		case undecided == 0 || t.Size < undecided:
			undecided = t.Size
		}
	}
	switch {
	case len(g.Tried) == 0:
		return sizes.from
	case decided == 0 || decided == sizes.to || undecided == decided+1:
		return 0
	case undecided == 0:
		return min(2*decided, sizes.to)
	}
	return (decided + undecided) / 2
}

// add records the result of a size.
func (g *grown) add(t sizeTried) {
	at, _ := slices.BinarySearchFunc(g.Tried, t, func(a, b sizeTried) int { return a.Size - b.Size })
	g.Tried = slices.Insert(g.Tried, at, t)
	if t.decided() {
		g.Decided = max(g.Decided, t.Size)
	}
	var sizes []int
	var costs []float64
	for i := range g.Tried {
		if s := &g.Tried[i]; s.decided() {
			sizes, costs = append(sizes, s.Size), append(costs, float64(s.TotalMS))
		}
	}
	if e := curve.GrowthOf(sizes, costs); e.Known {
		g.Exponent = &e.Exponent
	}
}

// growthDocument is the JSON output of --grow.
type growthDocument struct {
	Schema int      `json:"schema"`
	Tool   string   `json:"tool"`
	Grow   []*grown `json:"grow"`
}

// grower checks proofs at several sizes, one by one and without a cache, so that times are comparable.
type grower struct {
	std    cli.Streams
	flags  *checkFlags
	args   []string
	people *cli.Sticky
	pool   *pipeline.Pool
}

// grow is check with --grow.
func grow(ctx context.Context, std cli.Streams, flags *checkFlags, args []string) error {
	if err := flags.besideGrowth(); err != nil {
		return err
	}
	people := std.Out
	if flags.json == "-" || flags.growPlot == "-" {
		people = std.Err
	}
	defer flags.engine.OpenCache(true)()
	g := &grower{std: std, flags: flags, args: args, people: &cli.Sticky{W: people},
		pool: pipeline.NewPool(pipeline.PoolOptions{Jobs: 1})}
	defer g.pool.Close()
	l, err := g.list(flags.grow.from)
	if err != nil {
		return err
	}
	if err := l.KeepsInputs(flags.json, flags.growPlot); err != nil {
		return err
	}
	doc := growthDocument{Schema: diagnostics.Schema, Tool: cli.ToolName(), Grow: []*grown{}}
	for i := range l.Proofs {
		one, err := g.proof(ctx, &l.Proofs[i])
		switch {
		case ctx.Err() != nil:
			return cli.ExitCode(cli.ExitInterrupted)
		case err != nil:
			return err
		}
		doc.Grow = append(doc.Grow, one)
	}
	for name, write := range map[string]func(io.Writer) error{
		flags.json: func(w io.Writer) error { return cli.EncodeJSON(w, doc) },
		flags.growPlot: func(w io.Writer) error {
			_, err := io.WriteString(w, plotGrowth(flags.grow, doc.Grow))
			return err
		},
	} {
		if name == "" {
			continue
		}
		if err := cli.WriteOutput(std, name, write); err != nil {
			return err
		}
	}
	if g.people.Err != nil {
		return fmt.Errorf("write the results: %w", g.people.Err)
	}
	if status := growthStatus(flags.grow, doc.Grow); status != diagnostics.ExitProved {
		return cli.ExitCode(status)
	}
	return nil
}

// besideGrowth returns an error for flags that exclude --grow, as their output is about one size.
func (flags *checkFlags) besideGrowth() error {
	for name, given := range map[string]bool{
		"--results": flags.results != "", "--sarif": flags.sarif != "", "--junit": flags.junit != "",
		"--coverage": flags.coverage != "", "--baseline": flags.baseline != "", "--replay": flags.replay,
		"--explain": flags.explain, "--jobs": flags.jobs > 1,
	} {
		if given {
			return fmt.Errorf("--grow and %s cannot be combined: sizes are measured one by one, and only --json and "+
				"--grow-plot tell of all of them", name)
		}
	}
	if flags.json == "-" && flags.growPlot == "-" {
		return errors.New("only one of --json and --grow-plot can go to standard output")
	}
	return cli.CheckOutputs(flags.json, flags.growPlot)
}

// list returns the proofs with the macro defined as a size.
func (g *grower) list(size int) (*cli.Listed, error) {
	with := g.flags.project
	with.Defines = append(slices.Clone(with.Defines), fmt.Sprintf("%s=%d", g.flags.grow.macro, size))
	return cli.Some(with, &g.flags.engine, g.args)
}

// proof searches for the largest decided size of a proof, and writes a line for each size tried.
func (g *grower) proof(ctx context.Context, p *project.Proof) (*grown, error) {
	out := &grown{Name: p.Name, Macro: g.flags.grow.macro, Tried: []sizeTried{}}
	fmt.Fprintf(g.people, "%s\n", p.Name)
	for size := out.next(g.flags.grow); size != 0; size = out.next(g.flags.grow) {
		l, err := g.list(size)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(l.Proofs, func(q project.Proof) bool { return q.Name == p.Name })
		if at < 0 {
			return nil, fmt.Errorf("%s: there is no such proof where %s is %d", p.Name, out.Macro, size)
		}
		batch := l.Batch(&g.flags.engine)
		batch.Proofs = l.Proofs[at : at+1]
		if len(out.Tried) == 0 {
			batch.Rests = pipeline.NewRests(l.Root, g.flags.engine.Solver)
		}
		result := g.pool.Run(ctx, batch, func(pipeline.Event) {})[0].Proof
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if rests := result.RestsOn; rests != nil && !mentions(l.Workspace.Root, rests, out.Macro) {
			return nil, fmt.Errorf("--grow: no file of %s mentions %s, so its size would not change", p.Name, out.Macro)
		}
		out.File = result.File
		t := sizeTried{Size: size, Verdict: result.Verdict, TotalMS: result.Stats.TotalMS, Reason: result.Reason,
			MemoryMB: result.Stats.MemoryMB, Obligations: result.Stats.Obligations}
		out.add(t)
		g.tell(&t)
		if t.decided() && t.Verdict != found.Proved || t.Verdict == found.Error {
			g.show(l, &result)
		}
	}
	g.conclude(out)
	return out, nil
}

// tell writes a line about a size.
func (g *grower) tell(t *sizeTried) {
	line := fmt.Sprintf("  %s = %-6d %-8s %9.2f s %6d MB", g.flags.grow.macro, t.Size, t.Verdict,
		float64(t.TotalMS)/1000, t.MemoryMB)
	if !t.decided() && t.Reason != "" {
		line += "  " + t.Reason
	}
	fmt.Fprintln(g.people, line)
}

// show writes the findings at a size that ends the search.
func (g *grower) show(l *cli.Listed, p *diagnostics.Proof) {
	diagnostics.NewTextWriter(g.people, diagnostics.TextOptions{Sources: pipeline.ReadSources(l.Root),
		Color: cli.WantsColor(g.people.W), Verbose: g.flags.verbose, Stats: g.flags.stats,
		ExplainCost: g.flags.explainCost, Width: cli.TerminalWidth(g.people.W)}).Proof(p)
}

// conclude writes the largest size of the proof.
func (g *grower) conclude(out *grown) {
	macro, largest := out.Macro, out.Decided
	last := &out.Tried[len(out.Tried)-1]
	text := ""
	switch at := slices.IndexFunc(out.Tried, func(t sizeTried) bool { return t.Verdict != found.Proved }); {
	case at < 0:
		text = fmt.Sprintf("proved up to %s = %d", macro, last.Size)
	case out.Tried[at].decided() || out.Tried[at].Verdict == found.Error:
		text = fmt.Sprintf("ends with %s = %d: %s", macro, out.Tried[at].Size, out.Tried[at].Verdict)
	case largest == 0:
		text = fmt.Sprintf("not decided with the smallest size, %s = %d", macro, last.Size)
	default:
		text = fmt.Sprintf("decided up to %s = %d, not with %d", macro, largest, out.Tried[at].Size)
	}
	if out.Exponent != nil {
		text += fmt.Sprintf("; the time grows like %s^%.1f", macro, *out.Exponent)
	}
	fmt.Fprintln(g.people, "  "+text)
}

// mentions reports whether a file on which a verdict depends contains a macro's name.
func mentions(root string, rests *diagnostics.RestsOn, macro string) bool {
	word := regexp.MustCompile(`\b` + macro + `\b`)
	for name := range rests.Files {
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, name)
		}
		if text, err := regular.Source(name); err == nil && word.Match(text) {
			return true
		}
	}
	return false
}

// growthStatus returns the exit status: 0 if all sizes of all proofs are proved.
func growthStatus(sizes growth, list []*grown) int {
	status := diagnostics.ExitProved
	for _, g := range list {
		for i := range g.Tried {
			switch t := &g.Tried[i]; {
			case t.Verdict == found.Error:
				return diagnostics.ExitError
			case t.decided() && t.Verdict != found.Proved:
				status = diagnostics.ExitFailed
			}
		}
		if g.Decided != sizes.to && status == diagnostics.ExitProved {
			status = diagnostics.ExitUndecided
		}
	}
	return status
}

// plotGrowth plots the times of the decided sizes.
func plotGrowth(g growth, list []*grown) string {
	var sizes []int
	for _, one := range list {
		for i := range one.Tried {
			if t := &one.Tried[i]; t.decided() && !slices.Contains(sizes, t.Size) {
				sizes = append(sizes, t.Size)
			}
		}
	}
	slices.Sort(sizes)
	var lines []curve.Line
	for _, one := range list {
		line := curve.Line{Name: one.Name, Costs: make([]float64, len(sizes))}
		for i := range one.Tried {
			if t := &one.Tried[i]; t.decided() {
				line.Costs[slices.Index(sizes, t.Size)] = float64(t.TotalMS)
			}
		}
		lines = append(lines, line)
	}
	return curve.Plot("Time until a proof is decided", g.macro, sizes, lines)
}
