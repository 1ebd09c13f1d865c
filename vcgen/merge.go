package vcgen

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
)

// keyOf is the finding of an instance.
func keyOf(in *Instance) findingKey {
	return findingKey{in.Kind, in.Pos.File, in.Pos.Line, in.Pos.Column}
}

// ranOut tells whether a reason says that time, memory or a budget ended: a run that does less may know more.
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

// fellShort tells the same of a reason that names another place, where that may have happened.
func fellShort(r found.Reason) bool {
	return ranOut(r) || r.Why == found.DependsOnPlace || r.Why == found.BehindUnknown
}

// short tells whether the limits of the run left something open. What depends on another finding is open for its
// reason, which may be one that no round changes, such as a body that is missing.
func (r *Report) short() bool {
	return !r.EndReached && !r.EndUnknown.None() || ranOut(r.Reason) ||
		slices.ContainsFunc(r.Instances, func(in Instance) bool {
			return in.Verdict == found.Unknown && ranOut(in.Reason)
		})
}

// merge joins what the runs of a proof know. whole is that without bounds of depth, nil where it was not unfolded;
// finished: it got to its end, and rounds add what it found too hard.
//
// Of each finding one run tells: one that has a counterexample; else the deepest that settled it, the whole before all
// rounds. Verdicts of rounds hold within their bounds and say so.
func (d *deepening) merge(whole *Report, finished bool) *Report {
	if len(d.rounds) == 0 && len(d.executed) == 0 {
		d.mark(whole, finished, finished)
		return whole
	}
	runs := slices.Clone(d.rounds)
	if len(d.executed) > 0 { // which tell of nothing but their violations
		runs = append([]*Report{{Entry: d.entry, Instances: d.executed, EndReached: true}}, runs...)
	}
	slices.Reverse(runs)
	if whole != nil {
		runs = slices.DeleteFunc(runs, func(r *Report) bool { return r == whole })
		runs = append([]*Report{whole}, runs...)
	}
	instances := make([]map[findingKey][]int, len(runs)) // of each run, its instances of a finding
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
		for i := len(runs) - 1; i >= 0; i-- { // the violation that was told of first
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
	at := make([]map[int]int, len(runs)) // of each run, where its instances are now
	for i := range at {
		at[i] = map[int]int{}
	}
	for _, key := range keys {
		i := teller(key)
		if key.kind == found.Unwinding { // a loop that was cut is a finding while nothing went deeper
			if i = deepest; len(instances[i][key]) == 0 {
				continue
			}
		}
		if deep := runs[deepest]; deep.finished && !deep.short() && len(instances[deepest][key]) == 0 && has(i, key, open) &&
			!has(i, key, fails) {
			// No execution within the bounds of the deepest round gets there.
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

// mark notes what the end of time or memory means for what is known. told: the run that tells of the proof got to its
// end; finished: the whole did.
func (d *deepening) mark(r *Report, told, finished bool) {
	if !told && r.Reason.None() && d.ended.Why != found.Cancelled { // who cancelled it knows better why
		r.Reason = d.ended
	}
	if !finished {
		r.Stats.Unsettled++ // it rests on time or memory: not to be kept
	}
}

// cause is what kept the rounds from going deeper; nil: nothing did.
func (d *deepening) cause() *found.Reason {
	if d.ended.None() {
		return nil
	}
	ended := d.ended
	return &ended
}

// firstCut is the finding of a loop that was cut; nil where there is none.
func (r *Report) firstCut() *Instance {
	for i := range r.Instances {
		if in := &r.Instances[i]; in.Kind == found.Unwinding {
			return in
		}
	}
	return nil
}

// mergeRest joins what belongs to no instance.
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

// joinAssumptions gives what any of the runs assumed, each assumption once. at says of each run where its instances are
// in the joined report; those that are not there are left out.
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
