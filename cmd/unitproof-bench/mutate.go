package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/unitproof/unitproof/cmd/internal/cli"
	"github.com/unitproof/unitproof/cmd/unitproof-bench/mutants"
	"github.com/unitproof/unitproof/vcgen/clangtest"
	"github.com/unitproof/unitproof/vcgen/found"
)

// mutateFlags are the flags of mutate.
type mutateFlags struct {
	pkg, only           string
	tests, in           []string
	count               int
	seed                int64
	programs, perMutant int
	limit, total        time.Duration
	jobs                int
	list                bool
}

// mutateCommand plants mutants in a package of the engine, and lists the survivors.
func mutateCommand(std cli.Streams) *cobra.Command {
	var flags mutateFlags
	cmd := &cobra.Command{
		Use:   "mutate [flags]",
		Short: "Change a package of the engine in small ways, and list what no fast test notices",
		Long: `mutate plants small changes in the Go source of a package: a comparison, a constant, an operand, a
statement that is left out. All of a sample are in one build, each behind a condition on the environment. The tests of
the package, and marked programs of testdata, are run with each, as far as they come to it, until one notices. What
none notices is listed: a test is missing, or the change makes no difference. It is run from the repository's root.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return mutate(cmd.Context(), std, &flags) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&flags.pkg, "package", "./vcgen/unfold", "the `PACKAGE` that is changed")
	f.StringVar(&flags.only, "only", "", "changes in places that match `REGEXP` (file:line:column function: kind: ...)")
	f.StringSliceVar(&flags.tests, "tests", nil, "`PACKAGES` whose tests are run beside those of the package")
	f.IntVarP(&flags.count, "count", "n", 100, "how many changes are tried, `N`; 0: all")
	f.Int64Var(&flags.seed, "seed", 1, "the seed `N` of the sample, which is chosen by hashes")
	f.StringSliceVar(&flags.in, "in", []string{"testdata/proofs", "testdata/acceptance"},
		"the `FOLDERS` of marked programs")
	f.IntVar(&flags.programs, "programs", 80, "how many marked programs there are to notice, `N`; 0: only tests")
	f.IntVar(&flags.perMutant, "each", 30, "how many of them are tried of one change, `N`")
	f.DurationVar(&flags.limit, "limit", time.Minute, "how long one test or program may take")
	f.DurationVar(&flags.total, "for", 0, "how long changes are tried; what is left then is not; 0: until all are")
	f.IntVarP(&flags.jobs, "jobs", "j", 2, "how many changes are tried at once")
	f.BoolVar(&flags.list, "list", false, "list the sample, and try nothing")
	return cmd
}

func mutate(ctx context.Context, std cli.Streams, flags *mutateFlags) error {
	p, err := mutants.Load(".", flags.pkg)
	if err != nil {
		return err
	}
	sample, err := flags.sample(p.Mutants)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.Out, "%s: %d of %d changes\n", flags.pkg, len(sample), len(p.Mutants))
	if flags.list {
		for _, m := range sample {
			fmt.Fprintln(std.Out, m)
		}
		return nil
	}
	folder, err := os.MkdirTemp("", "unitproof-mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	b := &mutated{flags: flags, folder: folder, out: std.Out}
	if err := b.build(ctx, p, sample); err != nil {
		return err
	}
	if err := b.baseline(ctx); err != nil {
		return err
	}
	return b.tryAll(ctx, sample)
}

// sample returns the mutants to try, in the order of the source.
func (f *mutateFlags) sample(all []mutants.Mutant) ([]mutants.Mutant, error) {
	only, err := regexp.Compile(f.only)
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	var out []mutants.Mutant
	for _, m := range all {
		if only.MatchString(m.String()) {
			out = append(out, m)
		}
	}
	// Each mutant is selected by its own hash, so that edits elsewhere in the package do not change the sample.
	hash := func(m mutants.Mutant) uint32 {
		return crc32.ChecksumIEEE([]byte(fmt.Sprint(f.seed, m.File, m.Func, m.Kind, m.Was, m.Is)))
	}
	slices.SortStableFunc(out, func(a, b mutants.Mutant) int { return cmp.Compare(hash(a), hash(b)) })
	if f.count > 0 && len(out) > f.count {
		out = out[:f.count]
	}
	slices.SortFunc(out, func(a, b mutants.Mutant) int { return cmp.Compare(a.ID, b.ID) })
	return out, nil
}

// mutated is one build of the program and of the tests, with all mutants of the sample planted.
type mutated struct {
	flags  *mutateFlags
	folder string
	out    io.Writer
	checks []*noticing
}

// noticing is a test or a marked program. It kills a mutant if its outcome differs from that without mutants.
type noticing struct {
	name    string
	dir     string
	command []string
	program bool // its findings are compared; for a test, the exit status
	was     string
	reached map[int]bool
	took    time.Duration
}

// build compiles the tests and the program, once for all mutants.
func (b *mutated) build(ctx context.Context, p *mutants.Package, sample []mutants.Mutant) error {
	var ids []int
	for _, m := range sample {
		ids = append(ids, m.ID)
	}
	overlay, err := p.Overlay(b.folder, ids)
	if err != nil {
		return err
	}
	run := func(args ...string) error {
		if out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	tested := append([]string{b.flags.pkg}, b.flags.tests...)
	for i, pkg := range tested {
		if slices.Contains(tested[:i], pkg) {
			continue
		}
		binary := filepath.Join(b.folder, fmt.Sprintf("test%d", i))
		if err := run("test", "-c", "-vet=off", "-overlay", overlay, "-o", binary, pkg); err != nil {
			return err
		}
		list, err := exec.CommandContext(ctx, binary, "-test.list", ".").Output()
		if err != nil {
			return err
		}
		for name := range strings.FieldsSeq(string(list)) {
			b.checks = append(b.checks, &noticing{name: pkg + " " + name, dir: pkg,
				command: []string{binary, "-test.run", "^" + name + "$", "-test.failfast"}})
		}
	}
	if b.flags.programs == 0 {
		return nil
	}
	program := filepath.Join(b.folder, "unitproof")
	if err := run("build", "-overlay", overlay, "-o", program, "./cmd/unitproof"); err != nil {
		return err
	}
	files, err := markedPrograms(b.flags.in, b.flags.programs)
	for _, file := range files {
		b.checks = append(b.checks, &noticing{name: file.path, program: true, command: slices.Concat(
			[]string{program, "check", "--no-cache", "-q", "--json", "-"}, file.flags, []string{file.path})})
	}
	return err
}

type markedProgram struct {
	path  string
	flags []string
}

var markedFlags = regexp.MustCompile(`(?m)^\W*flags: (.*)$`)

// markedPrograms returns programs with markers below folders, selected by a hash of their names.
func markedPrograms(folders []string, count int) ([]markedProgram, error) {
	var out []markedProgram
	for _, dir := range folders {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".c" {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), "verdict:") {
				return err
			}
			m := markedProgram{path: path}
			if g := markedFlags.FindSubmatch(text); g != nil {
				if m.flags = strings.Fields(string(g[1])); strings.ContainsAny(string(g[1]), `"'`) {
					return nil
				}
			}
			out = append(out, m)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	hash := func(m markedProgram) uint32 { return crc32.ChecksumIEEE([]byte(filepath.Base(m.path))) }
	slices.SortFunc(out, func(a, b markedProgram) int { return cmp.Compare(hash(a), hash(b)) })
	return out[:min(count, len(out))], nil
}

// baseline runs each test and program without mutants, and records the mutants that it executes. Slow ones are
// excluded.
func (b *mutated) baseline(ctx context.Context) error {
	var usable []*noticing
	for _, n := range b.checks {
		reachedFile := filepath.Join(b.folder, "met")
		os.Remove(reachedFile)
		start := time.Now()
		said, err := b.run(ctx, n, mutants.MetVariable+"="+reachedFile)
		if n.took = time.Since(start); err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case n.took > b.flags.limit/2 || n.program && n.took > b.flags.limit/10:
			fmt.Fprintf(b.out, "%s takes too long\n", n.name)
			continue
		case err != nil && !n.program:
			return fmt.Errorf("%s fails without a change: %w\n%s", n.name, err, said)
		}
		n.was, n.reached = said, map[int]bool{}
		f, err := os.Open(reachedFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		for s := bufio.NewScanner(f); s.Scan(); {
			if id, err := strconv.Atoi(s.Text()); err == nil {
				n.reached[id] = true
			}
		}
		f.Close()
		usable = append(usable, n)
	}
	// Tests come before programs, and fast ones before slow ones.
	slices.SortStableFunc(usable, func(a, b *noticing) int {
		if a.program != b.program {
			return map[bool]int{true: 1, false: -1}[a.program]
		}
		return cmp.Compare(a.took, b.took)
	})
	b.checks = usable
	fmt.Fprintf(b.out, "%d tests and programs come to changes\n", len(usable))
	return nil
}

// run runs a test or a program. It returns the output of a test, and the findings of a program.
func (b *mutated) run(ctx context.Context, n *noticing, env string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, b.flags.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, n.command[0], n.command[1:]...)
	cmd.Dir, cmd.WaitDelay = n.dir, time.Second
	cmd.Env = append(os.Environ(), env, clangtest.KeepVariable+"="+b.folder)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	if n.program {
		out, _ := cmd.Output() // the exit status follows from the findings
		return findingsOf(out), ctx.Err()
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// findingsOf returns the findings of a document with their verdicts. As in markers, proved and unreached are the
// same.
func findingsOf(document []byte) string {
	var doc struct {
		Proofs []struct {
			Name        string
			Verdict     found.Verdict
			Obligations []struct {
				Kind         found.Kind
				File         string
				Line, Column int
				Verdict      found.Verdict
			}
		}
	}
	if err := json.Unmarshal(document, &doc); err != nil {
		return "no document"
	}
	var lines []string
	for _, p := range doc.Proofs {
		lines = append(lines, fmt.Sprintf("%s: %s", p.Name, p.Verdict))
		for _, o := range p.Obligations {
			if o.Verdict == found.Unreached {
				o.Verdict = found.Proved
			}
			lines = append(lines, fmt.Sprintf("%s:%d:%d: %s %s", o.File, o.Line, o.Column, o.Kind, o.Verdict))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// fate is the result for one mutant.
type fate struct {
	mutants.Mutant
	by  string // the test or program that killed it, "" if none did
	ran int    // tests and programs that executed it
	// untried reports that the time limit was reached first.
	untried bool
}

// tryAll tries all mutants, and lists the survivors.
func (b *mutated) tryAll(ctx context.Context, sample []mutants.Mutant) error {
	fates := make([]fate, len(sample))
	trying, cancel := ctx, context.CancelFunc(func() {})
	if b.flags.total > 0 {
		trying, cancel = context.WithTimeout(ctx, b.flags.total)
	}
	defer cancel()
	var workers sync.WaitGroup
	queue := make(chan int)
	for range max(b.flags.jobs, 1) {
		workers.Go(func() {
			for i := range queue {
				fates[i] = b.try(trying, sample[i])
			}
		})
	}
	for i := range sample {
		queue <- i
	}
	close(queue)
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	fates = slices.DeleteFunc(fates, func(f fate) bool { return f.untried })
	by := map[string]int{}
	for _, f := range fates {
		if f.by != "" {
			by[f.by]++
		}
	}
	killed := 0
	for _, name := range slices.SortedFunc(maps.Keys(by), func(x, y string) int { return by[y] - by[x] }) {
		if killed += by[name]; by[name] > 1 {
			fmt.Fprintf(b.out, "%4d noticed by %s\n", by[name], name)
		}
	}
	for _, reached := range []bool{true, false} {
		for _, f := range fates {
			if f.by == "" && (f.ran > 0) == reached {
				fmt.Fprintf(b.out, "survived %d: %s\n", f.ran, f.Mutant)
			}
		}
	}
	fmt.Fprintf(b.out, "%s, seed %d: %d of %d noticed, %d survived\n", b.flags.pkg, b.flags.seed, killed, len(fates),
		len(fates)-killed)
	return nil
}

// try runs the tests and programs that execute a mutant, up to the first that kills it.
func (b *mutated) try(ctx context.Context, m mutants.Mutant) fate {
	f := fate{Mutant: m}
	programs := 0
	for _, n := range b.checks {
		if !n.reached[m.ID] || n.program && programs == b.flags.perMutant || ctx.Err() != nil {
			continue
		}
		if n.program {
			programs++
		}
		f.ran++
		said, err := b.run(ctx, n, fmt.Sprintf("%s=%d", mutants.Variable, m.ID))
		if ctx.Err() != nil {
			break
		}
		if err != nil || n.program && said != n.was {
			f.by = n.name
			return f
		}
	}
	f.untried = ctx.Err() != nil
	return f
}
