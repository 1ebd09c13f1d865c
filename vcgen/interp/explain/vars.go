package explain

import (
	"fmt"
	"iter"
	"math"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// maxVars bounds the variables that a violation reports.
const maxVars = 60

// Variables renders the named variables in scope, innermost user frame first, then global variables.
//
// Of the globals, only the user's that may change are included. Variables hidden by inner ones of the same frame are
// omitted.
func (w *View) Variables() []found.Variable {
	var out []found.Variable
	for i := len(w.Frames) - 1; i >= 0 && len(out) < maxVars; i-- {
		out = append(out, w.inFrame(i, false)...)
	}
	return append(out, w.variables(maxVars-len(out))...)
}

// Here renders the named variables in scope of the top frame, their targets, and the user's mutable global variables.
func (w *View) Here() []found.Variable {
	top := len(w.Frames) - 1
	out := w.inFrame(top, true)
	seen := map[*state.Object]bool{}
	for p := range w.pointers(top) {
		o := p.to.Obj
		if seen[o] || p.to.Offset() >= o.Size {
			continue
		}
		text, t := p.target(o.Size - p.to.Offset())
		if t == nil {
			continue
		}
		seen[o] = true
		w.look(o, p.to.Offset(), o.Size)
		if v := w.Memory(o, p.to.Offset(), t, 0); v != Unknown {
			out = append(out, found.Variable{Name: text, Value: v})
		}
	}
	return append(out, w.variables(maxVars-len(out))...)
}

// PointedTo returns the name of n bytes at off of an object, via a variable in scope that points there, and their
// type.
//
// It returns "" if there is none.
func (w *View) PointedTo(o *state.Object, off, n uint64) (text string, t *llvmir.DIType) {
	for i := len(w.Frames) - 1; i >= 0; i-- {
		for p := range w.pointers(i) {
			if p.to.Obj == o && p.to.Offset() == off {
				if text, t = p.target(n); t != nil {
					return text, t
				}
			}
		}
	}
	return "", nil
}

// maxLookedAt bounds the bytes of an object that are read to be displayed.
const maxLookedAt = 4096

// look reads the bytes of an object from off to end, so that they get their values in this run.
//
// It reports whether any of them was written.
func (w *View) look(o *state.Object, off, end uint64) (written bool) {
	for i := off; i < min(o.Size, end, off+maxLookedAt); i++ {
		if o.Get(i).State != state.Uninitialized {
			written = true
		}
	}
	return written
}

// bound yields the named variables in scope of a frame that are in memory, inner ones first.
//
// It yields none for a frame whose current position is not in user code.
func (w *View) bound(i int) iter.Seq[state.Binding] {
	return func(yield func(state.Binding) bool) {
		fr, in := w.Frames[i], w.At
		if i+1 < len(w.Frames) {
			in = w.Frames[i+1].Call
		}
		loc := state.LocOf(fr.Fn, in)
		if loc == nil || !w.UserFile(loc.File) {
			return
		}
		seen := map[string]bool{}
		for k := len(fr.Bound) - 1; k >= 0; k-- {
			b := fr.Bound[k]
			if seen[b.V.Name] || strings.HasPrefix(b.V.Name, language.VariablePrefix) ||
				!InScope(b.V.Scope, loc.Scope) || b.Addr.Obj == nil {
				continue
			}
			seen[b.V.Name] = true
			if !yield(b) {
				return
			}
		}
	}
}

// inFrame renders the variables in scope of a frame; with all, also bytes that were never read.
func (w *View) inFrame(i int, all bool) (out []found.Variable) {
	for b := range w.bound(i) {
		o, at := b.Addr.Obj, b.Addr.Offset()
		v := Unknown
		if o.Live && (!all || w.look(o, at, at+uint64(TypeSize(b.V.Type)))) {
			v = w.Memory(o, at, b.V.Type, 0)
		}
		if v != Unknown {
			out = append(out, found.Variable{Name: b.V.Name, Value: v})
		}
	}
	return out
}

// pointer is a variable that points into a live object.
type pointer struct {
	name string
	t    *llvmir.DIType // the target type
	to   state.Value
}

// pointers yields the variables in scope of a frame that point into an object.
func (w *View) pointers(i int) iter.Seq[pointer] {
	return func(yield func(pointer) bool) {
		for b := range w.bound(i) {
			t := b.V.Type
			if t == nil || t.Kind != llvmir.DIPointer || t.Elem == nil || !b.Addr.Obj.Live {
				continue
			}
			to, ok := state.Word(b.Addr.Obj, b.Addr.Offset(), int(b.Addr.Obj.Pointer))
			if ok && to.Obj != nil && to.Whole() && to.Obj.Live && to.Obj.Kind != state.Function &&
				!yield(pointer{b.V.Name, t.Elem, to}) {
				return
			}
		}
	}
}

// target returns the name and type of n bytes at the pointer: "*p", "a[0 .. 15]"; nil if they are not whole elements.
func (p *pointer) target(n uint64) (text string, t *llvmir.DIType) {
	size := uint64(TypeSize(p.t))
	if size == 0 || n < size {
		return "", nil
	}
	count := n / size
	if count == 1 {
		return "*" + p.name, p.t
	}
	return fmt.Sprintf("%s[0 .. %d]", p.name, count-1),
		&llvmir.DIType{Kind: llvmir.DIArray, Elem: p.t, Count: int64(min(count, math.MaxInt32))}
}

// variables renders at most limit of the user's global variables that may change.
func (w *View) variables(limit int) (out []found.Variable) {
	for _, g := range w.Program.Globals {
		o := w.Globals[g]
		if len(out) >= limit {
			break
		}
		if o == nil || g.Constant || g.DIType == nil || g.Loc == nil || !w.UserFile(g.Loc.File) {
			continue
		}
		if v := w.Memory(o, 0, g.DIType, 0); v != Unknown {
			out = append(out, found.Variable{Name: g.SourceName, Value: v})
		}
	}
	return out
}

// InScope reports whether a variable of scope v is visible at scope s.
func InScope(v, s *llvmir.Scope) bool {
	if v == nil || s == nil {
		return true
	}
	for ; s != nil; s = s.Parent {
		if s == v {
			return true
		}
	}
	return false
}
