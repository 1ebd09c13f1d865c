package flow

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// dataflow answers what values of a function are computed from, without regard to the order of stores.
type dataflow struct {
	fn     *Function
	defs   []*llvmir.Instr // by register
	stores map[int][]place // to promoted variables
}

// place is an instruction in its block.
type place struct {
	block int
	in    *llvmir.Instr
}

func newDataflow(fn *Function) *dataflow {
	defs := make([]*llvmir.Instr, fn.NumRegs)
	stores := map[int][]place{} // to promoted variables
	for b, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			if in.Dst >= 0 {
				defs[in.Dst] = in
			}
			if in.Op == llvmir.OpStore && in.Args[1].Kind == llvmir.OperandReg && fn.Promoted[in.Args[1].Reg] &&
				fn.Nodes[b].Order >= 0 {
				stores[in.Args[1].Reg] = append(stores[in.Args[1].Reg], place{b, in})
			}
		}
	}
	return &dataflow{fn: fn, defs: defs, stores: stores}
}

// step reports whether an operand is the content of a promoted variable plus a constant, and the constant (of a
// pointer, in bytes).
func (d *dataflow) step(o llvmir.Operand, variable, depth int) (int64, bool) {
	if o.Kind != llvmir.OperandReg || depth == 0 || d.defs[o.Reg] == nil {
		return 0, false
	}
	in := d.defs[o.Reg]
	switch in.Op {
	case llvmir.OpLoad:
		return 0, in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Reg == variable
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpBitCast:
		return d.step(in.Args[0], variable, depth-1)
	case llvmir.OpAdd, llvmir.OpSub:
		return d.sum(in.Args, in.Op == llvmir.OpSub, variable, depth)
	case llvmir.OpExtractValue:
		if x := in.Args[0]; x.Kind == llvmir.OperandReg && len(in.Path) == 1 && in.Path[0] == 0 && d.defs[x.Reg] != nil {
			switch call := d.defs[x.Reg]; call.Intrinsic {
			case "sadd.with.overflow", "uadd.with.overflow":
				return d.sum(call.Args, false, variable, depth)
			case "ssub.with.overflow", "usub.with.overflow":
				return d.sum(call.Args, true, variable, depth)
			}
		}
	case llvmir.OpGEP:
		if slices.ContainsFunc(in.Args[1:], func(a llvmir.Operand) bool { return a.Kind != llvmir.OperandConst }) {
			return 0, false
		}
		at := in.GEP.Const
		for i, a := range in.Args[1:] {
			k, ok := smallInt(a)
			if !ok {
				return 0, false
			}
			at += k * in.GEP.Scales[i]
		}
		before, ok := d.step(in.Args[0], variable, depth-1)
		return before + at, ok
	}
	return 0, false
}

// sum is step of x + y or x - y.
func (d *dataflow) sum(args []llvmir.Operand, minus bool, variable, depth int) (int64, bool) {
	x, y := args[0], args[1]
	if x.Kind == llvmir.OperandConst && !minus {
		x, y = y, x
	}
	k, ok := smallInt(y)
	if !ok {
		return 0, false
	}
	if minus {
		k = -k
	}
	before, ok := d.step(x, variable, depth-1)
	return before + k, ok
}

// smallInt is a constant integer as two's complement.
func smallInt(o llvmir.Operand) (int64, bool) {
	if o.Kind != llvmir.OperandConst || o.Const == nil || o.Const.Int == nil || !o.Const.Int.IsUint64() ||
		o.Const.Type.Kind != llvmir.IntType || o.Const.Type.Bits > 64 {
		return 0, false
	}
	unused := 64 - o.Const.Type.Bits
	return int64(o.Const.Int.Uint64()<<unused) >> unused, true
}

// guides reports whether a loop that moves the cursor is left depending on what is read where it points.
func (d *dataflow) guides(k *Cursor) bool {
	for b := range d.fn.Nodes {
		bi := &d.fn.Nodes[b]
		term := d.fn.Blocks[b].Term()
		if bi.Order < 0 || bi.Ends || term.Op != llvmir.OpCondBr && term.Op != llvmir.OpSwitch {
			continue
		}
		leaves := false
		for l := range k.loops {
			inside := func(b int) bool { return slices.Contains(d.fn.Nodes[b].Loops, l) }
			leaves = leaves || inside(b) && slices.ContainsFunc(bi.Succs, func(s int) bool {
				return !inside(s) && !d.fn.Nodes[s].Failure
			})
		}
		if leaves && d.dependsOn(b, func(in *llvmir.Instr) bool { return d.readsAt(in, k.reg) }) {
			return true
		}
	}
	return false
}

// addresses reports whether memory is accessed, in a loop that moves the cursor, at an address that depends on it.
func (d *dataflow) addresses(k *Cursor) bool {
	for b, blk := range d.fn.Blocks {
		if !slices.ContainsFunc(d.fn.Nodes[b].Loops, func(l *Loop) bool { return k.loops[l] }) {
			continue
		}
		for _, in := range blk.Instrs {
			if in.Op == llvmir.OpLoad && d.at(in.Args[0], k.reg) || in.Op == llvmir.OpStore && d.at(in.Args[1], k.reg) {
				return true
			}
		}
	}
	return false
}

// at reports whether an operand is an address in memory that depends on a promoted variable.
func (d *dataflow) at(o llvmir.Operand, variable int) bool {
	return o.Kind == llvmir.OperandReg && !d.fn.Promoted[o.Reg] && d.from(o, func(in *llvmir.Instr) bool {
		return in.Op == llvmir.OpLoad && in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Reg == variable
	}, map[int]bool{})
}

// readsAt reports whether an instruction reads memory at an address that depends on a promoted variable.
func (d *dataflow) readsAt(in *llvmir.Instr, variable int) bool {
	return in.Op == llvmir.OpLoad && d.at(in.Args[0], variable)
}

// dependsOn reports whether what the branch at the end of a block is decided by is computed from an instruction that is
// wanted.
func (d *dataflow) dependsOn(block int, wanted func(*llvmir.Instr) bool) bool {
	return d.from(d.fn.Blocks[block].Term().Args[0], wanted, map[int]bool{})
}

// from follows an operand to what it is computed from, through promoted variables and the conditions of && and ||.
func (d *dataflow) from(o llvmir.Operand, wanted func(*llvmir.Instr) bool, seen map[int]bool) bool {
	if o.Kind != llvmir.OperandReg || seen[o.Reg] {
		return false
	}
	seen[o.Reg] = true
	in := d.defs[o.Reg]
	switch {
	case in == nil:
		return false
	case wanted(in):
		return true
	case in.Op == llvmir.OpLoad && in.Args[0].Kind == llvmir.OperandReg && d.fn.Promoted[in.Args[0].Reg]:
		return slices.ContainsFunc(d.stores[in.Args[0].Reg], func(s place) bool {
			return d.from(s.in.Args[0], wanted, seen)
		})
	case in.Op == llvmir.OpPhi:
		for _, b := range in.In {
			if t := d.fn.Blocks[b].Term(); t.Op == llvmir.OpCondBr && d.from(t.Args[0], wanted, seen) {
				return true
			}
		}
	case in.Op == llvmir.OpCall && strings.HasPrefix(in.Intrinsic, "lifetime."):
		return false
	}
	return slices.ContainsFunc(in.Args, func(a llvmir.Operand) bool { return d.from(a, wanted, seen) })
}
