package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// exportFlags are the flags of export.
type exportFlags struct {
	project project.Flags
	engine  cli.Engine
	to      string
	output  string
}

func exportCommand(std cli.Streams) *cobra.Command {
	var flags exportFlags
	cmd := &cobra.Command{
		Use:   "export --to=FORMAT FILE.c",
		Short: "Write a proof as a program for other tools: " + strings.Join(pipeline.ExportFormats, ", "),
		Long: `export writes a proof as one program that needs no header of unitproof, for CBMC, ESBMC, KLEE,
SeaHorn and other tools:

  sv-comp  a C file in the words of SV-COMP: arbitrary values come from __VERIFIER_nondet_int()
           and its like, __VERIFIER_assume() assumes, and an assertion that is violated calls
           reach_error()
  ll, bc   the same as LLVM assembly or bitcode

The program is compiled before it is written. Several files are merged if they can be. Contracts
and queries about memory cannot be expressed: they are an error.`,
		Args: oneFile, ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return export(cmd.Context(), std, &flags, args[0])
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.to, "to", "", "the `FORMAT`: "+strings.Join(pipeline.ExportFormats, ", "))
	cli.Offer(f, "to", pipeline.ExportFormats...)
	if err := cmd.MarkFlagRequired("to"); err != nil {
		panic(err)
	}
	f.StringVarP(&flags.output, "output", "o", "-", "the `FILE` to write; - is standard output")
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	return cmd
}

func export(ctx context.Context, std cli.Streams, flags *exportFlags, file string) error {
	if !slices.Contains(pipeline.ExportFormats, flags.to) {
		return fmt.Errorf("--to: %q is not one of %s", flags.to, strings.Join(pipeline.ExportFormats, ", "))
	}
	if err := cli.CheckOutputs(flags.output); err != nil {
		return err
	}
	l, err := cli.Some(flags.project, &flags.engine, []string{file})
	if err != nil {
		return err
	}
	if err := l.KeepsInputs(flags.output); err != nil {
		return err
	}
	if len(l.Proofs) != 1 {
		var names []string
		for _, p := range l.Proofs {
			names = append(names, p.Entry)
		}
		return fmt.Errorf("%s holds %d proofs (%s): choose one with --entry", file, len(l.Proofs), strings.Join(names, ", "))
	}
	checker := pipeline.NewChecker(pipeline.Settings{Root: l.Root, Solver: flags.engine.Solver})
	defer checker.Close()
	p := l.Proofs[0]
	failed, out, err := checker.Export(ctx, p, func(names []string) map[string][]project.Unit {
		return l.Workspace.Definitions(&p, names)
	}, flags.to)
	switch {
	case ctx.Err() != nil:
		return cli.ExitCode(cli.ExitInterrupted)
	case failed != nil:
		diagnostics.NewTextWriter(std.Err, diagnostics.TextOptions{Sources: pipeline.ReadSources(l.Root),
			Color: cli.WantsColor(std.Err)}).Proof(failed)
		return cli.ExitCode(diagnostics.ExitError)
	case err != nil:
		return fmt.Errorf("%s is not exported: %w", p.Name, err)
	}
	for _, note := range out.Notes {
		fmt.Fprintf(std.Err, "%s: %s\n", p.Name, note)
	}
	return cli.WriteOutput(std, flags.output, func(w io.Writer) error {
		_, err := w.Write(out.Data)
		return err
	})
}
