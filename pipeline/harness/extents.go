package harness

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// An array without a length often has a fixed number of elements, which the loop over it shows:
//
//	for (i = 0; i < 4; i++) w[i] = k[4 * i] << 24 | k[4 * i + 1] << 16;  // k has at least 14 elements
//
// The largest index is computed from the constants with which the branches in front of the access compare its variable.

// maxExtent limits the numbers of bytes that are taken for the size of a block.
const maxExtent = 1 << 16

// farthest returns the largest offset in bytes of an address from the value of a variable, and the parameters behind
// that value. It is like constantOffset, but indices may be variables with a bound.
func (w *walk) farthest(o llvmir.Operand, depth int) (params set, off int64, ok bool) {
	d := w.defOf(o)
	if d == nil || depth > 20 {
		return 0, 0, false
	}
	if d.Op == llvmir.OpBitCast {
		return w.farthest(d.Args[0], depth+1)
	}
	if d.Op != llvmir.OpGEP || len(d.Args) == 1 {
		return w.constantOffset(o, depth)
	}
	params, off, ok = w.farthest(d.Args[0], depth+1)
	off += d.GEP.Const
	for i, index := range d.Args[1:] {
		n, bounded := w.most(index, d, 0)
		if !bounded || d.GEP.Scales[i] < 0 {
			return 0, 0, false
		}
		off += n * d.GEP.Scales[i]
	}
	return params, off, ok && off < maxExtent
}

// bounded reports whether constants bound all indices of an address computation.
func (w *walk) bounded(address *llvmir.Instr) bool {
	for _, index := range address.Args[1:] {
		if _, ok := w.most(index, address, 0); !ok {
			return false
		}
	}
	return true
}

// most returns the largest value of an index at an instruction. ok is false unless the index is a linear expression of
// variables that constants bound.
func (w *walk) most(o llvmir.Operand, at *llvmir.Instr, depth int) (most int64, ok bool) {
	if o.Kind == llvmir.OperandConst {
		return smallConstant(o)
	}
	d := w.defOf(o)
	if d == nil || depth > 20 {
		return 0, false
	}
	op := d.Op
	if call := d; op == llvmir.OpExtractValue { // of an operation that clang checks for overflow
		if call = w.defOf(d.Args[0]); call == nil || call.Op != llvmir.OpCall {
			return 0, false
		}
		switch d = call; {
		case strings.Contains(d.Intrinsic, "add.with.overflow"):
			op = llvmir.OpAdd
		case strings.Contains(d.Intrinsic, "sub.with.overflow"):
			op = llvmir.OpSub
		case strings.Contains(d.Intrinsic, "mul.with.overflow"):
			op = llvmir.OpMul
		}
	}
	switch op {
	case llvmir.OpZExt, llvmir.OpSExt, llvmir.OpTrunc:
		return w.most(d.Args[0], at, depth+1)
	case llvmir.OpLoad:
		if v := w.slot(d.Args[0]); v >= 0 {
			return w.limit(v, at)
		}
		return 0, false
	case llvmir.OpAnd, llvmir.OpURem:
		k, ok := smallConstant(d.Args[1])
		if op == llvmir.OpURem {
			k--
		}
		return k, ok
	case llvmir.OpAdd, llvmir.OpSub, llvmir.OpMul, llvmir.OpShl:
	default:
		return 0, false
	}
	x, ok := w.most(d.Args[0], at, depth+1)
	y, constant := smallConstant(d.Args[1])
	if !constant && (op == llvmir.OpAdd || op == llvmir.OpMul) {
		y, constant = w.most(d.Args[1], at, depth+1)
	}
	if !ok || !constant {
		return 0, false
	}
	switch op {
	case llvmir.OpAdd:
		x += y
	case llvmir.OpSub:
		x -= y
	case llvmir.OpMul:
		x *= y
	default:
		x <<= min(y, 16)
	}
	return x, x >= 0 && x < maxExtent
}

// smallConstant returns a number that is no larger than the size of a block.
func smallConstant(o llvmir.Operand) (int64, bool) {
	k := o.Const
	if o.Kind != llvmir.OperandConst || k == nil || k.Kind != llvmir.ConstInt || !k.Int.IsInt64() {
		return 0, false
	}
	n := k.Int.Int64()
	return n, n > -maxExtent && n < maxExtent
}

// limit returns the largest value of a variable at an instruction by the comparisons with constants that each execution
// passes to get there.
func (w *walk) limit(v int, at *llvmir.Instr) (most int64, ok bool) {
	for i, b := range w.f.Blocks {
		t := b.Term()
		if t.Op != llvmir.OpCondBr {
			continue
		}
		c := w.defOf(t.Args[0])
		if c == nil || c.Op != llvmir.OpICmp {
			continue
		}
		for side := range 2 {
			n, constant := smallConstant(c.Args[1-side])
			if !constant || n < 1 || w.loadedFrom(c.Args[side]) != v {
				continue
			}
			below, edge := upperBound(c.Pred, side == 1, n)
			if edge >= 0 && (!ok || below < most) && w.passes(i, edge, at) {
				most, ok = below, true
			}
		}
	}
	return most, ok
}

// upperBound returns the largest value of x behind the branch on "x PRED n", and the number of the successor, -1 for
// none. If swapped, the branch is on "n PRED x". A loop with "x != n" is taken for one that counts up.
func upperBound(p llvmir.Pred, swapped bool, n int64) (most int64, edge int) {
	if swapped {
		switch p {
		case llvmir.PredULT, llvmir.PredSLT:
			return n, 1
		case llvmir.PredULE, llvmir.PredSLE:
			return n - 1, 1
		case llvmir.PredUGT, llvmir.PredSGT:
			return n - 1, 0
		case llvmir.PredUGE, llvmir.PredSGE:
			return n, 0
		}
	}
	switch p {
	case llvmir.PredULT, llvmir.PredSLT, llvmir.PredNE:
		return n - 1, 0
	case llvmir.PredULE, llvmir.PredSLE:
		return n, 0
	case llvmir.PredUGE, llvmir.PredSGE, llvmir.PredEQ:
		return n - 1, 1
	case llvmir.PredUGT, llvmir.PredSGT:
		return n, 1
	}
	return 0, -1
}

// loadedFrom returns the variable whose value an operand is, -1 for none.
func (w *walk) loadedFrom(o llvmir.Operand) int {
	d := w.defOf(o)
	for d != nil && (d.Op == llvmir.OpSExt || d.Op == llvmir.OpZExt) {
		d = w.defOf(d.Args[0])
	}
	if d == nil || d.Op != llvmir.OpLoad {
		return -1
	}
	return w.slot(d.Args[0])
}

// passes reports whether each execution that gets to an instruction takes a branch to a successor of a block before.
func (w *walk) passes(block, successor int, at *llvmir.Instr) bool {
	seen := make([]bool, len(w.f.Blocks))
	work := []int{0}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[b] {
			continue
		}
		seen[b] = true
		if w.blockOf(at) == b {
			return false
		}
		for k, next := range w.f.Blocks[b].Succs {
			if b != block || k != successor {
				work = append(work, next)
			}
		}
	}
	return true
}

// blockOf returns the number of the block of an instruction.
func (w *walk) blockOf(in *llvmir.Instr) int {
	if w.blocks == nil {
		w.blocks = map[*llvmir.Instr]int{}
		for i, b := range w.f.Blocks {
			for _, in := range b.Instrs {
				w.blocks[in] = i
			}
		}
	}
	return w.blocks[in]
}
