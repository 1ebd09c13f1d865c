package clangir

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// Part is a range of bytes of an object.
type Part struct{ Off, Len int64 }

// maxParts bounds the constant parts of an object; arrays with more const members are ignored.
const maxParts = 256

// ConstantParts lists the parts of a type that C declares const: the whole type, or members.
//
// Excluded are members of unions, which overlap with members that may be written, and bit-fields.
func ConstantParts(t *llvmir.DIType) []Part {
	parts, _ := constantParts(t, 0, nil)
	return parts
}

func constantParts(t *llvmir.DIType, off int64, parts []Part) ([]Part, bool) {
	switch {
	case t == nil:
		return parts, true
	case t.Const:
		return append(parts, Part{off, t.Bits / 8}), len(parts) < maxParts
	case t.Kind == llvmir.DIStruct:
		for _, m := range t.Fields {
			ok := true
			if parts, ok = constantParts(m.Type, off+m.BitOffset/8, parts); m.BitField && len(parts) > 0 {
				parts = parts[:len(parts)-1]
			} else if !ok {
				return nil, false
			}
		}
	case t.Kind == llvmir.DIArray && t.Elem != nil && t.Elem.Const:
		return append(parts, Part{off, t.Bits / 8}), len(parts) < maxParts
	case t.Kind == llvmir.DIArray && t.Elem != nil && t.Elem.Bits > 0:
		if one, _ := constantParts(t.Elem, 0, nil); len(one) == 0 {
			return parts, true
		}
		for i := range t.Bits / t.Elem.Bits {
			ok := true
			if parts, ok = constantParts(t.Elem, off+i*t.Elem.Bits/8, parts); !ok {
				return nil, false
			}
		}
	}
	return parts, true
}

// keepConstants marks the points at which const variables, and const members, become constant: after initialization.
//
// Clang initializes them with ordinary stores. The end of the initialization cannot always be determined; variables
// without a recognized initializer are ignored.
func (f *function) keepConstants() {
	declared := map[int]int{}
	var list []at
	for _, b := range f.fn.Blocks {
		for k, in := range b.Instrs {
			if in.Op == llvmir.OpDbgDeclare && in.Args[0].Kind == llvmir.OperandReg {
				declared[in.Args[0].Reg]++
				list = append(list, at{b.Index, k})
			}
		}
	}
	// In reverse order, so that positions remain valid. (An initializer ends before the next declaration of its
	// scope, but may contain declarations of other scopes.)
	inserted := map[at][]*llvmir.Instr{}
	for _, d := range list {
		in := f.at(d)
		if in.Var == nil || in.Text != "" || declared[in.Args[0].Reg] > 1 || in.Loc == nil || in.Loc.InlinedAt != nil {
			continue
		}
		if parts := ConstantParts(in.Var.Type); len(parts) > 0 {
			f.keepConstant(d, parts, inserted)
		}
	}
	for _, b := range f.fn.Blocks {
		var out []*llvmir.Instr
		for k, in := range b.Instrs {
			out = append(out, inserted[at{b.Index, k}]...)
			out = append(out, in)
		}
		b.Instrs = out
	}
}

// at is the position of an instruction in a function.
type at struct{ block, k int }

func (f *function) at(p at) *llvmir.Instr { return f.fn.Blocks[p.block].Instrs[p.k] }

// write is an instruction that writes n bytes at off of a variable. n is 0 if the range is unknown.
type write struct {
	at
	off, n int64
	fills  bool // with one byte or with zeros, before other writes
}

// keepConstant adds the markers of the variable that is declared at d.
func (f *function) keepConstant(d at, parts []Part, inserted map[at][]*llvmir.Instr) {
	decl := f.at(d)
	reg, size := decl.Args[0].Reg, decl.Var.Type.Bits/8
	if al := f.allocaOf(reg); decl.Var.Arg == 0 && (al == nil || len(al.Args) > 1 || al.ElemType.Size < size) {
		return
	}
	writes, others := f.writesOf(reg, d)
	var ends []at
	if decl.Var.Arg != 0 { // a parameter has its value already
		ends = []at{{d.block, d.k + 1}}
	} else if ends, writes = f.initialised(d, size, writes); len(ends) == 0 {
		return
	}
	if len(writes) == 0 && !others {
		return // never written later
	}
	mark := func(p at, name string) {
		m := f.lifetime(name, &llvmir.Instr{Dst: reg, Type: decl.Args[0].Type, ElemType: &llvmir.Type{Size: size}}, decl.Loc)
		f.m.constants[m] = parts
		inserted[p] = append(inserted[p], m)
	}
	mark(at{d.block, d.k}, "invariant.end")
	for _, p := range ends {
		mark(p, "invariant.start")
	}
}

func (f *function) allocaOf(reg int) *llvmir.Instr {
	for _, in := range f.fn.Blocks[0].Instrs {
		if in.Op == llvmir.OpAlloca && in.Dst == reg {
			return in
		}
	}
	return nil
}

// writesOf lists the instructions after d that write the variable at a register, by addresses computed from it.
//
// others reports whether its address escapes, so that it can be written elsewhere.
func (f *function) writesOf(reg int, d at) (writes []write, others bool) {
	type address struct {
		off   int64
		known bool
	}
	derived := map[int]address{reg: {0, true}}
	of := func(a llvmir.Operand) (address, bool) {
		x, ok := derived[a.Reg]
		return x, ok && a.Kind == llvmir.OperandReg
	}
	for again := true; again; { // phis may precede their operands
		again = false
		for _, b := range f.fn.Blocks {
			for _, in := range b.Instrs {
				if _, known := derived[in.Dst]; known || in.Dst < 0 || in.Type.Kind != llvmir.PointerType {
					continue
				}
				switch in.Op {
				case llvmir.OpGEP, llvmir.OpBitCast:
					if x, ok := of(in.Args[0]); ok {
						if in.GEP != nil {
							x = address{x.off + in.GEP.Const, x.known && len(in.GEP.Scales) == 0}
						}
						derived[in.Dst], again = x, true
					}
				case llvmir.OpPhi, llvmir.OpSelect:
					if uses(in, func(r int) bool { _, ok := derived[r]; return ok }) {
						derived[in.Dst], again = address{}, true
					}
				}
			}
		}
	}
	for _, b := range f.fn.Blocks {
		for k, in := range b.Instrs {
			here := at{b.Index, k}
			note := func(target llvmir.Operand, n int64, fills bool) {
				if x, ok := of(target); ok && !before(here, d) {
					if !x.known {
						n = 0
					}
					writes = append(writes, write{here, x.off, n, fills})
				}
			}
			switch {
			case in.Op == llvmir.OpStore:
				note(in.Args[1], in.Args[0].Type.StoreSize, false)
				_, given := of(in.Args[0])
				others = others || given
			case in.Op == llvmir.OpCall && slices.Contains([]string{"memcpy", "memmove", "memset"}, in.Intrinsic):
				n := int64(0)
				if c := in.Args[2].Const; c != nil && c.Kind == llvmir.ConstInt && c.Int.IsInt64() {
					n = c.Int.Int64()
				}
				note(in.Args[0], n, in.Intrinsic == "memset")
			case in.Op == llvmir.OpCall && in.Intrinsic == "":
				result := -1
				if fn := in.Function(); fn != nil {
					result = fn.InMemory()
				}
				for i, a := range in.Args {
					if _, ok := of(a); ok && i == result {
						note(a, in.Function().Params[i].Pointee().Size, false)
					} else if ok && (i >= len(in.ByVal) || in.ByVal[i] == nil) {
						others = true
					}
				}
			case in.Op == llvmir.OpLoad, in.Op == llvmir.OpGEP, in.Op == llvmir.OpBitCast, in.Op == llvmir.OpPhi,
				in.Op == llvmir.OpSelect, in.Op == llvmir.OpDbgDeclare, in.Op == llvmir.OpDbgValue,
				in.Op == llvmir.OpICmp, in.Op == llvmir.OpCall:
			default:
				others = others || uses(in, func(r int) bool { _, ok := derived[r]; return ok })
			}
		}
	}
	return writes, others
}

func before(p, q at) bool { return p.block < q.block || p.block == q.block && p.k < q.k }

// initialised returns the points at which a variable of size bytes declared at d has its initial value, and later
// writes.
//
// The result is nil if it is unknown whether it has one.
//
// If the initial value is constant, or a scalar, clang gives the writes the position of the declaration. Otherwise
// they have positions in the initializer, which writes each byte once: a second write of a byte on the same path is
// not part of it. (An initializer may zero all bytes before it writes elements. For such a variable, one write of a
// byte after the initializer remains undetected.)
func (f *function) initialised(d at, size int64, writes []write) (ends []at, later []write) {
	decl := f.at(d)
	here := func(in *llvmir.Instr) bool { return samePlace(in, decl) }
	if len(writes) == 0 {
		return nil, nil
	}
	n := 0
	if here(f.at(writes[0].at)) {
		for n < len(writes) && writes[n].block == writes[0].block && here(f.at(writes[n].at)) {
			n++
		}
		if f.at(writes[0].at).Op == llvmir.OpStore && writes[0].n == size {
			n = 1 // the code after a macro may have the same position
		}
		if last := writes[n-1]; !last.fills || !f.goesOnInLine(last.at, decl) {
			return []at{f.behind(last.at)}, writes[n:]
		}
	} else if !f.goesOnInLine(d, decl) {
		return nil, nil
	}
	if hasBitFields(decl.Var.Type) {
		return nil, nil
	}
	for n = 0; n < len(writes) && !f.declaresBetween(d, writes[n].at); n++ {
		again := slices.ContainsFunc(writes[:n], func(w write) bool {
			unknown := (w.n == 0 || writes[n].n == 0) && !samePlace(f.at(w.at), f.at(writes[n].at))
			overlaps := w.off < writes[n].off+writes[n].n && writes[n].off < w.off+w.n
			return (unknown || overlaps && !w.fills) && f.leads(w.at, writes[n].at, d.block)
		})
		if again {
			break
		}
	}
	covered := make([]bool, size)
	for _, w := range writes[:n] {
		for i := max(w.off, 0); i < min(w.off+w.n, size); i++ {
			covered[i] = true
		}
		if w.n == size && w.off == 0 && !w.fills {
			ends = append(ends, f.behind(w.at)) // one for each path
		}
	}
	if len(ends) == 0 && n > 0 {
		ends = []at{f.behind(writes[n-1].at)}
	}
	for _, p := range ConstantParts(decl.Var.Type) {
		unknown := slices.ContainsFunc(writes[:n], func(w write) bool { return w.n == 0 })
		if !unknown && slices.Contains(covered[p.Off:min(p.Off+p.Len, size)], false) {
			return nil, nil // not an initializer
		}
	}
	return ends, writes[n:]
}

func samePlace(x, y *llvmir.Instr) bool {
	return x.Loc != nil && y.Loc != nil && x.Loc.Line == y.Loc.Line && x.Loc.Col == y.Loc.Col && x.Loc.Scope == y.Loc.Scope
}

// behind returns the position after an instruction, and after the loop if the block is a loop body.
func (f *function) behind(p at) at {
	b := f.fn.Blocks[p.block]
	if slices.Contains(b.Succs, p.block) {
		for _, s := range b.Succs {
			if s != p.block {
				k := 0
				for f.fn.Blocks[s].Instrs[k].Op == llvmir.OpPhi {
					k++
				}
				return at{s, k}
			}
		}
	}
	return at{p.block, p.k + 1}
}

// goesOnInLine reports whether the code after an instruction is on the line of a declaration, after its name.
//
// It must not be another declaration. Initializers have such positions.
func (f *function) goesOnInLine(p at, decl *llvmir.Instr) bool {
	for _, in := range f.fn.Blocks[p.block].Instrs[p.k+1:] {
		if in.Loc != nil && in.Loc.Line > 0 {
			return in.Loc.Line == decl.Loc.Line && in.Loc.Col > decl.Loc.Col && in.Op != llvmir.OpDbgDeclare
		}
	}
	return false
}

// declaresBetween reports whether another variable of the same scope is declared between two positions of the text.
func (f *function) declaresBetween(d, p at) bool {
	decl := f.at(d)
	for _, b := range f.fn.Blocks[d.block : p.block+1] {
		for k, in := range b.Instrs {
			if q := (at{b.Index, k}); in.Op == llvmir.OpDbgDeclare && before(d, q) && before(q, p) &&
				in.Loc != nil && in.Loc.Scope == decl.Loc.Scope {
				return true
			}
		}
	}
	return false
}

// leads reports whether control can get from one instruction to another without passing the block of the declaration.
func (f *function) leads(from, to at, without int) bool {
	if from.block == to.block && from.k < to.k {
		return true
	}
	seen := make([]bool, len(f.fn.Blocks))
	seen[without] = true
	for todo := slices.Clone(f.fn.Blocks[from.block].Succs); len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if b == to.block {
			return true
		}
		if !seen[b] {
			seen[b] = true
			todo = append(todo, f.fn.Blocks[b].Succs...)
		}
	}
	return false
}

func hasBitFields(t *llvmir.DIType) bool {
	if t == nil {
		return false
	}
	if t.Kind == llvmir.DIArray {
		return hasBitFields(t.Elem)
	}
	return slices.ContainsFunc(t.Fields, func(m llvmir.DIField) bool { return m.BitField || hasBitFields(m.Type) })
}

// ConstantMembers lists the parts of a variable that are constant from the start: const members with an initial
// value.
func ConstantMembers(g *llvmir.Global) []Part {
	if g.Init == nil || g.Constant || g.Init.Kind == llvmir.ConstZero {
		return nil
	}
	return ConstantParts(g.DIType)
}
