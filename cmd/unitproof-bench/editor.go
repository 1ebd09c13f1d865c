package main

import (
	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/cmd/unitproof-bench/editor"
)

func editorCommand(std cli.Streams) *cobra.Command {
	opts := editor.Options{Out: std.Out, Err: std.Err}
	cmd := &cobra.Command{
		Use:   "editor [--runs N] [--json FILE]",
		Short: "Measure what an editor's user feels, with a fake editor and a server as a process",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) (err error) {
			if opts.Program, err = measuredProgram(opts.Program); err != nil {
				return err
			}
			return editor.Measure(opts)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&opts.Program, "program", "",
		"the unitproof `PROGRAM` to measure (default: the one in the folder of this program)")
	f.IntVar(&opts.Runs, "runs", 10, "how often each step is taken, `N`")
	f.StringVar(&opts.JSON, "json", "", "write the figures to `FILE`")
	f.StringSliceVar(&opts.Only, "only", nil, "the measurements to take, `NAMES` with commas between (default: all)")
	f.StringVar(&opts.Corpus, "corpus", "", "a workspace `DIR` with a proof of a real code base, whose file is written to")
	f.StringVar(&opts.Proof, "proof", "array_list_back", "the `NAME` of the proof of it to measure")
	f.StringVar(&opts.Edit, "edit", "", "the `FILE` of the code under proof to edit")
	return cmd
}
