package ordering

import (
	"math/big"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// leaf is a bit-vector that is read as an unsigned number, or as a signed one.
type leaf uint64

func unsignedLeaf(t smt.Term) leaf { return leaf(t) << 1 }

func signedLeaf(t smt.Term) leaf { return leaf(t)<<1 | 1 }

// bounds returns the least and the largest value of a leaf.
func (l leaf) bounds(c *smt.Context) (least, most *big.Int) {
	t := smt.Term(l >> 1)
	if l&1 != 0 {
		lo, hi := c.SignedRange(t)
		return big.NewInt(lo), big.NewInt(hi)
	}
	lo, hi := c.Range(t)
	return unsigned(lo), unsigned(hi)
}

// sum is a sum of integers, each a leaf with a factor. It is immutable.
type sum struct {
	parts []part // in ascending order of the leaves, without factors of 0
	konst *big.Int
	hash  uint64 // of the parts: the hash of a sum of sums is the sum of their hashes
}

type part struct {
	leaf   leaf
	factor int64
}

// maxFactor bounds factors, so that neither the product of two nor the sum of a few overflows.
const maxFactor = 1 << 30

func constant(v *big.Int) sum { return sum{konst: v} }

func (l leaf) sum() sum {
	return sum{parts: []part{{l, 1}}, konst: new(big.Int), hash: l.mix()}
}

// number returns a bit-vector as an unsigned number.
func number(t smt.Term) sum { return unsignedLeaf(t).sum() }

// mix spreads the bits of a leaf (the finaliser of MurmurHash3).
func (l leaf) mix() uint64 {
	h := uint64(l) * 0x9e3779b97f4a7c15
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// plus returns s + factor*o.
func (s sum) plus(o sum, factor int64) sum {
	out := sum{konst: new(big.Int).Mul(o.konst, big.NewInt(factor))}
	out.konst.Add(out.konst, s.konst)
	out.hash = s.hash + uint64(factor)*o.hash
	a, b := s.parts, o.parts
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].leaf < b[0].leaf:
			out.parts = append(out.parts, a[0])
			a = a[1:]
		case len(a) == 0 || b[0].leaf < a[0].leaf:
			out.parts = append(out.parts, part{b[0].leaf, factor * b[0].factor})
			b = b[1:]
		default:
			if k := a[0].factor + factor*b[0].factor; k != 0 {
				out.parts = append(out.parts, part{a[0].leaf, k})
			}
			a, b = a[1:], b[1:]
		}
	}
	return out
}

func (s sum) times(factor int64) sum { return sum{konst: new(big.Int)}.plus(s, factor) }

func (s sum) add(n int64) sum { return s.addBig(big.NewInt(n)) }

func (s sum) addBig(n *big.Int) sum {
	s.konst = new(big.Int).Add(s.konst, n)
	return s
}

// sameParts reports whether two sums differ at most in their constants.
func (s sum) sameParts(o sum) bool {
	if s.hash != o.hash || len(s.parts) != len(o.parts) {
		return false
	}
	for i, p := range s.parts {
		if p != o.parts[i] {
			return false
		}
	}
	return true
}

// near reports whether the parts of two sums differ in at most one leaf.
func (s sum) near(o sum) bool {
	a, b, differ := s.parts, o.parts, 0
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].leaf < b[0].leaf:
			a, differ = a[1:], differ+1
		case len(a) == 0 || b[0].leaf < a[0].leaf:
			b, differ = b[1:], differ+1
		default:
			if a[0].factor != b[0].factor {
				differ++
			}
			a, b = a[1:], b[1:]
		}
		if differ > 1 {
			return false
		}
	}
	return true
}

// small reports whether all factors are within maxFactor.
func (s sum) small() bool {
	for _, p := range s.parts {
		if p.factor > maxFactor || p.factor < -maxFactor {
			return false
		}
	}
	return true
}

// bounds returns a lower and an upper bound of the sum for all values of its leaves.
func (s sum) bounds(c *smt.Context) (lo, hi *big.Int) {
	lo, hi = new(big.Int).Set(s.konst), new(big.Int).Set(s.konst)
	for _, p := range s.parts {
		least, most := p.leaf.bounds(c)
		a := new(big.Int).Mul(least, big.NewInt(p.factor))
		b := new(big.Int).Mul(most, big.NewInt(p.factor))
		if p.factor < 0 {
			a, b = b, a
		}
		lo.Add(lo, a)
		hi.Add(hi, b)
	}
	return lo, hi
}
