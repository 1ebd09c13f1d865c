package smt

import (
	"fmt"
	"math/big"
)

// Value is a truth value or a bit-vector value. The zero Value is false.
type Value struct {
	sort Sort
	v    uint64   // the value if it fits in 64 bits, and b is nil
	b    *big.Int // otherwise the value; immutable
}

// BoolValue returns a truth value.
func BoolValue(b bool) Value {
	if b {
		return Value{v: 1}
	}
	return Value{}
}

// UintValue returns v modulo 2^w as a bit-vector of w bits.
func UintValue(w int, v uint64) Value {
	return Value{sort: BV(w), v: v & mask(w)}
}

// BigValueOf returns v modulo 2^w as a bit-vector of w bits. v may be negative and is not retained.
func BigValueOf(w int, v *big.Int) Value {
	s := BV(w)
	if v.Sign() >= 0 && v.BitLen() <= 64 {
		return Value{sort: s, v: v.Uint64() & mask(w)}
	}
	r := new(big.Int).And(v, bigMask(w))
	if r.BitLen() <= 64 {
		return Value{sort: s, v: r.Uint64()}
	}
	return Value{sort: s, b: r}
}

// Sort returns the sort of the value.
func (v Value) Sort() Sort { return v.sort }

// Width returns the number of bits; 0 for a truth value.
func (v Value) Width() int { return int(v.sort) }

// Bool reports whether the value is true; a bit-vector is true if it is not zero.
func (v Value) Bool() bool { return v.v != 0 || v.b != nil }

// Uint64 returns the low 64 bits of the value.
func (v Value) Uint64() uint64 {
	if v.b != nil {
		return lowWord(v.b)
	}
	return v.v
}

// Big returns the value as a new non-negative integer.
func (v Value) Big() *big.Int {
	if v.b != nil {
		return new(big.Int).Set(v.b)
	}
	return new(big.Int).SetUint64(v.v)
}

// Equal reports whether both values have the same sort and the same bits.
func (v Value) Equal(o Value) bool {
	if v.sort != o.sort || v.v != o.v || (v.b == nil) != (o.b == nil) {
		return false
	}
	return v.b == nil || v.b.Cmp(o.b) == 0
}

// String returns true, false, or the bit-vector in hexadecimal with its width: 0x2a:8.
func (v Value) String() string {
	if v.sort == Bool {
		return fmt.Sprint(v.Bool())
	}
	if v.b != nil {
		return fmt.Sprintf("0x%x:%d", v.b, int(v.sort))
	}
	return fmt.Sprintf("0x%x:%d", v.v, int(v.sort))
}

// read returns the integer without copying; the result must not be modified.
func (v Value) read() *big.Int {
	if v.b != nil {
		return v.b
	}
	return new(big.Int).SetUint64(v.v)
}

// mask returns a number with the w low bits set; all 64 if w >= 64.
func mask(w int) uint64 {
	if w >= 64 {
		return ^uint64(0)
	}
	return 1<<uint(w) - 1
}

// bigMask returns 2^w - 1.
func bigMask(w int) *big.Int {
	m := new(big.Int).Lsh(bigOne, uint(w))
	return m.Sub(m, bigOne)
}

var (
	bigOne = big.NewInt(1)
	low64  = new(big.Int).SetUint64(^uint64(0))
)

// lowWord returns the low 64 bits of a non-negative integer.
func lowWord(b *big.Int) uint64 {
	if b.BitLen() <= 64 {
		return b.Uint64()
	}
	return new(big.Int).And(b, low64).Uint64()
}

// signExtend64 returns the signed value of the w low bits of v (1 <= w <= 64).
func signExtend64(v uint64, w int) int64 {
	s := uint(64 - w)
	return int64(v<<s) >> s
}

// bigSigned returns the signed value of a number of w bits, as a new number.
func bigSigned(v *big.Int, w int) *big.Int {
	r := new(big.Int).Set(v)
	if v.Bit(w-1) == 1 {
		r.Sub(r, new(big.Int).Lsh(bigOne, uint(w)))
	}
	return r
}
