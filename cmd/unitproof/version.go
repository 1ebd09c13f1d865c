package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
)

func versionCommand(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(std.Out, cli.ToolName())
			return err
		},
	}
}
