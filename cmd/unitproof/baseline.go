package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/vcgen/found"
)

// compareHistory tells in what the proofs differ from the last run here, and keeps this one for the next. With a
// --baseline the comparison is with that. Proofs that could not be built, or were not done, are left as they were.
func (run *checkRun) compareHistory(results []pipeline.Result) {
	var proofs []diagnostics.Proof
	for i := range results {
		if p := &results[i].Proof; p.Verdict != found.Error && p.Engine != nil {
			proofs = append(proofs, *p)
		}
	}
	if run.flags.engine.CacheDir == "" || len(proofs) == 0 {
		return
	}
	h := pipeline.OpenHistory(run.listed.Batch(&run.flags.engine).Settings)
	changes := h.Add(diagnostics.NewBaseline(cli.ToolName(), proofs))
	if run.flags.baseline == "" && !run.flags.quiet {
		diagnostics.WriteSince(run.people, changes, run.flags.verbose)
	}
	if err := h.Save(); err != nil {
		fmt.Fprintf(run.std.Err, "unitproof: later runs are not compared with this one: %v\n", err)
	}
}

// compareBaseline compares the proofs of a run with --baseline, and writes it where it is not there or asked for.
// worse: some proof says less than it did.
func (run *checkRun) compareBaseline(proofs []diagnostics.Proof) (worse bool, err error) {
	flags, name := run.flags, run.flags.baseline
	now := diagnostics.NewBaseline(cli.ToolName(), proofs)
	before, err := cli.ReadBaseline(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), flags.writeBaseline:
		if err := cli.WriteOutput(run.std, name, func(w io.Writer) error {
			return diagnostics.WriteBaseline(w, now)
		}); err != nil {
			return false, err
		}
		fmt.Fprintf(run.people, "wrote %s: later runs are compared with it\n", name)
		return false, nil
	case err != nil:
		return false, fmt.Errorf("--baseline: %w", err)
	}
	// Of a run of some proofs the others are not missed.
	all := len(run.args) == 0 && flags.project.Filter == nil && flags.project.Shard.Of == 0
	return diagnostics.WriteChanges(run.people, before.Compare(now, all), name), nil
}
