package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

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
	clauses bool

	json, sarif, html, assurance string
}

func auditCommand(std cli.Streams) *cobra.Command {
	var flags auditFlags
	cmd := &cobra.Command{
		Use:   "audit [flags] [FILE.c | DIR]...",
		Short: "Review the proofs of a project",
		Long: `audit checks the proofs of a project and reports what a reviewer should look at: assertions
that are never reached, always true, or repeat an assumption; contracts that are used but not
proved; checks that are switched off; loops that are cut; replaced functions; accepted
findings; functions that no proof reaches. docs/audit.md lists all kinds.

A finding can be accepted in unitproof.toml: an [[accept]] with audit = "KIND", a reason, and
optionally a function.

Exit status: 0 no finding, or all are accepted; 1 a finding; 3 no proof was found, or the
command line is wrong; 130 interrupted.`,
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
	f.BoolVar(&flags.noCache, "no-cache", false, "ignore cached results, and cache nothing")
	f.Float64Var(&flags.score, "min-score", 0,
		"also measure the strength of each proof, and report those that notice less than `N` percent of small\n"+
			"changes of the code; takes many times as long")
	f.BoolVar(&flags.clauses, "clauses", false,
		"also report clauses and assumptions that no proof needs, and assertions that could say more;\n"+
			"checks each proof once for each clause")
	f.StringVar(&flags.json, "json", "", "write the findings as JSON to `FILE`; - is standard output")
	f.StringVar(&flags.sarif, "sarif", "", "write the findings as SARIF to `FILE`")
	f.StringVar(&flags.html, "html", "", "write the findings and the proofs as a page to `DIR`/index.html")
	f.StringVar(&flags.assurance, "assurance", "",
		"write the statement of what is proved, and under which assumptions, to `FILE` (Markdown)")
	return cmd
}

func audit(ctx context.Context, std cli.Streams, flags *auditFlags, args []string) error {
	people := std.Out
	page := ""
	if flags.html != "" {
		page = filepath.Join(flags.html, "index.html")
		if err := os.MkdirAll(flags.html, 0o777); err != nil {
			return fmt.Errorf("the folder of the page: %w", err)
		}
	}
	outputs := []string{flags.json, flags.sarif, page, flags.assurance}
	began := time.Now()
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
		return fmt.Errorf("--min-score %v: must be a number from 0 to 100", flags.score)
	}
	defer flags.engine.OpenCache(flags.noCache)()
	l, err := cli.Some(flags.project, &flags.engine, args)
	if err != nil {
		return err
	}
	if err := l.KeepsInputs(outputs...); err != nil {
		return err
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{Jobs: flags.jobs})
	defer pool.Close()
	show := newProgress(std.Err, len(l.Proofs), cli.IsTerminal(std.Err))
	results, findings := pool.Audit(ctx, l.Batch(&flags.engine), l.Workspace,
		pipeline.AuditOptions{MinScore: flags.score, Clauses: flags.clauses}, func(e pipeline.Event) {
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
		{page, func(w io.Writer) error {
			return diagnostics.WriteAuditPage(w, aboutRun(l.Root, began), doc, proofs, sources)
		}},
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
