package harness

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/diagnostics/csource"
	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Lengths within structs, as the code uses them: an index of the elements behind a member is compared with another
// member, or a member is an index of an array beside it.
//
//	for (i = 0; i < t->nkeys; i++) use(t->keys[i]);  // nkeys is the length of keys
//	s->slots[s->top] = x;                            // top is below the number of slots

// memberLengths records the lengths within structs that the function shows.
func (w *walk) memberLengths() {
	indexes := map[member]set{} // the variables that index the elements of a member
	w.each(func(in *llvmir.Instr) {
		if in.Op != llvmir.OpGEP || len(in.Args) < 2 {
			return
		}
		index := in.Args[len(in.Args)-1]
		if index.Kind != llvmir.OperandReg {
			return
		}
		_, of := w.sources(index)
		for m := range w.elementsOf(in) {
			indexes[m] |= of
			if n, ok := w.number(index); ok && n.of == m.of {
				relate(w.indices, m, n)
			} else if n, ok := w.oneBelow(index); ok && n.of == m.of {
				relate(w.lengths, m, n)
			}
		}
	})
	w.each(func(in *llvmir.Instr) {
		if in.Op != llvmir.OpICmp {
			return
		}
		for side := range 2 {
			n, ok := w.number(in.Args[1-side])
			if !ok {
				continue
			}
			_, of := w.sources(in.Args[side])
			for m, by := range indexes {
				switch {
				case by&of == 0 || n.of != m.of || n == m:
				case upTo(in.Pred, side):
					relate(w.indices, m, n)
				default:
					relate(w.lengths, m, n)
				}
			}
		}
	})
}

// oneBelow returns the member from which an integer is loaded that is one larger, as in s->slots[s->used - 1].
func (w *walk) oneBelow(o llvmir.Operand) (member, bool) {
	d := w.defOf(o)
	for d != nil && (d.Op == llvmir.OpSExt || d.Op == llvmir.OpZExt || d.Op == llvmir.OpExtractValue) {
		d = w.defOf(d.Args[0])
	}
	checked := d != nil && d.Op == llvmir.OpCall && strings.Contains(d.Intrinsic, "sub.with.overflow")
	if d == nil || d.Op != llvmir.OpSub && !checked || len(d.Args) < 2 {
		return member{}, false
	}
	if k := d.Args[1].Const; d.Args[1].Kind != llvmir.OperandConst || k == nil || k.Kind != llvmir.ConstInt ||
		!k.Int.IsInt64() || k.Int.Int64() != 1 {
		return member{}, false
	}
	return w.number(d.Args[0])
}

// factor returns the constant by which a number is multiplied at last; 1 if it is none.
func (w *walk) factor(o llvmir.Operand, depth int) int64 {
	d := w.defOf(o)
	if d == nil || depth > 10 {
		return 1
	}
	switch d.Op {
	case llvmir.OpZExt, llvmir.OpSExt, llvmir.OpTrunc, llvmir.OpExtractValue:
		return w.factor(d.Args[0], depth+1)
	case llvmir.OpMul, llvmir.OpCall:
		if d.Op == llvmir.OpCall && !strings.Contains(d.Intrinsic, "mul.with.overflow") || len(d.Args) < 2 {
			return 1
		}
		for _, a := range d.Args[:2] {
			if k := a.Const; a.Kind == llvmir.OperandConst && k != nil && k.Kind == llvmir.ConstInt && k.Int.IsInt64() {
				return k.Int.Int64()
			}
		}
	case llvmir.OpLoad:
		v, factor := w.slot(d.Args[0]), int64(1)
		if v < 0 {
			return 1
		}
		w.each(func(in *llvmir.Instr) {
			if in.Op == llvmir.OpStore && w.slot(in.Args[1]) == v {
				factor = w.factor(in.Args[0], depth+1)
			}
		})
		return factor
	}
	return 1
}

// upTo reports whether a comparison holds if the operand of a side is equal to the other one, as in i <= last.
func upTo(p llvmir.Pred, side int) bool {
	if side == 0 {
		return p == llvmir.PredULE || p == llvmir.PredSLE
	}
	return p == llvmir.PredUGE || p == llvmir.PredSGE
}

func relate(to map[member]map[member]bool, m, n member) {
	if to[m] == nil {
		to[m] = map[member]bool{}
	}
	to[m][n] = true
}

// elementsOf returns the members whose elements an instruction computes the address of: a pointer to them, or an array.
func (w *walk) elementsOf(address *llvmir.Instr) map[member]bool {
	base := w.defOf(address.Args[0])
	if base == nil {
		return nil
	}
	if base.Op == llvmir.OpGEP && ofMember(base) && base.ElemType.Name != "" && address.ElemType != nil &&
		address.ElemType.Kind == llvmir.ArrayType {
		return map[member]bool{{base.ElemType.Name, base.GEP.Const}: true}
	}
	members, offset, ok := w.behind(address.Args[0], 0)
	if !ok || offset != 0 || len(address.Args) != 2 {
		return nil
	}
	return members
}

// number returns the member from which an integer is loaded.
func (w *walk) number(o llvmir.Operand) (member, bool) {
	d := w.defOf(o)
	for d != nil && (d.Op == llvmir.OpSExt || d.Op == llvmir.OpZExt || d.Op == llvmir.OpTrunc) {
		o = d.Args[0]
		d = w.defOf(o)
	}
	if d == nil || d.Type == nil || d.Type.Kind != llvmir.IntType {
		return member{}, false
	}
	return w.loaded(o)
}

// indexBound returns the statement that keeps a member below the number of elements of an array beside it, or "".
func (w *writer) indexBound(t *llvmir.DIType, f *llvmir.DIField, prefix string) string {
	if !isNumber(f.Type) || f.BitField || w.predicate(t) != "" { // which says it, too
		return ""
	}
	n := member{llvmName(t), f.BitOffset / 8}
	var at *llvmir.DIField
	relation := ""
	for i := range t.Fields {
		a := &t.Fields[i]
		m := member{n.of, a.BitOffset / 8}
		if a.Type == nil || a.Type.Kind != llvmir.DIArray || a.Type.Count <= 1 || at != nil && a.Type.Count >= at.Type.Count {
			continue
		}
		switch {
		case w.indices[m][n]:
			at, relation = a, "<"
		case w.lengths[m][n]:
			at, relation = a, "<="
		}
	}
	if at == nil {
		return ""
	}
	name := prefix + f.Name
	bound, low := fmt.Sprintf("%s %s %d", name, relation, at.Type.Count), ""
	if f.Type.Signed {
		low = name + " >= 0 && "
	}
	what := "is " + f.Name + " always the index of an element of " + at.Name + "?"
	if relation == "<=" {
		what = "is " + f.Name + " at most the number of elements of " + at.Name + " in every call?"
	}
	w.keeps(prefix, low+bound, false)
	return "assume(" + low + bound + "); /* " + w.ask(what) + " */"
}

// hasIndex reports whether a member of a struct is an index of an array beside it.
func (w *writer) hasIndex(t *llvmir.DIType) bool {
	name := llvmName(t)
	for i := range t.Fields {
		if a := &t.Fields[i]; a.Type != nil && a.Type.Kind == llvmir.DIArray && a.Type.Count > 1 {
			if m := (member{name, a.BitOffset / 8}); len(w.indices[m])+len(w.lengths[m]) > 0 {
				return true
			}
		}
	}
	return false
}

// shownLengths returns the members that the code uses as the length of a pointer. others are lengths of other pointers.
func (w *writer) shownLengths(of *llvmir.DIType, pointer *llvmir.DIField) (own []*llvmir.DIField,
	others map[string]bool) {
	name := llvmName(of)
	others = map[string]bool{}
	for i := range of.Fields {
		f := &of.Fields[i]
		if !isNumber(f.Type) || f.BitField {
			continue
		}
		n := member{name, f.BitOffset / 8}
		for k := range of.Fields {
			p := &of.Fields[k]
			if p.Type == nil || p.Type.Kind != llvmir.DIPointer && p.Type.Kind != llvmir.DIArray ||
				!w.lengths[member{name, p.BitOffset / 8}][n] {
				continue
			}
			if p == pointer {
				own = append(own, f)
			} else {
				others[f.Name] = true
			}
		}
	}
	return own, others
}

// affixed reports whether the name of a length is that of a pointer with a prefix or a suffix: nkeys, keys_len.
func affixed(length, pointer string) bool {
	l, p := strings.ToLower(length), strings.ToLower(pointer)
	for _, name := range []string{p, strings.TrimSuffix(p, "s")} {
		rest, ok := strings.CutSuffix(l, name)
		if ok && (rest == "n" || rest == "n_" || rest == "num_" || rest == "num" || rest == "nb_") {
			return true
		}
		rest, ok = strings.CutPrefix(l, name)
		if ok && rest != "" && lengthSuffix.ReplaceAllString(rest, "") == "" {
			return true
		}
	}
	return false
}

// declaredSizes reads the numbers of elements in the declarations of the parameters: const uint8_t key[32].
func (w *writer) declaredSizes() {
	f, ok := csource.NewSource(w.Text).Function(w.Function)
	if !ok {
		return
	}
	open := csource.SkipTrivia(w.Text, f.NameEnd)
	end, ok := csource.Closing(w.Text, open)
	if !ok {
		return
	}
	list, _ := csource.Split(w.Text[open+1:end], ",")
	if len(list) != len(w.params) {
		return
	}
	for i, declaration := range list {
		p := &w.params[i]
		m := arrayDeclarator.FindSubmatch(csource.OneLine(declaration))
		if m == nil || p.typ.Kind != llvmir.DIPointer || p.typ.Elem == nil || p.typ.Elem.Bits < 8 ||
			w.hasPointers(p.typ.Elem, 0) {
			continue
		}
		size := strings.TrimSpace(string(m[1]))
		if k := slices.IndexFunc(w.params, func(q parameter) bool { return q.name == size }); k >= 0 {
			if w.params[k].typ.Kind == llvmir.DIInt {
				p.length, p.bytes, p.why = k, false, "declared with %s elements"
			}
			continue
		}
		if !w.constant(size) {
			continue
		}
		if strings.ContainsAny(size, " +-*/") && p.typ.Elem.Bits > 8 {
			size = "(" + size + ")"
		}
		p.declared, p.length, p.ends = size, -1, -1
	}
}

var arrayDeclarator = lazyregexp.New(`\w\s*\[\s*(?:(?:static|const|restrict)\s+)*([^\[\]]+)\]`)

// constant reports whether an expression consists of numbers, and of macros and enumerators that the proof sees.
func (w *writer) constant(expression string) bool {
	text := []byte(expression)
	s := csource.Scanner{Text: text}
	for t := s.Code(); t.Kind != csource.End; t = s.Code() {
		switch word := t.Of(text); {
		case t.Kind == csource.Ident:
			defined := regexp.MustCompile(`(?m)^\s*#\s*define\s+` + regexp.QuoteMeta(word) + `\b`)
			if !w.enumerator(word) && !slices.ContainsFunc(w.Texts, defined.Match) &&
				!(w.Include && defined.Match(w.Text)) {
				return false
			}
		case !strings.Contains("+-*/()", word) && (word == "" || word[0] < '0' || word[0] > '9'):
			return false
		}
	}
	return true
}
