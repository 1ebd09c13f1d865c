package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

// auditFlags are the flags of audit.
type auditFlags struct {
	project project.Flags
	engine  cli.Engine
	jobs    int
	noCache bool
	score   float64

	json, sarif, assurance string
}

func auditCommand(std cli.Streams) *cobra.Command {
	var flags auditFlags
	cmd := &cobra.Command{
		Use:   "audit [flags] [FILE.c | DIR]...",
		Short: "Ask of the proofs what a reviewer would ask",
		Long: `audit checks the proofs of a project, and asks of them what a reviewer would: is an
assertion never reached, true as it is written, or only an assumption once more? Does a
contract stand for calls that nothing proves? What was switched off, cut, replaced,
accepted? Which functions does no proof reach? docs/audit.md has all questions.

A finding that is fine is accepted in unitproof.toml: an [[accept]] with audit = "KIND",
perhaps a function, and a reason.

Exit status: 0 nothing is found, but for what is accepted; 1 something is; 3 no proof was
found, or the call is wrong; 130 interrupted.`,
		ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return audit(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "how many proofs are checked at the same time, `N`; 0: one per CPU")
	f.BoolVar(&flags.noCache, "no-cache", false, "answer nothing from earlier runs, and keep nothing for later ones")
	f.Float64Var(&flags.score, "min-score", 0,
		"ask for the strength of each proof, too, and report those that notice less than `N` percent of small\n"+
			"changes of the code; takes many times as long")
	f.StringVar(&flags.json, "json", "", "write the findings as JSON to `FILE`; - is standard output")
	f.StringVar(&flags.sarif, "sarif", "", "write the findings as SARIF to `FILE`")
	f.StringVar(&flags.assurance, "assurance", "",
		"write the statement of what is proved, and under which assumptions, to `FILE` (Markdown)")
	return cmd
}

func audit(ctx context.Context, std cli.Streams, flags *auditFlags, args []string) error {
	people := std.Out
	outputs := []string{flags.json, flags.sarif, flags.assurance}
	standard := 0
	for _, name := range outputs {
		if name == "-" {
			standard++
			people = std.Err
		}
	}
	if standard > 1 {
		return errors.New("only one of --json, --sarif and --assurance can go to standard output")
	}
	if err := cli.CheckOutputs(outputs...); err != nil {
		return err
	}
	if !(flags.score >= 0 && flags.score <= 100) {
		return fmt.Errorf("--min-score %v: a number from 0 to 100 is wanted", flags.score)
	}
	defer flags.engine.OpenCache(flags.noCache)()
	l, err := cli.Some(flags.project, &flags.engine, args)
	if err != nil {
		return err
	}
	if err := l.KeepsInputs(outputs...); err != nil {
		return err
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: flags.jobs, OneRun: true})
	defer pool.Close()
	show := newProgress(std.Err, len(l.Proofs), cli.IsTerminal(std.Err))
	results, findings := pool.Audit(ctx, l.Batch(&flags.engine), l.Workspace,
		pipeline.AuditOptions{MinScore: flags.score}, func(e pipeline.Event) {
			switch {
			case e.Result != nil:
				show.finished()
			case e.Found == nil:
				show.started(l.Proofs[e.Index].Name)
			}
		})
	show.close()
	if ctx.Err() != nil {
		return cli.ExitCode(cli.ExitInterrupted)
	}
	doc := diagnostics.AuditDocument{Schema: diagnostics.Schema, Tool: cli.ToolName(),
		Toolchain: pipeline.DescribeToolchain(ctx, l.Workspace.Config.Clang, flags.engine.Solver), Proofs: len(results),
		Findings: findings}
	if doc.Toolchain.Solvers == nil {
		doc.Toolchain.Solvers = []string{}
	}
	sources := pipeline.ReadSources(l.Root)
	diagnostics.NewTextWriter(people, diagnostics.TextOptions{Sources: sources, Color: cli.WantsColor(people),
		Width: cli.TerminalWidth(people)}).Audit(&doc)
	proofs := make([]diagnostics.Proof, len(results))
	for i := range results {
		proofs[i] = results[i].Proof
	}
	for _, output := range []struct {
		file  string
		write func(io.Writer) error
	}{
		{flags.json, func(w io.Writer) error { return diagnostics.WriteAuditJSON(w, doc) }},
		{flags.sarif, func(w io.Writer) error { return diagnostics.WriteAuditSARIF(w, doc, sources) }},
		{flags.assurance, func(w io.Writer) error { return diagnostics.WriteAssurance(w, doc, proofs) }},
	} {
		if output.file == "" {
			continue
		}
		if err := cli.WriteOutput(std, output.file, output.write); err != nil {
			return err
		}
	}
	if doc.Open() > 0 {
		return cli.ExitCode(1)
	}
	return nil
}
