package unfold

import (
	"strings"

	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/mem"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold/arith"
)

func partsOf(constant []clangir.Part) []mem.Part {
	var out []mem.Part
	for _, p := range constant {
		out = append(out, mem.Part(p))
	}
	return out
}

// intrinsic executes an llvm.* function.
func (cc *callCtx) intrinsic() {
	r, c, p := cc.r(), cc.c(), cc.p
	name := cc.in.Intrinsic
	each := func(f func(x, y smt.Term) smt.Term) {
		y := cc.args[0]
		if len(cc.args) > 1 && len(cc.args[1].e) == len(cc.args[0].e) {
			y = cc.args[1]
		}
		cc.ret = lanes(cc.args[0], y, arith.OnBits(c, f))
	}
	pick := func(less func(x, y smt.Term) smt.Term) {
		each(func(x, y smt.Term) smt.Term { return c.Ite(less(x, y), x, y) })
	}
	switch name {
	case "memcpy", "memcpy.inline":
		cc.copyRange(cc.arg(0), cc.arg(1), cc.argInt(2, cc.r().mem.Width, false), true)
	case "memmove":
		cc.copyRange(cc.arg(0), cc.arg(1), cc.argInt(2, cc.r().mem.Width, false), false)
	case "memset", "memset.inline":
		cc.fill(cc.arg(0), cc.argInt(1, 8, false), cc.argInt(2, cc.r().mem.Width, false))
	case "assume":
		cc.stated()
	case "dbg.label", "prefetch", "donothing", "sideeffect", "va_end", "lifetime.start", "lifetime.end",
		"dbg.declare", "dbg.value", "experimental.noalias.scope.decl",
		"pseudoprobe":
	case "invariant.start", "invariant.end":
		if facts := r.m.Of(cc.in); len(facts.Constant) > 0 {
			for _, x := range r.mem.Candidates(cc.arg(1), mem.AsNoObject) { // of a variable
				if x.Obj != mem.None {
					r.mem.Keep(p.st, x.Obj, partsOf(facts.Constant), name == "invariant.start", x.Cond)
				}
			}
		}
	case "expect", "expect.with.probability", "launder.invariant.group", "strip.invariant.group", "ptr.annotation",
		"annotation", "ssa.copy", "threadlocal.address":
		cc.ret = cc.args[0]
	case "ptrmask": // like an address computation, it stays in the object
		to := c.BvAnd(cc.arg(0), cc.argInt(1, cc.r().mem.Width, false))
		r.mem.Moved(p.g.T, cc.arg(0), to)
		cc.ret = value{t: to}
	case "is.fpclass":
		t := cc.in.Args[0].Type
		if t.Kind == llvmir.VectorType {
			t = t.Elem
		}
		mask, ok := c.Uint64(cc.arg(1))
		if !ok || t.Kind != llvmir.FloatType || !t.IEEE() {
			cc.unsupported("a class of numbers of type " + t.String())
			return
		}
		classes := language.FPClass(mask)
		cc.ret = lanes(cc.args[0], cc.args[0], func(x, _ smt.Term) smt.Term { return arith.InClass(c, x, classes) })
	case "is.constant":
		cc.ret = value{t: c.False()}
	case "objectsize":
		if w := scalarSort(cc.in.Type).Width(); c.IsTrue(cc.argBool(1)) {
			cc.ret = value{t: c.Int(w, 0)}
		} else {
			cc.ret = value{t: c.IntS(w, -1)}
		}
	case "flt.rounds", "get.rounding":
		mode, _ := r.rounding(p)
		t := c.Int(cc.in.Type.Bits, language.FltRounds[language.RoundNearest])
		for m, number := range language.FltRounds[1:] {
			t = c.Ite(c.Eq(mode, c.Int(32, uint64(m+1))), c.Int(cc.in.Type.Bits, number), t)
		}
		cc.ret = value{t: t}
	case "stacksave":
		cc.ret = value{t: cc.r().mem.Int(uint64(len(cc.fr.dynamic)))}
	case "stackrestore": // merged states may have saved different depths
		for i, id := range cc.fr.dynamic {
			if ends := c.Ule(cc.arg(0), cc.r().mem.Int(uint64(i))); !c.IsFalse(ends) {
				r.mem.Kill(p.st, id, ends)
			}
		}
	case "va_start":
		cc.vaStart()
	case "va_copy":
		cc.copyRange(cc.arg(0), cc.arg(1), cc.r().mem.Int(uint64(clangir.ListSize(cc.r().m.Layout))), false)
	case "trap", "debugtrap", "ubsantrap":
		if r.opts.Checks[found.Unreachable] {
			r.obligationAt(p.g.T, cc.site, found.Unreachable, c.False(), true)
		}
		cc.dead = true
	case "abs":
		each(func(x, _ smt.Term) smt.Term { return c.Ite(c.Slt(x, c.Int(c.Width(x), 0)), c.Neg(x), x) })
	case "smin":
		pick(c.Sle)
	case "smax":
		pick(c.Sge)
	case "umin":
		pick(c.Ule)
	case "umax":
		pick(c.Uge)
	case "ctpop":
		each(func(x, _ smt.Term) smt.Term { return arith.Ones(c, x) })
	case "ctlz", "cttz":
		zeroIsUndef := cc.argBool(1)
		each(func(x, _ smt.Term) smt.Term {
			t := arith.Zeros(c, x, name == "ctlz")
			if !c.IsTrue(zeroIsUndef) {
				return t
			}
			nonzero := func() smt.Term { return c.Ne(x, c.Int(c.Width(x), 0)) }
			return cc.fr.orArbitrary(cc.in, found.InvalidBuiltin, nonzero, p, func() smt.Term { return t })
		})
	case "bswap":
		each(func(x, _ smt.Term) smt.Term { return arith.ReverseBytes(c, x) })
	case "bitreverse":
		each(func(x, _ smt.Term) smt.Term { return arith.ReverseBits(c, x) })
	case "fshl", "fshr":
		cc.ret = cc.ternary(func(a, b, by smt.Term) smt.Term {
			return arith.OnBits(c, func(a, b smt.Term) smt.Term {
				return arith.Funnel(c, a, b, arith.Bits(c, by), name == "fshl")
			})(a, b)
		})
	case "convert.from.fp16":
		cc.ret = value{t: cc.fr.computed(cc.in, p, c.FToF(cc.arg(0), cc.in.Type.Bits))}
	case "convert.to.fp16":
		cc.ret = value{t: cc.fr.arithmetic(cc.in, p, c.FToF(r.floats.Number(cc.arg(0)), 16))}
	case "fmuladd":
		if e := scalarOf(cc.in.Type); !r.supportedType(cc.in.Type) || e.Bits == 16 {
			cc.unsupported("intrinsic llvm." + name)
			return
		}
		cc.ret = cc.fused(func(a, b, x smt.Term) smt.Term { return c.FAdd(cc.fr.rounded(cc.in, p, c.FMul(a, b)), x) })
	default:
		stem, _, overflow := strings.Cut(name, ".with.overflow")
		switch {
		case overflow:
			cc.withOverflow(stem)
		case strings.HasSuffix(name, ".sat"):
			op := strings.TrimSuffix(name, ".sat")
			if op == "sshl" || op == "ushl" {
				cc.unsupported("intrinsic llvm." + name)
				return
			}
			each(func(x, y smt.Term) smt.Term { return arith.Saturating(c, op, x, y) })
		case cc.reduced(name):
		case cc.math(name):
		default:
			cc.unsupported("intrinsic llvm." + name)
		}
	}
}

// reduced combines the elements of a vector of integers. It reports whether name is such a reduction.
func (cc *callCtx) reduced(name string) bool {
	op, ok := strings.CutPrefix(name, "vector.reduce.")
	f := arith.Reductions[op]
	if !ok || f == nil {
		return false
	}
	elements := cc.args[0].e
	t := elements[0].t
	for _, e := range elements[1:] {
		t = arith.OnBits(cc.c(), func(x, y smt.Term) smt.Term { return f(cc.c(), x, y) })(t, e.t)
	}
	cc.ret = value{t: t}
	return true
}

// scalarOf returns the element type of a vector type, and any other type unchanged.
func scalarOf(t *llvmir.Type) *llvmir.Type {
	if t.Kind == llvmir.VectorType {
		return t.Elem
	}
	return t
}

// fused is ternary for a floating-point operation.
func (cc *callCtx) fused(f func(a, b, x smt.Term) smt.Term) value {
	return cc.ternary(func(a, b, x smt.Term) smt.Term {
		return cc.fr.arithmetic(cc.in, cc.p, f(cc.r().floats.Number(a), cc.r().floats.Number(b), cc.r().floats.Number(x)))
	})
}

func (cc *callCtx) ternary(f func(a, b, x smt.Term) smt.Term) value {
	if cc.args[0].t != 0 {
		return value{t: f(cc.args[0].t, cc.args[1].t, cc.args[2].t)}
	}
	out := value{e: make([]value, len(cc.args[0].e))}
	for i := range out.e {
		out.e[i] = value{t: f(cc.args[0].e[i].t, cc.args[1].e[i].t, cc.args[2].e[i].t)}
	}
	return out
}

// withOverflow evaluates arithmetic that also returns whether the exact result does not fit.
func (cc *callCtx) withOverflow(op string) {
	c := cc.c()
	results := lanes2(cc.args[0], cc.args[1], func(x, y smt.Term) (smt.Term, smt.Term) {
		return arith.Overflowing(c, op, x, y)
	})
	cc.ret = value{e: results[:]}
}

func lanes2(a, b value, f func(x, y smt.Term) (smt.Term, smt.Term)) [2]value {
	if a.t != 0 {
		s, o := f(a.t, b.t)
		return [2]value{{t: s}, {t: o}}
	}
	var out [2]value
	for i := range a.e {
		r := lanes2(a.e[i], b.e[i], f)
		out[0].e = append(out[0].e, r[0])
		out[1].e = append(out[1].e, r[1])
	}
	return out
}

// math executes a floating-point function by its libm or intrinsic name. It reports whether the function is one of
// these.
func (cc *callCtx) math(name string) (known bool) {
	c := cc.c()
	if len(cc.in.Args) == 0 || cc.in.Type == nil {
		return false
	}
	t := cc.in.Args[0].Type
	if t != nil && t.Kind == llvmir.VectorType {
		t = t.Elem
	}
	if t == nil || t.Kind != llvmir.FloatType || !t.IEEE() {
		return false
	}
	op := language.FloatIntrinsic(name)
	if cc.in.Intrinsic == "" {
		op = language.FloatFunction(name, t.Bits)
	}
	if cc.in.Type.Kind == llvmir.VoidType || op == language.NoFloat || len(cc.args) != op.Operands() {
		return false
	}
	// A computed NaN has arbitrary bits; a function that only changes the sign keeps the other bits of a NaN.
	computed := func(f func(smt.Term) smt.Term) func(smt.Term) smt.Term {
		return func(x smt.Term) smt.Term {
			return cc.fr.computed(cc.in, cc.p, arith.Widely(c, func(xs ...smt.Term) smt.Term { return f(xs[0]) },
				cc.r().floats.Number(x)))
		}
	}
	round := func(m smt.RoundMode) func(smt.Term) smt.Term {
		return computed(func(x smt.Term) smt.Term { return c.FRound(m, x) })
	}
	one := map[language.Float]func(smt.Term) smt.Term{
		language.Sqrt: func(x smt.Term) smt.Term {
			return cc.fr.arithmetic(cc.in, cc.p, arith.Widely(c, func(xs ...smt.Term) smt.Term { return c.FSqrt(xs[0]) },
				cc.r().floats.Number(x)))
		},
		language.Fabs: func(x smt.Term) smt.Term {
			return cc.r().floats.Signed(x, func(x smt.Term) smt.Term { return arith.Magnitude(c, x) })
		},
		language.Floor:     round(smt.RoundFloor),
		language.Ceil:      round(smt.RoundCeil),
		language.Trunc:     round(smt.RoundTrunc),
		language.Rint:      computed(func(x smt.Term) smt.Term { return cc.fr.integral(x, cc.p) }),
		language.Round:     round(smt.RoundNearestAway),
		language.RoundEven: round(smt.RoundNearestEven),
	}
	extreme := func(f func(x, y smt.Term) smt.Term) func(x, y smt.Term) smt.Term {
		return func(x, y smt.Term) smt.Term { return cc.fr.extreme(cc.in, cc.p, f, x, y) }
	}
	two := map[language.Float]func(a, b smt.Term) smt.Term{
		language.Fmin: extreme(c.FMin), language.Fmax: extreme(c.FMax),
		language.Fmod: func(a, b smt.Term) smt.Term {
			return cc.fr.computed(cc.in, cc.p, arith.Widely(c, func(xs ...smt.Term) smt.Term { return c.FRem(xs[0], xs[1]) },
				cc.r().floats.Number(a), cc.r().floats.Number(b)))
		},
		language.Copysign: func(a, b smt.Term) smt.Term {
			w := c.Width(a)
			return cc.r().floats.Signed(a, func(x smt.Term) smt.Term {
				return c.Concat(c.Extract(b, w-1, w-1), c.Extract(x, w-2, 0))
			})
		}}
	defer func() {
		if cc.in.Intrinsic == "" && known && op.SetsEDOM() {
			var args []smt.Term
			for _, a := range cc.args {
				args = append(args, a.t)
			}
			cc.setErrno(arith.OutsideDomain(c, op, args...), language.EDOM)
		}
	}()
	switch {
	case one[op] != nil:
		cc.ret = lanes(cc.args[0], cc.args[0], func(x, _ smt.Term) smt.Term { return one[op](x) })
	case two[op] != nil:
		cc.ret = lanes(cc.args[0], cc.args[1], two[op])
	case op == language.Fma && t.Bits != 16:
		cc.ret = cc.fused(c.FFma)
	default:
		return false
	}
	return true
}
