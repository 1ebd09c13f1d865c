package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
)

// selfTestDocument is the JSON of selftest.
type selfTestDocument struct {
	Schema   int               `json:"schema"`
	Tool     string            `json:"tool"`
	OK       bool              `json:"ok"`
	Canaries []pipeline.Canary `json:"canaries"`
}

func selfTestCommand(std cli.Streams) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use: "selftest [--json FILE]", Short: "Check three programs whose verdicts are known", Args: cobra.NoArgs,
		Long: `selftest checks three small programs that come with unitproof: one has to fail, one has to
be proved, one is vacuous. It shows that this installation, with the compiler and the C
library of this machine, tells the three apart. Nothing is taken from a cache, and no file
of a project is read.

Exit status: 0 all verdicts are right; 1 one is not; 3 the programs could not be checked.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			people := std.Out
			if file == "-" {
				people = std.Err
			}
			pool := pipeline.NewPool(pipeline.PoolOptions{OneRun: true})
			defer pool.Close()
			list, err := pipeline.SelfTest(cmd.Context(), pool)
			if cmd.Context().Err() != nil {
				return cli.ExitCode(cli.ExitInterrupted)
			}
			if err != nil {
				return err
			}
			doc := selfTestDocument{Schema: diagnostics.Schema, Tool: cli.ToolName(), OK: true, Canaries: list}
			for _, c := range list {
				word := "ok      "
				if !c.OK {
					word, doc.OK = "WRONG   ", false
				}
				fmt.Fprintf(people, "%s %s: %s, want %s: %s\n", word, c.Name, c.Verdict, c.Want, c.Detail)
			}
			if err := cli.WriteJSON(std, file, doc); err != nil {
				return err
			}
			if !doc.OK {
				return cli.ExitCode(1)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&file, "json", "", "write the verdicts as JSON to `FILE`; - is standard output")
	return cmd
}
