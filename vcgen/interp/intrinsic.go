package interp

import (
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/llvmir"
)

// intrinsic executes an llvm.* function.
func (c *call) intrinsic() value {
	m := c.m
	width := 64
	if len(c.in.Args) > 0 && c.in.Args[0].Type != nil {
		if t := scalarType(c.in.Args[0].Type); t.Kind == llvmir.IntType || t.Kind == llvmir.FloatType {
			width = t.Bits
		}
	}
	each := func(f func(x value) value) value {
		return lanes(c.arg(0), c.arg(0), func(x, _ value) value { return f(x) })
	}
	pick := func(p llvmir.Pred) value {
		return lanes(c.arg(0), c.arg(1), func(x, y value) value {
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
	case "assume", "dbg.label", "prefetch", "donothing", "sideeffect", "invariant.start", "invariant.end",
		"va_end", "experimental.noalias.scope.decl", "pseudoprobe":
	case "expect", "expect.with.probability", "launder.invariant.group", "strip.invariant.group", "ptr.annotation",
		"annotation", "ssa.copy":
		return c.arg(0)
	case "is.constant":
	case "objectsize":
		if c.argTrue(1) {
			return value{}
		}
		return intValue(mask(c.in.Type.Bits))
	case "stacksave":
		// A number of its own kind: how many objects there are to keep.
		return intValue(uint64(len(c.fr.vlas)))
	case "stackrestore":
		if n := c.arg(0).bits; n <= uint64(len(c.fr.vlas)) {
			for _, o := range c.fr.vlas[n:] {
				m.end(o)
			}
			c.fr.vlas = c.fr.vlas[:n]
		}
	case "va_start":
		c.vaStart()
	case "va_copy":
		m.copyRange(c.fr, nil, c.arg(0), c.arg(1), vaListSize, false)
	case "trap", "debugtrap", "ubsantrap":
		m.required(found.Unreachable, func() string { return "reaches a trap" })
	case "abs":
		return each(func(x value) value { return bigValue(new(big.Int).Abs(x.signedBig(width)), width) })
	case "smin":
		return pick(llvmir.PredSLE)
	case "smax":
		return pick(llvmir.PredSGE)
	case "umin":
		return pick(llvmir.PredULE)
	case "umax":
		return pick(llvmir.PredUGE)
	case "ctpop":
		return each(func(x value) value { return bigValue(big.NewInt(int64(popCount(x.big()))), width) })
	case "ctlz", "cttz":
		return each(func(x value) value {
			b := x.big()
			n := width
			switch {
			case b.Sign() == 0:
				if c.argTrue(1) {
					return m.arbitrary(intType(width), c.in.ID, "undef", nil)
				}
			case c.in.Intrinsic == "ctlz":
				n = width - b.BitLen()
			default:
				n = int(b.TrailingZeroBits())
			}
			return bigValue(big.NewInt(int64(n)), width)
		})
	case "bswap":
		return each(func(x value) value {
			buf := x.big().FillBytes(make([]byte, width/8))
			slices.Reverse(buf)
			return bigValue(newBig(buf), width)
		})
	case "bitreverse":
		return each(func(x value) value {
			b, out := x.big(), new(big.Int)
			for i := range width {
				out.SetBit(out, width-1-i, b.Bit(i))
			}
			return bigValue(out, width)
		})
	case "fshl", "fshr":
		return c.ternary(func(x, y, s value) value {
			n := uint(new(big.Int).Mod(s.big(), big.NewInt(int64(width))).Uint64())
			all := new(big.Int).Lsh(x.big(), uint(width))
			all.Or(all, y.big())
			if c.in.Intrinsic == "fshl" {
				return bigValue(all.Rsh(all, uint(width)-n), width)
			}
			return bigValue(all.Rsh(all, n), width)
		})
	case "fmuladd":
		m.supported(c.in.Type)
		return c.ternary(func(x, y, z value) value {
			return m.computed(c.in, floatOp(llvmir.OpFAdd, floatOp(llvmir.OpFMul, x, y, width), z, width), width)
		})
	case "fptoui.sat", "fptosi.sat":
		m.unsupported("intrinsic llvm." + c.in.Intrinsic)
	default:
		return c.otherIntrinsic(width)
	}
	return value{}
}

// otherIntrinsic executes the families: arithmetic with overflow, saturating, libm.
func (c *call) otherIntrinsic(width int) value {
	name := c.in.Intrinsic
	if op, ok := strings.CutSuffix(name, ".with.overflow"); ok {
		var over value
		sum := lanes(c.arg(0), c.arg(1), func(x, y value) value { r, _ := exact(op, x, y, width); return r })
		over = lanes(c.arg(0), c.arg(1), func(x, y value) value { _, o := exact(op, x, y, width); return boolValue(o) })
		return aggregateValue([]value{sum, over})
	}
	if op, ok := strings.CutSuffix(name, ".sat"); ok && len(op) == 4 && op[1:] != "shl" {
		return lanes(c.arg(0), c.arg(1), func(x, y value) value { return saturate(op, x, y, width) })
	}
	if f := c.floatFunction(name); f != nil {
		return f(c)
	}
	c.m.unsupported("intrinsic llvm." + name)
	return value{}
}

func popCount(b *big.Int) int {
	n := 0
	for _, w := range b.Bits() {
		n += bits.OnesCount(uint(w))
	}
	return n
}

// exact computes sadd, uadd, ssub, usub, smul or umul modulo 2^width and whether the
// mathematical result differs.
func exact(op string, x, y value, width int) (value, bool) {
	signed := op[0] == 's'
	if width <= 32 {
		// The result fits 64 bits.
		var a, b int64 = int64(x.bits), int64(y.bits)
		if signed {
			a, b = signExtend(x.bits, width), signExtend(y.bits, width)
		}
		if signed || op[1:] != "mul" || width < 32 {
			r := smallExact(op[1:], a, b)
			out := uint64(r) & mask(width)
			if signed {
				return intValue(out), signExtend(out, width) != r
			}
			return intValue(out), r < 0 || uint64(r) != out
		}
	}
	a, b := x.big(), y.big()
	if signed {
		a, b = x.signedBig(width), y.signedBig(width)
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
	out := bigValue(z, width)
	if signed {
		return out, out.signedBig(width).Cmp(z) != 0
	}
	return out, out.big().Cmp(z) != 0
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

// saturate is arithmetic that stays at the end of the range.
func saturate(op string, x, y value, width int) value {
	r, over := exact(op, x, y, width)
	if !over {
		return r
	}
	one := big.NewInt(1)
	switch {
	case op == "usub":
		return bigValue(new(big.Int), width)
	case op[0] == 'u':
		return bigValue(new(big.Int).Sub(new(big.Int).Lsh(one, uint(width)), one), width)
	}
	top := new(big.Int).Lsh(one, uint(width-1))
	if x.signedBig(width).Sign() < 0 {
		return bigValue(top.Neg(top), width)
	}
	return bigValue(top.Sub(top, one), width)
}

func (c *call) ternary(f func(x, y, z value) value) value {
	x, y, z := c.arg(0), c.arg(1), c.arg(2)
	if x.elems() == nil {
		return f(x, y, z)
	}
	out := make([]value, len(x.elems()))
	for i := range out {
		out[i] = f(x.elems()[i], y.elems()[i], z.elems()[i])
	}
	return aggregateValue(out)
}

// floatFunction finds a function on floats by its libm or intrinsic name; nil for none.
func (c *call) floatFunction(name string) func(*call) value {
	if len(c.in.Args) == 0 || len(c.in.Args) > 3 || c.in.Type.Kind == llvmir.VoidType || c.in.Args[0].Type == nil {
		return nil
	}
	t := scalarType(c.in.Args[0].Type)
	if t.Kind != llvmir.FloatType || t.Bits != 32 && t.Bits != 64 {
		return nil
	}
	if c.in.Intrinsic == "" && t.Bits == 32 {
		var ok bool
		if name, ok = strings.CutSuffix(name, "f"); !ok {
			return nil
		}
	}
	sign := uint64(1) << (t.Bits - 1)
	switch {
	case name == "fabs" && len(c.args) == 1:
		return func(c *call) value {
			return lanes(c.arg(0), c.arg(0), func(x, _ value) value { return intValue(x.bits &^ sign) })
		}
	case name == "copysign" && len(c.args) == 2:
		return func(c *call) value {
			return lanes(c.arg(0), c.arg(1), func(x, y value) value { return intValue(x.bits&^sign | y.bits&sign) })
		}
	case floatFunc1[name] != nil && len(c.args) == 1:
		f := floatFunc1[name]
		return func(c *call) value {
			return lanes(c.arg(0), c.arg(0), func(x, _ value) value { return c.m.computed(c.in, fromFloat(f(toFloat(x, t.Bits)), t.Bits), t.Bits) })
		}
	case floatFunc2[name] != nil && len(c.args) == 2:
		f := floatFunc2[name]
		return func(c *call) value {
			return lanes(c.arg(0), c.arg(1), func(x, y value) value {
				if name == "fmod" {
					return c.m.computed(c.in, fromFloat(f(toFloat(x, t.Bits), toFloat(y, t.Bits)), t.Bits), t.Bits)
				}
				return c.m.extreme(c.in, f, x, y, t.Bits)
			})
		}
	case name == "fma" && len(c.args) == 3:
		return func(c *call) value {
			return c.ternary(func(x, y, z value) value { return c.m.computed(c.in, fma(x, y, z, t.Bits), t.Bits) })
		}
	}
	return nil
}
