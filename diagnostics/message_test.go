package diagnostics

import (
	"reflect"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen"
	"github.com/unitproof/unitproof/vcgen/found"
)

func TestMessages(t *testing.T) {
	vars := []found.Variable{{Name: "r", Value: "100"}, {Name: "hi", Value: "99"}, {Name: "r", Value: "1"},
		{Name: "g->limit", Value: "80"},
		{Name: "p", Value: "buf+40 (one past end)"}, {Name: "ok", Value: "0"}, {Name: "a[i]", Value: "65 'A'"},
		{Name: "i", Value: "3"},
		{Name: "big", Value: strings.Repeat("9", 99)}}
	failed := vcgen.Instance{Verdict: found.Failed, Counterexample: &found.Counterexample{Vars: vars}}
	with := func(in vcgen.Instance, change func(*vcgen.Instance)) vcgen.Instance {
		change(&in)
		return in
	}
	tests := []struct {
		kind found.Kind
		src  string // the position is its first byte other than a space
		in   vcgen.Instance
		want string
	}{
		{"assertion", "  sassert(r <= hi);", failed, "`r <= hi` is false: r = 100, hi = 99"},
		{"assertion", "assert(f(r) && r <= g -> limit /* max */\n  && s.r);", failed,
			"`f(r) && r <= g -> limit && s.r` is false: r = 100, g->limit = 80"},
		{"assertion", "__CPROVER_assert(a[i] == 'r', \"hi, r\");", failed, "`a[i] == 'r'` is false: a[i] = 65 'A', i = 3"},
		{"assertion", "sassert(p->next != NULL);", failed, "`p->next != NULL` is false: p = buf+40 (one past end)"},
		{"assertion", "sassert(ok);", failed, "`ok` is false"},
		{"assertion", "sassert(big);", failed, "`big` is false"},
		{"assertion", "CHECK_NOT(r);", failed, "`CHECK_NOT(r)` fails: r = 100"},
		{"assertion", "sassert(0);", with(failed, func(in *vcgen.Instance) { in.ConstFalse = true }),
			"`sassert(0)` is reached"},
		{"assertion", "reach_error();", with(failed, func(in *vcgen.Instance) { in.ConstFalse = true }),
			"`reach_error()` is reached"},
		{"assertion", "if (r) sassert(r <= hi);", failed, "`r <= hi` is false: r = 100, hi = 99"},
		{"assertion", "x;", failed, "the assertion is false"},
		{"assertion", "sassert(r <= hi);", is(found.Proved), "`r <= hi` holds"},
		{"assertion", "sassert(r <= hi);", vcgen.Instance{Verdict: found.Bounded, Loop: "f#1", Bound: 4},
			"`r <= hi` holds within the bounds; loop `f#1` was cut after 4 iterations"},
		{"assertion", "sassert(r <= hi);", vcgen.Instance{Verdict: found.Bounded, Loop: "f#1", Bound: 4,
			Reason: found.Reason{Why: found.HoldsInBounds, Name: "f#1", N: 4,
				Cause: &found.Reason{Why: found.Timeout, Name: "1m0s"}}},
			"`r <= hi` holds up to 4 iterations of loop `f#1`; nothing is known beyond: timeout of 1m0s reached"},
		{"assertion", "sassert(r <= hi);", vcgen.Instance{Verdict: found.Unknown,
			Reason: found.Reason{Why: found.DependsOnBody, Name: "log_msg"}},
			"`r <= hi` could not be decided: depends on log_msg"},
		{"assertion", "sassert(r <= hi);", is(found.Unknown), "`r <= hi` could not be decided: no reason given"},
		{"division-by-zero", "/ z;", failed, "divides by zero"},
		{"division-by-zero", "/ z;",
			vcgen.Instance{Verdict: found.Failed, Counterexample: &found.Counterexample{Message: "divides 3 by 0."}},
			"divides 3 by 0"},
		{"division-by-zero", "/ z;", is(found.Proved), "the divisor is not zero"},
		{"unwinding", "depth(n - 1);", vcgen.Instance{Verdict: found.Bounded, Loop: "depth", Bound: 4},
			"the recursion of `depth` was cut at depth 4 and may need more (--unwind 8)"},
		{"new-kind", "x", failed, "is violated"},
	}
	for _, test := range tests {
		test.in.Kind = test.kind
		column := len(test.src) - len(strings.TrimLeft(test.src, " ")) + 1
		test.in.Pos = found.Pos{File: "/w/p.c", Line: 1, Column: column, Function: "main"}
		p := Group(&vcgen.Report{EndReached: true, Instances: []vcgen.Instance{test.in}},
			func(string) []byte { return []byte(test.src) }, meta())
		if got := p.Obligations[0].Message; got != test.want {
			t.Errorf("%s:\n got  %s\n want %s", test.src, got, test.want)
		}
	}
}

func TestContradiction(t *testing.T) {
	taken := true
	not := false
	f := Finding{File: "p.c"}
	add := func(c CoreEntry) string {
		f.VacuityCore = append(f.VacuityCore, c)
		return contradiction(&f)
	}
	for _, test := range []struct{ got, want string }{
		{contradiction(&f), ""},
		{add(CoreEntry{Kind: "assume", Text: "x < x", File: "p.c", Line: 3}),
			": the assumption `x < x` (line 3) can never hold"},
		{add(CoreEntry{Kind: "branch", Text: "!(y)", Condition: "y", Taken: &not, File: "q.c", Line: 4}),
			": the assumption `x < x` (line 3) contradicts `y` being false (q.c:4)"},
		{add(CoreEntry{Kind: "branch", Text: "z", Condition: "z", Taken: &taken, File: "p.c", Line: 5}),
			": the assumption `x < x` (line 3), `y` being false (q.c:4) and `z` (line 5) contradict each other"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

func TestLValues(t *testing.T) {
	got := lvaluesIn([]byte("f(a.b) + c->d . e [ i+1 ].x == sizeof(int) && \"s\" && 'c' && 0x1f && a.b"))
	want := []string{"a.b", "c->d.e[i+1].x", "i", "int"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestMessagePerKind writes the message of every kind and verdict without data from the engine.
func TestMessagePerKind(t *testing.T) {
	var b strings.Builder
	for _, k := range found.Kinds() {
		b.WriteString(string(k) + "\n")
		for _, v := range []found.Verdict{found.Failed, found.Unknown, found.Bounded, found.Vacuous, found.Proved,
			found.Unreached} {
			in := vcgen.Instance{Kind: k, Verdict: v, Reason: found.Reason{Why: found.Stopped, Text: "the step budget ended"},
				Pos: found.Pos{File: "p.c", Line: 1, Column: 1}}
			if v == found.Bounded {
				in.Loop, in.Bound = "f#1", 4
			}
			m := meta()
			if v == found.Vacuous {
				m.Options.Vacuity = string(vcgen.VacuityAll)
			}
			f := Group(&vcgen.Report{EndReached: true, Instances: []vcgen.Instance{in}},
				func(string) []byte { return []byte("sassert(x == y);") }, m).Obligations[0]
			b.WriteString("  " + string(v))
			if f.Verdict != v {
				b.WriteString(" (" + string(f.Verdict) + ")")
			}
			b.WriteString(": " + f.Message + "\n")
		}
	}
	golden(t, "messages.golden", []byte(b.String()))
}
