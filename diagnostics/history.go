package diagnostics

import (
	"fmt"
	"github.com/unitproof/unitproof/diagnostics/phrase"
	"io"
	"maps"
	"slices"
)

// History has the recorded states of each proof by name, newest first. Consecutive runs with equal results are one
// state.
type History map[string][]State

// State is the recorded result of a proof in one or more runs.
type State struct {
	Tool string // the build whose steps these are
	Past
	// Score is the percentage of mutants that the proof detects (strength), if Scored.
	Scored bool
	Score  float64
}

// maxStates is the number of states of a proof that are kept.
const maxStates = 5

// Add records a run and returns the changes of its proofs since the run before, by name. Proofs that only one of the
// two runs has are no change. Steps are compared with the least of all recorded states, so that a slow growth is
// reported once it has doubled.
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

// equal reports whether two results are equal; an empty list equals nil.
func (p *Past) equal(q *Past) bool {
	return p.Name == q.Name && p.Verdict == q.Verdict && p.Steps == q.Steps && maps.Equal(p.Proved, q.Proved) &&
		slices.Equal(p.Assumes, q.Assumes) && slices.Equal(p.Unchecked, q.Unchecked)
}

// leastSteps returns the least steps of a build for a proof; 0 if none are recorded.
func leastSteps(states []State, tool string) (least int64) {
	for i := range states {
		if s := &states[i]; s.Tool == tool && s.Steps > 0 && (least == 0 || s.Steps < least) {
			least = s.Steps
		}
	}
	return least
}

// Score records the percentage of mutants that a proof detects, and returns the previous one, if known. It records
// nothing for a proof without a recorded run.
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

// mostChanges is the number of changes that are listed without -v.
const mostChanges = 12

// WriteSince writes the changes since an earlier run, if there are any.
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

// rankOfChange orders changes for the worse first.
func rankOfChange(c Change) int {
	if c.Worse {
		return 0
	}
	return 1
}
