package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/unitproof/unitproof/cmd/internal/cli"
)

// compareBuilds measures two builds of this program alternately, one run of each at a time, so that other load of the
// machine affects both. Each measures itself, with its own stages.
func compareBuilds(cmd *cobra.Command, std cli.Streams, flags *stagesFlags, args []string) error {
	program := flags.program
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return fmt.Errorf("where this program is: %w", err)
		}
		program = self
	}
	dir, err := os.MkdirTemp("", "unitproof-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	pass := append(forwarded(cmd.Flags(), "runs", "json", "compare", "program", "against", "profile"), args...)
	both := []string{flags.against, program}
	docs := make([]*stagesDocument, len(both))
	for run := range flags.runs {
		for i, name := range both {
			doc, err := measureOnce(cmd.Context(), std, name, filepath.Join(dir, fmt.Sprintf("%d-%d.json", i, run)), pass)
			if err != nil {
				return err
			}
			if docs[i] == nil {
				docs[i] = doc
			} else if err := docs[i].merge(doc); err != nil {
				return err
			}
		}
	}
	return flags.show(std, docs[1], docs[0])
}

// measureOnce makes a program measure one run.
func measureOnce(ctx context.Context, std cli.Streams, program, output string, pass []string) (*stagesDocument, error) {
	cmd := exec.CommandContext(ctx, program, append([]string{"stages", "--runs", "1", "--json", output}, pass...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its workers
	cmd.WaitDelay = 10 * time.Second
	text, err := cmd.CombinedOutput()
	switch {
	case ctx.Err() != nil:
		return nil, cli.ExitCode(cli.ExitInterrupted)
	case err != nil:
		fmt.Fprintf(std.Err, "%s", text)
		return nil, fmt.Errorf("%s stages: %w", program, err)
	}
	return readStages(output)
}

// forwarded returns the given flags as arguments, except those named in but.
func forwarded(flags *pflag.FlagSet, but ...string) []string {
	var out []string
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(but, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		switch v := f.Value.(type) {
		case pflag.SliceValue:
			values = v.GetSlice()
		case *cli.Parsed:
			values = v.All
		}
		for _, v := range values {
			out = append(out, "--"+f.Name+"="+v)
		}
	})
	return out
}
