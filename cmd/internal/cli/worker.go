package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/pipeline"
)

// exitPassing is the exit status of a worker whose result may be another one the next time: clusters do not cache it.
const exitPassing = 4

// WorkerCommand returns the command of the processes that check proofs. Locally it reads requests from standard
// input; on a cluster it has two files as arguments, a task and its result.
func WorkerCommand(std Streams) *cobra.Command {
	return &cobra.Command{
		Use: "worker [TASK RESULT]", Hidden: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 0 && len(args) != 2 {
				return errors.New("the arguments must be the files of a task and of its result, or none")
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
