package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// coresFlags are the flags of cores.
type coresFlags struct {
	selected
	jobs int
}

// coresCommand checks the reported cores of proofs.
func coresCommand(std cli.Streams) *cobra.Command {
	var flags coresFlags
	cmd := &cobra.Command{
		Use:   "cores [flags] [FILE.c | DIR]...",
		Short: "Check proofs without what they do not need, and without each assumption that they do",
		Long: `cores asks of each proof what it rests on and checks it again: without all assumptions that are not
needed it has to be proved, and without any one of a minimal core it must not be. The exit status is 1
where that is not so. A check that comes to no verdict, by its limits or an interruption, decides nothing: it is
counted apart.`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return cores(cmd.Context(), std, &flags, args) },
	}
	f := cmd.Flags()
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "how many proofs to check at once; 0: one per CPU")
	flags.add(f)
	return cmd
}

// without is a check of a proof without some assumptions.
type without struct {
	of     int                    // index of the proof
	needed *diagnostics.CoreEntry // the omitted entry of the core; nil if all not needed ones are omitted
	proof  project.Proof
}

func cores(ctx context.Context, std cli.Streams, flags *coresFlags, args []string) error {
	l, err := cli.List(flags.project, &flags.engine, args)
	if err != nil {
		return err
	}
	run := func(proofs []project.Proof) []pipeline.Result {
		batch := l.Batch(&flags.engine)
		batch.Proofs = proofs
		return pipeline.Run(ctx, batch, pipeline.PoolOptions{Jobs: flags.jobs, OneRun: true}, func(pipeline.Event) {})
	}
	for i := range l.Proofs {
		l.Proofs[i].Options.Explain = true
	}
	results := run(l.Proofs)
	var list []without
	proved, known, minimal, entries, spare := 0, 0, 0, 0, 0
	for i := range results {
		r := &results[i].Proof
		if r.Verdict != found.Proved {
			continue
		}
		proved++
		if r.Core == nil {
			fmt.Fprintf(std.Out, "unknown    %s: what it rests on was not found out\n", r.Name)
			continue
		}
		known++
		spare += len(r.Core.NotNeeded)
		add := func(needed *diagnostics.CoreEntry) {
			p := l.Proofs[i]
			p.Options.Explain = false
			unneeded := r.Core.NotNeeded
			if needed != nil {
				unneeded = append(slices.Clone(unneeded), *needed)
			}
			for _, e := range unneeded {
				p.Options.Without = append(p.Options.Without,
					found.Pos{File: l.Root.Find(e.File), Line: e.Line, Column: e.Column})
			}
			list = append(list, without{i, needed, p})
		}
		if len(r.Core.NotNeeded) > 0 {
			add(nil)
		}
		if !r.Core.Minimal {
			continue
		}
		minimal++
		for k := range r.Core.Needed {
			if e := &r.Core.Needed[k]; e.Kind == found.CoreAssume {
				entries++
				add(e)
			}
		}
	}
	proofs := make([]project.Proof, len(list))
	for i := range list {
		proofs[i] = list[i].proof
	}
	wrong, undecided := 0, 0
	for i, again := range run(proofs) {
		w, v := &list[i], again.Proof.Verdict
		switch {
		case w.needed == nil && v == found.Unknown:
			undecided++
			if !pipeline.Interrupted(&again.Proof) {
				fmt.Fprintf(std.Out, "undecided  %s without what it does not need: %s\n", w.proof.Name, again.Proof.Reason)
			}
		case w.needed == nil && v != found.Proved:
			wrong++
			fmt.Fprintf(std.Out, "wrong      %s: %s without what it does not need\n", w.proof.Name, v)
		case w.needed != nil && v == found.Proved:
			wrong++
			fmt.Fprintf(std.Out, "wrong      %s: proved without %s:%d of its minimal core\n", w.proof.Name, w.needed.File,
				w.needed.Line)
		}
	}
	fmt.Fprintf(std.Out, "%d proofs are proved, of %d it is known what they rest on, %d cores are minimal: "+
		"%d assumptions are needed, %d are not; %d wrong, %d not decided\n",
		proved, known, minimal, entries, spare, wrong, undecided)
	switch {
	case ctx.Err() != nil:
		return cli.ExitCode(cli.ExitInterrupted)
	case wrong > 0:
		return cli.ExitCode(1)
	}
	return nil
}
