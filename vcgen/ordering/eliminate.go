package ordering

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Limits of an elimination.
const (
	maxLeaves  = 16
	maxRows    = 200
	maxProduct = 250     // pairs of rows that are combined for one leaf
	farConst   = 1 << 60 // constants beyond this are cut to it, or their row is left out
	farFactor  = 1 << 40 // rows with factors beyond this are left out
)

// inequalities are sums of integers that are at least 0.
type inequalities struct {
	leaves map[leaf]int
	rows   []inequality

	// Memory of empty, which takes most of the time of a proof: the rows before and after an elimination, the rows by
	// the sign of the leaf's factor, a hash table of rows.
	before, after []inequality
	up, down      []*inequality
	table         []int32
}

// inequality states that konst plus the products of the factors with the leaves is at least 0. Both are small enough
// for sums and products of two of them. A row with larger numbers is weakened or left out, which proves less and
// nothing wrong.
type inequality struct {
	konst   int64
	factors [maxLeaves]int64
}

// add adds that a sum is at least 0.
func (s *inequalities) add(c *smt.Context, x sum) {
	if r, ok := s.row(c, x); ok {
		s.rows = append(s.rows, r)
	}
}

// row converts a sum. It fails if the row says nothing, or has too many leaves.
func (s *inequalities) row(c *smt.Context, x sum) (r inequality, ok bool) {
	switch far := big.NewInt(farConst); {
	case x.konst.Cmp(far) > 0:
		return r, false
	case x.konst.CmpAbs(far) > 0:
		r.konst = -farConst
	default:
		r.konst = x.konst.Int64()
	}
	for _, p := range x.parts {
		i, known := s.leaves[p.leaf]
		if !known {
			if i = len(s.leaves); i == maxLeaves {
				return r, false
			}
			s.leaves[p.leaf] = i
			s.bound(c, p.leaf, i)
		}
		r.factors[i] = p.factor
	}
	return r, true
}

// bound adds the bounds of a leaf for all values.
func (s *inequalities) bound(c *smt.Context, l leaf, i int) {
	lo, hi := l.bounds(c)
	far := big.NewInt(farConst)
	if lo.CmpAbs(far) < 0 {
		r := inequality{konst: -lo.Int64()}
		r.factors[i] = 1
		s.rows = append(s.rows, r)
	}
	if hi.CmpAbs(far) < 0 {
		r := inequality{konst: hi.Int64()}
		r.factors[i] = -1
		s.rows = append(s.rows, r)
	}
}

// empty reports whether the inequalities and further ones are found to have no solution. Leaves are eliminated one by
// one (Fourier and Motzkin), and each row is rounded to integers.
func (s *inequalities) empty(c *smt.Context, more []sum) bool {
	var extra []inequality
	for _, x := range more {
		if r, ok := s.row(c, x); ok {
			extra = append(extra, r)
		}
	}
	s.before = append(append(s.before[:0], s.rows...), extra...)
	n := len(s.leaves)
	for i := range s.before {
		s.before[i].round(n)
	}
	for {
		s.strongest(n)
		var up, down [maxLeaves]int
		for i := range s.before {
			r := &s.before[i]
			if r.konst < 0 && r.factors == [maxLeaves]int64{} {
				return true
			}
			for k, f := range r.factors[:n] {
				if f > 0 {
					up[k]++
				} else if f < 0 {
					down[k]++
				}
			}
		}
		leaf, product := -1, math.MaxInt
		for k := range n {
			if up[k]+down[k] > 0 && up[k]*down[k] < product {
				leaf, product = k, up[k]*down[k]
			}
		}
		if leaf < 0 || product > maxProduct {
			return false
		}
		if s.eliminate(leaf, n); len(s.before) > maxRows {
			return false
		}
	}
}

// eliminate combines the rows so that a leaf has no factor in any.
func (s *inequalities) eliminate(leaf, n int) {
	s.up, s.down, s.after = s.up[:0], s.down[:0], s.after[:0]
	for i := range s.before {
		switch r := &s.before[i]; {
		case r.factors[leaf] > 0:
			s.up = append(s.up, r)
		case r.factors[leaf] < 0:
			s.down = append(s.down, r)
		default:
			s.after = append(s.after, *r)
		}
	}
	for _, a := range s.up {
		for _, b := range s.down {
			if r, ok := combine(a, b, leaf, n); ok {
				s.after = append(s.after, r)
			}
		}
	}
	s.before, s.after = s.after, s.before
}

// combine adds multiples of two rows so that a leaf cancels. It fails if the result is too large.
func combine(a, b *inequality, leaf, n int) (r inequality, ok bool) {
	p, q := -b.factors[leaf], a.factors[leaf] // both are positive
	d := gcd(p, q)
	p, q = p/d, q/d
	for k := range n {
		x, fits := mulAdd(a.factors[k], p, b.factors[k], q)
		if !fits || x > farFactor || x < -farFactor {
			return r, false
		}
		r.factors[k] = x
	}
	x, fits := mulAdd(a.konst, p, b.konst, q)
	if !fits || x > farConst {
		return r, false
	}
	r.konst = max(x, -farConst)
	r.round(n)
	return r, true
}

// round divides a row by the common divisor of its factors and rounds the constant down, as the sum is an integer.
func (r *inequality) round(n int) {
	d := int64(0)
	for _, f := range r.factors[:n] {
		d = gcd(d, f)
	}
	if d <= 1 {
		return
	}
	for k := range r.factors[:n] {
		r.factors[k] /= d
	}
	down := r.konst / d
	if r.konst%d < 0 {
		down--
	}
	r.konst = down
}

// strongest keeps, of rows that differ only in their constants, the one with the smallest.
func (s *inequalities) strongest(n int) {
	size := 1 << bits.Len(uint(2*len(s.before)))
	if len(s.table) < size {
		s.table = make([]int32, size)
	}
	table := s.table[:size] // numbers of rows from 1 on, by a hash of the factors
	clear(table)
	rows := s.before[:0]
next:
	for i := range s.before {
		r := &s.before[i]
		h := uint64(0)
		for _, f := range r.factors[:n] {
			h = (h ^ uint64(f)) * 0x9e3779b97f4a7c15
			h ^= h >> 29
		}
		at := int(h) & (size - 1)
		for ; table[at] != 0; at = (at + 1) & (size - 1) {
			if k := &rows[table[at]-1]; k.factors == r.factors {
				k.konst = min(k.konst, r.konst)
				continue next
			}
		}
		rows = append(rows, *r)
		table[at] = int32(len(rows))
	}
	s.before = rows
}

// mulAdd returns a*p + b*q; false if that overflows.
func mulAdd(a, p, b, q int64) (int64, bool) {
	x, ok := mul(a, p)
	y, too := mul(b, q)
	sum := x + y
	return sum, ok && too && !(x > 0 && y > 0 && sum < 0) && !(x < 0 && y < 0 && sum >= 0)
}

func mul(a, b int64) (int64, bool) {
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}

// gcd returns the greatest common divisor; gcd(0, b) is the magnitude of b.
func gcd(a, b int64) int64 {
	x, y := magnitude(a), magnitude(b)
	for y != 0 {
		x, y = y, x%y
	}
	return int64(x)
}
