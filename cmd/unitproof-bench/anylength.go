package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/diagnostics"
	"github.com/unitproof/unitproof/vcgen/found"
)

// anyLengthDocument is the JSON output of any-length, described in docs/benchmarks.md.
type anyLengthDocument struct {
	Schema    int                `json:"schema"`
	Tool      string             `json:"tool"`
	Date      string             `json:"date"`
	Machine   string             `json:"machine"`
	Functions []anyLengthOutcome `json:"functions"`
	Bugs      []anyLengthOutcome `json:"bugs,omitempty"`
	// Quiet is the number of changes of which no native run shows a violation.
	Quiet int `json:"quiet,omitempty"`
}

// anyLengthOutcome is the result of a function whose input may have any length, with or without a bug.
type anyLengthOutcome struct {
	Library  string        `json:"library"`
	Function string        `json:"function"`
	Bug      string        `json:"bug,omitempty"` // the place and the change, if there is one
	Verdict  found.Verdict `json:"verdict"`
	MS       int64         `json:"ms"`
	CPUMS    int64         `json:"cpu_ms"`
	Proved   int           `json:"proved"`         // the number of checks that are proved
	Open     []string      `json:"open,omitempty"` // the other ones, and the reason if there are no checks
	// Runs is the number of native runs; 0 if the function was not executed.
	Runs int `json:"runs,omitempty"`
	// Violation is what a native run showed, and NotRun says why there was none.
	Violation string `json:"violation,omitempty"`
	NotRun    string `json:"not_run,omitempty"`
}

// refuted reports whether a native run shows a violation of what is proved.
func (o *anyLengthOutcome) refuted() bool { return o.Verdict == found.Proved && o.Violation != "" }

// anyLengthFlags are the flags of any-length.
type anyLengthFlags struct {
	list    string
	program string
	only    []string
	seconds int
	attack  int
	bugs    int
	json    string
}

// anyLengthCommand checks functions of public libraries with inputs of any length.
func anyLengthCommand(std cli.Streams) *cobra.Command {
	var flags anyLengthFlags
	cmd := &cobra.Command{
		Use:   "any-length [flags] CLONES",
		Short: "Check functions of public libraries with inputs of any length",
		Long: `any-length takes a folder with a clone OWNER+NAME of each library that --list names. Each function gets a harness of one
line, in which the input has up to 100,000 arbitrary bytes, and is checked. With --attack, each proved function is then
executed natively, with random and changed inputs. With --bugs, the proved functions are changed by rule, and a changed
function in which a native run shows a violation is checked, until there are so many. The clones stay as they are.

Exit status: 1 if a native run shows a violation of what is proved.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return anyLength(cmd.Context(), std, &flags, args[0]) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.list, "list", filepath.Join("testdata", "anylength", "functions.txt"), "the functions, `FILE`")
	f.StringVar(&flags.program, "program", "", "the `PROGRAM` unitproof (default: the one beside this program)")
	f.StringSliceVar(&flags.only, "function", nil, "only these functions, `NAME`s")
	f.IntVar(&flags.seconds, "seconds", 60, "CPU time for each function, `N` seconds")
	f.IntVar(&flags.attack, "attack", 0, "execute each proved function natively for `N` seconds")
	f.IntVar(&flags.bugs, "bugs", 0, "check `N` bugs in proved functions: changes by rule of which a native run shows a violation")
	f.StringVar(&flags.json, "json", "", "write the results to `FILE`; - is standard output")
	return cmd
}

// anyLength checks the functions; the exit status is 1 if a native run refutes a verdict.
func anyLength(ctx context.Context, std cli.Streams, flags *anyLengthFlags, clones string) error {
	if err := cli.CheckOutputs(flags.json); err != nil {
		return err
	}
	program, err := checkedProgram(flags.program)
	if err != nil {
		return err
	}
	rows, err := readAnyLength(flags.list)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "unitproof-any-length-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	doc := anyLengthDocument{Schema: 1, Tool: cli.ToolName(), Date: time.Now().Format(time.DateOnly), Machine: machine()}
	var proved []*anyLengthRun
	for i := range rows {
		r := &anyLengthRun{ctx: ctx, flags: flags, program: program, row: &rows[i],
			dir: filepath.Join(work, strconv.Itoa(i))}
		if len(flags.only) > 0 && !slices.Contains(flags.only, r.row.name) {
			continue
		}
		if err := r.layOut(clones); err != nil {
			return err
		}
		out, err := r.check()
		if err != nil {
			return err
		}
		if out.Verdict == found.Proved {
			proved = append(proved, r)
			if flags.attack > 0 {
				r.execute(out, flags.attack)
			}
		}
		fmt.Fprintln(std.Err, out)
		doc.Functions = append(doc.Functions, *out)
	}
	if flags.bugs > 0 {
		if doc.Bugs, doc.Quiet, err = plantInParsers(std, proved, flags.bugs); err != nil {
			return err
		}
	}
	people := std.Out
	if flags.json == "-" {
		people = std.Err
	}
	doc.print(people)
	if err := writeJSON(std, flags.json, doc); err != nil {
		return err
	}
	if slices.ContainsFunc(slices.Concat(doc.Functions, doc.Bugs), func(o anyLengthOutcome) bool { return o.refuted() }) {
		return cli.ExitCode(1)
	}
	return nil
}

// anyLengthRow is a line of functions.txt.
type anyLengthRow struct {
	name, repository string
	files            []string // that the harness includes
	body             string   // of the harness
}

func readAnyLength(name string) (rows []anyLengthRow, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		parts := strings.SplitN(line, "|", 4)
		if len(parts) < 4 {
			return nil, fmt.Errorf("%s:%d: four columns are wanted: function | repository | files | harness", name, number)
		}
		for i := range parts {
			parts[i] = strings.TrimSpace(parts[i])
		}
		rows = append(rows, anyLengthRow{parts[0], parts[1], strings.Split(parts[2], ","), parts[3]})
	}
	return rows, nil
}

// anyLengthRun checks one function, in a folder of its own.
type anyLengthRun struct {
	ctx     context.Context
	flags   *anyLengthFlags
	program string
	row     *anyLengthRow
	dir     string   // of the harness, and of changed files of the library
	folders []string // in which the library's files and headers are
	// executed are the functions of the library with a proved check. check sets it.
	executed []string
}

func (r *anyLengthRun) harness() string { return filepath.Join(r.dir, "harness_"+r.row.name+".c") }

// layOut writes the harness.
func (r *anyLengthRun) layOut(clones string) error {
	clone := filepath.Join(clones, strings.ReplaceAll(r.row.repository, "/", "+"))
	if _, err := os.Stat(clone); err != nil {
		return fmt.Errorf("%w (clone github.com/%s there)", err, r.row.repository)
	}
	for _, folder := range []string{"", "src", "include", "lib", "source/include"} {
		r.folders = append(r.folders, filepath.Join(clone, folder))
	}
	text := "#include \"anylength.h\"\n"
	for _, file := range r.row.files {
		text += fmt.Sprintf("#include %q\n", file)
		callbacks := strings.TrimSuffix(file, ".c") + "_input.h"
		if _, err := os.Stat(filepath.Join(filepath.Dir(r.flags.list), callbacks)); err == nil {
			text += fmt.Sprintf("#include %q\n", callbacks)
		}
	}
	text += "void any_length(void) {\n  " + r.row.body + "\n}\n"
	return errors.Join(os.MkdirAll(r.dir, 0o755), os.WriteFile(r.harness(), []byte(text), 0o644))
}

// commandResult is what a command wrote, its exit status (-1 if it did not end by itself), and its CPU time.
type commandResult struct {
	text     []byte
	problems string
	status   int
	used     time.Duration
}

// command runs the program on the harness.
func (r *anyLengthRun) command(args ...string) (*commandResult, error) {
	list, err := filepath.Abs(filepath.Dir(r.flags.list))
	if err != nil {
		return nil, err
	}
	for _, folder := range slices.Concat([]string{r.dir, list}, r.folders) {
		args = append(args, "-I", folder)
	}
	args = append(args, "--no-cache", "--cflag=-Wno-everything", "-DQOI_IMPLEMENTATION", "-DOPTPARSE_IMPLEMENTATION",
		"--entry", "any_length", r.harness())
	cmd := exec.CommandContext(r.ctx, r.program, args...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	if r.ctx.Err() != nil {
		return nil, r.ctx.Err()
	}
	s := cmd.ProcessState
	return &commandResult{out.Bytes(), said.String(), s.ExitCode(), s.UserTime() + s.SystemTime()}, nil
}

// check checks the function.
func (r *anyLengthRun) check() (*anyLengthOutcome, error) {
	out := &anyLengthOutcome{Library: r.row.repository, Function: r.row.name}
	began := time.Now()
	res, err := r.command("check", "--timeout", fmt.Sprintf("%ds", r.flags.seconds), "--max-memory", "4G", "--json", "-")
	if err != nil {
		return nil, err
	}
	out.MS, out.CPUMS = time.Since(began).Milliseconds(), res.used.Milliseconds()
	var doc diagnostics.Document
	if err := json.Unmarshal(res.text, &doc); err != nil || len(doc.Proofs) != 1 {
		out.Verdict, out.Open = found.Error, []string{firstLine(res.problems)}
		return out, nil
	}
	p := &doc.Proofs[0]
	out.Verdict = p.Verdict
	r.executed = nil
	for i := range p.Obligations {
		o := &p.Obligations[i]
		switch o.Verdict {
		case found.Proved:
			out.Proved++
			if o.File != r.harness() && !slices.Contains(r.executed, o.Function) {
				r.executed = append(r.executed, o.Function)
			}
		case found.Unreached:
		default:
			out.Open = append(out.Open, fmt.Sprintf("%s %s %s:%d", o.Verdict, o.Kind, filepath.Base(o.File), o.Line))
		}
	}
	if len(p.Obligations) == 0 && p.Reason != "" {
		out.Open = append(out.Open, p.Reason)
	}
	return out, nil
}

// execute executes the function natively for some seconds, up to its first violation.
func (r *anyLengthRun) execute(out *anyLengthOutcome, seconds int) {
	var doc diagnostics.Document
	res, err := r.command("run", "--first", "--seconds", strconv.Itoa(seconds), "--json", "-")
	if err == nil {
		out.Runs = runsOf(res.problems)
		err = json.Unmarshal(res.text, &doc)
	}
	switch {
	case err != nil:
		out.NotRun = err.Error()
	case res.status == 1 && len(doc.Proofs) > 0 && len(doc.Proofs[0].Obligations) > 0:
		o := &doc.Proofs[0].Obligations[0]
		out.Violation = fmt.Sprintf("%s %s:%d", o.Kind, filepath.Base(o.File), o.Line)
	case res.status == 1:
		out.Violation = firstLine(res.problems)
	case res.status != 0:
		out.NotRun = firstLine(res.problems)
	case out.Runs == 0:
		out.NotRun = "no number of runs in the output: " + firstLine(res.problems)
	}
}

// runsOf returns the number of runs that the text output of run tells.
func runsOf(text string) (n int) {
	if before, _, ok := strings.Cut(text, " runs, "); ok {
		before = before[strings.LastIndexByte(before, ' ')+1:]
		n, _ = strconv.Atoi(before)
	}
	return n
}

// String returns the outcome as a line.
func (o *anyLengthOutcome) String() string {
	parts := []string{fmt.Sprintf("%-26s %-8s %5.1f s CPU %4d proved", o.Function, o.Verdict, float64(o.CPUMS)/1000,
		o.Proved)}
	if o.Bug != "" {
		parts = append(parts, o.Bug)
	}
	parts = append(parts, o.Open[:min(len(o.Open), 3)]...)
	switch {
	case o.refuted():
		parts = append(parts, "REFUTED natively: "+o.Violation)
	case o.Violation != "":
		parts = append(parts, "a native run shows "+o.Violation)
	case o.NotRun != "":
		parts = append(parts, "not executed: "+o.NotRun)
	case o.Runs > 0:
		parts = append(parts, fmt.Sprintf("%d runs without a violation", o.Runs))
	}
	return strings.Join(parts, "; ")
}

// print prints a table of the results, and their summary.
func (d *anyLengthDocument) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	count := map[found.Verdict]int{}
	var cpu, executed, refuted, not int64
	var runs []int
	for i := range d.Functions {
		o := &d.Functions[i]
		count[o.Verdict]++
		if o.Verdict == found.Proved {
			cpu += o.CPUMS
		}
		if o.Runs > 0 {
			executed++
			runs = append(runs, o.Runs)
		}
		if o.refuted() {
			refuted++
		}
		if o.NotRun != "" {
			not++
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%.1f s\t%d\t%s\n", o.Function, o.Library, o.Verdict, float64(o.CPUMS)/1000, o.Proved,
			strings.Join(o.Open[:min(len(o.Open), 3)], ", "))
	}
	_ = t.Flush()
	fmt.Fprintf(w, "%d functions: %d proved in %.0f s of CPU, %d failed, %d bounded, %d unknown, %d error\n",
		len(d.Functions), count[found.Proved], float64(cpu)/1000, count[found.Failed], count[found.Bounded],
		count[found.Unknown], count[found.Error])
	if not > 0 {
		fmt.Fprintf(w, "%d could not be executed natively\n", not)
	}
	if executed > 0 {
		slices.Sort(runs)
		fmt.Fprintf(w, "%d executed natively: %d refuted; %d to %d runs each, median %d\n", executed, refuted, runs[0],
			runs[len(runs)-1], runs[len(runs)/2])
	}
	if len(d.Bugs) == 0 {
		return
	}
	caught, missed, wrong := 0, 0, 0
	for i := range d.Bugs {
		switch o := &d.Bugs[i]; {
		case o.Verdict == found.Failed:
			caught++
		case o.refuted():
			wrong++
		default:
			missed++
		}
	}
	fmt.Fprintf(w, "%d bugs: %d found, %d not decided, %d wrongly proved; no native run shows a violation of %d other "+
		"changes\n", len(d.Bugs), caught, missed, wrong, d.Quiet)
}
