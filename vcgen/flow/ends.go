package flow

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Checked says which obligations hold in a program that is proved, as far as loops end by them.
type Checked struct {
	SignedOverflow bool // no signed sum overflows
	Memory         bool // each access is within an object
}

// LoopEnds reports whether each loop of a name is known to end, by how it counts. It answers false in doubt: that a loop
// ends is no obligation, and the collection of what is seen here is small. Of each loop it takes one of these:
//
//   - it is left by a comparison, made in each iteration, of a variable that each iteration changes by 1 with what the
//     loop does not change: the variable comes by every value;
//   - in each iteration, a signed variable is changed by a constant, always in one direction, in sums that are proved not
//     to overflow;
//   - in each iteration, memory is accessed at a distance from a pointer that is moved by a constant, always in one
//     direction: objects have an end;
//   - it has a clause that gives what decreases.
func LoopEnds(m *clangir.Module, name string, by Checked) bool {
	known := false
	for _, f := range m.Funcs { // static functions of several files may share the name
		if len(f.Blocks) == 0 || !hasLoopNamed(f, name) {
			continue
		}
		fn := Analyse(m, f)
		var d *dataflow
		for _, l := range fn.loops {
			if l.Name != name {
				continue
			}
			if d == nil {
				d = newDataflow(fn)
			}
			if !fn.EntersAtHead(l) || !fn.ends(d, l, by) {
				return false
			}
			known = true
		}
	}
	return known
}

// hasLoopNamed reports whether a loop of a name can be one of a function.
func hasLoopNamed(f *llvmir.Func, name string) bool {
	return len(name) > len(f.SourceName) && name[:len(f.SourceName)] == f.SourceName && name[len(f.SourceName)] == '#'
}

func (fn *Function) ends(d *dataflow, l *Loop, by Checked) bool {
	for b, blk := range fn.Blocks {
		own := fn.Nodes[b].Loops
		if len(own) == 0 || own[len(own)-1] != l {
			continue
		}
		for _, in := range blk.Instrs {
			if in.Op == llvmir.OpCall && isVariant(in) {
				return true
			}
		}
		if !fn.always(l, b) {
			continue
		}
		if d.comesByAll(b, l) {
			return true
		}
		for _, in := range blk.Instrs {
			switch in.Op {
			case llvmir.OpStore:
				v := variable{reg: in.Args[1].Reg}
				if by.SignedOverflow && in.Args[1].Kind == llvmir.OperandReg && fn.Promoted[v.reg] && d.moved(v, l, true) {
					return true
				}
				if by.Memory && d.accessMoves(in.Args[1], l) {
					return true
				}
			case llvmir.OpLoad:
				if by.Memory && d.accessMoves(in.Args[0], l) {
					return true
				}
			}
		}
	}
	return false
}

// always reports whether each iteration of a loop comes to a block.
func (fn *Function) always(l *Loop, b int) bool { return b == l.Head || !fn.avoids(l, b) }

func isVariant(in *llvmir.Instr) bool {
	f := in.Function()
	return f != nil && language.Lookup(f.Name).Role == language.Variant
}

// comesByAll reports whether a block leaves the loop by a comparison of what changes by 1 in each iteration with what the
// loop does not change, which is true for some value of it and false for another.
func (d *dataflow) comesByAll(b int, l *Loop) bool {
	branch := d.fn.Blocks[b].Term()
	if branch.Op != llvmir.OpCondBr || branch.Args[0].Kind != llvmir.OperandReg || d.defs[branch.Args[0].Reg] == nil {
		return false
	}
	cmp := d.defs[branch.Args[0].Reg]
	left := [2]bool{d.edgeLeaves(b, 0, l, maxSteps), d.edgeLeaves(b, 1, l, maxSteps)}
	if cmp.Op != llvmir.OpICmp || left[0] == left[1] {
		return false
	}
	for i := range 2 {
		x, y := cmp.Args[i], cmp.Args[1-i]
		v, ok := d.counter(x, maxSteps)
		if !ok || !d.fixed(y, l) || !d.oneStore(v, l) {
			continue
		}
		switch cmp.Pred {
		case llvmir.PredEQ, llvmir.PredNE:
			return true
		case llvmir.PredSLT, llvmir.PredSGT, llvmir.PredULT, llvmir.PredUGT, llvmir.PredSLE, llvmir.PredSGE,
			llvmir.PredULE, llvmir.PredUGE:
			return d.splits(cmp, y, left[1])
		}
	}
	return false
}

// edgeLeaves reports whether the loop is left where a block goes to its k-th successor: at once, or since the value that
// it gives to && and || has the successor leave it.
func (d *dataflow) edgeLeaves(b, k int, l *Loop, depth int) bool {
	s := d.fn.Blocks[b].Succs[k]
	if !d.fn.inside(s, l) {
		return !d.fn.Nodes[s].Failure
	}
	branch := d.fn.Blocks[s].Term()
	if depth == 0 || branch.Op != llvmir.OpCondBr || branch.Args[0].Kind != llvmir.OperandReg {
		return false
	}
	phi := d.defs[branch.Args[0].Reg]
	if phi == nil || phi.Op != llvmir.OpPhi || !slices.Contains(d.fn.Blocks[s].Instrs, phi) {
		return false
	}
	for i, from := range phi.In {
		if from != b {
			continue
		}
		value, constant := smallInt(phi.Args[i])
		if !constant {
			return false
		}
		next := 0
		if value == 0 {
			next = 1
		}
		return d.edgeLeaves(s, next, l, depth-1)
	}
	return false
}

// splits reports whether some value of the counter ends the loop, whatever the other side is: x < y and x > y do where
// the loop goes on by them; x <= y and x >= y do where y is a constant that is not the last value.
func (d *dataflow) splits(cmp *llvmir.Instr, y llvmir.Operand, stays bool) bool {
	strict := cmp.Pred == llvmir.PredSLT || cmp.Pred == llvmir.PredSGT || cmp.Pred == llvmir.PredULT ||
		cmp.Pred == llvmir.PredUGT
	if strict == stays {
		return true
	}
	k, ok := smallInt(y)
	if !ok || y.Const.Type.Bits > 63 {
		return false
	}
	bits := y.Const.Type.Bits
	low, high := int64(-1)<<(bits-1), int64(1)<<(bits-1)-1
	return k != low && k != high && k != 0 && k != -1
}

// counter is the promoted variable of which an operand is the content plus a constant, of the same type.
func (d *dataflow) counter(o llvmir.Operand, depth int) (v variable, ok bool) {
	if o.Kind != llvmir.OperandReg || depth == 0 || d.defs[o.Reg] == nil {
		return v, false
	}
	switch in := d.defs[o.Reg]; in.Op {
	case llvmir.OpLoad:
		at := in.Args[0]
		return variable{reg: at.Reg}, at.Kind == llvmir.OperandReg && d.fn.Promoted[at.Reg]
	case llvmir.OpAdd, llvmir.OpSub:
		for i, a := range in.Args {
			if _, constant := smallInt(in.Args[1-i]); constant && (i == 0 || in.Op == llvmir.OpAdd) {
				return d.counter(a, depth-1)
			}
		}
	case llvmir.OpExtractValue:
		if x := in.Args[0]; x.Kind == llvmir.OperandReg && len(in.Path) == 1 && in.Path[0] == 0 && d.defs[x.Reg] != nil &&
			overflowing[d.defs[x.Reg].Intrinsic] {
			if call := d.defs[x.Reg]; len(call.Args) >= 2 {
				if _, constant := smallInt(call.Args[1]); constant {
					return d.counter(call.Args[0], depth-1)
				}
			}
		}
	}
	return v, false
}

// overflowing are the sums that say whether they overflow.
var overflowing = map[string]bool{"sadd.with.overflow": true, "uadd.with.overflow": true, "ssub.with.overflow": true,
	"usub.with.overflow": true}

// fixed reports whether an operand is the same in each iteration.
func (d *dataflow) fixed(o llvmir.Operand, l *Loop) bool {
	if o.Kind != llvmir.OperandReg {
		return o.Kind == llvmir.OperandConst
	}
	in := d.defs[o.Reg]
	if in == nil {
		return true // a parameter
	}
	switch in.Op {
	case llvmir.OpLoad:
		at := in.Args[0]
		return at.Kind == llvmir.OperandReg && d.fn.Promoted[at.Reg] &&
			!slices.ContainsFunc(d.stores[variable{reg: at.Reg}], func(s place) bool { return d.fn.inside(s.block, l) })
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpAdd, llvmir.OpSub, llvmir.OpMul, llvmir.OpUDiv,
		llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr, llvmir.OpAnd, llvmir.OpOr, llvmir.OpXor:
		return !slices.ContainsFunc(in.Args, func(a llvmir.Operand) bool { return !d.fixed(a, l) })
	}
	return false
}

// oneStore reports whether a loop changes a variable at one place, which each iteration comes to once, and by 1.
func (d *dataflow) oneStore(v variable, l *Loop) bool {
	var in []place
	for _, s := range d.stores[v] {
		if d.fn.inside(s.block, l) {
			in = append(in, s)
		}
	}
	if len(in) != 1 || !d.fn.always(l, in[0].block) {
		return false
	}
	own := d.fn.Nodes[in[0].block].Loops
	step, ok := d.exactStep(in[0].in.Args[0], v)
	return own[len(own)-1] == l && ok && (step == 1 || step == -1)
}

// exactStep is step without conversions.
func (d *dataflow) exactStep(o llvmir.Operand, v variable) (int64, bool) {
	if c, ok := d.counter(o, maxSteps); !ok || c != v {
		return 0, false
	}
	return d.step(o, v, maxSteps)
}

// moved reports whether all that a loop stores to a variable is its content changed by a constant in one direction, in
// sums that are proved not to overflow where checked says so.
func (d *dataflow) moved(v variable, l *Loop, checked bool) bool {
	up, down := false, false
	for _, s := range d.stores[v] {
		if !d.fn.inside(s.block, l) {
			continue
		}
		step, ok := d.step(s.in.Args[0], v, maxSteps)
		if checked {
			step, ok = d.exactStep(s.in.Args[0], v)
			ok = ok && d.neverOverflows(s.in.Args[0])
		}
		if !ok || step == 0 {
			return false
		}
		up, down = up || step > 0, down || step < 0
	}
	return up != down
}

// neverOverflows reports whether a value is a signed sum whose overflow is an obligation.
func (d *dataflow) neverOverflows(o llvmir.Operand) bool {
	in := d.defs[o.Reg]
	if in.Op != llvmir.OpExtractValue || in.Args[0].Kind != llvmir.OperandReg || d.defs[in.Args[0].Reg] == nil {
		return false
	}
	sum := d.defs[in.Args[0].Reg]
	if sum.Intrinsic != "sadd.with.overflow" && sum.Intrinsic != "ssub.with.overflow" {
		return false
	}
	x := sum.Args[0] // of the variable itself: a sum in it might wrap
	return x.Kind == llvmir.OperandReg && d.defs[x.Reg] != nil && d.defs[x.Reg].Op == llvmir.OpLoad
}

// accessMoves reports whether an address of memory is that of a pointer variable plus a constant, which the loop moves.
func (d *dataflow) accessMoves(at llvmir.Operand, l *Loop) bool {
	if at.Kind != llvmir.OperandReg || d.fn.Promoted[at.Reg] {
		return false
	}
	for v := range d.stores {
		if v.mem != nil || d.fn.Alloca[v.reg] == nil || d.fn.Alloca[v.reg].ElemType.Kind != llvmir.PointerType ||
			!d.fn.Promoted[v.reg] {
			continue
		}
		if _, ok := d.step(at, v, maxSteps); ok && d.moved(v, l, false) && d.movesEach(v, l) {
			return true
		}
	}
	return false
}

// movesEach reports whether each iteration of a loop stores to a variable.
func (d *dataflow) movesEach(v variable, l *Loop) bool {
	return slices.ContainsFunc(d.stores[v], func(s place) bool { return d.fn.inside(s.block, l) && d.fn.always(l, s.block) })
}
