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
		ValidArgsFunction: func(_ *cobra.Command, before []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(before) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return project.KindNames(), cobra.ShellCompDirectiveNoFileComp
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
