package interp

import (
	"math/big"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// operand evaluates an operand of in.
func (m *machine) operand(fr *frame, in *llvmir.Instr, a llvmir.Operand) value {
	switch a.Kind {
	case llvmir.OperandReg:
		return fr.regs[a.Reg]
	case llvmir.OperandConst:
		return m.constant(a.Const, in)
	}
	return value{}
}

// constant evaluates a constant. in is the instruction that uses it, nil for initialisers,
// where what is undefined reads as zero.
func (m *machine) constant(c *llvmir.Const, in *llvmir.Instr) value {
	switch c.Kind {
	case llvmir.ConstInt:
		if c.Type.Bits <= 64 {
			return value{bits: c.Int.Uint64()}
		}
		return bigValue(c.Int, c.Type.Bits)
	case llvmir.ConstFloat:
		return value{bits: c.Int.Uint64()}
	case llvmir.ConstNull:
		return value{}
	case llvmir.ConstUndef:
		if in == nil {
			return zeroValue(c.Type)
		}
		return m.arbitrary(c.Type, in.ID, "undef", nil)
	case llvmir.ConstZero:
		return zeroValue(c.Type)
	case llvmir.ConstData:
		out := make([]value, len(c.Data))
		for i, b := range c.Data {
			out[i] = intValue(uint64(b))
		}
		return aggregateValue(out)
	case llvmir.ConstAggregate:
		out := make([]value, len(c.Elems))
		for i, e := range c.Elems {
			out[i] = m.constant(e, in)
		}
		return aggregateValue(out)
	case llvmir.ConstGlobal:
		return pointerTo(m.global(c.Global), uint64(c.Offset))
	case llvmir.ConstFunc:
		return pointerTo(m.function(c.Func), uint64(c.Offset))
	}
	// An expression is an instruction without a place of its own.
	e := *c.Expr
	if in != nil {
		e.ID, e.Loc = in.ID, in.Loc
	}
	return m.compute(nil, &e)
}

// arbitrary asks the inputs for a value of type t. describe completes the record, which
// may be nil; what it says counts for every element of an aggregate.
func (m *machine) arbitrary(t *llvmir.Type, site int, kind string, describe func(*record)) value {
	if isAggregate(t) {
		out := make([]value, elementCount(t))
		for i := range out {
			et, _ := element(t, i)
			out[i] = m.arbitrary(et, site, kind, describe)
		}
		return aggregateValue(out)
	}
	bits := 64
	switch t.Kind {
	case llvmir.VoidType:
		return value{}
	case llvmir.IntType, llvmir.FloatType:
		bits = t.Bits
	}
	if in, ok := m.in.(told); ok {
		in.expect(t)
	}
	b := m.in.Value(site, kind, bits)
	if b == nil {
		b = new(big.Int)
	}
	v := bigValue(b, bits)
	if kind != "undef" {
		r := m.note(kind, site)
		r.value, r.typ, r.isValue = v, t, true
		if describe != nil {
			describe(r)
		}
		m.records = append(m.records, r)
		if in, ok := m.in.(told); ok {
			in.noted(r)
		}
		if m.obs != nil {
			m.obs.chosen(r, nil, 0)
		}
	}
	return v
}

// exec executes one instruction of the youngest frame.
func (m *machine) exec(fr *frame, in *llvmir.Instr) {
	if w := m.opts.switched; w != nil && w.watch == in {
		w.count++
	}
	switch in.Op {
	case llvmir.OpBr:
		fr.jump(m, in.Succs[0])
	case llvmir.OpCondBr:
		taken := m.operand(fr, in, in.Args[0]).bits&1 == 1
		if w := m.opts.switched; w != nil {
			if w.at == m.out.Executed {
				taken = !taken
				w.before = len(w.decided)
			} else {
				w.decides(in, taken)
			}
		}
		to := in.Succs[1]
		if taken {
			to = in.Succs[0]
		}
		if m.opts.Trace {
			m.traceBranch(fr, in, taken)
		}
		fr.jump(m, to)
	case llvmir.OpSwitch:
		m.execSwitch(fr, in)
	case llvmir.OpRet:
		v := value{}
		if len(in.Args) > 0 {
			v = m.operand(fr, in, in.Args[0])
			if k := in.Args[0].Const; in.Args[0].Kind == llvmir.OperandConst && k != nil && k.Kind == llvmir.ConstUndef {
				fr.noValue = true
			}
		}
		m.pop(v)
	case llvmir.OpUnreachable:
		m.required(found.Unreachable, func() string { return "reaches a place that was declared unreachable" })
	case llvmir.OpUnsupported, llvmir.OpInvalid:
		m.unsupported(in.Text)
	case llvmir.OpDbgDeclare:
		m.bind(fr, in)
	case llvmir.OpDbgValue, llvmir.OpFence:
	case llvmir.OpAlloca:
		m.execAlloca(fr, in)
	case llvmir.OpLoad:
		fr.regs[in.Dst] = m.load(fr, in)
	case llvmir.OpStore:
		m.store(fr, in)
	case llvmir.OpCall:
		m.execCall(fr, in)
	case llvmir.OpInlineAsm:
		if in.Dst >= 0 {
			fr.regs[in.Dst] = m.arbitrary(in.Type, in.ID, "asm", nil)
		}
		if in.Text != "" {
			for _, i := range in.AsmOutputs() {
				t := in.Args[i].Type.Elem
				m.storeTo(m.operand(fr, in, in.Args[i]), m.arbitrary(t, in.ID, "asm", nil), t)
			}
		}
	case llvmir.OpCmpXchg:
		m.cmpXchg(fr, in)
	case llvmir.OpAtomicRMW:
		m.atomicRMW(fr, in)
	case llvmir.OpVAArg:
		m.unsupported("va_arg as an instruction")
	default:
		v := m.compute(fr, in)
		if in.Dst >= 0 {
			fr.regs[in.Dst] = v
			fr.carry(in)
		}
	}
}

func (m *machine) execSwitch(fr *frame, in *llvmir.Instr) {
	x := m.operand(fr, in, in.Args[0])
	to := in.Succs[0]
	wide := in.Args[0].Type.Bits > 64
	for i, c := range in.Cases {
		if wide && c.Int.Cmp(x.big()) == 0 || !wide && c.Int.Uint64() == x.bits {
			to = in.Succs[i+1]
			break
		}
	}
	if m.opts.Trace {
		m.traceSwitch(fr, in, x)
	}
	fr.jump(m, to)
}

func (m *machine) bind(fr *frame, in *llvmir.Instr) {
	if in.Args[0].Kind == llvmir.OperandMetadata || in.Var == nil || in.Text != "" {
		return
	}
	addr := m.operand(fr, in, in.Args[0])
	if addr.obj != nil && addr.offset() == 0 && addr.obj.dtype == nil {
		addr.obj.change()
		addr.obj.dtype, addr.obj.source = in.Var.Type, in.Var.Name
	}
	for i := range fr.bound {
		if fr.bound[i].v == in.Var {
			fr.bound[i].addr = addr
			return
		}
	}
	fr.bound = append(fr.bound, binding{in.Var, addr})
}

// execAlloca makes a new object each time the alloca is executed.
func (m *machine) execAlloca(fr *frame, in *llvmir.Instr) {
	size := uint64(in.ElemType.Size)
	fixed := in.Args[0].Kind == llvmir.OperandConst && in.Args[0].Const.Kind == llvmir.ConstInt
	n := m.operand(fr, in, in.Args[0])
	if hi, lo := mul64(size, n.bits); hi != 0 {
		size = ^uint64(0)
	} else {
		size = lo
	}
	if !fixed && size > maxVariable {
		m.stop(EndAssume, "an array of variable length does not fit into memory")
	}
	o := m.instance(fr, in, in.ID, size)
	if !fixed || fr.block.Index != 0 {
		fr.vlas = append(fr.vlas, o)
	}
}

// instance makes the object of an alloca for a new lifetime, which begins at site.
func (m *machine) instance(fr *frame, alloca *llvmir.Instr, site int, size uint64) *object {
	o := m.newStack(fr, fr.fn.RegName(alloca.Dst), site, size, uint64(max(alloca.Align, 1)))
	o.alloca = alloca
	if v := fr.info.vars[alloca.Dst]; v != nil {
		o.dtype, o.source = v.Type, v.Name
	}
	r := m.choose(o, 0, size, site, "uninitialized", "", uninitialized)
	r.variable, r.dtype = o.source, o.dtype
	fr.regs[alloca.Dst] = pointerTo(o, 0)
	return o
}

// lifetime executes llvm.lifetime.start and .end: each start makes a new object, so that
// pointers into the previous lifetime are stale.
func (m *machine) lifetime(fr *frame, in *llvmir.Instr) {
	if len(in.Args) < 2 {
		return
	}
	old := m.operand(fr, in, in.Args[1]).obj
	if old == nil || old.alloca == nil {
		return
	}
	alloca := old.alloca
	if cur := fr.regs[alloca.Dst].obj; cur != nil {
		old = cur
	}
	m.end(old)
	for i, o := range fr.own {
		if o == old {
			fr.own = append(fr.own[:i], fr.own[i+1:]...)
			break
		}
	}
	if in.Intrinsic == "lifetime.end" {
		return
	}
	o := m.instance(fr, alloca, in.ID, old.size)
	if in.Args[1].Kind == llvmir.OperandReg {
		fr.regs[in.Args[1].Reg] = pointerTo(o, 0)
	}
}

// compute evaluates an instruction without effects. fr is nil for constant expressions.
func (m *machine) compute(fr *frame, in *llvmir.Instr) value {
	arg := func(i int) value { return m.operand(fr, in, in.Args[i]) }
	switch in.Op {
	case llvmir.OpAdd, llvmir.OpSub, llvmir.OpMul, llvmir.OpUDiv, llvmir.OpSDiv, llvmir.OpURem, llvmir.OpSRem,
		llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr, llvmir.OpAnd, llvmir.OpOr, llvmir.OpXor:
		x, y := arg(0), arg(1)
		if in.Type.Kind == llvmir.VectorType {
			return lanes(x, y, func(x, y value) value { return m.integer(in, x, y, in.Type.Elem.Bits) })
		}
		if in.Op == llvmir.OpSub && fr != nil && in.Type.Bits == 64 && strings.HasPrefix(fr.fn.RegName(in.Dst), "sub.ptr.sub") {
			m.sameObject(fr, in, x, y, "subtracts")
		}
		if in.Magnitude {
			m.magnitude(y, in.Type.Bits)
		}
		return m.integer(in, x, y, in.Type.Bits)
	case llvmir.OpFAdd, llvmir.OpFSub, llvmir.OpFMul, llvmir.OpFDiv, llvmir.OpFRem:
		m.supported(in.Type)
		width := scalarType(in.Type).Bits
		return lanes(arg(0), arg(1), func(x, y value) value { return m.computed(in, floatOp(in.Op, x, y, width), width) })
	case llvmir.OpFNeg:
		m.supported(in.Type)
		width := scalarType(in.Type).Bits
		x := arg(0)
		return lanes(x, x, func(x, _ value) value { return intValue(x.bits ^ 1<<(width-1)) })
	case llvmir.OpICmp:
		x, y := arg(0), arg(1)
		t := in.Args[0].Type
		if t.Kind == llvmir.PointerType && in.Pred != llvmir.PredEQ && in.Pred != llvmir.PredNE {
			m.sameObject(fr, in, x, y, "compares")
		}
		width := 64
		if s := scalarType(t); s.Kind == llvmir.IntType {
			width = s.Bits
		}
		return lanes(x, y, func(x, y value) value { return boolValue(compareInts(in.Pred, x, y, width)) })
	case llvmir.OpFCmp:
		t := scalarType(in.Args[0].Type)
		m.supported(t)
		return lanes(arg(0), arg(1), func(x, y value) value {
			return boolValue(compareFloats(in.Pred, toFloat(x, t.Bits), toFloat(y, t.Bits)))
		})
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpFPTrunc, llvmir.OpFPExt, llvmir.OpFPToUI, llvmir.OpFPToSI,
		llvmir.OpUIToFP, llvmir.OpSIToFP, llvmir.OpPtrToInt, llvmir.OpIntToPtr:
		m.supported(in.Type)
		m.supported(in.Args[0].Type)
		from, to := scalarType(in.Args[0].Type), scalarType(in.Type)
		x := arg(0)
		return lanes(x, x, func(x, _ value) value { return m.convert(in, x, from, to) })
	case llvmir.OpBitCast:
		m.supported(in.Type)
		m.supported(in.Args[0].Type)
		return bitcast(arg(0), in.Args[0].Type, in.Type)
	case llvmir.OpFreeze:
		return arg(0)
	case llvmir.OpSelect:
		c, x, y := arg(0), arg(1), arg(2)
		if in.Args[0].Type.Kind == llvmir.VectorType {
			out := make([]value, len(c.elems()))
			for i, ci := range c.elems() {
				out[i] = y.elems()[i]
				if ci.bits&1 == 1 {
					out[i] = x.elems()[i]
				}
			}
			return aggregateValue(out)
		}
		if c.bits&1 == 1 {
			return x
		}
		return y
	case llvmir.OpGEP:
		p := arg(0)
		p.bits += uint64(in.GEP.Const)
		for i, scale := range in.GEP.Scales {
			idx := arg(i + 1)
			p.bits += uint64(llvmir.Scaled(int64(signExtend(idx.bits, in.Args[i+1].Type.Bits)), scale))
		}
		return p
	case llvmir.OpExtractValue:
		v := arg(0)
		for _, i := range in.Path {
			v = v.elems()[i]
		}
		return v
	case llvmir.OpInsertValue:
		return insertValue(arg(0), arg(1), in.Path)
	case llvmir.OpExtractElement:
		v, idx := arg(0), arg(1).bits
		if idx >= uint64(len(v.elems())) {
			return m.arbitrary(in.Type, in.ID, "undef", nil)
		}
		return v.elems()[idx]
	case llvmir.OpInsertElement:
		v, e, idx := arg(0), arg(1), arg(2).bits
		if idx >= uint64(len(v.elems())) {
			return m.arbitrary(in.Type, in.ID, "undef", nil)
		}
		return insertValue(v, e, []int{int(idx)})
	case llvmir.OpShuffleVector:
		a, b := arg(0).elems(), arg(1).elems()
		out := make([]value, len(in.Mask))
		for i, k := range in.Mask {
			switch {
			case k < 0:
				out[i] = m.arbitrary(in.Type.Elem, in.ID, "undef", nil)
			case k < len(a):
				out[i] = a[k]
			default:
				out[i] = b[k-len(a)]
			}
		}
		return aggregateValue(out)
	case llvmir.OpUnsupported:
		m.unsupported(in.Text)
	}
	m.unsupported("an instruction that the interpreter does not know")
	return value{}
}

func (m *machine) supported(t *llvmir.Type) {
	if why := unsupportedType(t); why != "" {
		m.unsupported("a value of type " + why)
	}
}

func scalarType(t *llvmir.Type) *llvmir.Type {
	if t.Kind == llvmir.VectorType {
		return t.Elem
	}
	return t
}

// sameObject checks that two pointers whose order or distance matters belong together.
func (m *machine) sameObject(fr *frame, in *llvmir.Instr, x, y value, verb string) {
	var a, b *object
	if x.whole() {
		a = x.obj
	}
	if y.whole() {
		b = y.obj
	}
	if a != b {
		m.violated(found.AmbiguousPointer, func() string { return m.orderMessage(fr, in, x, y, verb) })
	}
}

// lanes applies f to scalars, or to each element of vectors.
func lanes(x, y value, f func(x, y value) value) value {
	if x.elems() == nil {
		return f(x, y)
	}
	out := make([]value, len(x.elems()))
	for i, e := range x.elems() {
		out[i] = lanes(e, y.elems()[i], f)
	}
	return aggregateValue(out)
}

func insertValue(v, e value, path []int) value {
	if len(path) == 0 {
		return e
	}
	out := append([]value(nil), v.elems()...)
	out[path[0]] = insertValue(out[path[0]], e, path[1:])
	return aggregateValue(out)
}

func (m *machine) cmpXchg(fr *frame, in *llvmir.Instr) {
	t := in.Args[1].Type
	ptr, expected, repl := m.operand(fr, in, in.Args[0]), m.operand(fr, in, in.Args[1]), m.operand(fr, in, in.Args[2])
	o, off := m.check(access{ptr: ptr, op: &in.Args[0], n: uint64(t.StoreSize), write: true})
	old, _ := m.fetch(o, off, t)
	same := old.big().Cmp(expected.big()) == 0
	if same {
		m.update(fr, in, o, off, repl, t)
	}
	if in.Dst >= 0 {
		fr.regs[in.Dst] = aggregateValue([]value{old, boolValue(same)})
	}
}

func (m *machine) update(fr *frame, in *llvmir.Instr, o *object, off uint64, v value, t *llvmir.Type) {
	put := func() { m.put(o, off, v, t) }
	if m.opts.Trace {
		m.traceStore(fr, in, o, off, uint64(t.StoreSize), put)
		return
	}
	put()
}

func (m *machine) atomicRMW(fr *frame, in *llvmir.Instr) {
	t := in.Args[1].Type
	m.supported(t)
	ptr, y := m.operand(fr, in, in.Args[0]), m.operand(fr, in, in.Args[1])
	o, off := m.check(access{ptr: ptr, op: &in.Args[0], n: uint64(t.StoreSize), write: true})
	x, _ := m.fetch(o, off, t)
	if in.Dst >= 0 {
		fr.regs[in.Dst] = x
	}
	pick := func(p llvmir.Pred) value {
		if compareInts(p, x, y, t.Bits) {
			return x
		}
		return y
	}
	arith := func(op llvmir.Op) value {
		return m.integer(&llvmir.Instr{ID: in.ID, Op: op, Type: t}, x, y, t.Bits)
	}
	var n value
	switch in.Text {
	case "xchg":
		n = y
	case "add":
		n = arith(llvmir.OpAdd)
	case "sub":
		n = arith(llvmir.OpSub)
	case "and":
		n = arith(llvmir.OpAnd)
	case "or":
		n = arith(llvmir.OpOr)
	case "xor":
		n = arith(llvmir.OpXor)
	case "nand":
		n = arith(llvmir.OpAnd)
		n = bigValue(new(big.Int).Not(n.big()), t.Bits)
	case "max":
		n = pick(llvmir.PredSGE)
	case "min":
		n = pick(llvmir.PredSLE)
	case "umax":
		n = pick(llvmir.PredUGE)
	case "umin":
		n = pick(llvmir.PredULE)
	case "fadd":
		n = m.computed(in, floatOp(llvmir.OpFAdd, x, y, t.Bits), t.Bits)
	case "fsub":
		n = m.computed(in, floatOp(llvmir.OpFSub, x, y, t.Bits), t.Bits)
	default:
		m.unsupported("atomic operation " + in.Text)
	}
	m.update(fr, in, o, off, n, t)
}
