package vcgen

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smt/smttest"
	"github.com/unitproof/unitproof/vcgen/unfold"
)

// TestLimitTold checks the reasons of findings that are open because memory or time ended: they, and the proof, name
// the limit, and the result is not cached.
func TestLimitTold(t *testing.T) {
	m := program(t, `
%x = call zeroext i8 @nd_uint8_t()
%other = icmp ne i8 %x, 7
call void @sassert(i1 %other) @4
ret i32 0 @5
`)
	memory, clock := found.Reason{Why: found.MemoryLimit, Name: "1G"}, found.Reason{Why: found.Timeout, Name: "1m0s"}
	for _, c := range []struct {
		name string
		ends func(scarce, late, cancel, expire func()) func()
		want found.Reason
	}{
		{"memory", func(scarce, _, _, _ func()) func() { return scarce }, memory},
		{"time of the whole", func(_, late, _, _ func()) func() { return late }, clock},
		{"time of the proof", func(_, _, _, expire func()) func() { return expire }, clock},
		{"somebody", func(_, _, cancel, _ func()) func() { return cancel }, found.Reason{Why: found.Cancelled}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, end := context.WithCancelCause(t.Context())
			defer end(nil)
			var stop func()
			opts := Options{Semantics: found.Semantics{Checks: found.DefaultChecks()},
				Disable: map[Mechanism]bool{Executions: true}, Limits: Limits{
					Memory: memory, Time: clock,
					Watch: func(_ float64, scarce, late func()) func() {
						stop = c.ends(scarce, late, func() { end(nil) }, func() { end(context.DeadlineExceeded) })
						return func() {}
					}}}
			queries := 0
			r, err := Verify(ctx, m, "main", opts, func(c *smt.Context) (smt.Solver, error) {
				return &smttest.Enumerator{C: c, Queries: &queries, Fault: func([]smt.Term) *smt.Result {
					stop()
					return &smt.Result{Answer: smt.Cancelled}
				}}, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Instances) != 1 || r.Instances[0].Verdict != found.Unknown || r.Instances[0].Reason != c.want {
				t.Errorf("%+v", r.Instances)
			}
			if c.want.Why == found.Cancelled {
				c.want = found.Reason{} // the canceller knows its reason
			}
			if r.Reason != c.want || r.Stats.Unsettled == 0 {
				t.Errorf("the proof: %+v, %d unsettled", r.Reason, r.Stats.Unsettled)
			}
		})
	}
}

// countsToN is a loop that counts up to an arbitrary byte.
const countsToN = `entry:
%n = call zeroext i8 @nd_uint8_t() @2
br label %head
head:
%i = phi i8 [ 0, %entry ], [ %j, %body ]
%c = icmp ult i8 %i, %n
br i1 %c, label %body, label %end @4
body:
%j = add i8 %i, 1
br label %head
end:
%e = icmp ule i8 %i, %n
call void @sassert(i1 %e) @7
ret i32 0 @9
`

// TestInductionStops checks that induction that takes too long leaves time for everything else. It is tried again when
// the whole had its turn, and gets all remaining time when nothing else is to be done.
func TestInductionStops(t *testing.T) {
	m := program(t, countsToN)
	for name, c := range map[string]struct {
		budget int64
		late   bool
	}{"by work": {budget: 1}, "by time": {budget: never, late: true}} {
		t.Run(name, func(t *testing.T) {
			d := &deepening{ctx: t.Context(), m: m, entry: "main", loops: language.LoopsChecked, due: never, executeAt: never,
				far: len(farLooks), opts: Options{
					Semantics: found.Semantics{Checks: found.DefaultChecks()}}, make: realSolver}
			d.opts.Limits.Watch = func(share float64, _, late func()) func() {
				if c.late && share == inductionShare {
					late()
				}
				return func() {}
			}
			if r := tried(d, c.budget); r != nil || d.induction != nil || d.inducted {
				t.Errorf("it was not stopped: %+v", r)
			}
			d.inductAt = 1_000
			if d.step(d.inductAt-1, &unfold.Program{Long: true}) {
				t.Error("it is tried again before the whole had its turn")
			}
			if r := tried(d, 0); r == nil || !d.inducted {
				t.Errorf("with all time that is left: %+v", r)
			}
		})
	}
}

// TestInductionGoesOn checks that a search which its share of the work ended goes on where it was, and not from its
// beginning.
func TestInductionGoesOn(t *testing.T) {
	m := program(t, countsToN)
	for budget := int64(1); ; budget += budget/4 + 1 {
		d := &deepening{ctx: t.Context(), m: m, entry: "main", loops: language.LoopsChecked, due: never, executeAt: never,
			opts: Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}}, make: realSolver}
		switch r := tried(d, budget); {
		case r != nil:
			t.Fatal("no budget ends the search")
		case d.unsettled != nil:
			before := d.unsettled
			if r := tried(d, 0); r == nil || d.induction != before || d.unsettled != nil {
				t.Errorf("with all time that is left: %+v", r)
			}
			return
		}
	}
}

// TestEvaluationGoesOn checks that the obligations are evaluated again, after the whole had its turn, if the first
// evaluation with the invariants was stopped.
func TestEvaluationGoesOn(t *testing.T) {
	d := &deepening{ctx: t.Context(), m: program(t, countsToN), entry: "main", loops: language.LoopsChecked, due: never,
		executeAt: never, far: len(farLooks), violated: map[findingKey]bool{},
		opts: Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}}, make: realSolver}
	d.induct(nil, 0)
	if r := d.inductionReport(nil, 1); r != nil || !d.stopped {
		t.Fatalf("it was not stopped: %+v", r)
	}
	d.inductAt, d.concluded = 1_000, 1
	if d.step(d.inductAt-1, &unfold.Program{Long: true}) || d.settled != nil {
		t.Error("it goes on before the whole had its turn")
	}
	if !d.step(d.inductAt, &unfold.Program{Long: true}) || d.settled == nil || d.stopped {
		t.Error("it does not go on")
	}
}

// TestRoundLeaves checks that a deeper round that is stopped keeps its violations, and that the results of the round
// before it stay.
func TestRoundLeaves(t *testing.T) {
	m := program(t, `entry:
%n = call zeroext i8 @nd_uint8_t() @2
br label %head
head:
%i = phi i8 [ 0, %entry ], [ %j, %body ]
%c = icmp ult i8 %i, %n
br i1 %c, label %body, label %end @4
body:
%j = add i8 %i, 1
%k = icmp ult i8 %j, 2
call void @sassert(i1 %k) @5
br label %head
end:
%e = icmp ule i8 %i, %n
call void @sassert(i1 %e) @7
ret i32 0 @9
`)
	ctx, end := context.WithCancelCause(t.Context())
	defer end(nil)
	d := &deepening{ctx: ctx, m: m, entry: "main", loops: language.LoopsChecked,
		opts: Options{Semantics: found.Semantics{Checks: found.DefaultChecks()},
			Found: func(Instance) { end(context.DeadlineExceeded) }},
		make: func(c *smt.Context) (smt.Solver, error) {
			return &smttest.Enumerator{C: c, Queries: new(int)}, nil
		}}
	d.violated, d.reported = map[findingKey]bool{}, map[findingKey]bool{}
	if !d.round(0) || len(d.rounds) != 1 {
		t.Fatalf("the first round: %d reports", len(d.rounds))
	}
	if d.round(0) || len(d.rounds) != 1 || len(d.executed) != 1 || d.executed[0].Counterexample == nil {
		t.Fatalf("the round that is stopped: %d reports, %d violations", len(d.rounds), len(d.executed))
	}
	got := map[int]found.Verdict{}
	for _, in := range d.merge(nil, false).Instances {
		if in.Kind == found.Assertion && got[in.Pos.Line] != found.Failed {
			got[in.Pos.Line] = in.Verdict
		}
	}
	if got[5] != found.Failed || got[7] != found.Bounded {
		t.Errorf("%v", got)
	}
}

// TestEndlessLoopsFirst checks that induction is due at once if a long loop has no exit, and after some work otherwise.
func TestEndlessLoopsFirst(t *testing.T) {
	m := program(t, `entry:
br label %head
head:
%i = phi i8 [ 0, %entry ], [ %j, %head ]
%j = add i8 %i, 2
%e = icmp ne i8 %i, 5
call void @sassert(i1 %e) @7
br label %head
`)
	d := &deepening{ctx: t.Context(), m: m, entry: "main", loops: language.LoopsChecked, due: never, executeAt: never,
		far: len(farLooks), opts: Options{
			Semantics: found.Semantics{Checks: found.DefaultChecks()}}, make: func(c *smt.Context) (smt.Solver, error) {
			return &smttest.Enumerator{C: c, Queries: new(int)}, nil
		}}
	if d.step(0, &unfold.Program{Long: true}) {
		t.Error("induction is due before any work")
	}
	if !d.step(0, &unfold.Program{Long: true, Endless: true}) || !d.inducted {
		t.Error("induction is not due for a loop without an exit")
	}
}

// tried returns the result of one attempt of induction; nil if it has none.
func tried(d *deepening, budget int64) *Report {
	d.induct(nil, budget)
	return d.inductionReport(nil, 0)
}

// TestRoundsCutEveryLoop checks that rounds also cut loops with constant bounds if the time of the first round ends
// without a result. Their results hold within their bounds.
func TestRoundsCutEveryLoop(t *testing.T) {
	m := program(t, `entry:
%x = call zeroext i8 @nd_uint8_t() @1
br label %head
head:
%i = phi i8 [ 0, %entry ], [ %j, %body ]
%c = icmp ult i8 %i, 99
br i1 %c, label %body, label %end @4
body:
%other = icmp ule i8 %i, %x
call void @sassert(i1 %other) @5
%j = add i8 %i, 1
br label %head
end:
ret i32 0 @5
`)
	opts := Options{Semantics: found.Semantics{Checks: found.DefaultChecks()},
		Disable: map[Mechanism]bool{Executions: true}, Limits: Limits{
			Time: found.Reason{Why: found.Timeout, Name: "1m0s"},
			Watch: func(share float64, _, late func()) func() {
				if share < 1 {
					late()
				}
				return func() {}
			}}}
	queries := 0
	r, err := Verify(t.Context(), m, "main", opts, func(c *smt.Context) (smt.Solver, error) {
		return &smttest.Enumerator{C: c, Queries: &queries}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	verdicts := map[found.Verdict]int{}
	for _, in := range r.Instances {
		verdicts[in.Verdict]++
		if in.Verdict == found.Bounded && in.Loop != "main#1" {
			t.Errorf("%+v", in)
		}
	}
	if verdicts[found.Failed] != 1 || verdicts[found.Bounded] == 0 || len(verdicts) > 2 {
		t.Errorf("%v", verdicts)
	}
}
