package unfold

import (
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/arith"
)

// pure evaluates an instruction without side effects. ok is false if the instruction may have some.
func (fr *frame) pure(in *llvmir.Instr, p *path) (v value, ok bool) {
	r, c := fr.r, fr.r.c
	arg := func(i int) value { return fr.operand(in, in.Args[i], p) }
	switch in.Op {
	case llvmir.OpAdd, llvmir.OpSub, llvmir.OpMul, llvmir.OpUDiv, llvmir.OpSDiv, llvmir.OpURem, llvmir.OpSRem,
		llvmir.OpShl, llvmir.OpLShr, llvmir.OpAShr, llvmir.OpAnd, llvmir.OpOr, llvmir.OpXor,
		llvmir.OpFAdd, llvmir.OpFSub, llvmir.OpFMul, llvmir.OpFDiv, llvmir.OpFRem:
		fr.notePrecision(in)
		return lanes(arg(0), arg(1), func(x, y smt.Term) smt.Term { return fr.binary(in, x, y, p) }), true
	case llvmir.OpFNeg:
		return lanes(arg(0), arg(0), func(x, _ smt.Term) smt.Term {
			return r.floats.Signed(x, func(x smt.Term) smt.Term { return arith.Negated(c, x) })
		}), true
	case llvmir.OpICmp:
		if isPointer(in.Args[0].Type) {
			return value{t: fr.comparePointers(in, p)}, true
		}
		return lanes(arg(0), arg(1), func(x, y smt.Term) smt.Term { return arith.Compare(c, in.Pred, x, y) }), true
	case llvmir.OpFCmp:
		return lanes(arg(0), arg(1), func(x, y smt.Term) smt.Term { return r.floats.Compare(in.Pred, x, y) }), true
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpSExt, llvmir.OpFPTrunc, llvmir.OpFPExt, llvmir.OpFPToUI, llvmir.OpFPToSI,
		llvmir.OpUIToFP, llvmir.OpSIToFP, llvmir.OpPtrToInt, llvmir.OpIntToPtr:
		fr.notePrecision(in)
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
		t := c.Add(arg(0).t, fr.r.mem.IntS(in.GEP.Const))
		for i, scale := range in.GEP.Scales {
			idx := arg(i + 1).t
			if w := r.mem.Width; c.Width(idx) < w {
				idx = c.Sext(idx, w)
			} else {
				idx = c.Extract(idx, w-1, 0)
			}
			t = c.Add(t, arith.Scaled(c, idx, scale))
		}
		r.mem.Moved(p.g.T, arg(0).t, t)
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

// binary evaluates integer or floating-point arithmetic. Undefined results wrap (overflow) or are arbitrary (division
// by zero, shifts by the width or more). The corresponding obligations come from clang's checks in front of the
// operation, which may be switched off.
func (fr *frame) binary(in *llvmir.Instr, x, y smt.Term, p *path) smt.Term {
	r, c := fr.r, fr.r.c
	if c.Sort(x).IsBool() {
		if t, ok := arith.Booleans(c, in.Op, x, y); ok {
			return t
		}
		return c.BVToBool(fr.binary(in, arith.Bits(c, x), arith.Bits(c, y), p))
	}
	w := c.Width(x)
	least := func() smt.Term { return c.BvNot(c.Lshr(c.IntS(w, -1), c.Int(w, 1))) }
	nonzero := func() smt.Term { return c.Ne(y, c.Int(w, 0)) }
	fits := func() smt.Term { return c.Or(c.Ne(x, least()), c.Ne(y, c.IntS(w, -1))) }
	inRange := func() smt.Term {
		n := y
		if e := r.m.Of(in).Exponent; e.Kind == llvmir.OperandReg && e.Type.Kind == llvmir.IntType {
			n = arith.Bits(c, fr.scalar(in, e, p))
		}
		if bits.Len(uint(w)) > c.Width(n) {
			return c.True() // every value of its type is in range
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
	floating := func(f func(x, y smt.Term) smt.Term) smt.Term {
		return arith.Widely(c, func(xs ...smt.Term) smt.Term { return f(xs[0], xs[1]) }, r.floats.Number(x),
			r.floats.Number(y))
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
		if e := r.m.Of(in).Extent; e != clangir.NoExtent {
			if arith.SmallFactors(c, x, y) {
				return c.Mul(x, y)
			}
			op := map[clangir.Extent]string{clangir.SignedExtent: "smul", clangir.UnsignedExtent: "umul"}[e]
			t, overflow := arith.Overflowing(c, op, x, y)
			return fr.extent(t, c.Not(overflow))
		}
		return c.Mul(x, y)
	case llvmir.OpUDiv:
		return divided(func() smt.Term { return arith.Quotient(c, fr.narrowed(x, p), fr.narrowed(y, p), c.Udiv) })
	case llvmir.OpSDiv:
		return signedly(func() smt.Term { return c.Sdiv(x, y) })
	case llvmir.OpURem:
		return divided(func() smt.Term { return arith.Quotient(c, fr.narrowed(x, p), fr.narrowed(y, p), c.Urem) })
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
		return fr.arithmetic(in, p, floating(c.FAdd))
	case llvmir.OpFSub:
		return fr.arithmetic(in, p, floating(c.FSub))
	case llvmir.OpFMul:
		return fr.arithmetic(in, p, floating(c.FMul))
	case llvmir.OpFDiv:
		return fr.arithmetic(in, p, floating(c.FDiv))
	default:
		return fr.computed(in, p, floating(c.FRem))
	}
}

// notePrecision notes the assumption that a result has the precision of its type, if the machine may have a greater
// one.
func (fr *frame) notePrecision(in *llvmir.Instr) {
	r := fr.r
	var a found.Assumption
	switch in.Op {
	case llvmir.OpFMul:
		r.multiplied = true
	case llvmir.OpFAdd, llvmir.OpFSub:
		if r.multiplied {
			a.What = found.FusedMultiplyAdd
		}
	case llvmir.OpFDiv, llvmir.OpSIToFP, llvmir.OpUIToFP:
	default:
		return
	}
	precision, known := r.precisions[fr.fn.Func]
	if !known {
		precision = clangir.PrecisionOf(r.m.Layout, fr.fn.Func)
		r.precisions[fr.fn.Func] = precision
	}
	switch precision {
	case clangir.ExtendedPrecision:
		a.What = found.ExtendedPrecision
	case clangir.OwnPrecision:
		return
	}
	if a.What != "" {
		r.note(a, r.site(in, fr), 0)
	}
}

// extent returns an index or a number of elements in the width of addresses; FarAway if it does not fit.
func (fr *frame) extent(t, fits smt.Term) smt.Term {
	c := fr.r.c
	return c.Ite(fits, t, c.IntS(c.Width(t), llvmir.FarAway(c.Width(t))))
}

// narrowed returns t in the bits that the branches on the way to p leave (guard.Narrow).
func (fr *frame) narrowed(t smt.Term, p *path) smt.Term {
	narrow, done := p.g.Narrow(fr.r.c, t)
	if done {
		fr.r.mem.Stats["narrowed-by-guards"]++
	}
	return narrow
}

// defined logs the obligation that an operation has a result, unless a sanitizer has checked it. It reports whether
// the operation certainly has a result from here on.
func (fr *frame) defined(in *llvmir.Instr, kind found.Kind, cond func() smt.Term, p *path) bool {
	r, c := fr.r, fr.r.c
	held := r.opts.Checks[kind] && !r.accepted(kind, r.site(in, fr))
	looks := r.m.Of(in).Undefined
	if looks == clangir.Sanitized && held {
		return true
	}
	holds := cond()
	if c.IsTrue(holds) || p.g.Implies(c, holds) {
		return true
	}
	if looks == clangir.Unguarded && r.opts.Checks[kind] {
		r.obligationOnce(p, r.site(in, fr), kind, holds)
	}
	return looks != clangir.Unused && held
}

// wraps records the assumption that signed arithmetic which may overflow wraps, in a function that is excluded from
// the sanitizers. Operations that trap or have no result at all are obligations nevertheless.
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
	if _, overflow := arith.Overflowing(r.c, op, x, y); !r.c.IsFalse(overflow) {
		r.note(found.Assumption{What: found.WrappingArithmetic, Name: fr.fn.SourceName}, site, 0)
	}
}

// obligationOnce logs an obligation unless it repeats the last event: several lanes of a vector may have the same one.
func (r *run) obligationOnce(p *path, site *seair.Site, kind found.Kind, cond smt.Term) {
	if n := len(r.log.Events); n > 0 {
		e := &r.log.Events[n-1]
		if e.Kind == seair.Obligation && e.Check == kind && e.Cond == cond && e.Guard == p.g.T && e.Site.ID == site.ID &&
			e.Site.Caller == site.Caller {
			return
		}
	}
	r.obligation(p, site, kind, cond)
}

// orArbitrary returns the result of an operation if it has one, and an arbitrary value otherwise.
func (fr *frame) orArbitrary(in *llvmir.Instr, kind found.Kind, cond func() smt.Term, p *path,
	result func() smt.Term) smt.Term {
	surely := fr.defined(in, kind, cond, p)
	t := result()
	if surely {
		return t
	}
	return fr.r.c.Ite(cond(), t, fr.r.scalarInput(choice.Undef, p, in.ID, "undef", fr.r.c.Sort(t)))
}

// arithmetic returns the result of a floating-point operation that rounds.
func (fr *frame) arithmetic(in *llvmir.Instr, p *path, nearest smt.Term) smt.Term {
	return fr.computed(in, p, fr.rounded(in, p, nearest))
}

// computed returns the result of a floating-point operation; a NaN gets arbitrary bits.
func (fr *frame) computed(in *llvmir.Instr, p *path, result smt.Term) smt.Term {
	r, c := fr.r, fr.r.c
	nan := arith.IsNaN(c, result)
	if p == nil || c.IsFalse(nan) {
		return result
	}
	choice := r.input(choice.Undef, p, in.ID, "NaN")
	choice.Guard = c.And(choice.Guard, nan)
	choice.Value = c.Var(choice.Name, smt.BV(c.Width(result)))
	return r.floats.Any(result, choice.Value)
}

// extreme evaluates fmin or fmax. Two choices are left open: which of two zeros of different sign is returned, and
// whether a signaling NaN is ignored. C leaves both open, and glibc returns a NaN.
func (fr *frame) extreme(in *llvmir.Instr, p *path, f func(x, y smt.Term) smt.Term, x, y smt.Term) smt.Term {
	r, c := fr.r, fr.r.c
	signals := c.Or(r.floats.Signals(x), r.floats.Signals(y))
	x, y = r.floats.Number(x), r.floats.Number(y)
	number := arith.Widely(c, func(xs ...smt.Term) smt.Term { return f(xs[0], xs[1]) }, x, y)
	if p != nil && !c.IsFalse(signals) {
		choice := r.input(choice.Undef, p, in.ID, "signaling NaN")
		choice.Guard = c.And(choice.Guard, signals)
		choice.Value = c.Var(choice.Name, smt.BV(1))
		number = c.Ite(c.And(signals, c.Eq(choice.Value, c.Int(1, 1))), r.floats.NaN(c.Width(number)), number)
	}
	result := fr.computed(in, p, number)
	zeros := c.And(c.FEq(arith.Wide(c, x), arith.Wide(c, y)), c.Ne(x, y))
	if p == nil || c.IsFalse(zeros) {
		return result
	}
	choice := r.input(choice.Undef, p, in.ID, "zero")
	choice.Guard = c.And(choice.Guard, zeros)
	choice.Value = c.Var(choice.Name, smt.BV(1))
	return c.Ite(zeros, c.Ite(c.Eq(choice.Value, c.Int(1, 1)), y, x), result)
}

// convert executes a conversion of a scalar to type to.
func (fr *frame) convert(in *llvmir.Instr, x smt.Term, to *llvmir.Type, p *path) smt.Term {
	c := fr.r.c
	s := scalarSort(to)
	switch in.Op {
	case llvmir.OpTrunc, llvmir.OpZExt, llvmir.OpPtrToInt, llvmir.OpIntToPtr:
		if e := fr.r.m.Of(in).Extent; e != clangir.NoExtent {
			t := arith.Resize(c, x, s, false)
			return fr.extent(t, c.Eq(x, arith.Resize(c, t, c.Sort(x), e == clangir.SignedExtent)))
		}
		if in.Op == llvmir.OpPtrToInt {
			fr.r.mem.MarkPointer(x)
		}
		return arith.Resize(c, x, s, false)
	case llvmir.OpSExt:
		return arith.Resize(c, x, s, true)
	case llvmir.OpFPTrunc:
		return fr.arithmetic(in, p, c.FToF(fr.r.floats.Number(x), s.Width()))
	case llvmir.OpFPExt:
		return fr.computed(in, p, c.FToF(fr.r.floats.Number(x), s.Width()))
	case llvmir.OpFPToUI, llvmir.OpFPToSI:
		x, w := arith.Wide(c, fr.r.floats.Number(x)), s.Width()
		if s.IsBool() {
			w = 1
		}
		signed := in.Op == llvmir.OpFPToSI
		t := fr.orArbitrary(in, found.FloatToIntOverflow, func() smt.Term { return arith.FitsInt(c, x, w, signed) }, p,
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
		return fr.fromInt(in, p, c.UToF, arith.Bits(c, x), s.Width())
	default:
		return fr.fromInt(in, p, c.SToF, arith.Bits(c, x), s.Width())
	}
}

// fromInt converts an integer to a float of w bits.
func (fr *frame) fromInt(in *llvmir.Instr, p *path, convert func(smt.Term, int) smt.Term, x smt.Term, w int) smt.Term {
	t := convert(x, max(w, 32))
	if w == 16 { // a number that 32 bits round to may be infinite in 16
		t = fr.r.c.FToF(t, w)
	}
	if fr.r.c.Width(x) <= arith.Mantissa[w] {
		return t
	}
	return fr.rounded(in, p, t)
}

// bitcast reinterprets the bits of a value. Pointers stay as they are; vectors become integers and vice versa, with
// lane 0 in the low bits.
func (r *run) bitcast(v value, from, to *llvmir.Type) value {
	c := r.c
	if !isAggregate(from) && !isAggregate(to) {
		return v
	}
	bits := v.t
	if isAggregate(from) {
		bits = 0
		for _, e := range v.e {
			b := arith.Bits(c, e.t)
			switch {
			case bits == 0:
				bits = b
			case r.mem.BigEndian:
				bits = c.Concat(bits, b)
			default:
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
		lane := i // in order of significance
		if r.mem.BigEndian {
			lane = len(out.e) - 1 - i
		}
		e := c.Extract(bits, (lane+1)*w-1, lane*w)
		if s.IsBool() {
			e = c.Eq(e, c.Int(1, 1))
		}
		out.e[i] = value{t: e}
	}
	return out
}
