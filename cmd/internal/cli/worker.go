package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/pipeline"
)

// exitPassing is the exit status of a worker whose result may be another one the next time: clusters do not keep it.
const exitPassing = 4

// WorkerCommand is how a check starts the processes that do its proofs: here, with requests on standard input; on a
// cluster with two files, a task and what is to become its result.
func WorkerCommand(std Streams) *cobra.Command {
	return &cobra.Command{
		Use: "worker [TASK RESULT]", Hidden: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return errors.New("the files of a task and of its result are wanted, or nothing")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return pipeline.ServeWorker(std.In, std.Out)
			}
			lasting, err := pipeline.ExecuteTask(cmd.Context(), args[0], args[1])
			if err == nil && !lasting {
				err = ExitCode(exitPassing)
			}
			return err
		},
	}
}
