package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the Makefile where git knows better.
var version = "0.1.0-dev"

func versionCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(std.out, toolName())
			return err
		},
	}
}

// toolName is the program with its version and, where the build recorded one, its commit.
func toolName() string {
	name := "unitproof " + version
	if info, ok := debug.ReadBuildInfo(); ok {
		commit, dirty := "", ""
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision" && len(s.Value) >= 12:
				commit = s.Value[:12]
			case s.Key == "vcs.modified" && s.Value == "true":
				dirty = "+changes"
			}
		}
		if commit != "" {
			name += " (" + commit + dirty + ")"
		}
	}
	return name
}
