// Package clangir interprets the LLVM assembly that clang generates from C.
//
// The reader (vcgen/llvmir) covers the semantics of LLVM. This package recovers the constructs of C behind
// instructions, and restores properties of C that clang does not express. For example, the load of
//
//	struct { unsigned a : 3, b : 4; } s;
//	return s.b;              // %bf.load = load i8, ptr %s; shifted by 3 and masked
//
// gets the fact BitField{Low: 3, Width: 4}: only these bits must have been written.
//
// Read completes the module in these steps:
//
//   - It adds ends of lifetimes (literals.go, temporaries.go, bypassed.go) and of initializations (constants.go),
//     and separates string literals (occurrences.go).
//   - It gives jumps out of C blocks separate paths (jumps.go).
//   - It computes the Facts of each instruction: which operations sanitizers check or miss (checks.go, bounds.go,
//     magnitude.go), which results are indices or sizes (extents.go), and the construct of C for which it stands
//     (idioms.go). Only names.go interprets clang's names of values and blocks.
//
// Principal types: Module and Facts. The other files answer questions about single functions and calls: the check
// that a handler reports (descriptors.go), calls that do not return (noreturn.go), the passing of values
// (passing.go), the layout of variable arguments (varargs.go).
//
// Reading order: module.go, names.go, idioms.go, checks.go, then the others.
package clangir

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Module is a linked program compiled by clang, with the meaning of its instructions.
type Module struct {
	*llvmir.Module
	facts []*Facts // by Instr.ID; nil if there are none
	// constants are the markers added by keepConstants, with their parts.
	constants map[*llvmir.Instr][]Part
}

// Facts are the meaning of an instruction in C, beyond LLVM's semantics.
type Facts struct {
	of *llvmir.Instr
	// Magnitude (OpSub): the negation in clang's code for __builtin_abs and its variants, which no sanitizer checks.
	// It has no result for the least number.
	Magnitude bool
	// Within (loads, stores and other accesses): the arrays in the address computation.
	Within []Within
	// Undefined: whether an undefined result of the operation is checked (see Undefined).
	Undefined Undefined
	// Exponent (OpShl, OpLShr, OpAShr): the shift amount in C. Args[1] has the width of Args[0].
	Exponent llvmir.Operand
	// Wraps (OpAdd, OpSub, OpMul): the operation is signed, may overflow, and is not checked. (Exempt is an index
	// into a variable-length array, because the access is checked.)
	Wraps bool
	// Extent (OpTrunc, OpMul): the result is an index or a size for an address computation; see Extent.
	Extent Extent
	// Declared (llvm.assume): an attribute of a function without a body promises it for the result.
	Declared bool
	// PointerDifference (OpSub): p - q of pointers, before the division by the element size.
	PointerDifference bool
	// Literal (OpAlloca): a compound literal.
	Literal bool
	// ReturnSlot (OpAlloca): clang's variable for the result of the function.
	ReturnSlot bool
	// Temporary (OpAlloca): a variable created by clang. Its content is not used after the expression, or the jump,
	// for which it was written.
	Temporary bool
	// BitField (OpLoad, OpStore): the bits of a bit-field's storage unit that the access is about; nil for all bits.
	BitField *BitField
	// Constant (OpCall of invariant.start and invariant.end): parts of the object that become constant, or cease to
	// be.
	Constant []Part
	// Coerced (OpLoad): reads a struct or union as the number as which it is passed or returned.
	Coerced bool
}

var noFacts Facts

// Of returns the facts of an instruction of the module; no facts for other instructions.
//
// Constant expressions are executed with the number of the enclosing instruction, but do not have its facts.
func (m *Module) Of(in *llvmir.Instr) *Facts {
	if in.ID < len(m.facts) {
		if f := m.facts[in.ID]; f != nil && f.of == in {
			return f
		}
	}
	return &noFacts
}

// about returns the mutable facts of an instruction.
func (m *Module) about(in *llvmir.Instr) *Facts {
	if m.facts[in.ID] == nil {
		m.facts[in.ID] = &Facts{of: in}
	}
	return m.facts[in.ID]
}

// UnsupportedTarget is the error of Read for a target that is not supported.
type UnsupportedTarget = llvmir.UnsupportedTarget

// Read reads the assembly of a linked program that clang compiled. Errors are those of llvmir.Read.
func Read(text []byte, opts llvmir.ReadOptions) (m *Module, err error) {
	read, err := llvmir.Read(text, opts)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil { // an error in this package, or text not written by clang
			m, err = nil, fmt.Errorf("clangir: internal error: %v", p)
		}
	}()
	return understand(read), nil
}

// understand completes a module and computes the facts.
func understand(read *llvmir.Module) *Module {
	m := &Module{Module: read, constants: map[*llvmir.Instr][]Part{}}
	for _, g := range m.Globals {
		g.SourceName = language.Shown(g.SourceName)
	}
	for _, fn := range m.Funcs {
		switch language.Lookup(fn.Name).Role {
		case language.None, language.Unknown, language.Impossible: // only a body would define the meaning
		default:
			fn.Weak = false // the engine defines it
		}
		if fn.SourceName == fn.Name { // the debug information has no other name
			fn.SourceName = language.Shown(language.Demangled(fn.Name))
		}
		if len(fn.Blocks) > 0 && !IsRust(fn) {
			f := &function{m, fn}
			f.endLiterals()
			f.endTemporaries()
			f.endBypassed()
			f.keepConstants()
			f.threadJumps()
		}
	}
	m.separateLiterals()
	m.facts = make([]*Facts, 1+m.number())
	for in, parts := range m.constants {
		m.about(in).Constant = parts
	}
	for _, fn := range m.Funcs {
		if len(fn.Blocks) > 0 {
			f := &function{m, fn}
			f.markUndefined()
			if !IsRust(fn) {
				f.markExtents()
			}
			f.boundAccesses()
			if !IsRust(fn) {
				f.markMagnitudes()
				f.markIdioms()
			}
		}
	}
	return m
}

// IsRust reports whether a function was written in Rust.
//
// Names of its values are not clang's, and an undefined result is not a missing one.
func IsRust(f *llvmir.Func) bool { return f.Language == "DW_LANG_Rust" }

// NoResult reports whether a function of C returns without the result that its caller may use: OpRet of undef.
func NoResult(f *llvmir.Func, ret *llvmir.Instr) bool {
	k := ret.Args[0].Const
	return ret.Args[0].Kind == llvmir.OperandConst && k != nil && k.Kind == llvmir.ConstUndef && !IsRust(f)
}

// number assigns numbers to all instructions, in the order of the text, and returns the last one.
func (m *Module) number() int {
	id := 0
	for _, fn := range m.Funcs {
		for _, b := range fn.Blocks {
			for _, in := range b.Instrs {
				id++
				in.ID = id
			}
		}
	}
	return id
}

// uses reports whether an argument of an instruction is a register for which kind returns true.
func uses(in *llvmir.Instr, kind func(reg int) bool) bool {
	return slices.ContainsFunc(in.Args, func(a llvmir.Operand) bool {
		return a.Kind == llvmir.OperandReg && kind(a.Reg)
	})
}

// usesReg reports whether a register is an argument of an instruction.
func usesReg(in *llvmir.Instr, reg int) bool { return uses(in, func(r int) bool { return r == reg }) }

// function is a function with a body that is being interpreted.
type function struct {
	m  *Module
	fn *llvmir.Func
}

// LibraryState reports whether a variable stores state of the C library between calls.
//
// These are variables of our models, such as the position of strtok, except errno.
func LibraryState(g *llvmir.Global) bool {
	return !g.Constant && g.Name != language.Errno && g.Loc != nil && language.IsModelFile(g.Loc.File)
}
