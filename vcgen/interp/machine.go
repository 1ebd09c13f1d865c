package interp

import (
	"context"
	"fmt"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/space"
)

// Machine is a run of a program.
type Machine struct {
	*state.State
	ctx  context.Context
	m    *clangir.Module
	in   choice.Inputs
	opts Options
	Out  *Outcome
	// checksReads is whether reads of bits that were never written are violations.
	checksReads bool

	// fromNull are the addresses that pointer arithmetic computed from NULL.
	fromNull map[uint64]bool
	anyMixed bool // a number with bytes of several pointers, or of a pointer and other values, was read

	entry     *llvmir.Func // nil if the program has no function of that name
	entryName string
	order     []*llvmir.Func // functions that run in sequence
	entryAt   int            // index of the entry in order
	made      madeArguments

	View  *explain.View
	trace *explain.Tracer // nil if no trace is recorded

	covered    []bool        // by instruction ID, with Options.Coverage
	expression string        // the part of the current message set by expressed
	Leaked     *state.Object // the object of the violation, if it is a leak
	// accused is the last access that was checked, by instruction number accusedAt; set in runs with a trace.
	accused   explain.Accused
	accusedAt int64

	obs    Observer      // nil if there is none
	checks CheckObserver // obs, if it also implements CheckObserver

	loop    acceleration
	skipped int64 // instructions of skipped iterations, among Executed

	applied map[string]state.Value // results of uninterpreted functions, by name and arguments
}

// halt unwinds the Go stack after the end of the execution; the outcome is in Machine.Out.
type halt struct{}

// New returns a machine before its first function.
func New(ctx context.Context, m *clangir.Module, entry string, in choice.Inputs, opts Options) *Machine {
	if opts.MaxSteps <= 0 {
		opts.MaxSteps = defaultSteps
	}
	if opts.UserFile == nil {
		opts.UserFile = func(string) bool { return true }
	}
	if opts.Infos == nil {
		opts.Infos = &Infos{}
	}
	start := state.New(space.Of(m.Layout.Pointer, m.Layout.HeapAlign()), m.Layout.BigEndian)
	x := &Machine{State: start, ctx: ctx, m: m, in: in, opts: opts, Out: &Outcome{}, fromNull: map[uint64]bool{},
		checksReads: opts.Checks[found.UninitializedRead], entry: m.FuncByName[entry], entryName: entry}
	x.View = &explain.View{State: x.State, Program: m, UserFile: opts.UserFile, Keep: opts.Keep,
		Operand: func(fr *state.Frame, a llvmir.Operand) state.Value { return x.operand(fr, nil, a) }}
	if opts.Trace {
		x.View.Denials = map[*llvmir.Instr]*found.Denial{}
		x.trace = &explain.Tracer{View: x.View, From: opts.TraceFrom}
	}
	return x
}

// Observe sets the observer of the run.
func (m *Machine) Observe(o Observer) {
	m.obs = o
	m.checks, _ = o.(CheckObserver)
}

// number obtains a number of up to 64 bits from the inputs, fact a single bit.
func (m *Machine) number(q choice.Question) uint64 {
	if v := m.in(q).Value; v != nil {
		return v.Uint64()
	}
	return 0
}

func (m *Machine) fact(kind choice.Kind, site int) bool {
	return m.number(choice.Question{Kind: kind, Site: site}) != 0
}

// maxFrames bounds the depth of calls.
const maxFrames = 200_000

// Run executes the constructors and the entry. It never panics.
func (m *Machine) Run() *Outcome {
	m.guard(func() {
		for m.begin() {
			for len(m.Frames) > 0 {
				m.advance()
			}
		}
		m.ended()
	})
	m.finish()
	return m.Out
}

// guard executes a part of the program. It reports whether the execution continues; if not, Out has the outcome.
func (m *Machine) guard(part func()) (goesOn bool) {
	defer func() {
		switch p := recover().(type) {
		case nil:
			goesOn = true
		case halt:
		default:
			m.Out.End, m.Out.Reason = EndUnsupported, fmt.Sprintf("internal error of the interpreter: %v", p)
		}
	}()
	part()
	return true
}

// EnterFirst enters the first function, before its first instruction. It reports whether the execution continues.
func (m *Machine) EnterFirst() bool {
	return m.guard(func() { m.begin() })
}

// Step executes an instruction. It reports whether the execution continues.
func (m *Machine) Step() bool {
	return m.guard(func() {
		m.advance()
		if len(m.Frames) == 0 && !m.begin() {
			end := EndReturn
			if m.Exited {
				end = EndExit
			}
			m.stop(end, "")
		}
	})
}

// begin enters the next function of the sequence, and reports whether there is one.
//
// The sequence is: the constructors, the construction of the entry's arguments, the entry, and the functions that run
// at exit.
func (m *Machine) begin() bool {
	if m.entry == nil || len(m.entry.Blocks) == 0 {
		m.unsupported(fmt.Sprintf("no function %s in the program", m.entryName))
	}
	if m.order == nil {
		for _, f := range m.m.Ctors {
			if len(f.Blocks) > 0 {
				m.order = append(m.order, f)
			}
		}
		m.order = append(m.order, m.m.First(m.entry)...)
		m.entryAt = len(m.order)
		m.order = append(append(m.order, m.entry), m.m.After()...)
	}
	if m.Begun == len(m.order) {
		return false
	}
	var args []state.Value
	switch {
	case m.Begun == m.entryAt:
		args = m.parameters(m.entry)
		m.nameArguments(m.entry, args)
	case m.Begun == m.entryAt-1 && m.m.Before(m.entry) != nil:
		m.made = madeArguments{from: m.Choices, content: map[*state.Object]*state.Input{}}
	}
	m.Begun++
	m.push(m.order[m.Begun-1], args, nil)
	return true
}

// exit leaves all functions; only the functions that run at exit remain.
func (m *Machine) exit() {
	for len(m.Frames) > 0 {
		fr := m.Top()
		m.Frames = m.Frames[:len(m.Frames)-1]
		if m.obs != nil {
			m.obs.Popped(fr)
		}
	}
	if m.Begun > m.entryAt+1 || len(m.order) == m.entryAt+1 { // none remains, or the current one called exit
		m.stop(EndExit, "")
	}
	m.Begun, m.Exited = m.entryAt+1, true
}

// ended ends an execution that has run all functions.
func (m *Machine) ended() {
	if m.Exited {
		m.stop(EndExit, "")
	}
	m.checkLeaks()
	m.Out.Where = m.entry.Loc
	m.stop(EndReturn, "")
}

// parameters creates the arguments of the entry, and memory for a result that is returned in memory.
func (m *Machine) parameters(f *llvmir.Func) []state.Value {
	args := make([]state.Value, len(f.Params))
	for i, p := range f.Params {
		if g, made := m.m.Argument(f, i); made {
			args[i] = state.ZeroValue(p.Type)
			if g != nil {
				args[i], _ = m.fetch(m.global(g), 0, p.Type)
			}
			continue
		}
		site := -(i + 1)
		describe := func(r *state.Input) {
			r.Loc, r.In, r.Fn = f.Loc, f.SourceName, f.SourceName
			r.Variable, r.DIType = p.Name, p.DIType
		}
		t := p.Pointee()
		if t == nil {
			args[i] = m.arbitrary(p.Type, site, choice.Parameter, describe)
			continue
		}
		o := m.newStack(nil, p.Name, site, uint64(t.Size), uint64(max(p.Align, t.Align)))
		if p.SRet != nil {
			m.choose(o, 0, o.Size, site, choice.Uninitialized, "", state.Uninitialized)
		} else {
			describe(m.choose(o, 0, o.Size, site, choice.Parameter, "", state.Arbitrary))
		}
		args[i] = state.PointerTo(o, 0)
	}
	return args
}

// Reopen allows a machine whose run has ended to execute again, from a state that its journal restores.
func (m *Machine) Reopen() { m.Out, m.ctx = &Outcome{}, context.Background() }

// push begins a call.
func (m *Machine) push(f *llvmir.Func, args []state.Value, call *llvmir.Instr) {
	if f.Unsupported != "" {
		m.unsupported(f.Unsupported)
	}
	if len(m.Frames) >= maxFrames {
		m.unsupported("calls nested too deeply")
	}
	fr := &state.Frame{Fn: f, Info: m.info(f), Regs: make([]state.Value, f.NumRegs), Call: call, Block: f.Blocks[0],
		Prev: -1, Depth: len(m.Frames)}
	copy(fr.Regs, args[:min(len(args), len(f.Params))])
	if f.Variadic && len(args) > len(f.Params) {
		fr.Extra = args[len(f.Params):]
	}
	if call != nil {
		caller := m.Top()
		for i, a := range call.Args[:min(len(call.Args), len(f.Params))] {
			fr.Receive(i, caller, a)
		}
	}
	fr.Serial = m.Pushes
	m.Pushes++
	m.Frames = append(m.Frames, fr)
	if m.obs != nil {
		m.obs.Pushed(fr)
	}
}

// advance executes the next instruction of the top frame.
func (m *Machine) advance() {
	fr := m.Frames[len(m.Frames)-1]
	in := fr.Block.Instrs[fr.PC]
	fr.PC++
	m.At = in
	m.Executed++
	if m.Executed&0xfff == 0 || m.Executed-m.skipped > m.opts.MaxSteps {
		m.checkBudget()
	}
	if m.opts.Coverage {
		m.cover(in.ID)
	}
	if m.obs != nil {
		m.obs.Executing(fr, in)
	}
	m.exec(fr, in)
}

func (m *Machine) cover(id int) {
	for id >= len(m.covered) {
		m.covered = append(m.covered, make([]bool, id+1024)...)
	}
	m.covered[id] = true
}

func (m *Machine) checkBudget() {
	if err := m.ctx.Err(); err != nil {
		m.stop(EndSteps, err.Error())
	}
	if m.Executed-m.skipped > m.opts.MaxSteps {
		m.stop(EndSteps, fmt.Sprintf("stopped after %d instructions", m.opts.MaxSteps))
	}
}

// stop ends the execution.
func (m *Machine) stop(end, reason string) {
	m.Out.End, m.Out.Reason = end, reason
	if m.Out.Where == nil {
		m.Out.Where = m.Where()
	}
	panic(halt{})
}

func (m *Machine) unsupported(what string) { m.stop(EndUnsupported, what) }

// jump continues at a block of the top frame. Its phis are evaluated simultaneously.
func (m *Machine) jump(fr *state.Frame, to int) { m.enter(fr, fr.Block.Index, to) }

func (m *Machine) enter(fr *state.Frame, from, to int) {
	if g := m.opts.Goal; g != nil && fr.Depth == 0 && fr.Fn == m.entry && !g[to] {
		m.stop(EndHopeless, "")
	}
	b := fr.Fn.Blocks[to]
	n := 0
	for n < len(b.Instrs) && b.Instrs[n].Op == llvmir.OpPhi {
		n++
	}
	if n > 0 {
		var buf [8]state.Value
		vals := buf[:0]
		for _, phi := range b.Instrs[:n] {
			v := state.Value{}
			for i, p := range phi.In {
				if p == from {
					v = m.operand(fr, phi, phi.Args[i])
					break
				}
			}
			vals = append(vals, v)
		}
		for i, phi := range b.Instrs[:n] {
			fr.Regs[phi.Dst] = vals[i]
			if m.opts.Coverage {
				m.cover(phi.ID)
			}
		}
	}
	fr.Block, fr.Prev, fr.PC = b, from, n
	if m.opts.Visits != nil {
		m.opts.Visits.visit(b.Instrs[0].ID)
	}
	if m.obs != nil {
		m.obs.Entered(fr, from, to)
	}
	m.arrive(fr, from, to)
}

// pop returns from the top frame.
func (m *Machine) pop(ret state.Value) {
	fr := m.Top()
	if m.trace != nil && fr.Call != nil {
		m.View.NoteDenial(fr, ret)
	}
	for _, o := range fr.Own {
		m.end(o)
	}
	m.Frames = m.Frames[:len(m.Frames)-1]
	if m.obs != nil {
		m.obs.Popped(fr)
	}
	if fr.Call == nil {
		return
	}
	caller := m.Top()
	m.At = fr.Call
	if fr.Call.Dst >= 0 {
		if fr.NoValue && caller.Info.Used[fr.Call.Dst] {
			m.violated(found.Unreachable, func() string {
				return fmt.Sprintf("`%s` returns no value, but its value is used", fr.Fn.SourceName)
			})
		}
		caller.Regs[fr.Call.Dst] = adapt(extended(ret, fr.Fn.Ret, fr.Fn.RetSigned), fr.Call.Type)
	}
	if m.trace != nil {
		m.trace.Returned(fr, ret)
	}
}

// adapt converts a scalar to the type at the receiver: calls through pointers may differ in the width of integers.
func adapt(v state.Value, t *llvmir.Type) state.Value {
	if t.Kind == llvmir.IntType && t.Bits < 64 && v.X == nil {
		v.Bits &= state.Mask(t.Bits)
		if int(v.N)*8 > t.Bits {
			v.N = uint8(t.Bits / 8)
		}
		if v.N == 0 {
			return v.Plain()
		}
	}
	return v
}

// extended returns a small signed integer as it is passed: sign-extended to 32 bits.
func extended(v state.Value, from *llvmir.Type, signed bool) state.Value {
	if signed && from.Kind == llvmir.IntType && from.Bits < 32 && v.X == nil && v.Obj == nil {
		v.Bits = signExtendTo32(v.Bits, from.Bits)
	}
	return v
}

func signExtendTo32(bits uint64, width int) uint64 {
	return uint64(uint32(state.SignExtend(bits, width)))
}

// finish completes the outcome after the execution has ended.
func (m *Machine) finish() {
	m.Out.Executed, m.Out.Skipped = m.Executed, m.skipped
	if !m.opts.Brief && m.opts.Switch == nil { // the inputs of such runs are not used
		m.Out.Inputs = m.View.UsedInputs()
	}
	if m.trace != nil {
		m.Out.Steps = m.trace.Steps
	}
	if !m.opts.Coverage {
		return
	}
	m.Out.Instructions = m.covered
	m.Out.Covered = map[string]map[int]bool{}
	for _, f := range m.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.ID < len(m.covered) && m.covered[in.ID] && in.Loc != nil && in.Loc.Line > 0 {
					lines := m.Out.Covered[in.Loc.File]
					if lines == nil {
						lines = map[int]bool{}
						m.Out.Covered[in.Loc.File] = lines
					}
					lines[in.Loc.Line] = true
				}
			}
		}
	}
}

func (m *Machine) info(f *llvmir.Func) *state.FuncInfo { return m.opts.Infos.about(f) }
