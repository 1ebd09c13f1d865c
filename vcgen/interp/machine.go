package interp

import (
	"context"
	"fmt"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// machine is the state of a run.
type machine struct {
	ctx  context.Context
	m    *llvmir.Module
	in   Inputs
	opts Options
	out  *Outcome

	entry *llvmir.Func
	begun int // constructors that were entered, then the entry

	frames []*frame
	// at is the instruction that is being executed, in the youngest frame.
	at       *llvmir.Instr
	executed []bool // by instruction ID, with Options.Coverage

	infos   map[*llvmir.Func]*funcInfo
	globals map[*llvmir.Global]*object
	funcs   map[*llvmir.Func]*object
	layout  layout
	exposed []*object
	heap    []*object   // all of them when leaks are checked
	blocks  int         // allocated so far
	made    map[int]int // objects made per site
	// tracking is whether writes are recorded (sea_tracking_on).
	tracking bool
	escaped  []*object

	records []*record
	choices int // made so far

	expression string  // of the message that is being made, see expressed
	leaked     *object // what the violation is about, if it is a leak

	obs     observer  // nil: nobody watches
	history *history  // the observer, where that is one
	rec     *recorder // nil: nobody wants the past back
	pushes  int       // frames so far

	denials map[*llvmir.Instr]*Denial // of traced runs: why the last call there said no
	applied map[string]value          // results of uninterpreted functions, by name and arguments
}

// halt unwinds the Go stack when the execution has ended; the outcome is in machine.out.
type halt struct{}

func newMachine(ctx context.Context, m *llvmir.Module, in Inputs, opts Options) *machine {
	if opts.MaxSteps <= 0 {
		opts.MaxSteps = defaultSteps
	}
	if opts.UserFile == nil {
		opts.UserFile = func(string) bool { return true }
	}
	infos := map[*llvmir.Func]*funcInfo{}
	if opts.prepared != nil {
		infos = opts.prepared.infos
	}
	var denials map[*llvmir.Instr]*Denial
	if opts.Trace {
		denials = map[*llvmir.Instr]*Denial{}
	}
	return &machine{denials: denials,
		ctx: ctx, m: m, in: in, opts: opts, out: &Outcome{},
		infos:   infos,
		globals: map[*llvmir.Global]*object{},
		funcs:   map[*llvmir.Func]*object{},
		made:    map[int]int{},
	}
}

// frame is one call of a function.
type frame struct {
	fn      *llvmir.Func
	info    *funcInfo
	regs    []value
	call    *llvmir.Instr // the call in the frame below, nil for the entry
	block   *llvmir.Block
	prev    int // block that control came from, -1 at the start
	pc      int // next instruction of block
	depth   int
	serial  int       // how many-th frame of the execution, from 0
	own     []*object // stack objects that end with the frame
	vlas    []*object // among them those that stackrestore can end, oldest first
	extra   []value   // variadic arguments
	types   []*llvmir.Type
	bound   []binding // variables that came into scope, oldest first
	noValue bool      // the result was read from a return slot that nobody wrote
	stamp   uint32    // see recorder
	// unnamed holds what waits for the name of the variable that a register is stored to.
	unnamed map[int]func(variable string, t *llvmir.DIType)
}

// binding ties a variable to the address where it lives.
type binding struct {
	v    *llvmir.DIVar
	addr value
}

// maxFrames bounds the depth of calls.
const maxFrames = 200_000

func (m *machine) top() *frame { return m.frames[len(m.frames)-1] }

// start runs the constructors and the entry.
func (m *machine) start(entry string) {
	f := m.m.FuncByName[entry]
	if f == nil || len(f.Blocks) == 0 {
		m.unsupported(fmt.Sprintf("no function %s in the program", entry))
	}
	m.entry = f
	for m.begin() {
		for len(m.frames) > 0 {
			m.advance()
		}
	}
	m.checkLeaks()
	m.out.Where = f.Loc
	m.stop(EndReturn, "")
}

// begin enters the next function that the program runs by itself: the constructors, then
// the entry; false when there is none left.
func (m *machine) begin() bool {
	for m.begun < len(m.m.Ctors) {
		c := m.m.Ctors[m.begun]
		m.begun++
		if len(c.Blocks) > 0 {
			m.push(c, nil, nil, nil)
			return true
		}
	}
	if m.begun > len(m.m.Ctors) {
		return false
	}
	m.begun++
	m.push(m.entry, m.parameters(m.entry), nil, nil)
	return true
}

// parameters makes the arguments of the entry.
func (m *machine) parameters(f *llvmir.Func) []value {
	args := make([]value, len(f.Params))
	for i, p := range f.Params {
		site := -(i + 1)
		args[i] = m.arbitrary(p.Type, site, "parameter", func(r *record) {
			r.loc, r.in, r.fn = f.Loc, f.SourceName, f.SourceName
			r.variable, r.dtype = p.Name, p.DIType
		})
		if p.ByVal != nil {
			o := m.newStack(m.top0(), p.Name, site, uint64(p.ByVal.Size), uint64(max(p.Align, p.ByVal.Align)))
			m.choose(o, 0, o.size, site, "parameter", "", arbitrary)
			args[i] = pointerTo(o, 0)
		}
	}
	return args
}

// top0 is the youngest frame, nil before the first one.
func (m *machine) top0() *frame {
	if len(m.frames) == 0 {
		return nil
	}
	return m.top()
}

// push begins a call. types are the types of the arguments, for the variadic ones.
func (m *machine) push(f *llvmir.Func, args []value, types []*llvmir.Type, call *llvmir.Instr) {
	if f.Unsupported != "" {
		m.unsupported(f.Unsupported)
	}
	if len(m.frames) >= maxFrames {
		m.unsupported("calls nested too deeply")
	}
	fr := &frame{fn: f, info: m.info(f), regs: make([]value, f.NumRegs), call: call, block: f.Blocks[0], prev: -1, depth: len(m.frames)}
	copy(fr.regs, args[:min(len(args), len(f.Params))])
	if f.Variadic && len(args) > len(f.Params) {
		fr.extra, fr.types = args[len(f.Params):], types[len(f.Params):]
	}
	fr.serial = m.pushes
	m.pushes++
	m.frames = append(m.frames, fr)
	if m.obs != nil {
		m.obs.pushed(fr)
	}
}

// advance executes the next instruction of the youngest frame.
func (m *machine) advance() {
	fr := m.frames[len(m.frames)-1]
	in := fr.block.Instrs[fr.pc]
	fr.pc++
	m.at = in
	m.out.Executed++
	if m.out.Executed&0xfff == 0 || m.out.Executed > m.opts.MaxSteps {
		m.checkBudget()
	}
	if m.executed != nil || m.opts.Coverage {
		m.cover(in.ID)
	}
	if m.obs != nil {
		m.obs.executing(fr, in)
	}
	m.exec(fr, in)
}

func (m *machine) cover(id int) {
	for id >= len(m.executed) {
		m.executed = append(m.executed, make([]bool, id+1024)...)
	}
	m.executed[id] = true
}

func (m *machine) checkBudget() {
	if err := m.ctx.Err(); err != nil {
		m.stop(EndSteps, err.Error())
	}
	if m.out.Executed > m.opts.MaxSteps {
		m.stop(EndSteps, fmt.Sprintf("stopped after %d instructions", m.opts.MaxSteps))
	}
}

// stop ends the execution.
func (m *machine) stop(end, reason string) {
	m.out.End, m.out.Reason = end, reason
	if m.out.Where == nil {
		m.out.Where = m.where()
	}
	panic(halt{})
}

func (m *machine) unsupported(what string) { m.stop(EndUnsupported, what) }

// where is the place that is being executed.
func (m *machine) where() *llvmir.Loc {
	if len(m.frames) == 0 || m.at == nil {
		return nil
	}
	return locOf(m.top().fn, m.at)
}

// locOf is the position of an instruction, that of its function when it has none.
func locOf(f *llvmir.Func, in *llvmir.Instr) *llvmir.Loc {
	if in != nil && in.Loc != nil {
		return in.Loc
	}
	return f.Loc
}

// stackNow returns the frames that are active, outermost first.
func (m *machine) stackNow() []Frame {
	out := make([]Frame, len(m.frames))
	for i, fr := range m.frames {
		at := m.at
		if i+1 < len(m.frames) {
			at = m.frames[i+1].call
		}
		out[i] = Frame{fr.fn, locOf(fr.fn, at)}
	}
	return out
}

// jump goes to a block of the youngest frame. Phis take their values at once.
func (fr *frame) jump(m *machine, to int) {
	from := fr.block.Index
	fr.enter(m, from, to)
}

func (fr *frame) enter(m *machine, from, to int) {
	if g := m.opts.goal; g != nil && fr.depth == 0 && fr.fn == m.entry && !g[to] {
		m.stop(endHopeless, "")
	}
	b := fr.fn.Blocks[to]
	n := 0
	for n < len(b.Instrs) && b.Instrs[n].Op == llvmir.OpPhi {
		n++
	}
	if n > 0 {
		var buf [8]value
		vals := buf[:0]
		for _, phi := range b.Instrs[:n] {
			v := value{}
			for i, p := range phi.In {
				if p == from {
					v = m.operand(fr, phi, phi.Args[i])
					break
				}
			}
			vals = append(vals, v)
		}
		for i, phi := range b.Instrs[:n] {
			fr.regs[phi.Dst] = vals[i]
			if m.opts.Coverage {
				m.cover(phi.ID)
			}
		}
	}
	fr.block, fr.prev, fr.pc = b, from, n
	if m.obs != nil {
		m.obs.entered(fr, from, to)
	}
}

// pop returns from the youngest frame.
func (m *machine) pop(ret value) {
	fr := m.top()
	if m.denials != nil && fr.call != nil {
		m.noteDenial(fr, ret)
	}
	for _, o := range fr.own {
		m.end(o)
	}
	m.frames = m.frames[:len(m.frames)-1]
	if m.obs != nil {
		m.obs.popped(fr)
	}
	if fr.call == nil {
		return
	}
	caller := m.top()
	m.at = fr.call
	if fr.call.Dst >= 0 {
		if fr.noValue && caller.info.used[fr.call.Dst] {
			m.violated(found.Unreachable, func() string {
				return fmt.Sprintf("`%s` returns no value, but its value is used", fr.fn.SourceName)
			})
		}
		caller.regs[fr.call.Dst] = adapt(extended(ret, fr.fn.Ret, fr.fn.RetSigned), fr.call.Type)
	}
	if m.opts.Trace {
		m.traceReturn(fr, ret)
	}
}

// adapt fits a scalar to the type under which it is received: calls through pointers may
// differ in the width of integers.
func adapt(v value, t *llvmir.Type) value {
	if t.Kind == llvmir.IntType && t.Bits < 64 && v.x == nil {
		v.bits &= mask(t.Bits)
		if int(v.n)*8 > t.Bits {
			v.n = uint8(t.Bits / 8)
		}
		if v.n == 0 {
			return v.plain()
		}
	}
	return v
}

// extended is a small signed integer as it travels: with its sign in 32 bits.
func extended(v value, from *llvmir.Type, signed bool) value {
	if signed && from.Kind == llvmir.IntType && from.Bits < 32 && v.x == nil && v.obj == nil {
		v.bits = signExtendTo32(v.bits, from.Bits)
	}
	return v
}

func signExtendTo32(bits uint64, width int) uint64 { return uint64(uint32(signExtend(bits, width))) }

// finish completes the outcome after the execution has ended.
func (m *machine) finish() {
	if !m.opts.brief && m.opts.switched == nil { // nobody looks at the inputs of such runs
		m.out.Inputs = m.inputRecords()
	}
	if !m.opts.Coverage {
		return
	}
	m.out.Covered = map[string]map[int]bool{}
	for _, f := range m.m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.ID < len(m.executed) && m.executed[in.ID] && in.Loc != nil && in.Loc.Line > 0 {
					lines := m.out.Covered[in.Loc.File]
					if lines == nil {
						lines = map[int]bool{}
						m.out.Covered[in.Loc.File] = lines
					}
					lines[in.Loc.Line] = true
				}
			}
		}
	}
}

// funcInfo is what is known about a function before it runs.
type funcInfo struct {
	def  []*llvmir.Instr // the instruction that makes each register, nil for parameters
	used []bool          // registers that some instruction uses
	vars []*llvmir.DIVar // by register: the variable that lives at this address
}

func (m *machine) info(f *llvmir.Func) *funcInfo {
	if i := m.infos[f]; i != nil {
		return i
	}
	i := &funcInfo{def: make([]*llvmir.Instr, f.NumRegs), used: make([]bool, f.NumRegs), vars: make([]*llvmir.DIVar, f.NumRegs)}
	m.infos[f] = i
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Dst >= 0 {
				i.def[in.Dst] = in
			}
			if in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue {
				if in.Op == llvmir.OpDbgDeclare && in.Args[0].Kind == llvmir.OperandReg && in.Text == "" {
					i.vars[in.Args[0].Reg] = in.Var
				}
				continue
			}
			for _, a := range in.Args {
				if a.Kind == llvmir.OperandReg {
					i.used[a.Reg] = true
				}
			}
			if in.Op == llvmir.OpCall && in.Callee.Kind == llvmir.OperandReg {
				i.used[in.Callee.Reg] = true
			}
		}
	}
	return i
}
