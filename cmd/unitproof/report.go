package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/paths"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/pipeline/regular"
	"github.com/unitproof/unitproof/vcgen/found"
)

func reportCommand(std cli.Streams) *cobra.Command {
	flags := checkFlags{quiet: true, explain: true}
	cmd := &cobra.Command{
		Use:   "report --html DIR [flags] [FILE.c | DIR]...",
		Short: "Write an HTML report of unit proofs",
		Long: `report checks proofs as check does and writes one page, DIR/index.html, with their verdicts, what
they rest on, counterexamples with their steps, and the sources with marks. The page needs no
network and no scripts, and can be printed.

The exit status is that of check.`,
		ValidArgsFunction: cli.CFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.html == "" {
				return errors.New("--html DIR is missing: where the page is written")
			}
			return check(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.html, "html", "", "write the page to `DIR`/index.html")
	cli.AddSelection(f, &flags.project)
	cli.AddSettings(f, &flags.project)
	cli.AddEngine(f, &flags.engine)
	cli.AddRemote(f, &flags.engine)
	cli.AddCluster(f, &flags.engine)
	f.IntVarP(&flags.jobs, "jobs", "j", 0, "how many proofs are checked at the same time, `N`; 0: one per CPU")
	f.BoolVar(&flags.noCache, "no-cache", false, "ignore cached results, and cache nothing")
	f.BoolVar(&flags.explain, "explain", true, "also report the assumptions that each proof needs, and dead branches")
	f.BoolVar(&flags.strength, "strength", false,
		"also report small changes of the code that the proofs would not notice; takes many times the check")
	f.BoolVar(&flags.replay, "replay", false,
		"run each counterexample natively, under sanitizers, and report whether it reproduces")
	return cmd
}

// writePage writes the HTML page of a run.
func (run *checkRun) writePage(ctx context.Context, doc diagnostics.Document, results []pipeline.Result) error {
	dir := run.flags.html
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("the folder of the page: %w", err)
	}
	root := run.listed.Root
	covered := found.Coverage{}
	for _, r := range results {
		covered = covered.Unite(r.Covered.Renamed(root.Show))
	}
	name := filepath.Join(dir, "index.html")
	strengths, err := run.strengths(ctx, results)
	if err != nil {
		return err
	}
	if err := cli.WriteOutput(run.std, name, func(w io.Writer) error {
		return diagnostics.WritePage(w, aboutRun(root, run.start), doc, pipeline.ReadSources(root), covered, strengths)
	}); err != nil {
		return err
	}
	fmt.Fprintf(run.people, "wrote %s\n", name)
	return nil
}

// aboutRun describes the run of a page, since users archive pages and compare them.
func aboutRun(root paths.Root, at time.Time) diagnostics.About {
	words := []string{"unitproof"}
	for _, arg := range os.Args[1:] {
		words = append(words, shellWord(arg))
	}
	return diagnostics.About{Project: filepath.Base(string(root)), Commit: commitOf(string(root)),
		Date: at.Format("2006-01-02 15:04 MST"), Command: strings.Join(words, " ")}
}

// commitOf returns the current commit of a git work tree, "" if it cannot be read. It does not run git, which would
// execute commands from the folder's configuration.
func commitOf(dir string) string {
	for {
		git := filepath.Join(dir, ".git")
		if text, err := regular.ReadFile(git, regular.MaxConfig); err == nil { // of a linked work tree
			if to, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: "); ok {
				git = to
			}
		}
		if head, err := regular.ReadFile(filepath.Join(git, "HEAD"), regular.MaxConfig); err == nil {
			return commitIn(git, strings.TrimSpace(string(head)))
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return ""
	}
}

// commitIn resolves the content of HEAD in git's folder.
func commitIn(git, head string) string {
	isHash := func(s string) bool {
		return len(s) >= 40 && strings.Trim(s, "0123456789abcdef") == ""
	}
	name, isRef := strings.CutPrefix(head, "ref: ")
	if !isRef {
		if isHash(head) {
			return head[:12]
		}
		return ""
	}
	dirs := []string{git}
	if common, err := regular.ReadFile(filepath.Join(git, "commondir"), regular.MaxConfig); err == nil {
		dirs = append(dirs, filepath.Join(git, strings.TrimSpace(string(common))))
	}
	for _, dir := range dirs {
		if text, err := regular.ReadFile(filepath.Join(dir, filepath.Clean("/"+name)), regular.MaxConfig); err == nil {
			if hash := strings.TrimSpace(string(text)); isHash(hash) {
				return hash[:12] + " (" + strings.TrimPrefix(name, "refs/heads/") + ")"
			}
		}
		packed, _ := regular.ReadFile(filepath.Join(dir, "packed-refs"), regular.MaxDatabase) // if missing, it is empty
		for line := range strings.Lines(string(packed)) {
			if hash, ref, ok := strings.Cut(strings.TrimSpace(line), " "); ok && ref == name && isHash(hash) {
				return hash[:12] + " (" + strings.TrimPrefix(name, "refs/heads/") + ")"
			}
		}
	}
	return ""
}

// strengths returns the strength of each proved proof by name, if requested.
func (run *checkRun) strengths(ctx context.Context, results []pipeline.Result) (map[string]*diagnostics.Strength,
	error) {
	if !run.flags.strength {
		return nil, nil
	}
	l := run.listed
	checker := pipeline.NewChecker(l.Batch(&run.flags.engine).Settings)
	defer checker.Close()
	out := map[string]*diagnostics.Strength{}
	for i := range results {
		p := l.Proofs[i]
		if results[i].Proof.Verdict != found.Proved || ctx.Err() != nil {
			continue
		}
		define := func(names []string) map[string][]project.Unit { return l.Workspace.Definitions(&p, names) }
		s, err := checker.Strength(ctx, p, define, pipeline.StrengthOptions{Jobs: run.flags.jobs, Max: maxMutants}, nil)
		if err != nil {
			return nil, fmt.Errorf("the strength of %s: %w", p.Name, err)
		}
		out[p.Name] = s
	}
	return out, nil
}
