package induction

import (
	"math/bits"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// line is an offset that depends linearly on one symbol: from + coef*ext(inner*sym + plus); ext extends to an
// address.
type line struct {
	sym, from, plus smt.Term
	coef, inner     int64
	ext             smt.Op // OpZext, OpSext, or OpVar if the symbol is as wide as an address
}

// distance returns the signed value of a coefficient of an address.
func (in *Finder) distance(v uint64) int64 {
	unused := 64 - in.prog.Memory.Width
	return int64(v<<unused) >> unused
}

// lineOf decomposes an offset that depends on one symbol for which wanted is true.
func (in *Finder) lineOf(off smt.Term, wanted func(smt.Term) bool) (line, bool) {
	c := in.c
	has := func(t smt.Term) bool { return slices.ContainsFunc(c.Symbols(t), wanted) }
	_, parts := c.SumParts(off)
	var out line
	for _, p := range parts {
		if !has(p.T) {
			continue
		}
		if out.sym != 0 {
			return line{}, false
		}
		out.coef = in.distance(p.Coef)
		out.from = c.Sub(off, c.Mul(p.T, in.prog.Memory.Int(p.Coef)))
		inner := p.T
		out.ext = smt.OpVar
		if op := c.Op(inner); op == smt.OpZext || op == smt.OpSext {
			out.ext, inner = op, c.Arg(inner, 0)
		}
		_, inside := c.SumParts(inner)
		for _, q := range inside {
			if !has(q.T) {
				continue
			}
			if out.sym != 0 || c.Op(q.T) != smt.OpVar {
				return line{}, false
			}
			w := c.Width(q.T)
			out.sym, out.inner = q.T, int64(q.Coef<<(64-w))>>(64-w)
		}
		if out.sym == 0 {
			return line{}, false
		}
		out.plus = c.Sub(inner, c.Mul(out.sym, c.IntS(c.Width(out.sym), out.inner)))
	}
	return out, out.sym != 0 && out.coef != 0
}

// at returns the offset for a value of the symbol.
func (in *Finder) at(l line, y smt.Term) smt.Term {
	c := in.c
	t := c.Add(c.Mul(y, c.IntS(c.Width(y), l.inner)), l.plus)
	switch l.ext {
	case smt.OpZext:
		t = c.Zext(t, in.prog.Memory.Width)
	case smt.OpSext:
		t = c.Sext(t, in.prog.Memory.Width)
	}
	return c.Add(l.from, c.Mul(t, in.prog.Memory.Int(uint64(l.coef))))
}

// solve returns the value of the symbol for which the line has a given offset, if there is one.
func (in *Finder) solve(l line, off smt.Term) (smt.Term, bool) {
	c := in.c
	if l.inner != 1 {
		return 0, false
	}
	d := c.Sub(off, l.from)
	k, parts := c.SumParts(d)
	u := smt.Term(0)
	if l.coef == 1 {
		u = d
	} else if rest := func(p smt.Monomial) bool { return in.distance(p.Coef)%l.coef != 0 }; in.distance(k)%l.coef == 0 &&
		!slices.ContainsFunc(parts, rest) {
		u = in.prog.Memory.Int(uint64(in.distance(k) / l.coef))
		for _, p := range parts {
			u = c.Add(u, c.Mul(p.T, in.prog.Memory.Int(uint64(in.distance(p.Coef)/l.coef))))
		}
	} else if n := bits.TrailingZeros64(uint64(l.coef)); l.coef > 0 && l.coef == 1<<n {
		u = c.Ashr(d, in.prog.Memory.Int(uint64(n)))
	} else {
		return 0, false
	}
	w := c.Width(l.sym)
	if w < c.Width(u) {
		if op := c.Op(u); (op == smt.OpZext || op == smt.OpSext) && c.Width(c.Arg(u, 0)) == w {
			u = c.Arg(u, 0)
		} else {
			u = c.Extract(u, w-1, 0)
		}
	}
	return c.Sub(u, l.plus), true
}
