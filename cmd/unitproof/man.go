package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
)

// manCommand writes the manual: one page for man(1), or all pages into a folder for a package.
func manCommand(std cli.Streams) *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use: "man [--dir DIR] [COMMAND]", Short: "Write the manual: `unitproof man check | man -l -`", Hidden: true,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			pages := cli.Manual(cmd.Root())
			if dir != "" {
				return writePages(dir, pages)
			}
			name := "unitproof.1"
			if len(args) > 0 {
				name = "unitproof-" + args[0] + ".1"
			}
			var names []string
			for _, p := range pages {
				if p.Name == name || len(args) > 0 && p.Name == args[0]+".5" {
					_, err := fmt.Fprint(std.Out, p.Text)
					return err
				}
				names = append(names, p.Name)
			}
			return fmt.Errorf("there is no page about %q; the pages are %s", args[0], strings.Join(names, ", "))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "write all pages to the folder `DIR`, in man1 and man5")
	return cmd
}

func writePages(dir string, pages []cli.Page) error {
	for _, p := range pages {
		section := filepath.Join(dir, "man"+strings.TrimPrefix(filepath.Ext(p.Name), "."))
		if err := os.MkdirAll(section, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(section, p.Name), []byte(p.Text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
