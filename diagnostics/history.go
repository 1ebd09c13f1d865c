package diagnostics

import (
	"fmt"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"io"
	"maps"
	"slices"
)

// History is what is known of earlier runs: for each proof by name its states, the newest first. Runs that said the
// same are one state.
type History map[string][]State

// State is what a run said of a proof.
type State struct {
	Tool string // whose steps can be compared
	Past
	// Score is in how many percent of the changes the proof notices (strength), where Scored.
	Scored bool
	Score  float64
}

// maxStates is how many states of a proof are kept.
const maxStates = 5

// Add takes a run in and tells in what its proofs differ from the run before, in the order of their names. Proofs that
// the run has not, or had before no run, are no change. Work is compared with the least of all kept states: what
// grows a little at a time is told when it has doubled.
func (h History) Add(run *Baseline) (list []Change) {
	for i := range run.Proofs {
		now := State{Tool: run.Tool, Past: run.Proofs[i]}
		states := h[now.Name]
		if len(states) > 0 {
			last := states[0]
			if last.Tool == now.Tool && last.equal(&now.Past) {
				continue
			}
			was := last.Past
			was.Steps = leastSteps(states, now.Tool)
			for _, c := range now.since(&was, was.Steps > 0) {
				c.Proof = now.Name
				list = append(list, c)
			}
		}
		h[now.Name] = append([]State{now}, states[:min(len(states), maxStates-1)]...)
	}
	return list
}

// equal tells whether two runs said the same; an empty list may be nil.
func (p *Past) equal(q *Past) bool {
	return p.Name == q.Name && p.Verdict == q.Verdict && p.Steps == q.Steps && maps.Equal(p.Proved, q.Proved) &&
		slices.Equal(p.Assumes, q.Assumes) && slices.Equal(p.Unchecked, q.Unchecked)
}

// leastSteps is the least work that a build had with a proof; 0: it is not known.
func leastSteps(states []State, tool string) (least int64) {
	for i := range states {
		if s := &states[i]; s.Tool == tool && s.Steps > 0 && (least == 0 || s.Steps < least) {
			least = s.Steps
		}
	}
	return least
}

// Score takes in how many percent of the changes a proof notices, and returns what it was before, where that is known.
// Of a proof that no run is known of nothing is kept.
func (h History) Score(proof string, score float64) (before float64, known bool) {
	states := h[proof]
	for i := range states {
		if states[i].Scored {
			before, known = states[i].Score, true
			break
		}
	}
	if len(states) > 0 {
		states[0].Scored, states[0].Score = true, score
	}
	return before, known
}

// mostChanges is how many changes are told one by one, where not all are asked for.
const mostChanges = 12

// WriteSince tells of changes since an earlier run, if there are any.
func WriteSince(w io.Writer, list []Change, all bool) {
	if len(list) == 0 {
		return
	}
	_, _ = fmt.Fprintln(w, "since the last run:")
	slices.SortStableFunc(list, func(a, b Change) int { return rankOfChange(a) - rankOfChange(b) })
	for i, c := range list {
		if i == mostChanges && !all && len(list) > mostChanges+1 {
			_, _ = fmt.Fprintf(w, "  and %s (-v)\n", phrase.Count(len(list)-i, "more change"))
			break
		}
		_, _ = fmt.Fprintf(w, "  %s: %s\n", phrase.Name(c.Proof), phrase.Printable(c.Text))
	}
}

// rankOfChange puts changes for the worse first.
func rankOfChange(c Change) int {
	if c.Worse {
		return 0
	}
	return 1
}
