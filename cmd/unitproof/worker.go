package main

import (
	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/pipeline"
)

// workerCommand is how a check starts the processes that do its proofs.
func workerCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use: "worker", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return pipeline.ServeWorker(std.in, std.out) },
	}
}
