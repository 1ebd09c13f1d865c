package vcgen

import (
	"slices"
	"strings"

	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// maxLoopsNamed limits the number of loops in the account of a search.
const maxLoopsNamed = 3

// extent limits a run.
type extent struct {
	instructions int64 // limit of the unfolding; 0: none
	budget       int64 // work after which the run is stopped; 0: no limit
	depth        int   // iterations of loops without constant bounds; 0: as in the options
	every        bool  // depth applies to loops with constant bounds, too
	input        *int  // only size of a fuzz target's input; nil: all sizes
	loops        language.Loops
	hard         float64 // share of the time after which hard obligations are given up; 0: none
	hurry        float64 // share of the time after which only cheap obligations are decided; 0: none
	induction    *unfold.Induction
	// pace is called regularly during the run. It may do other work, or end the context.
	pace func(*engine)
	// steady: pace is called only between queries. Queries about candidates have small budgets, and a search with
	// pauses may need more conflicts.
	steady bool
	// again: a less deep round has finished, so that a stopped run has to report only its violations. Its other
	// results would take long to collect with 100,000 obligations, after the time has ended.
	again bool
	// spoiled is called for the first obligation that is not inductive, unless its finding is known to be violated; nil:
	// all obligations are decided anyway.
	spoiled func()
	// violated are findings with a known counterexample.
	violated map[findingKey]bool
}

// lag adds work for time, in microseconds, if the work was underestimated.
func (e *engine) lag(used int64) {
	behind := max(used/slower-e.Work(), 0)
	e.Spend(behind)
	e.lagged += behind
}

// progress reports where the time of the run goes: a place of the program or, behind its unfolding, the loops whose
// invariants are searched for.
func (e *engine) progress() {
	if e.opts.Progress == nil || e.prog == nil {
		return
	}
	e.opts.Progress(func() string {
		text := e.prog.Progress().Where()
		if !e.searching {
			return text
		}
		var loops []string
		for _, h := range e.extent.induction.Heads {
			if l := h.Loop; l != "" && len(loops) < maxLoopsNamed && !slices.Contains(loops, l) {
				loops = append(loops, l)
			}
		}
		return text + ", in the search for invariants of " + strings.Join(loops, ", ")
	})
}

// pause calls the extent's pace, to let other tasks run.
func (e *engine) pause() {
	e.tellMeter()
	e.progress()
	if e.extent.pace != nil {
		e.extent.pace(e)
	}
}

// interrupts reports whether other tasks also run during searches.
func (e *engine) interrupts() bool {
	return (e.extent.pace != nil || e.opts.meter.limits()) && !e.extent.steady
}
