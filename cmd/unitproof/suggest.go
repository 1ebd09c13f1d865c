package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// suggestFlags are the flags of suggest.
type suggestFlags struct {
	project project.Flags
	engine  cli.Engine
	noCache bool
	finding string
	most    int
	budget  time.Duration
	json    string
	post    bool
	write   []string // facts, by number, or "all"
}

// Exit status of suggest.
const (
	exitSuggested    = 0
	exitNoSuggestion = 1
	exitNothingFails = 2
)

func suggestCommand(std cli.Streams) *cobra.Command {
	var flags suggestFlags
	cmd := &cobra.Command{
		Use:   "suggest [flags] FILE.c",
		Short: "Find conditions that exclude a failure",
		Long: `suggest looks for simple conditions over the inputs of a proof that exclude a failure: lengths
compared with each other, pointers that are not NULL, ranges. Each one is checked as it would
be written, as an assumption in the proof: the failure is gone then, and executions are left.
The weakest comes first. You have to judge whether all callers guarantee it.

With --post it looks for postconditions instead: facts about the result and the memory behind the
call of the function under proof that hold in all executions of the proof. Each one is proved, and
those that notice most small changes of the code come first. You have to judge whether the
function is meant to do so. --write asserts some of them in the file.

Exit status: 0 every failure has such a condition; 1 one has none; 2 nothing fails; 3 the call
is wrong or the proof has an error. With --post: 0 there are facts; 1 there are none.`,
		Args: oneFile, ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.post {
				return suggestFacts(cmd.Context(), std, &flags, args)
			}
			if len(flags.write) > 0 {
				return errors.New("--write needs --post")
			}
			return suggest(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.finding, "finding", "",
		"only the finding with this `ID` (check prints it; the beginning is enough)")
	f.IntVar(&flags.most, "most", 0, "look for at most `N` conditions for each failure (default 4; with --post 8)")
	f.DurationVar(&flags.budget, "budget", 0,
		"CPU `TIME` for the checks of a failure, and again for those of its callers (default 20s; with --post 40s)")
	f.BoolVar(&flags.post, "post", false, "look for postconditions of a proof that holds")
	f.StringSliceVar(&flags.write, "write", nil,
		"assert these postconditions in the file, by their `NUMBERS`: 1,3, or all")
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	f.BoolVar(&flags.noCache, "no-cache", false, "ignore cached results, and cache nothing")
	f.StringVar(&flags.json, "json", "", "write the conditions as JSON to `FILE`; - is standard output")
	return cmd
}

// suggestDocument is the JSON of suggest.
type suggestDocument struct {
	Schema   int                   `json:"schema"`
	Tool     string                `json:"tool"`
	Findings []*pipeline.Exclusion `json:"findings"`
}

func suggest(ctx context.Context, std cli.Streams, flags *suggestFlags, args []string) error {
	defer flags.engine.OpenCache(flags.noCache)()
	if err := cli.CheckOutputs(flags.json); err != nil {
		return err
	}
	people := std.Beside(flags.json)
	l, err := cli.Some(flags.project, &flags.engine, args)
	if err != nil {
		return err
	}
	if err := l.KeepsInputs(flags.json); err != nil {
		return err
	}
	results, failed, err := failures(ctx, l, &flags.engine, flags.finding)
	if err != nil {
		return err
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{})
	defer pool.Close()
	base, err := os.Getwd()
	if err != nil {
		return err
	}
	generator := &pipeline.Generator{Base: base, Flags: flags.project.Compiling(), Pool: pool,
		Settings: l.Batch(&flags.engine).Settings}
	document := suggestDocument{Schema: diagnostics.Schema, Tool: cli.ToolName(), Findings: []*pipeline.Exclusion{}}
	broken := false
	for i := range results {
		proof := &results[i].Proof
		if proof.Verdict == found.Error {
			broken = true
			fmt.Fprintf(people, "%s: error: %s\n", proof.Name, proof.Reason)
		}
		for k := range failed[i] {
			p := l.Proofs[i]
			job := pipeline.Job{Settings: generator.Settings, Proof: p,
				Define: func(names []string) map[string][]project.Unit { return l.Workspace.Definitions(&p, names) }}
			out, err := pool.Exclude(ctx, job, proof, &failed[i][k],
				pipeline.ExcludeOptions{Most: flags.most, Time: flags.budget})
			if ctx.Err() != nil {
				return cli.ExitCode(cli.ExitInterrupted)
			}
			if err == nil {
				err = generator.AskCallers(ctx, out, flags.budget)
			}
			if ctx.Err() != nil {
				return cli.ExitCode(cli.ExitInterrupted)
			}
			if err != nil {
				return err
			}
			tellExclusion(people, out)
			document.Findings = append(document.Findings, out)
		}
	}
	if err := cli.WriteJSON(std, flags.json, document); err != nil {
		return err
	}
	status := exitSuggested
	for _, f := range document.Findings {
		if len(f.Conditions) == 0 {
			status = exitNoSuggestion
		}
	}
	switch {
	case broken:
		status = diagnostics.ExitError
	case len(document.Findings) == 0:
		fmt.Fprintln(people, "nothing fails")
		status = exitNothingFails
	}
	if status != exitSuggested {
		return cli.ExitCode(status)
	}
	return nil
}

// tellExclusion writes the conditions that exclude a failure.
func tellExclusion(w io.Writer, x *pipeline.Exclusion) {
	fmt.Fprintf(w, "%s:%d: [%s] %s\n", diagnostics.ShownName(x.File), x.Line, x.Kind, x.Message)
	if x.FailingSet != nil {
		fmt.Fprintf(w, "       = %s\n", x.FailingSet.Sentence())
	}
	if x.Typical != nil {
		fmt.Fprintf(w, "       = a typical case: %s\n", x.Typical.Message)
	}
	if len(x.Conditions) > 0 {
		fmt.Fprintln(w, "       = conditions that exclude this:")
	}
	for i := range x.Conditions {
		c := &x.Conditions[i]
		text := strings.Join(strings.Fields(c.Text), " ")
		fmt.Fprintf(w, "       | %s:%d: %s\n", diagnostics.ShownName(c.File), c.Line, text)
		fmt.Fprintf(w, "       |   %s; %s\n", c.Effect(), c.Question)
	}
	switch {
	case x.Asked != "" && len(x.Callers) == 0:
		fmt.Fprintf(w, "       = no function of the project calls %s\n", x.Function)
	case x.Asked != "":
		fmt.Fprintf(w, "       = do the callers of %s guarantee `%s`?\n", x.Function, x.Asked)
	}
	for i := range x.Callers {
		c := &x.Callers[i]
		fmt.Fprintf(w, "       | %s:%d: %s: %s\n", diagnostics.ShownName(c.File), c.Line, c.Function, c.Sentence())
	}
	if n := x.OtherCallers; n > 0 {
		fmt.Fprintf(w, "       | %d more callers were not checked\n", n)
	}
	if g := x.Guard; g != nil {
		fmt.Fprintf(w, "       = conditions that guard %s:\n       | %s:%d: %s\n", g.Function, diagnostics.ShownName(g.File),
			g.Line, g.Text)
	}
	if x.Reason != "" {
		fmt.Fprintf(w, "       = %s\n", x.Reason)
	}
	fmt.Fprintf(w, "       = finding %s, %d checks in %.1f s\n\n", x.Finding, x.Checks, float64(x.MS)/1000)
}
