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
	"github.com/unitproof/unitproof/vcgen/found"
)

// resultsFlags are the flags of import results.
type resultsFlags struct {
	accept                      []found.Verdict
	json, results, junit, sarif string
	quiet, verbose              bool
}

func importResultsCommand(std cli.Streams) *cobra.Command {
	var flags resultsFlags
	cmd := &cobra.Command{
		Use: "results FILE...", Short: "Merge the results of several runs, and report which hold here",
		Long: `import results reads what "check --results" or "check --json" wrote, prints the proofs as check does, and
exits with the status of a single run of all of them. It is an error if a shard is
missing, if the shards divided the proofs differently, or if a proof was done twice.

In a folder that has these proofs it reports the results whose files
differ from those here.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("which results? unitproof import results FILE [FILE...]")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return importResults(cmd.Context(), std, &flags, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	cli.AddParsed(f, "accept", "bounded,unknown", "verdicts that do not fail the run", func(s string) error {
		list, err := parseAccept(s)
		flags.accept = append(flags.accept, list...)
		return err
	})
	f.StringVar(&flags.json, "json", "", "write all results as JSON to `FILE`")
	f.StringVar(&flags.results, "results", "", "write all results to `FILE` with what they rest on")
	f.StringVar(&flags.junit, "junit", "", "write all results as JUnit XML to `FILE`")
	f.StringVar(&flags.sarif, "sarif", "", "write all results as SARIF to `FILE`")
	f.BoolVarP(&flags.quiet, "quiet", "q", false, "print only failures")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print every finding")
	return cmd
}

func importResults(ctx context.Context, std cli.Streams, flags *resultsFlags, files []string) error {
	if flags.quiet && flags.verbose {
		return errors.New("-q and -v cannot be combined")
	}
	if err := cli.CheckOutputs(flags.json, flags.results, flags.junit, flags.sarif); err != nil {
		return err
	}
	var parts []diagnostics.Part
	for _, file := range files {
		doc, err := cli.ReadResults(file)
		if err != nil {
			return err
		}
		parts = append(parts, diagnostics.Part{File: file, Document: doc})
	}
	doc, problems := diagnostics.Merge(parts)
	w, err := project.Open(".", project.Flags{})
	if w == nil {
		return err
	}
	sources := pipeline.ReadSources(cli.RootOf(w))
	out := &cli.Sticky{W: std.Out}
	text := diagnostics.NewTextWriter(out, diagnostics.TextOptions{Sources: sources, Color: cli.WantsColor(std.Out),
		Quiet: flags.quiet, Verbose: flags.verbose, Width: cli.TerminalWidth(std.Out)})
	for i := range doc.Proofs {
		text.Proof(&doc.Proofs[i])
	}
	if !flags.quiet && err == nil {
		for _, line := range staleResults(ctx, w, doc.Proofs) {
			fmt.Fprintln(out, line)
		}
	}
	status := diagnostics.ExitStatus(doc.Proofs, flags.accept)
	if len(doc.Proofs) > 0 {
		text.Total(doc.Proofs)
	}
	for _, p := range problems {
		fmt.Fprintf(std.Err, "unitproof: %s\n", p)
		status = diagnostics.ExitError
	}
	failed := []error{out.Err}
	write := func(name string, f func(io.Writer) error) {
		if name != "" {
			failed = append(failed, cli.WriteOutput(std, name, f))
		}
	}
	write(flags.json, func(w io.Writer) error { return diagnostics.WriteJSON(w, doc) })
	write(flags.results, func(w io.Writer) error { return diagnostics.WriteJSON(w, doc.ForOthers()) })
	write(flags.junit, func(w io.Writer) error { return diagnostics.WriteJUnit(w, doc, sources, flags.accept) })
	write(flags.sarif, func(w io.Writer) error { return diagnostics.WriteSARIF(w, doc, sources) })
	if err := errors.Join(failed...); err != nil {
		return err
	}
	if status != diagnostics.ExitProved {
		return cli.ExitCode(status)
	}
	return nil
}

// staleResults returns a line for each result that differs in its dependencies from a proof of the folder.
func staleResults(ctx context.Context, w *project.Workspace, results []diagnostics.Proof) (lines []string) {
	proofs, _ := w.Proofs(nil) // proofs that cannot be listed here are not compared
	here := map[string]*project.Proof{}
	for i := range proofs {
		here[proofs[i].Name] = &proofs[i]
	}
	rests := pipeline.NewRests(cli.RootOf(w), "")
	compared, stale := 0, 0
	for i := range results {
		r := &results[i]
		p := here[r.Name]
		if p == nil || r.RestsOn == nil || cli.RootOf(w).Show(p.File) != r.File {
			continue
		}
		compared++
		if why := rests.Fresh(ctx, p, r.RestsOn, func(names []string) map[string][]project.Unit {
			return w.Definitions(p, names)
		}); why != "" {
			stale++
			lines = append(lines, fmt.Sprintf("%s: not of the files here: %s", r.Name, why))
		}
	}
	if compared == 0 {
		return nil
	}
	return append(lines, fmt.Sprintf("%d of %d results are of the files as they are here", compared-stale, compared))
}
