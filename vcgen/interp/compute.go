package interp

import (
	"math/big"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// operand evaluates an operand of in.
func (m *Machine) operand(fr *state.Frame, in *llvmir.Instr, a llvmir.Operand) state.Value {
	switch a.Kind {
	case llvmir.OperandReg:
		return fr.Regs[a.Reg]
	case llvmir.OperandConst:
		return m.constant(a.Const, in)
	}
	return state.Value{}
}

// constant evaluates a constant.
//
// in is the instruction that uses it, or nil for initializers, in which undefined values read as zero.
func (m *Machine) constant(c *llvmir.Const, in *llvmir.Instr) state.Value {
	switch c.Kind {
	case llvmir.ConstInt, llvmir.ConstFloat:
		return state.NumberOf(c)
	case llvmir.ConstNull:
		return state.Value{}
	case llvmir.ConstUndef:
		if in == nil {
			return state.ZeroValue(c.Type)
		}
		return m.arbitrary(c.Type, in.ID, choice.Undef, nil)
	case llvmir.ConstZero:
		return state.ZeroValue(c.Type)
	case llvmir.ConstData:
		out := make([]state.Value, len(c.Data))
		for i, b := range c.Data {
			out[i] = state.IntValue(uint64(b))
		}
		return state.AggregateValue(out)
	case llvmir.ConstAggregate:
		out := make([]state.Value, len(c.Elems))
		for i, e := range c.Elems {
			out[i] = m.constant(e, in)
		}
		return state.AggregateValue(out)
	case llvmir.ConstGlobal:
		return state.PointerTo(m.global(c.Global), uint64(c.Offset))
	case llvmir.ConstFunc:
		o := m.function(c.Func)
		if o.Absent {
			return state.IntValue(uint64(c.Offset))
		}
		return state.PointerTo(o, uint64(c.Offset))
	}
	// An expression is an instruction without its own position.
	e := *c.Expr
	if in != nil {
		e.ID, e.Loc = in.ID, in.Loc
	}
	return m.compute(nil, &e)
}

// arbitrary obtains a value of type t from the inputs.
//
// describe, which may be nil, completes the record; it is called for each element of an aggregate.
func (m *Machine) arbitrary(t *llvmir.Type, site int, kind choice.Kind, describe func(*state.Input)) state.Value {
	if state.IsAggregate(t) {
		out := make([]state.Value, state.ElementCount(t))
		for i := range out {
			et, _ := state.Element(t, i)
			out[i] = m.arbitrary(et, site, kind, describe)
		}
		return state.AggregateValue(out)
	}
	bits := m.m.Layout.Pointer
	switch t.Kind {
	case llvmir.VoidType:
		return state.Value{}
	case llvmir.IntType, llvmir.FloatType:
		bits = t.Bits
	}
	b := m.in(choice.Question{Kind: kind, Site: site, Bits: bits, Float: t.Kind == llvmir.FloatType}).Value
	if b == nil {
		b = new(big.Int)
	}
	v := state.BigValue(b, bits)
	if kind != choice.Undef {
		r := m.newInput(kind, site)
		r.Value, r.Typ, r.IsValue = v, t, true
		if describe != nil {
			describe(r)
		}
		m.Inputs = append(m.Inputs, r)
		if m.obs != nil {
			m.obs.Chosen(r, nil, 0)
		}
	}
	return v
}

// compute evaluates an instruction without side effects. fr is nil for constant expressions.
func (m *Machine) compute(fr *state.Frame, in *llvmir.Instr) state.Value {
	arg := func(i int) state.Value { return m.operand(fr, in, in.Args[i]) }
	switch in.Op {
	case llvmir.OpAdd, llvmir.OpSub, llvmir.OpMul, llvmir.OpUDiv, llvmir.OpSDiv, llvmir.OpURem, llvmir.OpSRem,
		llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr, llvmir.OpAnd, llvmir.OpOr, llvmir.OpXor:
		x, y := arg(0), arg(1)
		if in.Type.Kind == llvmir.VectorType {
			return lanes(x, y, func(x, y state.Value) state.Value { return m.integer(in, x, y, in.Type.Elem.Bits) })
		}
		facts := m.m.Of(in)
		if facts.PointerDifference && fr != nil {
			m.sameObject(fr, in, x, y, "subtracts")
		}
		if facts.Magnitude {
			m.magnitude(y, in.Type.Bits)
		}
		if n := facts.Exponent; n.Kind == llvmir.OperandReg && m.shiftsTooFar(m.operand(fr, in, n), in.Type.Bits) {
			return m.arbitrary(in.Type, in.ID, choice.Undef, nil)
		}
		return m.integer(in, x, y, in.Type.Bits)
	case llvmir.OpFAdd, llvmir.OpFSub, llvmir.OpFMul, llvmir.OpFDiv, llvmir.OpFRem:
		m.supported(in.Type)
		width := scalarType(in.Type).Bits
		return lanes(arg(0), arg(1), func(x, y state.Value) state.Value {
			r := floatOp(in.Op, x, y, width)
			if in.Op != llvmir.OpFRem {
				r = m.rounded(in, r, width)
			}
			return m.computed(in, r, width)
		})
	case llvmir.OpFNeg:
		m.supported(in.Type)
		width := scalarType(in.Type).Bits
		x := arg(0)
		return lanes(x, x, func(x, _ state.Value) state.Value { return state.IntValue(x.Bits ^ 1<<(width-1)) })
	case llvmir.OpICmp:
		x, y := arg(0), arg(1)
		t := in.Args[0].Type
		if t.Kind == llvmir.PointerType && in.Pred != llvmir.PredEQ && in.Pred != llvmir.PredNE {
			m.sameObject(fr, in, x, y, "compares")
		}
		width := m.m.Layout.Pointer
		if s := scalarType(t); s.Kind == llvmir.IntType {
			width = s.Bits
		}
		if x.X == nil && y.X == nil {
			return state.BoolValue(compareInts(in.Pred, x, y, width))
		}
		return lanes(x, y, func(x, y state.Value) state.Value { return state.BoolValue(compareInts(in.Pred, x, y, width)) })
	case llvmir.OpFCmp:
		t := scalarType(in.Args[0].Type)
		m.supported(t)
		return lanes(arg(0), arg(1), func(x, y state.Value) state.Value {
			return state.BoolValue(compareFloats(in.Pred, state.ToFloat(x, t.Bits), state.ToFloat(y, t.Bits)))
		})
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpFPTrunc, llvmir.OpFPExt, llvmir.OpFPToUI, llvmir.OpFPToSI,
		llvmir.OpUIToFP, llvmir.OpSIToFP, llvmir.OpPtrToInt, llvmir.OpIntToPtr:
		m.supported(in.Type)
		m.supported(in.Args[0].Type)
		from, to := scalarType(in.Args[0].Type), scalarType(in.Type)
		x := arg(0)
		if x.X == nil {
			return m.convert(in, x, from, to)
		}
		return lanes(x, x, func(x, _ state.Value) state.Value { return m.convert(in, x, from, to) })
	case llvmir.OpBitCast:
		m.supported(in.Type)
		m.supported(in.Args[0].Type)
		return m.bitcast(arg(0), in.Args[0].Type, in.Type)
	case llvmir.OpFreeze:
		return arg(0)
	case llvmir.OpSelect:
		c, x, y := arg(0), arg(1), arg(2)
		if in.Args[0].Type.Kind == llvmir.VectorType {
			out := make([]state.Value, len(c.Elems()))
			for i, ci := range c.Elems() {
				out[i] = y.Elems()[i]
				if ci.Bits&1 == 1 {
					out[i] = x.Elems()[i]
				}
			}
			return state.AggregateValue(out)
		}
		if c.Bits&1 == 1 {
			return x
		}
		return y
	case llvmir.OpGEP:
		p, width := arg(0), m.m.Layout.Pointer
		null := m.null(p)
		p.Bits += uint64(in.GEP.Const)
		for i, scale := range in.GEP.Scales {
			idx := arg(i + 1)
			p.Bits += uint64(llvmir.Scaled(state.SignExtend(idx.Bits, min(in.Args[i+1].Type.Bits, width)), scale, width))
		}
		p.Bits &= m.Layout.Space.Mask()
		if null {
			m.fromNull[p.Bits] = true
		}
		p.Wrapped = !null && p.Obj == nil && p.Bits == 0
		return p
	case llvmir.OpExtractValue:
		v := arg(0)
		for _, i := range in.Path {
			v = v.Elems()[i]
		}
		return v
	case llvmir.OpInsertValue:
		return insertValue(arg(0), arg(1), in.Path)
	case llvmir.OpExtractElement:
		v, idx := arg(0), arg(1).Bits
		if idx >= uint64(len(v.Elems())) {
			return m.arbitrary(in.Type, in.ID, choice.Undef, nil)
		}
		return v.Elems()[idx]
	case llvmir.OpInsertElement:
		v, e, idx := arg(0), arg(1), arg(2).Bits
		if idx >= uint64(len(v.Elems())) {
			return m.arbitrary(in.Type, in.ID, choice.Undef, nil)
		}
		return insertValue(v, e, []int{int(idx)})
	case llvmir.OpShuffleVector:
		a, b := arg(0).Elems(), arg(1).Elems()
		out := make([]state.Value, len(in.Mask))
		for i, k := range in.Mask {
			switch {
			case k < 0:
				out[i] = m.arbitrary(in.Type.Elem, in.ID, choice.Undef, nil)
			case k < len(a):
				out[i] = a[k]
			default:
				out[i] = b[k-len(a)]
			}
		}
		return state.AggregateValue(out)
	case llvmir.OpUnsupported:
		m.unsupported(in.Text)
	}
	m.unsupported("an instruction without support in the interpreter")
	return state.Value{}
}

func (m *Machine) supported(t *llvmir.Type) {
	if why := state.UnsupportedType(t); why != "" {
		m.unsupported("a value of type " + why)
	}
}

func scalarType(t *llvmir.Type) *llvmir.Type {
	if t.Kind == llvmir.VectorType {
		return t.Elem
	}
	return t
}

// sameObject checks that two pointers that are ordered or subtracted belong to one object.
func (m *Machine) sameObject(fr *state.Frame, in *llvmir.Instr, x, y state.Value, verb string) {
	var a, b *state.Object
	if x.Whole() {
		a = x.Obj
	}
	if y.Whole() {
		b = y.Obj
	}
	if a != b {
		m.violated(found.AmbiguousPointer, func() string { return m.View.OrderMessage(fr, in, x, y, verb) })
	}
}

// lanes applies f to scalars, or to each element of vectors.
func lanes(x, y state.Value, f func(x, y state.Value) state.Value) state.Value {
	if x.Elems() == nil {
		return f(x, y)
	}
	out := make([]state.Value, len(x.Elems()))
	for i, e := range x.Elems() {
		out[i] = lanes(e, y.Elems()[i], f)
	}
	return state.AggregateValue(out)
}

func insertValue(v, e state.Value, path []int) state.Value {
	if len(path) == 0 {
		return e
	}
	out := append([]state.Value(nil), v.Elems()...)
	out[path[0]] = insertValue(out[path[0]], e, path[1:])
	return state.AggregateValue(out)
}
