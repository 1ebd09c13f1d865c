package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

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
