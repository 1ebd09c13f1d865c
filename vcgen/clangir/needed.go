package clangir

import "github.com/unitproof/unitproof/vcgen/llvmir"

// NeededGlobals returns the variables that an execution can access or take the address of.
//
// It excludes the data of sanitizer handlers, which is read from the module. A large function has one for each
// checked operation, more than everything else, and each object has a cost in every state.
func (m *Module) NeededGlobals() map[*llvmir.Global]bool {
	needed := map[*llvmir.Global]bool{}
	var constant func(k *llvmir.Const)
	instruction := func(in *llvmir.Instr) {
		for i, a := range in.Args {
			if a.Kind == llvmir.OperandConst && !IsHandlerData(in, i) {
				constant(a.Const)
			}
		}
		if in.Callee.Kind == llvmir.OperandConst {
			constant(in.Callee.Const)
		}
	}
	constant = func(k *llvmir.Const) {
		if k == nil {
			return
		}
		if g := k.Global; g != nil && !needed[g] {
			needed[g] = true
			constant(g.Init)
		}
		for _, e := range k.Elems {
			constant(e)
		}
		if k.Expr != nil {
			instruction(k.Expr)
		}
	}
	for _, g := range m.Globals {
		if !privateData(g) {
			needed[g] = true
			constant(g.Init)
		}
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				instruction(in)
			}
		}
	}
	return needed
}

// privateData reports whether the compiler created a variable for itself.
//
// It has no name in the source, so only references in the module can use it.
func privateData(g *llvmir.Global) bool { return g.Loc == nil && !g.External && g.Init != nil }

// IsHandlerData reports whether argument i of a call is the data of a sanitizer handler.
//
// Such data is read from the module and never evaluated.
func IsHandlerData(in *llvmir.Instr, i int) bool {
	return i == 0 && SanitizerCheck(in.Function()) != "" && in.Args[0].Const != nil &&
		in.Args[0].Const.Kind == llvmir.ConstGlobal
}
