package vcgen

import (
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
)

// ranOut reports whether a reason is the end of time, memory or a budget: a run that does less may have more results.
func ranOut(r found.Reason) bool {
	switch r.Why {
	case found.TimeLimit, found.Cancelled, found.StepBudget, found.SolverFailed, found.TooManyInstances, found.TooLong,
		found.Timeout, found.NoProgress, found.MemoryLimit:
		return true
	case found.ReachUndecided:
		return r.Cause == nil || ranOut(*r.Cause)
	}
	return false
}

// fellShort reports whether ranOut is true of a reason, or may be true of another place that it names.
func fellShort(r found.Reason) bool {
	return ranOut(r) || r.Why == found.DependsOnPlace || r.Why == found.BehindUnknown
}

// short reports whether the limits of the run left something open. A finding that depends on another one is open for
// the other one's reason, which may be independent of the depth, such as a missing body.
func (r *Report) short() bool {
	return !r.EndReached && !r.EndUnknown.None() || ranOut(r.Reason) ||
		slices.ContainsFunc(r.Instances, func(in Instance) bool {
			return in.Verdict == found.Unknown && ranOut(in.Reason)
		})
}

// merge combines the results of a proof's runs. full is the run without bounds of depth, nil if it was not unfolded.
// finished: the whole finished, and rounds only add results that were too hard for it.
//
// Each finding is taken from one run: one with a counterexample, otherwise the deepest that settled it, with the whole
// before all rounds. Verdicts of rounds are reported as holding within their bounds.
func (d *deepening) merge(full *Report, finished bool) *Report {
	if len(d.rounds) == 0 && len(d.executed) == 0 {
		d.mark(full, finished, finished)
		return full
	}
	var runs []source
	for i, r := range d.rounds {
		if r != full {
			runs = append(runs, source{Report: r, depth: i + 1})
		}
	}
	if full != nil {
		runs = append(runs, source{Report: full, depth: len(d.rounds) + 1})
	}
	if len(d.executed) > 0 { // they have no results but their violations
		runs = append(runs, source{Report: &Report{Entry: d.entry, Instances: d.executed, EndReached: true}})
	}
	j := newJoining(runs...)
	deepest := max(slices.IndexFunc(j.sources, func(s source) bool { return s.finished }), 0)
	deep := j.sources[deepest].Report
	j.pick = func(key findingKey) int {
		from := j.strongest(key)
		switch is := j.is[from][key]; {
		case finished && is != violated && j.is[0][key] == absent:
			return -1 // no execution reaches it
		case key.kind != found.Unwinding:
			return from
		case j.is[deepest][key] == absent: // a cut loop is a finding unless a run went deeper
			return -1
		}
		return deepest
	}
	// No execution within the bounds of the deepest round reaches a finding without instances there.
	beyond := func(from int, key findingKey) bool {
		is := j.is[from][key]
		return deep.finished && !deep.short() && (is == short || is == shortFinal) && j.is[deepest][key] == absent
	}
	j.take = func(key findingKey, from, n int, in *Instance) bool {
		switch {
		case beyond(from, key):
			in.Verdict, in.Reason = found.Bounded, found.Reason{Why: found.BeyondBounds, Cause: d.cause()}
			if c := deep.firstCut(); c != nil {
				in.Loop, in.Bound, in.Reason.Name, in.Reason.N = c.Loop, c.Bound, c.Loop, int64(c.Bound)
			}
			return n == 0
		case in.Verdict == found.Bounded:
			if in.Reason.Cause = d.cause(); in.Reason.Cause == nil && in.Reason.Why == found.HoldsInBounds {
				in.Reason.Cause = j.shortBecause(key, from)
			}
		}
		return true
	}
	out := j.join(deep)
	d.mark(out, deep.finished, finished)
	return out
}

// shortBecause returns the reason why the runs deeper than a source have not settled a finding; nil if there is none.
// Without it, a report contains two bounds for a loop, and only the larger one seems to count.
func (j *joining) shortBecause(key findingKey, from int) *found.Reason {
	for i, s := range j.sources[:from] {
		for _, k := range j.of[i][key] {
			if in := s.Instances[k]; in.Verdict == found.Unknown && fellShort(in.Reason) {
				return &in.Reason
			}
		}
	}
	return nil
}

// mark records the end of time or memory in a report. complete: the run that provides the report finished; finished:
// the whole did.
func (d *deepening) mark(r *Report, complete, finished bool) {
	if !complete && r.Reason.None() && d.ended.Why != found.Cancelled { // the canceller knows its reason
		r.Reason = d.ended
	}
	if !finished {
		r.Stats.Unsettled++ // it depends on time or memory: not to be cached
	}
}

// cause returns the reason that kept the rounds from going deeper; nil if there is none.
func (d *deepening) cause() *found.Reason {
	if d.ended.None() {
		return nil
	}
	ended := d.ended
	return &ended
}

// firstCut returns the finding of a cut loop; nil if there is none.
func (r *Report) firstCut() *Instance {
	for i := range r.Instances {
		if in := &r.Instances[i]; in.Kind == found.Unwinding {
			return in
		}
	}
	return nil
}
