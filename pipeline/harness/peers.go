package harness

import (
	"fmt"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// The functions of a file follow one convention about NULL. A function that lacks a check that the others have is
// called with NULL, too: a missing check is a common bug.

// Limits of such a convention: the number of other functions with the check, and their share in quarters.
const (
	fewestPeers = 3
	peerShare   = 3
)

// peers marks the parameters that may be NULL since the file's other functions compare theirs of this type with NULL.
// For a function with external linkage, only such functions count: what is called from outside has conventions of its
// own.
func (w *writer) peers() {
	if w.Compare || w.f.Loc == nil {
		return
	}
	for i := range w.params {
		p := &w.params[i]
		if p.null || p.asserted || !p.uses() || !conventional(p.typ) || !w.f.External && !w.passedUnchecked(i+1) {
			continue
		}
		checked, all := 0, 0
		for _, f := range w.functionsOfFile() {
			if f.SourceName == w.Function || w.f.External && !f.External || f.Loc == nil || f.Loc.File != w.f.Loc.File {
				continue
			}
			for _, q := range w.analysis.parametersOf(f) {
				if q.uses() && sameTarget(p.typ, q.typ) {
					if all++; q.null || q.checked {
						checked++
					}
				}
			}
		}
		if checked >= fewestPeers && 4*checked >= peerShare*all {
			p.null, p.peers = true, fmt.Sprintf("%d of %d other functions of the file check for it", checked, all)
		}
	}
}

// passedUnchecked reports whether a function of the file passes a parameter of its own that it does not compare with
// NULL. number is that of the argument in C.
func (w *writer) passedUnchecked(number int) bool {
	a := newAnalysis()
	for _, f := range w.functionsOfFile() {
		for _, p := range a.of(f).passes {
			if own := &a.of(f).params[p.parameter]; p.to.SourceName == w.Function && a.of(p.to).arg[p.argument] == number &&
				!own.null && !own.asserted {
				return true
			}
		}
	}
	return false
}

// uses reports whether the function needs the memory that a parameter points to.
func (f *facts) uses() bool { return f.accessed || f.text || f.filled }

// conventional reports whether pointers of a type have a convention about NULL: pointers to structs, and those with a
// name of their own.
func conventional(t *llvmir.DIType) bool {
	return t != nil && t.Kind == llvmir.DIPointer && (named(t) || isComposite(t.Elem) && t.Elem.Bits > 0)
}

// sameTarget reports whether two parameters point to the same kind of object.
func sameTarget(t, u *llvmir.DIType) bool {
	switch {
	case !conventional(u):
		return false
	case named(t) || named(u):
		return t.Name == u.Name
	}
	return llvmName(t.Elem) == llvmName(u.Elem)
}

// functionsOfFile returns the functions of the file, as far as they are known.
func (w *writer) functionsOfFile() []*llvmir.Func {
	if w.Siblings == nil {
		return w.Program.Funcs
	}
	return w.Siblings.Funcs
}

// learn adds what the file's other functions show about structs, for members about which the function and its callees
// show nothing: lengths, indices, capacities, sizes of allocations.
func (w *writer) learn() {
	if w.Siblings == nil || w.Siblings == w.Program {
		return
	}
	other := newAnalysis()
	w.types(w.Siblings.Funcs)
	for _, f := range w.Siblings.Funcs {
		other.of(f)
	}
	w.around = other
	add(w.lengths, other.lengths)
	add(w.indices, other.indices)
	add(w.below, other.below)
	add(w.ordered, other.ordered)
	add(w.capacities, other.capacities)
	add(w.contexts, other.contexts)
	addShared(w.shared, other.shared)
}

// add adds the entries of a map whose keys are not in another one.
func add[K comparable, V any](to, from map[K]V) {
	for k, v := range from {
		if _, ok := to[k]; !ok {
			to[k] = v
		}
	}
}
