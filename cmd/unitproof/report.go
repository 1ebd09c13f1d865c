package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
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
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "how many proofs are checked at the same time, `N`; 0: one per CPU")
	f.BoolVar(&flags.noCache, "no-cache", false, "answer nothing from earlier runs, and keep nothing for later ones")
	f.BoolVar(&flags.explain, "explain", true, "also tell what each proof rests on, and what no execution does")
	f.BoolVar(&flags.replay, "replay", false,
		"run each counterexample natively, under sanitizers, and tell whether it reproduces")
	return cmd
}

// writePage writes the page of a run.
func (run *checkRun) writePage(doc diagnostics.Document, results []pipeline.Result) error {
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
	if err := cli.WriteOutput(run.std, name, func(w io.Writer) error {
		return diagnostics.WritePage(w, doc, pipeline.ReadSources(root), covered)
	}); err != nil {
		return err
	}
	fmt.Fprintf(run.people, "wrote %s\n", name)
	return nil
}
