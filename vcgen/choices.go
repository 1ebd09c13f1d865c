package vcgen

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
)

// Choice is one thing that an execution chose: what a native run of the same module is given,
// and what it gives back. The n-th choice of one kind at a site (and, for content that a
// function without a body writes, of one name) belongs to the n-th request there.
type Choice struct {
	Kind seair.InputKind
	Site int    // Instr.ID; minus (index+1) for parameters of the entry; 0 for variables
	Name string // see interp.Inputs
	// Value is of scalars (nondet, parameter, undef, asm) of Bits bits, and of InObject the
	// wanted address, nil for none. True is of InAllocFails and InWrites.
	Value *big.Int
	Bits  int
	True  bool
	// Bytes is content by offset: the bytes that the execution looked at.
	Bytes map[uint64]byte
	// Size is that of a variable of incomplete type (kind InSize).
	Size uint64
}

// InSize is the kind of a Choice that is the size of a variable.
const InSize seair.InputKind = "size"

// Choices executes a counterexample again and returns what it chooses, in the order of the
// execution. The error says that the module or the options are not those of the run.
func Choices(ctx context.Context, m *llvmir.Module, entry string, opts Options, run Run) ([]Choice, error) {
	tape, err := interp.PlayTape(run.Tape)
	if err != nil {
		return nil, err
	}
	log := &choiceLog{in: tape}
	out := interp.Run(ctx, m, entry, log, runOptions(opts, run))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if v := out.Violation; v == nil || v.Kind != run.Kind {
		return nil, fmt.Errorf("the counterexample does not violate %s any more: the program or its options have changed", run.Kind)
	}
	return log.list, nil
}

// runOptions are the interpreter's for executing a counterexample again.
func runOptions(opts Options, run Run) interp.Options {
	e := &engine{opts: opts}
	o := e.interpOptions(false)
	o.Coverage = false
	o.Wanted = func(k found.Kind, l *llvmir.Loc) bool {
		return k == run.Kind && l != nil && l.Line == run.At.Line && l.Col == run.At.Column && l.File == run.At.File
	}
	return o
}

// choiceLog writes down every answer of an Inputs.
type choiceLog struct {
	in   interp.Inputs
	list []Choice
}

func (l *choiceLog) add(c Choice) { l.list = append(l.list, c) }

// Value implements interp.Inputs.
func (l *choiceLog) Value(site int, kind string, bits int) *big.Int {
	v := l.in.Value(site, kind, bits)
	if v == nil {
		v = new(big.Int)
	}
	l.add(Choice{Kind: seair.InputKind(kind), Site: site, Value: v, Bits: bits})
	return v
}

// Content implements interp.Inputs.
func (l *choiceLog) Content(site int, kind string, name string) func(off uint64) byte {
	at := l.in.Content(site, kind, name)
	seen := map[uint64]byte{}
	l.add(Choice{Kind: seair.InputKind(kind), Site: site, Name: name, Bytes: seen})
	if at == nil {
		return nil
	}
	return func(off uint64) byte {
		b := at(off)
		if b != 0 {
			seen[off] = b
		}
		return b
	}
}

// AllocFails implements interp.Inputs.
func (l *choiceLog) AllocFails(site int) bool {
	b := l.in.AllocFails(site)
	l.add(Choice{Kind: seair.InAllocFails, Site: site, True: b})
	return b
}

// Address implements interp.Inputs.
func (l *choiceLog) Address(site int, name string) (uint64, bool) {
	a, ok := l.in.Address(site, name)
	if ok {
		l.add(Choice{Kind: seair.InObject, Site: site, Name: name, Value: new(big.Int).SetUint64(a)})
	}
	return a, ok
}

// MissingBodyWrites implements interp.Inputs.
func (l *choiceLog) MissingBodyWrites(site int) bool {
	b := l.in.MissingBodyWrites(site)
	l.add(Choice{Kind: seair.InWrites, Site: site, True: b})
	return b
}

// UnknownSize implements interp.UnknownSizes.
func (l *choiceLog) UnknownSize(name string) uint64 {
	n := uint64(0)
	if in, ok := l.in.(interp.UnknownSizes); ok {
		n = in.UnknownSize(name)
	}
	l.add(Choice{Kind: InSize, Name: name, Size: n})
	return n
}

// chosen answers with choices that were made elsewhere, by kind and site in their order, and
// with zero where there are none left.
type chosen struct {
	queue map[choiceKey][]Choice
	sizes map[string]uint64
}

func newChosen(list []Choice) *chosen {
	q := &chosen{queue: map[choiceKey][]Choice{}, sizes: map[string]uint64{}}
	for _, c := range list {
		if c.Kind == InSize {
			q.sizes[c.Name] = c.Size
			continue
		}
		k := choiceKey{c.Kind, c.Site, c.Name}
		q.queue[k] = append(q.queue[k], c)
	}
	return q
}

func (q *chosen) next(kind seair.InputKind, site int, name string) *Choice {
	k := choiceKey{kind, site, name}
	if len(q.queue[k]) == 0 {
		return nil
	}
	c := &q.queue[k][0]
	q.queue[k] = q.queue[k][1:]
	return c
}

// Value implements interp.Inputs.
func (q *chosen) Value(site int, kind string, _ int) *big.Int {
	if c := q.next(seair.InputKind(kind), site, ""); c != nil && c.Value != nil {
		return c.Value
	}
	return new(big.Int)
}

// Content implements interp.Inputs.
func (q *chosen) Content(site int, kind string, name string) func(off uint64) byte {
	c := q.next(seair.InputKind(kind), site, name)
	if c == nil {
		return nil
	}
	return func(off uint64) byte { return c.Bytes[off] }
}

// AllocFails implements interp.Inputs.
func (q *chosen) AllocFails(site int) bool {
	c := q.next(seair.InAllocFails, site, "")
	return c != nil && c.True
}

// Address implements interp.Inputs: a native run's addresses mean nothing here.
func (q *chosen) Address(int, string) (uint64, bool) { return 0, false }

// MissingBodyWrites implements interp.Inputs.
func (q *chosen) MissingBodyWrites(site int) bool {
	c := q.next(seair.InWrites, site, "")
	return c != nil && c.True
}

// UnknownSize implements interp.UnknownSizes.
func (q *chosen) UnknownSize(name string) uint64 { return q.sizes[name] }

// Confirm executes a proof with choices that a native run made. The instance is the violation
// that the interpreter meets with them, with its counterexample; nil when it meets none, and then
// end says how the execution ended.
func Confirm(ctx context.Context, m *llvmir.Module, entry string, opts Options, choices []Choice) (in *Instance, end string) {
	e := &engine{ctx: ctx, m: m, entry: entry, opts: opts}
	tape := interp.NewTape(newChosen(choices))
	out := interp.Run(ctx, m, entry, tape, e.interpOptions(true))
	v := out.Violation
	if v == nil {
		if out.Reason != "" {
			return nil, out.End + ": " + out.Reason
		}
		return nil, out.End
	}
	var site *seair.Site
	for _, f := range v.Stack {
		p := locPos(f.Loc, f.Func.SourceName)
		site = &seair.Site{Pos: found.Pos{File: p.File, Line: p.Line, Column: p.Column, Function: p.Function}, Caller: site}
	}
	pl := e.place(site)
	return &Instance{Kind: v.Kind, Pos: pl.pos, Stack: pl.stack, Deeper: pl.deeper, Verdict: found.Failed,
		InEntryFile:    pl.pos.File == opts.EntryFile,
		Accepted:       slices.ContainsFunc(v.Stack, func(f state.Site) bool { return e.acceptRule(v.Kind, f.Func.SourceName) }),
		Counterexample: e.counterexample(out, tape)}, ""
}
