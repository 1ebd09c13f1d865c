package induction

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// maxLeaves bounds the nesting of choices in a step, and maxStep its size.
const (
	maxLeaves = 6
	maxStep   = 1 << 31
)

// bounds are the largest values that terms have on a way through a loop, by the conditions on that way.
type bounds map[smt.Term]uint64

// boundsOf returns the bounds that the conditions of a back edge give: 9 for x behind `if (x >= 10) continue;`.
func (in *Finder) boundsOf(h *unfold.Head, b *unfold.Back) bounds {
	c, out := in.c, bounds{}
	for _, l := range in.literals(h, b) {
		not := c.Op(l) == smt.OpNot
		if not {
			l = c.Arg(l, 0)
		}
		if c.Op(l) != smt.OpUlt || c.Width(c.Arg(l, 0)) > 64 {
			continue
		}
		x, y := c.Arg(l, 0), c.Arg(l, 1)
		most, isConst := c.Uint64(y)
		if most--; not { // not x < y: y is at most x
			x, y = y, x
			most, isConst = c.Uint64(y)
		}
		if old, has := out[x]; isConst && (!has || most < old) {
			out[x] = most
		}
	}
	return out
}

// most returns the largest value of a term.
func (b bounds) most(c *smt.Context, t smt.Term) uint64 {
	_, hi := c.Range(t)
	if m, has := b[t]; has {
		hi = min(hi, m)
	}
	if c.Op(t) == smt.OpZext {
		hi = min(hi, b.most(c, c.Arg(t, 0)))
	}
	return hi
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
	switch c.Op(t) {
	case smt.OpIte:
		a, b, ok := in.between(c.Arg(t, 1), known, depth-1)
		d, e, too := in.between(c.Arg(t, 2), known, depth-1)
		return min(a, d), max(b, e), ok && too
	case smt.OpAdd, smt.OpMul:
		k, parts := c.SumParts(t)
		for _, p := range parts { // the rest of the sum may cancel non-constant parts of the choice
			if c.Op(p.T) != smt.OpIte {
				continue
			}
			by := c.Int(c.Width(t), p.Coef)
			rest := c.Sub(t, c.Mul(p.T, by))
			a, b, ok := in.between(c.Add(rest, c.Mul(c.Arg(p.T, 1), by)), known, depth-1)
			d, e, too := in.between(c.Add(rest, c.Mul(c.Arg(p.T, 2), by)), known, depth-1)
			return min(a, d), max(b, e), ok && too
		}
		unused := 64 - c.Width(t)
		least = int64(k<<unused) >> unused
		most = least
		for _, p := range parts {
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
		return least, most, true
	case smt.OpZext:
		least, most, ok = in.between(c.Arg(t, 0), known, depth-1)
		if ok && least >= 0 {
			return least, most, true
		}
	}
	hi := known.most(c, t)
	return 0, int64(hi), hi < maxStep
}

// steps returns the bounds of the change of a place in one iteration, if they are constant.
func (in *Finder) steps(h *unfold.Head, place int) (least, most int64, ok bool) {
	return in.stepsWithin(h, place, func(*unfold.Back) bounds { return nil })
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

// end is an equation that holds when a loop ends: of a term that the loop does not change, and one that it does.
type end struct{ fixed, varying smt.Term }

// ends returns the equations of a head: n and i for `i < n`, n and i - 1 for `i <= n`, 2 * m and i + 1 for
// `i + 1 < 2 * m`.
func (in *Finder) ends(i int) (out []end) {
	c, state := in.c, in.states[i]
	put := func(d smt.Term) { // d is 0 when the loop ends
		_, parts := c.SumParts(d)
		if !slices.ContainsFunc(parts, func(p smt.Monomial) bool { return state.Varies(p.T) }) {
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
// iteration, so the weaker one is a candidate, too.
func (in *Finder) finished(i int) {
	c, m := in.c, in.material(i)
	made := 0
	for _, e := range in.ends(i) {
		to := map[smt.Term]smt.Term{e.fixed: e.varying}
		for _, t := range slices.Concat(m.asked, m.guarded) {
			as := c.Substitute(t, to)
			if as == t || c.IsConst(as) || made >= maxFinished {
				continue
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
	}
}
