package smt

import (
	"fmt"
	"math/big"
	"math/bits"
)

// applyOp computes an operator on values, by the semantics of SMT-LIB's theory of bit-vectors.
//
// Floats follow float.go. This is the only definition of the meaning of nodes, except variables and applications,
// which the evaluator handles.
func applyOp(op Op, s Sort, aux uint64, a []Value) Value {
	small := s <= 64
	for i := range a {
		small = small && a[i].sort <= 64
	}
	if small {
		return Value{sort: s, v: applySmall(op, int(s), aux, a)}
	}
	return applyWide(op, s, aux, a)
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// applySmall computes on operands of at most 64 bits; w is the width of the result, 0 for Bool.
func applySmall(op Op, w int, aux uint64, a []Value) uint64 {
	m := mask(w)
	aw := 0
	if len(a) > 0 {
		aw = int(a[0].sort)
	}
	switch op {
	case OpNot:
		return a[0].v ^ 1
	case OpAnd:
		return foldValues(a, func(x, y uint64) uint64 { return x & y })
	case OpOr:
		return foldValues(a, func(x, y uint64) uint64 { return x | y })
	case OpEq:
		return b2u(a[0].v == a[1].v)
	case OpIte:
		if a[0].v != 0 {
			return a[1].v
		}
		return a[2].v
	case OpUlt:
		return b2u(a[0].v < a[1].v)
	case OpUle:
		return b2u(a[0].v <= a[1].v)
	case OpSlt:
		return b2u(signExtend64(a[0].v, aw) < signExtend64(a[1].v, aw))
	case OpSle:
		return b2u(signExtend64(a[0].v, aw) <= signExtend64(a[1].v, aw))
	case OpAdd:
		return foldValues(a, func(x, y uint64) uint64 { return x + y }) & m
	case OpMul:
		return foldValues(a, func(x, y uint64) uint64 { return x * y }) & m
	case OpUdiv:
		if a[1].v == 0 {
			return m
		}
		return a[0].v / a[1].v
	case OpUrem:
		if a[1].v == 0 {
			return a[0].v
		}
		return a[0].v % a[1].v
	case OpSdiv:
		x, y := signExtend64(a[0].v, w), signExtend64(a[1].v, w)
		switch {
		case y == 0 && x < 0:
			return 1
		case y == 0:
			return m
		case y == -1:
			return -uint64(x) & m
		}
		return uint64(x/y) & m
	case OpSrem:
		x, y := signExtend64(a[0].v, w), signExtend64(a[1].v, w)
		switch y {
		case 0:
			return a[0].v
		case -1:
			return 0
		}
		return uint64(x%y) & m
	case OpBvNot:
		return ^a[0].v & m
	case OpBvAnd:
		return foldValues(a, func(x, y uint64) uint64 { return x & y })
	case OpBvOr:
		return foldValues(a, func(x, y uint64) uint64 { return x | y })
	case OpBvXor:
		return foldValues(a, func(x, y uint64) uint64 { return x ^ y })
	case OpShl:
		if a[1].v >= uint64(w) {
			return 0
		}
		return a[0].v << a[1].v & m
	case OpLshr:
		if a[1].v >= uint64(w) {
			return 0
		}
		return a[0].v >> a[1].v
	case OpAshr:
		return uint64(signExtend64(a[0].v, w)>>min(a[1].v, uint64(w-1))) & m
	case OpConcat:
		return a[0].v<<uint(a[1].sort) | a[1].v
	case OpExtract:
		return a[0].v >> uint32(aux) & m
	case OpZext:
		return a[0].v
	case OpSext:
		return uint64(signExtend64(a[0].v, aw)) & m
	}
	return applyFloat(op, w, aux, a)
}

func foldValues(a []Value, f func(x, y uint64) uint64) uint64 {
	r := a[0].v
	for _, x := range a[1:] {
		r = f(r, x.v)
	}
	return r
}

// applyWide computes an operator if an operand or the result has more than 64 bits.
func applyWide(op Op, s Sort, aux uint64, a []Value) Value {
	w, aw := int(s), int(a[0].sort)
	fold := func(f func(z, x, y *big.Int) *big.Int) Value {
		r := a[0].Big()
		for _, x := range a[1:] {
			f(r, r, x.read())
		}
		return BigValueOf(w, r)
	}
	cmp := func() int { return a[0].read().Cmp(a[1].read()) }
	scmp := func() int { return bigSigned(a[0].read(), aw).Cmp(bigSigned(a[1].read(), aw)) }
	amount := func() int { // of a shift, at most w
		if a[1].b != nil || a[1].v > uint64(w) {
			return w
		}
		return int(a[1].v)
	}
	switch op {
	case OpEq:
		return BoolValue(a[0].Equal(a[1]))
	case OpIte:
		if a[0].v != 0 {
			return a[1]
		}
		return a[2]
	case OpUlt:
		return BoolValue(cmp() < 0)
	case OpUle:
		return BoolValue(cmp() <= 0)
	case OpSlt:
		return BoolValue(scmp() < 0)
	case OpSle:
		return BoolValue(scmp() <= 0)
	case OpAdd:
		return fold((*big.Int).Add)
	case OpMul:
		return fold((*big.Int).Mul)
	case OpBvAnd:
		return fold((*big.Int).And)
	case OpBvOr:
		return fold((*big.Int).Or)
	case OpBvXor:
		return fold((*big.Int).Xor)
	case OpUdiv:
		if !a[1].Bool() {
			return BigValueOf(w, bigMask(w))
		}
		return BigValueOf(w, new(big.Int).Quo(a[0].read(), a[1].read()))
	case OpUrem:
		if !a[1].Bool() {
			return a[0]
		}
		return BigValueOf(w, new(big.Int).Rem(a[0].read(), a[1].read()))
	case OpSdiv:
		x, y := bigSigned(a[0].read(), w), bigSigned(a[1].read(), w)
		if y.Sign() == 0 {
			if x.Sign() < 0 {
				return UintValue(w, 1)
			}
			return BigValueOf(w, bigMask(w))
		}
		return BigValueOf(w, x.Quo(x, y))
	case OpSrem:
		x, y := bigSigned(a[0].read(), w), bigSigned(a[1].read(), w)
		if y.Sign() == 0 {
			return a[0]
		}
		return BigValueOf(w, x.Rem(x, y))
	case OpBvNot:
		return BigValueOf(w, new(big.Int).Xor(a[0].read(), bigMask(w)))
	case OpShl:
		return BigValueOf(w, new(big.Int).Lsh(a[0].read(), uint(amount())))
	case OpLshr:
		return BigValueOf(w, new(big.Int).Rsh(a[0].read(), uint(amount())))
	case OpAshr:
		return BigValueOf(w, new(big.Int).Rsh(bigSigned(a[0].read(), w), uint(amount())))
	case OpConcat:
		r := new(big.Int).Lsh(a[0].read(), uint(a[1].sort))
		return BigValueOf(w, r.Or(r, a[1].read()))
	case OpExtract:
		return BigValueOf(w, new(big.Int).Rsh(a[0].read(), uint(uint32(aux))))
	case OpZext:
		return Value{sort: s, v: a[0].v, b: a[0].b}
	case OpSext:
		return BigValueOf(w, bigSigned(a[0].read(), aw))
	case OpFToS, OpFToU, OpSToF, OpUToF:
		return applyFloatWide(op, w, a[0])
	}
	panic(fmt.Sprintf("smt: cannot evaluate %v at %d bits", op, w))
}

// mulFits multiplies, and reports whether the product fits in 64 bits.
func mulFits(a, b uint64) (uint64, bool) {
	hi, lo := bits.Mul64(a, b)
	return lo, hi == 0
}
