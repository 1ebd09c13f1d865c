package solver

import "math/big"

// sum is a sum of shifted rows and a constant modulo 2^width. Constants of any sign are collected in one number and
// cost one row at the end. A subtracted row is its complement and a constant.
//
// Subtracted numbers are collected separately: a - b - c is a - (b + c). Programs often compare the sum b + c with
// another value; so it is built only once.
type sum struct {
	g     *aig
	width int
	rows  []row
	minus []row
	konst *big.Int
}

type row struct {
	shift int
	w     word // zero above its width
}

func newSum(g *aig, width int) *sum {
	return &sum{g: g, width: width, konst: new(big.Int)}
}

func (s *sum) addConst(shift int, v int64) {
	t := big.NewInt(v)
	s.konst.Add(s.konst, t.Lsh(t, uint(shift)))
}

// add adds w * 2^shift, w unsigned.
func (s *sum) add(shift int, w word) {
	if shift >= s.width {
		return
	}
	w = w[:min(len(w), s.width-shift)]
	w = w[:w.active()]
	for len(w) > 0 && w[0] == litFalse {
		w, shift = w[1:], shift+1
	}
	if len(w) == 0 {
		return
	}
	if konst := w.allConst(); konst {
		for i, l := range w {
			if l == litTrue {
				s.addConst(shift+i, 1)
			}
		}
		return
	}
	s.rows = append(s.rows, row{shift, w})
}

// take subtracts w * 2^shift as one number.
func (s *sum) take(shift int, w word) {
	if w = w[:w.active()]; w.allConst() {
		k := w.bigValue()
		s.konst.Sub(s.konst, k.Lsh(k, uint(shift)))
	} else if shift < s.width {
		s.minus = append(s.minus, row{shift, w[:min(len(w), s.width-shift)]})
	}
}

// sub subtracts w * 2^shift: -w is the complement of w minus 2^n - 1, n the width of w.
func (s *sum) sub(shift int, w word) {
	if shift >= s.width {
		return
	}
	w = w[:min(len(w), s.width-shift)]
	w = w[:w.active()]
	if len(w) == 0 {
		return
	}
	s.add(shift, w.not())
	s.addConst(shift, 1)
	s.addConst(shift+len(w), -1)
}

func (w word) allConst() bool {
	for _, l := range w {
		if !l.isConst() {
			return false
		}
	}
	return true
}

// result adds row after row with carry-propagate adders. A carry-save tree has the same number of adders; SAT solvers
// do better on the array, whose partial sums are those of the shorter products.
func (s *sum) result() word {
	if len(s.minus) == 0 {
		return s.plain()
	}
	n := (&sum{g: s.g, width: s.width, rows: s.minus, konst: new(big.Int)}).plain().not()
	s.minus = nil
	if len(s.rows) == 0 { // k - n is the complement of n, plus k + 1
		s.addConst(0, 1)
		s.rows = []row{{0, n}}
		return s.plain()
	}
	r, _ := s.g.add(s.plain(), n, litTrue)
	return r
}

// plain is result without subtracted numbers.
func (s *sum) plain() word {
	g := s.g
	mod := new(big.Int).Lsh(big.NewInt(1), uint(s.width))
	k := new(big.Int).Mod(s.konst, mod)
	var acc word
	rows := s.rows
	one := k.IsUint64() && k.Uint64() == 1
	switch {
	case len(rows) == 0:
		return bigWord(s.width, k)
	case k.Sign() == 0 || one && len(rows) >= 2:
		acc = rows[0].full(s.width)
		rows = rows[1:]
	default:
		acc = bigWord(s.width, k)
		one = false
	}
	for i, r := range rows {
		cin := litFalse
		if one && i == 0 {
			acc, _ = g.add(acc, r.full(s.width), litTrue)
			continue
		}
		next := make(word, s.width)
		copy(next, acc[:r.shift])
		c := cin
		for j := r.shift; j < s.width; j++ {
			b := litFalse
			if j-r.shift < len(r.w) {
				b = r.w[j-r.shift]
			} else if c == litFalse {
				copy(next[j:], acc[j:])
				break
			}
			next[j], c = g.fullAdder(acc[j], b, c)
		}
		acc = next
	}
	return acc
}

func (r row) full(n int) word {
	w := make(word, n)
	copy(w[r.shift:], r.w)
	return w
}

// csd returns the canonical signed digits of v: no two neighbours are nonzero, which minimizes the number of rows of a
// product by v.
func csd(v *big.Int) []int8 {
	v = new(big.Int).Set(v)
	var d []int8
	for v.Sign() != 0 {
		var x int8
		if v.Bit(0) == 1 {
			x = 1
			if v.Bit(1) == 1 {
				x = -1
				v.Add(v, big.NewInt(1))
			} else {
				v.Sub(v, big.NewInt(1))
			}
		}
		d = append(d, x)
		v.Rsh(v, 1)
	}
	return d
}

// addScaled adds k * w. k counts modulo 2^width, so that it may be negative.
func (s *sum) addScaled(k *big.Int, w word) {
	for i, d := range scaleDigits(k, s.width) {
		switch d {
		case 1:
			s.add(i, w)
		case -1:
			s.take(i, w)
		}
	}
}

func scaleDigits(k *big.Int, width int) []int8 {
	mod := new(big.Int).Lsh(big.NewInt(1), uint(width))
	k = new(big.Int).Mod(k, mod)
	a := csd(k)
	b := csd(new(big.Int).Sub(k, mod))
	if digits(b) < digits(a) {
		return b
	}
	return a
}

func digits(d []int8) (n int) {
	for _, x := range d {
		if x != 0 {
			n++
		}
	}
	return n
}

func (w word) bigValue() *big.Int {
	v := new(big.Int)
	for i, l := range w {
		if l == litTrue {
			v.SetBit(v, i, 1)
		}
	}
	return v
}

// mul returns the product modulo 2^width of the operands' common width. Constant high zeros and repeated sign bits are
// cut off first, and the product is no wider than both factors require.
func (g *aig) mul(a, b word) word {
	n := len(a)
	if a.allConst() {
		a, b = b, a
	}
	if b.allConst() {
		return g.mulConst(a, b.bigValue(), n)
	}
	if r, ok := g.mulFew(a, b); ok {
		return r
	}
	ua, ub := a.active(), b.active()
	sa, sb := a.signActive(), b.signActive()
	if ua == 0 || ub == 0 {
		return make(word, n)
	}
	// The cost is about the number of bit products below the width.
	unsigned := partialProducts(ua, ub, n)
	signed := partialProducts(sa, sb, min(n, sa+sb))
	if signed < unsigned {
		return g.mulSigned(a[:sa], b[:sb], min(n, sa+sb)).sext(n)
	}
	w := min(n, ua+ub)
	return g.mulUnsigned(a[:ua], b[:ub], w).zext(n)
}

func partialProducts(a, b, width int) int {
	if a > b {
		a, b = b, a
	}
	t := 0
	for i := 0; i < a && i < width; i++ {
		t += min(b, width-i)
	}
	return t
}

// mulFew returns the product by a factor that has only two values: a mux of two products by constants. It applies only
// if these need no adders, as products by 1 or 2, which are common sizes of items.
func (g *aig) mulFew(a, b word) (word, bool) {
	for range 2 {
		if a.active() <= fewBits {
			if cut, ok := g.cut(a); ok && len(cut) == 1 {
				rows := g.tabulate(a, cut)
				k0, k1 := rows[0].bigValue(), rows[1].bigValue()
				if digits(csd(k0)) <= 1 && digits(csd(k1)) <= 1 {
					return g.muxWord(lit(cut[0]<<1), g.mulConst(b, k1, len(b)), g.mulConst(b, k0, len(b))), true
				}
			}
		}
		a, b = b, a
	}
	return nil, false
}

// fewBits bounds the width of the factors that mulFew analyses.
const fewBits = 8

func (g *aig) mulConst(a word, k *big.Int, n int) word {
	u, s := a.active(), a.signActive()
	w := n
	if kb := k.BitLen(); u+kb < n {
		w = u + kb
	} else if s+kb < n {
		// Signed: the constant counts as nonnegative here.
		t := newSum(g, s+kb)
		t.addScaled(k, a[:s].sext(s+kb))
		return t.result().sext(n)
	}
	t := newSum(g, w)
	t.addScaled(k, a[:w])
	return t.result().zext(n)
}

func sameWord(a, b word) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// mulUnsigned multiplies modulo 2^n.
func (g *aig) mulUnsigned(a, b word, n int) word {
	t := newSum(g, n)
	if sameWord(a, b) {
		// a_i a_j and a_j a_i together are one bit of twice the weight.
		for i := range a {
			if 2*i >= n {
				break
			}
			r := make(word, len(a)-i+1)
			r[0] = a[i]
			for j := i + 1; j < len(a); j++ {
				r[j-i+1] = g.and(a[i], a[j])
			}
			t.add(2*i, r)
		}
		return t.result()
	}
	// The factor with fewer bits that are not constant zero determines the rows.
	if rowsOf(b) < rowsOf(a) {
		a, b = b, a
	}
	for i, l := range a {
		if i >= n {
			break
		}
		if l != litFalse {
			t.add(i, g.andBit(l, b[:min(len(b), n-i)]))
		}
	}
	return t.result()
}

func rowsOf(w word) (n int) {
	for _, l := range w {
		if l != litFalse {
			n++
		}
	}
	return n
}

// mulSigned multiplies two's complement numbers, with n at most the sum of the widths. The rows of the sign bits have
// negative weight (Baugh and Wooley).
func (g *aig) mulSigned(a, b word, n int) word {
	if rowsOf(b) < rowsOf(a) {
		a, b = b, a
	}
	na, nb := len(a), len(b)
	t := newSum(g, n)
	for i := 0; i < na-1; i++ {
		if a[i] == litFalse {
			continue
		}
		t.add(i, g.andBit(a[i], b[:nb-1]))
	}
	t.sub(nb-1, g.andBit(b[nb-1], a[:na-1]))
	t.sub(na-1, g.andBit(a[na-1], b[:nb-1]))
	t.add(na+nb-2, word{g.and(a[na-1], b[nb-1])})
	return t.result()
}

// divide is restoring division: quotient and remainder in the common width, with the results of SMT-LIB for a zero
// divisor (all ones and a).
//
// After s steps the remainder is below 2^s and, after the first subtraction, below b. So it needs at most the smaller
// of the two widths plus one bit.
func (g *aig) divide(a, b word) (q, r word) {
	n := len(a)
	na, nb := a.active(), b.active()
	bz := g.isZero(b)
	q = make(word, n)
	if bz == litTrue {
		for i := range q {
			q[i] = litTrue
		}
		return q, a
	}
	var rem word
	for i := na - 1; i >= 0; i-- {
		rem = rem.above(word{a[i]})
		if len(rem) > nb+1 {
			rem = rem[:nb+1]
		}
		k := max(len(rem), nb)
		x, y := rem.zext(k), b.zext(k)
		diff, geq := g.add(x, y.not(), litTrue)
		q[i] = geq
		rem = g.muxWord(geq, diff, x)
		rem = rem[:min(len(rem), na-i, nb)]
	}
	r = rem.zext(n)
	if bz != litFalse {
		for i := range q {
			q[i] = g.or(q[i], bz)
		}
		r = g.muxWord(bz, a, r)
	}
	return q, r
}
