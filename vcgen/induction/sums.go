package induction

import (
	"cmp"
	"slices"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// Limits of sums: the candidates of one head, the samples in which the sides have to be equal, and different, and the
// values that are taken for small numbers.
const (
	maxSums      = 8
	leastEqual   = 3
	largestValue = 1 << 40
)

// sums makes candidates of two numbers that the loop changes, whose sum is at most a third one: of lo + n <= size in a
// search that halves n, and done + refused <= i where some iterations do neither. The samples propose them: the sum is
// never larger, and is equal in some samples in which neither of the two is 0. Equal in all of them, it is an equation.
func (in *Finder) sums(i int) {
	c, s, state := in.c, &in.samples[i], in.states[i]
	type sum struct{ x, y, z, equal int }
	var list []sum
	for y, t := range s.columns {
		for x := range y {
			if c.Sort(t).IsBool() || c.Sort(s.columns[x]).IsBool() || !state.Varies(t) || !state.Varies(s.columns[x]) {
				continue
			}
			for z, u := range s.columns {
				if z == x || z == y || c.Sort(u).IsBool() {
					continue
				}
				if equal, ok := s.atMost(x, y, z); ok {
					list = append(list, sum{x, y, z, equal})
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b sum) int { return cmp.Compare(b.equal, a.equal) })
	for _, m := range list[:min(len(list), maxSums)] {
		wide := func(k int) smt.Term { return c.Zext(s.columns[k], 64) }
		in.add(i, "sum", c.Ule(c.Add(wide(m.x), wide(m.y)), wide(m.z)))
	}
}

// atMost reports whether the sum of two columns is at most a third one. It returns the number of samples in which it is
// equal and neither of the two is 0.
func (s *samples) atMost(x, y, z int) (equal int, ok bool) {
	less := 0
	for _, row := range s.rows {
		switch a, b := row[x], row[y]; {
		case a > largestValue || b > largestValue || a+b > row[z]:
			return 0, false
		case a+b < row[z]:
			less++
		case a > 0 && b > 0:
			equal++
		}
	}
	return equal, equal >= leastEqual && less >= leastEqual
}
