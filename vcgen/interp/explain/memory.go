package explain

import (
	"math"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Limits of a picture of memory, chosen so that a reader can survey it.
const (
	maxObjects   = 24
	maxParts     = 20 // of each object
	maxFrameVars = 10
	maxReached   = 10 // objects reached from the variables of a frame
	maxSpots     = 5
	nearby       = 16  // bytes on both sides of a spot in a large object
	largeObject  = 128 // bytes; smaller ones are shown completely
)

// Accused is the access that a check is about.
type Accused struct {
	Obj   *state.Object // nil if there is none
	Off   uint64        // the address if there is no object
	Len   uint64
	Write bool
}

// MemoryNow returns the memory around a violation at the current moment.
//
// a is the access of the violation, or nil. The reads here do not count as uses of inputs.
func (w *View) MemoryNow(a *Accused) *found.Memory {
	p := picture{w: w, index: map[*state.Object]int{}, typed: map[*state.Object]*llvmir.DIType{},
		spots: map[*state.Object][]uint64{}, access: a}
	if a != nil && a.Obj != nil {
		p.add(a.Obj, 0)
		p.spot(a.Obj, a.Off)
	}
	number := 0
	for i := len(w.Frames) - 1; i >= 0; i-- {
		fr, at := w.Frames[i], w.At
		if i+1 < len(w.Frames) {
			at = w.Frames[i+1].Call
		}
		loc := state.LocOf(fr.Fn, at)
		if loc == nil || !w.UserFile(loc.File) {
			continue
		}
		number++
		p.frame(fr, loc, number)
		p.reach(maxReached)
	}
	for _, g := range w.Program.Globals {
		if o := w.Globals[g]; o != nil && !g.Constant && g.DIType != nil && g.Loc != nil && w.UserFile(g.Loc.File) {
			p.add(o, 0)
		}
	}
	p.reach(maxReached)
	out := &found.Memory{More: p.more}
	for _, o := range p.objects {
		out.Objects = append(out.Objects, p.object(o))
	}
	if a != nil {
		out.Access = &found.Access{Object: -1, Off: int64(a.Off), Len: a.Len, Write: a.Write}
		if a.Obj != nil {
			out.Access.Object = p.index[a.Obj]
		}
	}
	if len(out.Objects) == 0 && out.Access == nil {
		return nil
	}
	return out
}

// picture is a picture of memory under construction.
type picture struct {
	w       *View
	access  *Accused
	objects []pictured
	index   map[*state.Object]int
	typed   map[*state.Object]*llvmir.DIType // of heap blocks: the target type of a pointer to them
	// spots are the relevant offsets of an object: its beginning, the access, and targets of pointers.
	spots map[*state.Object][]uint64
	next  int // the first object whose pointers have not been followed
	more  int
}

type pictured struct {
	*state.Object
	frame int
}

// add adds an object once, and reports whether it is in the picture; frame is that of found.Object.
func (p *picture) add(o *state.Object, frame int) bool {
	if i, is := p.index[o]; is {
		p.objects[i].frame = max(p.objects[i].frame, frame)
		return true
	}
	if len(p.objects) >= maxObjects {
		p.more++
		return false
	}
	p.index[o] = len(p.objects)
	p.objects = append(p.objects, pictured{o, frame})
	p.spot(o, 0)
	return true
}

// spot marks an offset of an object as relevant. An offset beyond the end marks the last byte.
func (p *picture) spot(o *state.Object, off uint64) {
	if int64(off) >= 0 && o.Size > 0 && len(p.spots[o]) < maxSpots {
		p.spots[o] = append(p.spots[o], min(off, o.Size-1))
	}
}

// frame adds the variables of a call that are in scope, in the order of their declarations.
func (p *picture) frame(fr *state.Frame, loc *llvmir.Loc, number int) {
	seen := map[string]bool{}
	var vars []*state.Object
	for k := len(fr.Bound) - 1; k >= 0; k-- {
		b := fr.Bound[k]
		if o := b.Addr.Obj; o != nil && o.Kind != state.Function && !seen[b.V.Name] && InScope(b.V.Scope, loc.Scope) &&
			!strings.HasPrefix(b.V.Name, language.VariablePrefix) {
			seen[b.V.Name] = true
			vars = append(vars, o)
		}
	}
	slices.Reverse(vars)
	for i, o := range vars {
		switch {
		case i >= maxFrameVars:
			p.more++
		case o.Kind == state.OnStack:
			p.add(o, number)
		default:
			p.add(o, 0)
		}
	}
}

// reach follows the pointers in objects that have not been visited, and adds at most limit other objects.
func (p *picture) reach(limit int) {
	for ; p.next < len(p.objects); p.next++ {
		o := p.objects[p.next].Object
		if o.Kind == state.Function {
			continue
		}
		p.leaves(o, func(l leaf) {
			to := p.pointee(o, l)
			if to == nil {
				return
			}
			if e := l.typ; e != nil && e.Elem != nil && p.typed[to] == nil && to.DIType == nil {
				p.typed[to] = e.Elem
			}
			if _, is := p.index[to]; !is && limit <= 0 {
				p.more++
			} else if !is && p.add(to, 0) {
				limit--
			}
			if v, _ := state.Word(o, l.off, int(o.Pointer)); v.Obj == to {
				p.spot(to, v.Offset())
			}
		})
	}
}

// pointee returns the object that a scalar points to.
//
// It returns nil if the scalar is not a pointer, or if its rendered value already shows the target: a string or a
// function.
func (p *picture) pointee(o *state.Object, l leaf) *state.Object {
	if l.size != uint64(o.Pointer) || l.typ != nil && l.typ.Kind != llvmir.DIPointer {
		return nil
	}
	v, ok := state.Word(o, l.off, int(o.Pointer))
	if !ok || !v.Whole() || v.Obj.Kind == state.Function {
		return nil
	}
	if g := v.Obj.Global; g != nil && v.Obj.Source == "" && v.Obj.Readonly && clangir.IsStringLiteral(g) &&
		(p.access == nil || p.access.Obj != v.Obj) {
		return nil
	}
	return v.Obj
}

// distance returns the number of bytes between a range and the nearest spot of an object.
func (p *picture) distance(o *state.Object, off, n uint64) uint64 {
	best := uint64(math.MaxUint64)
	for _, s := range p.spots[o] {
		switch {
		case s < off:
			best = min(best, off-s)
		case s >= off+n:
			best = min(best, s-(off+n)+1)
		default:
			best = 0
		}
	}
	return best
}

// nextSpot returns the first spot of an object at or after an offset.
func (p *picture) nextSpot(o *state.Object, off uint64) (spot uint64, ok bool) {
	for _, s := range p.spots[o] {
		if s >= off && (!ok || s < spot) {
			spot, ok = s, true
		}
	}
	return spot, ok
}

// near reports whether a part of an object is shown.
func (p *picture) near(o *state.Object, off, n uint64) bool {
	return o.Size <= largeObject || p.distance(o, off, n) <= nearby
}
