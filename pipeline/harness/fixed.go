package harness

import "github.com/unitproof/unitproof/vcgen/llvmir"

// Arrays of fixed size show which lengths matter: char block[16]; memcpy(block, from, n) is wrong from n = 17 on, which
// may be far above the largest size of a proof.

// farthest limits such a length. A longer one makes the check of a proof too slow.
const farthest = 300

// beyondEven is added to such a length for code that asserts a multiple of 2 or 4.
const beyondEven = 3

// indexesFixed records the variables by which an instruction indexes an array of fixed size.
func (w *walk) indexesFixed(in *llvmir.Instr) {
	t := in.ElemType
	if t == nil || t.Kind != llvmir.ArrayType || len(in.Args) < 2 {
		return
	}
	if w.fixed == nil {
		w.fixed = map[int]int64{}
	}
	_, of := w.sources(in.Args[len(in.Args)-1])
	of.each(func(v int) {
		if count := t.Len; count > 1 && (w.fixed[v] == 0 || count < w.fixed[v]) {
			w.fixed[v] = count
		}
	})
}

// beyondFixed records the smallest length with which a call of a library function exceeds an array of fixed size among
// its arguments.
func (w *walk) beyondFixed(call *llvmir.Instr, length int) {
	if length < 0 || length >= len(call.Args) {
		return
	}
	factor := w.factor(call.Args[length], 0)
	for i, a := range call.Args {
		if size := w.fixedSize(a); i != length && size > 1 && factor > 0 {
			w.numbers(w.rootsOf(call.Args[length])).each(func(q int) { w.out.params[q].exceeds(size/factor + 1) })
		}
	}
}

// fixedSize returns the number of bytes of the array that an address is the begin of; 0 if it is none.
func (w *walk) fixedSize(o llvmir.Operand) int64 {
	d := w.defOf(o)
	if d == nil {
		return 0
	}
	switch d.Op {
	case llvmir.OpAlloca:
		if d.ElemType != nil && d.ElemType.Kind == llvmir.ArrayType {
			return d.ElemType.Size
		}
	case llvmir.OpBitCast:
		return w.fixedSize(d.Args[0])
	case llvmir.OpGEP:
		if to := d.GEP.To; d.ElemType != nil && to != nil && to.Kind == llvmir.ArrayType && len(d.Args) == 1 {
			return to.Size
		}
		if d.ElemType != nil && d.ElemType.Kind == llvmir.ArrayType && len(d.Args) == 1 && d.GEP.Const == 0 { // &a[0]
			return d.ElemType.Size
		}
	}
	return 0
}
