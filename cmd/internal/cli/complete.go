package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// offered is the annotation of a flag with the values for shell completion.
const offered = "unitproof-values"

// Offer sets the values of a flag for shell completion.
func Offer(f *pflag.FlagSet, name string, values ...string) {
	if err := f.SetAnnotation(name, offered, values); err != nil {
		panic(err) // there is no such flag
	}
}

// CFiles completes the names of C files and folders.
func CFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"c"}, cobra.ShellCompDirectiveFilterFileExt
}

// Completes reports whether the arguments are a shell's request for completions.
func Completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// AddCompletions registers completions for the flags of a command and of its subcommands: the offered values, folders
// for DIR, files for FILE, else nothing.
func AddCompletions(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		var complete func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)
		name, _ := pflag.UnquoteUsage(f)
		switch values := f.Annotations[offered]; {
		case values != nil:
			complete = cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
		case name == "FILE":
			return // the shell's default
		case name == "DIR":
			complete = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
		default:
			complete = cobra.NoFileCompletions
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic(err) // it is a flag of the command, without a completion so far
		}
	})
	for _, c := range cmd.Commands() {
		AddCompletions(c)
	}
}

// visible returns the visible subcommands of cmd, by name.
func visible(cmd *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool {
		return !c.IsAvailableCommand() || c.Name() == "help"
	})
}
