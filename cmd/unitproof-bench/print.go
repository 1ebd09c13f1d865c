package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
)

// stageOrder is the order of the stages of a check. Other stages come last, by name.
var stageOrder = []string{"compile", "generate", "generate/recall", "generate/read", "generate/unfold",
	"generate/questions", "generate/layout", "generate/keys",
	"generate/simplify", "generate/confirm", "generate/findings", "generate/keep", "generate/rest", "solve",
	"solve/encode", "solve/search", "replay", "other", "total"}

// stagesOf returns the stages of some phases in the order of a check. A group with a single part is replaced by it.
func stagesOf(phases ...*phase) []string {
	names := map[string]bool{}
	for _, p := range phases {
		for name := range p.Stages {
			names[name] = true
		}
	}
	rank := func(name string) int {
		if i := slices.Index(stageOrder, name); i >= 0 {
			return i
		}
		group, _, _ := strings.Cut(name, "/")
		return max(slices.Index(stageOrder, group), 0)
	}
	delete(names, "other/rest")
	return slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
}

func (p *phase) stage(name string) *stageCost {
	if c := p.Stages[name]; c != nil {
		return c
	}
	return &stageCost{}
}

// number formats a quantity with about three significant digits.
func number(x float64) string {
	switch {
	case x == 0:
		return "0"
	case math.Abs(x) < 10:
		return fmt.Sprintf("%.2f", x)
	case math.Abs(x) < 100:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// span formats a median with its least and largest sample.
func (s *spread) span() string {
	if s.Min == s.Max {
		return number(s.Median)
	}
	return fmt.Sprintf("%s [%s..%s]", number(s.Median), number(s.Min), number(s.Max))
}

func printStages(out io.Writer, doc *stagesDocument) {
	fmt.Fprintf(out, "%s, %d processors, %s; medians of %d runs, milliseconds of wall clock unless it says CPU\n\n",
		doc.Tool, doc.CPUs, doc.Machine, doc.Runs)
	fmt.Fprintf(out, "%-40s %-9s %9s %9s %9s %9s %9s %9s %9s %9s\n", "proof", "verdict", "compile", "generate", "solve",
		"cold", "cold CPU", "warm", "warm CPU", "peak MB")
	for _, p := range doc.Proofs {
		fmt.Fprintf(out, "%-40s %-9s", p.Name, p.Verdict)
		for _, name := range []string{"compile", "generate", "solve", "total"} {
			fmt.Fprintf(out, " %9s", number(p.Cold.stage(name).WallMS.Median))
		}
		fmt.Fprintf(out, " %9s %9s %9s %9s\n", number(p.Cold.total().CPUMS.Median), number(p.Warm.total().WallMS.Median),
			number(p.Warm.total().CPUMS.Median), number(p.Cold.memory()))
	}
	fmt.Fprintf(out, "\n%-22s %26s %26s %12s %26s %26s\n", "sum of all proofs", "cold", "cold CPU", "cold MB", "warm",
		"warm CPU")
	for _, name := range stagesOf(&doc.Cold, &doc.Warm) {
		cold, warm := doc.Cold.stage(name), doc.Warm.stage(name)
		fmt.Fprintf(out, "%-22s %26s %26s %12s %26s %26s\n", indented(name), cold.WallMS.span(), cold.CPUMS.span(),
			number(cold.AllocMB.Median), warm.WallMS.span(), warm.CPUMS.span())
	}
}

func indented(stage string) string {
	if group, part, ok := strings.Cut(stage, "/"); ok {
		return strings.Repeat(" ", min(len(group), 2)) + part
	}
	return stage
}

func (p *phase) memory() float64 {
	if p.MemoryMB == nil {
		return 0
	}
	return p.MemoryMB.Median
}

// maxDifferences is the largest number of proofs in a comparison.
const maxDifferences = 20

// printComparison compares documents by stage, and lists the proofs that changed by more than the spread of their
// runs.
func printComparison(out io.Writer, doc, before *stagesDocument) {
	fmt.Fprintf(out, "\nbefore: %s (%d runs), now: %s (%d runs); * marks differences beyond the spread: every run of "+
		"one side is slower than every run of the other\n",
		before.Tool, before.Runs, doc.Tool, doc.Runs)
	// Sums over different proofs are not comparable.
	now, then := &stagesDocument{}, &stagesDocument{}
	type pair struct{ now, then *stagesProof }
	var pairs []pair
	known := map[string]*stagesProof{}
	for i := range before.Proofs {
		known[before.Proofs[i].Name] = &before.Proofs[i]
	}
	for i := range doc.Proofs {
		p := &doc.Proofs[i]
		o := known[p.Name]
		if o == nil {
			fmt.Fprintf(out, "%s is new\n", p.Name)
			continue
		}
		delete(known, p.Name)
		if o.Verdict != p.Verdict {
			fmt.Fprintf(out, "%s is %s and was %s\n", p.Name, p.Verdict, o.Verdict)
		}
		pairs = append(pairs, pair{p, o})
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		fmt.Fprintf(out, "%s no longer exists\n", name)
	}
	for _, x := range pairs {
		now.sumUp(x.now)
		then.sumUp(x.then)
	}
	now.finish()
	then.finish()
	for _, warm := range []bool{false, true} {
		title := "cold"
		if warm {
			title = "warm"
		}
		a, b := phaseOf(&then.Cold, &then.Warm, warm), phaseOf(&now.Cold, &now.Warm, warm)
		if len(a.Stages) == 0 || len(b.Stages) == 0 {
			continue
		}
		fmt.Fprintf(out, "\n%-22s %26s %26s %8s   %26s %26s %8s\n", title+", sum", "before", "now", "ratio", "CPU before",
			"CPU now", "ratio")
		for _, name := range stagesOf(a, b) {
			if a.Stages[name] == nil || b.Stages[name] == nil {
				continue // one side did not measure it
			}
			x, y := a.stage(name), b.stage(name)
			fmt.Fprintf(out, "%-22s %26s %26s %8s %1s %26s %26s %8s %s\n", indented(name), x.WallMS.span(), y.WallMS.span(),
				ratio(&y.WallMS, &x.WallMS), beyond(&y.WallMS, &x.WallMS),
				x.CPUMS.span(), y.CPUMS.span(), ratio(&y.CPUMS, &x.CPUMS), beyond(&y.CPUMS, &x.CPUMS))
		}
		type change struct {
			name    string
			x, y    *stageCost
			log     float64
			outside bool
		}
		var changes []change
		sum := 0.0
		for _, q := range pairs {
			x, y := phaseOf(&q.then.Cold, &q.then.Warm, warm).total(), phaseOf(&q.now.Cold, &q.now.Warm, warm).total()
			if x.WallMS.Median > 0 && y.WallMS.Median > 0 {
				c := change{q.now.Name, x, y, math.Log(y.WallMS.Median / x.WallMS.Median), y.WallMS.disjoint(&x.WallMS)}
				changes, sum = append(changes, c), sum+c.log
			}
		}
		if len(changes) == 0 {
			continue
		}
		fmt.Fprintf(out, "geometric mean of the %d proofs' ratios of wall clock: %.3f\n", len(changes),
			math.Exp(sum/float64(len(changes))))
		changes = slices.DeleteFunc(changes, func(c change) bool { return !c.outside })
		slices.SortStableFunc(changes, func(a, b change) int { return cmpAbs(b.log, a.log) })
		fmt.Fprintf(out, "proofs that differ beyond their spread: %d\n", len(changes))
		for _, c := range changes[:min(len(changes), maxDifferences)] {
			fmt.Fprintf(out, "  %-38s %26s %26s %8s\n", c.name, c.x.WallMS.span(), c.y.WallMS.span(),
				ratio(&c.y.WallMS, &c.x.WallMS))
		}
	}
}

func cmpAbs(a, b float64) int {
	switch a, b = math.Abs(a), math.Abs(b); {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// sumUp adds a proof's costs to the document's, run by run.
func (d *stagesDocument) sumUp(p *stagesProof) {
	d.Cold.sumUp(&p.Cold)
	d.Warm.sumUp(&p.Warm)
}

func (p *phase) sumUp(o *phase) {
	for name, c := range o.Stages {
		if p.Stages == nil {
			p.Stages = map[string]*stageCost{}
		}
		if p.Stages[name] == nil {
			p.Stages[name] = &stageCost{}
		}
		to := p.Stages[name].columns()
		for i, column := range c.columns() {
			for run, x := range column.Samples {
				if run == len(to[i].Samples) {
					to[i].Samples = append(to[i].Samples, 0)
				}
				to[i].Samples[run] = round(to[i].Samples[run] + x)
			}
		}
	}
}

func ratio(now, before *spread) string {
	if before.Median == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", now.Median/before.Median)
}

func beyond(now, before *spread) string {
	// A value that one side did not measure (CPU time, in schema 1) is 0 there, and is no difference.
	if before.Max > 0 && now.Max > 0 && now.disjoint(before) {
		return "*"
	}
	return ""
}
