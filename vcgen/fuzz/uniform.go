package fuzz

import "github.com/unitproof/unitproof/vcgen/choice"

// Alike makes most executions give each place the same answer every time.
//
// An answer that is suitable in one iteration of a loop is often suitable in all. Content consists of equal or almost
// equal elements, or is zero. extra are additional numbers to choose from.
func (x *Inputs) Alike(extra []uint64) { x.uniform, x.extra = true, extra }

// beginAlike is begin for uniform executions.
func (x *Inputs) beginAlike() {
	x.same, x.blank, x.Far = nil, x.below(4) == 0, x.below(3) == 0
	if x.below(4) > 0 {
		x.same = map[choice.Key]choice.Answer{}
	}
}

// chooseAlike is choose for uniform executions.
func (x *Inputs) chooseAlike(q choice.Question) choice.Answer {
	k := q.Key()
	if a, ok := x.same[k]; ok {
		return a
	}
	a := choice.Answer{}
	switch {
	case !q.Content || !x.blank && x.below(2) == 0:
		a = x.any(q)
	case !x.blank:
		a = choice.Answer{Content: x.elements()}
	}
	if x.same != nil {
		x.same[k] = a
	}
	return a
}

// elements returns content that consists of equal numbers of one size, with or without zeros in between.
//
// The number may be a byte with which the program compares.
func (x *Inputs) elements() func(off uint64) byte {
	size, v := uint64(1)<<x.below(4), x.single()
	if len(x.matched) > 0 && x.below(3) == 0 {
		size, v = 1, uint64(x.matched[x.below(len(x.matched))])
	}
	seed, sparse := x.next(), x.below(3) == 0
	return func(off uint64) byte {
		if sparse && mix(seed+off/size)%2 == 0 {
			return 0
		}
		return byte(v >> (off % size * 8))
	}
}
