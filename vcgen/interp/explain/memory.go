package explain

import (
	"cmp"
	"fmt"
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

// leaf is a scalar in an object, a run of bit-fields, or up to eight bytes of small array elements.
type leaf struct {
	off, size uint64
	name      string
	typ       *llvmir.DIType   // of a scalar, or of each small element; nil: untyped bytes
	bits      []llvmir.DIField // with offsets in the struct at base
	base      uint64
	elements  bool // small elements of an array
}

// leaves calls f for the scalars of an object by offset; in a large object, for those near a relevant offset.
func (p *picture) leaves(o *state.Object, f func(leaf)) {
	t := o.DIType
	if t == nil {
		t = p.typed[o]
	}
	n := TypeSize(t)
	if n <= 0 || uint64(n) > o.Size || t.Kind == llvmir.DIVoid || t.Kind == llvmir.DIFunc {
		t, n = &llvmir.DIType{Kind: llvmir.DIInt, Bits: 8}, 0
	}
	walk := walker{p, o, f}
	if uint64(n) == o.Size {
		walk.scalars(leaf{typ: t, size: o.Size})
		return
	}
	// A heap block: as many elements of the pointers' target type as fit.
	all := &llvmir.DIType{Kind: llvmir.DIArray, Elem: t, Bits: int64(o.Size) * 8}
	if n == 0 {
		walk.f = func(l leaf) {
			l.typ, l.name, l.elements = nil, "", false
			f(l)
		}
	}
	walk.scalars(leaf{typ: all, size: o.Size})
	if rest := o.Size % uint64(max(n, 1)); rest > 0 && rest <= 8 {
		f(leaf{off: o.Size - rest, size: rest})
	}
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

// walker traverses an object by its type.
type walker struct {
	p *picture
	o *state.Object
	f func(leaf)
}

func (w *walker) scalars(l leaf) {
	t := l.typ
	if l.size == 0 || !w.p.near(w.o, l.off, l.size) {
		return
	}
	switch t.Kind {
	case llvmir.DIArray:
		w.array(l)
	case llvmir.DIStruct, llvmir.DIUnion:
		w.members(l)
	default:
		w.f(l)
	}
}

func (w *walker) array(l leaf) {
	e := l.typ.Elem
	size := uint64(TypeSize(e))
	if size == 0 {
		return
	}
	step, small := size, size <= 2 && IsScalar(e)
	if small {
		step = 8
	}
	for off := uint64(0); off+size <= l.size; {
		if !w.p.near(w.o, l.off+off, step) { // skip elements that are not near: there may be billions
			spot, ok := w.p.nextSpot(w.o, l.off+off+step)
			if !ok {
				return
			}
			off = (spot - nearby - l.off) / step * step // greater than off, which is not near the spot
			continue
		}
		x := leaf{off: l.off + off, size: size, name: fmt.Sprintf("%s[%d]", l.name, off/size), typ: e}
		if small {
			x.elements, x.size = true, min(8, (l.size-off)/size*size)
			w.f(x)
		} else {
			w.scalars(x)
		}
		off += step
	}
}

func (w *walker) members(l leaf) {
	fields := l.typ.Fields
	if l.typ.Kind == llvmir.DIUnion && len(fields) > 0 {
		k := 0
		for i := range fields {
			if TypeSize(fields[i].Type) > TypeSize(fields[k].Type) {
				k = i
			}
		}
		fields = fields[k : k+1]
	}
	for i := 0; i < len(fields); i++ {
		m := &fields[i]
		x := leaf{off: l.off + uint64(m.BitOffset/8), name: l.name, typ: m.Type}
		if m.BitField {
			run := leaf{off: x.off, base: l.off}
			for ; i < len(fields) && fields[i].BitField; i++ {
				end := l.off + uint64(fields[i].BitOffset+fields[i].BitSize+7)/8
				if end-run.off > 8 {
					break
				}
				run.size, run.bits = max(run.size, end-run.off), append(run.bits, fields[i])
				if fields[i].Name != "" {
					run.name += ", " + l.name + "." + fields[i].Name
				}
			}
			i--
			if run.name = strings.TrimPrefix(run.name, ", "); run.size > 0 && w.p.near(w.o, run.off, run.size) {
				w.f(run)
			} else if len(run.bits) == 0 {
				return // a bit-field of more than eight bytes
			}
			continue
		}
		if m.Name != "" {
			x.name += "." + m.Name
		}
		if m.Type == nil {
			continue
		}
		x.size = uint64(TypeSize(m.Type))
		w.scalars(x)
	}
}

// object returns the description of an object.
func (p *picture) object(o pictured) found.Object {
	out := found.Object{Name: strings.TrimPrefix(o.Name, "."), Frame: o.frame, Size: o.Size, Constant: o.Readonly}
	switch o.Kind {
	case state.Function:
		out.Storage, out.Name, out.Constant = found.Code, o.Fn.SourceName, false
		return out
	case state.OnHeap:
		out.Storage, out.Name = found.Heap, o.MadeName()
	case state.OnStack:
		out.Storage = found.Automatic
		if o.Made != nil && o.Made.Scope != nil {
			out.Function = o.Made.Scope.Function
		}
		if o.Maker != "" {
			out.Name = o.MadeName()
		}
		if o.Alloca != nil && p.w.Program.Of(o.Alloca).Literal {
			out.Name = "a compound literal"
		}
	default:
		out.Storage = found.Static
		if o.Global != nil && clangir.IsStringLiteral(o.Global) {
			out.Name = "a string literal"
		}
	}
	if o.Source != "" {
		out.Name = o.Source
	}
	if o.DIType != nil {
		out.Type = o.DIType.Name
	}
	if !o.Live {
		if out.Ended = found.OutOfScope; o.Kind == state.OnHeap {
			out.Ended = found.Freed
		}
	}
	var list []leaf
	p.leaves(o.Object, func(l leaf) { list = append(list, l) })
	list = p.covering(o.Object, list)
	list, cut := p.nearest(o.Object, list)
	end, skipped := uint64(0), false
	for _, l := range list {
		part := p.part(o.Object, l)
		// Padding has fewer than 16 bytes.
		if l.off > end && (cut || l.off-end >= 16) {
			part.Left = l.off - end
			skipped = skipped || part.Left > 0
		}
		end = max(end, l.off+l.size)
		out.Parts = append(out.Parts, part)
	}
	if o.Size > end && (cut || skipped || o.Size-end >= 16) {
		out.Left = o.Size - end
	}
	return out
}

// covering adds leaves for bytes of the access that no leaf has: padding, and bytes beyond a known type.
func (p *picture) covering(o *state.Object, list []leaf) []leaf {
	a := p.access
	if a == nil || a.Obj != o || a.Off >= o.Size {
		return list
	}
	end := min(a.Off+min(a.Len, nearby), o.Size)
	covered := func(off uint64) bool {
		return slices.ContainsFunc(list, func(l leaf) bool { return l.off <= off && off < l.off+l.size })
	}
	for off := a.Off; off < end; off++ {
		if covered(off) {
			continue
		}
		n := uint64(1)
		for n < 8 && off+n < end && !covered(off+n) {
			n++
		}
		list = append(list, leaf{off: off, size: n})
	}
	slices.SortStableFunc(list, func(x, y leaf) int { return cmp.Compare(x.off, y.off) })
	return list
}

// nearest returns at most maxParts of the leaves: those nearest to the spots.
func (p *picture) nearest(o *state.Object, list []leaf) (near []leaf, cut bool) {
	if len(list) <= maxParts {
		return list, false
	}
	byDistance := slices.Clone(list)
	slices.SortStableFunc(byDistance, func(x, y leaf) int {
		return cmp.Compare(p.distance(o, x.off, x.size), p.distance(o, y.off, y.size))
	})
	near = byDistance[:maxParts]
	slices.SortStableFunc(near, func(x, y leaf) int { return cmp.Compare(x.off, y.off) })
	return near, true
}

// part returns the description of a leaf.
func (p *picture) part(o *state.Object, l leaf) found.Part {
	out := found.Part{Off: l.off, Name: l.name}
	known, written := true, false
	for i := range l.size {
		b := found.Unlooked
		if c, ok := o.Peek(l.off + i); ok {
			b = found.Byte(c.B)
		}
		if o.StateAt(l.off+i) == state.Uninitialized {
			b = found.Unwritten
		}
		known, written = known && b != found.Unlooked, written || b != found.Unwritten
		out.Bytes = append(out.Bytes, b)
	}
	if !known || !written {
		return out
	}
	out.Pointer = l.size == uint64(o.Pointer) && l.typ != nil && l.typ.Kind == llvmir.DIPointer
	if to := p.pointee(o, l); to != nil {
		out.Pointer = true
		v, _ := state.Word(o, l.off, int(o.Pointer))
		if i, is := p.index[to]; is {
			out.Target = &found.Target{Object: i, Off: int64(v.Offset())}
		}
		var elem *llvmir.DIType
		if l.typ != nil {
			elem = l.typ.Elem
		}
		out.Value = p.w.Pointer(v, elem)
		return out
	}
	switch {
	case len(l.bits) > 0:
		var values []string
		for i := range l.bits {
			if l.bits[i].Name != "" {
				values = append(values, p.w.Field(o, l.base, &l.bits[i], 1))
			}
		}
		out.Value = strings.Join(values, ", ")
	case l.elements:
		out.Value = p.elements(o, l)
	case l.typ != nil:
		if out.Value = p.w.Memory(o, l.off, l.typ, 0); out.Value == Unknown {
			out.Value = ""
		}
	}
	return out
}

// elements renders small array elements; characters as text, with a dot for unprintable ones.
func (p *picture) elements(o *state.Object, l leaf) string {
	n := uint64(TypeSize(l.typ))
	var values []string
	text, printable := "", false
	for off := l.off; off < l.off+l.size; off += n {
		values = append(values, p.w.Memory(o, off, l.typ, 0))
		if c, _ := o.Peek(off); n == 1 && c.B > 0x20 && c.B < 0x7f {
			text, printable = text+string(rune(c.B)), true
		} else {
			text += "·"
		}
	}
	switch {
	case n == 1 && printable:
		return text
	case n == 1:
		return ""
	}
	return strings.Join(values, ", ")
}
