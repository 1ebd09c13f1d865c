package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline/project"
)

// listedProof is a proof in the JSON of list.
type listedProof struct {
	Name   string `json:"name"`
	File   string `json:"file"`
	Entry  string `json:"entry"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	// Timeout is the limit of its CPU time, in seconds, rounded up.
	Timeout int `json:"timeout"`
}

type listDocument struct {
	Schema int                 `json:"schema"`
	Tool   string              `json:"tool"`
	Root   paths.Root          `json:"root"`
	Proofs []listedProof       `json:"proofs"`
	Errors []diagnostics.Error `json:"errors"`
}

func listCommand(std cli.Streams) *cobra.Command {
	var flags project.Flags
	asJSON := false
	cmd := &cobra.Command{
		Use:   "list [--json] [FILE.c | DIR]...",
		Short: "List the proofs that check would run", ValidArgsFunction: cli.CFiles,
		RunE: func(_ *cobra.Command, args []string) error {
			return list(std, flags, asJSON, args)
		},
	}
	cmd.Flags().SortFlags = false
	cli.AddSelection(cmd.Flags(), &flags)
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return cmd
}

func list(std cli.Streams, flags project.Flags, asJSON bool, args []string) error {
	l, err := cli.List(flags, &cli.Engine{}, args)
	if err != nil {
		return err
	}
	doc := listDocument{Schema: diagnostics.Schema, Tool: cli.ToolName(), Root: l.Root, Proofs: []listedProof{},
		Errors: []diagnostics.Error{}}
	for _, p := range l.Proofs {
		doc.Proofs = append(doc.Proofs, listedProof{p.Name, l.Root.Show(p.File), p.Entry, p.Line, p.Column,
			int(math.Ceil(p.Timeout.Seconds()))})
	}
	for _, p := range l.Errors {
		doc.Errors = append(doc.Errors, p.Errors...)
	}
	err = cli.WriteOutput(std, "-", func(w io.Writer) error {
		if asJSON {
			return cli.EncodeJSON(w, doc)
		}
		if cli.TerminalWidth(std.Out) > 0 { // in columns on a terminal, with tabs for cut
			columns := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
			defer func() { _ = columns.Flush() }() // into a buffer
			w = columns
		}
		for _, p := range doc.Proofs {
			if _, err := fmt.Fprintf(w, "%s\t%s:%d\t%s\n", diagnostics.ShownName(p.Name), diagnostics.ShownName(p.File),
				p.Line, p.Entry); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	text := diagnostics.NewTextWriter(std.Err, diagnostics.TextOptions{Color: cli.WantsColor(std.Err)})
	for i := range l.Errors {
		text.Proof(&l.Errors[i])
	}
	if len(l.Errors) > 0 {
		return cli.ExitCode(diagnostics.ExitError)
	}
	if len(l.Proofs) == 0 && len(l.Workspace.Names()) == 0 {
		return errors.New(l.NothingFound(args, &flags))
	}
	return nil
}
