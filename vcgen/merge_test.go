package vcgen

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// TestMerge checks the combination of the runs of a proof for one finding, the shallowest first.
func TestMerge(t *testing.T) {
	limit := found.Reason{Why: found.Timeout, Name: "60s"}
	open := Instance{Verdict: found.Unknown, Reason: found.Reason{Why: found.TimeLimit}}
	is := func(v found.Verdict) Instance { return Instance{Verdict: v} }
	fails := func(n int) Instance { return Instance{Verdict: found.Failed, Bound: n} }
	last := fails(3)
	bounded := func(n int) Instance {
		return Instance{Verdict: found.Bounded, Bound: n, Loop: "f#1",
			Reason: found.Reason{Why: found.HoldsInBounds, Name: "f#1", N: int64(n)}}
	}
	cut := func(n int) Instance {
		return Instance{Kind: found.Unwinding, Pos: found.Pos{Line: 99}, Verdict: found.Bounded, Loop: "f#1", Bound: n,
			Reason: found.Reason{Why: found.LoopCut, N: int64(n)}}
	}
	none := Instance{}
	for _, c := range []struct {
		name    string
		rounds  []Instance // of round n, which cut the loop after n iterations; none: without the finding
		full    *Instance
		finally bool // the whole finished
		want    found.Verdict
		bound   int
		why     found.Why
	}{
		{"a violation that a shallow round found", []Instance{is(found.Failed), bounded(2)}, nil, false, found.Failed, 0, ""},
		{"the violation that was reported first", []Instance{fails(1), fails(2)}, &last, true, found.Failed, 1, ""},
		{"the deepest round that knows", []Instance{bounded(1), bounded(2), open}, nil, false, found.Bounded, 2,
			found.HoldsInBounds},
		{"proved where no cut leads", []Instance{is(found.Proved), open}, nil, false, found.Proved, 0, ""},
		{"open everywhere", []Instance{open, open}, nil, false, found.Unknown, 0, found.TimeLimit},
		{"not reached by the deepest", []Instance{open, none}, nil, false, found.Bounded, 2, found.BeyondBounds},
		{"the whole, if it knows", []Instance{bounded(1), bounded(2)}, &Instance{Verdict: found.Proved}, true, found.Proved,
			0, ""},
		{"a round, where the whole does not", []Instance{bounded(1), bounded(2)}, &open, true, found.Bounded, 2,
			found.HoldsInBounds},
		{"a violation, though the whole does not know", []Instance{is(found.Failed)}, &open, true, found.Failed, 0, ""},
		{"the whole alone, which was stopped", nil, &open, false, found.Unknown, 0, found.TimeLimit},
		{"what the whole does not have", []Instance{bounded(1)}, &none, true, "", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			report := func(in Instance) *Report {
				r := &Report{EndReached: true, finished: true}
				if in.Verdict != "" {
					in.Kind, in.Pos = found.Assertion, found.Pos{File: "p.c", Line: 7}
					r.Instances = append(r.Instances, in)
				}
				return r
			}
			d := &deepening{ended: limit}
			for i, in := range c.rounds {
				r := report(in)
				r.Instances = append(r.Instances, cut(i+1))
				d.rounds = append(d.rounds, r)
			}
			var full *Report
			if c.full != nil {
				full = report(*c.full)
			}
			out := d.merge(full, c.finally)
			var got Instance
			cuts := 0
			for _, in := range out.Instances {
				if in.Kind == found.Unwinding {
					if cuts++; in.Bound != len(c.rounds) {
						t.Errorf("a cut after %d iterations is told, there was one after %d", in.Bound, len(c.rounds))
					}
					continue
				}
				got = in
			}
			if got.Verdict != c.want || got.Bound != c.bound || got.Reason.Why != c.why {
				t.Errorf("%s, %d, %q", got.Verdict, got.Bound, got.Reason.Why)
			}
			if got.Verdict == found.Bounded && (got.Reason.Cause == nil || got.Reason.Cause.Why != found.Timeout) {
				t.Error("what ended the deeper runs is not told")
			}
			if wantCuts := min(len(c.rounds), map[bool]int{true: 0, false: 1}[c.finally]); cuts != wantCuts {
				t.Errorf("%d loops are told to be cut, want %d", cuts, wantCuts)
			}
			if one := !c.finally && c.full != nil && len(c.rounds) == 0; one && out.Reason.Why != found.Timeout {
				t.Errorf("the reason of the proof is %+v", out.Reason)
			}
			if c.finally != (out.Stats.Unsettled == 0) {
				t.Errorf("kept although it rests on time, or not kept although it does not: %d", out.Stats.Unsettled)
			}
		})
	}
}

// TestMergeNamesWhatWasTooHard checks the finding of a round that the whole, which went further, could not decide: a
// report with two bounds for one loop has to state why the smaller one counts.
func TestMergeNamesWhatWasTooHard(t *testing.T) {
	at := found.Pos{File: "p.c", Line: 7}
	round := &Report{EndReached: true, finished: true, Instances: []Instance{{Kind: found.Assertion, Pos: at,
		Verdict: found.Bounded, Loop: "f#1", Bound: 6, Reason: found.Reason{Why: found.HoldsInBounds, Name: "f#1", N: 6}}}}
	full := &Report{EndReached: true, finished: true, Instances: []Instance{{Kind: found.Assertion, Pos: at,
		Verdict: found.Unknown, Reason: found.Reason{Why: found.StepBudget, N: 400_000}}}}
	in := (&deepening{rounds: []*Report{round}}).merge(full, true).Instances[0]
	if in.Verdict != found.Bounded || in.Bound != 6 || in.Reason.Cause == nil || in.Reason.Cause.Why != found.StepBudget {
		t.Errorf("%s, %d, %+v", in.Verdict, in.Bound, in.Reason)
	}
}

// TestReachedFindings checks that a finding which is reached once is not said to be out of reach, and that one which
// never is stays so.
func TestReachedFindings(t *testing.T) {
	at := func(line int, v found.Verdict, why found.Why, bound int, reached bool) Instance {
		return Instance{Kind: found.Assertion, Pos: found.Pos{File: "a.c", Line: line}, Verdict: v, Loop: "f#1", Bound: bound,
			Reason: found.Reason{Why: why, Name: "f#1", N: int64(bound)}, reached: reached}
	}
	r := &Report{Instances: []Instance{
		at(1, found.Bounded, found.HoldsInBounds, 3, true), at(1, found.Bounded, found.BeyondBounds, 2, false),
		at(2, found.Proved, "", 0, true), at(2, found.Bounded, found.BeyondBounds, 2, false),
		at(3, found.Bounded, found.BeyondBounds, 2, false), at(3, found.Failed, "", 0, true),
		at(4, found.Bounded, found.BeyondBounds, 2, false),
	}}
	r.joinReached()
	for i, want := range map[int]found.Reason{
		1: {Why: found.HoldsInBounds, Name: "f#1", N: 3}, 3: {Why: found.HoldsInBounds, Name: "f#1", N: 2},
		4: {Why: found.BeyondBounds, Name: "f#1", N: 2}, 6: {Why: found.BeyondBounds, Name: "f#1", N: 2},
	} {
		if in := r.Instances[i]; in.Verdict != found.Bounded || in.Reason != want || in.Bound != int(want.N) {
			t.Errorf("instance %d: %v, %+v, bound %d, want %+v", i, in.Verdict, in.Reason, in.Bound, want)
		}
	}
}
