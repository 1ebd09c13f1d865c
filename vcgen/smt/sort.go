package smt

import "fmt"

// Sort is the type of a term: 0 is Bool, n > 0 is a bit-vector of n bits.
type Sort int32

// Bool is the sort of truth values.
const Bool Sort = 0

// MaxWidth is the maximum width of a bit-vector, in bits.
const MaxWidth = 1 << 16

// BV returns the sort of bit-vectors of n bits. It panics unless 1 <= n <= MaxWidth.
func BV(n int) Sort {
	if n < 1 || n > MaxWidth {
		panic(fmt.Sprintf("smt: bit-vector width %d is outside 1..%d", n, MaxWidth))
	}
	return Sort(n)
}

// IsBool reports whether s is the sort of truth values.
func (s Sort) IsBool() bool { return s == Bool }

// Width returns the number of bits of a bit-vector sort, 0 for Bool.
func (s Sort) Width() int { return int(s) }

// String returns the sort in the syntax of SMT-LIB.
func (s Sort) String() string {
	if s == Bool {
		return "Bool"
	}
	return fmt.Sprintf("(_ BitVec %d)", int(s))
}
