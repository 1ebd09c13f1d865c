package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/pipeline"
)

// setsFlags are the flags of sets.
type setsFlags struct {
	program string
	every   int
	limit   time.Duration
}

// setsCommand counts the failing sets that suggest finds.
func setsCommand(std cli.Streams) *cobra.Command {
	var flags setsFlags
	cmd := &cobra.Command{
		Use:   "sets [flags] FOLDER...",
		Short: "Count the failing sets that suggest finds for failing programs",
		Long: `sets runs "unitproof suggest" on the marked programs of folders that fail, and counts the findings
whose failing set is exact, or known in one direction, or not known. Each finding is a line. TestSuggested checks the
sets.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return sets(cmd.Context(), std, &flags, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.program, "program", "bin/unitproof", "the `PROGRAM` that is run")
	f.IntVar(&flags.every, "every", 1, "every `N`-th program, in the order of their paths")
	f.DurationVar(&flags.limit, "limit", 4*time.Minute, "how long one program may take")
	return cmd
}

// markedFailing is a marked program that fails, with the flags of its check.
type markedFailing struct {
	file  string
	flags []string
}

var (
	failedMark = regexp.MustCompile(`(?m)^(?://)?\s*verdict:\s*failed\s*(?:\*/)?\s*$`)
	flagsMark  = regexp.MustCompile(`(?m)^(?://)?\s*flags:\s*(.*?)\s*(?:\*/)?\s*$`)
)

// failingPrograms returns the marked programs of folders that fail, sorted. Files in folders named src are linked to
// others.
func failingPrograms(folders []string) (list []markedFailing, err error) {
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "src":
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(path) != ".c":
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil || !failedMark.Match(text) {
				return err
			}
			p := markedFailing{file: path}
			if m := flagsMark.FindSubmatch(text); m != nil {
				p.flags = strings.Fields(string(m[1]))
			}
			list = append(list, p)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(list, func(a, b markedFailing) int { return cmp.Compare(a.file, b.file) })
	return list, nil
}

func sets(ctx context.Context, std cli.Streams, flags *setsFlags, folders []string) error {
	programs, err := failingPrograms(folders)
	if err != nil {
		return err
	}
	program, err := filepath.Abs(flags.program)
	if err != nil {
		return err
	}
	if _, err := os.Stat(program); err != nil {
		return fmt.Errorf("%w; \"make build\" makes it, --program names another one", err)
	}
	counts := map[string]int{}
	var times []time.Duration
	tried := 0
	for i := 0; i < len(programs); i += max(flags.every, 1) {
		tried++
		found, err := setsOf(ctx, program, &programs[i], flags.limit)
		if err != nil {
			return fmt.Errorf("%s: %w", programs[i].file, err)
		}
		for _, x := range found {
			kind, condition := "none", ""
			if set := x.FailingSet; set != nil {
				if kind, condition = "one direction", set.Condition; set.Exact {
					kind = "exact"
				}
			}
			counts[kind]++
			times = append(times, time.Duration(x.MS)*time.Millisecond)
			fmt.Fprintf(std.Out, "%s:%d: [%s] %s %s %s (%.1f s)\n", programs[i].file, x.Line, x.Kind, kind, condition,
				x.Reason, float64(x.MS)/1000)
		}
	}
	slices.Sort(times)
	median := 0.0
	if len(times) > 0 {
		median = times[len(times)/2].Seconds()
	}
	fmt.Fprintf(std.Out, "%d of %d programs, %d findings: %d exact, %d in one direction, %d without a set; median %.1f "+
		"s\n", tried, len(programs), len(times), counts["exact"], counts["one direction"], counts["none"], median)
	return nil
}

// setsOf runs suggest on a program.
func setsOf(ctx context.Context, program string, p *markedFailing, limit time.Duration) ([]*pipeline.Exclusion,
	error) {
	folder, err := os.MkdirTemp("", "unitproof-sets-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	output := filepath.Join(folder, "out.json")
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	args := slices.Concat([]string{"suggest", "--json", output}, p.flags, []string{filepath.Base(p.file)})
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = filepath.Dir(p.file)
	said, runErr := cmd.CombinedOutput() // its status depends on the sets
	data, err := os.ReadFile(output)
	if ctx.Err() != nil && err != nil {
		return []*pipeline.Exclusion{{Reason: outOfTime, MS: limit.Milliseconds()}}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w: %s", err, runErr, said)
	}
	var document struct {
		Findings []*pipeline.Exclusion `json:"findings"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	return document.Findings, nil
}
