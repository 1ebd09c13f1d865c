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

// compareHistory writes the changes of the proofs since the last run in this folder, and records this run. With
// --baseline the comparison is with the baseline. Proofs that failed to build, or did not run, keep their record.
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

// compareBaseline compares the proofs of a run with --baseline, and writes the baseline if it does not exist or on
// request. worse reports that some proof covers less than before.
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
	// A run of selected proofs does not report the others as missing.
	all := len(run.args) == 0 && flags.project.Filter == nil && flags.project.Shard.Of == 0
	return diagnostics.WriteChanges(run.people, before.Compare(now, all), name), nil
}
