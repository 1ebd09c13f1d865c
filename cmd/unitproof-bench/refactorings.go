package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/diagnostics/csource"
)

// refactoringDocument is the JSON output of refactorings.
type refactoringDocument struct {
	Schema  int           `json:"schema"`
	Tool    string        `json:"tool"`
	Date    string        `json:"date"`
	Machine string        `json:"machine"`
	Commits []refactoring `json:"commits"`
}

// refactoring is a commit that changes one function and claims to keep its behaviour, or a mutant of it.
type refactoring struct {
	Repository string `json:"repository"`
	Commit     string `json:"commit"`
	Subject    string `json:"subject"`
	File       string `json:"file"`
	Function   string `json:"function"`
	// Mutant is the change of the version after the commit; "" for the commit itself.
	Mutant string `json:"mutant,omitempty"`
	Answer string `json:"answer"` // diagnostics.Answer, or "error" if equiv could not start, as for lack of a header
	Reason string `json:"reason,omitempty"`
	// Native is the outcome of native runs of both versions, of mutants of an attack.
	Native string `json:"native,omitempty"`
	MS     int64  `json:"ms"`
	// CPUMS is the time of all processors, which other programs of the machine do not increase.
	CPUMS int64 `json:"cpuMs"`
}

// outOfTime is the reason of a comparison that took longer than its limit.
const outOfTime = "the time limit of the measurement"

type refactoringFlags struct {
	program string
	skip    int
	most    int
	total   int
	limit   time.Duration
	mutants int
	attack  int
	json    string
}

// refactoringsCommand measures equiv on commits of public libraries.
func refactoringsCommand(std cli.Streams) *cobra.Command {
	var flags refactoringFlags
	cmd := &cobra.Command{
		Use:   "refactorings [flags] REPOSITORY...",
		Short: "Compare the versions of functions before and after commits that refactor them",
		Long: `refactorings takes git directories. Of each it takes the newest commits whose message says refactor, clean up
or simplify, and which change one function of one C file and nothing else of the sources. Tests, examples and functions
of more than 120 lines are left out. It runs "unitproof equiv" for
each of them in a copy, and again with mistakes in the version after the commit, chosen by rule. A header of the
project's configuration that is missing (config.h) is empty in the copy.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return refactorings(cmd.Context(), std, &flags, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.program, "program", "", "the `PROGRAM` unitproof (default: the one beside this program)")
	f.IntVar(&flags.skip, "skip", 0, "leave out the newest `N` commits of a repository, such as those of an earlier run")
	f.IntVar(&flags.most, "most", 4, "at most `N` commits of a repository")
	f.IntVar(&flags.total, "total", 60, "at most `N` commits that compile")
	f.DurationVar(&flags.limit, "limit", 30*time.Second, "the `TIME` of the processor for one comparison")
	f.IntVar(&flags.mutants, "mutants", 1, "at most `N` mutants of a commit")
	f.IntVar(&flags.attack, "attack", 0, "of each equivalent commit, run `N` further mutants with equiv and natively")
	f.StringVar(&flags.json, "json", "", "write the results to `FILE`; - is standard output")
	return cmd
}

func refactorings(ctx context.Context, std cli.Streams, flags *refactoringFlags, repositories []string) error {
	if err := cli.CheckOutputs(flags.json); err != nil {
		return err
	}
	var err error
	if flags.program, err = checkedProgram(flags.program); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "unitproof-refactorings-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	doc := refactoringDocument{Schema: 1, Tool: cli.ToolName(), Date: time.Now().Format(time.DateOnly),
		Machine: machine(), Commits: []refactoring{}}
	compiled := 0
	for _, repository := range repositories {
		list, err := refactoringsOf(ctx, repository, flags.skip+flags.most)
		if err != nil {
			return err
		}
		list = list[min(flags.skip, len(list)):]
		for _, r := range list {
			if compiled == flags.total || ctx.Err() != nil {
				break
			}
			outcomes, err := flags.compare(ctx, filepath.Join(work, "copy"), repository, r)
			if err != nil {
				return err
			}
			if outcomes[0].Answer != "error" {
				compiled++
			}
			for i := range outcomes {
				o := &outcomes[i]
				fmt.Fprintf(std.Err, "%-10s %6.1f s  %s %.9s %s: %s %s %s %s\n", o.Answer, float64(o.CPUMS)/1000, o.Repository,
					o.Commit, o.Function, o.Subject, o.Mutant, o.Native, o.Reason)
			}
			doc.Commits = append(doc.Commits, outcomes...)
		}
	}
	doc.print(std.Out)
	wrong := 0
	for i := range doc.Commits {
		if c := &doc.Commits[i]; c.Answer == string(diagnostics.SameBehaviour) && strings.HasPrefix(c.Native, "differs") {
			wrong++
			fmt.Fprintf(std.Out, "equivalent, but another behaviour in native runs: %s %.9s %s %s\n", c.Repository, c.Commit,
				c.Function, c.Mutant)
		}
	}
	if flags.attack > 0 {
		fmt.Fprintf(std.Out, "%d of the equivalent ones differ in native runs\n", wrong)
	}
	if flags.json == "" {
		return nil
	}
	return cli.WriteOutput(std, flags.json, func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(doc)
	})
}

// print writes the counts of the answers.
func (d *refactoringDocument) print(w io.Writer) {
	for _, mutants := range []bool{false, true} {
		counts, quick, cheap, total := map[string]int{}, 0, 0, 0
		for i := range d.Commits {
			if c := &d.Commits[i]; (c.Mutant != "") == mutants {
				counts[c.Answer]++
				if c.Answer == "error" {
					continue
				}
				if total++; c.MS <= 10_000 {
					quick++
				}
				if c.CPUMS <= 10_000 {
					cheap++
				}
			}
		}
		what := "commits"
		if mutants {
			what = "mutants"
		}
		fmt.Fprintf(w, "%d %s: %d equivalent, %d different, %d within bounds, %d undecided; %d in 10 s (%d of the "+
			"processor); %d did not compile\n",
			total, what, counts[string(diagnostics.SameBehaviour)], counts[string(diagnostics.OtherBehaviour)],
			counts[string(diagnostics.SameWithinBounds)], counts[string(diagnostics.BehaviourUndecided)], quick, cheap,
			counts["error"])
	}
}

func git(ctx context.Context, repository string, args ...string) ([]byte, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"--git-dir", repository}, args...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("git %s in %s: %w", args[0], repository, err)
	}
	return out, nil
}

// refactoringsOf returns the newest commits of a repository that the rule selects.
func refactoringsOf(ctx context.Context, repository string, most int) (list []refactoring, err error) {
	out, err := git(ctx, repository, "log", "--no-merges", "--format=%H%x1f%s%x1f%b%x1e")
	if err != nil {
		return nil, err
	}
	name := filepath.Base(repository)
	if name == "repo" || name == ".git" {
		name = filepath.Base(filepath.Dir(repository))
	}
	for one := range strings.SplitSeq(string(out), "\x1e") {
		parts := strings.SplitN(strings.TrimSpace(one), "\x1f", 3)
		if len(parts) < 3 || len(list) == most {
			continue
		}
		commit, subject := parts[0], parts[1]
		lower := strings.ToLower(subject + " " + parts[2])
		if !slices.ContainsFunc([]string{"refactor", "cleanup", "clean-up", "clean up", "simplif"},
			func(word string) bool { return strings.Contains(lower, word) }) {
			continue
		}
		file, function := changedFunction(ctx, repository, commit)
		if function != "" && function != "main" {
			list = append(list, refactoring{Repository: strings.Replace(name, "+", "/", 1), Commit: commit,
				Subject: subject, File: file, Function: function})
		}
	}
	return list, nil
}

// notLibrary matches the paths of tests, examples and programs for fuzzing.
var notLibrary = regexp.MustCompile(`(?i)test|example|fuzz|demo|bench|sample`)

// maxLines bounds the length of the changed function.
const maxLines = 120

// changedFunction returns the only function that a commit changes, and its file; "" if it changes anything else of C.
func changedFunction(ctx context.Context, repository, commit string) (file, function string) {
	out, err := git(ctx, repository, "diff-tree", "-r", "--no-commit-id", "--name-status", commit)
	if err != nil {
		return "", ""
	}
	for line := range strings.Lines(string(out)) {
		status, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if notLibrary.MatchString(path) {
			continue
		}
		switch filepath.Ext(path) {
		case ".c":
			if file != "" || status != "M" {
				return "", ""
			}
			file = path
		case ".h", ".inc", ".def", ".cc", ".cpp":
			return "", ""
		}
	}
	if file == "" {
		return "", ""
	}
	before, err1 := git(ctx, repository, "show", commit+"^:"+file)
	after, err2 := git(ctx, repository, "show", commit+":"+file)
	if err1 != nil || err2 != nil || len(before) > 1<<20 {
		return "", ""
	}
	old, rest := functionTexts(before)
	now, restNow := functionTexts(after)
	if rest != restNow || len(old) != len(now) {
		return "", ""
	}
	for name, text := range now {
		was, ok := old[name]
		if !ok || was != text && function != "" {
			return "", ""
		}
		if was != text {
			function = name
		}
	}
	f, ok := csource.NewSource(after).Function(function)
	if !ok || bytes.Count(after[f.Start:f.End], []byte("\n")) > maxLines {
		return "", ""
	}
	return file, function
}

// functionTexts returns the functions of a file without comments and spaces, and the rest of the file.
func functionTexts(text []byte) (map[string]string, string) {
	functions, rest, at := map[string]string{}, []string{}, 0
	for f := range csource.NewSource(text).Functions() {
		if f.Start < at { // macros can make functions overlap, as far as the reader sees
			continue
		}
		rest = append(rest, normalized(text[at:f.Start]))
		functions[f.Name] = normalized(text[f.Start:f.End])
		at = f.End
	}
	return functions, strings.Join(append(rest, normalized(text[at:])), "\n")
}

// normalized returns the tokens of a text.
func normalized(text []byte) string {
	var words []string
	for _, t := range codeTokens(text, 0, len(text)) {
		words = append(words, t.Of(text))
	}
	return strings.Join(words, " ")
}

// compare runs equiv on a commit and on a mutant of it.
func (flags *refactoringFlags) compare(ctx context.Context, dir, repository string, r refactoring) ([]refactoring,
	error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	generated := filepath.Join(dir, generatedFolder)
	if err := os.MkdirAll(generated, 0o755); err != nil {
		return nil, err
	}
	// Large files of tests may be missing in a clone.
	script := `set -e; git --git-dir "$1" archive "$2^" >../before.tar 2>/dev/null || ` +
		`git --git-dir "$1" archive "$2^" . ':(exclude,icase)*test*' >../before.tar; tar -xf ../before.tar; ` +
		`git init -q .; git add -A -f .; git -c user.name=x -c user.email=x -c gc.auto=0 -c maintenance.auto=false commit -q -m before`
	cmd := exec.CommandContext(ctx, "sh", "-c", script, "sh", repository, r.Commit)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil { // as in a clone that lacks files of old commits
		r.Answer, r.Reason = "error", fmt.Sprintf("a copy of the version before: %s", csource.OneLine(out))
		return []refactoring{r}, nil
	}
	after, err := git(ctx, repository, "show", r.Commit+":"+r.File)
	if err != nil {
		r.Answer, r.Reason = "error", err.Error()
		return []refactoring{r}, nil
	}
	file := filepath.Join(dir, r.File)
	run := func(text []byte, mutant string) (refactoring, error) {
		out := r
		out.Mutant = mutant
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return out, err
		}
		flags.equiv(ctx, dir, &out)
		return out, nil
	}
	first, err := run(after, "")
	for range maxConfigured {
		missing := missingHeader.FindStringSubmatch(first.Reason)
		if err != nil || first.Answer != "error" || missing == nil {
			break
		}
		if err = os.WriteFile(filepath.Join(generated, filepath.Base(missing[1])), nil, 0o644); err == nil {
			first, err = run(after, "")
		}
	}
	if err != nil {
		return nil, err
	}
	list := []refactoring{first}
	if first.Answer == "error" {
		return list, nil
	}
	if flags.attack > 0 {
		if first.Answer != string(diagnostics.SameBehaviour) {
			return list, nil
		}
		before, err := git(ctx, repository, "show", r.Commit+"^:"+r.File)
		if err != nil {
			return nil, err
		}
		list[0].Native = flags.natively(ctx, dir, &first, before, after)
		mutants, err := flags.attackOn(ctx, dir, &first, before, after)
		return append(list, mutants...), err
	}
	for f := range csource.NewSource(after).Functions() {
		if f.Name != r.Function {
			continue
		}
		for _, rule := range seeds {
			bug, ok := rule(after, f.Body, f.End)
			if !ok || len(list) > flags.mutants {
				continue
			}
			text := bug.in(after)
			if same, err := flags.sameCode(ctx, dir, file, after, text); err != nil || same {
				continue // in code that the preprocessor leaves out
			}
			mutant, err := run(text, bug.describe(after))
			if err != nil {
				return nil, err
			}
			list = append(list, mutant)
		}
	}
	return list, nil
}

// missingHeader matches the error about a header that the project's configuration would write. An empty one is made.
var missingHeader = regexp.MustCompile(`'([^']*config[^']*\.h)' file not found`)

const (
	generatedFolder = "unitproof-generated" // in the copy
	maxConfigured   = 3                     // headers that are made for a commit
)

// sameCode reports whether two texts of a file are the same after preprocessing. The file has the second one then.
func (flags *refactoringFlags) sameCode(ctx context.Context, dir, file string, a, b []byte) (bool, error) {
	var outputs [2][]byte
	for i, text := range [][]byte{a, b} {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return false, err
		}
		args := []string{"-E", "-P", "-w"}
		for _, include := range headerFolders(dir) {
			args = append(args, "-I", include)
		}
		cmd := exec.CommandContext(ctx, "cc", append(args, file)...)
		cmd.Dir = dir
		var err error
		if outputs[i], err = cmd.Output(); err != nil {
			return false, fmt.Errorf("preprocessing %s: %w", file, err)
		}
	}
	return bytes.Equal(outputs[0], outputs[1]), nil
}

// headerFolders returns the folders of a project that have headers, and the folders above them. In these, headers are
// found with the name of their folder (<lib/lib.h>).
func headerFolders(dir string) []string {
	folders := map[string]bool{".": true, generatedFolder: true}
	filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(dir, path)
		switch {
		case err != nil || relErr != nil:
		case e.IsDir() && (e.Name() == ".git" || notLibrary.MatchString(rel)):
			return filepath.SkipDir
		case filepath.Ext(path) == ".h":
			folders[filepath.Dir(rel)] = true
			folders[filepath.Dir(filepath.Dir(rel))] = true
		}
		return nil
	})
	return slices.Sorted(maps.Keys(folders))
}

// equiv runs the command for one function.
func (flags *refactoringFlags) equiv(ctx context.Context, dir string, r *refactoring) {
	ctx, cancel := context.WithTimeout(ctx, 12*flags.limit) // other programs may need the processor
	defer cancel()
	output := filepath.Join(filepath.Dir(dir), "out.json")
	os.Remove(output)
	args := []string{"equiv", "--json", output, "--timeout", flags.limit.String()}
	for _, include := range headerFolders(dir) {
		args = append(args, "-I", include)
	}
	cmd := exec.CommandContext(ctx, flags.program, append(args, r.Function, r.File)...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	began := time.Now()
	err := cmd.Run()
	r.MS = time.Since(began).Milliseconds()
	if s := cmd.ProcessState; s != nil {
		r.CPUMS = (s.UserTime() + s.SystemTime()).Milliseconds()
	}
	var doc diagnostics.ComparisonDocument
	data, readErr := os.ReadFile(output)
	if readErr == nil {
		readErr = json.Unmarshal(data, &doc)
	}
	switch {
	case ctx.Err() != nil:
		r.Answer, r.Reason = string(diagnostics.BehaviourUndecided), outOfTime
	case readErr != nil || len(doc.Functions) == 0:
		r.Answer, r.Reason = "error", string(csource.OneLine(said.Bytes()))
		if said.Len() == 0 && err != nil {
			r.Reason = err.Error()
		}
	default:
		c := doc.Functions[0]
		r.Answer, r.Reason = string(c.Answer), c.Reason
		if c.Answer == diagnostics.BehaviourUndecided && c.Steps != "" {
			defer func() { r.Reason += "; step by step: " + c.Steps }()
		}
		if c.Line == 0 { // the version after does not compile without the project's configuration
			r.Answer = "error"
		}
		if len(c.NotCompared) > 0 && r.Reason == "" {
			r.Reason = strings.Join(c.NotCompared, "; ")
		}
	}
}
