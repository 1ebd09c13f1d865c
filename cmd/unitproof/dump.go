package main

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

func dumpCommand(std streams) *cobra.Command {
	var flags project.Flags
	var h hidden
	stage := ""
	cmd := &cobra.Command{
		Use:   "dump --stage=STAGE FILE.c",
		Short: "Print a stage on the way to the verdicts: " + strings.Join(pipeline.Stages, ", "),
		Long: `dump prints what a unit proof has become at a stage:

  llvm   the linked LLVM assembly
  sea    the unfolded program: its inputs, and its events in execution order
  vc     the verification conditions: for each obligation, when it is violated
  smt2   the same as SMT-LIB scripts`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return dump(cmd.Context(), std, flags, &h, stage, args[0])
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&stage, "stage", "", "the `STAGE` to print")
	if err := cmd.MarkFlagRequired("stage"); err != nil {
		panic(err)
	}
	addSelection(f, &flags)
	addSettings(f, &flags)
	addHidden(f, &h)
	return cmd
}

func dump(ctx context.Context, std streams, flags project.Flags, h *hidden, stage, file string) error {
	if !slices.Contains(pipeline.Stages, stage) {
		return fmt.Errorf("--stage: %q is none of %s", stage, strings.Join(pipeline.Stages, ", "))
	}
	l, err := listProofs(flags, h, []string{file})
	if err != nil {
		return err
	}
	text := diagnostics.NewTextWriter(std.err, diagnostics.TextOptions{Sources: pipeline.ReadSources(l.root), Color: wantsColor(std.err)})
	for i := range l.errors {
		text.Proof(&l.errors[i])
	}
	if len(l.errors) > 0 {
		return exitCode(diagnostics.ExitError)
	}
	if len(l.proofs) != 1 {
		var names []string
		for _, p := range l.proofs {
			names = append(names, p.Entry)
		}
		return fmt.Errorf("%s holds %d proofs (%s): choose one with --entry", file, len(l.proofs), strings.Join(names, ", "))
	}
	checker := pipeline.NewChecker(pipeline.Settings{Root: l.root, Solver: h.solver})
	p := l.proofs[0]
	define := func(names []string) map[string][]project.Unit { return l.workspace.Definitions(&p, names) }
	var buf bytes.Buffer
	failed, err := checker.Dump(ctx, p, define, stage, &buf)
	if failed != nil {
		text.Proof(failed)
		return exitCode(diagnostics.ExitError)
	}
	if err != nil {
		return err
	}
	_, err = std.out.Write(buf.Bytes())
	return err
}
