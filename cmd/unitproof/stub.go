package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/harness"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
)

// stubFlags are the flags of stub.
type stubFlags struct {
	project project.Flags
	engine  cli.Engine
	write   bool
}

func stubCommand(std cli.Streams) *cobra.Command {
	var flags stubFlags
	cmd := &cobra.Command{
		Use:   "stub [flags] FUNCTION FILE.c",
		Short: "Write a stub of a function that has no body",
		Long: `stub writes a definition of a function that no file of a proof defines, as it is declared: it
returns any value of its type (of an enumeration, within its enumerators), gives any content to
what its parameters allow it to write, and calls nothing. Open questions stand in
comments. You can then narrow the values and effects that the proof assumes.

It is written to standard output, or with --write in front of the proof's entry.`,
		Args: cobra.ExactArgs(2), ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return stub(cmd, std, &flags, args[0], args[1]) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVarP(&flags.write, "write", "w", false, "insert it into the file, in front of the proof's entry")
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	return cmd
}

func stub(cmd *cobra.Command, std cli.Streams, flags *stubFlags, function, file string) error {
	l, err := cli.Some(flags.project, &flags.engine, []string{file})
	if err != nil {
		return err
	}
	p := l.Proofs[0]
	if project.IsForeign(p.File) {
		return fmt.Errorf("%s is not a C file", file)
	}
	checker := pipeline.NewChecker(pipeline.Settings{Root: l.Root})
	defer checker.Close()
	program, files, err := checker.Program(cmd.Context(), p, func(names []string) map[string][]project.Unit {
		return l.Workspace.Definitions(&p, names)
	})
	if err != nil {
		return err
	}
	if f := program.FuncByName[function]; f != nil && len(f.Blocks) > 0 {
		return fmt.Errorf("%s has a body: %s:%d", function, l.Root.Show(f.Loc.File), f.Loc.Line)
	}
	var texts [][]byte
	var declared []string
	for _, name := range slices.Concat([]string{p.File}, files) {
		if name != p.File && !paths.Within(string(l.Root), name) && !paths.Within(filepath.Dir(p.File), name) {
			continue
		}
		text, err := regular.Source(name)
		if err != nil {
			continue
		}
		texts = append(texts, text)
		if declared == nil {
			declared = csource.Declaration(text, function)
		}
	}
	if declared == nil {
		return fmt.Errorf("no file of %s declares %s", p.Name, function)
	}
	text := harness.MissingStub(function, declared, texts)
	if text == "" {
		return fmt.Errorf("the declaration of %s is not understood: write the stub by hand", function)
	}
	if !flags.write {
		_, err := io.WriteString(std.Out, text)
		return err
	}
	entry, ok := csource.NewSource(texts[0]).Function(p.Entry)
	if !ok {
		return fmt.Errorf("the file does not show the body of %s", p.Entry)
	}
	at := bytes.LastIndexByte(texts[0][:entry.Start], '\n') + 1
	if err := os.WriteFile(p.File, slices.Concat(texts[0][:at], []byte(text), texts[0][at:]), 0o666); err != nil {
		return err
	}
	_, err = fmt.Fprintf(std.Out, "wrote a stub of %s into %s\n", function, l.Root.Show(p.File))
	return err
}
