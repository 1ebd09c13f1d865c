package vcgen

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
)

// reportMaker makes random reports about a few findings, with several instances each.
type reportMaker struct{ *rand.Rand }

// report returns a report. cut: it is of a run with cut loops, which has no violations.
func (x reportMaker) report(cut bool) *Report {
	r := &Report{EndReached: x.IntN(4) > 0, finished: x.IntN(3) > 0, inducted: cut && x.IntN(2) == 0}
	if !r.EndReached && x.IntN(2) == 0 {
		r.EndUnknown = found.Reason{Why: found.EndUndecided}
	}
	if x.IntN(8) == 0 {
		r.Reason = found.Reason{Why: found.TimeLimit}
	}
	for range x.IntN(8) {
		r.Instances = append(r.Instances, x.instance(cut))
	}
	return r
}

func (x reportMaker) instance(cut bool) Instance {
	kinds := []found.Kind{found.Assertion, found.Assertion, found.LoopInvariant, found.Assigns, found.SignedOverflow,
		found.Unwinding}
	k := x.IntN(len(kinds))
	in := Instance{Kind: kinds[k], Pos: found.Pos{File: "p.c", Line: k}}
	switch n := x.IntN(10); {
	case in.Kind == found.Unwinding: // a cut loop
		in.Verdict, in.Loop, in.Bound = found.Bounded, "f#1", 3
	case n < 3:
		in.Verdict = found.Proved
	case n < 4:
		in.Verdict = found.Unreached
	case n < 5 && !cut:
		in.Verdict = found.Failed
	case n < 7 && !cut:
		in.Verdict, in.Loop, in.Bound = found.Bounded, []string{"f#1", language.InputSize}[x.IntN(2)], 3
		in.Reason = found.Reason{Why: found.HoldsInBounds, Name: in.Loop, N: 3}
	default:
		reasons := []found.Reason{{Why: found.TimeLimit}, {Why: found.BehindUnknown}, {Why: found.BehindViolation},
			{Why: found.DependsOnBody}, {Why: found.NotInductive}, {Why: found.NotSupported},
			found.DependsOnPlace.Because(found.Reason{Why: found.DependsOnBody}),
			found.DependsOnPlace.Because(found.Reason{Why: found.TimeLimit})}
		in.Verdict, in.Reason = found.Unknown, reasons[x.IntN(len(reasons))]
	}
	return in
}

// standings returns the state of each finding of a report.
func standings(r *Report) map[findingKey]standing {
	out := map[findingKey]standing{}
	for key, instances := range findings(r) {
		out[key] = r.standing(instances)
	}
	return out
}

// mixed returns a copy of the report with its instances in another order.
func (x reportMaker) mixed(r *Report) *Report {
	out := *r
	out.Instances = slices.Clone(r.Instances)
	x.Shuffle(len(out.Instances), func(i, k int) {
		out.Instances[i], out.Instances[k] = out.Instances[k], out.Instances[i]
	})
	return &out
}

// rule checks what holds for every joined report: a finding that fails in a run fails, and one that holds does so in a
// run that is trusted. doubted are the runs that are not.
func rule(t *testing.T, out *Report, trusted, doubted []*Report) {
	t.Helper()
	is := standings(out)
	for _, r := range append(slices.Clone(trusted), doubted...) {
		for key, s := range standings(r) {
			if s == violated && is[key] != violated {
				t.Fatalf("%v fails in a run, and is %v", key, is[key])
			}
		}
	}
	for key, s := range is {
		if s == held && !slices.ContainsFunc(trusted, func(r *Report) bool { return standings(r)[key] == held }) {
			t.Fatalf("%v holds in no run that is trusted", key)
		}
	}
}

// TestJoin checks the joins of random reports.
func TestJoin(t *testing.T) {
	const tries = 4_000
	t.Run("ranks", func(t *testing.T) {
		x := reportMaker{rand.New(rand.NewPCG(1, 1))}
		for range tries {
			var list []source
			for i := range 2 + x.IntN(3) {
				role := role(x.IntN(len(ranks)))
				list = append(list, source{x.report(role.cuts()), role, i})
			}
			base := list[0].Report
			first := newJoining(slices.Clone(list)...).join(base)
			x.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
			if other := newJoining(list...).join(base); fmt.Sprint(other.Instances) != fmt.Sprint(first.Instances) {
				t.Fatalf("the order of the runs makes a difference:\n%v\n%v", first.Instances, other.Instances)
			}
			var all []*Report
			for _, s := range list {
				all = append(all, s.Report)
			}
			rule(t, first, all, nil)
		}
	})
	t.Run("cut loops", func(t *testing.T) {
		x := reportMaker{rand.New(rand.NewPCG(2, 2))}
		complete := 0
		for range tries {
			cut, unrolled := x.report(true), x.report(false)
			out := joinCut(cut, unrolled)
			trusted, _ := trust(cut, unrolled)
			_, known := unrolled.cutOff()
			switch {
			case !trusted:
				rule(t, out, []*Report{unrolled}, []*Report{cut})
			case cut.EndReached && cut.settledBut(known):
				complete++ // findings that cut loops do not reach hold by their form
			default:
				rule(t, out, []*Report{unrolled, cut}, nil)
			}
			mixed := joinCut(x.mixed(cut), x.mixed(unrolled))
			if a, b := standings(out), standings(mixed); fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("the order of instances makes a difference:\n%v\n%v", a, b)
			}
		}
		if complete < tries/100 {
			t.Errorf("%d runs settle everything", complete)
		}
	})
	t.Run("rounds", func(t *testing.T) {
		x := reportMaker{rand.New(rand.NewPCG(3, 3))}
		for range tries {
			d := &deepening{rounds: []*Report{x.report(false), x.report(false)}}
			full := x.report(false)
			full.finished = x.IntN(2) == 0
			out := d.merge(full, full.finished)
			rule(t, out, append(d.rounds, full), nil)
			mixed := &deepening{rounds: []*Report{x.mixed(d.rounds[0]), x.mixed(d.rounds[1])}}
			if a, b := standings(out), standings(mixed.merge(x.mixed(full), full.finished)); fmt.Sprint(a) != fmt.Sprint(b) {
				t.Fatalf("the order of instances makes a difference:\n%v\n%v", a, b)
			}
		}
	})
	t.Run("sizes", func(t *testing.T) {
		x := reportMaker{rand.New(rand.NewPCG(4, 4))}
		for range tries {
			small, next := x.report(false), x.report(false)
			is := standings(small)
			s := &sizes{max: 3, next: 1, frozen: map[findingKey]bool{}, decided: small}
			out := s.join(next, next.cutLoop() != nil)
			rule(t, out, []*Report{small, next}, nil)
			for key, after := range standings(out) {
				if before, ok := is[key]; ok && after == held && before != held {
					t.Fatalf("%v holds for all inputs, and is %v for small ones", key, before)
				}
			}
		}
	})
}

// TestRanks checks the relations between the rows of the table of ranks.
func TestRanks(t *testing.T) {
	for r, row := range ranks {
		for s, rank := range row {
			if standing(s) != violated && rank >= row[violated] || (rank == 0) != (standing(s) == absent) {
				t.Errorf("role %d, standing %d: %d", r, s, rank)
			}
		}
	}
	// An open finding of the program itself is told rather than one of cut loops, and a settled one rather than both.
	for _, cuts := range []role{cutsAll, cutsSome, cutsOpenly} {
		if ranks[unrolls][held] <= ranks[cuts][held] || ranks[unrolls][undecided] <= ranks[cuts][undecided] {
			t.Errorf("role %d", cuts)
		}
	}
	if ranks[cutsSome][final] >= ranks[unrolls][undecided] || ranks[cutsAll][final] <= ranks[unrolls][undecided] {
		t.Error("a reason that no other run removes counts if cut loops leave nothing else open, and only then")
	}
	if ranks[cutsOpenly][held] >= ranks[unrolls][short] {
		t.Error("a finding is taken from a run that is not trusted though another one has it")
	}
}
