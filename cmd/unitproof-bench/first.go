package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/pipeline"
	"github.com/unitproof/unitproof/pipeline/project"
	"github.com/unitproof/unitproof/vcgen/found"
)

// sampledLibrary is a public library whose functions are sampled.
type sampledLibrary struct {
	Name       string
	Repository string
	Commit     string
	Files      string // patterns of its main files
	Sample     int    // the number of the sample that it belongs to; 0 is the first
}

// firstDocument is the JSON output of first, described in docs/benchmarks.md.
type firstDocument struct {
	Schema    int            `json:"schema"`
	Tool      string         `json:"tool"`
	Date      string         `json:"date"`
	Machine   string         `json:"machine"`
	Functions []firstOutcome `json:"functions"`
	Bugs      []firstOutcome `json:"bugs,omitempty"`
}

// firstOutcome is the result of a function's first proof, with or without a bug in the function.
type firstOutcome struct {
	Library  string `json:"library"`
	Function string `json:"function"`
	File     string `json:"file"`
	Bug      string `json:"bug,omitempty"`
	// Found are the failures of the proof that was written before the bug. FoundAfresh are those of a proof that is
	// written for the function with the bug. Both are without the failures that the function has without the bug.
	Found       []string `json:"found,omitempty"`
	FoundAfresh []string `json:"found_afresh,omitempty"`
	// FoundByFacts are those of the proof from before with the postconditions that were suggested for it.
	FoundByFacts []string `json:"found_by_facts,omitempty"`
	Facts        int      `json:"facts,omitempty"` // their number

	Harness  string        `json:"-"`
	Verdict  found.Verdict `json:"verdict"`
	Compiles bool          `json:"compiles"`
	Vacuous  int           `json:"vacuous,omitempty"` // assertions that no execution reaches
	Reason   string        `json:"reason,omitempty"`
	Failures []string      `json:"failures,omitempty"`
	// Unreached is the number of lines of the function that the proof does not reach; 0 if it was not determined.
	Unreached int    `json:"unreached,omitempty"`
	Size      int    `json:"size,omitempty"`
	MS        int64  `json:"ms"`     // from the command to its end
	CPUMS     int64  `json:"cpu_ms"` // of the program and its workers
	Suggest   string `json:"suggest,omitempty"`
}

type firstFlags struct {
	list    string
	program string
	only    []string
	names   []string
	most    int
	sample  int
	bugs    int
	suggest bool
	facts   bool
	keep    string
	json    string
}

// firstCommand measures the first proofs of functions of public libraries.
func firstCommand(std cli.Streams) *cobra.Command {
	var flags firstFlags
	cmd := &cobra.Command{
		Use:   "first [flags] CLONES",
		Short: "Write and check the first proofs of functions of public libraries",
		Long: `first takes a folder with a clone OWNER+NAME of each library that --list names. Of each library it takes ten functions
with external linkage at equal distances, runs "unitproof new" for each in a copy, and lists the verdicts and the times.
With --bugs, it then puts a bug into each of some functions, chosen by rule, and checks the proof that was written
before, and a proof that is written for the changed function. The clones stay as they are.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return first(cmd.Context(), std, &flags, args[0]) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.list, "list", filepath.Join("testdata", "first", "libraries.toml"), "the libraries, `FILE`")
	f.StringVar(&flags.program, "program", "", "the `PROGRAM` unitproof (default: the one beside this program)")
	f.StringSliceVar(&flags.only, "library", nil, "only these libraries, `NAME`s")
	f.StringSliceVar(&flags.names, "function", nil, "only these functions of the sample, `NAME`s")
	f.IntVar(&flags.most, "most", 10, "at most `N` functions of a library")
	f.IntVar(&flags.sample, "sample", 0, "the libraries of this sample, by `N`umber (default: all)")
	f.IntVar(&flags.bugs, "bugs", 0, "put a bug into each of `N` functions as well")
	f.BoolVar(&flags.suggest, "suggest", false, "search for conditions that exclude each failure")
	f.BoolVar(&flags.facts, "facts", false, "with --bugs, also check the proofs with their suggested postconditions")
	f.StringVar(&flags.keep, "keep", "", "keep the copies, with the proofs, in `FOLDER`")
	f.StringVar(&flags.json, "json", "", "write the results to `FILE`; - is standard output")
	return cmd
}

// checkedProgram returns the path of the program to measure: name, or the one beside this program if name is "".
func checkedProgram(name string) (string, error) {
	if name == "" {
		own, err := os.Executable()
		if err != nil {
			return "", err
		}
		name = filepath.Join(filepath.Dir(own), "unitproof")
	}
	return filepath.Abs(name)
}

func first(ctx context.Context, std cli.Streams, flags *firstFlags, clones string) error {
	if err := cli.CheckOutputs(flags.json); err != nil {
		return err
	}
	program, err := checkedProgram(flags.program)
	if err != nil {
		return err
	}
	var list struct{ Library []sampledLibrary }
	if _, err := toml.DecodeFile(flags.list, &list); err != nil {
		return fmt.Errorf("%s: %w", flags.list, err)
	}
	work := flags.keep
	if work == "" {
		if work, err = os.MkdirTemp("", "unitproof-first-"); err != nil {
			return err
		}
		defer os.RemoveAll(work)
	} else if work, err = filepath.Abs(work); err != nil {
		return err
	}
	doc := firstDocument{Schema: 1, Tool: cli.ToolName(), Date: time.Now().Format(time.DateOnly), Machine: machine()}
	var sample []sampled
	for i := range list.Library {
		l := &list.Library[i]
		if flags.sample > 0 && max(l.Sample, 1) != flags.sample ||
			len(flags.only) > 0 && !slices.Contains(flags.only, l.Name) {
			continue
		}
		r := firstRun{ctx: ctx, flags: flags, program: program, library: l, dir: filepath.Join(work, l.Name)}
		if err := r.layOut(clones); err != nil {
			return err
		}
		functions, err := r.sample()
		if err != nil {
			return err
		}
		for _, f := range functions {
			if len(flags.names) > 0 && !slices.Contains(flags.names, f.function) {
				continue
			}
			out, err := r.prove(f)
			if err != nil {
				return err
			}
			if strings.HasPrefix(out.Reason, "no function "+f.function+" ") { // this configuration does not compile it
				continue
			}
			doc.Functions = append(doc.Functions, *out)
			sample = append(sample, sampled{r, f, out})
			fmt.Fprintln(std.Err, out)
		}
	}
	if flags.bugs > 0 {
		if doc.Bugs, err = plantAll(std, sample, flags.bugs); err != nil {
			return err
		}
	}
	people := std.Out
	if flags.json == "-" {
		people = std.Err
	}
	doc.print(people)
	return writeJSON(std, flags.json, doc)
}

// String returns the outcome as a line.
func (o *firstOutcome) String() string {
	line := fmt.Sprintf("%-12s %-34s %-8s %5.1f s %5.1f s CPU", o.Library, o.Function, o.Verdict, float64(o.MS)/1000,
		float64(o.CPUMS)/1000)
	if o.Bug != "" {
		line += "  " + o.Bug
	}
	if why := append(slices.Clone(o.Failures), o.Reason)[0]; why != "" {
		line += "  " + why
	}
	if o.Unreached > 0 {
		line += fmt.Sprintf("  %d lines not reached", o.Unreached)
	}
	if o.Suggest != "" {
		line += "  suggest: " + o.Suggest
	}
	return line
}

// sampled is a function of the sample with its result.
type sampled struct {
	run     firstRun
	target  sampledFunction
	outcome *firstOutcome
}

type sampledFunction struct{ function, file string } // the file is relative to the library's folder

// firstRun proves functions of one library.
type firstRun struct {
	ctx     context.Context
	flags   *firstFlags
	program string
	library *sampledLibrary
	dir     string
}

// layOut writes a copy of the library at its commit, configured by cmake if it has a CMakeLists.txt.
func (r *firstRun) layOut(clones string) error {
	clone := filepath.Join(clones, strings.ReplaceAll(r.library.Repository, "/", "+"))
	if err := errors.Join(os.RemoveAll(r.dir), os.RemoveAll(r.cache())); err != nil {
		return err
	}
	if err := archived(r.ctx, clone, r.library.Commit, r.library.Repository, r.dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.dir, "CMakeLists.txt")); err != nil {
		return nil
	}
	cmd := exec.CommandContext(r.ctx, "cmake", "-S", ".", "-B", "build", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
		"-DBUILD_TESTING=OFF")
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: cmake: %w: %s", r.library.Name, err, out)
	}
	return nil
}

// cache returns the folder of the caches, which is empty at first.
func (r *firstRun) cache() string { return r.dir + ".cache" }

// sample returns functions with external linkage at equal distances: file by file, sorted by name.
func (r *firstRun) sample() ([]sampledFunction, error) {
	w, err := project.Open(r.dir, project.Flags{})
	if w == nil {
		return nil, err
	}
	var all []sampledFunction
	for _, pattern := range strings.Fields(r.library.Files) {
		files, err := filepath.Glob(filepath.Join(r.dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			rel, err := filepath.Rel(r.dir, file)
			if err != nil {
				return nil, err
			}
			for _, name := range w.DefinedFunctions(file) {
				if name != "main" {
					all = append(all, sampledFunction{name, rel})
				}
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no function was found", r.library.Name)
	}
	n := min(r.flags.most, len(all))
	list := make([]sampledFunction, n)
	for i := range list {
		list[i] = all[i*len(all)/n]
	}
	return list, nil
}

// prove runs "unitproof new" for a function.
func (r *firstRun) prove(f sampledFunction) (*firstOutcome, error) {
	out := &firstOutcome{Library: r.library.Name, Function: f.function, File: f.file}
	cmd := exec.CommandContext(r.ctx, r.program, "new", "--force", "--json", "-", f.function, f.file)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "XDG_CACHE_HOME="+r.cache())
	var text, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &problems
	began := time.Now()
	err := cmd.Run()
	out.MS = time.Since(began).Milliseconds()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	if r.ctx.Err() != nil {
		return nil, r.ctx.Err()
	}
	out.CPUMS = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Milliseconds()
	var document struct {
		Proofs []*pipeline.Generated `json:"proofs"`
	}
	if err := json.Unmarshal(text.Bytes(), &document); err != nil || len(document.Proofs) != 1 {
		out.Verdict, out.Reason = found.Error, firstLine(problems.String())
		return out, nil
	}
	made := document.Proofs[0]
	out.Verdict, out.Reason, out.Failures, out.Size = made.Verdict, made.Reason, made.Failures, made.Size
	out.Harness, out.Unreached = made.Harness, len(made.Unreached)
	out.Compiles = made.Harness != "" && made.Verdict != found.Error
	if made.Verdict == found.Vacuous {
		out.Vacuous = 1
	}
	if made.Verdict == found.Unknown || made.Verdict == found.Bounded {
		out.Reason = cmp.Or(out.Reason, firstReason(problems.String()))
	}
	if r.flags.suggest && made.Verdict == found.Failed {
		out.Suggest = r.suggested(made.Harness)
	}
	return out, nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// firstReason returns the first lines of the text output about findings that are not decided.
func firstReason(text string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, "unknown") || strings.Contains(line, "bounded") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// suggested returns the first condition that excludes the first failure of a proof, or "none".
func (r *firstRun) suggested(harness string) string {
	cmd := exec.CommandContext(r.ctx, r.program, "suggest", "--budget", "30s", harness)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "XDG_CACHE_HOME="+r.cache())
	text, _ := cmd.Output()
	for line := range strings.Lines(string(text)) {
		if _, condition, ok := strings.Cut(line, "| "); ok && strings.Contains(condition, "assume(") {
			return strings.TrimSpace(condition)
		}
	}
	return "none"
}

// print prints a table of the results, and their summary.
func (d *firstDocument) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	count := map[found.Verdict]int{}
	compiles, late := 0, 0
	var times []int64
	for i := range d.Functions {
		o := &d.Functions[i]
		count[o.Verdict]++
		if o.Compiles {
			compiles++
		}
		if o.CPUMS > 60_000 {
			late++
		}
		times = append(times, o.MS)
		fmt.Fprintf(t, "%s\t%s\t%s\t%.1f s\n", o.Library, o.Function, o.Verdict, float64(o.MS)/1000)
	}
	for i := range d.Bugs {
		o := &d.Bugs[i]
		what := "missed"
		switch {
		case len(o.Found) > 0:
			what = "found: " + o.Found[0]
		case len(o.FoundByFacts) > 0:
			what = "found by postconditions only: " + o.FoundByFacts[0]
		case len(o.FoundAfresh) > 0:
			what = "found afresh only: " + o.FoundAfresh[0]
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", o.Library, o.Function, o.Bug, what)
	}
	_ = t.Flush()
	slices.Sort(times)
	if n := len(times); n > 0 {
		fmt.Fprintf(w, "%d functions, %d compile; %d proved, %d failed, %d bounded, %d unknown, %d vacuous, %d error; "+
			"median %.1f s, %d took more than 60 s of CPU\n", n, compiles, count[found.Proved], count[found.Failed],
			count[found.Bounded], count[found.Unknown], count[found.Vacuous], count[found.Error],
			float64(times[n/2])/1000, late)
	}
	if len(d.Bugs) > 0 {
		hits, afresh, facts := 0, 0, 0
		for i := range d.Bugs {
			if len(d.Bugs[i].Found) > 0 {
				hits++
			}
			if len(d.Bugs[i].Found) > 0 || len(d.Bugs[i].FoundByFacts) > 0 {
				facts++
			}
			if len(d.Bugs[i].FoundAfresh) > 0 {
				afresh++
			}
		}
		fmt.Fprintf(w, "%d bugs, %d found by the proof from before, %d with its postconditions, %d by a proof from the "+
			"changed code\n", len(d.Bugs), hits, facts, afresh)
	}
}
