package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// laterCommands are subcommands of the plan that this version does not have. They are not in
// the help, and whoever calls them is told.
func laterCommands() []*cobra.Command {
	var list []*cobra.Command
	for _, name := range []string{"watch"} {
		list = append(list, &cobra.Command{
			Use: name, Hidden: true, DisableFlagParsing: true,
			RunE: func(*cobra.Command, []string) error {
				return fmt.Errorf("%s: not in this version", name)
			},
		})
	}
	return list
}
