package interp

import (
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"math"
	"math/big"
	"strings"
)

// cell is a number in memory.
type cell struct {
	obj  *state.Object
	off  uint64
	bits int
}

func (x cell) overlaps(y cell) bool {
	return x.obj == y.obj && x.off < y.off+uint64(y.bits+7)/8 && y.off < x.off+uint64(x.bits+7)/8
}

// linear is a value that changes by a constant in each iteration, modulo 2^bits. over is set for the result of an
// operation with an overflow flag: the flag is false.
type linear struct {
	state.Value
	by   uint64
	bits int
	over bool
}

// iteration is an iteration of a loop from the state at its head, as a function of the number of iterations.
type iteration struct {
	m     *Machine
	fr    *state.Frame
	regs  map[int]linear
	cells map[cell]linear
	// by are the changes that are assumed at the head.
	byCell map[cell]uint64
	byReg  map[int]uint64
	limit  uint64 // iterations that take the same way
	steps  int64  // instructions of an iteration
}

// incoming returns the value of a phi from a block.
func (x *iteration) incoming(phi *llvmir.Instr, from int) (linear, bool) {
	for i, p := range phi.In {
		if p == from {
			return x.operand(phi, phi.Args[i])
		}
	}
	return linear{}, false
}

// width returns the bits of a scalar type, 0 for other types.
func (m *Machine) width(t *llvmir.Type) int {
	switch {
	case t == nil || t.Bits > 64:
		return 0
	case t.Kind == llvmir.PointerType:
		return m.m.Layout.Pointer
	case t.Kind == llvmir.IntType || t.Kind == llvmir.FloatType:
		return t.Bits
	}
	return 0
}

// operand returns the value of an operand; false if it is none that counts.
func (x *iteration) operand(in *llvmir.Instr, a llvmir.Operand) (linear, bool) {
	w := x.m.width(a.Type)
	if w == 0 {
		return linear{}, false
	}
	switch a.Kind {
	case llvmir.OperandReg:
		if v, ok := x.regs[a.Reg]; ok {
			return v, true
		}
		v := x.fr.Regs[a.Reg]
		return linear{Value: v, bits: w}, v.X == nil
	case llvmir.OperandConst:
		switch a.Const.Kind {
		case llvmir.ConstInt, llvmir.ConstFloat, llvmir.ConstNull, llvmir.ConstGlobal:
			v := x.m.operand(x.fr, in, a)
			return linear{Value: v, bits: w}, v.X == nil
		}
	}
	return linear{}, false
}

// run executes an iteration. It reports whether it takes the way, and nothing in it prevents acceleration.
func (x *iteration) run(way []int) bool {
	x.regs, x.cells, x.limit, x.steps = map[int]linear{}, map[cell]linear{}, math.MaxUint64, 0
	b, from := x.fr.Block, -1
	for _, phi := range phis(b) {
		v := x.fr.Regs[phi.Dst]
		w := x.m.width(phi.Type)
		if w == 0 || v.X != nil {
			return false
		}
		x.regs[phi.Dst] = linear{Value: v, by: x.byReg[phi.Dst], bits: w}
	}
	for _, to := range way {
		var enter []linear
		if from >= 0 {
			for _, phi := range phis(b) {
				v, ok := x.incoming(phi, from)
				if !ok {
					return false
				}
				enter = append(enter, v)
			}
			for i, phi := range phis(b) {
				x.regs[phi.Dst] = enter[i]
			}
		}
		for _, in := range b.Instrs[len(phis(b)):] {
			x.steps++
			if next, ok := x.exec(in); !ok || next >= 0 && next != to {
				return false
			}
		}
		b, from = x.fr.Fn.Blocks[to], b.Index
	}
	return true
}

// exec executes an instruction, and returns the block in which execution continues after the end of a block, -1 for
// other instructions.
func (x *iteration) exec(in *llvmir.Instr) (to int, ok bool) {
	facts := x.m.m.Of(in)
	if len(facts.Within) > 0 || in.Volatile || facts.BitField != nil || facts.Coerced {
		return -1, false
	}
	switch in.Op {
	case llvmir.OpDbgDeclare, llvmir.OpDbgValue:
		return -1, true
	case llvmir.OpBr:
		return in.Succs[0], true
	case llvmir.OpCondBr:
		cond, ok := x.operand(in, in.Args[0])
		if cond.Bits&1 == 1 {
			return in.Succs[0], ok && cond.by == 0
		}
		return in.Succs[1], ok && cond.by == 0
	case llvmir.OpLoad:
		return -1, x.load(in)
	case llvmir.OpStore:
		return -1, x.store(in)
	case llvmir.OpCall:
		return -1, x.overflowing(in)
	case llvmir.OpExtractValue:
		return -1, x.part(in)
	}
	if v, ok := x.compute(in); ok {
		x.regs[in.Dst] = v
		return -1, true
	}
	return -1, false
}

// place returns the cell of an access at a constant address.
func (x *iteration) place(in *llvmir.Instr, at llvmir.Operand, t *llvmir.Type) (cell, bool) {
	ptr, ok := x.operand(in, at)
	w := x.m.width(t)
	if !ok || ptr.by != 0 || ptr.Obj == nil || ptr.Loose || w == 0 || in.Atomic {
		return cell{}, false
	}
	k := cell{ptr.Obj, ptr.Offset(), w}
	for o := range x.cells {
		if o != k && o.overlaps(k) {
			return k, false
		}
	}
	for o := range x.byCell {
		if o != k && o.overlaps(k) {
			return k, false
		}
	}
	return k, ptr.Obj.Size >= uint64(t.StoreSize) && k.off <= ptr.Obj.Size-uint64(t.StoreSize)
}

func (x *iteration) load(in *llvmir.Instr) bool {
	k, ok := x.place(in, in.Args[0], in.Type)
	if !ok {
		return false
	}
	v, known := x.cells[k]
	if !known {
		is, _ := x.m.fetch(k.obj, k.off, in.Type)
		v = linear{Value: is, by: x.byCell[k], bits: k.bits}
		if is.X != nil || v.by != 0 && is.Obj != nil {
			return false
		}
	}
	x.regs[in.Dst] = v
	return true
}

// store writes an integer, and reports whether it is one at a constant address.
func (x *iteration) store(in *llvmir.Instr) bool {
	k, ok := x.place(in, in.Args[1], in.Args[0].Type)
	v, also := x.operand(in, in.Args[0])
	if !ok || !also || v.Obj != nil || in.Args[0].Type.Kind != llvmir.IntType || v.bits%8 != 0 {
		return false
	}
	if is, _ := x.m.fetch(k.obj, k.off, in.Args[0].Type); is.Obj != nil || is.X != nil {
		return false
	}
	x.cells[k] = v
	return true
}

// overflowing executes an addition or subtraction with an overflow flag, and reports whether that is false.
func (x *iteration) overflowing(in *llvmir.Instr) bool {
	op, ok := strings.CutSuffix(in.Intrinsic, ".with.overflow")
	if !ok || len(in.Args) < 2 || op[1:] != "add" && op[1:] != "sub" {
		return false
	}
	a, ok := x.operand(in, in.Args[0])
	b, also := x.operand(in, in.Args[1])
	if !ok || !also || a.Obj != nil || b.Obj != nil {
		return false
	}
	signed := op[0] == 's'
	if _, over := exact(op, a.Value, b.Value, a.bits); over {
		return false
	}
	v := linear{Value: state.IntValue((a.Bits + b.Bits) & state.Mask(a.bits)), by: a.by + b.by, bits: a.bits, over: true}
	if op[1:] == "sub" {
		v.Bits, v.by = (a.Bits-b.Bits)&state.Mask(a.bits), a.by-b.by
	}
	v.by &= state.Mask(a.bits)
	x.until(a, signed)
	x.until(b, signed)
	x.until(v, signed)
	x.regs[in.Dst] = v
	return true
}

// part extracts the result or the flag of such an operation, and reports whether it is one.
func (x *iteration) part(in *llvmir.Instr) bool {
	if in.Args[0].Kind != llvmir.OperandReg || len(in.Path) != 1 {
		return false
	}
	v, ok := x.regs[in.Args[0].Reg]
	if !ok || !v.over {
		return false
	}
	v.over = false
	if in.Path[0] == 1 {
		v = linear{bits: 1}
	}
	x.regs[in.Dst] = v
	return true
}

// compute evaluates an instruction without side effects.
func (x *iteration) compute(in *llvmir.Instr) (out linear, ok bool) {
	w := x.m.width(in.Type)
	if w == 0 || in.Dst < 0 || x.m.m.Of(in).Extent != clangir.NoExtent {
		return out, false
	}
	var args []linear
	same := true // no operand changes from one iteration to the next
	for _, a := range in.Args {
		v, ok := x.operand(in, a)
		if !ok || v.over {
			return out, false
		}
		args = append(args, v)
		same = same && v.by == 0
	}
	plain := true
	for _, a := range args {
		plain = plain && a.Obj == nil
	}
	out.bits = w
	value := func(bits, by uint64) (linear, bool) {
		out.Value, out.by = state.IntValue(bits&state.Mask(w)), by&state.Mask(w)
		return out, plain
	}
	switch in.Op {
	case llvmir.OpAdd:
		return value(args[0].Bits+args[1].Bits, args[0].by+args[1].by)
	case llvmir.OpSub:
		return value(args[0].Bits-args[1].Bits, args[0].by-args[1].by)
	case llvmir.OpMul:
		if args[0].by != 0 && args[1].by != 0 {
			return out, false
		}
		return value(args[0].Bits*args[1].Bits, args[0].Bits*args[1].by+args[0].by*args[1].Bits)
	case llvmir.OpTrunc:
		return value(args[0].Bits, args[0].by)
	case llvmir.OpZExt:
		x.until(args[0], false)
		return value(args[0].Bits, uint64(state.SignExtend(args[0].by, args[0].bits)))
	case llvmir.OpSExt:
		x.until(args[0], true)
		return value(uint64(state.SignExtend(args[0].Bits, args[0].bits)),
			uint64(state.SignExtend(args[0].by, args[0].bits)))
	case llvmir.OpICmp:
		if !plain {
			break
		}
		x.untilOther(in.Pred, args[0], args[1])
		return value(state.BoolValue(compareInts(in.Pred, args[0].Value, args[1].Value, args[0].bits)).Bits, 0)
	case llvmir.OpXor, llvmir.OpAnd, llvmir.OpOr:
		if !same {
			return out, false
		}
		r := args[0].Bits ^ args[1].Bits
		switch in.Op {
		case llvmir.OpAnd:
			r = args[0].Bits & args[1].Bits
		case llvmir.OpOr:
			r = args[0].Bits | args[1].Bits
		}
		return value(r, 0)
	}
	// Whatever else has the same operands as in the iteration before has the same result.
	out.Value = x.fr.Regs[in.Dst]
	return out, same && out.X == nil && x.unchanged(in)
}

// unchanged reports whether the operands of an instruction are what they were in the iteration before.
func (x *iteration) unchanged(in *llvmir.Instr) bool {
	for _, a := range in.Args {
		if v, ok := x.operand(in, a); a.Kind == llvmir.OperandReg && (!ok || v.Value != x.fr.Regs[a.Reg]) {
			return false
		}
	}
	return true
}

// until ends the skipped iterations before a number wraps.
func (x *iteration) until(v linear, signed bool) { x.limit = min(x.limit, v.stays(signed)) }

// stays returns the number of iterations in which a value does not wrap, as a signed or unsigned number.
func (v linear) stays(signed bool) uint64 {
	by := state.SignExtend(v.by, v.bits)
	room := uint64(0)
	switch {
	case by == 0:
		return math.MaxUint64
	case signed && by > 0:
		room = uint64(int64(state.Mask(v.bits)>>1) - state.SignExtend(v.Bits, v.bits))
	case signed:
		room = uint64(state.SignExtend(v.Bits, v.bits)) + state.Mask(v.bits)>>1 + 1
	case by > 0:
		room = state.Mask(v.bits) - v.Bits
	default:
		room = v.Bits
	}
	step := uint64(by)
	if by < 0 {
		step = -step
	}
	return room/step + 1
}

// untilOther ends the skipped iterations before a comparison has another result.
func (x *iteration) untilOther(p llvmir.Pred, a, b linear) {
	signed := p == llvmir.PredSLT || p == llvmir.PredSLE || p == llvmir.PredSGT || p == llvmir.PredSGE
	number := func(v linear) *big.Int {
		if signed {
			return big.NewInt(state.SignExtend(v.Bits, v.bits))
		}
		return new(big.Int).SetUint64(v.Bits)
	}
	x.until(a, signed)
	x.until(b, signed)
	d := new(big.Int).Sub(number(a), number(b))
	by := new(big.Int).Sub(big.NewInt(state.SignExtend(a.by, a.bits)), big.NewInt(state.SignExtend(b.by, b.bits)))
	if by.Sign() == 0 {
		return
	}
	// The sign of d + k*by is constant below n, and so is every comparison of a and b.
	n := new(big.Int)
	switch {
	case d.Sign() == 0:
		n.SetInt64(1)
	case d.Sign() == by.Sign():
		return
	default: // the first k with d + k*by on the other side of 0, or at it
		d.Abs(d)
		by.Abs(by)
		n.Add(d, by)
		n.Sub(n, big.NewInt(1))
		n.Div(n, by)
	}
	if n.IsUint64() {
		x.limit = min(x.limit, n.Uint64())
	}
}
