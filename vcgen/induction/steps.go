package induction

import (
	"maps"
	"math"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// maxLeaves bounds the nesting of choices in a step, and maxStep its size.
const (
	maxLeaves = 6
	maxStep   = 1 << 31
)

// bounds are the least and the largest values that terms have on a way through a loop, by the conditions on that way:
// as unsigned and as signed numbers.
type bounds struct {
	most            map[smt.Term]uint64
	least, greatest map[smt.Term]int64
}

// boundsOf returns the bounds that the conditions of a back edge and those before the loop give: 9 for x behind
// `if (x >= 10) continue;`.
func (in *Finder) boundsOf(h *unfold.Head, b *unfold.Back) bounds {
	before, known := in.before[h]
	if !known {
		before = in.assuming(bounds{}, in.c.Conjuncts(in.factsBefore(h.Event))...)
		in.before[h] = before
	}
	return in.assuming(before, in.literals(h, b)...)
}

// assuming returns bounds that also regard further conditions.
func (in *Finder) assuming(known bounds, conditions ...smt.Term) bounds {
	c := in.c
	out := bounds{map[smt.Term]uint64{}, map[smt.Term]int64{}, map[smt.Term]int64{}}
	maps.Copy(out.most, known.most)
	maps.Copy(out.least, known.least)
	maps.Copy(out.greatest, known.greatest)
	for _, l := range conditions {
		not := c.Op(l) == smt.OpNot
		if not {
			l = c.Arg(l, 0)
		}
		op := c.Op(l)
		if op != smt.OpUlt && op != smt.OpSlt || c.Width(c.Arg(l, 0)) > 64 {
			continue
		}
		x, y := c.Arg(l, 0), c.Arg(l, 1) // x < y, or, of the negation, y <= x
		strict := int64(1)
		if not {
			x, y, strict = y, x, 0
		}
		if op == smt.OpUlt {
			_, most := c.Range(y)
			if m, has := out.most[y]; has {
				most = min(most, m)
			}
			if old, has := out.most[x]; most >= uint64(strict) && (!has || most-uint64(strict) < old) {
				out.most[x] = most - uint64(strict)
			}
			continue
		}
		if _, k := out.within(c, y); k > math.MinInt64 {
			if old, has := out.greatest[x]; !has || k-strict < old {
				out.greatest[x] = k - strict
			}
		}
		if k, _ := out.within(c, x); k < math.MaxInt64 {
			if old, has := out.least[y]; !has || k+strict > old {
				out.least[y] = k + strict
			}
		}
	}
	return out
}

// within returns bounds of a term that is not taken apart, as a signed number.
func (b bounds) within(c *smt.Context, t smt.Term) (least, most int64) {
	least, most = c.SignedRange(t)
	if m, has := b.greatest[t]; has {
		most = min(most, m)
	}
	if m, has := b.least[t]; has {
		least = max(least, m)
	}
	if m, has := b.most[t]; has && m>>(c.Width(t)-1) == 0 {
		least, most = max(least, 0), min(most, int64(m))
	}
	return least, most
}

// between returns the signed bounds of a sum of constants, of choices between such sums, and of small numbers.
func (in *Finder) between(t smt.Term, known bounds, depth int) (least, most int64, ok bool) {
	c := in.c
	if v, isConst := in.signed(t); isConst {
		return v, v, -maxStep < v && v < maxStep
	}
	if depth == 0 || c.Width(t) > 64 {
		return 0, 0, false
	}
	// choice returns the bounds of a function of a choice.
	choice := func(t smt.Term, of func(value smt.Term) smt.Term) (least, most int64, ok bool) {
		cond := c.Arg(t, 0)
		a, b, ok := in.between(of(c.Arg(t, 1)), in.assuming(known, c.Conjuncts(cond)...), depth-1)
		if !ok {
			return 0, 0, false
		}
		d, e, ok := in.between(of(c.Arg(t, 2)), in.assuming(known, c.Conjuncts(c.Not(cond))...), depth-1)
		return min(a, d), max(b, e), ok
	}
	switch c.Op(t) {
	case smt.OpIte:
		if least, most, ok = choice(t, func(v smt.Term) smt.Term { return v }); ok {
			return least, most, true
		}
	case smt.OpAdd, smt.OpMul:
		k, parts := c.SumParts(t)
		for _, p := range parts { // the rest of the sum may cancel non-constant parts of the choice
			if c.Op(p.T) != smt.OpIte {
				continue
			}
			by := c.Int(c.Width(t), p.Coef)
			rest := c.Sub(t, c.Mul(p.T, by))
			least, most, ok = choice(p.T, func(v smt.Term) smt.Term { return c.Add(rest, c.Mul(v, by)) })
			if ok {
				return least, most, true
			}
		}
		unused := 64 - c.Width(t)
		least = int64(k<<unused) >> unused
		most = least
		for _, p := range parts {
			if p.T == t { // a product of two terms
				break
			}
			a, b, ok := in.between(p.T, known, depth-1)
			by := int64(p.Coef<<unused) >> unused
			if !ok || by <= -maxStep || by >= maxStep || a <= -maxStep || b >= maxStep {
				return 0, 0, false
			}
			a, b = a*by, b*by
			least, most = least+min(a, b), most+max(a, b)
			if least <= -maxStep || most >= maxStep {
				return 0, 0, false
			}
		}
		if len(parts) > 0 && parts[0].T != t {
			return least, most, true
		}
	case smt.OpZext:
		least, most, ok = in.between(c.Arg(t, 0), known, depth-1)
		if ok && least >= 0 {
			return least, most, true
		}
	case smt.OpSext:
		if least, most, ok = in.between(c.Arg(t, 0), known, depth-1); ok {
			return least, most, true
		}
	}
	least, most = known.within(c, t)
	return least, most, -maxStep < least && most < maxStep
}

// steps returns the bounds of the change of a place in one iteration, if they are constant.
func (in *Finder) steps(h *unfold.Head, place int) (least, most int64, ok bool) {
	return in.stepsWithin(h, place, func(*unfold.Back) bounds { return bounds{} })
}

// stepsWithin is steps with bounds that hold on the ways back.
func (in *Finder) stepsWithin(h *unfold.Head, place int, known func(*unfold.Back) bounds) (least, most int64, ok bool) {
	c := in.c
	p := h.Places[place]
	if p.Sym == 0 || c.Sort(p.Sym).IsBool() || c.Width(p.Sym) > 64 {
		return 0, 0, false
	}
	first := true
	for k := range h.Back {
		b := &h.Back[k]
		from, to, ok := in.between(c.Sub(b.Values[place], p.Sym), known(b), maxLeaves)
		if !ok {
			return 0, 0, false
		}
		if first {
			least, most, first = from, to, false
		}
		least, most = min(least, from), max(most, to)
	}
	return least, most, !first
}

// Limits of finished: the equations of a head, and the candidates.
const (
	maxEnds     = 8
	maxFinished = 60
)

// end is an equation that holds when a loop ends: of a term that the loop does not change, and one that it does. fixed
// is 0 if there is no such term: varying is 0 at the end.
type end struct{ fixed, varying smt.Term }

// ends returns the equations of a head: n and i for `i < n`, n and i - 1 for `i <= n`, 2 * m and i + 1 for
// `i + 1 < 2 * m`, and 0 and lo - hi for `lo < hi`.
func (in *Finder) ends(i int) (out []end) {
	c, state := in.c, in.states[i]
	put := func(d smt.Term) { // d is 0 when the loop ends
		_, parts := c.SumParts(d)
		if !slices.ContainsFunc(parts, func(p smt.Monomial) bool { return state.Varies(p.T) }) {
			return
		}
		if !slices.ContainsFunc(parts, func(p smt.Monomial) bool { return !state.Varies(p.T) }) && len(out) < maxEnds {
			out = append(out, end{varying: d})
			return
		}
		for _, p := range parts {
			one, less := p.Coef == 1, p.Coef == ^uint64(0)>>(64-c.Width(d))
			if (one || less) && !state.Varies(p.T) && len(out) < maxEnds {
				rest := c.Sub(d, c.Mul(p.T, c.Int(c.Width(d), p.Coef)))
				if one {
					rest = c.Neg(rest)
				}
				out = append(out, end{p.T, rest})
				for c.Op(p.T) == smt.OpZext { // the number itself, if it is as wide as another one
					p.T = c.Arg(p.T, 0)
					out = append(out, end{p.T, c.Extract(rest, c.Width(p.T)-1, 0)})
				}
			}
		}
	}
	for _, l := range in.material(i).literals {
		not := c.Op(l) == smt.OpNot
		if not {
			l = c.Arg(l, 0)
		}
		op := c.Op(l)
		if op != smt.OpEq && op != smt.OpUlt && op != smt.OpSlt {
			continue
		}
		switch {
		case c.Sort(c.Arg(l, 0)).IsBool() || c.Width(c.Arg(l, 0)) > 64:
		case op == smt.OpEq && not:
			put(c.Sub(c.Arg(l, 0), c.Arg(l, 1)))
		case op != smt.OpEq && not: // x <= y goes on, so that x is y + 1 at the end
			put(c.Sub(c.Sub(c.Arg(l, 1), c.Arg(l, 0)), c.Int(c.Width(c.Arg(l, 0)), 1)))
		case op != smt.OpEq:
			put(c.Sub(c.Arg(l, 0), c.Arg(l, 1)))
		}
	}
	return out
}

// finished makes candidates of what is asked behind the loop or in it, read as a condition on the iterations that are
// done: behind
//
//	for (i = 0; i < n; i++) sum += x[i] & 7;
//
// n is i, and sum <= 7 * n is asked, so sum <= 7 * i is a candidate. A strict comparison need not hold before the first
// iteration, so the weaker one is a candidate, too. Behind
//
//	while (lo < hi) ...
//
// hi - lo is 0. What is asked of lo is a candidate for lo + (hi - lo), which is hi.
func (in *Finder) finished(i int) {
	c, m, state := in.c, in.material(i), in.states[i]
	made := 0
	put := func(t smt.Term, to map[smt.Term]smt.Term) {
		as := c.Substitute(t, to)
		if as == t || c.IsConst(as) || made >= maxFinished {
			return
		}
		made++
		in.add(i, "finished", as)
		switch c.Op(as) {
		case smt.OpUlt:
			in.add(i, "finished", c.Ule(c.Arg(as, 0), c.Arg(as, 1)))
		case smt.OpSlt:
			in.add(i, "finished", c.Sle(c.Arg(as, 0), c.Arg(as, 1)))
		}
	}
	for _, e := range in.ends(i) {
		for _, t := range slices.Concat(m.asked, m.guarded) {
			if e.fixed != 0 {
				put(t, map[smt.Term]smt.Term{e.fixed: e.varying})
				continue
			}
			for _, v := range c.Symbols(t) {
				if state.Changes(v) && !c.Sort(v).IsBool() && c.Width(v) == c.Width(e.varying) {
					put(t, map[smt.Term]smt.Term{v: c.Add(v, e.varying)})
					put(t, map[smt.Term]smt.Term{v: c.Sub(v, e.varying)})
				}
			}
		}
	}
}
