package explain

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

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
