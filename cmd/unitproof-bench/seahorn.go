package main

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/cmd/unitproof-bench/seahorn"
)

// seahornCommand prepares SeaHorn's proofs of aws-c-common, the corpus of most measurements.
func seahornCommand(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "seahorn DIR",
		Short: "Write the unitproof.toml of a clone of verify-c-common",
		Long: `seahorn reads the jobs of a clone of verify-c-common that has one of aws-c-common in it, writes unitproof.toml and the
header that CMake would make, and prints the file of each proof, for "unitproof check".`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := seahorn.Read(args[0])
			if err != nil {
				return err
			}
			if err := p.Write(args[0]); err != nil {
				return err
			}
			for _, j := range p.Jobs {
				fmt.Fprintln(std.Out, filepath.Join(args[0], j.Harness))
			}
			return nil
		},
	}
}
