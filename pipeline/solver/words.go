package solver

import (
	"math/big"
	"math/bits"
)

// word is a bit-vector of literals, least significant bit first. The functions of this file build circuits that are
// linear in the width; arith.go has products and quotients.
type word []lit

func (g *aig) fresh(n int) word {
	w := make(word, n)
	for i := range w {
		w[i] = g.input()
	}
	return w
}

func constWord(n int, v uint64) word {
	w := make(word, n)
	for i := 0; i < n && i < 64; i++ {
		w[i] = lit(v >> i & 1)
	}
	return w
}

func bigWord(n int, v *big.Int) word {
	w := make(word, n)
	for i := range w {
		w[i] = lit(v.Bit(i))
	}
	return w
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (w word) not() word {
	r := make(word, len(w))
	for i, l := range w {
		r[i] = l ^ 1
	}
	return r
}

// zext and sext cut or extend to n bits.
func (w word) zext(n int) word {
	if len(w) >= n {
		return w[:n]
	}
	r := make(word, n)
	copy(r, w)
	return r
}

func (w word) sext(n int) word {
	if len(w) >= n {
		return w[:n]
	}
	r := make(word, n)
	copy(r, w)
	for i := len(w); i < n; i++ {
		r[i] = w[len(w)-1]
	}
	return r
}

// shl shifts left by k within the width.
func (w word) shl(k int) word {
	r := make(word, len(w))
	if k < len(w) {
		copy(r[k:], w)
	}
	return r
}

// above concatenates w, as the high bits, and lo.
func (w word) above(lo word) word {
	r := make(word, 0, len(lo)+len(w))
	return append(append(r, lo...), w...)
}

// active returns the width without constant high zeros.
func (w word) active() int {
	n := len(w)
	for n > 0 && w[n-1] == litFalse {
		n--
	}
	return n
}

// signActive returns the width without repeated sign bits, at least 1.
func (w word) signActive() int {
	n := len(w)
	for n > 1 && w[n-1] == w[n-2] {
		n--
	}
	return n
}

func (g *aig) andAll(ls []lit) lit {
	r := litTrue
	for _, l := range ls {
		r = g.and(r, l)
	}
	return r
}

func (g *aig) orAll(ls []lit) lit {
	r := litFalse
	for _, l := range ls {
		r = g.or(r, l)
	}
	return r
}

func (g *aig) isZero(w word) lit { return g.orAll(w) ^ 1 }

func (g *aig) muxWord(c lit, t, e word) word {
	if c == litTrue {
		return t
	}
	if c == litFalse {
		return e
	}
	r := make(word, len(t))
	for i := range r {
		r[i] = g.mux(c, t[i], e[i])
	}
	return r
}

func (g *aig) andBit(c lit, w word) word {
	r := make(word, len(w))
	for i := range r {
		r[i] = g.and(c, w[i])
	}
	return r
}

func (g *aig) xorBit(c lit, w word) word {
	r := make(word, len(w))
	for i := range r {
		r[i] = g.xor(c, w[i])
	}
	return r
}

func (g *aig) eqWord(a, b word) lit {
	r := litTrue
	for i := range a {
		r = g.and(r, g.xnor(a[i], b[i]))
		if r == litFalse {
			break
		}
	}
	return r
}

// add returns a + b + cin in the width of a and the carry out.
func (g *aig) add(a, b word, cin lit) (word, lit) {
	r := make(word, len(a))
	c := cin
	for i := range a {
		r[i], c = g.fullAdder(a[i], b[i], c)
	}
	return r, c
}

func (g *aig) sub(a, b word) word {
	r, _ := g.add(a, b.not(), litTrue)
	return r
}

// inc adds a single bit.
func (g *aig) inc(a word, cin lit) word {
	r := make(word, len(a))
	c := cin
	for i := range a {
		r[i] = g.xor(a[i], c)
		c = g.and(a[i], c)
	}
	return r
}

// negIf builds: if c then -w else w. The bits above the lowest 1 change. The chain that finds it does not depend on c,
// so that search gets through double negations, which occur in quotients by 1; an incrementer's carries would have to
// be decomposed for each sign.
func (g *aig) negIf(c lit, w word) word {
	r := make(word, len(w))
	seen := litFalse
	for i, l := range w {
		r[i] = g.xor(l, g.and(c, seen))
		seen = g.or(seen, l)
	}
	return r
}

// ult compares unsigned numbers of equal width. The chain is the complement of the carries of a - b, so that a
// subtraction shares it.
func (g *aig) ult(a, b word) lit {
	lt := litFalse
	for i := range a {
		lt = g.maj(a[i]^1, b[i], lt)
	}
	return lt
}

func (g *aig) ule(a, b word) lit { return g.ult(b, a) ^ 1 }

func (g *aig) slt(a, b word) lit {
	n := len(a) - 1
	return g.maj(a[n], b[n]^1, g.ult(a[:n], b[:n]))
}

// shiftKind is the direction of a shift.
type shiftKind int

const (
	shiftLeft shiftKind = iota
	shiftRight
	shiftArith
)

// shift is a barrel shifter; amounts of at least the width give the fill.
func (g *aig) shift(a, amount word, kind shiftKind) word {
	n := len(a)
	fill := litFalse
	if kind == shiftArith {
		fill = a[n-1]
	}
	stages := bits.Len(uint(n - 1))
	r := a
	over := litFalse
	for i, s := range amount {
		if s == litFalse {
			continue
		}
		if i >= stages {
			over = g.or(over, s)
			continue
		}
		k := 1 << i
		t := make(word, n)
		for j := range t {
			from := litFalse
			if kind == shiftLeft {
				if j >= k {
					from = r[j-k]
				}
			} else {
				from = fill
				if j+k < n {
					from = r[j+k]
				}
			}
			t[j] = g.mux(s, from, r[j])
		}
		r = t
	}
	if over != litFalse {
		f := make(word, n)
		for i := range f {
			f[i] = fill
		}
		r = g.muxWord(over, f, r)
	}
	return r
}

// shiftRightSticky shifts right and ors all lost bits into the lowest bit.
func (g *aig) shiftRightSticky(a, amount word) word {
	n := len(a)
	r := a
	sticky := litFalse
	over := litFalse
	for i, s := range amount {
		if s == litFalse {
			continue
		}
		if i >= 31 || 1<<i >= n {
			over = g.or(over, s)
			continue
		}
		k := 1 << i
		sticky = g.or(sticky, g.and(s, g.orAll(r[:k])))
		t := make(word, n)
		for j := range t {
			from := litFalse
			if j+k < n {
				from = r[j+k]
			}
			t[j] = g.mux(s, from, r[j])
		}
		r = t
	}
	if over != litFalse {
		sticky = g.or(sticky, g.and(over, g.orAll(r)))
		r = g.andBit(over^1, r)
	}
	out := append(word(nil), r...)
	out[0] = g.or(out[0], sticky)
	return out
}

// normalise shifts left until the highest bit is set and returns the amount. A zero word remains zero, with an
// arbitrary amount.
func (g *aig) normalise(a word) (word, word) {
	n := len(a)
	stages := bits.Len(uint(n - 1))
	amount := make(word, stages)
	r := a
	for i := stages - 1; i >= 0; i-- {
		k := 1 << i
		z := litTrue
		for j := max(0, n-k); j < n; j++ {
			z = g.and(z, r[j]^1)
		}
		amount[i] = z
		t := make(word, n)
		for j := range t {
			from := litFalse
			if j >= k {
				from = r[j-k]
			}
			t[j] = g.mux(z, from, r[j])
		}
		r = t
	}
	return r, amount
}
