package explain

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Structs, unions and arrays are rendered as C initializers. Zero parts of large ones are omitted, as in C: {.len =
// 3, .in = {.x = 2}}, {[50] = 9}. Parts that the execution never read are "?"; in large ones they are omitted as
// well, indicated by "..." at the end.

// Sizes up to which all parts are shown.
const (
	smallStruct = 6 // scalars in it, also in structs inside
	smallArray  = 8 // elements
)

// maxLooked bounds the elements of an array that are inspected.
const maxLooked = 1024

// partList collects the parts of a rendered value.
type partList struct {
	parts []string
	more  bool // a nonzero part was omitted
}

func (l *partList) add(text string) {
	if len(l.parts) < maxElements {
		l.parts = append(l.parts, text)
	} else {
		l.more = true
	}
}

func (l *partList) String() string {
	switch {
	case len(l.parts) == 0 && l.more:
		return "{...}"
	case len(l.parts) == 0:
		return "{0}"
	case l.more:
		return "{" + strings.Join(l.parts, ", ") + ", ...}"
	}
	return "{" + strings.Join(l.parts, ", ") + "}"
}

func (w *View) renderStruct(s state.Source, off uint64, t *llvmir.DIType, depth int) string {
	if len(t.Fields) == 0 {
		return "{}"
	}
	if depth >= maxRenderDepth {
		return "{...}"
	}
	var l partList
	w.members(&l, s, off, t, depth, scalars(t, smallStruct+1) > smallStruct)
	return l.String()
}

// members adds the members of a struct, including those of anonymous structs in it. sparse omits zero members.
func (w *View) members(l *partList, s state.Source, off uint64, t *llvmir.DIType, depth int, sparse bool) {
	fields := t.Fields
	if t.Kind == llvmir.DIUnion && len(fields) > 0 {
		k := shownMember(s, off, t)
		fields = fields[k : k+1]
	}
	for i := range fields {
		f := &fields[i]
		if f.Name == "" && !f.BitField && f.Type != nil && (f.Type.Kind == llvmir.DIStruct || f.Type.Kind == llvmir.DIUnion) {
			if depth < maxRenderDepth {
				w.members(l, s, off+uint64(f.BitOffset/8), f.Type, depth+1, sparse)
			}
			continue
		}
		if sparse && fieldIsZero(s, off, f) {
			continue
		}
		v := w.Field(s, off, f, depth+1)
		switch {
		case sparse && (v == Unknown || v == "{...}"):
			l.more = true
		case f.Name == "":
			l.add(v)
		default:
			l.add("." + f.Name + " = " + v)
		}
	}
}

// shownMember returns the member of a union to render: the first one if it has all nonzero bytes, otherwise the
// largest.
func shownMember(s state.Source, off uint64, t *llvmir.DIType) int {
	size := func(i int) uint64 {
		if f := &t.Fields[i]; !f.BitField {
			return uint64(TypeSize(f.Type))
		}
		return uint64(t.Fields[i].BitSize+7) / 8
	}
	largest := 0
	for i := range t.Fields {
		if size(i) > size(largest) {
			largest = i
		}
	}
	if first := size(0); largest != 0 && !isZero(s, off+first, size(largest)-first) {
		return largest
	}
	return 0
}

// scalars returns the number of scalars in a type, up to a limit.
func scalars(t *llvmir.DIType, limit int) int {
	if t == nil || limit <= 0 {
		return 1
	}
	n := 0
	switch t.Kind {
	case llvmir.DIStruct:
		for i := range t.Fields {
			if n += scalars(t.Fields[i].Type, limit-n); n >= limit {
				return n
			}
		}
		return n
	case llvmir.DIArray:
		if t.Elem != nil && t.Elem.Kind == llvmir.DIChar {
			return 1 // mostly text
		}
		for range t.Count {
			if n += scalars(t.Elem, limit-n); n >= limit {
				return n
			}
		}
		return n
	}
	return 1
}

func fieldIsZero(s state.Source, off uint64, f *llvmir.DIField) bool {
	if f.BitField {
		v, ok := BitsAt(s, off, f)
		return ok && v == 0
	}
	return isZero(s, off+uint64(f.BitOffset/8), uint64(TypeSize(f.Type)))
}

// isZero reports whether n bytes are known to be zero, and not part of a pointer to an object.
func isZero(s state.Source, off, n uint64) bool {
	for i := range n {
		if c, ok := s.Peek(off + i); !ok || c.B != 0 || c.Ref.Obj != nil {
			return false
		}
	}
	return true
}

func (w *View) renderArray(s state.Source, off uint64, t *llvmir.DIType, depth int) string {
	size := TypeSize(t.Elem)
	if depth >= maxRenderDepth || size == 0 || t.Count < 0 {
		return "{...}"
	}
	if t.Elem.Kind == llvmir.DIChar {
		if str, ok := wholeStringAt(s, off, uint64(t.Count)); ok {
			return str
		}
	}
	element := func(i int64) string { return w.Memory(s, off+uint64(i*size), t.Elem, depth+1) }
	zero := func(i int64) bool { return isZero(s, off+uint64(i*size), uint64(size)) }
	looked := min(t.Count, maxLooked)
	l := partList{more: looked < t.Count}
	zeros := int64(0)
	for i := range looked {
		if zero(i) {
			zeros++
		}
	}
	switch {
	case scalars(t, smallArray+1) <= smallArray || zeros < looked/2 || t.Elem.Kind == llvmir.DIChar &&
		t.Count <= smallArray:
		for i := range looked {
			if l.add(element(i)); l.more && len(l.parts) == maxElements {
				break
			}
		}
		return l.String()
	}
	// Mostly zero: other elements with their indices, consecutive equal ones combined.
	for i := int64(0); i < looked && len(l.parts) <= maxElements; {
		if zero(i) {
			i++
			continue
		}
		first, text := i, element(i)
		for i++; i < looked && !zero(i) && element(i) == text; i++ {
		}
		switch {
		case text == Unknown || text == "{...}":
			l.more = true
		case i-first == 1:
			l.add(fmt.Sprintf("[%d] = %s", first, text))
		default:
			l.add(fmt.Sprintf("[%d ... %d] = %s", first, i-1, text))
		}
	}
	return l.String()
}
