// Package clangir says what the LLVM assembly means that clang makes of C: the reader (vcgen/llvmir) knows what LLVM
// says of an instruction, this package what clang says with it.
//
// First the module is completed by what C prescribes and clang leaves out: the ends of lifetimes (literals.go,
// temporaries.go, bypassed.go), the ends of initialisations (constants.go) and the identity of string literals
// (occurrences.go). Jumps out of blocks of C get ways of their own (jumps.go). Then each instruction gets its Facts:
// what the sanitizers' checks look at and what nobody looks at (checks.go, bounds.go, magnitude.go), and for which
// construct of C it stands (idioms.go). What clang calls values and blocks is read in names.go alone. The rest answers
// questions about single functions and calls: which check reports where (descriptors.go), what never returns
// (noreturn.go), how a call passes values (passing.go), where variable arguments lie (varargs.go).
package clangir

import (
	"fmt"
	"slices"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Module is a linked program as clang made it, with what that means.
type Module struct {
	*llvmir.Module
	facts []*Facts // by Instr.ID; nil where there is nothing to say
	// constants are the markers that keepConstants has put in, with what they are about.
	constants map[*llvmir.Instr][]Part
}

// Facts are what clang says with an instruction beyond what LLVM says of it.
type Facts struct {
	of *llvmir.Instr
	// Magnitude (OpSub): the negation in clang's code for __builtin_abs and its like, which no sanitizer checks. It has no
	// result for the least number.
	Magnitude bool
	// Within (loads, stores and other accesses): arrays that the address is computed with.
	Within []Within
	// Undefined: who looks whether the result is defined, of the operations that may have none (see Undefined).
	Undefined Undefined
	// Exponent (OpShl, OpLShr, OpAShr): the exponent as C has it. Args[1] has the width of Args[0].
	Exponent llvmir.Operand
	// Wraps (OpAdd, OpSub, OpMul): numbers are signed, and nobody looks whether the result fits, which it may not.
	// (Of an index of an array of variable length, the access does.)
	Wraps bool
	// Declared (llvm.assume): an attribute of a function without a body promises it of the function's result.
	Declared bool
	// PointerDifference (OpSub): p - q of pointers, before the division by the size of what they point to.
	PointerDifference bool
	// Literal (OpAlloca): a compound literal.
	Literal bool
	// ReturnSlot (OpAlloca): clang's own variable for the result of the function.
	ReturnSlot bool
	// Temporary (OpAlloca): a variable of clang's own. Its content is never used behind the expression, or the jump, that
	// it was written for.
	Temporary bool
	// BitField (OpLoad, OpStore): the access is of storage of bit-fields, for these of its bits; nil where it is of all.
	BitField *BitField
	// Constant (OpCall of invariant.start and invariant.end): parts of the object that are constant behind it, or are not.
	Constant []Part
	// Coerced (OpLoad): fetches a struct or a union as the number as which it is passed or returned.
	Coerced bool
}

var noFacts Facts

// Of returns what clang says with an instruction of the module. Of any other instruction there is nothing to say: an
// expression of constants is executed with the number of the instruction that it stands in.
func (m *Module) Of(in *llvmir.Instr) *Facts {
	if in.ID < len(m.facts) {
		if f := m.facts[in.ID]; f != nil && f.of == in {
			return f
		}
	}
	return &noFacts
}

// about returns the facts of an instruction to add to.
func (m *Module) about(in *llvmir.Instr) *Facts {
	if m.facts[in.ID] == nil {
		m.facts[in.ID] = &Facts{of: in}
	}
	return m.facts[in.ID]
}

// Read reads the assembly of a linked program that clang compiled. Errors are those of llvmir.Read.
func Read(text []byte, opts llvmir.ReadOptions) (m *Module, err error) {
	read, err := llvmir.Read(text, opts)
	if err != nil {
		return nil, err
	}
	defer func() {
		if p := recover(); p != nil { // a mistake of ours, or text that is none of clang's
			m, err = nil, fmt.Errorf("clangir: internal error: %v", p)
		}
	}()
	return understand(read), nil
}

// understand completes a module and finds the facts.
func understand(read *llvmir.Module) *Module {
	m := &Module{Module: read, constants: map[*llvmir.Instr][]Part{}}
	for _, g := range m.Globals {
		g.SourceName = language.Shown(g.SourceName)
	}
	for _, fn := range m.Funcs {
		switch language.Lookup(fn.Name).Role {
		case language.None, language.Unknown, language.Impossible: // a body would tell what it means
		default:
			fn.Weak = false // the engine defines it
		}
		if fn.SourceName == fn.Name { // no debug information has another
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
			f.boundAccesses()
			if !IsRust(fn) {
				f.markMagnitudes()
				f.markIdioms()
			}
		}
	}
	return m
}

// IsRust tells whether a function was written in Rust: names of its values are not clang's, and what was never written
// is no missing result.
func IsRust(f *llvmir.Func) bool { return f.Language == "DW_LANG_Rust" }

// NoResult tells whether a function of C ends without the result that its caller may ask for: OpRet of an undefined
// value.
func NoResult(f *llvmir.Func, ret *llvmir.Instr) bool {
	k := ret.Args[0].Const
	return ret.Args[0].Kind == llvmir.OperandConst && k != nil && k.Kind == llvmir.ConstUndef && !IsRust(f)
}

// number gives all instructions their numbers, in the order of the text, and returns the last.
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

// uses tells whether an argument of an instruction is a register of a kind.
func uses(in *llvmir.Instr, kind func(reg int) bool) bool {
	return slices.ContainsFunc(in.Args, func(a llvmir.Operand) bool {
		return a.Kind == llvmir.OperandReg && kind(a.Reg)
	})
}

// usesReg tells whether a register is an argument of an instruction.
func usesReg(in *llvmir.Instr, reg int) bool { return uses(in, func(r int) bool { return r == reg }) }

// function is a function with a body whose meaning is looked for.
type function struct {
	m  *Module
	fn *llvmir.Func
}

// LibraryState reports whether a variable holds what the C library keeps between calls: a variable of our models, such
// as the position of strtok. errno is none of these.
func LibraryState(g *llvmir.Global) bool {
	return !g.Constant && g.Name != language.Errno && g.Loc != nil && language.IsModelFile(g.Loc.File)
}
