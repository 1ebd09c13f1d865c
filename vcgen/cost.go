package vcgen

import (
	"cmp"
	"slices"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// What settling each obligation cost, and unrolling each loop, by the clock that Options has. Verdicts do not depend on
// it.

// charge divides the time since the last call equally among those whose question took it; nobody: it was for all.
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

// costsOf are where the costs of obligations are counted.
func costsOf(list []*status) []*int64 {
	costs := make([]*int64, len(list))
	for i, st := range list {
		costs[i] = &st.ins.Cost
	}
	return costs
}

// Unrolling is what unrolling took in one place of the program, over all rounds.
type Unrolling struct {
	Function string // that was executed
	// Loop is the innermost one that it was executed in, its own or a caller's, and At where that begins; "": in none.
	Loop        string
	At          found.Pos
	Nanoseconds int64 // by Options.Clock
	// Questions is how much of it went into whether a way can be taken at all, most often a loop's next iteration.
	Questions int64
}

// unrollings counts what unrolling takes while programs are unfolded.
type unrollings struct {
	clock func() int64
	at    unfold.Location
	since int64
	// executions is what executions with random inputs took, which are tried before and between rounds.
	executions int64
	by         map[unfold.Location]*Unrolling
}

func newUnrollings(clock func() int64) *unrollings {
	return &unrollings{clock: clock, by: map[unfold.Location]*Unrolling{}}
}

// unrolled counts what unrolling takes; nil: nobody wants to know.
func (e *engine) unrolled() *unrollings {
	if e.opts.Clock == nil {
		return nil
	}
	return e.opts.unrolled
}

// move is unfold.Options.At.
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

// question counts a question of the unfolding; what it returns ends it.
func (u *unrollings) question() (answered func()) {
	if u == nil || u.at == (unfold.Location{}) {
		return func() {}
	}
	began := u.clock()
	return func() { u.here().Questions += u.clock() - began }
}

// execution counts executions; what it returns ends them.
func (u *unrollings) execution() (ended func()) {
	began := u.clock()
	return func() { u.executions += u.clock() - began }
}

// list has the places in the order of what they took, rounds summed up.
func (u *unrollings) list() []Unrolling {
	all := make([]Unrolling, 0, len(u.by))
	for _, one := range u.by {
		all = append(all, *one)
	}
	return sumUnrollings(all)
}

// sumUnrollings joins those of one place, and sorts them by what they took.
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
