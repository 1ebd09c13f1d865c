package vcgen

import (
	"cmp"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// The costs of settling each obligation, and of unrolling each loop, by Options.Clock. Verdicts do not depend on them.

// charge divides the time since the last call equally among the given costs; without any, the time belongs to all.
func (p *plan) charge(costs ...*int64) {
	if p.opts.Clock == nil {
		return
	}
	now := p.opts.Clock()
	spent := now - p.charged
	p.charged = now
	for _, c := range costs {
		*c += spent / int64(len(costs))
	}
}

// costsOf returns the cost counters of obligations.
func costsOf(list []*status) []*int64 {
	costs := make([]*int64, len(list))
	for i, st := range list {
		costs[i] = &st.ins.Cost
	}
	return costs
}

// Unrolling is the time spent on unrolling at one place of the program, over all rounds.
type Unrolling struct {
	Function string // the executed function
	// Loop is the innermost loop around the place, its own or a caller's, and At its position; "" if there is none.
	Loop        string
	At          found.Pos
	Nanoseconds int64 // by Options.Clock
	// Questions is the part of it spent on feasibility queries, mostly of a loop's next iteration.
	Questions int64
}

// unrollings counts the time of unrolling while programs are unfolded.
type unrollings struct {
	clock func() int64
	at    unfold.Location
	since int64
	// executions is the time of executions with random inputs, which take place before and between rounds.
	executions int64
	by         map[unfold.Location]*Unrolling
}

func newUnrollings(clock func() int64) *unrollings {
	return &unrollings{clock: clock, by: map[unfold.Location]*Unrolling{}}
}

// unrolled returns the counters of unrolling; nil if they are not requested.
func (e *engine) unrolled() *unrollings {
	if e.opts.Clock == nil {
		return nil
	}
	return e.opts.unrolled
}

// move has the type of unfold.Options.At.
func (u *unrollings) move(to unfold.Location) {
	now := u.clock()
	if u.at != (unfold.Location{}) {
		u.here().Nanoseconds += now - u.since
	}
	u.at, u.since = to, now
}

func (u *unrollings) here() *Unrolling {
	one := u.by[u.at]
	if one == nil {
		one = &Unrolling{Function: u.at.Function}
		if l := u.at.Loop; l != nil {
			one.Loop = l.Name
			if l.At != nil && l.At.Loc != nil {
				one.At = found.Pos{File: l.At.Loc.File, Line: l.At.Loc.Line, Column: l.At.Loc.Col}
			}
		}
		u.by[u.at] = one
	}
	return one
}

// question begins to count a feasibility query; the result ends it.
func (u *unrollings) question() (answered func()) {
	if u == nil || u.at == (unfold.Location{}) {
		return func() {}
	}
	began := u.clock()
	return func() { u.here().Questions += u.clock() - began }
}

// execution begins to count executions; the result ends them.
func (u *unrollings) execution() (ended func()) {
	began := u.clock()
	return func() { u.executions += u.clock() - began }
}

// list returns the places in descending order of their times, summed over rounds.
func (u *unrollings) list() []Unrolling {
	all := make([]Unrolling, 0, len(u.by))
	for _, one := range u.by {
		all = append(all, *one)
	}
	return sumUnrollings(all)
}

// sumUnrollings adds up the entries of each place, and sorts them by time, descending.
func sumUnrollings(all []Unrolling) []Unrolling {
	type key struct{ function, loop string }
	by := map[key]int{}
	var out []Unrolling
	for _, one := range all {
		k := key{one.Function, one.Loop}
		i, ok := by[k]
		if !ok {
			i, by[k] = len(out), len(out)
			out = append(out, Unrolling{Function: one.Function, Loop: one.Loop, At: one.At})
		}
		out[i].Nanoseconds += one.Nanoseconds
		out[i].Questions += one.Questions
	}
	slices.SortFunc(out, func(a, b Unrolling) int {
		return cmp.Or(cmp.Compare(b.Nanoseconds, a.Nanoseconds), cmp.Compare(a.Function, b.Function),
			cmp.Compare(a.Loop, b.Loop))
	})
	return out
}
