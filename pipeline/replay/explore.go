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
	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
)

// Exploration runs a proof natively with random and boundary inputs. Runs are bred: see
// unitproof_run.c. What a run violates counts only when the interpreter violates the same with the
// same inputs: then it is a finding like one of the solver's.
type Exploration struct {
	Clang    *clang.Toolchain
	CacheDir string
	Module   []byte
	Program  *clangir.Module
	Entry    string
	Options  vcgen.Options
	Duration time.Duration
	Seed     uint64 // number of the first run; runs with the same number choose the same
	// First ends the exploration with the first finding.
	First bool
}

// Explored is what an exploration found.
type Explored struct {
	Instances []vcgen.Instance // distinct, in the order in which they were found
	// Runs counts executions, Rejected those of them that an assumption ended.
	Runs, Rejected int
	// Unconfirmed says of violations that the interpreter does not see what they were.
	Unconfirmed []string
	met         []*Outcome // what was met and confirmed
	// Impossible is why the proof cannot be run natively, "" when it can.
	Impossible string
	// Sandbox is what the runs were kept from; nil where there were none.
	Sandbox *sandbox.Confinement
}

var (
	ranLine      = lazyregexp.New(`(?m)^runs (\d+) rejected (\d+)`)
	violatedLine = lazyregexp.New(`(?m)^violated run (\d+) status -?\d+ length (\d+) complete ([01])\n`)
)

// maxViolations ends an exploration that meets one violation after the other.
const maxViolations = 64

// Run explores until the time is over.
func (e Exploration) Run(ctx context.Context) (*Explored, error) {
	module := instrument(e.Module, e.Program, e.Entry, nil, nil, addresses, e.Options)
	if module.impossible != "" {
		return &Explored{Impossible: module.impossible}, nil
	}
	p, err := build(ctx, e.Clang, e.CacheDir, module)
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
	x, err := run(ctx, e.Duration+10*time.Second, p.path, args, environmentOf(e.Options,
		e.Options.Checks[found.AmbiguousPointer]))
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
	out.Runs, _ = strconv.Atoi(m[1]) // digits, of numbers that the runtime counts in 64 bits
	out.Rejected, _ = strconv.Atoi(m[2])
	for _, v := range violatedLine.FindAllStringSubmatchIndex(x.stdout, -1) {
		number, length := x.stdout[v[2]:v[3]], 0
		if length, err = strconv.Atoi(x.stdout[v[4]:v[5]]); err != nil || v[1]+length > len(x.stdout) {
			break // more than is kept
		}
		e.add(ctx, out, p.path, reportOf(x.stderr, number), x.stdout[v[1]:v[1]+length], x.stdout[v[6]:v[7]] == "1")
		if ctx.Err() != nil {
			break
		}
	}
	return out, nil
}

// reportOf is what a run said on stderr.
func reportOf(stderr, number string) string {
	end := strings.Index(stderr, "\nunitproof: end of run "+number+"\n")
	if end < 0 {
		return stderr
	}
	begin := strings.LastIndex(stderr[:end], "\nunitproof: end of run ")
	return stderr[max(begin, 0):end]
}

// add confirms a violation that is not known yet.
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

// confirm has the interpreter execute what a run chose. The string says why there is no instance.
func (e Exploration) confirm(ctx context.Context, met *Outcome, log string, complete bool) (*vcgen.Instance, string) {
	what := met.What
	if !complete {
		return nil, what + ": its inputs are too large to be kept"
	}
	choices, err := decode(log)
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
