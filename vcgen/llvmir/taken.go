package llvmir

// AddressTaken returns the functions whose addresses have uses other than calls.
func (m *Module) AddressTaken() map[*Func]bool {
	taken := map[*Func]bool{}
	seen := map[*Const]bool{}
	var visit func(c *Const)
	visit = func(c *Const) {
		if c == nil || seen[c] {
			return
		}
		seen[c] = true
		if c.Kind == ConstFunc {
			taken[c.Func] = true
		}
		for _, e := range c.Elems {
			visit(e)
		}
		if c.Expr != nil {
			for _, a := range c.Expr.Args {
				visit(a.Const)
			}
		}
	}
	for _, g := range m.Globals {
		visit(g.Init)
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				for _, a := range in.Args {
					visit(a.Const)
				}
			}
		}
	}
	return taken
}
