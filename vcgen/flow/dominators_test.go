package flow

import (
	"slices"
	"testing"
)

// dominates reports whether every path from the entry to b leads through a.
func (fn *Function) dominates(a, b int) bool { return a == b || !fn.reachable([]int{0}, a)[b] }

// TestDominatorsOfRandomGraphs compares immediate dominators with the definition: removing a dominator makes the block
// unreachable.
func TestDominatorsOfRandomGraphs(t *testing.T) {
	overRandomGraphs(t, func(t *testing.T, fn *Function) {
		reached := fn.reachable([]int{0})
		for b := range fn.Nodes {
			want := -1
			for d := range fn.Nodes {
				if reached[b] && reached[d] && d != b && fn.dominates(d, b) && (want < 0 || fn.dominates(want, d)) {
					want = d
				}
			}
			if got := fn.Nodes[b].Idom; got != want {
				t.Errorf("the immediate dominator of %s is %s, want %s", fn.name(b), fn.name(got), fn.name(want))
			}
		}
	})
}

func TestCommonDominator(t *testing.T) {
	overRandomGraphs(t, func(t *testing.T, fn *Function) {
		reached := fn.reachable([]int{0})
		for a := range fn.Nodes {
			for b := range fn.Nodes {
				want := -1
				for d := range fn.Nodes {
					both := reached[a] && reached[b] && reached[d] && fn.dominates(d, a) && fn.dominates(d, b)
					if both && (want < 0 || fn.dominates(want, d)) {
						want = d
					}
				}
				if got := fn.commonDominator(a, b); reached[a] && reached[b] && got != want {
					t.Errorf("the last that dominates %s and %s is %s, want %s", fn.name(a), fn.name(b), fn.name(got), fn.name(want))
				}
			}
		}
	})
}

// TestResumeOfRandomGraphs checks Resume against its definition. It is the first block behind the check that all
// terminating executions without a failure pass, if it is ordered after the failure.
func TestResumeOfRandomGraphs(t *testing.T) {
	resumes := 0
	overRandomGraphs(t, func(t *testing.T, fn *Function) {
		var failures, ends []int
		for b := range fn.Nodes {
			switch {
			case fn.endsInFailure(b):
				failures = append(failures, b)
			case !slices.ContainsFunc(fn.Nodes[b].Succs, func(s int) bool { return !fn.endsInFailure(s) }):
				ends = append(ends, b)
			}
		}
		comesToAnEnd := func(from int, without ...int) bool {
			seen := fn.reachable([]int{from}, append(without, failures...)...)
			return slices.ContainsFunc(ends, func(e int) bool { return seen[e] })
		}
		for _, f := range failures {
			check, want := fn.Nodes[f].Idom, -1
			if check >= 0 && comesToAnEnd(check) {
				// Of the blocks that all pass, the one from which all others are still ahead.
				var passed []int
				for b := range fn.Nodes {
					if b != check && fn.Nodes[b].Order >= 0 && !comesToAnEnd(check, b) {
						passed = append(passed, b)
					}
				}
				for _, b := range passed {
					first := !slices.ContainsFunc(passed, func(p int) bool {
						seen := fn.reachable([]int{check}, append([]int{p}, failures...)...)
						return p != b && !seen[b]
					})
					if first {
						want = b
					}
				}
				if want >= 0 && fn.Nodes[want].Order <= fn.Nodes[f].Order {
					want = -1
				}
			}
			if got := fn.Nodes[f].Resume; got != want {
				t.Errorf("behind the check of %s, at %s, executions go on at %s, want %s: %s",
					fn.name(f), fn.name(check), fn.name(got), fn.name(want), fn.wto())
			}
			if want >= 0 {
				resumes++
			}
		}
	})
	if resumes < 60 {
		t.Errorf("only %d failures had such a block", resumes)
	}
}
