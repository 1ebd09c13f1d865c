package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
)

// factsDocument is the JSON of suggest --post.
type factsDocument struct {
	Schema int                 `json:"schema"`
	Tool   string              `json:"tool"`
	Proofs []*pipeline.Ensured `json:"proofs"`
}

// suggestFacts looks for postconditions of the proofs of a file, and asserts those that --write names.
func suggestFacts(ctx context.Context, std cli.Streams, flags *suggestFlags, args []string) error {
	defer flags.engine.OpenCache(flags.noCache)()
	if flags.finding != "" {
		return errors.New("--finding is about a failure: it does not go with --post")
	}
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
	if len(flags.write) > 0 && len(l.Proofs) > 1 {
		return fmt.Errorf("%s has %d proofs: name one with --entry", args[0], len(l.Proofs))
	}
	pool := pipeline.NewPool(pipeline.PoolOptions{})
	defer pool.Close()
	batch := l.Batch(&flags.engine)
	results := pool.Run(ctx, batch, nil)
	document := factsDocument{Schema: diagnostics.Schema, Tool: cli.ToolName(), Proofs: []*pipeline.Ensured{}}
	status := exitSuggested
	for i := range results {
		proof, p := &results[i].Proof, l.Proofs[i]
		if ctx.Err() != nil {
			return cli.ExitCode(cli.ExitInterrupted)
		}
		if proof.Verdict == found.Error {
			fmt.Fprintf(people, "%s: error: %s\n", proof.Name, proof.Reason)
			return cli.ExitCode(diagnostics.ExitError)
		}
		job := pipeline.Job{Settings: batch.Settings, Proof: p,
			Define: func(names []string) map[string][]project.Unit { return l.Workspace.Definitions(&p, names) }}
		out, err := pool.Ensure(ctx, job, proof, pipeline.EnsureOptions{Most: flags.most, Time: flags.budget})
		if ctx.Err() != nil {
			return cli.ExitCode(cli.ExitInterrupted)
		}
		if err != nil {
			return err
		}
		tellFacts(people, out)
		document.Proofs = append(document.Proofs, out)
		if len(out.Facts) == 0 {
			status = exitNoSuggestion
		}
		if len(flags.write) > 0 {
			if err := writeFacts(people, p.File, out, flags.write); err != nil {
				return err
			}
		}
	}
	if err := cli.WriteJSON(std, flags.json, document); err != nil {
		return err
	}
	if status != exitSuggested {
		return cli.ExitCode(status)
	}
	return nil
}

// writeFacts asserts facts in the file of a proof.
func writeFacts(w io.Writer, file string, out *pipeline.Ensured, numbers []string) error {
	var indexes []int
	if len(out.Facts) == 0 {
		return nil
	}
	for _, number := range numbers {
		n, err := strconv.Atoi(number)
		switch {
		case number == "all":
			for i := range out.Facts {
				indexes = append(indexes, i)
			}
		case err != nil || n < 1 || n > len(out.Facts):
			return fmt.Errorf("--write %s: %s has the postconditions 1 to %d", number, out.Proof, len(out.Facts))
		default:
			indexes = append(indexes, n-1)
		}
	}
	text, err := regular.Source(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, out.With(text, indexes), 0o666); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "wrote them into %s\n", diagnostics.ShownName(out.File))
	return err
}

// tellFacts writes the postconditions of a proof.
func tellFacts(w io.Writer, e *pipeline.Ensured) {
	if e.Function == "" {
		fmt.Fprintf(w, "%s: %s\n", e.Proof, e.Reason)
		return
	}
	fmt.Fprintf(w, "%s:%d: behind the call of %s\n", diagnostics.ShownName(e.File), e.Line, e.Function)
	for i := range e.Facts {
		f := &e.Facts[i]
		fmt.Fprintf(w, "  %2d | %s\n", i+1, strings.ReplaceAll(f.Text, "\n", "\n     | "))
		fmt.Fprintf(w, "     =   %s\n", e.Effect(f))
	}
	if e.Idle > 0 {
		fmt.Fprintf(w, "       = %d more hold; no change that was tried violates them\n", e.Idle)
	}
	if e.Reason != "" {
		fmt.Fprintf(w, "       = %s\n", e.Reason)
	}
	fmt.Fprintf(w, "       = %d checks in %.1f s\n\n", e.Checks, float64(e.MS)/1000)
}
