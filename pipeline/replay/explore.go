package replay

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// Exploration runs a proof natively with random and boundary inputs. Runs are bred: see
// unitproof_run.c. What a run violates counts only when the interpreter violates the same with the
// same inputs: then it is a finding like one of the solver's.
type Exploration struct {
	Clang    string
	CacheDir string
	Module   []byte
	Program  *llvmir.Module
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
	// Impossible is why the proof cannot be run natively, "" when it can.
	Impossible string
}

var (
	ranLine      = regexp.MustCompile(`(?m)^runs (\d+) rejected (\d+)`)
	violatedLine = regexp.MustCompile(`(?m)^violated run (\d+) status (-?\d+) runs (\d+) rejected (\d+) complete ([01])\n`)
)

// repeats is how often what is known may be met again before the exploration ends.
const repeats = 6

// Run explores until the time is over.
func (e Exploration) Run(ctx context.Context) (*Explored, error) {
	module := instrument(e.Module, e.Program, e.Entry, nil, len(e.Options.Accept) > 0)
	if module.impossible != "" {
		return &Explored{Impossible: module.impossible}, nil
	}
	p, err := build(ctx, e.Clang, e.CacheDir, module)
	if err != nil {
		return nil, err
	}
	defer p.close()
	out := &Explored{}
	end := time.Now().Add(e.Duration)
	first := e.Seed
	for known := 0; known < repeats; {
		left := time.Until(end)
		if left <= 0 || ctx.Err() != nil {
			break
		}
		args := []string{"random", strconv.FormatFloat(left.Seconds(), 'f', 3, 64), strconv.FormatUint(first, 10), "0"}
		if e.Options.MallocMayFail {
			args = append(args, "A")
		}
		x, err := run(ctx, left+10*time.Second, p.path, args, environmentOf(e.Options, e.Options.Checks[seair.AmbiguousPointer]))
		if err != nil {
			return nil, err
		}
		if m := ranLine.FindStringSubmatch(x.stdout); m != nil && !strings.HasPrefix(x.stdout, "violated") {
			out.count(m[1], m[2])
			break
		}
		m := violatedLine.FindStringSubmatchIndex(x.stdout)
		if m == nil {
			if ctx.Err() != nil {
				break
			}
			return nil, fmt.Errorf("the native program ended in an unexpected way (status %d): %s", x.exit, firstLines(x.stderr, 6))
		}
		word := func(i int) string { return x.stdout[m[2*i]:m[2*i+1]] }
		out.count(word(3), word(4))
		number, _ := strconv.ParseUint(word(1), 10, 64)
		first = number + 1
		in, why := e.confirm(ctx, x, p.path, x.stdout[m[1]:], word(5) == "1")
		switch {
		case in == nil:
			if known++; !slices.Contains(out.Unconfirmed, why) {
				out.Unconfirmed = append(out.Unconfirmed, why)
			}
		case in.Accepted || slices.ContainsFunc(out.Instances, func(o vcgen.Instance) bool { return o.Kind == in.Kind && o.Pos == in.Pos }):
			known++
		default:
			out.Instances = append(out.Instances, *in)
			if e.First {
				return out, nil
			}
		}
	}
	return out, nil
}

func (o *Explored) count(runs, rejected string) {
	n, _ := strconv.Atoi(runs)
	k, _ := strconv.Atoi(rejected)
	o.Runs, o.Rejected = o.Runs+n, o.Rejected+k
}

// confirm has the interpreter execute what a run chose. The string says why there is no instance.
func (e Exploration) confirm(ctx context.Context, x *execution, program, log string, complete bool) (*vcgen.Instance, string) {
	j := Job{Options: e.Options}
	met := j.judge(x, program)
	what := strings.TrimSuffix(strings.TrimPrefix(met.Message, "not reproduced (other: "), ")")
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
