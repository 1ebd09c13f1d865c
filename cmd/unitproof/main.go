// Command unitproof checks unit proofs of C code. Each subcommand has its own file, named after it: check.go,
// list.go, lsp.go and so on. Parts that all programs share (flags, the list of proofs, output files) are in
// cmd/internal/cli.
//
// A call goes through main.go to a subcommand. check, the main one, lists the proofs (cli.List), runs them
// (pipeline.Pool) and writes the results (package diagnostics):
//
//	unitproof check ring_harness.c
//	src/ring.c:12:8: failed [out-of-bounds-write] writes 4 bytes at offset 40 of `storage` ...
//
// The exit statuses are in diagnostics/verdict.go. Tests of the command line are the scripts in testdata, which the
// test binary runs in place of the program (TestScripts), and the corpora of programs with markers (TestAcceptance).
package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/pipeline/wrap"
)

func main() {
	wrap.Intercept()
	cli.Main(rootCommand)
}

// commands are the subcommands by name.
var commands = map[string]func(cli.Streams) *cobra.Command{
	"check": checkCommand, "list": listCommand, "dump": dumpCommand, "doctor": doctorCommand, "cache": cacheCommand,
	"version": versionCommand,
	"lsp":     lspCommand, "dap": dapCommand, "replay": replayCommand, "run": runCommand, "worker": cli.WorkerCommand,
	"watch": watchCommand, "explain": explainCommand, "trust": trustCommand,
	"import": importCommand, "strength": strengthCommand, "report": reportCommand,
	"new": newCommand, "suggest": suggestCommand, "export": exportCommand, "equiv": equivCommand, "stub": stubCommand,
	"selftest": selfTestCommand, "mcp": mcpCommand, "audit": auditCommand, "wrap": wrapCommand,
}

// rootCommand returns the root command for the arguments of a call. If these begin with the name of a subcommand, it
// has only that one: creating the flags of all takes a fifth of the start time.
func rootCommand(std cli.Streams, args []string) *cobra.Command {
	version := false
	root := cli.Root(&cobra.Command{
		Use:   "unitproof",
		Short: "Check unit proofs of C code",
		Long: `unitproof checks unit proofs: C functions that build an arbitrary input, assume
preconditions, call the code under proof and assert what must hold. It proves the
assertions and the safety of every memory access and operation on the way, or shows
an execution that violates one.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if version {
				_, err := fmt.Fprintln(std.Out, cli.ToolName())
				return err
			}
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
	}, std)
	root.Flags().BoolVarP(&version, "version", "v", false, "version for unitproof")
	root.SuggestionsMinimumDistance = 2
	if len(args) > 0 && commands[args[0]] != nil {
		root.AddCommand(commands[args[0]](std))
		return root
	}
	for _, name := range slices.Sorted(maps.Keys(commands)) {
		root.AddCommand(commands[name](std))
	}
	root.AddCommand(manCommand(std)) // it is about all of them
	if cli.Completes(args) {
		cli.AddCompletions(root)
	}
	return root
}

// unknownCommand returns an error that suggests a command: one with a similar name, or check for a file or folder.
func unknownCommand(root *cobra.Command, word string) error {
	if similar := root.SuggestionsFor(word); len(similar) > 0 {
		return fmt.Errorf("unknown command %q; did you mean %q?", word, "unitproof "+similar[0])
	}
	if _, err := os.Stat(word); err == nil || filepath.Ext(word) == ".c" {
		return fmt.Errorf("unknown command %q; did you mean %q?", word, "unitproof check "+word)
	}
	return fmt.Errorf("unknown command %q; \"unitproof --help\" lists the commands", word)
}

// oneFile requires exactly one argument, a C file.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("expected one file, got %d: unitproof %s", len(args), cmd.Use)
	}
	return nil
}

// someFiles requires at least one argument.
func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("no file was given: unitproof %s", cmd.Use)
	}
	return nil
}
