package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/docs"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// explainCommand shows sections of docs/kinds.md and docs/glossary.md, which are embedded in the program.
func explainCommand(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "explain [WORD]", Short: "Explain a kind of finding, a verdict or an assumption",
		Long: "Explain a word of the output, with advice: a kind of finding, with an example; a " +
			"verdict; " +
			"a limit; a kind of assumption. Without WORD, list them.",
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
						help += " (off by default)"
					}
					if _, err := fmt.Fprintf(std.Out, "%-22s %s\n", kind, help); err != nil {
						return err
					}
				}
				_, err := fmt.Fprintf(std.Out, "\nOther words (docs/glossary.md): %s\n", strings.Join(docs.Words(), ", "))
				return err
			}
			word := strings.ReplaceAll(strings.ToLower(strings.Join(args, "-")), " ", "-") // "depends on" is depends-on
			text := docs.Word(word)
			if text == "" {
				kind, err := project.ParseKind(word)
				if err != nil {
					return err
				}
				text = docs.Kind(string(kind))
			}
			_, err := fmt.Fprint(std.Out, text)
			return err
		},
	}
}
