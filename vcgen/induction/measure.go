package induction

import (
	"context"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// A loop ends if a number, its measure, is smaller after each iteration, as an unsigned number (R. W. Floyd, "Assigning
// Meanings to Programs", 1967). The measures that are tried are the places of the head, their complements, which become
// smaller if the places grow, and differences of two places plus 1. In a recursion, calls take the place of iterations.

// Limits of the search for measures: of one head, and of all together.
const (
	maxMeasures    = 60
	measureBudget  = 3_000     // conflicts of one query
	maxMeasureWork = 2_000_000 // microseconds
)

// Ends reports whether each execution of a loop that was cut is known to end, with the invariants that were found. It
// follows Conclude.
func (in *Finder) Ends(ctx context.Context, loop string) bool {
	in.ctx = ctx
	before := in.asker.Work()
	defer func() { in.measuring += in.asker.Work() - before }()
	known := false
	for i, h := range in.heads {
		if h.Loop != loop || h.Begin != nil {
			continue
		}
		if known = true; !in.hasMeasure(i, h, before) {
			return false
		}
	}
	return known
}

// hasMeasure reports whether a measure of a head is found. The search for the loop began at the work before.
func (in *Finder) hasMeasure(i int, h *unfold.Head, before int64) bool {
	c := in.c
	var numbers []smt.Term
	for k := range h.Places {
		if in.isInteger(i, k) {
			numbers = append(numbers, h.Places[k].Sym)
		}
	}
	var measures []smt.Term
	for _, x := range numbers {
		measures = append(measures, x, c.Sub(c.Int(c.Width(x), 0), c.Add(x, c.Int(c.Width(x), 1))))
	}
	for _, x := range numbers {
		for _, y := range numbers {
			if x != y && c.Width(x) == c.Width(y) {
				// The end may be one before the begin.
				measures = append(measures, c.Add(c.Sub(x, y), c.Int(c.Width(x), 1)))
			}
		}
	}
	for _, m := range measures[:min(len(measures), maxMeasures)] {
		if in.ctx.Err() != nil || in.measuring+in.asker.Work()-before > maxMeasureWork {
			return false
		}
		if in.decreases(i, h, m) {
			return true
		}
	}
	return len(h.Back) == 0
}

// decreases reports whether a measure is smaller at each back edge than at the head.
func (in *Finder) decreases(i int, h *unfold.Head, measure smt.Term) bool {
	for k, b := range h.Back {
		less := in.c.Ult(in.states[i].Back[k].Evaluate(measure), measure)
		o := in.asker.Ask(in.ctx, ask.Question{Facts: []smt.Term{in.factsBefore(b.Event), b.Guard},
			Any: []smt.Term{in.c.Not(less)}, Budget: measureBudget})
		if o.Answer != smt.Unsat {
			return false
		}
	}
	return true
}
