package ordering

import (
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// reading states that a bit-vector, read as an unsigned number, equals a sum of integers. It is valid if all
// conditions of where are true and all sums of needs are at least 0.
type reading struct {
	sum   sum
	where []smt.Term
	needs []sum
}

// with combines the conditions of two readings; the sum is that of r. It returns false if the conditions contradict
// each other or are too many.
func (r reading) with(c *smt.Context, o reading) (both reading, ok bool) {
	where, ok := conjunction(c, r.where, o.where)
	if !ok || len(where) > maxWhere {
		return both, false
	}
	needs := r.needs[:len(r.needs):len(r.needs)]
next:
	for _, n := range o.needs {
		for _, m := range r.needs {
			if m.sameParts(n) && m.konst.Cmp(n.konst) == 0 {
				continue next
			}
		}
		needs = append(needs, n)
	}
	return reading{r.sum, where, needs}, true
}

// within returns the reading with the additional needs for a number of w bits.
func (r reading) within(c *smt.Context, w int) reading {
	most := new(big.Int).Sub(power(w), big.NewInt(1))
	needs := r.needs[:len(r.needs):len(r.needs)]
	lo, hi := r.sum.bounds(c)
	if lo.Sign() < 0 {
		needs = append(needs, r.sum)
	}
	if hi.Cmp(most) > 0 {
		needs = append(needs, r.sum.times(-1).addBig(most))
	}
	r.needs = needs
	return r
}

// read returns the readings of a bit-vector of at most 64 bits. If a reading needs something, a further one is the
// bit-vector itself as the only leaf.
func (f *finder) read(t smt.Term) []reading {
	if f.c.Op(t) == smt.OpZext { // the same number
		return f.read(f.c.Arg(t, 0))
	}
	if list, ok := f.readings[t]; ok {
		return list
	}
	list := f.readAnew(t)
	atomic := reading{sum: number(t)}
	switch {
	case len(list) == 0, len(list) > maxReadings:
		list = []reading{atomic}
	case len(list) < maxReadings && slices.ContainsFunc(list, func(r reading) bool { return len(r.needs) > 0 }):
		list = append(list, atomic)
	}
	f.readings[t] = list
	return list
}

func (f *finder) readAnew(t smt.Term) (list []reading) {
	c := f.c
	switch c.Op(t) {
	case smt.OpConst:
		v, _ := c.Uint64(t)
		return []reading{{sum: constant(unsigned(v))}}
	case smt.OpExtract:
		arg := c.Arg(t, 0)
		hi, lo := c.ExtractBounds(t)
		if lo != 0 || c.Width(arg) > 64 || !f.sums(arg) {
			return nil
		}
		for _, r := range f.read(arg) {
			list = append(list, r.within(c, hi+1))
		}
	case smt.OpIte:
		if f.extremum(t) != 0 {
			return nil // the bounds of a minimum say more than its two cases
		}
		for i, cond := range []smt.Term{c.Arg(t, 0), c.Not(c.Arg(t, 0))} {
			for _, r := range f.read(c.Arg(t, 1+i)) {
				if r, ok := r.with(c, reading{where: []smt.Term{cond}}); ok {
					list = append(list, r)
				}
			}
		}
	case smt.OpAdd, smt.OpMul, smt.OpBvNot:
		konst, parts := c.SumParts(t)
		if len(parts) == 1 && parts[0].T == t { // a product of two terms
			return nil
		}
		return f.readSum(c.Width(t), konst, parts)
	}
	return list
}

// sums reports whether the operation of a term can make it a sum.
func (f *finder) sums(t smt.Term) bool {
	switch f.c.Op(t) {
	case smt.OpAdd, smt.OpMul, smt.OpBvNot, smt.OpIte, smt.OpZext, smt.OpExtract:
		return true
	}
	return false
}

// readSum returns the readings of a sum modulo 2^w as a sum of integers; nil if there is no useful one.
func (f *finder) readSum(w int, konst uint64, parts []smt.Monomial) []reading {
	c := f.c
	list := []reading{{sum: constant(big.NewInt(signed(konst, w)))}}
	for _, p := range parts {
		of := f.read(p.T)
		if len(list)*len(of) > maxReadings {
			of = []reading{{sum: number(p.T)}}
		}
		factor := signed(p.Coef, w)
		if factor > maxFactor || factor < -maxFactor {
			return nil
		}
		var next []reading
		for _, have := range list {
			for _, r := range of {
				both, ok := have.with(c, r)
				if !ok {
					continue
				}
				if both.sum = have.sum.plus(r.sum, factor); !both.sum.small() {
					return nil
				}
				next = append(next, both)
			}
		}
		list = next
	}
	for i, r := range list {
		if _, hi := r.sum.bounds(c); hi.Sign() < 0 { // ^x is 2^w - 1 - x
			r.sum = r.sum.addBig(power(w))
		}
		list[i] = r.within(c, w)
	}
	return list
}

// signed reads w bits as two's complement. A sum modulo 2^w is the same for either reading of a factor, and the small
// one is intended.
func signed(v uint64, w int) int64 {
	s := uint(64 - w)
	return int64(v<<s) >> s
}

// power returns 2^w.
func power(w int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(w)) }
