package harness

import (
	"math/big"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// ended records that a pointer that is not moved is compared with one that is moved: it is the end of the latter's
// block.
func (w *walk) ended(begin, end llvmir.Operand) {
	b := w.rootsOf(begin)
	w.pointers(w.rootsOf(end)).each(func(n int) {
		w.pointers(b).each(func(q int) {
			if q < n && w.f.Params[q].Type == w.f.Params[n].Type && w.out.params[q].indexed && !w.out.params[n].indexed &&
				!w.out.params[n].accessed {
				w.out.params[n].ends = q
			}
		})
	})
}

// compares adds the facts from comparisons: of pointers with NULL and with each other, and of indices with lengths.
func (w *walk) compares(in *llvmir.Instr) {
	if in.Op == llvmir.OpSub {
		w.ended(in.Args[1], in.Args[0])
	}
	if in.Op != llvmir.OpICmp {
		return
	}
	w.ended(in.Args[0], in.Args[1])
	w.ended(in.Args[1], in.Args[0])
	w.equal(in)
	for side := range 2 {
		x, y := in.Args[side], in.Args[1-side]
		_, of := w.sources(x)
		from := w.rootsOf(x) // &p->member is not NULL if p is
		if k := y.Const; y.Kind == llvmir.OperandConst && k != nil && k.Kind == llvmir.ConstInt && k.Int.Sign() == 0 {
			w.comparedWithZero(x)
		}
		if y.Kind == llvmir.OperandConst && y.Const != nil && y.Const.Kind == llvmir.ConstNull {
			if d := w.defOf(x); d != nil && d.Op == llvmir.OpLoad {
				if w.fatal(in) {
					if w.slot(d.Args[0]) >= 0 {
						w.pointers(from).each(func(n int) { w.out.params[n].asserted = true })
					}
				} else if w.slot(d.Args[0]) >= 0 {
					w.pointers(from).each(func(n int) { w.out.params[n].null = true })
				} else if m, ok := w.memberAt(d.Args[0]); ok {
					w.nullable[m] = true
				}
				w.elementCompared(d)
			}
			continue
		}
		if k, ok := addressConstant(y); ok && isPointer(y.Type) {
			if d := w.defOf(x); d != nil && d.Op == llvmir.OpLoad && w.slot(d.Args[0]) >= 0 {
				w.pointers(from).each(func(n int) { w.out.params[n].special(k) })
			}
			continue
		}
		lengths, _ := w.sources(y)
		for v, count := range w.fixed {
			if of.has(v) {
				w.numbers(lengths).each(func(q int) { w.out.params[q].exceeds(count + 1) })
			}
		}
		for n := range w.indexes {
			if w.indexes[n]&of != 0 {
				w.numbers(lengths).each(func(q int) { w.pair(n, q, false, "its index is compared with %s") })
			}
		}
	}
}

// addressConstant returns the number that a constant pointer was made from, other than 0.
func addressConstant(o llvmir.Operand) (int64, bool) {
	k := o.Const
	if o.Kind == llvmir.OperandConst && k != nil && k.Kind == llvmir.ConstExpr && k.Expr.Op == llvmir.OpIntToPtr &&
		len(k.Expr.Args) > 0 {
		k = k.Expr.Args[0].Const
	}
	if o.Kind != llvmir.OperandConst || k == nil || k.Kind != llvmir.ConstInt || k.Int.Sign() == 0 {
		return 0, false
	}
	n := new(big.Int).Set(k.Int)
	if k.Type != nil && k.Type.Bits == 64 && n.Bit(63) == 1 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), 64))
	}
	return n.Int64(), n.IsInt64()
}

// comparedWithZero records that an operand is compared with 0. If it is any character behind a parameter, as in a loop,
// this is the end of a string.
func (w *walk) comparedWithZero(o llvmir.Operand) {
	d := w.defOf(o)
	for d != nil && (d.Op == llvmir.OpSExt || d.Op == llvmir.OpZExt) {
		d = w.defOf(d.Args[0])
	}
	if d == nil || d.Op != llvmir.OpLoad || w.slot(d.Args[0]) >= 0 || d.Type.Kind != llvmir.IntType || d.Type.Bits != 8 {
		return
	}
	_, _, constant := w.constantOffset(d.Args[0], 0)
	_, variables := w.sources(d.Args[0])
	w.pointers(w.rootsOf(d.Args[0])).each(func(n int) {
		if p := &w.out.params[n]; constant && variables&w.stepped == 0 {
			p.ended = true
		} else {
			p.text = true
		}
	})
}

// elementCompared records that a pointer that is compared with NULL is an element of an array, or a variable with one.
func (w *walk) elementCompared(load *llvmir.Instr) {
	element := func(o llvmir.Operand) {
		if address := w.defOf(o); address != nil && address.Op == llvmir.OpGEP {
			for m := range w.elementsOf(address) {
				w.nullElements[m] = true
			}
			w.pointers(w.rootsOf(address.Args[0])).each(func(n int) { w.out.params[n].nullElements = true })
		}
	}
	v := w.slot(load.Args[0])
	if v < 0 {
		element(load.Args[0])
		return
	}
	w.each(func(in *llvmir.Instr) {
		if in.Op != llvmir.OpStore || w.slot(in.Args[1]) != v {
			return
		}
		if d := w.defOf(in.Args[0]); d != nil && d.Op == llvmir.OpLoad && w.slot(d.Args[0]) < 0 {
			element(d.Args[0])
		}
	})
}

// equal records the comparison of a parameter with a number by == or !=.
func (w *walk) equal(in *llvmir.Instr) {
	k := in.Args[1].Const
	d := w.defOf(in.Args[0])
	if in.Pred != llvmir.PredEQ && in.Pred != llvmir.PredNE || in.Args[1].Kind != llvmir.OperandConst || k == nil ||
		k.Kind != llvmir.ConstInt || !k.Int.IsInt64() || d == nil || d.Op != llvmir.OpLoad || w.slot(d.Args[0]) < 0 {
		return
	}
	from, _ := w.sources(in.Args[0])
	from.each(func(n int) {
		f := &w.out.params[n]
		if f.equals == nil {
			f.equals = map[int64]bool{}
		}
		f.equals[k.Int.Int64()] = true
	})
}
