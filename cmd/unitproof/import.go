package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline/kit"
	"github.com/unitproof/unitproof/pipeline/project"
)

func importCommand(std cli.Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use: "import cbmc|results", Short: "Import proofs of a CBMC starter kit, or results of other runs",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("import what? unitproof import cbmc [DIR], or import results FILE [FILE...]")
			}
			return fmt.Errorf("%q cannot be imported; expected cbmc or results", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(importKitCommand(std), importResultsCommand(std))
	return cmd
}

func importKitCommand(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "cbmc [DIR]", Short: "Write unitproof.toml from the Makefiles of a CBMC starter kit",
		Long: `import cbmc reads the proofs of CBMC starter kits in a folder and below, as well as FreeRTOS's Makefile.json, and
writes the folder's unitproof.toml. It runs make to read the variables of each proof's Makefile, which may
execute commands of the Makefile: use it only for folders that you trust.

Run it again to update the file: manual additions and changes stay.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("expected one folder, got %d: unitproof import cbmc [DIR]", len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				if dir = args[0]; dir == "" {
					return errors.New("the folder has no name")
				}
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			return importKit(ctx, std, dir)
		},
	}
}

func importKit(ctx context.Context, std cli.Streams, dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	made, err := kit.Import(ctx, abs)
	if err != nil {
		return err
	}
	if made.Text != made.Old {
		if err := cli.WriteOutput(std, made.Path, func(w io.Writer) error {
			_, err := io.WriteString(w, made.Text)
			return err
		}); err != nil {
			return err
		}
	}
	for _, line := range made.Kits.Lines() {
		fmt.Fprintln(std.Out, line)
	}
	fmt.Fprintf(std.Out, "%s: %s\n", project.ConfigName, made.Report.Line())
	if _, err := project.Open(abs, project.Flags{}); err != nil { // as with an invalid key of the user's
		return err
	}
	if len(made.Kits.Waiting()) > 0 {
		return cli.ExitCode(diagnostics.ExitUndecided)
	}
	return nil
}
