package cli

import (
	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/pipeline"
)

// WorkerCommand is how a check starts the processes that do its proofs.
func WorkerCommand(std Streams) *cobra.Command {
	return &cobra.Command{
		Use: "worker", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return pipeline.ServeWorker(std.In, std.Out) },
	}
}
