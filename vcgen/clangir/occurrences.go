package clangir

import (
	"strconv"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// separateLiterals gives each occurrence of a string literal in the program a separate variable.
//
// Clang has one variable for all literals with the same content, while C leaves unspecified whether they are distinct
// (C11 6.4.5p7). The variables may be merged (Constant, UnnamedAddr), so both cases are possible executions. Literals
// that are only passed to functions without a body are left alone: messages of assertions are frequent, and are not
// compared.
func (m *Module) separateLiterals() {
	s := &separator{m: m, seen: map[*llvmir.Global]int{}}
	for _, g := range m.Globals {
		if g.Init != nil {
			g.Init = s.constant(g.Init)
		}
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if c := in.Callee.Const; in.Op == llvmir.OpCall && in.Intrinsic == "" && c != nil && c.Kind == llvmir.ConstFunc &&
					len(c.Func.Blocks) == 0 {
					continue
				}
				s.operands(in.Args)
			}
		}
	}
}

type separator struct {
	m    *Module
	seen map[*llvmir.Global]int // occurrences of a literal so far
}

func (s *separator) operands(args []llvmir.Operand) {
	for i, a := range args {
		if a.Kind == llvmir.OperandConst && a.Const != nil {
			args[i].Const = s.constant(a.Const)
		}
	}
}

// constant returns a constant with separated literals; parts without literals are shared with k.
func (s *separator) constant(k *llvmir.Const) *llvmir.Const {
	switch k.Kind {
	case llvmir.ConstGlobal:
		if g := s.literal(k.Global); g != k.Global {
			c := *k
			c.Global = g
			return &c
		}
	case llvmir.ConstAggregate:
		var elems []*llvmir.Const
		for i, e := range k.Elems {
			if x := s.constant(e); x != e {
				if elems == nil {
					elems = append(elems, k.Elems...)
				}
				elems[i] = x
			}
		}
		if elems != nil {
			c := *k
			c.Elems = elems
			return &c
		}
	case llvmir.ConstExpr:
		e, c := *k.Expr, *k
		e.Args = append([]llvmir.Operand(nil), e.Args...)
		s.operands(e.Args)
		c.Expr = &e
		return &c
	}
	return k
}

// literal returns the variable for another occurrence of a literal; other variables are returned unchanged.
func (s *separator) literal(g *llvmir.Global) *llvmir.Global {
	if !IsStringLiteral(g) {
		return g
	}
	s.seen[g]++
	if s.seen[g] == 1 {
		return g
	}
	c := *g
	c.Name += "#" + strconv.Itoa(s.seen[g]) // clang uses no such name
	s.m.Globals = append(s.m.Globals, &c)
	s.m.GlobalByName[c.Name] = &c
	return &c
}
