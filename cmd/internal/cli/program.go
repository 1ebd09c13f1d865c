// Package cli is what the programs of this module share: a process with its signals and exit statuses (program.go), the
// flags that select proofs and decide settings (flags.go), the proofs that a call is about (listed.go), files that are
// written (output.go), what shells complete (complete.go), the manual (manual.go).
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

// Streams are the standard streams of a call; tests have their own.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// ExitInterrupted is the exit status after an interrupt, as shells have it.
const ExitInterrupted = 130

// ExitCode is an error that was already explained.
type ExitCode int

func (e ExitCode) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// endTime is what a program gets to end in when it is told to.
const endTime = 10 * time.Second

// Main is the main function of a program whose commands root makes for the arguments of a call.
func Main(root func(Streams, []string) *cobra.Command) {
	pipeline.CollectLate()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program at once
		// So does the first, after a while: a file system that does not answer holds up whoever asks it.
		time.Sleep(endTime)
		fmt.Fprintln(os.Stderr, "unitproof: interrupted, and not done within "+endTime.String())
		os.Exit(ExitInterrupted)
	}()
	std := Streams{os.Stdin, os.Stdout, os.Stderr}
	status := Run(ctx, root(std, os.Args[1:]), os.Args[1:], std)
	pipeline.Cleanup()
	os.Exit(status)
}

// Run is a program without the process around it; it returns the exit status.
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

// Root sets what is the same for all programs.
func Root(root *cobra.Command, std Streams) *cobra.Command {
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
	root.SetUsageFunc(usage)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if strings.HasPrefix(err.Error(), "invalid argument") {
			return err // it says what the value should be
		}
		return fmt.Errorf("%w; \"%s --help\" lists the flags", err, cmd.CommandPath())
	})
	return root
}
