package harness

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Objects behind members that no code touches need not exist: a proof of
//
//	int list_length(const struct list *l) { return l->length; }
//
// is as general, and much cheaper, if l->items is an arbitrary address. A use that this analysis misses shows as a
// failure, never as a proof: the address is that of no object.

// use has the members of structs that the function under proof and the functions that it can call use.
type use struct {
	// touched are the members whose addresses the code computes, changed those to which it may write.
	touched, changed map[member]bool
	// entire has the structs whose members may all be touched, by their names in LLVM.
	entire  map[string]bool
	reached map[any]bool // functions and variables
}

// usedBy returns the members that a function and the functions and variables that it leads to use.
func usedBy(f *llvmir.Func) *use {
	u := &use{touched: map[member]bool{}, changed: map[member]bool{}, entire: map[string]bool{}, reached: map[any]bool{}}
	u.function(f)
	return u
}

func (u *use) function(f *llvmir.Func) {
	if f == nil || u.reached[f] {
		return
	}
	u.reached[f] = true
	addresses := map[int]*llvmir.Instr{} // of members, by register
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			if in.Op == llvmir.OpGEP && ofMember(in) {
				addresses[in.Dst] = in
				u.touched[memberOf(in)] = true
			}
		}
	}
	for _, b := range f.Blocks {
		for _, in := range b.Instrs {
			for _, o := range append(slices.Clip(in.Args), in.Callee) {
				if o.Kind == llvmir.OperandConst {
					u.constant(o.Const)
				} else if d := addresses[o.Reg]; d != nil && in.Op != llvmir.OpLoad {
					u.changed[memberOf(d)] = true
				}
			}
		}
	}
}

// constant adds the functions and the variables that a constant leads to. The address of a variable's member does not
// name the member: all of them are touched.
func (u *use) constant(c *llvmir.Const) {
	if c == nil {
		return
	}
	u.function(c.Func)
	if g := c.Global; g != nil && !u.reached[g] {
		u.reached[g] = true
		u.consists(g.Type)
		u.constant(g.Init)
	}
	for _, e := range c.Elems {
		u.constant(e)
	}
	if c.Expr != nil {
		for _, o := range c.Expr.Args {
			u.constant(o.Const)
		}
	}
}

// consists adds the structs that are parts of a type.
func (u *use) consists(t *llvmir.Type) {
	if t == nil || t.Kind == llvmir.PointerType {
		return
	}
	if t.Kind == llvmir.StructType && t.Name != "" {
		u.entire[unnumbered(t.Name)] = true
	}
	u.consists(t.Elem)
	for _, f := range t.Fields {
		u.consists(f)
	}
}

// memberOf returns the member whose address an instruction computes.
func memberOf(address *llvmir.Instr) member {
	return member{unnumbered(address.ElemType.Name), address.GEP.Const}
}

// unnumbered returns the name of a struct without the number that LLVM adds if another file has the name, too.
func unnumbered(name string) string { return numbered.ReplaceAllString(name, "") }

// spare reports whether the code does not touch a pointer in a struct, nor changes its length: it needs no object.
func (w *writer) spare(t *llvmir.DIType, f *llvmir.DIField) bool {
	name := llvmName(t)
	if w.Whole || w.Compare || w.variant > 0 || t.Kind != llvmir.DIStruct || anonymous(t) || w.use.entire[name] ||
		w.validated() {
		return false
	}
	for _, of := range append(w.aliases()[name], name) {
		from := f.BitOffset / 8
		for at := from; at < from+max(f.Type.Bits/8, 1); at++ {
			if w.use.touched[member{of, at}] {
				return false
			}
		}
	}
	if length, fits := w.lengthOf(t, f); length != nil {
		for _, n := range append(fits, length) {
			if w.use.changed[member{name, n.BitOffset / 8}] {
				return false
			}
		}
	}
	w.spared = true
	return true
}

// validated reports whether the proof calls predicates of the project, whose code is not known.
func (w *writer) validated() bool {
	if w.predicates == nil {
		found := false
		for _, t := range w.structs {
			found = found || t != nil && w.predicate(t) != ""
		}
		w.predicates = &found
	}
	return *w.predicates
}

// aliases returns, by the name of a struct, the other structs as which the code accesses objects of it.
func (w *writer) aliases() map[string][]string {
	if w.aliased != nil {
		return w.aliased
	}
	w.aliased = map[string][]string{}
	add := func(t *llvmir.DIType, as map[object]bool) {
		if t == nil || t.Kind != llvmir.DIPointer || !isComposite(t.Elem) {
			return
		}
		name := llvmName(t.Elem)
		for a := range as {
			if of := unnumbered(a.of); of != name {
				w.aliased[name] = append(w.aliased[name], of)
			}
		}
	}
	for _, f := range w.Program.Funcs {
		for _, p := range w.analysis.parametersOf(f) {
			add(p.typ, p.as)
		}
	}
	for name, t := range w.structs {
		if t == nil {
			continue
		}
		for i := range t.Fields {
			add(t.Fields[i].Type, w.as[member{name, t.Fields[i].BitOffset / 8}])
		}
	}
	return w.aliased
}
