package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/docs"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// explainCommand shows what docs/kinds.md says, to those who have the program only.
func explainCommand(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "explain [KIND]", Short: "Say what a kind of finding means and how one mends it", Args: cobra.MaximumNArgs(1),
		Long: "Say what a kind of finding means, with an example and how one mends it; without KIND, list the kinds.",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return namesOfKinds(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				for _, kind := range found.Kinds() {
					help := kind.Info().Help
					if kind.Info().Off {
						help += " (off unless asked for)"
					}
					if _, err := fmt.Fprintf(std.Out, "%-22s %s\n", kind, help); err != nil {
						return err
					}
				}
				return nil
			}
			kind, err := project.ParseKind(args[0])
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(std.Out, docs.Kind(string(kind)))
			return err
		},
	}
}

func namesOfKinds() []string {
	var names []string
	for _, kind := range found.Kinds() {
		names = append(names, string(kind))
	}
	return names
}
