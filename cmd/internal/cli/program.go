// Package cli has the parts that the programs of this module share. Reading order:
//
//   - program.go: the process, with its signals and exit statuses
//   - flags.go: the flags that select proofs and set options, from the declarations of the keys of unitproof.toml
//   - listed.go: the workspace and the proofs of a call
//   - remote.go: the shared cache and the cluster that a call may use
//   - output.go, results.go: files that are written and read
//   - complete.go, manual.go, usage.go: shell completion, the manual, the usage text
//
// A program passes its commands to Main:
//
//	func main() { cli.Main(rootCommand) }
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
)

// Streams are the standard streams of a call; tests substitute them.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// ExitInterrupted is the exit status after an interrupt, as in shells.
const ExitInterrupted = 130

// ExitCode is an error whose message was already printed.
type ExitCode int

func (e ExitCode) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// endTime is the time in which a program has to end after a signal.
const endTime = 10 * time.Second

// Main is the main function of a program; root returns its commands for the arguments of a call.
func Main(root func(Streams, []string) *cobra.Command) {
	pipeline.CollectLate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program at once
		// The first ends it too, after a while: a call to a file system that does not respond blocks.
		time.Sleep(endTime)
		fmt.Fprintln(os.Stderr, "unitproof: interrupted, and not finished within "+endTime.String())
		os.Exit(ExitInterrupted)
	}()
	std := Streams{os.Stdin, os.Stdout, os.Stderr}
	status := Run(ctx, root(std, os.Args[1:]), os.Args[1:], std)
	pipeline.Cleanup()
	os.Exit(status)
}

// Run runs a program in this process, and returns the exit status.
func Run(ctx context.Context, root *cobra.Command, args []string, std Streams) int {
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var code ExitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(std.Err, "%s: %v\n", root.Name(), err)
	return diagnostics.ExitError
}

// Root sets the properties that all programs share.
func Root(root *cobra.Command, std Streams) *cobra.Command {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetUsageFunc(usage)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if strings.HasPrefix(err.Error(), "invalid argument") {
			return err // it describes the valid values
		}
		return fmt.Errorf("%w; \"%s --help\" lists the flags", err, cmd.CommandPath())
	})
	return root
}
