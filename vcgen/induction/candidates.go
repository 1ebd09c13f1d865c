package induction

import (
	"math/bits"
	"slices"

	"github.com/unitproof/unitproof/vcgen/invariant"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// Limits of comparisons.
const (
	maxOperands = 14
	maxLeaves   = 6 // nested choices in a step
)

// between returns the signed bounds of a sum of constants and of choices between constants.
func (in *Finder) between(t smt.Term, depth int) (least, most int64, ok bool) {
	c := in.c
	const far = 1 << 31
	if v, isConst := in.signed(t); isConst {
		return v, v, -far < v && v < far
	}
	if depth == 0 {
		return 0, 0, false
	}
	switch c.Op(t) {
	case smt.OpIte:
		a, b, ok := in.between(c.Arg(t, 1), depth-1)
		d, e, too := in.between(c.Arg(t, 2), depth-1)
		return min(a, d), max(b, e), ok && too
	case smt.OpAdd, smt.OpMul:
		_, parts := c.SumParts(t)
		for _, p := range parts { // the rest of the sum may cancel non-constant parts of the choice
			if c.Op(p.T) != smt.OpIte || c.Width(t) > 64 {
				continue
			}
			by := c.Int(c.Width(t), p.Coef)
			rest := c.Sub(t, c.Mul(p.T, by))
			a, b, ok := in.between(c.Add(rest, c.Mul(c.Arg(p.T, 1), by)), depth-1)
			d, e, too := in.between(c.Add(rest, c.Mul(c.Arg(p.T, 2), by)), depth-1)
			return min(a, d), max(b, e), ok && too
		}
	case smt.OpZext:
		least, most, ok = in.between(c.Arg(t, 0), depth-1)
		return least, most, ok && least >= 0
	}
	return 0, 0, false
}

// steps returns the bounds of the change of a place in one iteration, if they are constant.
func (in *Finder) steps(h *unfold.Head, place int) (least, most int64, ok bool) {
	c := in.c
	p := h.Places[place]
	if p.Sym == 0 || c.Sort(p.Sym).IsBool() || c.Width(p.Sym) > 64 {
		return 0, 0, false
	}
	first := true
	for _, b := range h.Back {
		from, to, ok := in.between(c.Sub(b.Values[place], p.Sym), maxLeaves)
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

func (in *Finder) signed(t smt.Term) (int64, bool) {
	v, ok := in.c.Uint64(t)
	w := in.c.Width(t)
	if !ok || w > 64 {
		return 0, false
	}
	return int64(v<<(64-w)) >> (64 - w), true
}

// atoms appends the comparisons in a condition to out.
func (in *Finder) atoms(t smt.Term, out []smt.Term) []smt.Term {
	c := in.c
	for stack := []smt.Term{t}; len(stack) > 0; {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch c.Op(x) {
		case smt.OpNot, smt.OpAnd:
			stack = append(stack, c.Args(x)...)
		case smt.OpEq, smt.OpUlt, smt.OpSlt:
			if !slices.Contains(out, x) && len(out) < 60 {
				out = append(out, x)
			}
		}
	}
	return out
}

// scalars adds the candidates of a head that do not concern elements.
func (in *Finder) scalars(i int) {
	c, h, state := in.c, in.heads[i], in.states[i]
	var lits, atoms []smt.Term
	for k := range h.Back {
		for _, l := range in.literals(h, &h.Back[k]) {
			if !slices.Contains(lits, l) {
				lits = append(lits, l)
			}
		}
	}
	for _, l := range lits {
		atoms = in.atoms(l, atoms)
	}
	// Conditions that the obligations in the loop and behind it need.
	var asked []smt.Term
	for k := h.Event + 1; k < len(in.log.Events) && len(asked) < 80; k++ {
		ev := &in.log.Events[k]
		if ev.Check == "" || c.IsConst(ev.Cond) || !state.Varies(ev.Cond) {
			continue
		}
		for _, t := range c.Conjuncts(ev.Cond) {
			if state.Varies(t) && state.Speaks(t) && !slices.Contains(asked, t) && c.Size(t) < 200 {
				asked = append(asked, t)
			}
		}
	}
	for _, t := range asked {
		atoms = in.atoms(t, atoms)
	}
	for j, g := range in.heads { // invariants of outer loops
		if j >= i || len(g.Back) == 0 || g.Back[len(g.Back)-1].Event < h.Event {
			continue
		}
		for _, l := range in.lemmas[j] {
			if !l.Quantified() {
				atoms = in.atoms(l.Fact(), atoms)
			}
		}
	}
	// Conditions of the program, and the fact that they held on entry unless this is the first iteration.
	for _, l := range lits {
		if x, ok := state.Condition(l); ok && c.Size(l) <= 400 {
			in.add(i, "", l)
			in.add(i, "", c.Or(h.First, x.In(state.Entry)))
		}
	}
	for _, t := range asked {
		in.add(i, "", t)
	}
	in.compared(i, atoms)
	in.moved(i)
}

// compared adds comparisons of the places of a loop with each other, and with terms with which the program compares
// them.
func (in *Finder) compared(i int, atoms []smt.Term) {
	c, h, state := in.c, in.heads[i], in.states[i]
	var carried, others []smt.Term
	put := func(list *[]smt.Term, t smt.Term) {
		if !c.Sort(t).IsBool() && !slices.Contains(*list, t) && len(*list) < maxOperands && c.Size(t) < 60 &&
			state.Speaks(t) {
			*list = append(*list, t)
		}
	}
	for _, p := range h.Places {
		if p.Sym != 0 && !c.Sort(p.Sym).IsBool() && c.Width(p.Sym) <= 64 {
			put(&carried, p.Sym)
		}
	}
	signed, unsigned := map[smt.Term]bool{}, map[smt.Term]bool{}
	operand := func(a, t, other smt.Term) {
		if c.Sort(t).IsBool() || c.Width(t) > 64 || state.Reads(t) {
			return
		}
		k, parts := c.SumParts(t)
		if !state.Varies(t) {
			for _, q := range parts {
				if q.Coef > 1<<20 {
					return
				}
			}
			if d := int64(k<<(64-c.Width(t))) >> (64 - c.Width(t)); d > 1<<50 || d < -(1<<50) {
				return
			}
			put(&others, t)
			return
		}
		for _, q := range parts { // x if the program compares x + 1
			if q.Coef != 1 || !in.plain(state, q.T) {
				continue
			}
			put(&carried, q.T)
			if c.Op(a) == smt.OpSlt {
				signed[q.T] = true
			} else {
				unsigned[q.T] = true
			}
			if rest := c.Sub(c.Sub(t, q.T), c.Int(c.Width(t), k)); !c.IsConst(rest) && !state.Varies(rest) { // x + n < m
				if ko, _ := c.SumParts(other); !state.Varies(other) {
					put(&others, c.Sub(c.Sub(other, c.Int(c.Width(t), ko)), rest))
				}
			}
		}
	}
	for _, a := range atoms {
		operand(a, c.Arg(a, 0), c.Arg(a, 1))
		operand(a, c.Arg(a, 1), c.Arg(a, 0))
	}
	for _, p := range h.Places {
		if p.Sym != 0 && !c.Sort(p.Sym).IsBool() && c.Width(p.Sym) <= 64 && !p.Pointer {
			put(&others, p.Old)
		}
	}
	relate := func(x, k smt.Term) {
		if x == k || c.Width(x) != c.Width(k) {
			return
		}
		if unsigned[x] || unsigned[k] || !signed[x] && !signed[k] {
			in.add(i, "<=", c.Ule(x, k))
			in.add(i, "<=", c.Ule(k, x))
			in.add(i, "<", c.Ult(x, k))
		}
		if signed[x] || signed[k] {
			in.add(i, "<=", c.Sle(x, k))
			in.add(i, "<=", c.Sle(k, x))
			in.add(i, "<", c.Slt(x, k))
		}
	}
	for _, x := range carried {
		for _, k := range others {
			relate(x, k)
		}
	}
	for a, x := range carried {
		for _, y := range carried[a+1:] {
			relate(x, y)
		}
	}
	for _, p := range h.Places {
		if p.Sym != 0 && p.Pointer {
			relate(p.Sym, p.Old)
		}
	}
}

// moved adds candidates about the distance that places have moved: multiples of strides, and relations of two
// distances.
func (in *Finder) moved(i int) {
	c, h := in.c, in.heads[i]
	wide := func(p unfold.Place) smt.Term { return c.Zext(c.Sub(p.Sym, p.Old), 64) }
	for x, p := range h.Places {
		least, most, ok := in.steps(h, x)
		if !ok {
			continue
		}
		d := c.Sub(p.Sym, p.Old)
		if g := bits.TrailingZeros64(uint64(least | most)); g > 0 && g < c.Width(d) {
			in.add(i, "stride", c.Eq(c.Extract(d, g-1, 0), c.Int(g, 0)))
		}
		for y, q := range h.Places {
			by, same, ok := in.steps(h, y)
			if x == y || !ok || by != same || by == 0 {
				continue
			}
			dist := wide(q)
			if by < 0 {
				dist = c.Zext(c.Sub(q.Old, q.Sym), 64)
				by = -by
			}
			moved := wide(p)
			lo, hi := least, most
			if hi <= 0 {
				moved, lo, hi = c.Zext(c.Sub(p.Old, p.Sym), 64), -most, -least
			}
			if lo < 0 {
				continue
			}
			moved = c.Mul(moved, c.Int(64, uint64(by)))
			if lo == hi {
				in.add(i, "==", c.Eq(moved, c.Mul(dist, c.Int(64, uint64(lo)))))
				continue
			}
			in.add(i, "<=", c.Ule(moved, c.Mul(dist, c.Int(64, uint64(hi)))))
			in.add(i, "<=", c.Ule(c.Mul(dist, c.Int(64, uint64(lo))), moved))
		}
	}
}

// plain reports whether a term is the symbol of a place, possibly extended.
func (in *Finder) plain(state *invariant.Head, t smt.Term) bool {
	if op := in.c.Op(t); op == smt.OpZext || op == smt.OpSext {
		t = in.c.Arg(t, 0)
	}
	return state.Changes(t)
}
