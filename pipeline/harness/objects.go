package harness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// The declared type of a pointer is often not that of its target: a void pointer, the first member of a larger struct,
// a member whose struct is computed from its address (container_of). The code shows the struct if it accesses members.

// behind returns the members that hold the pointer from which an address is computed, and the constant offset in bytes.
func (w *walk) behind(o llvmir.Operand, depth int) (members map[member]bool, off int64, ok bool) {
	d := w.defOf(o)
	if d == nil || depth > 20 {
		return nil, 0, false
	}
	switch d.Op {
	case llvmir.OpLoad:
		if v := w.slot(d.Args[0]); v >= 0 {
			return w.members[v], 0, true
		}
		if m, ok := w.loaded(o); ok {
			return map[member]bool{m: true}, 0, true
		}
	case llvmir.OpBitCast:
		return w.behind(d.Args[0], depth+1)
	case llvmir.OpGEP:
		if len(d.Args) > 1 || d.GEP == nil {
			return nil, 0, false
		}
		members, off, ok = w.behind(d.Args[0], depth+1)
		return members, off + d.GEP.Const, ok
	}
	return nil, 0, false
}

// base returns the members that hold the pointer from which an address is computed, with any offset.
func (w *walk) base(o llvmir.Operand, depth int) map[member]bool {
	d := w.defOf(o)
	if d == nil || depth > 20 {
		return nil
	}
	if d.Op == llvmir.OpGEP || d.Op == llvmir.OpBitCast {
		return w.base(d.Args[0], depth+1)
	}
	members, _, _ := w.behind(o, 0)
	return members
}

// stores records that a parameter is stored in a member of a struct.
func (w *walk) stores(store *llvmir.Instr) {
	g := w.defOf(store.Args[1])
	if g == nil || g.Op != llvmir.OpGEP || !ofMember(g) || g.ElemType.Name == "" {
		return
	}
	m := member{g.ElemType.Name, g.GEP.Const}
	w.pointers(w.rootsOf(store.Args[0])).each(func(n int) { w.out.params[n].storeIn(m) })
}

func (f *facts) storeIn(m member) {
	if f.storedIn == nil {
		f.storedIn = map[member]bool{}
	}
	f.storedIn[m] = true
}

// reachesBehind records that bytes are accessed at an address that is computed from a pointer in a member.
func (w *walk) reachesBehind(o llvmir.Operand, bytes int64) {
	members, off, ok := w.behind(o, 0)
	if !ok || off < 0 {
		return
	}
	for m := range members {
		w.extents[m] = max(w.extents[m], off+bytes)
	}
}

// takenAs records the struct whose member's address an instruction computes, for the pointer that it begins at.
func (w *walk) takenAs(in *llvmir.Instr) {
	if ofMember(in) && in.ElemType.Name != "" {
		w.bits[in.ElemType.Name] = 8 * in.ElemType.Size
		w.passedAs(in.Args[0], map[object]bool{{in.ElemType.Name, 0}: true})
	}
}

// passedAs records that an address is used as one of structs, or within them.
func (w *walk) passedAs(o llvmir.Operand, as map[object]bool) {
	if params, off, ok := w.constantOffset(o, 0); ok {
		w.pointers(params).each(func(n int) {
			f := &w.out.params[n]
			if f.as == nil {
				f.as = map[object]bool{}
			}
			for a := range as {
				f.as[object{a.of, a.offset + off}] = true
			}
		})
	}
	if members, off, ok := w.behind(o, 0); ok {
		for m := range members {
			if w.as[m] == nil {
				w.as[m] = map[object]bool{}
			}
			for a := range as {
				w.as[m][object{a.of, a.offset + off}] = true
			}
		}
	}
}

// fatal reports whether the code does not go on if the pointer that a comparison with NULL is about is NULL, as in an
// assertion.
func (w *walk) fatal(compared *llvmir.Instr) bool {
	for _, b := range w.f.Blocks {
		t := b.Term()
		if len(t.Succs) != 2 || len(t.Args) == 0 || t.Args[0].Kind != llvmir.OperandReg || t.Args[0].Reg != compared.Dst {
			continue
		}
		null := t.Succs[0]
		if compared.Pred == llvmir.PredNE {
			null = t.Succs[1]
		}
		return w.ends(w.f.Blocks[null])
	}
	return false
}

// ends reports whether a block calls a function that does not return. With clang's checks, two blocks without
// successors follow the call.
func (w *walk) ends(b *llvmir.Block) bool {
	for _, next := range b.Succs {
		if w.f.Blocks[next].Term().Op != llvmir.OpUnreachable {
			return false
		}
	}
	if len(b.Succs) == 0 && b.Term().Op != llvmir.OpUnreachable {
		return false
	}
	return slices.ContainsFunc(b.Instrs, func(in *llvmir.Instr) bool {
		f := in.Function()
		return f != nil && in.Intrinsic == "" && !strings.HasPrefix(f.Name, "__ubsan_")
	})
}

// llvmName returns the name of a struct in LLVM: that of its tag, otherwise that of its typedef.
func llvmName(t *llvmir.DIType) string {
	if t.Tag != "" {
		return "struct." + t.Tag
	}
	return "struct." + identifier(t)
}

// types collects the structs and the enumerators of the program's variables, structs by their names in LLVM.
func (w *writer) types(funcs []*llvmir.Func) {
	known := w.structs
	seen := map[*llvmir.DIType]bool{}
	var add func(t *llvmir.DIType)
	add = func(t *llvmir.DIType) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		for _, e := range t.Enums {
			w.enumerators[e.Name] = true
		}
		if t.Kind == llvmir.DIStruct && t.Bits > 0 && !anonymous(t) {
			if name := llvmName(t); known[name] == nil || t.Name != "struct "+t.Tag && w.nameable(t) { // the shorter name
				known[name] = plain(t)
			}
		}
		add(t.Elem)
		for i := range t.Fields {
			add(t.Fields[i].Type)
		}
	}
	for _, f := range funcs {
		add(f.RetDIType)
		for _, b := range f.Blocks {
			for _, in := range b.Instrs {
				if in.Var != nil {
					add(in.Var.Type)
				}
			}
		}
	}
}

// numbered matches the number that LLVM adds to the name of a struct that another file has, too.
var numbered = lazyregexp.New(`\.\d+$`)

// structure returns the type of a struct by its name in LLVM, nil if no text of the project defines it. If no variable
// of the program has it, its members are not known.
func (w *writer) structure(name string) *llvmir.DIType {
	short := numbered.ReplaceAllString(name, "")
	if t := w.structs[short]; t != nil {
		return t
	}
	bits := w.bits[name]
	w.structs[short] = nil
	tag := strings.TrimPrefix(short, "struct.")
	word := regexp.QuoteMeta(tag)
	for pattern, named := range map[string]string{`\}\s*` + word + `\s*;`: tag,
		`\bstruct\s+` + word + `\s*\{`: "struct " + tag} {
		defines := regexp.MustCompile(pattern)
		if bits > 0 && (slices.ContainsFunc(w.Texts, defines.Match) || w.Include && defines.Match(w.Text)) {
			w.structs[short] = &llvmir.DIType{Kind: llvmir.DIStruct, Name: named, Bits: bits}
			break
		}
	}
	return w.structs[short]
}

// container returns the only struct that the code accesses through a pointer to a smaller target. The offset is that of
// the target in it, in bytes. It is nil if there is none, or if there are several.
func (w *writer) container(target *llvmir.DIType, as map[object]bool) (*llvmir.DIType, int64) {
	if target != nil && target.Kind != llvmir.DIVoid && !isComposite(target) {
		return nil, 0
	}
	var only *llvmir.DIType
	var at int64
	for a := range as {
		t := w.structure(a.of)
		switch {
		case t == nil || a.offset > 0 || target != nil && t.Bits <= target.Bits || t.Bits/8 <= -a.offset:
			continue
		case only != nil && (only != t || at != -a.offset):
			return nil, 0
		}
		only, at = t, -a.offset
	}
	if at > 0 && len(only.Fields) > 0 && memberAt(only, at) == "" {
		return nil, 0
	}
	return only, at
}

// findBases collects the structs that functions access through pointers to their first member.
func (w *writer) findBases(funcs []*llvmir.Func) {
	for _, f := range funcs {
		for _, p := range w.analysis.parametersOf(f) {
			if p.typ == nil || p.typ.Kind != llvmir.DIPointer || !isComposite(p.typ.Elem) {
				continue
			}
			name := llvmName(p.typ.Elem)
			for a := range p.as {
				if a.offset == 0 && w.bits[a.of] > p.typ.Elem.Bits {
					if w.bases[name] == nil {
						w.bases[name] = map[string]bool{}
					}
					w.bases[name][a.of] = true
				}
			}
		}
	}
}

// nameable reports whether the proof can name a type and its members.
func (w *writer) nameable(t *llvmir.DIType) bool {
	known, ok := w.seen[t.Name]
	if ok {
		return known
	}
	pattern := `\}\s*` + regexp.QuoteMeta(t.Name) + `\s*;|\btypedef\b[^;{}]*\b` + regexp.QuoteMeta(t.Name) + `\s*;`
	if tag, ok := strings.CutPrefix(t.Name, "struct "); ok {
		pattern = `\bstruct\s+` + regexp.QuoteMeta(tag) + `\s*\{`
	}
	defines := regexp.MustCompile(pattern)
	known = slices.ContainsFunc(w.Texts, defines.Match) || w.Include && defines.Match(w.Text)
	w.seen[t.Name] = known
	return known
}

// memberAt returns the member of a struct at an offset in bytes, or "".
func memberAt(t *llvmir.DIType, offset int64) string {
	for i := range t.Fields {
		if f := &t.Fields[i]; f.BitOffset == 8*offset && !f.BitField {
			return f.Name
		}
	}
	return ""
}

// contained returns a value for a pointer into a struct, and a comment.
func (w *writer) contained(t *llvmir.DIType, offset int64, depth string) (value, comment string) {
	comment = "the code accesses members of " + t.Name
	if !w.nameable(t) {
		w.block = true
		value = fmt.Sprintf("any_block(%d)", t.Bits/8)
		if offset > 0 {
			value = fmt.Sprintf("(void *)((char *)%s + %d)", value, offset)
		}
		return value, comment
	}
	value = "(void *)" + w.object(t, depth)
	if name := memberAt(t, offset); offset > 0 && name == "" {
		value = fmt.Sprintf("(void *)((char *)%s + %d)", strings.TrimPrefix(value, "(void *)"), offset)
	} else if offset > 0 {
		value = fmt.Sprintf("(void *)&((%s)%s)->%s", declare(t, "*"), strings.TrimPrefix(value, "(void *)"),
			name)
	}
	return value, comment
}
