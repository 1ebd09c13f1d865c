package vcgen

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
)

// A proof has several runs: with all iterations of its loops, with few, with loops that are cut by contracts or by
// induction, with one size of the input. Their reports are joined here, and only here. Each finding is taken from one
// run as a whole, which the table of ranks selects. The callers (merge.go, contract.go, sizes.go) give each report its
// role, and decide what belongs to no finding: the end of the proof, and the reasons of the whole.
//
// A finding that fails in a run fails in the joined report. A finding is proved only if its run is trusted: it executes
// the program itself, or cuts loops whose invariants are obligations that hold (trust).

// A source is a report, with the relation of its run to the executions of the program.
type source struct {
	*Report
	role role
	// depth orders the runs of a role: a deeper run has more iterations, or a larger input.
	depth int
}

// role is the relation of a run to the executions of the program; a row of the table of ranks.
type role int

const (
	// executes: the run executes the program to some depth. All other runs do so, too.
	executes role = iota
	// unrolls: the run executes the program, and another one with cut loops may settle more.
	unrolls
	// cutsAll: loops are cut, and nothing is open but known violations. The run is trusted.
	cutsAll
	// cutsSome: loops are cut, and the run is trusted.
	cutsSome
	// cutsOpenly: loops are cut, and an invariant is open. What the run proves is not proved.
	cutsOpenly
)

// cuts reports whether the run continues from states that no execution need have.
func (r role) cuts() bool { return r >= cutsAll }

// standing is the state of a finding in a report; a column of the table of ranks.
type standing int

const (
	// absent: the report has no instance of it.
	absent standing = iota
	// violated: an instance fails.
	violated
	// held: all instances are proved or unreached.
	held
	// undecided: an instance is open, and not because the run ended.
	undecided
	// short: an instance is unknown because the run ended.
	short
	// final and shortFinal are undecided and short if all open instances have a reason that no other run removes.
	final
	shortFinal
)

// ranks selects the run that a finding is taken from: the one with the highest rank. Of several, it is the deepest one;
// of several violations the shallowest one, which was reported first.
var ranks = [...][7]int{
	executes:   {absent: 0, short: 2, shortFinal: 2, undecided: 4, final: 4, held: 4, violated: 5},
	unrolls:    {absent: 0, short: 2, shortFinal: 2, undecided: 2, final: 2, held: 4, violated: 5},
	cutsAll:    {absent: 0, short: 1, shortFinal: 3, undecided: 1, final: 3, held: 3, violated: 5},
	cutsSome:   {absent: 0, short: 1, shortFinal: 1, undecided: 1, final: 1, held: 3, violated: 5},
	cutsOpenly: {absent: 0, short: 1, shortFinal: 1, undecided: 1, final: 1, held: 1, violated: 5},
}

// standing returns the state of a finding, given its instances.
func (r *Report) standing(instances []int) standing {
	if len(instances) == 0 {
		return absent
	}
	fails, isOpen, isShort, removable := false, false, false, false
	for _, i := range instances {
		in := &r.Instances[i]
		fails = fails || failed(in)
		isOpen = isOpen || open(in)
		isShort = isShort || in.Verdict == found.Unknown && fellShort(in.Reason)
		removable = removable || open(in) && !in.Reason.Final()
	}
	switch {
	case fails:
		return violated
	case !isOpen:
		return held
	case isShort && removable:
		return short
	case isShort:
		return shortFinal
	case removable:
		return undecided
	}
	return final
}

// strongest returns the run that a finding is taken from by the table of ranks, -1 if no run has it.
func (j *joining) strongest(key findingKey) int {
	best, rank := -1, 0
	for i, s := range j.sources {
		is := j.is[i][key]
		if n := ranks[s.role][is]; n > rank || n == rank && is == violated {
			best, rank = i, n
		}
	}
	return best
}

// joining is a combination of reports.
type joining struct {
	sources []source     // by role, the deepest first
	keys    []findingKey // in the order of the sources
	// of contains the instances of each finding, by source, and is their standing.
	of []map[findingKey][]int
	is []map[findingKey]standing
	// pick returns the source of a finding, -1 for none. By default, the ranks select it.
	pick func(key findingKey) int
	// take changes the n-th instance of a finding from a source, and reports whether it is kept. By default, each is
	// kept as it is.
	take func(key findingKey, from, n int, in *Instance) bool
}

// newJoining begins a combination of reports. Their order is irrelevant.
func newJoining(sources ...source) *joining {
	slices.SortStableFunc(sources, func(a, b source) int {
		return cmp.Or(cmp.Compare(a.role, b.role), cmp.Compare(b.depth, a.depth))
	})
	j := &joining{sources: sources}
	j.pick, j.take = j.strongest, func(findingKey, int, int, *Instance) bool { return true }
	known := map[findingKey]bool{}
	for _, s := range sources {
		of, is := findings(s.Report), map[findingKey]standing{}
		for key, instances := range of {
			is[key] = s.standing(instances)
		}
		j.of, j.is = append(j.of, of), append(j.is, is)
		for i := range s.Instances {
			if key := keyOf(&s.Instances[i]); !known[key] {
				known[key] = true
				j.keys = append(j.keys, key)
			}
		}
	}
	return j
}

// join returns the combined report. Everything that is not combined is as in base.
func (j *joining) join(base *Report) *Report {
	out := *base
	out.Instances = nil
	at := make([]map[int]int, len(j.sources)) // by source: the new indexes of its instances
	for i := range at {
		at[i] = map[int]int{}
	}
	for _, key := range j.keys {
		from := j.pick(key)
		if from < 0 {
			continue
		}
		for n, k := range j.of[from][key] {
			in := j.sources[from].Instances[k]
			verdict := in.Verdict
			if !j.take(key, from, n, &in) {
				continue
			}
			if in.Verdict == verdict { // otherwise the assumptions about it are not the reason
				at[from][k] = len(out.Instances)
			}
			out.Instances = append(out.Instances, in)
		}
	}
	out.Assumptions = j.assumptions(at)
	for _, s := range j.sources {
		if s.role == executes && s.EndReached {
			out.EndReached, out.EndUnknown = true, found.Reason{}
		}
		if s.Report == base {
			continue
		}
		if !s.role.cuts() {
			out.Covered = out.Covered.Join(s.Covered)
		}
		out.addCost(s.Report)
	}
	return &out
}

// assumptions returns the assumptions of all sources, without duplicates. at maps the instances of each source to the
// joined report; other instances are omitted.
func (j *joining) assumptions(at []map[int]int) []found.Assumption {
	var list []found.Assumption
	affected := []map[int]bool{}
	for i, s := range j.sources {
		for _, a := range s.Assumptions {
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

// keyOf returns the finding of an instance.
func keyOf(in *Instance) findingKey {
	return findingKey{in.Kind, in.Pos.File, in.Pos.Line, in.Pos.Column}
}

// findings returns the instances of each finding, as indexes into the report.
func findings(r *Report) map[findingKey][]int {
	m := map[findingKey][]int{}
	for i := range r.Instances {
		k := keyOf(&r.Instances[i])
		m[k] = append(m[k], i)
	}
	return m
}

// has reports whether a predicate is true of one of the instances.
func has(r *Report, instances []int, is func(*Instance) bool) bool {
	return slices.ContainsFunc(instances, func(i int) bool { return is(&r.Instances[i]) })
}

// addCost adds the cost of another run of the same proof.
func (r *Report) addCost(other *Report) {
	r.Stats.Nanoseconds += other.Stats.Nanoseconds
	r.Stats.Executions += other.Stats.Executions
	r.Stats.Unrolled = sumUnrollings(slices.Concat(r.Stats.Unrolled, other.Stats.Unrolled))
	r.Stats.SolverQueries += other.Stats.SolverQueries
	r.Stats.SolverConflicts += other.Stats.SolverConflicts
}
