package clangir

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Precision is the precision with which a machine may compute floats of a smaller one. LLVM's assembly does not show
// it: an fadd of floats is one instruction of x87, which rounds to 64 bits.
type Precision uint8

// Precisions.
const (
	OwnPrecision Precision = iota
	ExtendedPrecision
	// FusedProducts: a product is not rounded before it is added, if the compiler uses a fused multiply-add.
	FusedProducts
)

// PrecisionOf returns the precision of the machine that a function is compiled for.
func PrecisionOf(l *llvmir.Layout, f *llvmir.Func) Precision {
	features := strings.Split(f.Features, ",")
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(features, n) })
	}
	arch, _, _ := strings.Cut(l.Triple, "-")
	is := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(arch, n) })
	}
	fused := false
	switch {
	case l.X86() && l.Pointer == 32 && !has("+sse2"):
		return ExtendedPrecision
	case l.X86():
		fused = has("+fma", "+fma4")
	case is("aarch64", "arm64"):
		fused = !has("-fp-armv8")
	case is("arm", "thumb"):
		fused = has("+vfp4", "+vfp4sp", "+vfp4d16", "+vfp4d16sp",
			"+fp-armv8", "+fp-armv8sp", "+fp-armv8d16", "+fp-armv8d16sp")
	case is("powerpc"):
		fused = !has("-hard-float")
	case is("s390x"):
		fused = !has("+soft-float")
	case is("riscv"):
		fused = has("+f", "+d")
	case is("mips"):
		fused = has("+mips32r6", "+mips64r6")
	}
	if fused && !IsRust(f) { // its compiler fuses nothing
		return FusedProducts
	}
	return OwnPrecision
}
