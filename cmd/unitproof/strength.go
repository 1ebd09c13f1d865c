package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// strengthFlags are the flags of strength.
type strengthFlags struct {
	project project.Flags
	engine  cli.Engine
	jobs    int
	max     int
	score   float64
	code    *regexp.Regexp
	json    string
	verbose bool
}

// maxMutants is the default number of mutants of a proof's code.
const maxMutants = 100

// strengthDocument is the JSON output of strength.
type strengthDocument struct {
	Schema int                    `json:"schema"`
	Tool   string                 `json:"tool"`
	Proofs []diagnostics.Strength `json:"proofs"`
}

func strengthCommand(std cli.Streams) *cobra.Command {
	flags := strengthFlags{max: maxMutants}
	cmd := &cobra.Command{
		Use:   "strength [flags] [PROOF | FILE.c | DIR]...",
		Short: "List changes of the code that proofs do not notice",
		Long: `strength changes the code under proof in small ways (another comparison, a constant one more
or less, another operator, an assignment or a call left out, a branch the other way), one at a
time, and checks each proof with each change. A change with which all checks still pass is
shown, with an input on which it makes a difference. Changes without a difference do not count.

The code under proof is the code that executions of the proof reach in other files than that of
the entry or, if there is none, in other functions. Use --code to exclude helpers of proofs.

Exit status: 0; 1 a score is below --min-score; 2 a proof is not proved as it is; 3 a proof has
an error, no proof was found, or the command line is wrong.`,
		ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return measureStrength(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "how many changes are checked at the same time, `N`; 0: one per CPU")
	f.IntVar(&flags.max, "max-mutants", flags.max, "try at most `N` changes for each proof, evenly chosen; 0: all")
	cli.AddParsed(f, "code", "REGEXP", "the code under proof: files, or functions, whose name matches",
		func(s string) (err error) {
			flags.code, err = regexp.Compile(s)
			return err
		})
	f.Float64Var(&flags.score, "min-score", 0, "fail when a proof notices less than `N` percent of the changes")
	f.StringVar(&flags.json, "json", "", "write the results as JSON to `FILE`; - is standard output")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "print every change")
	return cmd
}

func measureStrength(ctx context.Context, std cli.Streams, flags *strengthFlags, args []string) error {
	if flags.score < 0 || flags.score > 100 {
		return fmt.Errorf("--min-score %v: must be a number from 0 to 100", flags.score)
	}
	if flags.max < 0 || flags.jobs < 0 {
		return errors.New("--max-mutants and -j take numbers from 0 on")
	}
	if err := cli.CheckOutputs(flags.json); err != nil {
		return err
	}
	people := std.Beside(flags.json)
	defer flags.engine.OpenCache(true)()
	args = proofNames(&flags.project, args)
	l, err := cli.List(flags.project, &flags.engine, args)
	if err != nil {
		return err
	}
	if err := l.KeepsInputs(flags.json); err != nil {
		return err
	}
	text := diagnostics.NewTextWriter(people, diagnostics.TextOptions{Sources: pipeline.ReadSources(l.Root),
		Color: cli.WantsColor(people), Verbose: flags.verbose, Width: cli.TerminalWidth(people)})
	for i := range l.Errors {
		text.Proof(&l.Errors[i])
	}
	if len(l.Proofs) == 0 && len(l.Errors) == 0 && len(l.Workspace.Names()) == 0 {
		return errors.New(l.NothingFound(args, &flags.project))
	}
	checker := pipeline.NewChecker(l.Batch(&flags.engine).Settings)
	defer checker.Close()
	history := openHistory(l)
	doc := strengthDocument{Schema: diagnostics.Schema, Tool: cli.ToolName(), Proofs: []diagnostics.Strength{}}
	broken, unproved, weak := len(l.Errors), 0, 0
	for _, p := range l.Proofs {
		define := func(names []string) map[string][]project.Unit { return l.Workspace.Definitions(&p, names) }
		s, err := checker.Strength(ctx, p, define, pipeline.StrengthOptions{Jobs: flags.jobs, Max: flags.max,
			Code: flags.code},
			func(m diagnostics.Mutant) { text.Mutant(&m) })
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			broken++
			fmt.Fprintf(people, "%s: error: %v\n", p.Name, err)
			continue
		}
		text.Strength(s)
		if s.Verdict == found.Proved && flags.code == nil {
			if before, known := history.Score(p.Name, s.Score); known && before != s.Score {
				fmt.Fprintf(people, "         the last time it was %.0f %%\n", before)
			}
		}
		switch {
		case s.Verdict == found.Error:
			broken++
		case s.Verdict != found.Proved:
			unproved++
		case s.Score < flags.score:
			weak++
			fmt.Fprintf(people, "         below --min-score %v\n", flags.score)
		}
		doc.Proofs = append(doc.Proofs, *s)
	}
	if err := history.Save(); err != nil {
		fmt.Fprintf(std.Err, "unitproof: later runs are not compared with this one: %v\n", err)
	}
	if err := cli.WriteJSON(std, flags.json, doc); err != nil {
		return err
	}
	switch {
	case ctx.Err() != nil:
		return cli.ExitCode(cli.ExitInterrupted)
	case broken > 0:
		return cli.ExitCode(diagnostics.ExitError)
	case weak > 0:
		return cli.ExitCode(1)
	case unproved > 0:
		return cli.ExitCode(2)
	}
	return nil
}

// openHistory opens the records of earlier runs, even if nothing else is cached.
func openHistory(l *cli.Listed) *pipeline.History {
	dir, err := pipeline.CacheDir()
	if err != nil {
		dir = ""
	}
	return pipeline.OpenHistory(pipeline.Settings{Root: l.Root, CacheDir: dir})
}

// proofNames converts an argument that is no file to a filter for the proof of that name. It returns the other
// arguments.
func proofNames(flags *project.Flags, args []string) []string {
	if len(args) != 1 || flags.Filter != nil || isPath(args[0]) {
		return args
	}
	flags.Filter = regexp.MustCompile("^" + regexp.QuoteMeta(args[0]) + "$")
	return nil
}

// isPath reports whether an argument is a file or a folder.
func isPath(arg string) bool {
	_, err := os.Stat(arg)
	return err == nil || filepath.Ext(arg) == ".c"
}
