package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
)

type doctorDocument struct {
	Schema int             `json:"schema"`
	Tool   string          `json:"tool"`
	OK     bool            `json:"ok"` // all required parts are installed
	Root   string          `json:"root"`
	Config string          `json:"config"` // "" if there is none
	Parts  []pipeline.Part `json:"parts"`
}

func doctorCommand(std cli.Streams) *cobra.Command {
	asJSON, far := false, false
	cmd := &cobra.Command{
		Use: "doctor [--json] [--remote]", Args: cobra.NoArgs,
		Short: "Check the installation, with advice for missing parts",
		RunE:  func(cmd *cobra.Command, _ []string) error { return doctor(cmd.Context(), std, asJSON, far) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	cmd.Flags().BoolVar(&far, "remote", false,
		"also test the shared cache and the cluster, and list the data that is sent to them")
	return cmd
}

func doctor(ctx context.Context, std cli.Streams, asJSON, far bool) error {
	w, err := project.Open(".", project.Flags{})
	if w == nil {
		return err
	}
	d := doctorDocument{Schema: diagnostics.Schema, Tool: cli.ToolName(), OK: true, Root: w.Root,
		Parts: pipeline.Doctor(ctx, w.Config.Clang)}
	if path := filepath.Join(w.Root, project.ConfigName); fileExists(path) {
		d.Config = path
		part := pipeline.Part{Name: project.ConfigName, Required: true, OK: err == nil, Detail: path}
		if err != nil {
			part.Detail = err.Error()
		}
		d.Parts = append(d.Parts, part)
	}
	if far {
		d.Parts = append(d.Parts, remoteParts(w)...)
	}
	for _, p := range d.Parts {
		d.OK = d.OK && (p.OK || !p.Required)
	}
	err = cli.WriteOutput(std, "-", func(out io.Writer) error {
		if asJSON {
			return cli.EncodeJSON(out, d)
		}
		return printDoctor(out, &d)
	})
	if err != nil {
		return err
	}
	if !d.OK {
		return cli.ExitCode(diagnostics.ExitError)
	}
	return nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func printDoctor(w io.Writer, d *doctorDocument) error {
	out := &cli.Sticky{W: w}
	config := "no " + project.ConfigName
	if d.Config != "" {
		config = project.ConfigName
	}
	fmt.Fprintf(out, "%s\nroot: %s (%s)\n\n", d.Tool, d.Root, config)
	for _, p := range d.Parts {
		state := "ok"
		switch {
		case !p.OK && p.Required:
			state = "MISSING"
		case !p.OK:
			state = "missing"
		}
		fmt.Fprintf(out, "%-8s %-22s %s\n", state, p.Name, p.Detail)
		if p.Advice != "" {
			fmt.Fprintf(out, "         %s\n", p.Advice)
		}
	}
	if !d.OK {
		fmt.Fprintln(out, "\nproofs cannot be checked until the MISSING parts are installed")
	}
	return out.Err
}
