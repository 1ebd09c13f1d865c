package unfold

import (
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// pure evaluates an instruction without effects; ok is false when it is not one of those.
func (fr *frame) pure(in *llvmir.Instr, p *path) (v value, ok bool) {
	r, c := fr.r, fr.r.c
	arg := func(i int) value { return fr.operand(in, in.Args[i], p) }
	switch in.Op {
	case llvmir.OpAdd, llvmir.OpSub, llvmir.OpMul, llvmir.OpUDiv, llvmir.OpSDiv, llvmir.OpURem, llvmir.OpSRem,
		llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr, llvmir.OpAnd, llvmir.OpOr, llvmir.OpXor,
		llvmir.OpFAdd, llvmir.OpFSub, llvmir.OpFMul, llvmir.OpFDiv, llvmir.OpFRem:
		return lanes(arg(0), arg(1), func(x, y smt.Term) smt.Term { return fr.binary(in, x, y, p) }), true
	case llvmir.OpFNeg:
		return lanes(arg(0), arg(0), func(x, _ smt.Term) smt.Term { return r.signed(x, c.FNeg) }), true
	case llvmir.OpICmp:
		if isPointer(in.Args[0].Type) {
			return value{t: fr.comparePointers(in, p)}, true
		}
		return lanes(arg(0), arg(1), func(x, y smt.Term) smt.Term { return r.icmp(in.Pred, x, y) }), true
	case llvmir.OpFCmp:
		return lanes(arg(0), arg(1), func(x, y smt.Term) smt.Term { return r.fcmp(in.Pred, x, y) }), true
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpFPTrunc, llvmir.OpFPExt, llvmir.OpFPToUI, llvmir.OpFPToSI,
		llvmir.OpUIToFP, llvmir.OpSIToFP, llvmir.OpPtrToInt, llvmir.OpIntToPtr:
		to := in.Type
		if to.Kind == llvmir.VectorType {
			to = to.Elem
		}
		return lanes(arg(0), arg(0), func(x, _ smt.Term) smt.Term { return fr.convert(in, x, to, p) }), true
	case llvmir.OpBitCast:
		return r.bitcast(arg(0), in.Args[0].Type, in.Type), true
	case llvmir.OpFreeze:
		return arg(0), true
	case llvmir.OpSelect:
		cond, a, b := arg(0), arg(1), arg(2)
		if cond.t == 0 {
			out := value{e: make([]value, len(cond.e))}
			for i := range cond.e {
				out.e[i] = r.selectValue(cond.e[i].t, a.e[i], b.e[i])
			}
			return out, true
		}
		return r.selectValue(cond.t, a, b), true
	case llvmir.OpGEP:
		t := c.Add(arg(0).t, c.IntS(64, in.GEP.Const))
		for i, scale := range in.GEP.Scales {
			idx := arg(i + 1).t
			if w := c.Width(idx); w < 64 {
				idx = c.Sext(idx, 64)
			} else if w > 64 {
				idx = c.Extract(idx, 63, 0)
			}
			t = c.Add(t, r.scaled(idx, scale))
		}
		r.mem.Moved(p.g.t, arg(0).t, t)
		return value{t: t}, true
	case llvmir.OpExtractValue:
		v := arg(0)
		for _, i := range in.Path {
			v = v.e[i]
		}
		return v, true
	case llvmir.OpInsertValue:
		return insert(arg(0), arg(1), in.Path), true
	case llvmir.OpExtractElement:
		v, idx := arg(0), arg(1).t
		out := v.e[len(v.e)-1]
		for i := len(v.e) - 2; i >= 0; i-- {
			out = r.selectValue(c.Eq(idx, c.Int(c.Width(idx), uint64(i))), v.e[i], out)
		}
		return out, true
	case llvmir.OpInsertElement:
		v, x, idx := arg(0), arg(1), arg(2).t
		out := value{e: make([]value, len(v.e))}
		for i := range v.e {
			out.e[i] = r.selectValue(c.Eq(idx, c.Int(c.Width(idx), uint64(i))), x, v.e[i])
		}
		return out, true
	case llvmir.OpShuffleVector:
		a, b := arg(0), arg(1)
		out := value{e: make([]value, len(in.Mask))}
		for i, m := range in.Mask {
			switch {
			case m < 0:
				out.e[i] = r.undef(in.Type.Elem, p, in.ID)
			case m < len(a.e):
				out.e[i] = a.e[m]
			default:
				out.e[i] = b.e[m-len(a.e)]
			}
		}
		return out, true
	}
	return value{}, false
}

// farAway bounds the product of an index with the size of an element; a larger one leaves
// every object, though modulo 2^64 it may not (llvmir.Scaled).
const farAway = 1 << 62

// scaled is the distance in bytes of the element with a given index. Where nothing but one
// variable is scaled, the access checks that its product does not wrap (mem.inside). Of a
// sum that could wrap as a whole or in parts (in a[i-j] both may be large and the
// difference small) the value counts, so it is kept apart from its terms.
func (r *run) scaled(idx smt.Term, scale int64) smt.Term {
	c := r.c
	if k, ok := c.Int64(idx); ok {
		return c.IntS(64, llvmir.Scaled(k, scale))
	}
	size := max(scale, -scale)
	if size < 2 {
		return c.Mul(idx, c.IntS(64, scale))
	}
	limit := int64(farAway) / size
	small := func(k int64) bool { return -limit < k && k < limit }
	konst, parts := c.SumParts(idx)
	fits, large := small(int64(konst)), 0
	for _, p := range parts {
		fits = fits && small(int64(p.Coef))
		if _, hi := c.Range(p.T); hi >= uint64(limit) {
			large++
		}
	}
	if fits && large < 2 {
		return c.Mul(idx, c.IntS(64, scale))
	}
	bits := 64 - 1
	for int64(1)<<(bits-1) > limit {
		bits--
	}
	if _, hi := c.Range(idx); hi < uint64(limit) {
		return c.Mul(c.Zext(c.Extract(idx, bits, 0), 64), c.IntS(64, scale))
	}
	in := c.And(c.Slt(c.IntS(64, -limit), idx), c.Slt(idx, c.IntS(64, limit)))
	far := c.Ite(c.Slt(idx, c.Int(64, 0)), c.IntS(64, llvmir.Scaled(-limit, scale)),
		c.IntS(64, llvmir.Scaled(limit, scale)))
	return c.Ite(in, c.Mul(c.Sext(c.Extract(idx, bits, 0), 64), c.IntS(64, scale)), far)
}

// lanes applies f to scalars, or element-wise to vectors.
func lanes(a, b value, f func(x, y smt.Term) smt.Term) value {
	if a.t != 0 {
		return value{t: f(a.t, b.t)}
	}
	out := value{e: make([]value, len(a.e))}
	for i := range a.e {
		out.e[i] = lanes(a.e[i], b.e[i], f)
	}
	return out
}

func insert(v, x value, path []int) value {
	if len(path) == 0 {
		return x
	}
	out := value{e: append([]value(nil), v.e...)}
	out.e[path[0]] = insert(v.e[path[0]], x, path[1:])
	return out
}

// binary is integer or floating-point arithmetic. What C leaves undefined wraps
// (overflow) or is arbitrary (division by zero, shifts by the width or more): clang's
// checks in front of the operation are the obligations, and they may be switched off.
func (fr *frame) binary(in *llvmir.Instr, x, y smt.Term, p *path) smt.Term {
	r, c := fr.r, fr.r.c
	if c.Sort(x).IsBool() {
		return r.booleanArithmetic(in.Op, x, y)
	}
	w := c.Width(x)
	least := func() smt.Term { return c.BvNot(c.Lshr(c.IntS(w, -1), c.Int(w, 1))) }
	nonzero := func() smt.Term { return c.Ne(y, c.Int(w, 0)) }
	fits := func() smt.Term { return c.Or(c.Ne(x, least()), c.Ne(y, c.IntS(w, -1))) }
	inRange := func() smt.Term {
		n := y
		if e := r.m.Of(in).Exponent; e.Kind == llvmir.OperandReg && e.Type.Kind == llvmir.IntType {
			n = fr.scalar(in, e, p)
		}
		if c.Sort(n).IsBool() || bits.Len(uint(w)) > c.Width(n) {
			return c.True() // no number of its type is that large
		}
		return c.Ult(n, c.Int(c.Width(n), uint64(w)))
	}
	divided := func(quotient func() smt.Term) smt.Term {
		return fr.orArbitrary(in, found.DivisionByZero, nonzero, p, quotient)
	}
	signedly := func(quotient func() smt.Term) smt.Term {
		return divided(func() smt.Term {
			fr.defined(in, found.SignedOverflow, fits, p)
			return quotient()
		})
	}
	fr.wraps(in, x, y, p)
	switch in.Op {
	case llvmir.OpAdd:
		return c.Add(x, y)
	case llvmir.OpSub:
		if r.m.Of(in).Magnitude && r.opts.Checks[found.SignedOverflow] {
			r.obligation(p, r.site(in, fr), found.SignedOverflow, c.Ne(y, least()))
		}
		return c.Sub(x, y)
	case llvmir.OpMul:
		if !c.IsConst(x) && !c.IsConst(y) {
			x, y = fr.narrowed(x, p), fr.narrowed(y, p)
		}
		return c.Mul(x, y)
	case llvmir.OpUDiv:
		return divided(func() smt.Term { return fr.divided(x, y, p, c.Udiv) })
	case llvmir.OpSDiv:
		return signedly(func() smt.Term { return c.Sdiv(x, y) })
	case llvmir.OpURem:
		return divided(func() smt.Term { return fr.divided(x, y, p, c.Urem) })
	case llvmir.OpSRem:
		return signedly(func() smt.Term { return c.Srem(x, y) })
	case llvmir.OpShl:
		return fr.orArbitrary(in, found.InvalidShift, inRange, p, func() smt.Term { return c.Shl(x, y) })
	case llvmir.OpLShr:
		return fr.orArbitrary(in, found.InvalidShift, inRange, p, func() smt.Term { return c.Lshr(x, y) })
	case llvmir.OpAShr:
		return fr.orArbitrary(in, found.InvalidShift, inRange, p, func() smt.Term { return c.Ashr(x, y) })
	case llvmir.OpAnd:
		return c.BvAnd(x, y)
	case llvmir.OpOr:
		return c.BvOr(x, y)
	case llvmir.OpXor:
		return c.BvXor(x, y)
	case llvmir.OpFAdd:
		return fr.computed(in, p, c.FAdd(r.number(x), r.number(y)))
	case llvmir.OpFSub:
		return fr.computed(in, p, c.FSub(r.number(x), r.number(y)))
	case llvmir.OpFMul:
		return fr.computed(in, p, c.FMul(r.number(x), r.number(y)))
	case llvmir.OpFDiv:
		return fr.computed(in, p, c.FDiv(r.number(x), r.number(y)))
	default:
		return fr.computed(in, p, c.FRem(r.number(x), r.number(y)))
	}
}

// defined logs the obligation that an operation has a result where the sanitizers did not see to that, and reports
// whether it surely has one from here on.
func (fr *frame) defined(in *llvmir.Instr, kind found.Kind, cond func() smt.Term, p *path) bool {
	r, c := fr.r, fr.r.c
	held := r.opts.Checks[kind] && !r.accepted(kind, r.site(in, fr))
	looks := r.m.Of(in).Undefined
	if looks == clangir.Sanitized && held {
		return true
	}
	holds := cond()
	if c.IsTrue(holds) || p.g.implies(c, holds) {
		return true
	}
	if looks == clangir.Unguarded && r.opts.Checks[kind] {
		r.obligationOnce(p, r.site(in, fr), kind, holds)
	}
	return looks != clangir.Unused && held
}

// wraps notes that the result of signed arithmetic may not fit, and wraps: the function is told not to sanitize. What
// would trap there, and what has no result at all, are obligations nevertheless.
func (fr *frame) wraps(in *llvmir.Instr, x, y smt.Term, p *path) {
	r := fr.r
	if facts := r.m.Of(in); !facts.Wraps || facts.Magnitude || !r.opts.Checks[found.SignedOverflow] {
		return
	}
	site := r.site(in, fr)
	if r.opts.UserFile != nil && !r.opts.UserFile(site.Pos.File) {
		return
	}
	op := map[llvmir.Op]string{llvmir.OpAdd: "sadd", llvmir.OpSub: "ssub", llvmir.OpMul: "smul"}[in.Op]
	if _, overflow := overflowing(r.c, op, x, y); !r.c.IsFalse(overflow) {
		r.note(found.Assumption{What: found.WrappingArithmetic, Name: fr.fn.SourceName}, site, 0)
	}
}

// obligationOnce logs an obligation unless it was the last event: lanes of a vector may have the same.
func (r *run) obligationOnce(p *path, site *seair.Site, kind found.Kind, cond smt.Term) {
	if n := len(r.log.Events); n > 0 {
		e := &r.log.Events[n-1]
		if e.Kind == seair.Obligation && e.Check == kind && e.Cond == cond && e.Guard == p.g.t && e.Site.ID == site.ID &&
			e.Site.Caller == site.Caller {
			return
		}
	}
	r.obligation(p, site, kind, cond)
}

// orArbitrary is the result of an operation where it has one, and arbitrary elsewhere, if an execution goes on there.
func (fr *frame) orArbitrary(in *llvmir.Instr, kind found.Kind, cond func() smt.Term, p *path,
	result func() smt.Term) smt.Term {
	surely := fr.defined(in, kind, cond, p)
	t := result()
	if surely {
		return t
	}
	return fr.r.c.Ite(cond(), t, fr.r.scalarInput(choice.Undef, p, in.ID, "undef", fr.r.c.Sort(t)))
}

func (r *run) booleanArithmetic(op llvmir.Op, x, y smt.Term) smt.Term {
	c := r.c
	switch op {
	case llvmir.OpAnd, llvmir.OpMul:
		return c.And(x, y)
	case llvmir.OpOr:
		return c.Or(x, y)
	case llvmir.OpXor, llvmir.OpAdd, llvmir.OpSub:
		return c.Xor(x, y)
	case llvmir.OpURem, llvmir.OpSRem:
		return c.False() // the divisor is 1
	default: // division by 1, shift by 0: everything else is undefined
		return x
	}
}

func (r *run) icmp(pred llvmir.Pred, x, y smt.Term) smt.Term {
	c := r.c
	if c.Sort(x).IsBool() {
		x, y = c.BoolToBV(x, 1), c.BoolToBV(y, 1)
	}
	switch pred {
	case llvmir.PredEQ:
		return c.Eq(x, y)
	case llvmir.PredNE:
		return c.Ne(x, y)
	case llvmir.PredUGT:
		return c.Ugt(x, y)
	case llvmir.PredUGE:
		return c.Uge(x, y)
	case llvmir.PredULT:
		return c.Ult(x, y)
	case llvmir.PredULE:
		return c.Ule(x, y)
	case llvmir.PredSGT:
		return c.Sgt(x, y)
	case llvmir.PredSGE:
		return c.Sge(x, y)
	case llvmir.PredSLT:
		return c.Slt(x, y)
	default:
		return c.Sle(x, y)
	}
}

func (r *run) fcmp(pred llvmir.Pred, x, y smt.Term) smt.Term {
	c := r.c
	x, y = r.number(x), r.number(y)
	nan := c.Or(c.FIsNaN(x), c.FIsNaN(y))
	switch pred {
	case llvmir.PredFalse:
		return c.False()
	case llvmir.PredOEQ:
		return c.FEq(x, y)
	case llvmir.PredOGT:
		return c.FLt(y, x)
	case llvmir.PredOGE:
		return c.FLe(y, x)
	case llvmir.PredOLT:
		return c.FLt(x, y)
	case llvmir.PredOLE:
		return c.FLe(x, y)
	case llvmir.PredONE:
		return c.And(c.Not(nan), c.Not(c.FEq(x, y)))
	case llvmir.PredORD:
		return c.Not(nan)
	case llvmir.PredUEQ:
		return c.Or(nan, c.FEq(x, y))
	case llvmir.PredFUGT:
		return c.Not(c.FLe(x, y))
	case llvmir.PredFUGE:
		return c.Not(c.FLt(x, y))
	case llvmir.PredFULT:
		return c.Not(c.FLe(y, x))
	case llvmir.PredFULE:
		return c.Not(c.FLt(y, x))
	case llvmir.PredUNE:
		return c.Not(c.FEq(x, y))
	case llvmir.PredUNO:
		return nan
	default:
		return c.True()
	}
}

// convert executes a conversion of a scalar to type to.
func (fr *frame) convert(in *llvmir.Instr, x smt.Term, to *llvmir.Type, p *path) smt.Term {
	c := fr.r.c
	s := scalarSort(to)
	bits := func() smt.Term {
		if c.Sort(x).IsBool() {
			return c.BoolToBV(x, 1)
		}
		return x
	}
	resize := func(t smt.Term, signed bool) smt.Term {
		if s.IsBool() {
			return c.Eq(c.Extract(t, 0, 0), c.Int(1, 1))
		}
		switch w := c.Width(t); {
		case s.Width() < w:
			return c.Extract(t, s.Width()-1, 0)
		case signed:
			return c.Sext(t, s.Width())
		default:
			return c.Zext(t, s.Width())
		}
	}
	switch in.Op {
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpPtrToInt, llvmir.OpIntToPtr:
		return resize(bits(), false)
	case llvmir.OpSExt:
		return resize(bits(), true)
	case llvmir.OpFPTrunc, llvmir.OpFPExt:
		return fr.computed(in, p, c.FToF(fr.r.number(x), s.Width()))
	case llvmir.OpFPToUI, llvmir.OpFPToSI:
		x, w := fr.r.number(x), s.Width()
		if s.IsBool() {
			w = 1
		}
		signed := in.Op == llvmir.OpFPToSI
		t := fr.orArbitrary(in, found.FloatToIntOverflow, func() smt.Term { return fr.r.fitsInt(x, w, signed) }, p,
			func() smt.Term {
				if signed {
					return c.FToS(x, w)
				}
				return c.FToU(x, w)
			})
		if s.IsBool() {
			return c.Eq(t, c.Int(1, 1))
		}
		return t
	case llvmir.OpUIToFP:
		return c.UToF(bits(), s.Width())
	default:
		return c.SToF(bits(), s.Width())
	}
}

// fitsInt is when a float can be converted to an integer of w bits: it lies strictly
// between the neighbours of the range. Bounds are powers of two and exact as floats, but
// for min-1, which is not representable in wide types; there the range is closed by min.
func (r *run) fitsInt(x smt.Term, w int, signed bool) smt.Term {
	c := r.c
	fw := c.Width(x)
	pow := func(e int, negative bool) smt.Term { // +-2^e
		bias, mant := 127, 23
		if fw == 64 {
			bias, mant = 1023, 52
		}
		if e > bias {
			e = bias + 1 // infinity
		}
		bits := uint64(e+bias) << mant
		if negative {
			bits |= 1 << (fw - 1)
		}
		return c.Int(fw, bits)
	}
	if !signed {
		return c.And(c.FLt(c.FNeg(pow(0, false)), x), c.FLt(x, pow(w, false)))
	}
	return c.And(c.FLe(pow(w-1, true), c.FRound(smt.RoundTrunc, x)), c.FLt(x, pow(w-1, false)))
}

// bitcast reinterprets the bits of a value: pointers as they are, vectors as integers and
// back, lane 0 in the low bits.
func (r *run) bitcast(v value, from, to *llvmir.Type) value {
	c := r.c
	if !isAggregate(from) && !isAggregate(to) {
		return v
	}
	bits := v.t
	if isAggregate(from) {
		bits = 0
		for _, e := range v.e {
			b := e.t
			if c.Sort(b).IsBool() {
				b = c.BoolToBV(b, 1)
			}
			if bits == 0 {
				bits = b
			} else {
				bits = c.Concat(b, bits)
			}
		}
	}
	if !isAggregate(to) {
		return value{t: bits}
	}
	s := scalarSort(to.Elem)
	w := max(s.Width(), 1)
	out := value{e: make([]value, to.Len)}
	for i := range out.e {
		e := c.Extract(bits, (i+1)*w-1, i*w)
		if s.IsBool() {
			e = c.Eq(e, c.Int(1, 1))
		}
		out.e[i] = value{t: e}
	}
	return out
}
