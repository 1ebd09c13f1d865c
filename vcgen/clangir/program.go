package clangir

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Before returns the model that constructs the arguments of an entry: of main (C11 5.1.2.2.1), or of a fuzz target.
//
// It is nil if they are arbitrary or do not exist.
func (m *Module) Before(entry *llvmir.Func) *llvmir.Func {
	if entry == nil || len(entry.Params) == 0 || len(entry.Blocks) == 0 {
		return nil
	}
	if entry.Name == language.FuzzTarget {
		if f := m.defined(language.TakeInput); f != nil {
			return f
		}
		return m.defined(language.MakeInput)
	}
	if entry.Name != "main" {
		return nil
	}
	name := language.CountArguments
	for i := range entry.Params {
		if i > 0 && usesParameter(entry, i) {
			name = language.MakeArguments
		}
	}
	return m.defined(name)
}

// defined returns the function with a name; nil if it has no body.
func (m *Module) defined(name string) *llvmir.Func {
	if f := m.FuncByName[name]; f != nil && len(f.Blocks) > 0 {
		return f
	}
	return nil
}

// First returns the models that run before an entry, in order: the initialization of a fuzz target, and Before.
func (m *Module) First(entry *llvmir.Func) []*llvmir.Func {
	before := m.Before(entry)
	if before == nil {
		return nil
	}
	list := []*llvmir.Func{before}
	if start := m.defined(language.StartFuzzing); start != nil && entry.Name == language.FuzzTarget {
		list = slices.Insert(list, 0, start)
	}
	return list
}

// Argument returns the variable that provides the value of a parameter of the entry.
//
// made is false if the value is arbitrary; the variable is nil if the value is zero.
func (m *Module) Argument(entry *llvmir.Func, param int) (from *llvmir.Global, made bool) {
	if m.Before(entry) == nil {
		return nil, false
	}
	names := language.Arguments
	if entry.Name == language.FuzzTarget {
		names = language.Input
	}
	if param >= len(names) {
		return nil, false
	}
	if g := m.GlobalByName[names[param]]; g != nil && g.Type == entry.Params[param].Type {
		return g, true
	}
	return nil, true
}

// MaxInput returns the maximum input size of a fuzz target; 0 for other entries.
func (m *Module) MaxInput(entry *llvmir.Func) int64 {
	before := m.Before(entry)
	if before == nil || before.Name != language.MakeInput {
		return 0
	}
	if g := m.GlobalByName[language.MaxLen]; g != nil && g.Init != nil {
		return g.Init.Int.Int64()
	}
	return 0
}

// usesParameter reports whether a function has uses of a parameter other than storing it in its variable.
func usesParameter(f *llvmir.Func, param int) bool {
	slot := -1
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			switch {
			case in.Op == llvmir.OpStore && in.Args[0].Kind == llvmir.OperandReg && in.Args[0].Reg == param &&
				in.Args[1].Kind == llvmir.OperandReg && slot < 0:
				slot = in.Args[1].Reg
			case in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue:
			case usesReg(in, param), slot >= 0 && usesReg(in, slot):
				return true
			}
		}
	}
	return false
}

// After returns the functions that run after the entry has returned or exit was called, in order.
//
// These are the functions registered by atexit, and destructors.
func (m *Module) After() []*llvmir.Func {
	list := slices.Clone(m.Dtors)
	if f := m.FuncByName[language.AtEnd]; f != nil {
		list = slices.Insert(list, 0, f)
	}
	return slices.DeleteFunc(list, func(f *llvmir.Func) bool { return len(f.Blocks) == 0 })
}
