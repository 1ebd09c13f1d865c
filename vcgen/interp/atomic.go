package interp

import (
	"math/big"

	"github.com/unitproof/unitproof/vcgen/interp/explain"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// cmpXchg executes cmpxchg: the result is the old value and whether it was the expected one.
func (m *Machine) cmpXchg(fr *state.Frame, in *llvmir.Instr) {
	t := in.Args[1].Type
	ptr, expected, repl := m.operand(fr, in, in.Args[0]), m.operand(fr, in, in.Args[1]), m.operand(fr, in, in.Args[2])
	o, off := m.check(explain.Access{Ptr: ptr, Op: &in.Args[0], N: uint64(t.StoreSize), Write: true})
	old, _ := m.fetch(o, off, t)
	same := old.Big().Cmp(expected.Big()) == 0
	if same {
		m.update(fr, in, o, off, repl, t)
	}
	if in.Dst >= 0 {
		fr.Regs[in.Dst] = state.AggregateValue([]state.Value{old, state.BoolValue(same)})
	}
}

// update writes the new value of an atomic operation, which a trace shows like a store.
func (m *Machine) update(fr *state.Frame, in *llvmir.Instr, o *state.Object, off uint64, v state.Value,
	t *llvmir.Type) {
	put := func() { m.put(o, off, v, t) }
	if m.trace != nil {
		m.trace.Stored(fr, in, o, off, uint64(t.StoreSize), put)
		return
	}
	put()
}

// atomicRMW executes atomicrmw: the result is the old value.
func (m *Machine) atomicRMW(fr *state.Frame, in *llvmir.Instr) {
	t := in.Args[1].Type
	m.supported(t)
	ptr, y := m.operand(fr, in, in.Args[0]), m.operand(fr, in, in.Args[1])
	o, off := m.check(explain.Access{Ptr: ptr, Op: &in.Args[0], N: uint64(t.StoreSize), Write: true})
	x, _ := m.fetch(o, off, t)
	if in.Dst >= 0 {
		fr.Regs[in.Dst] = x
	}
	pick := func(p llvmir.Pred) state.Value {
		if compareInts(p, x, y, t.Bits) {
			return x
		}
		return y
	}
	arith := func(op llvmir.Op) state.Value {
		return m.integer(&llvmir.Instr{ID: in.ID, Op: op, Type: t}, x, y, t.Bits)
	}
	var n state.Value
	switch in.Text {
	case "xchg":
		n = y
	case "add":
		n = arith(llvmir.OpAdd)
	case "sub":
		n = arith(llvmir.OpSub)
	case "and":
		n = arith(llvmir.OpAnd)
	case "or":
		n = arith(llvmir.OpOr)
	case "xor":
		n = arith(llvmir.OpXor)
	case "nand":
		n = arith(llvmir.OpAnd)
		n = state.BigValue(new(big.Int).Not(n.Big()), t.Bits)
	case "max":
		n = pick(llvmir.PredSGE)
	case "min":
		n = pick(llvmir.PredSLE)
	case "umax":
		n = pick(llvmir.PredUGE)
	case "umin":
		n = pick(llvmir.PredULE)
	case "fadd":
		n = m.computed(in, m.rounded(in, floatOp(llvmir.OpFAdd, x, y, t.Bits), t.Bits), t.Bits)
	case "fsub":
		n = m.computed(in, m.rounded(in, floatOp(llvmir.OpFSub, x, y, t.Bits), t.Bits), t.Bits)
	default:
		m.unsupported("atomic operation " + in.Text)
	}
	m.update(fr, in, o, off, n, t)
}
