package flow

import (
	"cmp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// dataflow traces the values of a function to the values from which they are computed, without regard to the order of
// stores.
type dataflow struct {
	fn     *Function
	defs   []*llvmir.Instr           // by register
	stores map[variable][]blockInstr // to promoted variables, and to memory at a constant distance from a pointer
}

// variable is a promoted variable, or memory at a constant distance from a pointer that does not change during a call.
type variable struct {
	// reg is the promoted variable. For memory, it is the alloca that contains it, a parameter that points to it, or a
	// promoted variable that points to it during the whole call.
	reg int
	mem *llvmir.Type // type of the content of memory; nil: a promoted variable
	off int64        // of memory: distance from the pointer in bytes
}

func (v variable) compare(o variable) int {
	c := cmp.Or(cmp.Compare(v.reg, o.reg), cmp.Compare(v.off, o.off))
	if c == 0 && v.mem != nil && o.mem != nil {
		c = cmp.Or(cmp.Compare(v.mem.Kind, o.mem.Kind), cmp.Compare(v.mem.Bits, o.mem.Bits))
	}
	return c
}

// blockInstr is an instruction with its block.
type blockInstr struct {
	block int
	in    *llvmir.Instr
}

func newDataflow(fn *Function) *dataflow {
	d := &dataflow{fn: fn, defs: make([]*llvmir.Instr, fn.NumRegs), stores: map[variable][]blockInstr{}}
	var elsewhere []blockInstr
	for b, blk := range fn.Blocks {
		for _, in := range blk.Instrs {
			if in.Dst >= 0 {
				d.defs[in.Dst] = in
			}
			switch {
			case in.Op != llvmir.OpStore || fn.Nodes[b].Order < 0:
			case in.Args[1].Kind == llvmir.OperandReg && fn.Promoted[in.Args[1].Reg]:
				v := variable{reg: in.Args[1].Reg}
				d.stores[v] = append(d.stores[v], blockInstr{b, in})
			default:
				elsewhere = append(elsewhere, blockInstr{b, in})
			}
		}
	}
	for _, s := range elsewhere {
		if reg, off, ok := d.pointsTo(s.in.Args[1], maxSteps); ok {
			v := variable{reg, s.in.Args[0].Type, off}
			d.stores[v] = append(d.stores[v], s)
		}
	}
	return d
}

// maxSteps bounds the instructions between a variable and a value that is computed from it.
const maxSteps = 8

// pointsTo reports whether an operand points to memory that can be a variable, and returns its register and offset.
func (d *dataflow) pointsTo(o llvmir.Operand, depth int) (reg int, off int64, ok bool) {
	if o.Kind != llvmir.OperandReg || depth == 0 {
		return 0, 0, false
	}
	in := d.defs[o.Reg]
	switch {
	case in == nil:
		return o.Reg, 0, o.Reg < len(d.fn.Params)
	case in.Op == llvmir.OpAlloca:
		return o.Reg, 0, !d.fn.Promoted[o.Reg]
	case in.Op == llvmir.OpLoad && in.Args[0].Kind == llvmir.OperandReg:
		_, once := d.setOnce(in.Args[0].Reg)
		return in.Args[0].Reg, 0, once
	case in.Op == llvmir.OpBitCast:
		return d.pointsTo(in.Args[0], depth-1)
	case in.Op == llvmir.OpGEP:
		if at, constant := constantOffset(in); constant {
			reg, off, ok = d.pointsTo(in.Args[0], depth-1)
			return reg, off + at, ok
		}
	}
	return 0, 0, false
}

// setOnce reports whether a register is a promoted variable that is set at the beginning and never again, and returns
// its value.
func (d *dataflow) setOnce(reg int) (to llvmir.Operand, once bool) {
	if list := d.stores[variable{reg: reg}]; d.fn.Promoted[reg] && len(list) == 1 && list[0].block == 0 {
		return list[0].in.Args[0], true
	}
	return llvmir.Operand{}, false
}

// parameter returns the index of the parameter that is in a register; -1 if there is none. The register may also be a
// promoted variable that holds the parameter during the whole call.
func (d *dataflow) parameter(reg int) int {
	if to, once := d.setOnce(reg); once && to.Kind == llvmir.OperandReg {
		reg = to.Reg
	}
	if d.defs[reg] == nil && reg < len(d.fn.Params) {
		return reg
	}
	return -1
}

// loads reports whether an instruction reads a variable.
func (d *dataflow) loads(in *llvmir.Instr, v variable) bool {
	if in.Op != llvmir.OpLoad {
		return false
	}
	if v.mem == nil {
		return in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Reg == v.reg
	}
	reg, off, ok := d.pointsTo(in.Args[0], maxSteps)
	return ok && variable{reg, in.Type, off} == v
}

// step reports whether an operand is the content of a variable plus a constant, and returns the constant (of a
// pointer, in bytes).
func (d *dataflow) step(o llvmir.Operand, v variable, depth int) (int64, bool) {
	if o.Kind != llvmir.OperandReg || depth == 0 || d.defs[o.Reg] == nil {
		return 0, false
	}
	in := d.defs[o.Reg]
	switch in.Op {
	case llvmir.OpLoad:
		return 0, d.loads(in, v)
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpBitCast:
		return d.step(in.Args[0], v, depth-1)
	case llvmir.OpAdd, llvmir.OpSub:
		return d.sum(in.Args, in.Op == llvmir.OpSub, v, depth)
	case llvmir.OpExtractValue:
		if x := in.Args[0]; x.Kind == llvmir.OperandReg && len(in.Path) == 1 && in.Path[0] == 0 && d.defs[x.Reg] != nil {
			switch call := d.defs[x.Reg]; call.Intrinsic {
			case "sadd.with.overflow", "uadd.with.overflow":
				return d.sum(call.Args, false, v, depth)
			case "ssub.with.overflow", "usub.with.overflow":
				return d.sum(call.Args, true, v, depth)
			}
		}
	case llvmir.OpGEP:
		at, constant := constantOffset(in)
		if !constant {
			return 0, false
		}
		before, ok := d.step(in.Args[0], v, depth-1)
		return before + at, ok
	}
	return 0, false
}

// constantOffset returns the offset of a getelementptr in bytes, if it is constant.
func constantOffset(in *llvmir.Instr) (off int64, constant bool) {
	off = in.GEP.Const
	for i, a := range in.Args[1:] {
		k, ok := smallInt(a)
		if !ok {
			return 0, false
		}
		off += k * in.GEP.Scales[i]
	}
	return off, true
}

// sum is step for x + y or x - y.
func (d *dataflow) sum(args []llvmir.Operand, minus bool, v variable, depth int) (int64, bool) {
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
	before, ok := d.step(x, v, depth-1)
	return before + k, ok
}

// smallInt returns a constant integer as two's complement.
func smallInt(o llvmir.Operand) (int64, bool) {
	if o.Kind != llvmir.OperandConst || o.Const == nil || o.Const.Int == nil || !o.Const.Int.IsUint64() ||
		o.Const.Type.Kind != llvmir.IntType || o.Const.Type.Bits > 64 {
		return 0, false
	}
	unused := 64 - o.Const.Type.Bits
	return int64(o.Const.Int.Uint64()<<unused) >> unused, true
}

// guides reports whether the data at the cursor decides when a loop that moves the cursor is left. A call that
// receives the cursor's address counts, too: it may read that data.
func (d *dataflow) guides(k *Cursor) bool {
	reads := func(in *llvmir.Instr) bool { return d.readsAt(in, k.variable) || d.sees(in, k.variable) }
	for b := range d.fn.Nodes {
		for l := range k.loops {
			if d.fn.leaves(b, l) && d.dependsOn(b, reads) {
				return true
			}
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
			if d.readsAt(in, k.variable) || in.Op == llvmir.OpStore && d.at(in.Args[1], k.variable) {
				return true
			}
		}
	}
	return false
}

// at reports whether an operand is an address in memory that depends on a variable.
func (d *dataflow) at(o llvmir.Operand, v variable) bool {
	return o.Kind == llvmir.OperandReg && !d.fn.Promoted[o.Reg] &&
		d.from(o, func(in *llvmir.Instr) bool { return d.loads(in, v) }, map[int]bool{})
}

// readsAt reports whether an instruction reads memory at an address that depends on a variable.
func (d *dataflow) readsAt(in *llvmir.Instr, v variable) bool {
	return in.Op == llvmir.OpLoad && d.at(in.Args[0], v)
}

// sees reports whether an instruction calls a function of the program with the address of a variable in memory. Such a
// function may read the data to which the variable points.
func (d *dataflow) sees(in *llvmir.Instr, v variable) bool {
	if f := in.Function(); v.mem == nil || in.Op != llvmir.OpCall || f == nil || len(f.Blocks) == 0 {
		return false
	}
	return slices.ContainsFunc(in.Args, func(o llvmir.Operand) bool {
		reg, _, ok := d.pointsTo(o, maxSteps)
		return ok && reg == v.reg
	})
}

// dependsOn reports whether the condition of the branch at the end of a block is computed from a wanted instruction.
func (d *dataflow) dependsOn(block int, wanted func(*llvmir.Instr) bool) bool {
	return d.from(d.fn.Blocks[block].Term().Args[0], wanted, map[int]bool{})
}

// from reports whether an operand is computed from a wanted instruction. It traces promoted variables, and the
// conditions of && and ||.
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
		return slices.ContainsFunc(d.stores[variable{reg: in.Args[0].Reg}], func(s blockInstr) bool {
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
