package ordering

import (
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// reading says that a bit-vector, read as unsigned number, is a sum of integers where all of the conditions hold and
// all that it needs is at least 0.
type reading struct {
	sum   sum
	where []smt.Term
	needs []sum
}

// with joins what two readings rest on; the sum is the first one's.
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

// within has the reading need what it takes to be a number of w bits.
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

// read lists ways in which a bit-vector of at most 64 bits is a sum. Where one of them needs something, another is the
// bit-vector itself as the only leaf.
func (f *finder) read(t smt.Term) []reading {
	if f.c.Op(t) == smt.OpZext { // the same number
		return f.read(f.c.Arg(t, 0))
	}
	if list, ok := f.readings[t]; ok {
		return list
	}
	list := f.readAnew(t)
	whole := reading{sum: leaf(t)}
	switch {
	case len(list) == 0, len(list) > maxReadings:
		list = []reading{whole}
	case len(list) < maxReadings && slices.ContainsFunc(list, func(r reading) bool { return len(r.needs) > 0 }):
		list = append(list, whole)
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
			return nil // what is known of it says more than what it is in either case
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

// sums tells whether it is worth it to look into a term.
func (f *finder) sums(t smt.Term) bool {
	switch f.c.Op(t) {
	case smt.OpAdd, smt.OpMul, smt.OpBvNot, smt.OpIte, smt.OpZext, smt.OpExtract:
		return true
	}
	return false
}

// readSum lists the ways in which a sum modulo 2^w is one of integers; nil: there is none that is worth it.
func (f *finder) readSum(w int, konst uint64, parts []smt.Monomial) []reading {
	c := f.c
	list := []reading{{sum: constant(big.NewInt(signed(konst, w)))}}
	for _, p := range parts {
		of := f.read(p.T)
		if len(list)*len(of) > maxReadings {
			of = []reading{{sum: leaf(p.T)}}
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

// signed reads w bits as two's complement: a sum modulo 2^w is the same with either reading of a factor, and the small
// one is what was meant.
func signed(v uint64, w int) int64 {
	s := uint(64 - w)
	return int64(v<<s) >> s
}

// power is 2^w.
func power(w int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(w)) }
