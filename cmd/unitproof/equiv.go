package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// equivFlags are the flags of equiv.
type equivFlags struct {
	project project.Flags
	engine  cli.Engine
	base    string
	json    string
	sarif   string
	noCache bool
	verbose bool
}

func equivCommand(std cli.Streams) *cobra.Command {
	var flags equivFlags
	cmd := &cobra.Command{
		Use:   "equiv [flags] [FUNCTION [FILE.c]]",
		Short: "Compare a function with its version before an edit",
		Long: `equiv runs a function and its version in an earlier revision on the same arbitrary state, and
compares the result, the memory that the caller can reach, the calls of functions without a
body in their order, violations, and whether both return. Without a function, it compares
every function of changed files whose text differs.

Inputs on which the earlier version has undefined behaviour are not compared. The answer names
what was assumed about the arguments; see docs/equiv.md.

Exit status: 0 all are equivalent; 1 one is different; 2 one is equivalent only within bounds,
or not decided; 3 the command line is wrong.`,
		Args: cobra.MaximumNArgs(2), ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runEquiv(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.base, "base", "HEAD", "the `REVISION` of git to compare with")
	f.StringVar(&flags.json, "json", "", "write the answers as JSON to `FILE`; - is standard output")
	f.StringVar(&flags.sarif, "sarif", "", "write the differences as SARIF to `FILE`")
	f.BoolVar(&flags.noCache, "no-cache", false, "ignore cached results, and cache nothing")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print both traces of a difference")
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	return cmd
}

func runEquiv(ctx context.Context, std cli.Streams, flags *equivFlags, args []string) error {
	base, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := cli.CheckOutputs(flags.json, flags.sarif); err != nil {
		return err
	}
	defer flags.engine.OpenCache(flags.noCache)()
	w, err := project.Open(".", flags.project)
	if w == nil || err != nil {
		return err
	}
	revision, err := pipeline.ReadRevision(ctx, base, flags.base)
	if err != nil {
		return err
	}
	c := &pipeline.Comparer{Revision: revision, Generator: pipeline.Generator{Base: base, Flags: flags.project,
		Pool:     pipeline.NewPool(pipeline.PoolOptions{Jobs: 1}),
		Settings: (&cli.Listed{Workspace: w}).Batch(&flags.engine).Settings, Apply: flags.engine.Apply}}
	defer c.Pool.Close()
	c.Settings.Root = paths.Root(w.Root)
	type wanted struct{ function, file string }
	var list []wanted
	switch len(args) {
	case 0:
		for _, file := range revision.Changed {
			if paths.Within(w.Root, file) {
				for _, f := range c.ChangedFunctions(w, file) {
					list = append(list, wanted{f, file})
				}
			}
		}
	case 1:
		list = append(list, wanted{args[0], ""})
	default:
		list = append(list, wanted{args[0], args[1]})
	}
	people := std.Beside(flags.json)
	document := diagnostics.ComparisonDocument{Schema: diagnostics.Schema, Tool: cli.ToolName(), Base: flags.base,
		Functions: []*diagnostics.Comparison{}}
	for _, one := range list {
		out, err := c.Compare(ctx, one.function, one.file)
		if ctx.Err() != nil {
			return cli.ExitCode(cli.ExitInterrupted)
		}
		if err != nil {
			return err
		}
		diagnostics.WriteComparison(people, out, flags.verbose)
		document.Functions = append(document.Functions, out)
	}
	if len(list) == 0 {
		fmt.Fprintf(people, "no function differs from %s\n", flags.base)
	}
	err = errors.Join(flags.write(std, flags.json, func(w io.Writer) error {
		return diagnostics.WriteComparisonsJSON(w, document)
	}), flags.write(std, flags.sarif, func(w io.Writer) error {
		return diagnostics.WriteComparisonsSARIF(w, document, pipeline.ReadSources(c.Settings.Root))
	}))
	if err != nil {
		return err
	}
	if status := diagnostics.ComparisonStatus(document.Functions); status != diagnostics.ExitProved {
		return cli.ExitCode(status)
	}
	return nil
}

func (flags *equivFlags) write(std cli.Streams, file string, write func(w io.Writer) error) error {
	if file == "" {
		return nil
	}
	return cli.WriteOutput(std, file, write)
}
