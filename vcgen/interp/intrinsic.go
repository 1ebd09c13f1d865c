package interp

import (
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/choice"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/interp/state"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// intrinsic executes an llvm.* function.
func (c *call) intrinsic() state.Value {
	m := c.m
	width := 64
	if len(c.in.Args) > 0 && c.in.Args[0].Type != nil {
		if t := scalarType(c.in.Args[0].Type); t.Kind == llvmir.IntType || t.Kind == llvmir.FloatType {
			width = t.Bits
		}
	}
	each := func(f func(x state.Value) state.Value) state.Value {
		return lanes(c.arg(0), c.arg(0), func(x, _ state.Value) state.Value { return f(x) })
	}
	pick := func(p llvmir.Pred) state.Value {
		return lanes(c.arg(0), c.arg(1), func(x, y state.Value) state.Value {
			if compareInts(p, x, y, width) {
				return x
			}
			return y
		})
	}
	switch c.in.Intrinsic {
	case "memcpy", "memcpy.inline":
		m.copyRange(c.fr, c.in, c.arg(0), c.arg(1), c.argInt(2), true)
	case "memmove":
		m.copyRange(c.fr, c.in, c.arg(0), c.arg(1), c.argInt(2), false)
	case "memset", "memset.inline":
		m.fillRange(c.fr, c.in, c.arg(0), byte(c.argInt(1)), c.argInt(2))
	case "assume":
		c.stated()
	case "dbg.label", "prefetch", "donothing", "sideeffect",
		"va_end", "experimental.noalias.scope.decl", "pseudoprobe":
	case "invariant.start", "invariant.end":
		c.keep()
	case "expect", "expect.with.probability", "launder.invariant.group", "strip.invariant.group", "ptr.annotation",
		"annotation", "ssa.copy", "threadlocal.address":
		return c.arg(0)
	case "ptrmask": // like an address computation, it preserves the object
		to := c.arg(0)
		to.Bits &= c.argInt(1)
		return to
	case "is.fpclass":
		m.supported(c.in.Args[0].Type)
		classes := language.FPClass(c.argInt(1))
		return each(func(x state.Value) state.Value {
			if classes.Holds(x.Bits, width) {
				return state.IntValue(1)
			}
			return state.IntValue(0)
		})
	case "is.constant":
	case "objectsize":
		if c.argTrue(1) {
			return state.Value{}
		}
		return state.IntValue(state.Mask(c.in.Type.Bits))
	case "flt.rounds", "get.rounding":
		return state.IntValue(language.FltRounds[m.rounding()])
	case "stacksave":
		// A token private to the interpreter: the number of objects to keep.
		return state.IntValue(uint64(len(c.fr.VLAs)))
	case "stackrestore":
		if n := c.arg(0).Bits; n <= uint64(len(c.fr.VLAs)) {
			for _, o := range c.fr.VLAs[n:] {
				m.end(o)
			}
			c.fr.VLAs = c.fr.VLAs[:n]
		}
	case "va_start":
		c.vaStart()
	case "va_copy":
		m.copyRange(c.fr, nil, c.arg(0), c.arg(1), uint64(clangir.ListSize(m.m.Layout)), false)
	case "trap", "debugtrap", "ubsantrap":
		m.required(found.Unreachable, func() string { return "reaches a trap" })
	case "abs":
		return each(func(x state.Value) state.Value { return state.BigValue(new(big.Int).Abs(x.SignedBig(width)), width) })
	case "smin":
		return pick(llvmir.PredSLE)
	case "smax":
		return pick(llvmir.PredSGE)
	case "umin":
		return pick(llvmir.PredULE)
	case "umax":
		return pick(llvmir.PredUGE)
	case "ctpop":
		return each(func(x state.Value) state.Value { return state.BigValue(big.NewInt(int64(popCount(x.Big()))), width) })
	case "ctlz", "cttz":
		return each(func(x state.Value) state.Value {
			b := x.Big()
			n := width
			switch {
			case b.Sign() == 0:
				if c.argTrue(1) {
					if m.m.Of(c.in).Undefined != clangir.Unused {
						m.violated(found.InvalidBuiltin, func() string { return m.expressed("the call") + " is undefined for 0" })
					}
					return m.arbitrary(intType(width), c.in.ID, choice.Undef, nil)
				}
			case c.in.Intrinsic == "ctlz":
				n = width - b.BitLen()
			default:
				n = int(b.TrailingZeroBits())
			}
			return state.BigValue(big.NewInt(int64(n)), width)
		})
	case "bswap":
		return each(func(x state.Value) state.Value {
			buf := x.Big().FillBytes(make([]byte, width/8))
			slices.Reverse(buf)
			return state.BigValue(new(big.Int).SetBytes(buf), width)
		})
	case "bitreverse":
		return each(func(x state.Value) state.Value {
			b, out := x.Big(), new(big.Int)
			for i := range width {
				out.SetBit(out, width-1-i, b.Bit(i))
			}
			return state.BigValue(out, width)
		})
	case "fshl", "fshr":
		return c.ternary(func(x, y, s state.Value) state.Value {
			n := uint(new(big.Int).Mod(s.Big(), big.NewInt(int64(width))).Uint64())
			all := new(big.Int).Lsh(x.Big(), uint(width))
			all.Or(all, y.Big())
			if c.in.Intrinsic == "fshl" {
				return state.BigValue(all.Rsh(all, uint(width)-n), width)
			}
			return state.BigValue(all.Rsh(all, n), width)
		})
	case "convert.from.fp16":
		return m.computed(c.in, state.FromFloat(state.ToFloat(c.arg(0), 16), c.in.Type.Bits), c.in.Type.Bits)
	case "convert.to.fp16":
		return m.computed(c.in, m.rounded(c.in, state.FromFloat(state.ToFloat(c.arg(0), width), 16), 16), 16)
	case "fmuladd":
		if m.supported(c.in.Type); width == 16 {
			m.unsupported("intrinsic llvm.fmuladd")
		}
		return c.ternary(func(x, y, z state.Value) state.Value {
			product := m.rounded(c.in, floatOp(llvmir.OpFMul, x, y, width), width)
			return m.computed(c.in, m.rounded(c.in, floatOp(llvmir.OpFAdd, product, z, width), width), width)
		})
	case "fptoui.sat", "fptosi.sat":
		m.unsupported("intrinsic llvm." + c.in.Intrinsic)
	default:
		return c.otherIntrinsic(width)
	}
	return state.Value{}
}

// otherIntrinsic executes families of intrinsics: arithmetic with overflow, saturating, libm.
func (c *call) otherIntrinsic(width int) state.Value {
	name := c.in.Intrinsic
	if op, ok := strings.CutSuffix(name, ".with.overflow"); ok {
		if x, y := c.arg(0), c.arg(1); x.X == nil && y.X == nil {
			r, o := exact(op, x, y, width)
			return state.AggregateValue([]state.Value{r, state.BoolValue(o)})
		}
		var over state.Value
		sum := lanes(c.arg(0), c.arg(1), func(x, y state.Value) state.Value { r, _ := exact(op, x, y, width); return r })
		over = lanes(c.arg(0), c.arg(1), func(x, y state.Value) state.Value {
			_,
				o := exact(op, x, y, width)
			return state.BoolValue(o)
		})
		return state.AggregateValue([]state.Value{sum, over})
	}
	if op, ok := strings.CutSuffix(name, ".sat"); ok && len(op) == 4 && op[1:] != "shl" {
		return lanes(c.arg(0), c.arg(1), func(x, y state.Value) state.Value { return saturate(op, x, y, width) })
	}
	if op, ok := strings.CutPrefix(name, "vector.reduce."); ok && reductions[op] != nil {
		elements := c.arg(0).Elems()
		v := elements[0]
		for _, e := range elements[1:] {
			v = reductions[op](v, e, width)
		}
		return v
	}
	if f := c.floatFunction(name); f != nil {
		return f(c)
	}
	c.m.unsupported("intrinsic llvm." + name)
	return state.Value{}
}

// reductions combine two integer vector elements of a width, by the name of the intrinsic.
var reductions = map[string]func(x, y state.Value, width int) state.Value{
	"add": func(x, y state.Value, w int) state.Value { r, _ := exact("uadd", x, y, w); return r },
	"mul": func(x, y state.Value, w int) state.Value { r, _ := exact("umul", x, y, w); return r },
	"and": func(x, y state.Value, w int) state.Value {
		return state.BigValue(new(big.Int).And(x.Big(), y.Big()), w)
	},
	"or": func(x, y state.Value, w int) state.Value { return state.BigValue(new(big.Int).Or(x.Big(), y.Big()), w) },
	"xor": func(x, y state.Value, w int) state.Value {
		return state.BigValue(new(big.Int).Xor(x.Big(), y.Big()), w)
	},
	"smin": choose(llvmir.PredSLE), "smax": choose(llvmir.PredSGE), "umin": choose(llvmir.PredULE),
	"umax": choose(llvmir.PredUGE),
}

// choose returns the first operand if the predicate holds, otherwise the second.
func choose(p llvmir.Pred) func(x, y state.Value, width int) state.Value {
	return func(x, y state.Value, width int) state.Value {
		if compareInts(p, x, y, width) {
			return x
		}
		return y
	}
}

func popCount(b *big.Int) int {
	n := 0
	for _, w := range b.Bits() {
		n += bits.OnesCount(uint(w))
	}
	return n
}

// exact computes sadd, uadd, ssub, usub, smul or umul modulo 2^width, and whether the exact result differs.
func exact(op string, x, y state.Value, width int) (state.Value, bool) {
	signed := op[0] == 's'
	if width <= 32 {
		// The result fits 64 bits.
		var a, b int64 = int64(x.Bits), int64(y.Bits)
		if signed {
			a, b = state.SignExtend(x.Bits, width), state.SignExtend(y.Bits, width)
		}
		if signed || op[1:] != "mul" || width < 32 {
			r := smallExact(op[1:], a, b)
			out := uint64(r) & state.Mask(width)
			if signed {
				return state.IntValue(out), state.SignExtend(out, width) != r
			}
			return state.IntValue(out), r < 0 || uint64(r) != out
		}
	}
	if width == 64 && op[1:] != "mul" {
		a, b := x.Bits, y.Bits
		r, over := a+b, a+b < a
		changed := (a ^ r) & (b ^ r) // its sign: the operands have one sign, the sum has the other
		if op[1:] == "sub" {
			r, over = a-b, a < b
			changed = (a ^ b) & (a ^ r)
		}
		if signed {
			over = int64(changed) < 0
		}
		return state.IntValue(r), over
	}
	a, b := x.Big(), y.Big()
	if signed {
		a, b = x.SignedBig(width), y.SignedBig(width)
	}
	z := new(big.Int)
	switch op[1:] {
	case "add":
		z.Add(a, b)
	case "sub":
		z.Sub(a, b)
	default:
		z.Mul(a, b)
	}
	out := state.BigValue(z, width)
	if signed {
		return out, out.SignedBig(width).Cmp(z) != 0
	}
	return out, out.Big().Cmp(z) != 0
}

func smallExact(op string, a, b int64) int64 {
	switch op {
	case "add":
		return a + b
	case "sub":
		return a - b
	}
	return a * b
}

// saturate is arithmetic that is clamped to the range.
func saturate(op string, x, y state.Value, width int) state.Value {
	r, over := exact(op, x, y, width)
	if !over {
		return r
	}
	one := big.NewInt(1)
	switch {
	case op == "usub":
		return state.BigValue(new(big.Int), width)
	case op[0] == 'u':
		return state.BigValue(new(big.Int).Sub(new(big.Int).Lsh(one, uint(width)), one), width)
	}
	top := new(big.Int).Lsh(one, uint(width-1))
	if x.SignedBig(width).Sign() < 0 {
		return state.BigValue(top.Neg(top), width)
	}
	return state.BigValue(top.Sub(top, one), width)
}

func (c *call) ternary(f func(x, y, z state.Value) state.Value) state.Value {
	x, y, z := c.arg(0), c.arg(1), c.arg(2)
	if x.Elems() == nil {
		return f(x, y, z)
	}
	out := make([]state.Value, len(x.Elems()))
	for i := range out {
		out[i] = f(x.Elems()[i], y.Elems()[i], z.Elems()[i])
	}
	return state.AggregateValue(out)
}

// floatFunction returns a function on floats by its libm or intrinsic name; nil if there is none.
func (c *call) floatFunction(name string) func(*call) state.Value {
	if len(c.in.Args) == 0 || len(c.in.Args) > 3 || c.in.Type.Kind == llvmir.VoidType || c.in.Args[0].Type == nil {
		return nil
	}
	t := scalarType(c.in.Args[0].Type)
	if t.Kind != llvmir.FloatType || !t.IEEE() {
		return nil
	}
	op := language.FloatIntrinsic(name)
	if c.in.Intrinsic == "" {
		op = language.FloatFunction(name, t.Bits)
	}
	if op == language.NoFloat || len(c.args) != op.Operands() {
		return nil
	}
	f := c.floatOperation(op, t)
	if f != nil && c.in.Intrinsic == "" && op.SetsEDOM() {
		return tellsDomainErrors(f)
	}
	return f
}

// floatOperation returns the implementation of an operation on floats of a type; nil if there is none.
func (c *call) floatOperation(op language.Float, t *llvmir.Type) func(*call) state.Value {
	sign := uint64(1) << (t.Bits - 1)
	switch {
	case op == language.Fabs:
		return func(c *call) state.Value {
			return lanes(c.arg(0), c.arg(0), func(x, _ state.Value) state.Value { return state.IntValue(x.Bits &^ sign) })
		}
	case op == language.Copysign:
		return func(c *call) state.Value {
			return lanes(c.arg(0), c.arg(1),
				func(x, y state.Value) state.Value { return state.IntValue(x.Bits&^sign | y.Bits&sign) })
		}
	case floatFunc1[op] != nil:
		f := floatFunc1[op]
		if op == language.Rint {
			f = roundings[c.m.rounding()]
		}
		return func(c *call) state.Value {
			return lanes(c.arg(0), c.arg(0), func(x, _ state.Value) state.Value {
				r := state.FromFloat(f(state.ToFloat(x, t.Bits)), t.Bits)
				if op == language.Sqrt {
					r = c.m.rounded(c.in, r, t.Bits)
				}
				return c.m.computed(c.in, r, t.Bits)
			})
		}
	case floatFunc2[op] != nil:
		f := floatFunc2[op]
		return func(c *call) state.Value {
			return lanes(c.arg(0), c.arg(1), func(x, y state.Value) state.Value {
				if op == language.Fmod {
					return c.m.computed(c.in, state.FromFloat(f(state.ToFloat(x, t.Bits), state.ToFloat(y, t.Bits)), t.Bits), t.Bits)
				}
				return c.m.extreme(c.in, f, x, y, t.Bits)
			})
		}
	case op == language.Fma && t.Bits != 16:
		return func(c *call) state.Value {
			return c.ternary(func(x, y, z state.Value) state.Value {
				return c.m.computed(c.in, c.m.rounded(c.in, fma(x, y, z, t.Bits), t.Bits), t.Bits)
			})
		}
	}
	return nil
}
