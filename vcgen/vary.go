package vcgen

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/slice"
	"github.com/unitproof/unitproof/vcgen/interp/state"
)

// Change is another value for an input of an execution.
type Change struct {
	Input int    `json:"input"` // index into the inputs of the execution
	Value string `json:"value"` // in C; see explain.View.Rewrite
}

// ExecutionEnd is the end of an execution.
type ExecutionEnd string

// Ends of executions.
const (
	EndViolation   ExecutionEnd = interp.EndViolation
	EndReturn      ExecutionEnd = interp.EndReturn
	EndExit        ExecutionEnd = interp.EndExit // exit or abort
	EndAssume      ExecutionEnd = interp.EndAssume
	EndSteps       ExecutionEnd = interp.EndSteps
	EndUnsupported ExecutionEnd = interp.EndUnsupported
)

// Variant is an execution with changed inputs.
type Variant struct {
	End ExecutionEnd
	// Reason is a sentence about the end, for EndAssume and EndUnsupported.
	Reason string
	// At is the place where the execution ended.
	At found.Pos
	// Violation is the violated obligation with its counterexample; nil if nothing is violated.
	Violation *Instance
	// Same reports whether it is the obligation that the unchanged execution violates.
	Same bool
	// NeedsResult is the reason for which the violation may not occur: it depends on a result of the C library that is
	// not modelled. ByAddress is the place where it depends on an object's numeric address.
	NeedsResult found.Reason
	ByAddress   found.Pos
	// Run has the inputs, the steps and the data for further changes. Without a violation it has no message.
	Run *found.Counterexample
}

// VaryOptions bound a variant. Zero values are defaults.
type VaryOptions struct {
	Steps int64 // instructions of the changed execution
	Whole bool  // all steps, and not only those that a violation depends on
}

// varySteps bounds the execution of a variant, in instructions: it answers a user who types.
const varySteps = 20_000_000

// Vary repeats an execution with other values for some of its inputs. All other choices keep their values as long as
// the execution asks for them; new choices are zero. An error is a sentence for the user about one of the changes.
func Vary(ctx context.Context, m *clangir.Module, entry string, opts Options, run found.Run, changes []Change,
	with VaryOptions) (*Variant, error) {
	tape, err := choice.Decode(run.Tape)
	if err != nil {
		return nil, err
	}
	if with.Steps <= 0 {
		with.Steps = varySteps
	}
	o := runOptions(opts, run)
	before := &asked{list: &choice.List{}, made: map[*state.Input]int{}}
	x := interp.New(ctx, m, entry, before.list.Record(tape.Cursor().Choose), o)
	x.Observe(before)
	x.Run()
	x.View.UsedInputs() // sorts them
	for _, c := range changes {
		if err := before.change(x.View, c); err != nil {
			return nil, err
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	o.MaxSteps, o.Trace = with.Steps, true
	if !with.Whole {
		o.Keep, _ = slice.Of(ctx, m, entry, before.list.Matching, o)
	}
	after := &choice.List{}
	out := interp.Run(ctx, m, entry, after.Record(before.list.Matching()), o)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e := &engine{ctx: ctx, m: m, entry: entry, opts: opts}
	v := &Variant{End: ExecutionEnd(out.End), Reason: out.Reason}
	if out.End == interp.EndAbort {
		v.End = EndExit
	}
	if out.Where != nil {
		v.At = explain.PosOf(out.Where, "")
	}
	if out.End == interp.EndViolation && out.Violation != nil {
		v.Violation = e.violation(out.Violation)
		v.Violation.Counterexample = e.counterexample(out, after)
		v.Run = v.Violation.Counterexample
		v.At, v.Same = v.Violation.Pos, o.Wanted(out.Violation.Kind, out.Violation.Stack)
		v.NeedsResult, _ = needsUnmodelled(v.Run)
		if out.ByAddress != nil {
			v.ByAddress = explain.PosOf(out.ByAddress, "")
		}
		return v, nil
	}
	v.Run = &found.Counterexample{Inputs: out.Inputs, Trace: out.Steps, Run: found.Run{Kind: run.Kind, At: run.At,
		Tape: after.Encode()}}
	return v, nil
}

// asked is the observer of an execution that finds the choice of each input.
type asked struct {
	interp.Unobserved
	list *choice.List
	made map[*state.Input]int // the index of its choice
}

// Chosen implements interp.Observer.
func (a *asked) Chosen(in *state.Input, _ *state.Object, _ uint64) {
	a.made[in] = len(a.list.Choices) - 1
}

var errFixedInput = errors.New("this value is not chosen by the proof, and cannot be changed")

// change changes the choice of an input.
func (a *asked) change(w *explain.View, c Change) error {
	if c.Input < 0 || c.Input >= len(w.Inputs) {
		return fmt.Errorf("the execution has no input %d", c.Input)
	}
	in := w.Inputs[c.Input]
	at, ok := a.made[in]
	if !ok || in.Unmodelled {
		return errFixedInput
	}
	chosen := a.list.Choices[at]
	switch chosen.Kind {
	case choice.Nondet, choice.Parameter, choice.Undef, choice.Uninitialized, choice.Havoc, choice.Global:
	case choice.Malloc, choice.AllocFails:
		fails := a.allocation(at)
		if fails == nil {
			break
		}
		if c.Value == "NULL" {
			fails.Value = big.NewInt(1)
			return nil
		}
		if fails.Value = nil; chosen.Kind == choice.AllocFails {
			return nil // it succeeds, and its content is arbitrary
		}
	default:
		return errFixedInput
	}
	value, err := w.Rewrite(in, c.Value)
	switch {
	case err != nil:
		return err
	case !chosen.Content:
		chosen.Value = value.Number
		return nil
	case chosen.Bytes == nil:
		chosen.Bytes = map[uint64]byte{}
	}
	for off, b := range value.Bytes {
		chosen.Bytes[off] = b
	}
	return nil
}

// allocation returns the choice whether the allocation of a choice fails; nil if there is none.
func (a *asked) allocation(at int) *choice.Choice {
	site := a.list.Choices[at].Site
	for ; at >= 0 && a.list.Choices[at].Site == site; at-- {
		if c := a.list.Choices[at]; c.Kind == choice.AllocFails {
			return c
		}
	}
	return nil
}
