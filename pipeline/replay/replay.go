// Package replay runs unit proofs natively, under sanitizers. The processor shares no bugs with the engine, so a native
// violation of a proof with the verdict proved is a defect of the engine.
//
//	int main(void) {
//		unsigned i = nd_uint();    // replay: the value of the counterexample; exploration: a random one
//		assume(i <= 4);            // exploration: other values reject the run
//		a[i] = 1;                  // AddressSanitizer reports the violation
//	}
//
// The interpreter (vcgen/interp) confirms every counterexample before it is reported. This package runs only on
// request (replay, run, check --replay, editors), and for equiv, which searches differences: clang compiles the module
// with sanitizers, and the program runs in package sandbox. A violation in an exploration counts only if the
// interpreter has it, too.
//
// Principal types, in reading order: Job (replay.go) is a counterexample to be run, with the result Outcome;
// Exploration (explore.go) is a proof to be run with random and boundary inputs; instrumenter (instrument.go) rewrites
// the verified module so that it requests its inputs from the runtime, unitproof_run.c of package clang; program
// (program.go) builds and caches executables; report (report.go) is a sanitizer's report; reproducer (reproducer.go)
// writes a counterexample as one C file.
package replay

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/sandbox"
	"github.com/unitproof/unitproof/pipeline/scratch"
	"github.com/unitproof/unitproof/pipeline/targets"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Job is a counterexample to be run natively.
type Job struct {
	Clang    *clang.Toolchain // the compiler of the module
	CacheDir string           // cache for programs; "" caches none
	Module   []byte           // LLVM assembly of the verified module
	Program  *clangir.Module
	Entry    string
	Machine  *targets.Target // the machine of the module, see MachineOf
	Options  vcgen.Options   // of the verification
	Run      found.Run
	// File and Line are the place of the violation, the innermost in the user's own files.
	File string // absolute, or as in the module's positions
	Line int
	// Wall bounds the run; 0 is 20 seconds.
	Wall time.Duration
}

// Results of a native run.
const (
	Reproduced    = "reproduced"
	NotReproduced = "not-reproduced"
	NotRun        = "not-run"
)

// Outcome is the result of a native run of a counterexample.
type Outcome struct {
	Result string // Reproduced, NotReproduced, NotRun
	// The violation; for NotRun, why there was no run.
	What string
	// Addresses reports that the counterexample requires addresses of objects that a native run cannot choose.
	Addresses bool
	// Report is the report of the sanitizer or assertion, with places; "" if there was none.
	Report string
	// Where is the place of the run in words, behind the result: " under qemu-arm"; "" for this machine.
	Where string
	// File, Line, Column and Function are the place of the native violation in the user's own files; File is "" if there
	// was none.
	File         string
	Line, Column int
	Function     string
	Kinds        string // kinds of finding that the report is consistent with
	// Cached reports that the program was in the cache.
	Cached  bool
	BuildMS int64
	RunMS   int64
	// Sandbox is the confinement of the run; nil if there was none.
	Sandbox  *sandbox.Confinement
	Prepared int64 // ms to compute the inputs and the instrumented module
}

func notRun(format string, args ...any) *Outcome {
	reason := fmt.Sprintf(format, args...)
	return &Outcome{Result: NotRun, What: reason}
}

// Message returns the outcome as a sentence without a full stop.
func (o *Outcome) Message() string {
	if open := o.Sandbox.Words(); open != "" {
		return o.result() + "; " + open
	}
	return o.result()
}

func (o *Outcome) result() string {
	switch {
	case o.Result == Reproduced:
		return "reproduced" + o.Where + ": " + o.What
	case o.Result == NotRun:
		return "not run (" + o.What + ")"
	case o.Addresses:
		return "not reproduced" + o.Where + " (other: " + o.What + "; the counterexample wants objects at certain " +
			"addresses, where a native run does not put them)"
	}
	return "not reproduced" + o.Where + " (other: " + o.What + ")"
}

// Debuggable is a program that runs a counterexample, to be started by a debugger.
type Debuggable struct {
	Program string
	Args    []string
	Env     []string // additions to the environment
	// Emulator executes the program; "" if this machine does.
	Emulator string `json:",omitempty"`
	// Break is a function that every violation calls; it is never inlined.
	Break string
}

// BreakFunction is called for every violation.
const BreakFunction = "unitproof_violation"

// leavesAlone returns why a counterexample cannot be run that depends on which assigns targets of a contract a call
// writes: the native form of a contract writes all of them, without a trace. It returns "" for other counterexamples.
func (j Job) leavesAlone(choices []*choice.Choice) string {
	depends := j.Run.Kind == found.UninitializedRead || j.Program.FuncByName["sea_is_modified"] != nil
	if depends && slices.ContainsFunc(choices, func(c *choice.Choice) bool { return c.Kind == choice.Assigns }) {
		return "a native run cannot choose the targets of a contract that a call leaves unchanged"
	}
	return ""
}

// Replay runs a counterexample natively. Errors of the machine are outcomes, too: NotRun.
func (j Job) Replay(ctx context.Context) *Outcome {
	start := time.Now()
	if why := j.Run.Kind.Info().NotNative; why != "" {
		return notRun("%s", why)
	}
	p, choices, refused := j.prepare(ctx)
	if refused != nil {
		return refused
	}
	defer p.close()
	if why := j.leavesAlone(choices); why != "" {
		return notRun("%s", why)
	}
	inputs := encode(choices, j.Program.Layout.BigEndian)
	prepared := time.Since(start) - p.build
	file, err := scratch.Create("inputs-*")
	if err != nil {
		return notRun("no place for the inputs: %v", err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(inputs)
	if err2 := file.Close(); err == nil {
		err = err2
	}
	if err != nil {
		return notRun("the inputs could not be written: %v", err)
	}
	wall := j.Wall
	if wall == 0 {
		wall = time.Duration(patience(j.Machine)) * 20 * time.Second
	}
	var x *execution
	for range 2 { // retry once if the sanitizer failed to start
		if x, err = run(ctx, wall, j.Machine, p.path, []string{"replay", file.Name()}, j.environment(),
			file.Name()); err != nil {
			return notRun("%v", err)
		}
		if !x.gaveUp() {
			break
		}
	}
	out := j.judge(x, p.path)
	out.Sandbox = &x.confined
	out.Addresses = out.Result == NotReproduced &&
		slices.ContainsFunc(choices, func(c *choice.Choice) bool { return c.Kind == choice.Object })
	out.Where = where(j.Machine)
	out.Cached, out.BuildMS, out.RunMS, out.Prepared = p.reused, p.build.Milliseconds(), x.elapsed.Milliseconds(),
		prepared.Milliseconds()
	return out
}

// environment returns the environment of the program.
func (j Job) environment() []string {
	return environmentOf(j.Options, j.Run.Kind == found.AmbiguousPointer, isNarrow(j.Machine))
}

func environmentOf(opts vcgen.Options, pairs, narrow bool) []string {
	env := []string{asanOptions(pairs, narrow), msanOptions, ubsanOptions}
	if opts.Checks[found.MemoryLeak] {
		env = append(env, "UNITPROOF_LEAKS=1")
	}
	return env
}

// Debug writes the program and the inputs to dir, which belongs to the caller.
func (j Job) Debug(ctx context.Context, dir string) (*Debuggable, error) {
	p, choices, refused := j.prepare(ctx)
	if refused != nil {
		return nil, fmt.Errorf("the counterexample cannot be run natively: %s", refused.What)
	}
	defer p.close()
	program, file := filepath.Join(dir, "program"), filepath.Join(dir, "inputs")
	text, err := os.ReadFile(p.path)
	if err != nil {
		return nil, fmt.Errorf("read the native program: %w", err)
	}
	if err := os.WriteFile(program, text, 0o700); err != nil {
		return nil, fmt.Errorf("write the native program: %w", err)
	}
	if err := os.WriteFile(file, encode(choices, j.Program.Layout.BigEndian), 0o600); err != nil {
		return nil, fmt.Errorf("write the inputs: %w", err)
	}
	d := &Debuggable{Program: program, Args: []string{"replay", file}, Env: j.environment(), Break: BreakFunction}
	if emulated(j.Machine) {
		d.Emulator = j.Machine.Emulator
	}
	return d, nil
}

// prepare computes the inputs and builds the program; the last result is why it failed.
func (j Job) prepare(ctx context.Context) (*program, []*choice.Choice, *Outcome) {
	if j.Run.Tape == nil {
		return nil, nil, notRun("the counterexample has no inputs")
	}
	if refused := lacks(j.Machine); refused != nil {
		return nil, nil, refused
	}
	choices, err := vcgen.Choices(ctx, j.Program, j.Entry, j.Options, j.Run)
	if err != nil {
		return nil, nil, notRun("%v", err)
	}
	sizes, missing := map[string]uint64{}, map[string]bool{}
	for _, c := range choices {
		switch c.Kind {
		case choice.Size:
			sizes[c.Name] = c.Number().Uint64()
		case choice.Defined:
			missing[c.Name] = !c.True()
		}
	}
	watch := watchAddresses(j.Machine)
	if j.Run.Kind == found.UninitializedRead {
		if watch = initialization; j.Machine != nil {
			return nil, nil, notRun("native runs with reads of uninitialized memory need MemorySanitizer, which is for " +
				"programs of this machine only")
		}
	}
	module := instrument(j.Module, j.Program, j.Entry, sizes, missing, watch, "", j.Options)
	if module.impossible != "" {
		return nil, nil, notRun("%s", module.impossible)
	}
	p, err := build(ctx, j.Clang, j.CacheDir, module, j.Machine)
	if err != nil && j.Machine != nil {
		return nil, nil, notRun("%v; native runs for %s need %s", err, j.Machine.Name,
			strings.Join(j.Machine.Packages(), " "))
	}
	if err != nil {
		return nil, nil, notRun("%v", err)
	}
	return p, choices, nil
}

// judge compares the result of a run with the counterexample.
func (j Job) judge(x *execution, program string) *Outcome {
	symbols, err := readSymbols(program)
	if err != nil {
		return notRun("%v", err)
	}
	defer symbols.Close()
	var r *report
	var stack []place
	var at place
	for _, found := range parse(x.stderr) {
		stack = j.places(found, symbols)
		at = j.user(found, stack)
		if r = found; !j.accepted(found, stack) || j.wanted(found, at) {
			break
		}
		r = nil // the execution continues behind an accepted finding
	}
	other := func(why string) *Outcome {
		return &Outcome{Result: NotReproduced, What: why}
	}
	switch {
	case r == nil && noRoom.MatchString(x.stderr):
		return notRun("AddressSanitizer cannot start with the address space of this kernel, which is too small")
	case r == nil && x.timedOut:
		return other("the run did not end in time")
	case r == nil && (x.tooMuch || rssLine.MatchString(x.stderr)):
		return other(fmt.Sprintf("the run needs more than %d MB of memory", memoryMB))
	case r == nil && x.exit == 0:
		return other("the run ended without a violation")
	case r == nil:
		how := fmt.Sprintf("the program ended with status %d", x.exit)
		if x.signal != 0 {
			how = fmt.Sprintf("the program was ended by signal %d (%s)", x.signal, x.signal)
		}
		if first, _, _ := strings.Cut(strings.TrimSpace(x.stderr), "\n"); first != "" {
			how += ": " + first
		}
		out := other(how)
		out.Report = firstLines(x.stderr, 20)
		return out
	}
	where := ""
	if at.File != "" {
		where = fmt.Sprintf(" at %s:%d", filepath.Base(at.File), at.Line)
	}
	out := other(r.what + where)
	if j.wanted(r, at) {
		out.Result = Reproduced
	}
	out.File, out.Line, out.Column, out.Function = at.File, at.Line, at.Column, at.Function
	out.Report = render(r, stack)
	out.Kinds = fmt.Sprint(r.kinds)
	return out
}

// wanted reports whether a report is the violation of the counterexample.
func (j Job) wanted(r *report, at place) bool {
	return slices.Contains(r.kinds, j.Run.Kind) && at.Line == j.Line && sameFile(at.File, j.File)
}

// accepted reports whether a rule accepts a report, as in the interpreter.
func (j Job) accepted(r *report, stack []place) bool {
	for _, a := range j.Options.Accept {
		for i, p := range stack { // innermost first
			at := found.Pos{Function: p.Function, File: p.File, Line: p.Line}
			if slices.ContainsFunc(r.kinds, func(k found.Kind) bool { return a.Covers(k, at, i == 0) }) {
				return true
			}
		}
	}
	return false
}

func sameFile(a, b string) bool {
	if a == b {
		return true
	}
	ra, err1 := filepath.EvalSymlinks(a)
	rb, err2 := filepath.EvalSymlinks(b)
	return err1 == nil && err2 == nil && ra == rb
}

// places returns the source places of a report's stack, innermost first, without those of the runtime, the sanitizers
// and the library.
func (j Job) places(r *report, s *symbols) []place {
	if r.access == "WRITE" && r.known && s.constant(r.address) {
		r.constant()
	}
	var out []place
	for _, pc := range r.stack {
		for _, p := range s.places(pc) {
			switch base := filepath.Base(p.File); {
			case p.File == "" || base == "unitproof_run.c", base == sanitizersSource:
			case strings.HasPrefix(p.Function, "unitproof_") && p.Line == 0:
			default:
				out = append(out, p)
			}
		}
	}
	return out
}

// user returns the innermost place in the user's own files.
func (j Job) user(r *report, stack []place) place {
	mine := func(p place) bool {
		return p.File != "" && p.Line > 0 && (j.Options.UserFile == nil || j.Options.UserFile(p.File))
	}
	for i, p := range stack {
		if mine(p) {
			if i == 0 && mine(r.at) && r.at.Line > 0 { // more precise than the line table
				r.at.Function = p.Function
				return r.at
			}
			return p
		}
	}
	return place{}
}

// render formats a report for the user.
func render(r *report, stack []place) string {
	var b strings.Builder
	b.WriteString(r.what)
	for i, p := range stack {
		if i == 16 {
			fmt.Fprintf(&b, "\n  … %d more", len(stack)-i)
			break
		}
		name := p.Function
		if name == "" {
			name = "?"
		}
		fmt.Fprintf(&b, "\n  in %s at %s:%d", name, p.File, p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&b, ":%d", p.Column)
		}
	}
	return b.String()
}

func firstLines(s string, n int) string {
	lines := strings.SplitAfterN(s, "\n", n+1)
	if len(lines) > n {
		lines = lines[:n]
	}
	return strings.Join(lines, "")
}
