package cli

import (
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// offered is the annotation of a flag that has the values which a shell may complete.
const offered = "unitproof-values"

// Offer says which values a flag can have, for the completion of shells.
func Offer(f *pflag.FlagSet, name string, values ...string) {
	if err := f.SetAnnotation(name, offered, values); err != nil {
		panic(err) // there is no such flag
	}
}

// CFiles completes the names of C files and of folders.
func CFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"c"}, cobra.ShellCompDirectiveFilterFileExt
}

// Completes tells whether the arguments of a call come from a shell that completes.
func Completes(args []string) bool {
	return len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}

// AddCompletions tells a shell what can stand after each flag of a command and of those below it: the values that were
// offered, folders or files after what is called that, else nothing.
func AddCompletions(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		var complete func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)
		name, _ := pflag.UnquoteUsage(f)
		switch values := f.Annotations[offered]; {
		case values != nil:
			complete = cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)
		case name == "FILE":
			return // which is what shells do
		case name == "DIR":
			complete = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return nil, cobra.ShellCompDirectiveFilterDirs
			}
		default:
			complete = cobra.NoFileCompletions
		}
		if err := cmd.RegisterFlagCompletionFunc(f.Name, complete); err != nil {
			panic(err) // it is a flag of the command, and has none yet
		}
	})
	for _, c := range cmd.Commands() {
		AddCompletions(c)
	}
}

// visible are the commands below cmd that people see, in the order of their names.
func visible(cmd *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool {
		return !c.IsAvailableCommand() || c.Name() == "help"
	})
}
