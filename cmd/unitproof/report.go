package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

func reportCommand(std cli.Streams) *cobra.Command {
	flags := checkFlags{quiet: true, explain: true}
	cmd := &cobra.Command{
		Use:   "report --html DIR [flags] [FILE.c | DIR]...",
		Short: "Write a page about unit proofs that people read without the program",
		Long: `report checks proofs as check does and writes one page, DIR/index.html, with their verdicts, what
they rest on, counterexamples with their steps, and the sources with marks. The page needs no
network and no scripts, and can be printed.

The exit status is that of check.`,
		ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.html == "" {
				return errors.New("--html DIR is missing: where the page is written")
			}
			return check(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.html, "html", "", "write the page to `DIR`/index.html")
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	cli.AddRemote(f, &flags.engine)
	cli.AddCluster(f, &flags.engine)
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "how many proofs are checked at the same time, `N`; 0: one per CPU")
	f.BoolVar(&flags.noCache, "no-cache", false, "answer nothing from earlier runs, and keep nothing for later ones")
	f.BoolVar(&flags.explain, "explain", true, "also tell what each proof rests on, and what no execution does")
	f.BoolVar(&flags.strength, "strength", false,
		"also tell which small changes of the code the proofs would not notice; takes many times the check")
	f.BoolVar(&flags.replay, "replay", false,
		"run each counterexample natively, under sanitizers, and tell whether it reproduces")
	return cmd
}

// writePage writes the page of a run.
func (run *checkRun) writePage(ctx context.Context, doc diagnostics.Document, results []pipeline.Result) error {
	dir := run.flags.html
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("the folder of the page: %w", err)
	}
	root := run.listed.Root
	covered := map[string]map[int]bool{}
	for _, r := range results {
		for file, lines := range r.Covered {
			name := root.Show(file)
			if covered[name] == nil {
				covered[name] = map[int]bool{}
			}
			for line, hit := range lines {
				covered[name][line] = covered[name][line] || hit
			}
		}
	}
	name := filepath.Join(dir, "index.html")
	strengths, err := run.strengths(ctx, results)
	if err != nil {
		return err
	}
	if err := cli.WriteOutput(run.std, name, func(w io.Writer) error {
		return diagnostics.WritePage(w, doc, pipeline.ReadSources(root), covered, strengths)
	}); err != nil {
		return err
	}
	fmt.Fprintf(run.people, "wrote %s\n", name)
	return nil
}

// strengths are those of the proofs that are proved, by name, where they were asked for.
func (run *checkRun) strengths(ctx context.Context, results []pipeline.Result) (map[string]*diagnostics.Strength,
	error) {
	if !run.flags.strength {
		return nil, nil
	}
	l := run.listed
	checker := pipeline.NewChecker(l.Batch(&run.flags.engine).Settings)
	defer checker.Close()
	out := map[string]*diagnostics.Strength{}
	for i := range results {
		p := l.Proofs[i]
		if results[i].Proof.Verdict != found.Proved || ctx.Err() != nil {
			continue
		}
		define := func(names []string) map[string][]project.Unit { return l.Workspace.Definitions(&p, names) }
		s, err := checker.Strength(ctx, p, define, pipeline.StrengthOptions{Jobs: run.flags.jobs, Max: maxMutants}, nil)
		if err != nil {
			return nil, fmt.Errorf("the strength of %s: %w", p.Name, err)
		}
		out[p.Name] = s
	}
	return out, nil
}
