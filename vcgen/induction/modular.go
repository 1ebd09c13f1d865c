package induction

import (
	"math/bits"
	"slices"
)

// An equation states that the sum of the products of factors and values is 0 modulo 2 to the power of bits.
type equation struct {
	factors []int64
	bits    int
}

// linearEquations returns generators of the linear equations that hold in all rows, modulo 2 to the power of width, as
// machine numbers do. It leaves out those with large factors; the factor of the first column may be large. The pivots
// of the elimination are the entries that the fewest powers of two divide, so that no division leaves a remainder (M.
// Müller-Olm and H. Seidl, "Analysis of Modular Arithmetic", TOPLAS 2007).
func (x *elimination) linearEquations() (out []equation) {
	for k := range x.isPivot {
		if !x.isPivot[k] {
			if e, ok := x.equation(k, 1, len(x.pivots)); ok {
				out = append(out, e)
			}
		}
	}
	for i, p := range x.pivots {
		if p.log2 > 0 {
			if e, ok := x.equation(p.column, 1<<(x.width-p.log2), i); ok {
				out = append(out, e)
			}
		}
	}
	return out
}

// sparseEquations returns linear equations, first those between few columns: a basis of all equations may have large
// factors although there are small ones. The columns are, after the first, some that are fixed and some that vary; each
// equation has some of these. One of them is left out of the later equations, which is no loss.
func (x *elimination) sparseEquations(fixed int) (out []equation) {
	solved := make([]bool, len(x.isPivot))
	try := func(columns ...int) {
		if slices.ContainsFunc(columns, func(k int) bool { return solved[k] }) {
			return
		}
		for _, e := range x.restrict(columns).linearEquations() {
			wide := equation{make([]int64, len(x.isPivot)), e.bits}
			last := 0
			for k, f := range e.factors {
				if wide.factors[columns[k]] = f; f != 0 {
					last = columns[k]
				}
			}
			if last > fixed {
				out = append(out, wide)
				solved[last] = solved[last] || e.bits == x.width
			}
		}
	}
	withFixed := func(varying ...int) {
		try(append([]int{0}, varying...)...)
		for a := 1; a <= fixed; a++ {
			try(append([]int{0, a}, varying...)...)
		}
		for a := 1; a <= fixed; a++ {
			for b := a + 1; b <= fixed; b++ {
				try(append([]int{0, a, b}, varying...)...)
			}
		}
	}
	n := len(x.isPivot)
	for a := fixed + 1; a < n; a++ {
		withFixed(a)
	}
	for a := fixed + 1; a < n; a++ {
		for b := a + 1; b < n; b++ {
			withFixed(a, b)
		}
	}
	for a := fixed + 1; a < n; a++ {
		for b := a + 1; b < n; b++ {
			for c := b + 1; c < n; c++ {
				withFixed(a, b, c)
			}
		}
	}
	var rest []int
	for k := range n {
		if !solved[k] {
			rest = append(rest, k)
		}
	}
	try(rest...)
	return out
}

// restrict returns the elimination of some columns.
func (x *elimination) restrict(columns []int) *elimination {
	rows := make([][]uint64, len(x.rows))
	for r, row := range x.rows {
		for _, k := range columns {
			rows[r] = append(rows[r], row[k])
		}
	}
	out := eliminate(rows, len(columns), x.width)
	out.factors = x.factors
	return out
}

// pivot is the entry 2 to the power of log2 in a column, the first entry of its row that is not 0 in such a column.
type pivot struct{ column, log2 int }

// elimination is a matrix in echelon form. Row i belongs to pivot i; its other entries are multiples of the pivot.
type elimination struct {
	rows    [][]uint64
	pivots  []pivot
	isPivot []bool
	width   int
	factors map[int64]bool // that an equation may have beside small ones
}

func eliminate(rows [][]uint64, columns, width int) *elimination {
	x := &elimination{isPivot: make([]bool, columns), width: width}
	m := make([][]uint64, len(rows))
	for r := range rows {
		m[r] = make([]uint64, columns)
		for k, v := range rows[r] {
			m[r][k] = v & x.mask()
		}
	}
	for done := 0; done < len(m); done++ {
		p, at := pivot{log2: width}, -1
		for k := range columns {
			for r := done; r < len(m) && !x.isPivot[k]; r++ {
				if n := bits.TrailingZeros64(m[r][k]); m[r][k] != 0 && n < p.log2 {
					p, at = pivot{k, n}, r
				}
			}
		}
		if at < 0 {
			break
		}
		m[done], m[at] = m[at], m[done]
		x.isPivot[p.column], x.pivots = true, append(x.pivots, p)
		by := inverse(m[done][p.column] >> p.log2)
		for k := range m[done] {
			m[done][k] = m[done][k] * by & x.mask()
		}
		for r := done + 1; r < len(m); r++ {
			by := m[r][p.column] >> p.log2
			for k := range m[r] {
				m[r][k] = (m[r][k] - by*m[done][k]) & x.mask()
			}
		}
	}
	x.rows = m[:len(x.pivots)]
	return x
}

func (x *elimination) mask() uint64 { return 1<<x.width - 1 }

// inverse returns 1/v modulo 2^64 for an odd v: Newton's method, which doubles the number of right bits in each step.
func inverse(v uint64) uint64 {
	out := v // 3 bits
	for range 5 {
		out *= 2 - v*out
	}
	return out
}

// equation returns the equation with a factor of one column, and 0 for all columns that are no pivots before the n-th.
// It returns false if there is no multiple with small factors.
func (x *elimination) equation(column int, factor uint64, n int) (equation, bool) {
	v := make([]uint64, len(x.isPivot))
	v[column] = factor
	for i := n - 1; i >= 0; i-- {
		p, sum := x.pivots[i], uint64(0)
		for k, f := range v {
			sum += f * x.rows[i][k]
		}
		v[p.column] = (-sum & x.mask()) >> p.log2
	}
	common := x.width
	for _, f := range v {
		common = min(common, bits.TrailingZeros64(f|1<<(x.width-1)))
	}
	for k := range v {
		v[k] >>= common
	}
	return x.small(v, x.width-common)
}

// small multiplies factors by the least odd number that makes all but the first small, or one of x.factors. It reports
// whether one does.
func (x *elimination) small(v []uint64, width int) (equation, bool) {
	out := make([]int64, len(v))
next:
	for by := uint64(1); by <= largestFactor; by += 2 {
		for k, f := range v {
			out[k] = int64(f*by<<(64-width)) >> (64 - width)
			if far := max(out[k], -out[k]); k > 0 && (far > largestFactor || far < 0) && !x.factors[far] {
				continue next
			}
		}
		return equation{out, width}, true
	}
	return equation{}, false
}

// holds reports whether an equation holds in a row.
func (r equation) holds(row []uint64) bool {
	sum := uint64(0)
	for k, f := range r.factors {
		sum += uint64(f) * row[k]
	}
	return sum<<(64-r.bits) == 0
}
