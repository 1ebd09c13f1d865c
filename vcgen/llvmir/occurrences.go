package llvmir

import "strings"

// separateLiterals gives each place in the program where a string literal stands a variable of its own: clang has one
// for all literals with the same content, while C leaves it open whether they are distinct (C11 6.4.5p7). The variables
// may be merged with each other (Constant, UnnamedAddr), so an execution can have either. What is given to functions
// without a body and to nobody else is left alone: there are many messages of assertions, and nothing compares them.
func (m *Module) separateLiterals() {
	s := &separator{m: m, met: map[*Global]int{}}
	for _, g := range m.Globals {
		if g.Init != nil {
			g.Init = s.constant(g.Init)
		}
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if c := in.Callee.Const; in.Op == OpCall && in.Intrinsic == "" && c != nil && c.Kind == ConstFunc &&
					len(c.Func.Blocks) == 0 {
					continue
				}
				s.operands(in.Args)
			}
		}
	}
}

type separator struct {
	m   *Module
	met map[*Global]int // how often a literal stands in the program so far
}

func (s *separator) operands(args []Operand) {
	for i, a := range args {
		if a.Kind == OperandConst && a.Const != nil {
			args[i].Const = s.constant(a.Const)
		}
	}
}

// constant returns a constant with its literals separated; it shares what has none with the one given.
func (s *separator) constant(k *Const) *Const {
	switch k.Kind {
	case ConstGlobal:
		if g := s.literal(k.Global); g != k.Global {
			c := *k
			c.Global = g
			return &c
		}
	case ConstAggregate:
		var elems []*Const
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
	case ConstExpr:
		e, c := *k.Expr, *k
		e.Args = append([]Operand(nil), e.Args...)
		s.operands(e.Args)
		c.Expr = &e
		return &c
	}
	return k
}

// literal returns the variable for one more place where a literal stands; what is no literal stays what it is.
func (s *separator) literal(g *Global) *Global {
	if !g.isLiteral() {
		return g
	}
	s.met[g]++
	if s.met[g] == 1 {
		return g
	}
	c := *g
	c.Name += "#" + itoa(s.met[g]) // no name that clang gives
	s.m.Globals = append(s.m.Globals, &c)
	s.m.GlobalByName[c.Name] = &c
	return &c
}

// isLiteral tells whether a variable is a string literal of the source; __func__ is none, it is one object in its
// function.
func (g *Global) isLiteral() bool {
	return g.Constant && g.UnnamedAddr && !g.External && g.Init != nil && g.Type.Kind == ArrayType &&
		(g.Name == ".str" || strings.HasPrefix(g.Name, ".str."))
}

// Bytes returns the bytes of a constant array of numbers, as they lie in memory; ok is false for other constants.
func (k *Const) Bytes() (data []byte, ok bool) {
	switch {
	case k.Kind == ConstData:
		return k.Data, true
	case k.Kind != ConstAggregate || k.Type.Kind != ArrayType:
		return nil, false
	}
	for _, e := range k.Elems {
		switch {
		case e.Kind == ConstZero && e.Type.Kind != PointerType:
			data = append(data, make([]byte, e.Type.Size)...)
			continue
		case e.Kind == ConstAggregate || e.Kind == ConstData:
			d, ok := e.Bytes()
			if !ok {
				return nil, false
			}
			data = append(data, d...)
			continue
		case e.Kind != ConstInt && e.Kind != ConstFloat || e.Type.StoreSize != e.Type.Size:
			return nil, false
		}
		b := make([]byte, e.Type.Size)
		e.Int.FillBytes(b)
		for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
			b[i], b[j] = b[j], b[i]
		}
		data = append(data, b...)
	}
	return data, true
}
