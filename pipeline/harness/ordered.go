package harness

import (
	"slices"

	"github.com/unitproof/unitproof/pipeline/lazyregexp"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Pointers of a struct that the code compares by their order, or subtracts, point into one block:
//
//	if (d->source < d->source_limit) c = *d->source++;
//
// The end is the one through which no memory is accessed.

// orders records that two members point into one block: an instruction compares their order or subtracts them.
func (w *walk) orders(in *llvmir.Instr) {
	if len(in.Args) != 2 {
		return
	}
	switch in.Op {
	case llvmir.OpICmp:
		if in.Pred == llvmir.PredEQ || in.Pred == llvmir.PredNE || !isPointer(in.Args[0].Type) {
			return
		}
	case llvmir.OpSub:
	default:
		return
	}
	m, first := w.pointerIn(in.Args[0])
	n, second := w.pointerIn(in.Args[1])
	if first && second && m.of == n.of && m != n {
		relate(w.ordered, m, n)
		relate(w.ordered, n, m)
	}
}

// pointerIn returns the member from which a pointer is loaded, also as a number.
func (w *walk) pointerIn(o llvmir.Operand) (member, bool) {
	d := w.defOf(o)
	if d != nil && d.Op == llvmir.OpPtrToInt {
		o = d.Args[0]
		d = w.defOf(o)
	}
	if d == nil || d.Op != llvmir.OpLoad || !isPointer(d.Type) {
		return member{}, false
	}
	return w.loaded(o)
}

// orderedCursors returns the groups of members of a struct that the code shows to point into one block, each as
// cursorsOf does: the start, the end, and others. Groups without an end are left out.
func (w *writer) orderedCursors(t *llvmir.DIType) (groups [][]*llvmir.DIField) {
	of := llvmName(t)
	at := func(f *llvmir.DIField) member { return member{of, f.BitOffset / 8} }
	grouped := map[*llvmir.DIField]bool{}
	var collect func(f *llvmir.DIField) []*llvmir.DIField
	collect = func(f *llvmir.DIField) []*llvmir.DIField {
		grouped[f] = true
		list := []*llvmir.DIField{f}
		for i := range t.Fields {
			g := &t.Fields[i]
			if !grouped[g] && w.ordered[at(f)][at(g)] && g.Name != "" && g.Type != nil &&
				g.Type.Kind == llvmir.DIPointer && g.Type.Elem != nil && g.Type.Elem.Name == f.Type.Elem.Name {
				list = append(list, collect(g)...)
			}
		}
		return list
	}
	for i := range t.Fields {
		f := &t.Fields[i]
		if grouped[f] || f.Name == "" || f.Type == nil || f.Type.Kind != llvmir.DIPointer || f.Type.Elem == nil ||
			f.Type.Elem.Bits == 0 || len(w.ordered[at(f)]) == 0 {
			continue
		}
		if list := w.startAndEnd(collect(f), at); list != nil {
			groups = append(groups, list)
		}
	}
	return groups
}

// startAndEnd puts the start and the end of a block first; nil if no member or several may be the end.
func (w *writer) startAndEnd(list []*llvmir.DIField, at func(f *llvmir.DIField) member) []*llvmir.DIField {
	isEnd := func(f *llvmir.DIField) bool {
		return !w.read[at(f)] && !w.written[at(f)] && !w.walked[at(f)] && !startOf.MatchString(f.Name)
	}
	end := slices.IndexFunc(list, isEnd)
	if end < 0 || len(list) < 2 || slices.ContainsFunc(list[end+1:], isEnd) {
		return nil
	}
	last := list[end]
	list = slices.Delete(list, end, end+1)
	if i := slices.IndexFunc(list, func(f *llvmir.DIField) bool { return startOf.MatchString(f.Name) }); i > 0 {
		list[0], list[i] = list[i], list[0]
	}
	return slices.Insert(list, 1, last)
}

// startOf matches the names of pointers to the start of a block, if the code shows that there is one.
var startOf = lazyregexp.New(`(?i)start|begin|base|first`)
