// Package ordering finds what comparisons of sums imply of each other, for questions that are hard only because a
// solver has to find it bit by bit: that w + t is at most s where t is at most n and n at most s - w takes CaDiCaL
// 47,000 conflicts at 64 bits.
//
// Bit-vectors are read as sums of integers, where nothing wraps; where one might, it has to follow from another
// comparison of the question that it does not. A comparison is then an inequality, and two or three of them that
// cannot hold together make a clause: the linear combinations that a decision procedure for integers would find, of at
// most three summands, each with the factor 1 (Farkas' lemma; eager instances instead of lemmas on demand, since the
// hard questions are those that have no model).
//
// What is found is true for all values of the variables, and changes no answer.
package ordering

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

const (
	// maxReadings bounds in how many ways one term is read: a choice is read as each of what it chooses from.
	maxReadings = 6
	// maxBounds bounds the inequalities, of which all pairs are looked at: 4 million, a fifth of a second.
	maxBounds = 3000
	// maxWhere bounds the conditions of a clause.
	maxWhere = 10
	// maxSets bounds what is found to contradict: many comparisons of one number with constants do so in pairs.
	maxSets = 20_000
	// maxRounds is how often bounds are looked for on which the readings of others depend.
	maxRounds = 3
)

// bound says that a sum is at least 0 where all of the conditions hold.
type bound struct {
	sum   sum
	where []smt.Term
	needs []sum // at least 0, too, or nothing is known
}

type finder struct {
	c        *smt.Context
	readings map[smt.Term][]reading
	leaves   map[smt.Term]bool
	known    []*bound // without needs
	index    map[uint64][]*bound
	open     []*bound
	implied  map[string][]*bound // what says that a sum is at least 0, of those that were looked for in this round
}

// Clauses lists disjunctions, each true for all values of variables and functions, that tell what the comparisons in
// the facts imply of each other: at most so many, the shortest first. The same facts have the same clauses.
func Clauses(c *smt.Context, facts []smt.Term, most int) []smt.Term {
	f := &finder{c: c, readings: map[smt.Term][]reading{}, leaves: map[smt.Term]bool{}, index: map[uint64][]*bound{}}
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

// compare takes in what a comparison says where it is true, and where it is false.
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
			more := y.sum.plus(x.sum, -1) // by how much b is more than a
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

// counts tells whether a term is read as a number.
func (f *finder) counts(t smt.Term) bool {
	w := f.c.Width(t)
	return w > 1 && w <= 64
}

// choice takes in that a term which chooses is what it chooses from, and how a minimum or a maximum compares to both.
func (f *finder) choice(t smt.Term) {
	if !f.counts(t) {
		return
	}
	self, cond := leaf(t), f.c.Arg(t, 0)
	order := f.extremum(t)
	for i, when := range []smt.Term{cond, f.c.Not(cond)} {
		for _, x := range f.read(f.c.Arg(t, 1+i)) {
			more := x.sum.plus(self, -1) // by how much it is more than the choice
			f.say(x, more, when)
			f.say(x, more.times(-1), when)
			if order != 0 {
				f.say(x, more.times(order), f.c.True())
			}
		}
	}
}

// extremum tells that a choice is the less of two numbers (1), the greater one (-1), or another choice (0).
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

// wraps takes in a comparison a < b that tells whether a sum wraps: of x + y < x, and of x < x - y.
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
		// a is b + d, and less than b where that wraps.
		for _, y := range f.read(b) {
			if both, ok := y.with(f.c, d); ok {
				over := y.sum.plus(d.sum, 1).addBig(new(big.Int).Neg(power(w)))
				f.say(both, over, is)
				f.say(both, over.times(-1).add(-1), not)
			}
		}
		// b is a - d, and more than a where that wraps.
		for _, x := range f.read(a) {
			if both, ok := x.with(f.c, d); ok {
				left := x.sum.plus(d.sum, -1)
				f.say(both, left.times(-1).add(-1), is)
				f.say(both, left, not)
			}
		}
	}
}

// say takes in that a sum is at least 0 where a reading counts and a literal is true.
func (f *finder) say(r reading, s sum, literal smt.Term) {
	if lo, _ := s.bounds(f.c); lo.Sign() >= 0 {
		return // whatever the literal is
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

// resolve looks for what readings need among what is known, and knows what they say then.
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
					return true // it never counts
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

// implies finds what says that a sum is at least 0, with the fewest conditions beside those that there are: another
// sum that is at most as large, and differs in one leaf at most.
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

// ranges takes in between what the leaves always are.
func (f *finder) ranges() {
	var leaves []smt.Term
	for t := range f.leaves {
		leaves = append(leaves, t)
	}
	slices.Sort(leaves)
	for _, t := range leaves {
		lo, hi := f.c.Range(t)
		x := leaf(t)
		f.learn(&bound{sum: x.addBig(new(big.Int).Neg(unsigned(lo)))})
		f.learn(&bound{sum: x.times(-1).addBig(unsigned(hi))})
	}
}

// clauses lists what cannot hold together.
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
					continue next // says no more
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

// conjunction joins conditions, sorted; not ok where two contradict each other.
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

// subset tells whether all of a are in b; both are sorted.
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
