// Package ordering derives clauses about comparisons of sums, for queries that are hard only because a solver derives
// them bit by bit. With 64 bits, CaDiCaL needs 47,000 conflicts to derive w + t <= s from
//
//	t <= n && n <= s - w && w <= s
//
// Clauses reads bit-vectors as sums of integers that do not wrap. If a sum may wrap, another comparison of the query
// has to imply that it does not. A comparison is then an inequality, and two or three contradicting inequalities are a
// clause. These are the linear combinations that a decision procedure for integers would find, of at most three
// summands, each with the factor 1 (Farkas' lemma). They are generated eagerly instead of on demand, since the hard
// queries are the ones without a model.
//
// Terms: a leaf is a bit-vector that is not a sum; a reading is a sum that equals a bit-vector under conditions
// (reading.go); a bound is an inequality under conditions. Reading order: Clauses, compare, read, resolve, clauses.
//
// Each clause is true for all values of the variables, so that it changes no answer. Package ask adds clauses to
// queries that the solver does not decide at once (Asker.solve).
//
// A Prover (prover.go) answers a single question of the same kind on demand: whether facts imply a goal. It reads them
// as inequalities (system.go), combines any number of these (eliminate.go), and serves the many candidates of
// induction, most of which are true.
package ordering

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

const (
	// maxReadings bounds the readings of a term: a choice has a reading for each alternative.
	maxReadings = 6
	// maxBounds bounds the inequalities. All pairs are examined: 4 million, a fifth of a second.
	maxBounds = 3000
	// maxWhere bounds the conditions of a clause.
	maxWhere = 10
	// maxSets bounds the contradictions: many comparisons of one number with constants contradict in pairs.
	maxSets = 20_000
	// maxRounds bounds the rounds of resolve: a bound that is found may satisfy the needs of further ones.
	maxRounds = 3
)

// bound states that a sum is at least 0 if all conditions of where are true.
type bound struct {
	sum   sum
	where []smt.Term
	needs []sum // sums that have to be at least 0, too
}

type finder struct {
	c        *smt.Context
	readings map[smt.Term][]reading
	leaves   map[leaf]bool
	known    []*bound // bounds without needs
	index    map[uint64][]*bound
	open     []*bound
	implied  map[string][]*bound // by sum: the bounds that imply it is at least 0, as far as searched in this round
}

// Clauses returns clauses about what the comparisons in the facts imply of each other. Each is true for all values of
// variables and functions. It returns at most most clauses, the shortest first; the result is deterministic.
func Clauses(c *smt.Context, facts []smt.Term, most int) []smt.Term {
	f := &finder{c: c, readings: map[smt.Term][]reading{}, leaves: map[leaf]bool{}, index: map[uint64][]*bound{}}
	for _, t := range c.Cone(facts...) {
		switch c.Op(t) {
		case smt.OpUlt, smt.OpEq: // a <= b is not b < a
			f.compare(t)
		case smt.OpIte:
			f.choice(t)
		}
		if len(f.open) > maxBounds {
			return nil
		}
	}
	f.resolve()
	f.ranges()
	if len(f.known) > maxBounds {
		return nil
	}
	return f.clauses(most)
}

// compare adds the bounds of a comparison, for both of its truth values.
func (f *finder) compare(t smt.Term) {
	op, a, b := f.c.Op(t), f.c.Arg(t, 0), f.c.Arg(t, 1)
	if !f.counts(a) {
		return
	}
	not := f.c.Not(t)
	for _, x := range f.read(a) {
		for _, y := range f.read(b) {
			both, ok := x.with(f.c, y)
			if !ok {
				continue
			}
			more := y.sum.plus(x.sum, -1) // b minus a
			if op == smt.OpUlt {
				f.say(both, more.add(-1), t)
				f.say(both, more.times(-1), not)
			} else {
				f.say(both, more, t)
				f.say(both, more.times(-1), t)
			}
		}
	}
	if op == smt.OpUlt {
		f.wraps(a, b, t, not)
	}
}

// counts reports whether a term is read as a number.
func (f *finder) counts(t smt.Term) bool {
	w := f.c.Width(t)
	return w > 1 && w <= 64
}

// choice adds the bounds between an if-then-else and its alternatives. A minimum or maximum is compared with both.
func (f *finder) choice(t smt.Term) {
	if !f.counts(t) {
		return
	}
	self, cond := number(t), f.c.Arg(t, 0)
	order := f.extremum(t)
	for i, when := range []smt.Term{cond, f.c.Not(cond)} {
		for _, x := range f.read(f.c.Arg(t, 1+i)) {
			more := x.sum.plus(self, -1) // the alternative minus the choice
			f.say(x, more, when)
			f.say(x, more.times(-1), when)
			if order != 0 {
				f.say(x, more.times(order), f.c.True())
			}
		}
	}
}

// extremum returns 1 if a choice is the minimum of two numbers, -1 if it is the maximum, otherwise 0.
func (f *finder) extremum(t smt.Term) int64 {
	c := f.c
	number := func(t smt.Term) smt.Term {
		for c.Op(t) == smt.OpZext {
			t = c.Arg(t, 0)
		}
		return t
	}
	cond, x, y := c.Arg(t, 0), number(c.Arg(t, 1)), number(c.Arg(t, 2))
	if c.Op(cond) == smt.OpNot {
		cond, x, y = c.Arg(cond, 0), y, x
	}
	if c.Op(cond) != smt.OpUlt {
		return 0
	}
	switch a, b := number(c.Arg(cond, 0)), number(c.Arg(cond, 1)); {
	case a == x && b == y:
		return 1
	case a == y && b == x:
		return -1
	}
	return 0
}

// wraps adds the bounds of a comparison a < b that detects whether a sum wraps: x + y < x, or x < x - y.
func (f *finder) wraps(a, b, is, not smt.Term) {
	w := f.c.Width(a)
	konst, parts := f.c.SumParts(a)
	minus, taken := f.c.SumParts(b)
	n := len(parts) + len(taken)
	for _, p := range taken {
		i := slices.IndexFunc(parts, func(o smt.Monomial) bool { return o.T == p.T })
		if i < 0 {
			parts = append(parts, smt.Monomial{Coef: -p.Coef, T: p.T})
		} else if parts[i].Coef -= p.Coef; parts[i].Coef<<(64-w) == 0 {
			parts = slices.Delete(parts, i, i+1)
		}
	}
	if len(parts) == 0 || len(parts) == n {
		return
	}
	for _, d := range f.readSum(w, konst-minus, parts) {
		// a is b + d, and less than b if that wraps.
		for _, y := range f.read(b) {
			if both, ok := y.with(f.c, d); ok {
				over := y.sum.plus(d.sum, 1).addBig(new(big.Int).Neg(power(w)))
				f.say(both, over, is)
				f.say(both, over.times(-1).add(-1), not)
			}
		}
		// b is a - d, and greater than a if that wraps.
		for _, x := range f.read(a) {
			if both, ok := x.with(f.c, d); ok {
				difference := x.sum.plus(d.sum, -1)
				f.say(both, difference.times(-1).add(-1), is)
				f.say(both, difference, not)
			}
		}
	}
}

// say adds the bound that a sum is at least 0 if a reading is valid and a literal is true.
func (f *finder) say(r reading, s sum, literal smt.Term) {
	if lo, _ := s.bounds(f.c); lo.Sign() >= 0 {
		return // for any value of the literal
	}
	where, ok := conjunction(f.c, r.where, []smt.Term{literal})
	if !ok {
		return
	}
	b := &bound{s, where, r.needs}
	if len(b.needs) > 0 {
		f.open = append(f.open, b)
		return
	}
	f.learn(b)
}

func (f *finder) learn(b *bound) {
	if len(b.where) > maxWhere {
		return
	}
	for _, o := range f.index[b.sum.hash] {
		if o.sum.sameParts(b.sum) && o.sum.konst.Cmp(b.sum.konst) <= 0 && subset(o.where, b.where) {
			return
		}
	}
	f.known = append(f.known, b)
	f.index[b.sum.hash] = append(f.index[b.sum.hash], b)
	for _, p := range b.sum.parts {
		f.leaves[p.leaf] = true
	}
}

// resolve searches bounds that satisfy the needs of other bounds, and makes these known.
func (f *finder) resolve() {
	for range maxRounds {
		before := len(f.open)
		f.implied = map[string][]*bound{}
		f.open = slices.DeleteFunc(f.open, func(b *bound) bool {
			where := b.where
			for _, need := range b.needs {
				known := f.implies(need, where)
				if known == nil {
					return false
				}
				var ok bool
				if where, ok = conjunction(f.c, where, known.where); !ok {
					return true // its conditions contradict
				}
			}
			f.learn(&bound{sum: b.sum, where: where})
			return true
		})
		if len(f.open) == before {
			return
		}
	}
}

// implies returns a known bound that implies that a sum is at least 0, with the fewest conditions besides where. The
// bound's sum is at most as large, and differs in at most one leaf.
func (f *finder) implies(s sum, where []smt.Term) (best *bound) {
	key := fmt.Sprint(s.parts, s.konst)
	list, ok := f.implied[key]
	if !ok {
		for _, b := range f.known {
			if !b.sum.near(s) {
				continue
			}
			if lo, _ := s.plus(b.sum, -1).bounds(f.c); lo.Sign() >= 0 {
				list = append(list, b)
			}
		}
		f.implied[key] = list
	}
	least := 0
	for _, b := range list {
		if _, ok := conjunction(f.c, where, b.where); !ok {
			continue
		}
		n := 0
		for _, t := range b.where {
			if !slices.Contains(where, t) {
				n++
			}
		}
		if best == nil || n < least {
			best, least = b, n
		}
	}
	return best
}

// ranges adds the bounds of the leaves for all values.
func (f *finder) ranges() {
	var leaves []leaf
	for l := range f.leaves {
		leaves = append(leaves, l)
	}
	slices.Sort(leaves)
	for _, l := range leaves {
		lo, hi := l.bounds(f.c)
		x := l.sum()
		f.learn(&bound{sum: x.addBig(lo.Neg(lo))})
		f.learn(&bound{sum: x.times(-1).addBig(hi)})
	}
}

// clauses returns the negations of contradicting conditions.
func (f *finder) clauses(most int) []smt.Term {
	var sets [][]smt.Term
	seen := map[uint64]bool{}
	contradict := func(list ...*bound) {
		if len(sets) == maxSets {
			return
		}
		var where []smt.Term
		total := sum{konst: new(big.Int)}
		for _, b := range list {
			var ok bool
			if where, ok = conjunction(f.c, where, b.where); !ok || len(where) > maxWhere {
				return
			}
			total = total.plus(b.sum, 1)
		}
		if len(total.parts) > 0 || total.konst.Sign() >= 0 || seen[hashOf(where)] {
			return
		}
		seen[hashOf(where)] = true
		sets = append(sets, where)
	}
	for i, a := range f.known {
		for _, b := range f.index[-a.sum.hash] {
			contradict(a, b)
		}
		for _, b := range f.known[i+1:] {
			if len(a.where) == 0 && len(b.where) == 0 {
				continue
			}
			for _, third := range f.index[-a.sum.hash-b.sum.hash] {
				contradict(a, b, third)
			}
		}
	}
	slices.SortStableFunc(sets, func(a, b []smt.Term) int { return cmp.Compare(len(a), len(b)) })
	var out []smt.Term
	shorter := map[smt.Term][][]smt.Term{} // by their first conditions
next:
	for _, set := range sets {
		for _, t := range set {
			for _, o := range shorter[t] {
				if subset(o, set) {
					continue next // it is implied by the shorter one
				}
			}
		}
		if len(out) == most {
			break
		}
		clause := f.c.False()
		for _, t := range set {
			clause = f.c.Or(clause, f.c.Not(t))
		}
		if len(set) > 0 {
			shorter[set[0]] = append(shorter[set[0]], set)
		}
		if !f.c.IsTrue(clause) {
			out = append(out, clause)
		}
	}
	return out
}

// conjunction joins conditions, sorted; ok is false if two contradict each other.
func conjunction(c *smt.Context, a, b []smt.Term) (all []smt.Term, ok bool) {
	all = append(slices.Clone(a), b...)
	slices.Sort(all)
	all = slices.Compact(all)
	all = slices.DeleteFunc(all, c.IsTrue)
	for _, t := range all {
		if _, found := slices.BinarySearch(all, c.Not(t)); found {
			return nil, false
		}
	}
	return all, true
}

// subset reports whether all elements of a are in b; both are sorted.
func subset(a, b []smt.Term) bool {
	for _, t := range a {
		if _, found := slices.BinarySearch(b, t); !found {
			return false
		}
	}
	return true
}

func hashOf(list []smt.Term) uint64 {
	h := uint64(14695981039346656037)
	for _, t := range list {
		h = (h ^ uint64(t)) * 1099511628211
	}
	return h
}

func unsigned(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
