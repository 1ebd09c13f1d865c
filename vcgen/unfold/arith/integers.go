// Package arith expresses the results of LLVM's arithmetic as terms.
//
//	%r = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %x, i32 7)
//
// becomes the result add(x, 7) and the overflow condition 2147483640 < x, signed.
//
// Files: integers (integers.go), overflow (overflow.go), floats (floats.go, half.go for 16 bits), rounding modes
// (rounding.go), and the bits of a NaN (nan.go).
//
// The package has no notion of executions: the caller ensures that an operation has a result at all.
package arith

import (
	"math/bits"
	"slices"

	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// Booleans evaluates arithmetic on integers of one bit, which are Booleans. ok is false for operations that may lack a
// result.
func Booleans(c *smt.Context, op llvmir.Op, x, y smt.Term) (t smt.Term, ok bool) {
	switch op {
	case llvmir.OpAnd, llvmir.OpMul:
		return c.And(x, y), true
	case llvmir.OpOr:
		return c.Or(x, y), true
	case llvmir.OpXor, llvmir.OpAdd, llvmir.OpSub:
		return c.Xor(x, y), true
	}
	return 0, false
}

// OnBits adapts an operation on bit vectors to integers: an integer of one bit is a Boolean.
func OnBits(c *smt.Context, f func(x, y smt.Term) smt.Term) func(x, y smt.Term) smt.Term {
	return func(x, y smt.Term) smt.Term {
		if !c.Sort(x).IsBool() {
			return f(x, y)
		}
		return c.BVToBool(f(Bits(c, x), Bits(c, y)))
	}
}

// Compare returns a comparison of integers.
func Compare(c *smt.Context, pred llvmir.Pred, x, y smt.Term) smt.Term {
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

// Reductions combine the elements of a vector of integers, by the suffix of the intrinsic's name after
// "vector.reduce.".
var Reductions = map[string]func(c *smt.Context, x, y smt.Term) smt.Term{
	"add": (*smt.Context).Add, "mul": (*smt.Context).Mul, "and": (*smt.Context).BvAnd, "or": (*smt.Context).BvOr,
	"xor":  (*smt.Context).BvXor,
	"smin": func(c *smt.Context, x, y smt.Term) smt.Term { return c.Ite(c.Sle(x, y), x, y) },
	"smax": func(c *smt.Context, x, y smt.Term) smt.Term { return c.Ite(c.Sge(x, y), x, y) },
	"umin": func(c *smt.Context, x, y smt.Term) smt.Term { return c.Ite(c.Ule(x, y), x, y) },
	"umax": func(c *smt.Context, x, y smt.Term) smt.Term { return c.Ite(c.Uge(x, y), x, y) },
}

// Bits returns the bits of an integer: one for a Boolean.
func Bits(c *smt.Context, x smt.Term) smt.Term {
	if c.Sort(x).IsBool() {
		return c.BoolToBV(x, 1)
	}
	return x
}

// Resize converts an integer to one of another sort.
func Resize(c *smt.Context, x smt.Term, to smt.Sort, signed bool) smt.Term {
	x = Bits(c, x)
	if to.IsBool() {
		return c.Eq(c.Extract(x, 0, 0), c.Int(1, 1))
	}
	switch w := c.Width(x); {
	case to.Width() < w:
		return c.Extract(x, to.Width()-1, 0)
	case signed:
		return c.Sext(x, to.Width())
	default:
		return c.Zext(x, to.Width())
	}
}

// Quotient returns an unsigned quotient or remainder, for a divisor that is not zero, in the width of the operands.
func Quotient(c *smt.Context, x, y smt.Term, f func(x, y smt.Term) smt.Term) smt.Term {
	w := c.Width(x)
	_, a := c.Range(x)
	_, b := c.Range(y)
	n := max(bits.Len64(a), bits.Len64(b), 1)
	if w > 64 || n >= w {
		return f(x, y)
	}
	return c.Zext(f(c.Extract(x, n-1, 0), c.Extract(y, n-1, 0)), w)
}

// Scaled returns the distance in bytes of the element with a given index. If a single variable is scaled, the access
// checks that its product does not wrap (mem.inside). A sum may wrap as a whole or in its parts: in a[i-j] both i and
// j may be large and the difference small. Only its value counts, so it is separated from its summands. So is a product
// in which the variable is no longer visible: 4 * (b ? 1 << 62 : 0) is 0.
func Scaled(c *smt.Context, idx smt.Term, scale int64) smt.Term {
	w := c.Width(idx)
	if k, ok := c.Int64(idx); ok {
		return c.IntS(w, llvmir.Scaled(k, scale, w))
	}
	size := max(scale, -scale)
	if size < 2 {
		return c.Mul(idx, c.IntS(w, scale))
	}
	limit := llvmir.FarAway(w) / size
	small := func(k int64) bool { return -limit < k && k < limit }
	konst, parts := c.SumParts(idx)
	fits := small(extended(konst, w))
	var large []smt.Term
	for _, p := range parts {
		fits = fits && small(extended(p.Coef, w))
		if _, hi := c.Range(p.T); hi >= uint64(limit) {
			large = append(large, p.T)
		}
	}
	product := c.Mul(idx, c.IntS(w, scale))
	if fits && (len(large) == 0 || len(large) == 1 && hasPart(c, product, large[0])) {
		return product
	}
	top := w - 1
	for int64(1)<<(top-1) > limit {
		top--
	}
	if _, hi := c.Range(idx); hi < uint64(limit) {
		// As few bits as possible: a sum of more of them can be written with a large summand again.
		return c.Mul(c.Zext(c.Extract(idx, max(bits.Len64(hi), 1)-1, 0), w), c.IntS(w, scale))
	}
	in := c.And(c.Slt(c.IntS(w, -limit), idx), c.Slt(idx, c.IntS(w, limit)))
	far := c.Ite(c.Slt(idx, c.Int(w, 0)), c.IntS(w, llvmir.Scaled(-limit, scale, w)),
		c.IntS(w, llvmir.Scaled(limit, scale, w)))
	return c.Ite(in, c.Mul(c.Sext(c.Extract(idx, top, 0), w), c.IntS(w, scale)), far)
}

// extended returns the signed value of the low w bits of v.
// hasPart reports whether a term is one of the summands, up to a factor.
func hasPart(c *smt.Context, sum, t smt.Term) bool {
	_, parts := c.SumParts(sum)
	return slices.ContainsFunc(parts, func(p smt.Monomial) bool { return p.T == t })
}

func extended(v uint64, w int) int64 { return int64(v<<(64-w)) >> (64 - w) }

// Ones returns the number of bits that are set.
func Ones(c *smt.Context, x smt.Term) smt.Term {
	w := c.Width(x)
	if w == 1 {
		return x
	}
	// Pairwise sums of growing fields (Warren, Hacker's Delight, 5-1), any width.
	fields := make([]smt.Term, w)
	for i := range fields {
		fields[i] = c.Extract(x, i, i)
	}
	for len(fields) > 1 {
		var next []smt.Term
		for i := 0; i < len(fields); i += 2 {
			if i+1 == len(fields) {
				next = append(next, c.Zext(fields[i], c.Width(fields[i])+1))
				continue
			}
			n := max(c.Width(fields[i]), c.Width(fields[i+1])) + 1
			next = append(next, c.Add(c.Zext(fields[i], n), c.Zext(fields[i+1], n)))
		}
		fields = next
	}
	sum := fields[0]
	if c.Width(sum) > w {
		return c.Extract(sum, w-1, 0)
	}
	return c.Zext(sum, w)
}

// Zeros returns the number of leading or trailing zeros; w for zero.
func Zeros(c *smt.Context, x smt.Term, leading bool) smt.Term {
	w := c.Width(x)
	t := c.Int(w, uint64(w))
	for i := range w {
		bit, n := w-1-i, w-1-i // the lowest set bit is decided last, so it wins
		if leading {
			bit, n = i, w-1-i
		}
		t = c.Ite(c.Eq(c.Extract(x, bit, bit), c.Int(1, 1)), c.Int(w, uint64(n)), t)
	}
	return t
}

// ReverseBytes returns a number with its bytes in reverse order.
func ReverseBytes(c *smt.Context, x smt.Term) smt.Term {
	out := c.Extract(x, 7, 0)
	for i := 1; i < c.Width(x)/8; i++ {
		out = c.Concat(out, c.Extract(x, 8*i+7, 8*i))
	}
	return out
}

// ReverseBits returns a number with its bits in reverse order.
func ReverseBits(c *smt.Context, x smt.Term) smt.Term {
	out := c.Extract(x, 0, 0)
	for i := 1; i < c.Width(x); i++ {
		out = c.Concat(out, c.Extract(x, i, i))
	}
	return out
}

// Funnel shifts the concatenation of two numbers and returns one half of it.
func Funnel(c *smt.Context, a, b, by smt.Term, left bool) smt.Term {
	w := c.Width(a)
	by = c.Urem(by, c.Int(w, uint64(w)))
	wide := c.Concat(a, b)
	if left {
		return c.Extract(c.Shl(wide, c.Zext(by, 2*w)), 2*w-1, w)
	}
	return c.Extract(c.Lshr(wide, c.Zext(by, 2*w)), w-1, 0)
}
