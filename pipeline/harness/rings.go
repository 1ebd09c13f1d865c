package harness

import (
	"fmt"
	"strings"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// A position in a ring starts again at 0 when it gets to the size, so it is probably always below the size:
//
//	r->tail = (r->tail + 1) % r->size;
//
// A comparison, if (r->used == r->size) r->used = 0, shows less: the member may have the size until then, as in a
// buffer that is emptied when it is full.

// rings records the members that become remainders by another member of the struct.
func (w *walk) rings() {
	w.each(func(in *llvmir.Instr) {
		if in.Op != llvmir.OpStore {
			return
		}
		m, ok := w.memberAt(in.Args[1])
		if size, wraps := w.remainderOf(in.Args[0], 0); wraps && ok && size.of == m.of {
			relate(w.below, m, size)
		}
	})
}

// memberAt returns the member of a struct whose address an operand is.
func (w *walk) memberAt(o llvmir.Operand) (member, bool) {
	g := w.defOf(o)
	for g != nil && g.Op == llvmir.OpBitCast { // of a union
		g = w.defOf(g.Args[0])
	}
	if g == nil || g.Op != llvmir.OpGEP || !ofMember(g) || g.ElemType.Name == "" {
		return member{}, false
	}
	return member{g.ElemType.Name, g.GEP.Const}, true
}

// stripped returns the instruction that computes a number, without conversions and additions of constants.
func (w *walk) stripped(o llvmir.Operand) *llvmir.Instr {
	for range 10 {
		d := w.defOf(o)
		if d == nil {
			return nil
		}
		switch {
		case d.Op == llvmir.OpZExt || d.Op == llvmir.OpSExt || d.Op == llvmir.OpTrunc || d.Op == llvmir.OpExtractValue:
		case d.Op == llvmir.OpAdd || d.Op == llvmir.OpCall && strings.Contains(d.Intrinsic, "add.with.overflow"):
			if _, constant := smallConstant(d.Args[1]); !constant {
				return d
			}
		default:
			return d
		}
		o = d.Args[0]
	}
	return nil
}

// remainderOf returns the member by which a number is divided, whose remainder a value is.
func (w *walk) remainderOf(o llvmir.Operand, depth int) (size member, ok bool) {
	d := w.stripped(o)
	switch {
	case d == nil || depth > 2:
	case d.Op == llvmir.OpURem || d.Op == llvmir.OpSRem:
		return w.number(d.Args[1])
	case d.Op == llvmir.OpLoad && w.slot(d.Args[0]) >= 0:
		v := w.slot(d.Args[0])
		w.each(func(in *llvmir.Instr) {
			if in.Op == llvmir.OpStore && w.slot(in.Args[1]) == v && !ok {
				size, ok = w.remainderOf(in.Args[0], depth+1)
			}
		})
	}
	return size, ok
}

// positionsBelow returns the statements that keep the positions in a ring below its size, a member of the same struct.
// Another function may leave a position elsewhere, so each is a question, and no function has to keep it.
func (w *writer) positionsBelow(t *llvmir.DIType, size *llvmir.DIField, prefix string) (lines []string) {
	of := llvmName(t)
	for i := range t.Fields {
		f := &t.Fields[i]
		if f == size || !isNumber(f.Type) || f.BitField ||
			!w.below[member{of, f.BitOffset / 8}][member{of, size.BitOffset / 8}] {
			continue
		}
		low, n := "", prefix+size.Name
		if f.Type.Signed {
			low = prefix + f.Name + " >= 0 && "
		}
		lines = append(lines, fmt.Sprintf("assume(%s == 0 || %s%s < %s); /* %s */", n, low, prefix+f.Name, n,
			w.ask("is "+f.Name+" always below "+size.Name+"?")))
	}
	return lines
}
