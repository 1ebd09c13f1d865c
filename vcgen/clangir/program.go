package clangir

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Before is the model that makes the arguments of an entry (C11 5.1.2.2.1), nil where they are arbitrary or there are
// none.
func (m *Module) Before(entry *llvmir.Func) *llvmir.Func {
	name := language.CountArguments
	if entry == nil || entry.Name != "main" || len(entry.Params) == 0 || len(entry.Blocks) == 0 {
		return nil
	}
	for i := range entry.Params {
		if i > 0 && usesParameter(entry, i) {
			name = language.MakeArguments
		}
	}
	if f := m.FuncByName[name]; f != nil && len(f.Blocks) > 0 {
		return f
	}
	return nil
}

// usesParameter tells whether a function does anything with a parameter but to keep it in its variable.
func usesParameter(f *llvmir.Func, param int) bool {
	kept := -1
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			switch {
			case in.Op == llvmir.OpStore && in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Reg == param &&
				in.Args[1].Kind == llvmir.OperandReg && kept < 0:
				kept = in.Args[1].Reg
			case in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue:
			case usesReg(in, param), kept >= 0 && usesReg(in, kept):
				return true
			}
		}
	}
	return false
}

// After are the functions that run when the entry has returned, or exit was called, in their order: what atexit was
// given, and destructors.
func (m *Module) After() []*llvmir.Func {
	list := slices.Clone(m.Dtors)
	if f := m.FuncByName[language.AtEnd]; f != nil {
		list = slices.Insert(list, 0, f)
	}
	return slices.DeleteFunc(list, func(f *llvmir.Func) bool { return len(f.Blocks) == 0 })
}
