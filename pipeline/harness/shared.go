package harness

import (
	"fmt"
	"maps"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Members of a struct that are stored from each other point into one block:
//
//	b->data = b->alloc = calloc(n + 1, 1);
//
// A proof with two blocks would fail as soon as the code frees one of them and reads the other. The member that the
// code moves is the position, the other one the start.

// position describes the stores to a member that is a pointer into a block.
type position struct {
	// with has the members of the same object that it is stored from, or together with.
	with map[member]bool
	// moved: it is stored with another position in its block. alone: another block is stored without the others.
	moved, alone bool
}

// stored is a store of a pointer to a member of an object.
type stored struct {
	to     member
	object int // the variable with the address of the object, or its register plus noVariable
	from   int // the register of the value, or that of the only value of a variable; -1: unknown
}

// noVariable is the first number that stands for a register instead of a variable.
const noVariable = 1 << 20

// together records the members that the function stores from each other.
func (w *walk) together() {
	writes, only := map[int]int{}, map[int]int{} // by variable: the stores to it, and the register of the value
	w.each(func(in *llvmir.Instr) {
		if in.Op == llvmir.OpStore && w.slot(in.Args[1]) >= 0 {
			v := w.slot(in.Args[1])
			writes[v]++
			if only[v] = -1; in.Args[0].Kind == llvmir.OperandReg {
				only[v] = in.Args[0].Reg
			}
		}
		for i, a := range in.Args { // through its address, another block may be stored
			m, _, ok := w.memberOf(a, writes)
			access := in.Op == llvmir.OpLoad || in.Op == llvmir.OpStore && i == 1 || in.Op == llvmir.OpGEP ||
				in.Op == llvmir.OpICmp || in.Op == llvmir.OpDbgDeclare || in.Op == llvmir.OpDbgValue
			if ok && !access {
				w.positionOf(m).alone = true
			}
		}
	})
	var list []stored
	w.each(func(in *llvmir.Instr) {
		if in.Op != llvmir.OpStore || !isPointer(in.Args[0].Type) {
			return
		}
		to, object, ok := w.memberOf(in.Args[1], writes)
		if !ok || isNull(in.Args[0]) {
			return
		}
		value, moved := w.unmoved(in.Args[0])
		p := w.positionOf(to)
		p.moved = p.moved || moved
		if d := w.defOf(value); d != nil && d.Op == llvmir.OpLoad {
			if from, other, ok := w.memberOf(d.Args[0], writes); ok && other == object && from.of == to.of {
				if from != to {
					p.with[from] = true
				}
				return
			}
		}
		s := stored{to, object, -1}
		if d := w.defOf(value); d != nil {
			s.from = d.Dst
			if v := -1; d.Op == llvmir.OpLoad {
				if v = w.slot(d.Args[0]); v >= 0 && writes[v] == 1 {
					s.from = only[v]
				} else if v >= 0 {
					s.from = -1
				}
			}
		}
		list = append(list, s)
	})
	for i, s := range list {
		alone := true
		for k, t := range list {
			if i != k && s.from >= 0 && s.from == t.from && s.object == t.object && s.to.of == t.to.of && s.to != t.to {
				w.positionOf(s.to).with[t.to], alone = true, false
			}
		}
		if p := w.positionOf(s.to); alone {
			p.alone = true
		}
	}
}

func (w *walk) positionOf(m member) *position {
	p := w.shared[m]
	if p == nil {
		p = &position{with: map[member]bool{}}
		w.shared[m] = p
	}
	return p
}

// memberOf returns the member whose address an operand is, and the object that it belongs to: the variable with its
// address, if that has one value, or the register. writes are the stores to variables.
func (w *walk) memberOf(o llvmir.Operand, writes map[int]int) (m member, object int, ok bool) {
	g := w.defOf(o)
	if g == nil || g.Op != llvmir.OpGEP || !ofMember(g) || g.ElemType.Name == "" {
		return member{}, 0, false
	}
	object = noVariable
	if g.Args[0].Kind == llvmir.OperandReg {
		object += g.Args[0].Reg
	}
	if d := w.defOf(g.Args[0]); d != nil && d.Op == llvmir.OpLoad {
		if v := w.slot(d.Args[0]); v >= 0 && writes[v] == 1 {
			object = v
		}
	}
	return member{g.ElemType.Name, g.GEP.Const}, object, true
}

// unmoved returns the pointer from which another one is computed by moving it within its block.
func (w *walk) unmoved(o llvmir.Operand) (start llvmir.Operand, moved bool) {
	for depth := 0; depth < 8; depth++ {
		d := w.defOf(o)
		switch {
		case d == nil:
			return o, moved
		case d.Op == llvmir.OpBitCast:
		case d.Op == llvmir.OpGEP && !ofMember(d):
			moved = true
		default:
			return o, moved
		}
		o = d.Args[0]
	}
	return o, moved
}

// addShared adds what other functions show about positions: one of them may move a pointer, or store another block.
func addShared(to, from map[member]*position) {
	for m, p := range from {
		q := to[m]
		if q == nil {
			q = &position{with: map[member]bool{}}
			to[m] = q
		}
		q.moved, q.alone = q.moved || p.moved, q.alone || p.alone
		for n := range p.with {
			q.with[n] = true
		}
	}
}

// startOfBlock returns the member in whose block another one is a position, if there is exactly one.
func (w *writer) startOfBlock(t *llvmir.DIType, f *llvmir.DIField) *llvmir.DIField {
	p := w.shared[member{llvmName(t), f.BitOffset / 8}]
	if p == nil || w.Compare || !isSequence(f) || w.spare(t, f) {
		return nil
	}
	var start *llvmir.DIField
	for i := range t.Fields {
		g := &t.Fields[i]
		m := member{llvmName(t), g.BitOffset / 8}
		if g == f || !p.with[m] || !isSequence(g) || g.Type.Elem.Name != f.Type.Elem.Name {
			continue
		}
		if q := w.shared[m]; q != nil && q.with[member{m.of, f.BitOffset / 8}] { // stored together: which one is moved?
			if q.moved && !p.moved || q.moved == p.moved && g.BitOffset > f.BitOffset {
				continue
			}
		}
		if start != nil {
			return nil
		}
		start = g
	}
	if start == nil || w.startOfBlock(t, start) != nil {
		return nil
	}
	length, _ := w.lengthOf(t, start)
	own, _ := w.lengthOf(t, f)
	if length == nil && (own != nil || !isText(start.Type.Elem)) {
		return nil // the size of the block is not known
	}
	return start
}

func isNull(o llvmir.Operand) bool {
	return o.Kind == llvmir.OperandConst && o.Const != nil && o.Const.Kind == llvmir.ConstNull
}

// isSequence reports whether a member points to numbers or characters, not to a node.
func isSequence(f *llvmir.DIField) bool {
	return f.Name != "" && f.Type != nil && f.Type.Kind == llvmir.DIPointer && !f.Type.Const && f.Type.Elem != nil &&
		(f.Type.Elem.Kind == llvmir.DIInt || f.Type.Elem.Kind == llvmir.DIChar || f.Type.Elem.Kind == llvmir.DIFloat)
}

// withinBlock returns the statements that make a member a position in the block of another one.
func (w *writer) withinBlock(t *llvmir.DIType, f, start *llvmir.DIField, prefix, depth string) (lines []string) {
	m := member{llvmName(t), f.BitOffset / 8}
	p := w.shared[m]
	name, of := prefix+f.Name, prefix+start.Name
	why := "the code stores it from " + start.Name + ". " + w.ask("does "+f.Name+" always point to the block of "+
		start.Name+"?")
	value := of
	if p.moved {
		w.sized = true
		behind := "at"
		if w.texts[m] || w.texts[member{m.of, start.BitOffset / 8}] || isText(start.Type.Elem) {
			behind = "(at + 1)" // the terminator
		}
		value += " + at"
		lines = append(lines, "{", "size_t at = nd_size_t();",
			fmt.Sprintf("assume(at <= %s && (%s == NULL || sea_is_dereferenceable(%s, %s * sizeof *%s)));", SizeMacro, of,
				of, behind, of))
	}
	if p.moved {
		value = of + " == NULL ? NULL : " + value
	}
	if w.nullable[m] {
		value = "nd_bool() ? NULL : " + value
	}
	lines = append(lines, fmt.Sprintf("%s = %s; /* %s */", name, value, why))
	if own, _ := w.lengthOf(t, f); own != nil {
		if length, _ := w.lengthOf(t, start); length != own { // its own elements are in the block, too
			low := ""
			if own.Type.Signed {
				low = prefix + own.Name + " >= 0 && "
			}
			lines = append(lines, fmt.Sprintf("assume(%s%s%s <= %s && sea_is_dereferenceable(%s, %s%s * sizeof *%s));", low,
				prefix, own.Name, SizeMacro, name, prefix, own.Name, name))
		}
	}
	if p.moved {
		lines = append(lines, "}")
	}
	if p.alone { // the code stores other blocks, too
		before := maps.Clone(w.invariants)
		own := w.pointerMember(t, f, prefix, depth)
		if p.moved { // its length is that of the block only at its start
			w.invariants = before
		}
		lines = append([]string{"if (nd_bool()) {"}, append(lines, append([]string{"} else {"}, append(own, "}")...)...)...)
	}
	return lines
}
