package ordering

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// system is a set of inequalities: the negation of a goal, and the facts that concern it.
type system struct {
	x       *Facts
	c       *smt.Context
	holds   map[smt.Term]bool // conditions beside those of x
	pending []smt.Term        // comparisons that were not read yet
	clauses []smt.Term
	differ  []sum      // sums that are not 0
	signs   []smt.Term // numbers that were read as signed ones
	rows    inequalities
	closed  bool // the conditions contradict each other
	left    int  // eliminations that may still be tried
}

// concerning returns the facts about the variables of some terms, and about further variables in such facts.
func (x *Facts) concerning(terms ...smt.Term) *system {
	known := map[smt.Term]bool{}
	var list []smt.Term
	for _, t := range terms {
		for _, v := range x.p.symbolsOf(t) {
			if !known[v] {
				known[v] = true
				list = append(list, v)
			}
		}
	}
	slices.Sort(list)
	key := fmt.Sprint(list)
	s := x.about[key]
	if s == nil {
		s = &system{x: x, c: x.p.c, holds: map[smt.Term]bool{}, left: maxFactEliminations}
		s.rows.leaves = map[leaf]int{}
		s.concern(known)
		s.closed = s.contradicts()
		x.about[key] = s
	}
	return s.clone()
}

// clone returns a copy for a goal.
func (s *system) clone() *system {
	out := *s
	out.holds, out.left = maps.Clone(s.holds), maxEliminations
	out.pending, out.clauses, out.differ = nil, slices.Clone(s.clauses), slices.Clone(s.differ)
	out.signs = slices.Clone(s.signs)
	out.rows.leaves, out.rows.rows = maps.Clone(s.rows.leaves), slices.Clone(s.rows.rows)
	return &out
}

// concern adds the facts about known variables, and about further variables in such facts.
func (s *system) concern(known map[smt.Term]bool) {
	took := map[smt.Term]bool{}
	for round := range 3 {
		for _, t := range s.x.atoms {
			if took[t] || s.c.Size(t) > maxProverSize || len(took) >= maxProverFacts {
				continue
			}
			of := s.x.p.symbolsOf(t)
			strange := 0
			for _, v := range of {
				if !known[v] {
					strange++
				}
			}
			if len(of) > 0 && strange == len(of) || strange > 0 && (round != 1 || strange > 1) {
				continue
			}
			took[t] = true
			for _, v := range of {
				known[v] = true
			}
			s.assume(t)
		}
	}
	for _, t := range s.x.clauses {
		of := s.x.p.symbolsOf(t)
		strange := slices.ContainsFunc(of, func(v smt.Term) bool { return !known[v] })
		if len(took) < maxProverFacts+maxProverFacts/2 && !strange {
			took[t] = true
			s.clauses = append(s.clauses, t)
		}
	}
}

// assume adds conditions.
func (s *system) assume(list ...smt.Term) {
	for _, l := range literals(s.c, s.c.And(list...)) {
		if s.true(s.c.Not(l)) || s.c.IsFalse(l) {
			s.closed = true
		}
		if s.holds[l] {
			continue
		}
		s.holds[l] = true
		switch {
		case isComparison(s.c, l):
			s.pending = append(s.pending, l)
		case isClause(s.c, l):
			s.clauses = slices.Insert(s.clauses, 0, l) // a goal's come first
		}
	}
}

// true reports whether a condition is known to hold.
func (s *system) true(t smt.Term) bool { return s.holds[t] || s.x.holds[t] || s.c.IsTrue(t) }

// contradicts reports whether the conditions are found to contradict each other.
func (s *system) contradicts() bool {
	for range maxProverRounds {
		if s.closed {
			return true
		}
		progress := s.readPending(false)
		if s.empty() {
			return true
		}
		progress = s.order() || progress
		progress = s.link() || progress
		progress = s.resolveClauses() || progress
		if !progress {
			progress = s.readPending(true)
		}
		if s.closed || s.empty() {
			return true
		}
		if !progress {
			break
		}
	}
	return false
}

// empty reports whether the inequalities have no solution in the rational numbers, as far as that is found. More
// inequalities may be added.
func (s *system) empty(more ...sum) bool {
	if s.left == 0 {
		return false
	}
	s.left--
	s.x.work++
	return s.rows.empty(s.c, more)
}

// shows reports whether a sum is at least 0.
func (s *system) shows(x sum) bool {
	if lo, _ := x.bounds(s.c); lo.Sign() >= 0 {
		return true
	}
	return s.empty(x.times(-1).add(-1))
}

// readPending reads the comparisons whose sums are shown not to wrap by now. With whole it reads the others, too, with
// their operands as leaves. It reports whether it read any.
func (s *system) readPending(whole bool) (some bool) {
	list := s.pending
	s.pending = nil
	for _, l := range list {
		if s.compare(l, whole) {
			some = true
		} else {
			s.pending = append(s.pending, l)
		}
	}
	return some
}

// compare adds the inequalities of a comparison, and reports whether its operands can be read.
func (s *system) compare(l smt.Term, whole bool) bool {
	list, differ, ok := s.meaning(l, whole)
	for _, x := range list {
		if differ {
			s.differ = append(s.differ, x)
		} else {
			s.rows.add(s.c, x)
		}
	}
	return ok
}

// meaning returns the sums that a comparison states to be at least 0, or one that it states not to be 0. It fails if
// its operands cannot be read.
func (s *system) meaning(l smt.Term, whole bool) (list []sum, differ, ok bool) {
	t, positive := l, true
	if s.c.Op(t) == smt.OpNot {
		t, positive = s.c.Arg(t, 0), false
	}
	a, b := s.c.Arg(t, 0), s.c.Arg(t, 1)
	if s.c.Op(t) == smt.OpEq {
		d, ok := s.difference(a, b, positive)
		if !ok && whole {
			d, ok = number(a).plus(number(b), -1), true
		}
		switch {
		case !ok:
			return nil, false, false
		case positive:
			return []sum{d, d.times(-1)}, false, true
		}
		return []sum{d}, true, true
	}
	isSigned := s.c.Op(t) == smt.OpSlt
	x, ok := s.read(a, isSigned, whole)
	y, too := s.read(b, isSigned, whole)
	if !ok || !too {
		return nil, false, false
	}
	if more := y.plus(x, -1); positive {
		return []sum{more.add(-1)}, false, true
	}
	return []sum{x.plus(y, -1)}, false, true
}

// difference returns a sum that equals a - b modulo 2^w. If they are equal, and it is shown to be within 2^w, it is 0.
// If they are not, it is not 0 in any case.
func (s *system) difference(a, b smt.Term, equal bool) (sum, bool) {
	x, ok := s.total(a, false)
	y, too := s.total(b, false)
	if !ok || !too {
		return sum{}, false
	}
	d, most := x.plus(y, -1), new(big.Int).Sub(power(s.c.Width(a)), big.NewInt(1))
	if equal && !(s.shows(d.addBig(most)) && s.shows(d.times(-1).addBig(most))) {
		return sum{}, false
	}
	return d, d.small()
}

// total returns a sum that equals a bit-vector modulo 2^w. Its parts are signed or unsigned numbers, and leaves if they
// cannot be read.
func (s *system) total(t smt.Term, isSigned bool) (sum, bool) {
	w := s.c.Width(t)
	konst, parts := s.c.SumParts(t)
	out := constant(big.NewInt(signed(konst, w)))
	for _, p := range parts {
		factor := signed(p.Coef, w)
		if factor > maxFactor || factor < -maxFactor {
			return sum{}, false
		}
		x, ok := sum{}, false
		if !s.isSum(p.T) {
			x, ok = s.read(p.T, isSigned, true)
		}
		if !ok {
			x = number(p.T)
		}
		if out = out.plus(x, factor); !out.small() {
			return sum{}, false
		}
	}
	return out, true
}

// isSum reports whether a term is a sum of several parts, or a multiple of one.
func (s *system) isSum(t smt.Term) bool {
	switch s.c.Op(t) {
	case smt.OpAdd, smt.OpMul, smt.OpBvNot:
		_, parts := s.c.SumParts(t)
		return len(parts) != 1 || parts[0].T != t
	}
	return false
}

// read returns a bit-vector as a sum of integers: as an unsigned or signed number. It fails if nothing shows how to
// read it; with whole, it is a leaf then.
func (s *system) read(t smt.Term, isSigned, whole bool) (sum, bool) {
	if s.isSum(t) {
		if x, ok := s.within(t, isSigned); ok {
			return x, true
		}
	} else if isSigned {
		if x, ok := s.readSigned(t); ok {
			return x, true
		}
	} else if x, ok := s.readNumber(t); ok {
		return x, true
	}
	switch {
	case !whole:
		return sum{}, false
	case isSigned:
		return s.signedNumber(t), true
	}
	return number(t), true
}

// within returns the total of a sum, if it is shown not to wrap.
func (s *system) within(t smt.Term, isSigned bool) (sum, bool) {
	x, ok := s.total(t, isSigned)
	if !ok {
		return x, false
	}
	w := s.c.Width(t)
	least, most := new(big.Int), power(w)
	if isSigned {
		most.Rsh(most, 1)
		least.Neg(most)
	} else if _, hi := x.bounds(s.c); hi.Sign() < 0 { // ^x is 2^w - 1 - x
		x = x.addBig(most)
	}
	return x, s.shows(x.addBig(least.Neg(least))) && s.shows(x.times(-1).addBig(most).add(-1))
}

// readNumber returns an unsigned number that is no sum.
func (s *system) readNumber(t smt.Term) (sum, bool) {
	c := s.c
	switch c.Op(t) {
	case smt.OpConst:
		v, _ := c.Uint64(t)
		return constant(unsigned(v)), true
	case smt.OpZext:
		return s.read(c.Arg(t, 0), false, true)
	case smt.OpSext:
		x, ok := s.read(c.Arg(t, 0), true, true)
		return x, ok && s.shows(x)
	case smt.OpExtract:
		hi, lo := c.ExtractBounds(t)
		if arg := c.Arg(t, 0); lo == 0 && c.Width(arg) <= 64 {
			x, ok := s.read(arg, false, false)
			if ok && s.shows(x.times(-1).addBig(power(hi+1)).add(-1)) {
				return x, true
			}
		}
	case smt.OpIte:
		for i, cond := range []smt.Term{c.Arg(t, 0), c.Not(c.Arg(t, 0))} {
			if s.true(cond) {
				return s.read(c.Arg(t, 1+i), false, true)
			}
		}
	default:
		return number(t), true
	}
	return sum{}, false
}

// readSigned returns a signed number that is no sum.
func (s *system) readSigned(t smt.Term) (sum, bool) {
	c := s.c
	w := c.Width(t)
	switch c.Op(t) {
	case smt.OpConst:
		v, _ := c.Uint64(t)
		return constant(big.NewInt(signed(v, w))), true
	case smt.OpSext:
		return s.read(c.Arg(t, 0), true, true)
	case smt.OpZext:
		return s.read(c.Arg(t, 0), false, true)
	case smt.OpIte:
		for i, cond := range []smt.Term{c.Arg(t, 0), c.Not(c.Arg(t, 0))} {
			if s.true(cond) {
				return s.read(c.Arg(t, 1+i), true, true)
			}
		}
	}
	if half := new(big.Int).Rsh(power(w), 1); s.shows(number(t).times(-1).addBig(half).add(-1)) {
		return number(t), true
	}
	return sum{}, false
}

// signedNumber returns a number as a leaf of its own, which link relates to the unsigned one.
func (s *system) signedNumber(t smt.Term) sum {
	if !slices.Contains(s.signs, t) {
		s.signs = append(s.signs, t)
	}
	return signedLeaf(t).sum()
}

// link relates signed and unsigned readings of numbers whose sign is shown. It reports whether it related any.
func (s *system) link() (some bool) {
	s.signs = slices.DeleteFunc(s.signs, func(t smt.Term) bool {
		w := s.c.Width(t)
		half := new(big.Int).Rsh(power(w), 1)
		x, _ := s.read(t, false, true) // a sum, if it does not wrap
		y := s.signedNumber(t)
		same := y.plus(x, -1)
		switch {
		case s.shows(y), s.shows(x.times(-1).addBig(half).add(-1)):
		case s.shows(y.times(-1).add(-1)), s.shows(x.addBig(half.Neg(half))):
			same = same.addBig(power(w))
		default:
			return false
		}
		some = true
		s.rows.add(s.c, same)
		s.rows.add(s.c, same.times(-1))
		return true
	})
	return some
}

// order orders numbers that differ, if one order is excluded. It reports whether it ordered any.
func (s *system) order() (some bool) {
	s.differ = slices.DeleteFunc(s.differ, func(x sum) bool {
		for _, d := range []sum{x, x.times(-1)} {
			if s.empty(d.add(-1)) { // it is not positive
				s.rows.add(s.c, d.times(-1).add(-1))
				some = true
				return true
			}
		}
		return false
	})
	return some
}

// resolveClauses assumes the last condition of a clause whose others are false. It reports whether it assumed any.
func (s *system) resolveClauses() (some bool) {
	list := s.clauses
	s.clauses = nil
next:
	for _, t := range list {
		var last smt.Term
		for _, l := range disjuncts(s.c, t) {
			switch {
			case s.true(l):
				continue next
			case s.refuted(l):
			case last != 0:
				s.clauses = append(s.clauses, t)
				continue next
			default:
				last = l
			}
		}
		if some = true; last == 0 {
			s.closed = true
			return true
		}
		s.assume(last)
	}
	return some
}

// refuted reports whether a condition is found to be false.
func (s *system) refuted(l smt.Term) bool {
	if s.true(s.c.Not(l)) || s.c.IsFalse(l) {
		return true
	}
	if s.c.Op(l) == smt.OpAnd {
		return slices.ContainsFunc(s.c.Args(l), s.refuted)
	}
	if !isComparison(s.c, l) || s.left == 0 {
		return false
	}
	list, differ, ok := s.meaning(l, false)
	switch {
	case !ok:
		return false
	case differ:
		return s.empty(list[0].add(-1)) && s.empty(list[0].times(-1).add(-1))
	}
	return s.empty(list...)
}
