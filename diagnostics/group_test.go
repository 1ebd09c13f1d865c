package diagnostics

import (
	"reflect"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

// one places instances of a kind at one position.
func one(kind found.Kind, instances ...vcgen.Instance) []vcgen.Instance {
	for i := range instances {
		instances[i].Kind = kind
		instances[i].Pos = found.Pos{File: root + "/p.c", Line: 3, Column: 5, Function: "main"}
	}
	return instances
}

func is(v found.Verdict) vcgen.Instance { return vcgen.Instance{Verdict: v} }

func inEntry(v found.Verdict) vcgen.Instance { return vcgen.Instance{Verdict: v, InEntryFile: true} }

func TestFindingVerdict(t *testing.T) {
	constFalse := vcgen.Instance{Verdict: found.Unreached, InEntryFile: true, ConstFalse: true}
	behind := vcgen.Instance{Verdict: found.Unknown, Reason: found.Reason{Why: found.BehindViolation,
		At: found.Pos{File: "/w/p.c", Line: 2}}}
	tests := []struct {
		name      string
		mode      vcgen.VacuityMode
		instances []vcgen.Instance
		want      found.Verdict
	}{
		{"failure beats all", "", one("assertion", is(found.Proved), is(found.Unknown), is(found.Failed), is(found.Bounded)),
			found.Failed},
		{"unknown beats bounded", "", one("assertion", is(found.Bounded), is(found.Unknown), is(found.Proved)),
			found.Unknown},
		{"bounded beats proved", "", one("assertion", is(found.Proved), is(found.Bounded)), found.Bounded},
		{"one reached and held", "", one("assertion", inEntry(found.Unreached), inEntry(found.Proved)), found.Proved},
		{"none reached, in the entry's file", "", one("assertion", inEntry(found.Unreached), inEntry(found.Unreached)),
			found.Vacuous},
		{"none reached, elsewhere", "", one("assertion", is(found.Unreached)), found.Unreached},
		{"none reached, no assertion", "", one("division-by-zero", inEntry(found.Unreached)), found.Unreached},
		{"none reached, vacuity all", vcgen.VacuityAll, one("division-by-zero", is(found.Unreached)), found.Vacuous},
		{"none reached, vacuity off", vcgen.VacuityOff, one("assertion", inEntry(found.Unreached)), found.Unreached},
		{"the engine's word vacuous is no finding's", vcgen.VacuityOff, one("assertion", inEntry(found.Vacuous)),
			found.Unreached},
		{"constant false", "", one("assertion", constFalse), found.Proved},
		{"constant false, vacuity all", vcgen.VacuityAll, one("assertion", constFalse, constFalse), found.Proved},
		{"constant false in one expansion of a macro", "", one("assertion", constFalse, inEntry(found.Unreached)),
			found.Vacuous},
		{"constant false and reached", "", one("assertion", vcgen.Instance{Verdict: found.Failed, ConstFalse: true}),
			found.Failed},
		{"behind a violation", "", one("assertion", behind, is(found.Proved)), found.Unknown},
		{"unwinding does not fail", "", one("unwinding", is(found.Failed)), found.Bounded},
		{"unwinding undecided", "", one("unwinding", is(found.Unknown)), found.Unknown},
		{"no verdict is not proved", "", one("assertion", is("")), found.Unknown},
		{"a strange verdict is not proved", "", one("assertion", is("fine"), is(found.Proved)), found.Unknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := meta()
			m.Options.Vacuity = string(test.mode)
			p := Group(&vcgen.Report{Entry: "main", EndReached: true, Instances: test.instances}, nil, m)
			if len(p.Obligations) != 1 {
				t.Fatalf("%d findings", len(p.Obligations))
			}
			f := p.Obligations[0]
			if f.Verdict != test.want {
				t.Errorf("got %s, want %s", f.Verdict, test.want)
			}
			if f.Instances != len(test.instances) {
				t.Errorf("instances = %d", f.Instances)
			}
			want := test.want
			if want == found.Unreached {
				want = found.Proved
			}
			if p.Verdict != want {
				t.Errorf("proof is %s, want %s", p.Verdict, want)
			}
		})
	}
}

func TestProofVerdict(t *testing.T) {
	accepted := one("signed-overflow", vcgen.Instance{Verdict: found.Failed, Accepted: true})
	tests := []struct {
		name   string
		mode   vcgen.VacuityMode
		report vcgen.Report
		want   found.Verdict
		reason string
	}{
		{"nothing to check", "", vcgen.Report{EndReached: true}, found.Proved, ""},
		{"no end", "", vcgen.Report{Instances: one("assertion", is(found.Proved))}, found.Vacuous,
			"no execution reaches an end of the entry"},
		{"no end, vacuity off", vcgen.VacuityOff, vcgen.Report{Instances: one("assertion", is(found.Proved))}, found.Proved,
			""},
		{"no end and a failure", "", vcgen.Report{Instances: one("assertion", is(found.Failed))}, found.Failed, ""},
		{"end undecided", "", vcgen.Report{EndUnknown: found.Reason{Why: found.StepBudget},
			Instances: one("assertion", is(found.Proved))}, found.Unknown,
			"not decided whether any execution reaches an end: the budget of solver steps (--solver-steps) ended"},
		{"unfolding did not end", "", vcgen.Report{EndReached: true, Reason: found.Reason{Why: found.Stopped,
			Text: "the step budget of unfolding ended"}}, found.Unknown, "the step budget of unfolding ended"},
		{"a failure before the end of the time", "", vcgen.Report{EndReached: true, Reason: found.Reason{Why: found.Stopped,
			Text: "the time ended"}, Instances: one("assertion", is(found.Failed))}, found.Failed,
			"not everything was checked: the time ended"},
		{"accepted takes no part", "", vcgen.Report{EndReached: true, Instances: accepted}, found.Proved, ""},
		{"accepted does not hide a dead proof", "", vcgen.Report{Instances: accepted}, found.Vacuous, "no execution"},
		{"bounded", "", vcgen.Report{EndReached: true, Instances: one("unwinding",
			vcgen.Instance{Verdict: found.Bounded, Loop: "f#1", Bound: 1,
				Reason: found.Reason{Why: found.LoopCut, Name: "f#1", N: 1}})},
			found.Bounded, "loop `f#1` (p.c:3) was cut after 1 iteration"},
		{"unknown", "", vcgen.Report{EndReached: true, Instances: one("assertion",
			vcgen.Instance{Verdict: found.Unknown, Reason: found.Reason{Why: found.DependsOnPlace,
				At: found.Pos{File: "/w/p.c", Line: 2}}})},
			found.Unknown, "depends on p.c:2 (assertion at p.c:3)"},
		{"a state in the way", "", vcgen.Report{EndReached: true,
			Bounded: found.Reason{Why: found.LoopCut, Name: "f#1", N: 1}, Instances: one("assertion",
				vcgen.Instance{Verdict: found.Bounded, Reason: found.Reason{Why: found.NotInductive},
					InTheWay: &found.Obstacle{Violation: &found.Counterexample{Message: "x is 3"}}})},
			found.Bounded, "of which only the loops' invariants are known (assertion at p.c:3)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := meta()
			m.Options.Vacuity = string(test.mode)
			p := Group(&test.report, nil, m)
			if p.Verdict != test.want || !strings.Contains(p.Reason, test.reason) || (test.reason == "") != (p.Reason == "") {
				t.Errorf("got %s %q, want %s %q", p.Verdict, p.Reason, test.want, test.reason)
			}
		})
	}
}

func TestAccepted(t *testing.T) {
	p := Group(failingReport(t), testSources, meta())
	for _, f := range p.Obligations {
		if f.Accepted != (f.Function == "hash_mix" && f.Verdict == found.Failed) {
			t.Errorf("%s [%s] at %d: accepted = %v", f.Verdict, f.Kind, f.Line, f.Accepted)
		}
		if f.Accepted && f.AcceptReason != "wraps on purpose" {
			t.Errorf("reason %q", f.AcceptReason)
		}
	}
	// An instance that no rule covers makes the finding not accepted.
	half := one("signed-overflow", vcgen.Instance{Verdict: found.Failed, Accepted: true}, is(found.Failed))
	if p := Group(&vcgen.Report{EndReached: true, Instances: half}, nil, meta()); p.Obligations[0].Accepted ||
		p.Verdict != found.Failed {
		t.Error("a finding was accepted of which one instance is not")
	}
}

func TestIDsSurviveEdits(t *testing.T) {
	ids := func(shift int, src string) []string {
		r := &vcgen.Report{EndReached: true}
		for _, line := range []int{1, 2, 3} {
			r.Instances = append(r.Instances, vcgen.Instance{Kind: "assertion", Verdict: found.Proved,
				Pos: found.Pos{File: "/w/a.c", Line: line + shift, Column: 1, Function: "f"}})
		}
		var out []string
		for _, f := range Group(r, func(string) []byte { return []byte(src) }, meta()).Obligations {
			out = append(out, f.ID)
		}
		return out
	}
	before := ids(0, "sassert(x);\nsassert(y);\nsassert(x);\n")
	after := ids(2, "\n\n  sassert(x);  // why\n\tsassert(y); /* z */\nsassert(x);\n")
	if !reflect.DeepEqual(before, after) {
		t.Errorf("ids changed: %v, %v", before, after)
	}
	if before[0] == before[2] || before[0] == before[1] {
		t.Errorf("ids are not unique: %v", before)
	}
}

func TestCallPathAndAssumptions(t *testing.T) {
	p := Group(failingReport(t), testSources, meta())
	if len(p.Assumptions) != 1 || len(p.Assumptions[0].Affects) != 3 {
		t.Errorf("assumptions: %+v", p.Assumptions)
	}
	r := vcgen.Report{Instances: []vcgen.Instance{{Kind: "out-of-bounds-read", Verdict: found.Failed,
		Pos:    found.Pos{File: "/w/a.c", Line: 9, Function: "f"},
		Stack:  []found.Pos{{File: "/w/b.c", Line: 4, Function: "main"}},
		Deeper: []found.Pos{{File: "/libc/strlen.c", Line: 2, Function: "strlen"}}}}}
	want := []Frame{{"main", "b.c", 4}, {"f", "a.c", 9}, {"strlen", "/libc/strlen.c", 2}}
	if got := Group(&r, nil, meta()).Obligations[0].CallPath; !reflect.DeepEqual(got, want) {
		t.Errorf("call path %+v", got)
	}
}

func TestGroupIsDeterministic(t *testing.T) {
	first := Group(failingReport(t), testSources, meta())
	for range 5 {
		if again := Group(failingReport(t), testSources, meta()); !reflect.DeepEqual(first, again) {
			t.Fatal("the same report gave another proof")
		}
	}
}

func TestRelative(t *testing.T) {
	if got := relativeText("/w", "at /w/a.c:3, not /x/w/a.c and (/w/b.c)"); got != "at a.c:3, not /x/w/a.c and (b.c)" {
		t.Error(got)
	}
}
