package interp

import (
	"cmp"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// exec executes one instruction of the top frame.
func (m *Machine) exec(fr *state.Frame, in *llvmir.Instr) {
	if w := m.opts.Switch; w != nil && w.Watch == in {
		w.Count++
	}
	for _, w := range m.m.Of(in).Within {
		m.checkWithin(fr, in, w)
	}
	switch in.Op {
	case llvmir.OpBr:
		m.jump(fr, in.Succs[0])
	case llvmir.OpCondBr:
		taken := m.operand(fr, in, in.Args[0]).Bits&1 == 1
		if w := m.opts.Switch; w != nil {
			if w.At == m.Executed {
				taken = !taken
				w.Before = len(w.Decided)
			} else {
				w.decides(in, taken)
			}
		}
		to := in.Succs[1]
		if taken {
			to = in.Succs[0]
		}
		if m.trace != nil {
			m.trace.Branched(fr, in, taken)
		}
		m.jump(fr, to)
	case llvmir.OpSwitch:
		m.execSwitch(fr, in)
	case llvmir.OpRet:
		v := state.Value{}
		if len(in.Args) > 0 {
			v = m.operand(fr, in, in.Args[0])
			if clangir.NoResult(fr.Fn, in) {
				fr.NoValue = true
			}
		}
		m.pop(v)
		if fr.Call != nil && len(in.Args) > 0 {
			m.Top().Receive(fr.Call.Dst, fr, in.Args[0])
		}
	case llvmir.OpUnreachable:
		m.required(found.Unreachable, func() string {
			return cmp.Or(in.Text, "executes code that was declared unreachable")
		})
	case llvmir.OpUnsupported, llvmir.OpInvalid:
		m.unsupported(in.Text)
	case llvmir.OpDbgDeclare:
		m.bind(fr, in)
	case llvmir.OpDbgValue, llvmir.OpFence:
	case llvmir.OpAlloca:
		m.execAlloca(fr, in)
	case llvmir.OpLoad:
		fr.Regs[in.Dst] = m.load(fr, in)
	case llvmir.OpStore:
		m.store(fr, in)
	case llvmir.OpCall:
		m.execCall(fr, in)
	case llvmir.OpInlineAsm:
		if call := in.AsmCall(); call != nil {
			m.execCall(fr, call)
			break
		}
		m.inlineAssembly(fr, in)
	case llvmir.OpCmpXchg:
		m.cmpXchg(fr, in)
	case llvmir.OpAtomicRMW:
		m.atomicRMW(fr, in)
	default:
		v := m.compute(fr, in)
		if in.Dst >= 0 {
			fr.Regs[in.Dst] = v
			explain.CarryName(fr, in)
		}
	}
}

// inlineAssembly assigns arbitrary values to the results, except those that are tied to arguments.
func (m *Machine) inlineAssembly(fr *state.Frame, in *llvmir.Instr) {
	var parts []state.Value
	for _, r := range in.AsmResults() {
		var v state.Value
		if r.From >= 0 {
			v = m.operand(fr, in, in.Args[r.From])
		} else {
			// An empty template computes nothing: any value is possible.
			v = m.arbitrary(r.Type, in.ID, choice.Asm, func(i *state.Input) { i.Unmodelled = in.Text != "" })
		}
		if r.To < 0 {
			parts = append(parts, v)
		} else {
			m.storeTo(m.operand(fr, in, in.Args[r.To]), v, r.Type)
		}
	}
	switch {
	case in.Dst < 0:
	case len(parts) == 1:
		fr.Regs[in.Dst] = parts[0]
	default:
		fr.Regs[in.Dst] = state.AggregateValue(parts)
	}
}

func (m *Machine) execSwitch(fr *state.Frame, in *llvmir.Instr) {
	x := m.operand(fr, in, in.Args[0])
	to := in.Succs[0]
	wide := in.Args[0].Type.Bits > 64
	for i, c := range in.Cases {
		if wide && c.Int.Cmp(x.Big()) == 0 || !wide && c.Int.Uint64() == x.Bits {
			to = in.Succs[i+1]
			break
		}
	}
	if m.trace != nil {
		m.trace.Switched(fr, in, x)
	}
	m.jump(fr, to)
}

func (m *Machine) bind(fr *state.Frame, in *llvmir.Instr) {
	if in.Args[0].Kind == llvmir.OperandMetadata || in.Var == nil || in.Text != "" {
		return
	}
	addr := m.operand(fr, in, in.Args[0])
	if addr.Obj != nil && addr.Offset() == 0 && addr.Obj.DIType == nil {
		addr.Obj.Change()
		addr.Obj.DIType, addr.Obj.Source = in.Var.Type, in.Var.Name
	}
	for i := range fr.Bound {
		if fr.Bound[i].V == in.Var {
			fr.Bound[i].Addr = addr
			return
		}
	}
	fr.Bound = append(fr.Bound, state.Binding{V: in.Var, Addr: addr})
}

// execAlloca creates a new object each time the alloca is executed.
func (m *Machine) execAlloca(fr *state.Frame, in *llvmir.Instr) {
	size := uint64(in.ElemType.Size)
	fixed := in.Args[0].Kind == llvmir.OperandConst && in.Args[0].Const.Kind == llvmir.ConstInt
	n := m.operand(fr, in, in.Args[0])
	if hi, lo := mul64(size, n.Bits); hi != 0 {
		size = ^uint64(0)
	} else {
		size = lo
	}
	if !fixed && size > m.Layout.Space.MaxVariable {
		m.stop(EndAssume, "an array of variable length does not fit into memory")
	}
	o := m.instance(fr, in, in.ID, size)
	if !fixed && o.Source == "" {
		m.Blocks++
		o.Maker, o.Number = "alloca", m.Blocks
	}
	if !fixed || fr.Block.Index != 0 {
		fr.VLAs = append(fr.VLAs, o)
	}
}

// instance creates the object of an alloca for a new lifetime, which begins at site.
func (m *Machine) instance(fr *state.Frame, alloca *llvmir.Instr, site int, size uint64) *state.Object {
	o := m.newStack(fr, fr.Fn.RegName(alloca.Dst), site, size, uint64(max(alloca.Align, 1)))
	o.Alloca = alloca
	if v := fr.Info.Vars[alloca.Dst]; v != nil {
		o.DIType, o.Source = v.Type, v.Name
	}
	r := m.choose(o, 0, size, site, choice.Uninitialized, "", state.Uninitialized)
	r.Variable, r.DIType = o.Source, o.DIType
	fr.Regs[alloca.Dst] = state.PointerTo(o, 0)
	return o
}

// lifetime executes llvm.lifetime.start and .end.
//
// Each start creates a new object, so pointers into the previous lifetime are dangling.
func (m *Machine) lifetime(fr *state.Frame, in *llvmir.Instr) {
	if len(in.Args) < 2 {
		return
	}
	old := m.operand(fr, in, in.Args[1]).Obj
	if old == nil || old.Alloca == nil {
		return
	}
	alloca := old.Alloca
	if cur := fr.Regs[alloca.Dst].Obj; cur != nil {
		old = cur
	}
	m.end(old)
	for i, o := range fr.Own {
		if o == old {
			fr.Own = append(fr.Own[:i], fr.Own[i+1:]...)
			break
		}
	}
	if in.Intrinsic == "lifetime.end" {
		return
	}
	o := m.instance(fr, alloca, in.ID, old.Size)
	if in.Args[1].Kind == llvmir.OperandReg {
		fr.Regs[in.Args[1].Reg] = state.PointerTo(o, 0)
	}
}
