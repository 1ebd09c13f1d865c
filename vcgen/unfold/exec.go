package unfold

import (
	"slices"
	"strconv"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// exec executes the k-th instruction of a visit's block on p. It returns the path behind the instruction, nil if no
// execution continues.
func (fr *frame) exec(v *visit, k int, in *llvmir.Instr, p *path) *path {
	r := fr.r
	switch in.Op {
	case llvmir.OpDbgDeclare, llvmir.OpDbgValue, llvmir.OpFence:
		return p
	case llvmir.OpUnsupported, llvmir.OpInvalid:
		r.unsupported(fr, p, r.site(in, fr), v.block, k, in.Text)
		return nil
	case llvmir.OpAlloca:
		return fr.allocate(v, k, in, p)
	case llvmir.OpLoad:
		if a := in.Args[0]; a.Kind == llvmir.OperandReg && fr.fn.Promoted[a.Reg] {
			fr.checkWritten(in, fr.regs[a.Reg], p)
			fr.regs[in.Dst] = fr.operand(in, a, p)
			return p
		}
		if !r.supportedType(in.Type) {
			r.unsupported(fr, p, r.site(in, fr), v.block, k, "a value of type "+typeName(in.Type))
			return nil
		}
		ptr := fr.scalar(in, in.Args[0], p)
		r.access(p, r.site(in, fr), ptr, mem.Access{Size: r.mem.Int(uint64(in.Type.StoreSize)), Align: fr.checkedAlign(in)})
		fr.regs[in.Dst] = fr.load(p.st, ptr, in.Type)
		fr.checkWritten(in, fr.regs[in.Dst], p)
		return p
	case llvmir.OpStore:
		if a := in.Args[1]; a.Kind == llvmir.OperandReg && fr.fn.Promoted[a.Reg] {
			if p.st.Limits.Inner != nil && !fr.r.m.Of(fr.fn.Alloca[a.Reg]).Temporary {
				fr.limitedLocal(in, a.Reg, p)
			}
			fr.regs[a.Reg] = fr.operand(in, in.Args[0], p)
			return p
		}
		t := in.Args[0].Type
		if !r.supportedType(t) {
			r.unsupported(fr, p, r.site(in, fr), v.block, k, "a value of type "+typeName(t))
			return nil
		}
		val := fr.operand(in, in.Args[0], p)
		ptr := fr.scalar(in, in.Args[1], p)
		r.access(p, r.site(in, fr), ptr, mem.Access{Write: true, Size: fr.r.mem.Int(uint64(t.StoreSize)),
			Align: fr.checkedAlign(in)})
		fr.store(p.st, ptr, val, t)
		return p
	case llvmir.OpCmpXchg, llvmir.OpAtomicRMW:
		return fr.atomic(v, k, in, p)
	case llvmir.OpCall:
		return fr.execCall(v, k, in, p)
	case llvmir.OpInlineAsm:
		if call := in.AsmCall(); call != nil {
			return fr.execCall(v, k, call, p)
		}
		fr.inlineAsm(in, p)
		return p
	case llvmir.OpICmp:
		if isPointer(in.Args[0].Type) {
			fr.regs[in.Dst] = value{t: fr.comparePointers(in, p)}
			return p
		}
	case llvmir.OpSub:
		if d, ok := fr.pointerDifference(in, p); ok {
			fr.regs[in.Dst] = value{t: d}
			return p
		}
	}
	if t := r.unsupportedType(in); t != nil {
		r.unsupported(fr, p, r.site(in, fr), v.block, k, "a value of type "+typeName(t))
		return nil
	}
	val, ok := fr.pure(in, p)
	if !ok {
		r.unsupported(fr, p, r.site(in, fr), v.block, k, "instruction "+in.Text)
		return nil
	}
	if in.Dst >= 0 {
		fr.regs[in.Dst] = val
	}
	return p
}

// checkWithin logs the obligation that an access stays inside the arrays, within an object, that its address indexes,
// unless a sanitizer has checked it.
func (fr *frame) checkWithin(in *llvmir.Instr, p *path) {
	r, c := fr.r, fr.r.c
	if !r.opts.Checks[found.ArrayBounds] {
		return
	}
	for _, w := range r.m.Of(in).Within {
		i := fr.index(in, w.Indices[0], p)
		for _, o := range w.Indices[1:] {
			i = c.Add(i, fr.index(in, o, p))
		}
		if cond := c.Ult(i, c.Int(c.Width(i), uint64(w.Len))); !c.IsTrue(cond) {
			r.obligation(p, r.site(in, fr), found.ArrayBounds, cond)
		}
	}
}

// index returns the value of an operand, with at least 64 bits.
func (fr *frame) index(in *llvmir.Instr, o llvmir.Operand, p *path) smt.Term {
	i := fr.scalar(in, o, p)
	if c := fr.r.c; c.Width(i) < 64 {
		return c.Sext(i, 64)
	}
	return i
}

// inlineAsm makes the results of inline assembly arbitrary, except for outputs that are arguments.
func (fr *frame) inlineAsm(in *llvmir.Instr, p *path) {
	r := fr.r
	results := in.AsmResults()
	if in.Text != "" || slices.ContainsFunc(results, func(a llvmir.AsmResult) bool { return a.From < 0 }) {
		r.note(found.Assumption{What: found.InlineAssembly}, r.site(in, fr), 0)
	}
	var parts []value
	for _, a := range results {
		var v value
		if a.From >= 0 {
			v = fr.operand(in, in.Args[a.From], p)
		} else {
			v = r.arbitrary(choice.Asm, a.Type, p, in.ID, "asm")
			r.mayPoint(v, a.Type, mem.Origin{By: fr.fn.SourceName})
		}
		if a.To < 0 {
			parts = append(parts, v)
			continue
		}
		ptr := fr.scalar(in, in.Args[a.To], p)
		r.access(p, r.site(in, fr), ptr, mem.Access{Write: true, Size: fr.r.mem.Int(uint64(a.Type.StoreSize))})
		fr.store(p.st, ptr, v, a.Type)
	}
	switch {
	case in.Dst < 0:
	case len(parts) == 1:
		fr.regs[in.Dst] = parts[0]
	default:
		fr.regs[in.Dst] = value{e: parts}
	}
}

func (fr *frame) checkedAlign(in *llvmir.Instr) int64 {
	if fr.r.opts.Checks[found.Misaligned] {
		return in.Align
	}
	return 0
}

// supportedType reports whether terms can represent values of t; x87 long double is excluded.
func (r *run) supportedType(t *llvmir.Type) bool {
	switch t.Kind {
	case llvmir.FloatType:
		return t.IEEE()
	case llvmir.ArrayType, llvmir.VectorType:
		if t.Kind == llvmir.VectorType && r.mem.BigEndian && t.Elem.Kind == llvmir.IntType && t.Elem.Bits%8 != 0 {
			return false // the order of bits in memory
		}
		return r.supportedType(t.Elem)
	case llvmir.StructType:
		for _, f := range t.Fields {
			if !r.supportedType(f) {
				return false
			}
		}
	}
	return true
}

// unsupportedType returns the type of an instruction or of one of its operands that is not supported; nil if all are.
func (r *run) unsupportedType(in *llvmir.Instr) *llvmir.Type {
	if !r.supportedType(in.Type) {
		return in.Type
	}
	for _, o := range in.Args {
		if o.Type != nil && !r.supportedType(o.Type) {
			return o.Type
		}
	}
	return nil
}

func typeName(t *llvmir.Type) string {
	switch {
	case t.Kind == llvmir.FloatType && t.Bits == 80:
		return "long double (x87)"
	case t.Kind == llvmir.FloatType && t.Name != "":
		return t.Name
	case t.Kind == llvmir.FloatType:
		return "float of " + strconv.Itoa(t.Bits) + " bits"
	}
	return "an unsupported aggregate"
}

func isPointer(t *llvmir.Type) bool { return t != nil && t.Kind == llvmir.PointerType }

// arbitrary returns a new value of type t, logged as an input.
func (r *run) arbitrary(kind choice.Kind, t *llvmir.Type, p *path, site int, name string) value {
	if isAggregate(t) {
		types, _ := elements(t)
		out := value{e: make([]value, len(types))}
		for i, et := range types {
			out.e[i] = r.arbitrary(kind, et, p, site, name)
		}
		return out
	}
	if t.Kind == llvmir.VoidType {
		return value{}
	}
	return value{t: r.scalarInput(kind, p, site, name, scalarSort(t))}
}

// access logs the obligations of a memory access, or assumes the conditions of checks that are switched off.
func (r *run) access(p *path, site *seair.Site, ptr smt.Term, a mem.Access) {
	if p.st.Limits.Use > 0 || !r.enforced(found.InvalidPointer, site) {
		text := "an access through a pointer to an unknown object, without the check invalid-pointer,"
		if p.st.Limits.Use > 0 {
			text = "a contract that reads through a pointer which may be any address (is_fresh or pointer_equals would " +
				"choose an object)"
		}
		unknown := r.undecided(p, site, cutPoint{all: true}, text)
		r.mem.Candidates(ptr, func(when smt.Term) { unknown(r.c.And(when, r.c.Ne(a.Size, r.mem.Int(0)))) })
	}
	r.unresolved(p, ptr)
	for _, k := range r.mem.CheckAccess(p.st, ptr, a) {
		bounds := k.Kind == found.OutOfBoundsRead || k.Kind == found.OutOfBoundsWrite
		if r.c.IsTrue(k.Cond) && !bounds {
			r.mem.Stats["checks-settled-by-ranges"]++
			continue
		}
		switch {
		case k.Kind == found.Misaligned && !r.opts.Checks[k.Kind]:
		case !r.opts.Checks[k.Kind]:
			r.assume(p, site, k.Cond)
			r.note(found.Assumption{What: found.ValidAccesses, Kinds: []found.Kind{k.Kind}}, site, 0)
		default:
			r.obligationAbout(p, site, k.Kind, k.Cond, ptr)
			switch {
			case !r.accepted(k.Kind, site):
			case k.Kind == found.UseAfterFree && !a.Write && r.opts.ReadsFreed != nil && r.opts.ReadsFreed(site.Pos):
				if !r.c.IsTrue(k.Cond) {
					r.note(found.Assumption{What: found.FreedContent}, site, 0)
				}
			default:
				r.assume(p, site, k.Cond)
			}
		}
	}
	if a.Write {
		r.limited(p, site, ptr, a.Size)
	}
}

// atomic executes cmpxchg and atomicrmw as sequential code.
func (fr *frame) atomic(v *visit, k int, in *llvmir.Instr, p *path) *path {
	r, c := fr.r, fr.r.c
	ptr := fr.scalar(in, in.Args[0], p)
	t := in.Args[1].Type
	size := fr.r.mem.Int(uint64(t.StoreSize))
	r.access(p, r.site(in, fr), ptr, mem.Access{Write: true, Size: size})
	old := fr.load(p.st, ptr, t)
	if in.Op == llvmir.OpCmpXchg {
		if in.Text == "weak" { // x86-64 does not, and a loop around it would never end
			r.note(found.Assumption{What: found.WeakExchange}, r.site(in, fr), 0)
		}
		expected, repl := fr.operand(in, in.Args[1], p), fr.operand(in, in.Args[2], p)
		var same smt.Term
		if isPointer(t) {
			same = r.mem.Equal(p.st, old.t, expected.t)
		} else {
			same = c.Eq(old.t, expected.t)
		}
		fr.store(p.st, ptr, r.selectValue(same, repl, old), t)
		fr.regs[in.Dst] = value{e: []value{old, {t: same}}}
		return p
	}
	x, y := old.t, fr.scalar(in, in.Args[1], p)
	var n smt.Term
	switch in.Text {
	case "xchg":
		n = y
	case "add":
		n = c.Add(x, y)
	case "sub":
		n = c.Sub(x, y)
	case "and":
		n = c.BvAnd(x, y)
	case "nand":
		n = c.BvNot(c.BvAnd(x, y))
	case "or":
		n = c.BvOr(x, y)
	case "xor":
		n = c.BvXor(x, y)
	case "max":
		n = c.Ite(c.Sge(x, y), x, y)
	case "min":
		n = c.Ite(c.Sle(x, y), x, y)
	case "umax":
		n = c.Ite(c.Uge(x, y), x, y)
	case "umin":
		n = c.Ite(c.Ule(x, y), x, y)
	case "fadd":
		n = fr.arithmetic(in, p, c.FAdd(r.floats.Number(x), r.floats.Number(y)))
	case "fsub":
		n = fr.arithmetic(in, p, c.FSub(r.floats.Number(x), r.floats.Number(y)))
	default:
		r.unsupported(fr, p, r.site(in, fr), v.block, k, "atomic operation "+in.Text)
		return nil
	}
	fr.store(p.st, ptr, value{t: n}, t)
	if in.Dst >= 0 {
		fr.regs[in.Dst] = old
	}
	return p
}
