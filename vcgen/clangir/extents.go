package clangir

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Extent describes an operation whose result is an index or a number of elements, in the width of addresses.
//
// The compiler drops the bits that do not fit:
//
//	p[i]                  // %idxprom = trunc i64 %i to i32, on a machine with addresses of 32 bits
//	int (*q)[n]; q[i]     // %1 = mul nsw i64 %i, %n
//
// In C, p[1LL << 32] is far outside of every object and not p[0]. Therefore a result that does not fit is
// llvmir.FarAway, as it is for the products with the sizes of elements.
type Extent uint8

// Values of Extent. Not every number is one.
const (
	NoExtent Extent = iota
	// SignedExtent is an index, and UnsignedExtent a number of elements of a variable-length array.
	SignedExtent
	UnsignedExtent
)

// markExtents sets Extent of the conversions and multiplications of indices, and of sizes of variable-length arrays.
func (f *function) markExtents() {
	index, count, bound := make([]bool, f.fn.NumRegs), make([]bool, f.fn.NumRegs), make([]bool, f.fn.NumRegs)
	mark := func(set []bool, operands ...llvmir.Operand) {
		for _, o := range operands {
			if o.Kind == llvmir.OperandReg {
				set[o.Reg] = true
			}
		}
	}
	product := func(in *llvmir.Instr) bool {
		return in.Op == llvmir.OpMul && (f.unnamed(in.Dst) || f.stem(in.Dst) == "vla.index")
	}
	for _, b := range slices.Backward(f.fn.Blocks) {
		for _, in := range slices.Backward(b.Instrs) {
			switch {
			case in.Op == llvmir.OpGEP:
				mark(index, in.Args[1:]...)
			case in.Op == llvmir.OpAlloca, product(in) && !index[in.Dst]:
				mark(count, in.Args...)
			case in.Op == llvmir.OpICmp && in.NoSanitize:
				mark(bound, in.Args[0])
			}
		}
	}
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			if in.Dst < 0 || in.Type.Kind != llvmir.IntType || in.Type.Bits != f.m.Layout.Pointer {
				continue
			}
			stem := f.stem(in.Dst)
			switch {
			case in.Op == llvmir.OpTrunc && (stem == "idxprom" || stem == "idx.ext" || in.NoSanitize && bound[in.Dst]),
				product(in) && index[in.Dst]:
				f.m.about(in).Extent = SignedExtent
			case in.Op == llvmir.OpTrunc && f.unnamed(in.Dst) && count[in.Dst], product(in) && count[in.Dst]:
				f.m.about(in).Extent = UnsignedExtent
			}
		}
	}
}
