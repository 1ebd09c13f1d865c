package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/unitproof/unitproof/pipeline/clang"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/pipeline/sandbox"
	"github.com/unitproof/unitproof/pipeline/targets"
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Exploration runs a proof natively with random and boundary inputs, and mutates inputs that reached new code: see
// unitproof_run.c. A violation counts only if the interpreter has it with the same inputs; then it is a finding like
// those of the solver.
type Exploration struct {
	Clang    *clang.Toolchain
	CacheDir string
	Module   []byte
	Program  *clangir.Module
	Entry    string
	Machine  *targets.Target // see Job
	Options  vcgen.Options
	Duration time.Duration
	CPU      bool   // Duration is time of the processor
	Seed     uint64 // number of the first run; it determines the choices of all runs
	// Most is the number of violations after which the exploration ends; 0 is maxViolations.
	Most int
	// Aside is a file whose comparisons and branches do not guide the choice of inputs; "" for none.
	Aside string
	// Found is called for each violation that the interpreter confirms exactly (see vcgen.Confirm), at most foundAtPlace
	// times for a place. again repeats the execution with other bytes in memory that was never written. The exploration
	// ends if Found returns true. nil: the violations of distinct places are collected.
	Found func(in vcgen.Instance, again func(unwritten byte) *vcgen.Instance) bool
}

// Explored is the result of an exploration.
type Explored struct {
	Instances []vcgen.Instance // distinct, in the order of their discovery
	// Runs counts executions, Rejected the executions that an assumption ended.
	Runs, Rejected int
	// Unconfirmed describes violations that the interpreter does not have.
	Unconfirmed []string
	met         []*Outcome // confirmed violations
	// Impossible is why the proof cannot be run natively; "" if it can.
	Impossible string
	// Sandbox is the confinement of the runs; nil if there were none.
	Sandbox *sandbox.Confinement
}

var (
	ranLine      = lazyregexp.New(`(?m)^runs (\d+) rejected (\d+)`)
	violatedLine = lazyregexp.New(`(?m)^violated run (\d+) status -?\d+ length (\d+) complete ([01])\n`)
)

// maxViolations ends an exploration with too many violations.
const maxViolations = 64

// Run explores until Duration has passed.
func (e Exploration) Run(ctx context.Context) (*Explored, error) {
	watch := watchAddresses(e.Machine)
	if e.Found != nil && e.Machine == nil {
		watch.compile = slices.Concat(watch.compile, judgedFlags)
	}
	module := instrument(e.Module, e.Program, e.Entry, nil, nil, watch, e.Aside, e.Options)
	if module.impossible != "" {
		return &Explored{Impossible: module.impossible}, nil
	}
	if refused := lacks(e.Machine); refused != nil {
		return &Explored{Impossible: refused.What}, nil
	}
	p, err := build(ctx, e.Clang, e.CacheDir, module, e.Machine)
	if err != nil {
		return nil, err
	}
	defer p.close()
	out, end := &Explored{}, time.Now().Add(e.Duration)
	for some := true; some; {
		ended, err := e.runOnce(ctx, p, out)
		if err != nil {
			return nil, err
		}
		// Violations that are not confirmed must not end an exploration: they tell nothing of the proof.
		e.Duration = time.Until(end)
		some = ended && e.Found == nil && len(out.met) == 0 && e.Duration > 0 && ctx.Err() == nil
		e.Seed, e.Most = e.Seed+uint64(out.Runs), maxViolations
	}
	return out, nil
}

// runOnce explores until Duration has passed or there are too many violations, and reports whether these ended it.
func (e Exploration) runOnce(ctx context.Context, p *program, out *Explored) (ended bool, err error) {
	most := cmp.Or(e.Most, maxViolations)
	args := []string{"random", strconv.FormatFloat(e.Duration.Seconds(), 'f', 3, 64), strconv.FormatUint(e.Seed, 10),
		strconv.Itoa(most)}
	letters, limit := "", e.Duration+10*time.Second
	if e.Options.MallocMayFail {
		letters = "A"
	}
	if e.CPU {
		letters, limit = letters+"P", 5*limit
	}
	if letters != "" {
		args = append(args, letters)
	}
	env := environmentOf(e.Options, e.Options.Checks[found.AmbiguousPointer], isNarrow(e.Machine))
	if e.Found != nil { // the interpreter checks again, and a process that is forked often should be small
		env[0] += ":detect_stack_use_after_return=0:quarantine_size_mb=1:redzone=64:max_redzone=512"
	}
	x, err := run(ctx, limit, e.Machine, p.path, args, env)
	if err != nil {
		return false, err
	}
	out.Sandbox = &x.confined
	m := ranLine.FindStringSubmatch(x.stdout)
	if m == nil {
		if ctx.Err() != nil {
			return false, nil
		}
		return false, fmt.Errorf("the native program ended in an unexpected way (status %d): %s", x.exit,
			firstLines(x.stderr, 6))
	}
	runs, _ := strconv.Atoi(m[1]) // digits, of 64-bit counters of the runtime
	rejected, _ := strconv.Atoi(m[2])
	out.Runs, out.Rejected = out.Runs+runs, out.Rejected+rejected
	violated := violatedLine.FindAllStringSubmatchIndex(x.stdout, -1)
	for _, v := range violated {
		number, length := x.stdout[v[2]:v[3]], 0
		if length, err = strconv.Atoi(x.stdout[v[4]:v[5]]); err != nil || v[1]+length > len(x.stdout) {
			break // cut off
		}
		done := e.add(ctx, out, p.path, reportOf(x.stderr, number), x.stdout[v[1]:v[1]+length], x.stdout[v[6]:v[7]] == "1")
		if done || ctx.Err() != nil {
			break
		}
	}
	return len(violated) >= most, nil
}

// reportOf returns the part of stderr that one run has written.
func reportOf(stderr, number string) string {
	end := strings.Index(stderr, "\nunitproof: end of run "+number+"\n")
	if end < 0 {
		return stderr
	}
	begin := strings.LastIndex(stderr[:end], "\nunitproof: end of run ")
	return stderr[max(begin, 0):end]
}

// foundAtPlace bounds the calls of Found for a place.
const foundAtPlace = 8

// add confirms a violation and adds it, unless it is known. It reports whether the exploration is to end.
func (e Exploration) add(ctx context.Context, out *Explored, program, stderr, log string, complete bool) (done bool) {
	j := Job{Options: e.Options}
	met := j.judge(&execution{stderr: stderr, exit: -1}, program)
	known := 0
	for _, o := range out.met {
		if o.File == met.File && o.Line == met.Line && o.Column == met.Column && o.Kinds == met.Kinds {
			known++
		}
	}
	if e.Found == nil && known > 0 || known >= foundAtPlace {
		return false
	}
	in, why := e.confirm(ctx, met, log, complete, 0)
	if in != nil && e.Found != nil {
		out.met = append(out.met, met)
		return e.Found(*in, func(unwritten byte) *vcgen.Instance {
			in, _ := e.confirm(ctx, met, log, complete, unwritten)
			return in
		})
	}
	switch {
	case in == nil:
		if !slices.Contains(out.Unconfirmed, why) && len(out.Unconfirmed) < maxViolations {
			out.Unconfirmed = append(out.Unconfirmed, why)
		}
		return false
	case in.Accepted:
	case !slices.ContainsFunc(out.Instances, func(o vcgen.Instance) bool { return o.Kind == in.Kind && o.Pos == in.Pos }):
		out.Instances = append(out.Instances, *in)
	}
	out.met = append(out.met, met)
	return false
}

// confirm executes the choices of a run in the interpreter. The string is why there is no instance.
func (e Exploration) confirm(ctx context.Context, met *Outcome, log string, complete bool,
	unwritten byte) (*vcgen.Instance, string) {
	what := met.What
	if !complete {
		return nil, what + ": its inputs are too large to be kept"
	}
	choices, err := decode(log, e.Program.Layout.BigEndian)
	if err != nil {
		return nil, err.Error()
	}
	in, end := vcgen.Confirm(ctx, e.Program, e.Entry, e.Options, choices, e.Found != nil, unwritten)
	if in == nil {
		return nil, fmt.Sprintf("%s: the interpreter meets no violation with the same inputs (%s)", what, end)
	}
	if in.Pos.Line != met.Line || !sameFile(in.Pos.File, met.File) {
		return nil, fmt.Sprintf("%s: the interpreter meets %s at line %d with the same inputs", what, in.Kind, in.Pos.Line)
	}
	return in, ""
}
