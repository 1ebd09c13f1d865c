package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

func dumpCommand(std cli.Streams) *cobra.Command {
	var flags project.Flags
	var h cli.Engine
	stage := ""
	cmd := &cobra.Command{
		Use:   "dump --stage=STAGE FILE.c",
		Short: "Print an intermediate stage of a proof: " + strings.Join(pipeline.Stages, ", "),
		Long: `dump prints a unit proof at a stage of its check:

  llvm   the linked LLVM assembly
  sea    the unfolded program: its inputs, and its events in execution order
  vc     the verification conditions: for each obligation, when it is violated
  smt2   the same as SMT-LIB scripts`,
		Args: oneFile, ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return dump(cmd.Context(), std, flags, &h, stage, args[0])
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&stage, "stage", "", "the `STAGE` to print")
	cli.Offer(f, "stage", pipeline.Stages...)
	if err := cmd.MarkFlagRequired("stage"); err != nil {
		panic(err)
	}
	cli.AddSelection(f, &flags)
	cli.AddSettings(f, &flags)
	cli.AddEngine(f, &h)
	return cmd
}

func dump(ctx context.Context, std cli.Streams, flags project.Flags, h *cli.Engine, stage, file string) error {
	if !slices.Contains(pipeline.Stages, stage) {
		return fmt.Errorf("--stage: %q is not one of %s", stage, strings.Join(pipeline.Stages, ", "))
	}
	l, err := cli.List(flags, h, []string{file})
	if err != nil {
		return err
	}
	text := diagnostics.NewTextWriter(std.Err, diagnostics.TextOptions{Sources: pipeline.ReadSources(l.Root),
		Color: cli.WantsColor(std.Err)})
	for i := range l.Errors {
		text.Proof(&l.Errors[i])
	}
	if len(l.Errors) > 0 {
		return cli.ExitCode(diagnostics.ExitError)
	}
	if len(l.Proofs) != 1 {
		var names []string
		for _, p := range l.Proofs {
			names = append(names, p.Entry)
		}
		return fmt.Errorf("%s holds %d proofs (%s): choose one with --entry", file, len(l.Proofs), strings.Join(names, ", "))
	}
	checker := pipeline.NewChecker(pipeline.Settings{Root: l.Root, Solver: h.Solver})
	defer checker.Close()
	p := l.Proofs[0]
	define := func(names []string) map[string][]project.Unit { return l.Workspace.Definitions(&p, names) }
	var buf bytes.Buffer
	failed, err := checker.Dump(ctx, p, define, stage, &buf)
	if failed != nil {
		text.Proof(failed)
		return cli.ExitCode(diagnostics.ExitError)
	}
	if err != nil {
		return err
	}
	_, err = std.Out.Write(buf.Bytes())
	return err
}
