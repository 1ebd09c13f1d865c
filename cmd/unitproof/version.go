package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

const version = "0.1.0-dev"

// commit is set by the Makefile.
var commit string

func versionCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(std.out, toolName())
			return err
		},
	}
}

// toolName is the program with its version and, where the build said so, its commit.
func toolName() string {
	if commit == "" {
		return "unitproof " + version
	}
	return "unitproof " + version + " (" + commit + ")"
}
