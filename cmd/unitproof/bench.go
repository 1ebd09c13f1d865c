package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// benchCosts are medians over the runs, in milliseconds and mebibytes.
type benchCosts struct {
	CompileMS int64 `json:"compile_ms"`
	VCGenMS   int64 `json:"vcgen_ms"`
	SolveMS   int64 `json:"solve_ms"`
	TotalMS   int64 `json:"total_ms"`
	MemoryMB  int64 `json:"memory_mb"`
}

// each visits the costs together with those of another.
func (c *benchCosts) each(visit func(name string, value *int64)) {
	visit("compile", &c.CompileMS)
	visit("generate", &c.VCGenMS)
	visit("solve", &c.SolveMS)
	visit("total", &c.TotalMS)
	visit("memory", &c.MemoryMB)
}

type benchProof struct {
	Name    string `json:"name"`
	Verdict string `json:"verdict"`
	benchCosts
}

// benchDocument is what bench writes; two of them can be compared.
type benchDocument struct {
	Schema int          `json:"schema"`
	Tool   string       `json:"tool"`
	Runs   int          `json:"runs"`
	CPUs   int          `json:"cpus"`
	Median benchCosts   `json:"median"` // over the proofs
	Sum    benchCosts   `json:"sum"`
	Proofs []benchProof `json:"proofs"`
}

// benchCommand is for the people who work on this program.
func benchCommand(std streams) *cobra.Command {
	var flags project.Flags
	var h hidden
	runs, output, old, native := 5, "", "", false
	cmd := &cobra.Command{
		Use: "bench [--runs N] [--json FILE] [--compare FILE] [FILE.c | DIR]...", Hidden: true,
		Short: "Time the stages of proofs",
		RunE: func(cmd *cobra.Command, args []string) error {
			if native {
				l, err := listProofs(flags, &h, args)
				if err != nil {
					return err
				}
				return benchReplay(cmd.Context(), std, l, &h)
			}
			return bench(cmd.Context(), std, flags, &h, runs, output, old, args)
		},
	}
	f := cmd.Flags()
	addSelection(f, &flags)
	addSettings(f, &flags)
	addHidden(f, &h)
	f.IntVar(&runs, "runs", 5, "how often each proof is checked, `N`")
	f.StringVar(&output, "json", "", "write the numbers to `FILE`")
	f.BoolVar(&native, "replay", false, "time native runs of counterexamples instead")
	f.StringVar(&old, "compare", "", "compare with the `FILE` of an earlier call")
	return cmd
}

func bench(ctx context.Context, std streams, flags project.Flags, h *hidden, runs int, output, old string, args []string) error {
	if runs < 1 {
		return errors.New("--runs: at least 1")
	}
	var before *benchDocument
	if old != "" {
		data, err := os.ReadFile(old)
		if err != nil {
			return err
		}
		before = &benchDocument{}
		if err := json.Unmarshal(data, before); err != nil {
			return fmt.Errorf("%s: %w", old, err)
		}
	}
	l, err := listProofs(flags, h, args)
	if err != nil {
		return err
	}
	if len(l.errors) > 0 {
		return errors.New(l.errors[0].Reason)
	}
	// One at a time, or they would measure each other.
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: 1})
	defer pool.Close()
	samples := make([][]diagnostics.Proof, len(l.proofs))
	for range runs {
		for i, r := range pool.Run(ctx, l.batch(h), nil) {
			samples[i] = append(samples[i], r.Proof)
		}
		if ctx.Err() != nil {
			return exitCode(exitInterrupted)
		}
	}
	doc := benchDocument{Schema: 1, Tool: toolName(), Runs: runs, CPUs: runtime.NumCPU(), Proofs: []benchProof{}}
	var all []benchCosts
	for _, s := range samples {
		var costs []benchCosts
		verdict := string(s[0].Verdict)
		for _, p := range s {
			costs = append(costs, benchCosts{p.Stats.CompileMS, p.Stats.VCGenMS, p.Stats.SolveMS, p.Stats.TotalMS, p.Stats.MemoryMB})
			if string(p.Verdict) != verdict {
				return fmt.Errorf("%s is sometimes %s and sometimes %s", p.Name, verdict, p.Verdict)
			}
		}
		one := benchProof{Name: s[0].Name, Verdict: verdict, benchCosts: medians(costs)}
		doc.Proofs = append(doc.Proofs, one)
		all = append(all, one.benchCosts)
	}
	doc.Median = medians(all)
	for _, c := range all {
		c.each(func(name string, value *int64) {
			doc.Sum.each(func(n string, sum *int64) {
				if n == name {
					*sum += *value
				}
			})
		})
	}
	if err := printBench(std.out, &doc, before); err != nil {
		return err
	}
	if output == "" {
		return nil
	}
	return writeOutput(std, output, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(doc)
	})
}

func medians(list []benchCosts) benchCosts {
	columns := map[string][]int64{}
	for i := range list {
		list[i].each(func(name string, value *int64) { columns[name] = append(columns[name], *value) })
	}
	var out benchCosts
	out.each(func(name string, value *int64) {
		c := columns[name]
		slices.Sort(c)
		if len(c) > 0 {
			*value = c[len(c)/2]
		}
	})
	return out
}

func printBench(w io.Writer, doc, before *benchDocument) error {
	out := &sticky{w: w}
	fmt.Fprintf(out, "%-40s %-9s %9s %9s %9s %9s %9s\n", "median of "+fmt.Sprint(doc.Runs), "verdict", "compile", "generate", "solve", "total", "memory")
	row := func(name, verdict string, c benchCosts) {
		fmt.Fprintf(out, "%-40s %-9s", name, verdict)
		c.each(func(name string, value *int64) {
			unit := "ms"
			if name == "memory" {
				unit = "MB"
			}
			fmt.Fprintf(out, " %6d %s", *value, unit)
		})
		fmt.Fprintln(out)
	}
	for _, p := range doc.Proofs {
		row(p.Name, p.Verdict, p.benchCosts)
	}
	row("sum", "", doc.Sum)
	row("median", "", doc.Median)
	if before != nil {
		row("sum, before", "", before.Sum)
		row("median, before", "", before.Median)
		verdicts := map[string]string{}
		for _, p := range before.Proofs {
			verdicts[p.Name] = p.Verdict
		}
		for _, p := range doc.Proofs {
			if v, known := verdicts[p.Name]; known && v != p.Verdict {
				fmt.Fprintf(out, "%s is %s and was %s\n", p.Name, p.Verdict, v)
			}
		}
	}
	return out.err
}
