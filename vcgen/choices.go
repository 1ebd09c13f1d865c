package vcgen

import (
	"context"
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// Choices repeats the execution of a counterexample and returns its choices, in execution order. Addresses are
// included only if they are required. It returns an error if the module or the options differ from the original run's.
func Choices(ctx context.Context, m *clangir.Module, entry string, opts Options, run found.Run) ([]*choice.Choice,
	error) {
	tape, err := choice.Decode(run.Tape)
	if err != nil {
		return nil, err
	}
	list := &choice.List{}
	out := interp.Run(ctx, m, entry, list.Record(tape.Cursor().Choose), runOptions(opts, run))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if v := out.Violation; v == nil || v.Kind != run.Kind {
		return nil, fmt.Errorf("the counterexample does not violate %s any more: the program or its options have changed",
			run.Kind)
	}
	list.Trim()
	return slices.DeleteFunc(list.Choices, func(c *choice.Choice) bool { return c.Kind == choice.Object && !c.True() }),
		nil
}

// runOptions returns the interpreter options for repeating a counterexample.
func runOptions(opts Options, run found.Run) interp.Options {
	e := &engine{opts: opts}
	o := e.interpOptions(false)
	o.Coverage = false
	o.Wanted = func(k found.Kind, at []state.Site) bool {
		l := at[len(at)-1].Loc
		return k == run.Kind && l != nil && l.Line == run.At.Line && l.Col == run.At.Column && l.File == run.At.File
	}
	return o
}

// Confirm executes a proof with the choices of a native run. It returns the violation that the interpreter finds, with
// its counterexample. If there is none it returns nil, and the end of the execution.
//
// With exact, a violation that depends on an object's address, or on a result that is not modelled, counts as none.
// Each byte of memory that was never written is unwritten, unless there is a choice for it.
func Confirm(ctx context.Context, m *clangir.Module, entry string, opts Options, choices []*choice.Choice,
	exact bool, unwritten byte) (in *Instance, end string) {
	e := &engine{ctx: ctx, m: m, entry: entry, opts: opts}
	given := &choice.List{Choices: slices.Clone(choices)}
	// a native run's addresses mean nothing here
	given.Choices = slices.DeleteFunc(given.Choices, func(c *choice.Choice) bool { return c.Kind == choice.Object })
	chosen := map[choice.Key]bool{}
	for _, c := range given.Choices {
		chosen[c.Key()] = true
	}
	matching := given.Matching()
	answers := func(q choice.Question) choice.Answer {
		if (q.Kind == choice.Uninitialized || q.Kind == choice.Malloc) && !chosen[q.Key()] {
			return choice.Answer{Content: func(uint64) byte { return unwritten }}
		}
		return matching(q)
	}
	tape := &choice.List{}
	out := interp.Run(ctx, m, entry, tape.Record(answers), e.interpOptions(true))
	v := out.Violation
	if v == nil {
		if out.Reason != "" {
			return nil, out.End + ": " + out.Reason
		}
		return nil, out.End
	}
	if exact && !tells(out) {
		return nil, "the violation depends on addresses"
	}
	in = e.violation(v)
	in.Counterexample = e.counterexample(out, tape)
	if _, needs := needsUnmodelled(in.Counterexample); exact && needs {
		return nil, "the violation depends on a result that is not modelled"
	}
	return in, ""
}

// violation returns the instance that an execution violates, without its counterexample.
func (e *engine) violation(v *interp.Violation) *Instance {
	pl := e.place(siteOf(v.Stack))
	return &Instance{Kind: v.Kind, Pos: pl.pos, Stack: pl.stack, Deeper: pl.deeper, Verdict: found.Failed,
		InEntryFile: pl.pos.File == e.opts.EntryFile,
		Accepted:    e.accepts(v.Kind, v.Stack)}
}

// accepts reports whether a rule covers a violation.
func (e *engine) accepts(kind found.Kind, stack []state.Site) bool {
	for i, f := range stack {
		if e.acceptRule(kind, explain.PosOf(f.Loc, f.Func.SourceName), i == len(stack)-1) {
			return true
		}
	}
	return false
}

// siteOf returns the site of the innermost frame.
func siteOf(stack []state.Site) (site *seair.Site) {
	for i, f := range stack {
		site = &seair.Site{Pos: explain.PosOf(f.Loc, f.Func.SourceName), Caller: site, Depth: i}
	}
	return site
}
