package fuzz

import "github.com/unitproof/unitproof/vcgen/choice"

// Alike has executions made in most of which a place gets the same answer each time: one that fits fits in all
// iterations of a loop. Content is of elements that are equal, or nearly, or zero everywhere. met are numbers that they
// may choose, too.
func (x *Inputs) Alike(met []uint64) { x.alike, x.met = true, met }

// beginAlike is begin for executions that are alike.
func (x *Inputs) beginAlike() {
	x.same, x.blank, x.Far = nil, x.below(4) == 0, x.below(3) == 0
	if x.below(4) > 0 {
		x.same = map[choice.Key]choice.Answer{}
	}
}

// chooseAlike is choose for executions that are alike.
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

// elements is content of numbers of one size that are equal, or of which some are zero, or of a byte that the program
// compares with.
func (x *Inputs) elements() func(off uint64) byte {
	size, v := uint64(1)<<x.below(4), x.single()
	if len(x.matched) > 0 && x.below(3) == 0 {
		size, v = 1, uint64(x.matched[x.below(len(x.matched))])
	}
	seed, some := x.next(), x.below(3) == 0
	return func(off uint64) byte {
		if some && mix(seed+off/size)%2 == 0 {
			return 0
		}
		return byte(v >> (off % size * 8))
	}
}
