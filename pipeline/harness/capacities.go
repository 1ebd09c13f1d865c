package harness

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A struct with a pointer often has two numbers, of the elements that are used and of those that are allocated. The
// code shows which is which: the latter is the size of an allocation.
//
//	p = realloc(b->data, grown);  // grown is a size
//	b->asize = grown;             // so asize is a capacity

// allocations records the members that hold the size of an allocation of the function.
func (w *walk) allocations() {
	var sizes set // the variables with sizes
	w.each(func(in *llvmir.Instr) {
		if in.Op != llvmir.OpCall || !isAllocation(in) {
			return
		}
		for _, a := range in.Args {
			if a.Kind != llvmir.OperandReg || w.defOf(a) == nil || w.defOf(a).Type.Kind != llvmir.IntType {
				continue
			}
			_, of := w.sources(a)
			sizes |= of
			w.sizeOf(a, 0)
		}
	})
	if sizes == 0 {
		return
	}
	w.each(func(in *llvmir.Instr) {
		if in.Op != llvmir.OpStore {
			return
		}
		g := w.defOf(in.Args[1])
		if _, of := w.sources(in.Args[0]); of&sizes != 0 && g != nil && g.Op == llvmir.OpGEP && ofMember(g) &&
			in.Args[0].Type != nil && in.Args[0].Type.Kind == llvmir.IntType {
			w.capacities[member{g.ElemType.Name, g.GEP.Const}] = true
		}
	})
}

// allocatedMembers relates the members that point to an allocated block with the member that has its size: the function
// stores both, as in b->data = p; b->asize = grown.
func (w *walk) allocatedMembers() {
	sizes := map[int]set{} // by variable that holds a block: the variables with its size
	sizesOf := func(o llvmir.Operand) set {
		d := w.defOf(o)
		for d != nil && d.Op == llvmir.OpBitCast {
			d = w.defOf(d.Args[0])
		}
		switch {
		case d == nil:
		case d.Op == llvmir.OpLoad && w.slot(d.Args[0]) >= 0:
			return sizes[w.slot(d.Args[0])]
		case d.Op == llvmir.OpCall && isAllocation(d):
			var of set
			for _, a := range d.Args {
				if a.Type != nil && a.Type.Kind == llvmir.IntType {
					_, variables := w.sources(a)
					of |= variables
				}
			}
			return of
		}
		return 0
	}
	w.each(func(in *llvmir.Instr) {
		if in.Op == llvmir.OpStore && w.slot(in.Args[1]) >= 0 && isPointer(in.Args[0].Type) {
			sizes[w.slot(in.Args[1])] |= sizesOf(in.Args[0])
		}
	})
	blocks, numbers := map[member]set{}, map[member]set{}
	w.each(func(in *llvmir.Instr) {
		if in.Op != llvmir.OpStore {
			return
		}
		g := w.defOf(in.Args[1])
		if g == nil || g.Op != llvmir.OpGEP || !ofMember(g) {
			return
		}
		m := member{g.ElemType.Name, g.GEP.Const}
		if isPointer(in.Args[0].Type) {
			blocks[m] |= sizesOf(in.Args[0])
		} else if d := w.defOf(in.Args[0]); d != nil && d.Op == llvmir.OpLoad && w.slot(d.Args[0]) >= 0 {
			numbers[m] |= one(w.slot(d.Args[0]))
		}
	})
	for m, of := range blocks {
		for n, by := range numbers {
			if of&by != 0 && n.of == m.of {
				relate(w.lengths, m, n)
				w.capacities[n] = true
			}
		}
	}
}

// sizeOf records the members from which a size is computed by multiplication.
func (w *walk) sizeOf(o llvmir.Operand, depth int) {
	d := w.defOf(o)
	if d == nil || depth > 10 {
		return
	}
	switch d.Op {
	case llvmir.OpLoad:
		if m, ok := w.loaded(o); ok {
			w.capacities[m] = true
		}
	case llvmir.OpMul, llvmir.OpShl, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpTrunc:
		for _, a := range d.Args {
			w.sizeOf(a, depth+1)
		}
	}
}

// isAllocation reports whether an instruction calls a function that allocates, by its name.
func isAllocation(in *llvmir.Instr) bool {
	f := in.Function()
	return f != nil && in.Intrinsic == "" && strings.Contains(strings.ToLower(f.SourceName+f.Name), "alloc")
}
