// Command unitproof checks unit proofs of C code. Each subcommand has a file of its own;
// flags.go holds what they share, output.go how results are written.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		stop() // a second signal ends the program at once
	}()
	status := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	pipeline.Cleanup()
	os.Exit(status)
}

// streams are the standard streams of a call; tests have their own.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// exitInterrupted is the exit status after an interrupt, as shells have it.
const exitInterrupted = 130

// exitCode is an error that was already explained.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// run is the program without the process around it; it returns the exit status.
func run(ctx context.Context, args []string, std streams) int {
	root := rootCommand(std, args)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var code exitCode
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	}
	fmt.Fprintf(std.err, "unitproof: %v\n", err)
	return diagnostics.ExitError
}

// commands are the subcommands by their names.
var commands = map[string]func(streams) *cobra.Command{
	"check": checkCommand, "list": listCommand, "dump": dumpCommand, "doctor": doctorCommand, "cache": cacheCommand, "version": versionCommand,
	"lsp": lspCommand, "dap": dapCommand, "replay": replayCommand, "run": runCommand, "worker": workerCommand, "bench": benchCommand,
	"watch": watchCommand, "explain": explainCommand, "attack": attackCommand,
}

// rootCommand is what takes the arguments of a call. When these begin with the name of a subcommand only that one is there: making the flags
// of all costs a fifth of a start.
func rootCommand(std streams, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "unitproof",
		Short: "Check unit proofs of C code",
		Long: `unitproof checks unit proofs: C functions that build an arbitrary input, assume
preconditions, call the code under proof and assert what must hold. It proves the
assertions and the safety of every memory access and operation on the way, or shows
an execution that violates one.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.Version = version // for --version, which says the same as the command
	root.SetVersionTemplate(toolName() + "\n")
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SuggestionsMinimumDistance = 2
	if width := terminalWidth(std.out); width > 0 {
		root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", fmt.Sprintf(".FlagUsagesWrapped %d", width)))
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if strings.HasPrefix(err.Error(), "invalid argument") {
			return err // it says what the value should be
		}
		return fmt.Errorf("%w; \"%s --help\" lists the flags", err, cmd.CommandPath())
	})
	if len(args) > 0 && commands[args[0]] != nil {
		root.AddCommand(commands[args[0]](std))
		return root
	}
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		root.AddCommand(commands[name](std))
	}
	return root
}

// unknownCommand names the command that was meant: one of a similar name, or check before a file or folder.
func unknownCommand(root *cobra.Command, word string) error {
	if similar := root.SuggestionsFor(word); len(similar) > 0 {
		return fmt.Errorf("unknown command %q; did you mean %q?", word, "unitproof "+similar[0])
	}
	if _, err := os.Stat(word); err == nil || filepath.Ext(word) == ".c" {
		return fmt.Errorf("unknown command %q; did you mean %q?", word, "unitproof check "+word)
	}
	return fmt.Errorf("unknown command %q; \"unitproof --help\" lists the commands", word)
}

// oneFile wants one argument, a C file.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%d files were given and one is wanted: unitproof %s", len(args), cmd.Use)
	}
	return nil
}

// someFiles wants at least one argument.
func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no file was given: unitproof %s", cmd.Use)
	}
	return nil
}
