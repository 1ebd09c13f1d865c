package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/pipeline/links"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/trust"
)

func trustCommand(std cli.Streams) *cobra.Command {
	var list, revoke bool
	cmd := &cobra.Command{
		Use: "trust [flags] [DIR]", Short: "Allow editors to check the proofs of a folder",
		Long: `trust allows the language server to compile the proofs of a folder with the compiler, the flags and the files
outside of it that its unitproof.toml and compile_commands.json ask for now. If they ask for more later, the folder
has to be trusted again. A folder that asks for nothing needs no trust, and neither do commands that you run yourself.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				if dir = args[0]; dir == "" {
					return errors.New("the folder has no name")
				}
			}
			if list && (revoke || len(args) > 0) {
				return errors.New("--list cannot be combined with other arguments")
			}
			return trustFolder(std, dir, list, revoke)
		},
	}
	cmd.Flags().BoolVar(&list, "list", false, "list the folders that are trusted")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "withdraw the trust")
	return cmd
}

func trustFolder(std cli.Streams, dir string, list, revoke bool) error {
	store, err := trust.User()
	if err != nil {
		return err
	}
	if list {
		roots, err := store.List()
		for _, root := range roots {
			fmt.Fprintln(std.Out, root)
		}
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	w, err := project.Open(abs, project.Flags{})
	if w == nil {
		return err
	}
	if revoke {
		if had, err := store.Revoke(w.Root); err != nil || had {
			return err
		}
		return fmt.Errorf("%s is not trusted", w.Root)
	}
	args := []string{abs} // as editors list a folder
	if abs == w.Root {
		args = nil
	}
	proofs, _ := w.Proofs(args)
	known := new(links.Memory)
	request := w.Request(proofs, func(path string) string { return string(known.Of(path)) })
	if request.Empty() {
		fmt.Fprintf(std.Out, "%s asks for nothing that needs trust\n", w.Root)
		return nil
	}
	if err := store.Allow(request); err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "%s is trusted; checking its proofs\n", w.Root)
	for _, line := range request.Lines() {
		fmt.Fprintf(std.Out, "  %s\n", line)
	}
	return nil
}
