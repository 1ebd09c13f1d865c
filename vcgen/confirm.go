package vcgen

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/minimize"
	"github.com/unitproof/unitproof/vcgen/interp/slice"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// maxReplaySteps bounds an execution of the interpreter, in instructions.
const maxReplaySteps = 200_000_000

// coverageSteps bounds executions that search for taken branches: a model may stay in a cut loop for very long.
const coverageSteps = 2_000_000

// smallSizes are upper bounds of heap objects, in bytes, that are tried for a counterexample in this order. Small
// objects are easier to read, and several huge ones do not fit into one address space, which the formulas ignore.
var smallSizes = []uint64{16, 64, 1 << 20}

// lastTold is the number of last instructions that are described if an execution is too long for a slice.
const lastTold = 20_000

// smallBudget is the budget of a query for a smaller counterexample, in conflicts.
const smallBudget = 3_000

// confirmBest confirms a counterexample with small heap objects, or else the model ev. For an accepted violation it
// first tries ev. It returns the reason of a failure, none if the violation is confirmed.
func (p *plan) confirmBest(st *status, facts []smt.Term, fails smt.Term, ev *ask.Model,
	confirm func(*status, *ask.Model) found.Reason) found.Reason {
	c := p.c
	if by := p.log.Events[st.event].Coincidence; by != 0 && ev.EvalBool(by) {
		facts = append(slices.Clone(facts), c.Not(by))
		q := ask.Question{Facts: facts, Any: []smt.Term{fails}, Budget: smallBudget, Executed: true}
		if o := p.Ask(p.ctx, q); o.Answer == smt.Sat {
			ev = o.Model
		}
	}
	if st.ins.Accepted && confirm(st, ev).None() { // any counterexample suffices
		return found.Reason{}
	}
	var sizes []smt.Term
	for _, o := range p.prog.Memory.Objects {
		if (o.Kind == mem.Heap || o.Kind == mem.Static) && !c.IsConst(o.Size) {
			sizes = append(sizes, o.Size)
		}
	}
	for _, limit := range smallSizes {
		if len(sizes) == 0 {
			break
		}
		small := append([]smt.Term(nil), facts...)
		for _, s := range sizes {
			small = append(small, c.Ule(s, p.prog.Memory.Int(min(limit, p.prog.Memory.Space.MaxSize))))
		}
		o := p.Ask(p.ctx, ask.Question{Facts: small, Any: []smt.Term{fails}, Budget: smallBudget, Executed: true})
		if o.Answer == smt.Sat && confirm(st, o.Model).None() {
			return found.Reason{}
		}
	}
	return confirm(st, ev)
}

// confirm executes a model in the interpreter, on the program as clang emitted it. It returns the reason of a failure,
// none if the violation is confirmed.
func (p *plan) confirm(st *status, ev *ask.Model) found.Reason {
	defer p.stage("confirm")()
	want, wanted := p.wanted(st)
	opts := p.interpOptions(true)
	opts.Wanted = wanted
	// the slice decides which parts of the library the description mentions
	out, tape := p.execute(newModel(p.engine, ev).choose, opts, !p.opts.FullTrace || p.unmodelled)
	if out.End == interp.EndViolation && out.Violation != nil && out.Violation.Loc != nil {
		v := out.Violation
		if wanted(v.Kind, v.Stack) {
			st.ins.Counterexample = p.counterexample(out, tape)
			return found.Reason{}
		}
		if at := out.ByAddress; at != nil {
			return found.Reason{Why: found.EqualsAddress, At: explain.PosOf(at, "")}
		}
		if p.meets(out, tape) {
			return found.Reason{Why: found.BehindViolation, At: explain.PosOf(v.Loc, "")}
		}
		return internalError(fmt.Sprintf("the solver violates %s at %s:%d:%d, but the interpreter meets %s at %s:%d:%d",
			st.ins.Kind, base(want.File), want.Line, want.Column, v.Kind, base(v.Loc.File), v.Loc.Line, v.Loc.Col))
	}
	if st.ins.Kind == found.MemoryLeak && out.End == interp.EndViolation {
		st.ins.Counterexample = p.counterexample(out, tape)
		return found.Reason{}
	}
	if at := out.ByAddress; at != nil {
		return found.Reason{Why: found.EqualsAddress, At: explain.PosOf(at, "")}
	}
	if out.End == interp.EndAssume && len(p.prog.Quantifiers) > 0 {
		// Queries try a quantifier at some values only, and the execution evaluates it for all.
		return found.Reason{Why: found.TooManyInstances}
	}
	where := ""
	if out.Where != nil {
		where = fmt.Sprintf(" at %s:%d", base(out.Where.File), out.Where.Line)
	}
	return internalError(fmt.Sprintf("the counterexample for %s did not violate anything when it was run (%s%s %s)",
		st.ins.Kind, out.End, where, out.Reason))
}

// meets records that an execution violates an obligation that is open, other than the expected one, and reports
// whether it does. This happens if a quantifier holds for the values that the query used: the interpreter evaluates
// all values.
func (p *plan) meets(out *interp.Outcome, tape *choice.List) bool {
	if len(p.prog.Quantifiers) == 0 || !tells(out) {
		return false
	}
	v := out.Violation
	at := explain.PosOf(v.Loc, "")
	key := findingKey{v.Kind, at.File, at.Line, at.Column}
	if p.violated[key] {
		return true
	}
	for _, st := range p.obs {
		if st.key != key || st.proved {
			continue
		}
		cex := p.counterexample(out, tape)
		if _, needs := needsUnmodelled(cex); needs {
			return false
		}
		st.ins.Counterexample, st.unknown = cex, found.Reason{}
		p.fail(st)
		return true
	}
	return false
}

// fail records that an execution violates an obligation, and calls Options.Found.
func (p *plan) fail(st *status) {
	st.failed, p.anyFailed, p.violated[st.key] = true, true, true
	p.tell(st)
}

// wanted returns the position of an obligation, and a function that reports whether a violation belongs to it.
func (p *plan) wanted(st *status) (want found.Pos, is func(found.Kind, []state.Site) bool) {
	site := p.log.Events[st.event].Site
	want = site.Pos
	library := !p.user(site.Pos.File)
	if library {
		want = p.place(site).pos
	}
	// The interpreter executes loops in place of scans in models of the library. Therefore the call of the library
	// function counts, not the position inside.
	return want, func(k found.Kind, at []state.Site) bool {
		for library && len(at) > 1 && !p.user(fileOf(at[len(at)-1].Loc)) {
			at = at[:len(at)-1]
		}
		l := at[len(at)-1].Loc
		return sameMistake(k, st.ins.Kind) && l != nil && l.Line == want.Line && l.Col == want.Column && l.File == want.File
	}
}

func fileOf(l *llvmir.Loc) string {
	if l == nil {
		return ""
	}
	return l.File
}

// execute runs the program. The first run confirms a violation; further runs minimize its inputs, compute its slice
// (if sliced), and record its description.
func (e *engine) execute(in choice.Inputs, opts interp.Options, sliced bool) (*interp.Outcome, *choice.List) {
	again, out := minimize.Inputs(e.ctx, e.m, e.entry, in, opts)
	tape := &choice.List{}
	if out.End == interp.EndViolation {
		if sliced && out.Executed > slice.Longest {
			return e.executeLong(again(), opts, out.Executed)
		}
		if sliced {
			opts.Keep, _ = slice.Of(e.ctx, e.m, e.entry, again, opts)
		}
		out = interp.Run(e.ctx, e.m, e.entry, tape.Record(again()), opts)
	}
	return out, tape
}

// executeLong is execute for an execution that is too long for a slice; its inputs are not minimized, either.
func (e *engine) executeLong(in choice.Inputs, opts interp.Options, executed int64) (*interp.Outcome, *choice.List) {
	tape := &choice.List{}
	opts.TraceFrom = executed - lastTold
	return interp.Run(e.ctx, e.m, e.entry, tape.Record(in), opts), tape
}

// sameMistake reports whether two kinds may describe the same error. For the formulas, a number computed from
// addresses may point into any object whose address may be involved; for an execution, only into objects whose
// addresses were involved.
func sameMistake(a, b found.Kind) bool {
	wild := func(k found.Kind) bool {
		return k == found.InvalidPointer || k == found.OutOfBoundsRead || k == found.OutOfBoundsWrite
	}
	number := func(k found.Kind) bool { return k == found.InvalidPointer || k == found.NullDereference }
	gone := func(k found.Kind) bool {
		return k == found.InvalidPointer || k == found.UseAfterFree || k == found.UseAfterScope
	}
	return a == b || wild(a) && wild(b) || number(a) && number(b) || gone(a) && gone(b)
}

func (e *engine) interpOptions(trace bool) interp.Options {
	o := interp.Options{Semantics: e.opts.Semantics, LoopContracts: checkedLoops(e.opts),
		MaxSteps: maxReplaySteps, Trace: trace, Coverage: !trace, EntryFile: e.opts.EntryFile}
	if len(e.opts.Accept) > 0 {
		o.Accepted, o.ReadsFreed = e.acceptRule, e.readsFreed()
	}
	if drop := e.dropped(); drop != nil {
		o.Dropped = func(stack []state.Site) bool { return drop(siteOf(stack)) }
	}
	return o
}

func (e *engine) counterexample(out *interp.Outcome, tape *choice.List) *found.Counterexample {
	v := out.Violation
	return &found.Counterexample{Message: v.Message, Mentions: v.Mentions, Said: v.Said, Inputs: out.Inputs,
		Trace:      out.Steps,
		Vars:       v.Vars,
		Memory:     v.Memory,
		Operands:   v.Operands,
		Comparison: v.Comparison, Denial: v.Denial, Expression: v.Expression,
		Run: found.Run{Kind: v.Kind, At: explain.PosOf(v.Loc, ""), Tape: tape.Encode()}}
}

// model answers the choices of an execution from a model of the formulas: with the inputs of the log whose guards hold
// in it, in execution order per site.
type model struct {
	c       *smt.Context
	ev      *ask.Model
	inputs  choice.Queues[*seair.Input]
	sizes   map[string]smt.Term   // of variables
	defined map[string]smt.Term   // of weak functions
	numbers func(object int) bool // objects whose addresses occur in formulas
	// bigEndian is the byte order of the target.
	bigEndian bool
}

func newModel(e *engine, ev *ask.Model) *model {
	m := &model{c: e.c, ev: ev, inputs: choice.Queues[*seair.Input]{}, sizes: map[string]smt.Term{},
		defined: e.prog.Defined, numbers: e.Placed, bigEndian: e.prog.Memory.BigEndian}
	objects := map[int]string{} // names at their allocation sites ("site#ordinal")
	ordinal := map[int]int{}
	for _, in := range e.log.Inputs {
		if !ev.EvalBool(in.Guard) {
			continue
		}
		if in.Kind == choice.Object {
			if in.Site == 0 {
				objects[in.Object] = in.Name
				m.sizes[in.Name] = e.prog.Memory.Objects[in.Object].Size
			} else {
				objects[in.Object] = strconv.Itoa(in.Site) + "#" + strconv.Itoa(ordinal[in.Site])
				ordinal[in.Site]++
			}
		}
		k := choice.Key{Kind: in.Kind, Site: in.Site}
		switch {
		case in.Kind == choice.LoopState && !in.Bytes: // a variable in a register
			k.Name = in.Name
		case in.Kind.Named():
			k.Name = objects[in.Object]
		case in.Site == 0:
			k.Name = in.Name
		}
		m.inputs.Add(k, in)
	}
	return m
}

// choose has the type choice.Inputs.
func (m *model) choose(q choice.Question) choice.Answer {
	if q.Kind == choice.Size {
		if size := m.sizes[q.Name]; size != 0 {
			return choice.Answer{Value: m.ev.Eval(size).Big()}
		}
		return choice.Answer{}
	}
	if q.Kind == choice.Defined {
		if defined := m.defined[q.Name]; defined != 0 && m.ev.EvalBool(defined) {
			return choice.Answer{Value: big.NewInt(1)}
		}
		return choice.Answer{}
	}
	k := choice.Key{Kind: q.Kind, Site: q.Site, Name: q.Name}
	if q.Kind == choice.LoopWrites {
		k.Kind = choice.LoopState
		if len(m.inputs[k]) > 0 {
			return choice.Answer{Value: big.NewInt(1)}
		}
		return choice.Answer{}
	}
	if q.Site != 0 && !q.Kind.Named() {
		k.Name = ""
	}
	in, ok := m.inputs.Next(k)
	switch {
	case !ok:
		return choice.Answer{}
	case q.Content:
		return choice.Answer{Content: m.content(in)}
	// only addresses that occur in a formula are fixed
	case in.Value == 0, q.Kind == choice.Object && !m.numbers(in.Object):
		return choice.Answer{}
	case m.c.Sort(in.Value).IsBool():
		if m.ev.EvalBool(in.Value) {
			return choice.Answer{Value: big.NewInt(1)}
		}
		return choice.Answer{}
	}
	return choice.Answer{Value: m.ev.Eval(in.Value).Big()}
}

// content returns the bytes of an input in the model.
func (m *model) content(in *seair.Input) func(off uint64) byte {
	switch {
	case in.Bytes:
		return func(off uint64) byte {
			word := m.ev.EvalUint(m.c.Apply(in.Content, m.c.Int(61, off>>3)))
			return byte(word >> (8 * (off & 7)))
		}
	case in.Value == 0:
		return nil
	}
	v, bits := m.ev.Eval(in.Value).Big(), in.Bits
	if bits == 0 && !m.c.Sort(in.Value).IsBool() {
		bits = m.c.Width(in.Value)
	}
	size := uint64(bits+7) / 8
	return func(off uint64) byte {
		if off > 4096 {
			return 0
		}
		if m.bigEndian && off < size {
			off = size - 1 - off
		}
		return byte(new(big.Int).Rsh(v, uint(off)*8).Uint64())
	}
}
