package vcgen

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
)

// keyOf returns the finding of an instance.
func keyOf(in *Instance) findingKey {
	return findingKey{in.Kind, in.Pos.File, in.Pos.Line, in.Pos.Column}
}

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
	runs := slices.Clone(d.rounds)
	if len(d.executed) > 0 { // they have no results but their violations
		runs = append([]*Report{{Entry: d.entry, Instances: d.executed, EndReached: true}}, runs...)
	}
	slices.Reverse(runs)
	if full != nil {
		runs = slices.DeleteFunc(runs, func(r *Report) bool { return r == full })
		runs = append([]*Report{full}, runs...)
	}
	instances := make([]map[findingKey][]int, len(runs)) // by run: its instances of a finding
	var keys []findingKey                                // in the order of the deepest run
	known := map[findingKey]bool{}
	for i, r := range runs {
		instances[i] = map[findingKey][]int{}
		for k := range r.Instances {
			key := keyOf(&r.Instances[k])
			instances[i][key] = append(instances[i][key], k)
			if !known[key] && (i == 0 || !finished || r.Instances[k].Verdict == found.Failed) {
				known[key] = true
				keys = append(keys, key)
			}
		}
	}
	has := func(i int, key findingKey, is func(*Instance) bool) bool {
		return slices.ContainsFunc(instances[i][key], func(k int) bool { return is(&runs[i].Instances[k]) })
	}
	fails := func(in *Instance) bool { return in.Verdict == found.Failed }
	open := func(in *Instance) bool { return in.Verdict == found.Unknown && fellShort(in.Reason) }
	teller := func(key findingKey) int {
		for i := len(runs) - 1; i >= 0; i-- { // the violation that was reported first
			if has(i, key, fails) {
				return i
			}
		}
		first := -1
		for i := range runs {
			if len(instances[i][key]) == 0 {
				continue
			}
			if !has(i, key, open) {
				return i
			}
			if first < 0 {
				first = i
			}
		}
		return first
	}
	deepest := max(slices.IndexFunc(runs, func(r *Report) bool { return r.finished }), 0)
	out := *runs[deepest]
	out.Instances = nil
	at := make([]map[int]int, len(runs)) // by run: the new indexes of its instances
	for i := range at {
		at[i] = map[int]int{}
	}
	for _, key := range keys {
		i := teller(key)
		if key.kind == found.Unwinding { // a cut loop is a finding unless a run went deeper
			if i = deepest; len(instances[i][key]) == 0 {
				continue
			}
		}
		if deep := runs[deepest]; deep.finished && !deep.short() && len(instances[deepest][key]) == 0 && has(i, key, open) &&
			!has(i, key, fails) {
			// No execution within the bounds of the deepest round reaches it.
			in := runs[i].Instances[instances[i][key][0]]
			in.Verdict, in.Reason = found.Bounded, found.Reason{Why: found.BeyondBounds, Cause: d.cause()}
			if c := runs[deepest].firstCut(); c != nil {
				in.Loop, in.Bound, in.Reason.Name, in.Reason.N = c.Loop, c.Bound, c.Loop, int64(c.Bound)
			}
			out.Instances = append(out.Instances, in)
			continue
		}
		for _, k := range instances[i][key] {
			at[i][k] = len(out.Instances)
			in := runs[i].Instances[k]
			if in.Verdict == found.Bounded {
				in.Reason.Cause = d.cause()
			}
			out.Instances = append(out.Instances, in)
		}
	}
	d.mergeRest(&out, runs, at)
	d.mark(&out, runs[deepest].finished, finished)
	return &out
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

// mergeRest combines the results that belong to no instance.
func (d *deepening) mergeRest(out *Report, runs []*Report, at []map[int]int) {
	out.Assumptions = joinAssumptions(runs, at)
	for i, r := range runs {
		out.EndReached = out.EndReached || r.EndReached
		if i == 0 {
			continue
		}
		out.Stats.SolverQueries += r.Stats.SolverQueries
		out.Stats.SolverConflicts += r.Stats.SolverConflicts
		out.Covered = out.Covered.Join(r.Covered)
	}
	if out.EndReached {
		out.EndUnknown = found.Reason{}
	}
}

// joinAssumptions returns the assumptions of all runs, without duplicates. at maps the instances of each run to the
// combined report; other instances are omitted.
func joinAssumptions(runs []*Report, at []map[int]int) []found.Assumption {
	var list []found.Assumption
	affected := []map[int]bool{}
	for i, r := range runs {
		for _, a := range r.Assumptions {
			is := a
			is.Affects = nil
			n := slices.IndexFunc(list, func(b found.Assumption) bool { return reflect.DeepEqual(is, b) })
			if n < 0 {
				n = len(list)
				list = append(list, is)
				affected = append(affected, map[int]bool{})
			}
			for _, k := range a.Affects {
				if now, ok := at[i][k]; ok {
					affected[n][now] = true
				}
			}
		}
	}
	for n, set := range affected {
		list[n].Affects = slices.SortedFunc(maps.Keys(set), cmp.Compare[int])
	}
	return list
}
