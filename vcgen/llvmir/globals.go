package llvmir

import (
	"sort"

	"github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/constant"
	"github.com/llir/llvm/ir/enum"
)

func (r *reader) declareGlobal(src *ir.Global) {
	g := &Global{
		Name:        src.Name(),
		SourceName:  src.Name(),
		Type:        r.typ(src.ContentType),
		Constant:    src.Immutable,
		Arbitrary:   src.ExternallyInitialized,
		UnnamedAddr: src.UnnamedAddr == enum.UnnamedAddrUnnamedAddr,
		External:    r.external(src.Name(), src.Linkage),
		ThreadLocal: src.TLSModel != enum.TLSModelNone,
		Align:       int64(src.Align),
	}
	if g.Align == 0 {
		g.Align = max(1, g.Type.Align)
	}
	r.describeGlobal(g, src.Metadata)
	r.globals[src] = g
	r.m.Globals = append(r.m.Globals, g)
	r.m.GlobalByName[g.Name] = g
}

// external reports whether other parts of the program may refer to the name.
func (r *reader) external(name string, linkage enum.Linkage) bool {
	if r.opts.ExternalGlobals != nil {
		return r.opts.ExternalGlobals[name]
	}
	return linkage != enum.LinkageInternal && linkage != enum.LinkagePrivate
}

// alias returns the address that an alias stands for.
func (r *reader) alias(src *ir.Alias) *Const {
	t := r.typ(src.Type())
	if r.resolving[src] {
		r.fail("alias @%s refers to itself", src.Name())
		return r.undef(t)
	}
	r.resolving[src] = true
	c := r.constant(src.Aliasee)
	delete(r.resolving, src)
	return r.foldBitCast(c, t, r.unsupportedConst(t, "alias @"+src.Name()))
}

// nameAlias makes the target of an alias known under the alias's name, too.
func (r *reader) nameAlias(src *ir.Alias) {
	c := r.alias(src)
	switch {
	case c.Kind == ConstFunc:
		if r.m.FuncByName[src.Name()] == nil {
			r.m.FuncByName[src.Name()] = c.Func
		}
	case c.Kind == ConstGlobal && c.Offset == 0:
		if r.m.GlobalByName[src.Name()] == nil {
			r.m.GlobalByName[src.Name()] = c.Global
		}
	}
}

// constructors reads llvm.global_ctors: an array of { i32 priority, void ()* function, i8* data }.
func (r *reader) constructors(src *ir.Global) {
	array, ok := src.Init.(*constant.Array)
	if !ok {
		return // zeroinitializer: no constructors
	}
	type entry struct {
		priority int64
		fn       *Func
	}
	var entries []entry
	for _, e := range array.Elems {
		s, ok := e.(*constant.Struct)
		if !ok || len(s.Fields) < 2 {
			r.fail("entry %s is no struct", e)
			return
		}
		priority, fn := r.constant(s.Fields[0]), r.constant(s.Fields[1])
		if priority.Kind != ConstInt || fn.Kind != ConstFunc {
			r.fail("entry %s is no priority with a function", e)
			return
		}
		entries = append(entries, entry{priority.Int.Int64(), fn.Func})
	}
	sort.SliceStable(entries, func(i, j int) bool { return entries[i].priority < entries[j].priority })
	for _, e := range entries {
		r.m.Ctors = append(r.m.Ctors, e.fn)
	}
}
