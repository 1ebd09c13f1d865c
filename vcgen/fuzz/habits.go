package fuzz

import (
	"math/big"

	"github.com/unitproof/unitproof/vcgen/choice"
)

// habit is what an execution tends to answer at each place.
//
// Some violations need many equal answers in a row, or a certain share of them: no packet arrives 256 times, three of
// four frames are good. Independent answers come to neither.
type habit struct {
	last   map[choice.Key]choice.Answer
	repeat int                // in 16 answers about a number, how many are the one before
	yes    map[choice.Key]int // in 16 answers about a bit, how many are 1
}

// Habitual returns a seed whose execution has a habit, or one whose has none.
func Habitual(seed uint64, has bool) uint64 {
	if has {
		return seed | 1
	}
	return seed &^ 1
}

// HasHabit reports whether the execution of a seed has a habit.
func HasHabit(seed uint64) bool { return seed&1 == 1 }

// newHabit returns the habit of the execution; nil if its seed has none.
func (x *Inputs) newHabit() *habit {
	if !HasHabit(x.seed) {
		return nil
	}
	return &habit{map[choice.Key]choice.Answer{}, []int{16, 16, 15, 12}[x.below(4)], map[choice.Key]int{}}
}

// habitual answers a question about a number.
func (x *Inputs) habitual(q choice.Question) choice.Answer {
	k := q.Key()
	if q.Bits == 1 {
		yes, known := x.habit.yes[k]
		if !known {
			if yes = x.below(17); x.habit.repeat == 16 {
				yes = 16 * x.below(2)
			}
			x.habit.yes[k] = yes
		}
		if x.below(16) < yes {
			return choice.Answer{Value: big.NewInt(1)}
		}
		return choice.Answer{}
	}
	if a, known := x.habit.last[k]; known && x.below(16) < x.habit.repeat {
		return a
	}
	a := x.any(q)
	x.habit.last[k] = a
	return a
}
