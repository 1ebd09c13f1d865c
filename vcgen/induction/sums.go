package induction

import (
	"cmp"
	"slices"
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
// A single number is compared with one of another width, too: a counter of records with a position.
func (in *Finder) sums(i int) {
	c, s, state := in.c, &in.samples[i], in.states[i]
	type sum struct {
		of    []int
		most  int
		equal int
	}
	var list []sum
	try := func(most int, of ...int) {
		if equal, ok := s.atMost(of, most); ok {
			list = append(list, sum{of, most, equal})
		}
	}
	isNumber := func(k int) bool { return !c.Sort(s.columns[k]).IsBool() }
	for y, t := range s.columns {
		if !isNumber(y) || !state.Varies(t) {
			continue
		}
		for z, u := range s.columns {
			if z == y || !isNumber(z) {
				continue
			}
			if c.Width(t) != c.Width(u) {
				try(z, y)
			}
			for x := range y {
				if x != z && isNumber(x) && state.Varies(s.columns[x]) {
					try(z, x, y)
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b sum) int { return cmp.Compare(b.equal, a.equal) })
	for _, m := range list[:min(len(list), maxSums)] {
		total := c.Int(64, 0)
		for _, k := range m.of {
			total = c.Add(total, c.Zext(s.columns[k], 64))
		}
		in.add(i, "sum", c.Ule(total, c.Zext(s.columns[m.most], 64)))
	}
}

// atMost reports whether the sum of some columns is at most another one. It returns the number of samples in which it
// is equal and none of them is 0.
func (s *samples) atMost(of []int, most int) (equal int, ok bool) {
	less := 0
	for _, row := range s.rows {
		total, zero := uint64(0), false
		for _, k := range of {
			if row[k] > largestValue {
				return 0, false
			}
			total, zero = total+row[k], zero || row[k] == 0
		}
		switch {
		case total > row[most]:
			return 0, false
		case total < row[most]:
			less++
		case !zero:
			equal++
		}
	}
	return equal, less >= leastEqual && (equal >= leastEqual || len(of) == 1)
}
