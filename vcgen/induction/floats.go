package induction

import (
	"math"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// floatRounds bounds the iterations after which the ranges of floats have to be stable.
const floatRounds = 200

// floats makes candidates of the ranges of the floats that a loop carries: the ranges on entry, widened by iterations
// until they are stable, to the constants of the program and to powers of two (widening with thresholds: Blanchet et
// al., "A static analyzer for large safety-critical software", PLDI 2003).
func (in *Finder) floats(i int) {
	c, h := in.c, in.heads[i]
	places := in.floatPlaces(i)
	if len(places) == 0 {
		return
	}
	steps := in.thresholds(i)
	entry := smt.NewFloatRanges(c, c.Conjuncts(h.Guard))
	now := map[int]smt.FloatRange{}
	for _, k := range places {
		now[k] = entry.Of(h.Places[k].Old)
	}
	for stable, round := false, 0; !stable && round < floatRounds; round++ {
		stable = true
		for k := range h.Back {
			b := &h.Back[k]
			x := smt.NewFloatRanges(c, append(in.literals(h, b), c.Conjuncts(h.Guard)...))
			for _, k := range places {
				x.Bound(h.Places[k].Sym, now[k])
			}
			for _, k := range places {
				if to := now[k].Join(x.Of(b.Values[k])); to != now[k] {
					now[k], stable = widened(now[k], to, steps), false
				}
			}
		}
	}
	for _, k := range places {
		sym, w := h.Places[k].Sym, c.Width(h.Places[k].Sym)
		r := now[k]
		if r.NaN || r.Empty() {
			continue
		}
		if !math.IsInf(r.Lo, 0) {
			in.add(i, "<=", c.FLe(c.Float(w, r.Lo), sym))
		}
		if !math.IsInf(r.Hi, 0) {
			in.add(i, "<=", c.FLe(sym, c.Float(w, r.Hi)))
		}
		in.add(i, "", c.Not(c.FIsNaN(sym)))
	}
}

// floatPlaces returns the places of a head that are floats.
func (in *Finder) floatPlaces(i int) []int {
	if list, ok := in.floating[i]; ok {
		return list
	}
	list := []int{}
	for k := range in.heads[i].Places {
		if in.isFloat(in.heads[i], k) {
			list = append(list, k)
		}
	}
	if in.floating == nil {
		in.floating = map[int][]int{}
	}
	in.floating[i] = list
	return list
}

// isFloat reports whether an iteration gives a place the result of an operation on floats, or the program compares it
// as a float.
func (in *Finder) isFloat(h *unfold.Head, place int) bool {
	c, p := in.c, h.Places[place]
	if p.Sym == 0 || c.Sort(p.Sym).IsBool() || c.Width(p.Sym) != 32 && c.Width(p.Sym) != 64 {
		return false
	}
	for _, b := range h.Back {
		for _, t := range in.leaves(b.Values[place], nil) {
			if c.IsFloatResult(t) {
				return true
			}
		}
		compared := false
		for _, l := range in.literals(h, &b) {
			c.ComparedFloats(l, func(x, y smt.Term) {
				compared = compared || x == b.Values[place] || y == b.Values[place]
			})
		}
		if compared {
			return true
		}
	}
	return false
}

// thresholds returns the constants with which the program compares floats, with both signs, in ascending order.
func (in *Finder) thresholds(i int) []float64 {
	var out []float64
	m := in.material(i)
	for _, t := range slices.Concat(m.literals, m.asked, m.guarded) {
		in.c.ComparedFloats(t, func(a, b smt.Term) {
			for _, x := range []smt.Term{a, b} {
				if f, ok := in.c.FloatConst(x); ok {
					out = append(out, f, -f)
				}
			}
		})
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// widened returns a range that contains to, with each bound that has moved at the next threshold or power of two.
func widened(from, to smt.FloatRange, steps []float64) smt.FloatRange {
	up := func(x float64) float64 {
		out := 0.0
		switch f, e := math.Frexp(math.Abs(x)); {
		case x > 0 && f == 0.5 || math.IsInf(x, 1):
			out = x
		case x > 0:
			out = math.Ldexp(1, e)
		case x < 0:
			out = -math.Ldexp(1, e-1)
		}
		for _, s := range steps {
			if s >= x {
				return min(out, s)
			}
		}
		return out
	}
	if to.Hi > from.Hi {
		to.Hi = up(to.Hi)
	}
	if to.Lo < from.Lo {
		to.Lo = -up(-to.Lo)
	}
	return to
}
