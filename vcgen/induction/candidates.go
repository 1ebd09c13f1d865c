package induction

import (
	"math/bits"
	"slices"

	"github.com/unitproof/unitproof/vcgen/invariant"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// maxOperands bounds the operands of comparisons.
const maxOperands = 14

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

// isInteger reports whether a place is a number of at most 64 bits and no float.
func (in *Finder) isInteger(head, place int) bool {
	p := in.heads[head].Places[place]
	return p.Sym != 0 && !in.c.Sort(p.Sym).IsBool() && in.c.Width(p.Sym) <= 64 &&
		!slices.Contains(in.floatPlaces(head), place)
}

// prepare makes the states and the empty lists of candidates of all heads.
func (in *Finder) prepare() {
	if in.states != nil {
		return
	}
	in.materials = make([]*material, len(in.heads))
	in.lemmas = make([][]*lemma, len(in.heads))
	in.hulls = make([][]*hull, len(in.heads))
	for _, h := range in.heads {
		in.states = append(in.states, invariant.NewHead(in.terms, h))
	}
	in.findRelevant()
}

// scalarCandidates makes the candidates of a head that speak of no elements.
func (in *Finder) scalarCandidates(i int) {
	c, h, state := in.c, in.heads[i], in.states[i]
	m := in.material(i)
	atoms := slices.Clone(m.atoms)
	for j, g := range in.heads { // invariants of a loop around this one
		if j >= i || len(g.Back) == 0 || g.Back[len(g.Back)-1].Event < h.Event {
			continue
		}
		if g.Begin != nil {
			in.leadsTo(i, j)
			continue
		}
		for _, l := range in.lemmas[j] {
			if !l.Quantified() {
				atoms = in.atoms(l.Fact(), atoms)
			}
		}
	}
	// Conditions of the program, and the fact that they held on entry unless this is the first iteration.
	for _, l := range m.literals {
		if x, ok := state.Condition(l); ok && c.Size(l) <= 400 {
			in.add(i, "", l)
			in.add(i, "", c.Or(h.First, x.In(state.Entry)))
		}
	}
	for _, t := range slices.Concat(m.asked, m.guarded, m.decided) {
		in.add(i, "", t)
	}
	in.given(i)
	in.ranges(i)
	in.floats(i)
	in.assignments(i)
	in.comparisonCandidates(i, atoms)
	in.weakenable(i, m.atoms)
	in.finished(i)
	in.distanceCandidates(i)
	in.memberCandidates(i)
	in.keptElements(i)
	in.sampled(i)
}

// maxKept bounds the elements of one object that are taken for kept.
const maxKept = 4

// keptElements makes candidates of single elements that were written before a loop, or before one around it, in an
// object that the loop changes: of the terminator behind `s[n] = 0`.
func (in *Finder) keptElements(i int) {
	m, state := in.prog.Memory, in.states[i]
	for _, d := range in.heads[i].Contents {
		writes, _, _, _ := m.WritesSince(d.Obj, d.Old, d.New) // d.New is arbitrary: all writes to d.Old
		for _, w := range writes {
			if w.Len == 0 && len(in.older[d.Obj]) < maxKept && !slices.Contains(in.older[d.Obj], w) {
				in.older[d.Obj] = append(in.older[d.Obj], w)
			}
		}
		for _, w := range in.older[d.Obj] {
			if !state.Varies(w.Off) && !state.Varies(w.Val) {
				in.add(i, "==", in.c.Eq(m.Read(d.New, w.Off, w.N), w.Val))
			}
		}
	}
}

// given makes candidates of the conditions that the values satisfy which an iteration gives the places: of e1 behind
// `if (e0 < -1 || e0 > 1) return; e1 = e0;`, which is from -1 to 1 unless this is the first iteration.
func (in *Finder) given(i int) {
	c, h := in.c, in.heads[i]
	for k := range h.Back {
		to := in.carried(h, &h.Back[k])
		for _, l := range in.literals(h, &h.Back[k]) {
			if t := c.Substitute(l, to); t != l && c.Size(t) <= maxAssigned {
				in.add(i, "", t)
				in.add(i, "", c.Or(h.First, t))
			}
		}
	}
}

// carried maps the values that an iteration gives the places to the places.
func (in *Finder) carried(h *unfold.Head, b *unfold.Back) map[smt.Term]smt.Term {
	to := map[smt.Term]smt.Term{}
	for k, p := range h.Places {
		if p.Sym != 0 && b.Values[k] != p.Sym && !in.c.IsConst(b.Values[k]) {
			to[b.Values[k]] = p.Sym
		}
	}
	return to
}

// ranges makes candidates of the range of the values that an iteration gives a place, if each of them has one: of s in
// `if (c) s = (s + 1) & 3`, which is at most 3 if it is on entry.
func (in *Finder) ranges(i int) {
	c, h := in.c, in.heads[i]
	for k, p := range h.Places {
		if !in.isInteger(i, k) {
			continue
		}
		most, given := uint64(0), false
		for _, b := range h.Back {
			for _, t := range in.leaves(b.Values[k], nil) {
				if t != p.Sym && !in.isMemberData(i, t) {
					_, hi := c.Range(t)
					most, given = max(most, hi), true
				}
			}
		}
		if lo, hi := c.Range(p.Old); lo == hi {
			most = max(most, hi)
		}
		if given && most < 1<<(c.Width(p.Sym)-1) {
			in.add(i, "<=", c.Ule(p.Sym, c.Int(c.Width(p.Sym), most)))
		}
	}
}

// maxAssigned bounds the size of a term that an iteration gives a place.
const maxAssigned = 60

// assignments makes candidates of the terms that an iteration gives a place, in which the values that it gives others
// are these places: a block has 16 * n bytes if an iteration makes one of 16 * (n + 1) bytes, and increments n.
func (in *Finder) assignments(i int) {
	c, h, state := in.c, in.heads[i], in.states[i]
	for _, b := range h.Back {
		given := make([][]smt.Term, len(h.Places))
		for k, p := range h.Places {
			if !in.isInteger(i, k) {
				continue
			}
			for _, t := range in.leaves(b.Values[k], nil) {
				if t != p.Sym && !c.IsConst(t) {
					given[k] = append(given[k], t)
				}
			}
		}
		for k, p := range h.Places {
			if len(given[k]) == 0 {
				continue
			}
			to := map[smt.Term]smt.Term{}
			for other, q := range h.Places {
				for _, t := range given[other] {
					if other != k {
						to[t] = q.Sym
					}
				}
			}
			for _, t := range given[k] {
				if as := c.Substitute(t, to); as != t && c.Size(as) <= maxAssigned && state.DependsOnHeadOnly(as) {
					in.add(i, "assigned", c.Eq(p.Sym, as))
				}
			}
		}
	}
}

// comparisonCandidates adds comparisons of the places of a loop with each other, and with terms with which the program
// compares them.
func (in *Finder) comparisonCandidates(i int, atoms []smt.Term) {
	c, h, state := in.c, in.heads[i], in.states[i]
	var carried, others []smt.Term
	put := func(list *[]smt.Term, t smt.Term) {
		if !c.Sort(t).IsBool() && !slices.Contains(*list, t) && len(*list) < maxOperands && c.Size(t) < 60 &&
			state.DependsOnHeadOnly(t) {
			*list = append(*list, t)
		}
	}
	for k, p := range h.Places {
		if in.isInteger(i, k) {
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
	for k, p := range h.Places { // first: there may be more atoms than operands
		if in.isInteger(i, k) && (!p.Pointer || p.Start) {
			put(&others, p.Old)
		}
	}
	for _, t := range h.Compared {
		if !state.Varies(t) && !slices.Contains(others, t) {
			others = append(others, t)
		}
	}
	for _, t := range in.arguments(i) {
		put(&others, t)
	}
	for _, a := range atoms {
		operand(a, c.Arg(a, 0), c.Arg(a, 1))
		operand(a, c.Arg(a, 1), c.Arg(a, 0))
	}
	relate := func(x, k smt.Term) {
		if x == k || c.Width(x) != c.Width(k) {
			return
		}
		if n, isConst := c.Uint64(k); isConst && n-in.prog.Memory.Space.MaxSize <= 1 {
			return // the size at which malloc fails: what is compared with the size of a block is enough
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
			relate(y, x) // strictly the other way round: top < next
		}
	}
	for _, p := range h.Places {
		if p.Sym != 0 && p.Pointer {
			relate(p.Sym, p.Old)
		}
	}
}

// weakenable adds the comparisons of the program in both directions, and what each becomes if it is false on entry: it
// may hold one past that. `while (x > y) x--` leaves x >= y, but x may be y - 1 on entry.
func (in *Finder) weakenable(i int, atoms []smt.Term) {
	c, state := in.c, in.states[i]
	for _, a := range atoms {
		x, y := c.Arg(a, 0), c.Arg(a, 1)
		if c.Op(a) == smt.OpEq || c.Width(x) > 64 || !state.Varies(a) || state.Reads(a) {
			continue
		}
		le := c.Ule
		if c.Op(a) == smt.OpSlt {
			le = c.Sle
		}
		for _, p := range [2][2]smt.Term{{x, y}, {y, x}} {
			exact := le(p[0], p[1])
			in.add(i, "<=", exact)
			for _, l := range in.lemmas[i] {
				if !l.Quantified() && l.Fact() == exact {
					l.weaker = le(p[0], c.Add(p[1], c.Int(c.Width(x), 1)))
				}
			}
		}
	}
}

// distanceCandidates adds candidates about the distance that places have moved: multiples of strides, and relations of
// two distances.
func (in *Finder) distanceCandidates(i int) {
	c, h := in.c, in.heads[i]
	wide := func(p unfold.Place) smt.Term { return c.Zext(c.Sub(p.Sym, p.Old), 64) }
	known := map[*unfold.Back]bounds{}
	for k := range h.Back {
		known[&h.Back[k]] = in.boundsOf(h, &h.Back[k])
	}
	for x, p := range h.Places {
		least, most, ok := in.stepsWithin(h, x, func(b *unfold.Back) bounds { return known[b] })
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
			moved, lo, hi := c.Sub(p.Sym, p.Old), least, most
			if hi <= 0 {
				moved, lo, hi = c.Sub(p.Old, p.Sym), -most, -least
			}
			if lo < 0 { // it moves both ways
				moved = c.Mul(c.Sext(moved, 64), c.Int(64, uint64(by)))
				in.add(i, "<=", c.Sle(moved, c.Mul(dist, c.IntS(64, hi))))
				in.add(i, "<=", c.Sle(c.Mul(dist, c.IntS(64, lo)), moved))
				continue
			}
			moved = c.Mul(c.Zext(moved, 64), c.Int(64, uint64(by)))
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
