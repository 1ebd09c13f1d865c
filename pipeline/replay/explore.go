package replay

import (
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
	Seed     uint64 // number of the first run; it determines the choices of all runs
	// First ends the exploration after the first finding.
	First bool
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
	module := instrument(e.Module, e.Program, e.Entry, nil, nil, watchAddresses(e.Machine), e.Options)
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
	violations := maxViolations
	if e.First {
		violations = 1
	}
	args := []string{"random", strconv.FormatFloat(e.Duration.Seconds(), 'f', 3, 64), strconv.FormatUint(e.Seed, 10),
		strconv.Itoa(violations)}
	if e.Options.MallocMayFail {
		args = append(args, "A")
	}
	x, err := run(ctx, e.Duration+10*time.Second, e.Machine, p.path, args, environmentOf(e.Options,
		e.Options.Checks[found.AmbiguousPointer], isNarrow(e.Machine)))
	if err != nil {
		return nil, err
	}
	out := &Explored{Sandbox: &x.confined}
	m := ranLine.FindStringSubmatch(x.stdout)
	if m == nil {
		if ctx.Err() != nil {
			return out, nil
		}
		return nil, fmt.Errorf("the native program ended in an unexpected way (status %d): %s", x.exit,
			firstLines(x.stderr, 6))
	}
	out.Runs, _ = strconv.Atoi(m[1]) // digits, of 64-bit counters of the runtime
	out.Rejected, _ = strconv.Atoi(m[2])
	for _, v := range violatedLine.FindAllStringSubmatchIndex(x.stdout, -1) {
		number, length := x.stdout[v[2]:v[3]], 0
		if length, err = strconv.Atoi(x.stdout[v[4]:v[5]]); err != nil || v[1]+length > len(x.stdout) {
			break // cut off
		}
		e.add(ctx, out, p.path, reportOf(x.stderr, number), x.stdout[v[1]:v[1]+length], x.stdout[v[6]:v[7]] == "1")
		if ctx.Err() != nil {
			break
		}
	}
	return out, nil
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

// add confirms a violation and adds it, unless it is known.
func (e Exploration) add(ctx context.Context, out *Explored, program, stderr, log string, complete bool) {
	j := Job{Options: e.Options}
	met := j.judge(&execution{stderr: stderr, exit: -1}, program)
	if slices.ContainsFunc(out.met, func(o *Outcome) bool {
		return o.File == met.File && o.Line == met.Line && o.Column == met.Column && o.Kinds == met.Kinds
	}) {
		return
	}
	in, why := e.confirm(ctx, met, log, complete)
	switch {
	case in == nil:
		if !slices.Contains(out.Unconfirmed, why) && len(out.Unconfirmed) < maxViolations {
			out.Unconfirmed = append(out.Unconfirmed, why)
		}
		return
	case in.Accepted:
	case !slices.ContainsFunc(out.Instances, func(o vcgen.Instance) bool { return o.Kind == in.Kind && o.Pos == in.Pos }):
		out.Instances = append(out.Instances, *in)
	}
	out.met = append(out.met, met)
}

// confirm executes the choices of a run in the interpreter. The string is why there is no instance.
func (e Exploration) confirm(ctx context.Context, met *Outcome, log string, complete bool) (*vcgen.Instance, string) {
	what := met.What
	if !complete {
		return nil, what + ": its inputs are too large to be kept"
	}
	choices, err := decode(log, e.Program.Layout.BigEndian)
	if err != nil {
		return nil, err.Error()
	}
	in, end := vcgen.Confirm(ctx, e.Program, e.Entry, e.Options, choices)
	if in == nil {
		return nil, fmt.Sprintf("%s: the interpreter meets no violation with the same inputs (%s)", what, end)
	}
	if in.Pos.Line != met.Line || !sameFile(in.Pos.File, met.File) {
		return nil, fmt.Sprintf("%s: the interpreter meets %s at line %d with the same inputs", what, in.Kind, in.Pos.Line)
	}
	return in, ""
}
