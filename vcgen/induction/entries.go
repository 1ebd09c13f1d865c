package induction

import (
	"context"
	"fmt"

	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// entriesBudget is the number of conflicts of a query about the states in which a loop is entered.
const entriesBudget = 500

// Contradiction returns the defect if the assumptions at a head exclude all states in which its loop is entered, though
// there are some: everything behind the head would be proved. Otherwise it returns an empty reason. It finds errors in
// assumptions about memory, which Attack does not evaluate. A query that takes long shows no error.
func (in *Finder) Contradiction(ctx context.Context) found.Reason {
	for _, h := range in.heads {
		if h.Begin != nil {
			continue // the end of an activation, which is represented by its begin
		}
		last := h.Event
		for k := last + 1; k < len(in.log.Events); k++ {
			if e := &in.log.Events[k]; e.Kind != seair.Assume || e.Guard != h.Guard || e.Site != h.Site {
				break
			}
			last = k
		}
		satisfiable := func(event int, more ...smt.Term) smt.Answer {
			return in.asker.Ask(ctx, ask.Question{Facts: append(more, in.chain.Held[event], h.Guard),
				Budget: entriesBudget}).Answer
		}
		if last+1 == len(in.log.Events) || satisfiable(last+1, h.First) != smt.Unsat || satisfiable(h.Entry) != smt.Sat {
			continue
		}
		return found.Reason{Why: found.InternalError, Text: fmt.Sprintf(
			"what is assumed at the head of %s excludes every state in which the loop is entered", h.Loop)}
	}
	return found.Reason{}
}
