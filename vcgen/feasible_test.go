package vcgen

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smt/smttest"
)

// checkCounter counts the solvers that were created, and the queries to each.
type checkCounter struct {
	*smttest.Enumerator
	checks *int
	broken func(checks int) bool
}

func (s *checkCounter) Check(ctx context.Context, assumptions []smt.Term, steps int64) smt.Result {
	*s.checks++
	if s.broken != nil && s.broken(*s.checks) {
		*s.Queries++
		return smt.Result{Answer: smt.Failed, Reason: "memory limit"}
	}
	return s.Enumerator.Check(ctx, assumptions, steps)
}

// TestFeasibleIterations checks that a loop without a constant bound is unrolled as long as its next iteration is
// feasible. The queries share a solver; if that breaks, each gets its own.
func TestFeasibleIterations(t *testing.T) {
	body := `entry:
%n = call zeroext i8 @nd_uint8_t() @2
%k = icmp ult i8 %n, 6
call void @assume(i1 %k) @3
br label %head
head:
%i = phi i8 [ 0, %entry ], [ %j, %body ]
%s = phi i8 [ 0, %entry ], [ %u, %body ]
%c = icmp ult i8 %i, %n
br i1 %c, label %body, label %end @4
body:
%x = call zeroext i1 @nd_bool() @5
%w = zext i1 %x to i8
%u = add i8 %s, %w
%b = icmp ult i8 %s, 5
call void @sassert(i1 %b) @6
%j = add i8 %i, 1
br label %head
end:
%e = icmp ule i8 %s, %n
call void @sassert(i1 %e) @7
ret i32 0 @9
`
	for name, broken := range map[string]func(solver, check int) bool{
		"works":           nil,
		"breaks at once":  func(solver, check int) bool { return solver == 2 },
		"breaks later on": func(solver, check int) bool { return solver == 2 && check > 2 },
	} {
		var checks []*int
		var solvers []*smttest.Enumerator
		var r *Report
		at := func() map[int]Instance {
			opts := Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}}
			var err error
			r, err = Verify(context.Background(), program(t, body), "main", opts, func(c *smt.Context) (smt.Solver, error) {
				n, k := len(checks)+1, new(int)
				checks = append(checks, k)
				solvers = append(solvers, &smttest.Enumerator{C: c, Queries: new(int)})
				s := &checkCounter{solvers[n-1], k, nil}
				if broken != nil {
					s.broken = func(check int) bool { return broken(n, check) }
				}
				return s, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			worst := map[int]Instance{}
			for _, i := range r.Instances {
				if old, ok := worst[i.Pos.Line]; !ok || old.Verdict != found.Proved {
					worst[i.Pos.Line] = i
				}
			}
			return worst
		}()
		expect(t, at, map[int]found.Verdict{6: found.Proved, 7: found.Proved})
		// The first solver is the one of reachability, the second the first one of feasibility.
		if most := *checks[1]; broken == nil && most < 3 {
			t.Errorf("%s: %d questions went to the solver that they share", name, most)
		}
		if a, b := solvers[0].Outlook, solvers[1].Outlook; a != smt.Mixed || b != smt.MostlySat {
			t.Errorf("%s: they expect %v and %v, want %v and %v", name, a, b, smt.Mixed, smt.MostlySat)
		}
		if r.Stats.Mechanisms["feasible-by-query"] < 3 {
			t.Errorf("%s: the bound of the loop was not asked for: %v", name, r.Stats.Mechanisms)
		}
	}
}

// stepLimited is a solver that answers no feasibility query.
type stepLimited struct{ *smttest.Enumerator }

func (stepLimited) Check(context.Context, []smt.Term, int64) smt.Result {
	return smt.Result{Answer: smt.StepLimit}
}

// TestFeasibleElsewhere checks that the facts of one loop's iterations do not affect other places, and that an
// undecided iteration is executed.
func TestFeasibleElsewhere(t *testing.T) {
	body := `entry:
%n = call zeroext i8 @nd_uint8_t() @2
%k = icmp ult i8 %n, 4
call void @assume(i1 %k) @3
%c = call zeroext i1 @nd_bool() @4
br i1 %c, label %first, label %second
first:
%i = phi i8 [ 0, %entry ], [ %j, %one ]
%p = icmp ult i8 %i, %n
%pc = and i1 %p, %c
br i1 %pc, label %one, label %end @5
one:
%a = icmp ult i8 %i, 2
call void @sassert(i1 %a) @8
%j = add i8 %i, 1
br label %first
second:
%x = phi i8 [ 0, %entry ], [ %y, %two ]
%q = icmp ult i8 %x, %n
br i1 %q, label %two, label %end @6
two:
%b = icmp ult i8 %x, 2
call void @sassert(i1 %b) @7
%y = add i8 %x, 1
br label %second
end:
ret i32 0 @9
`
	for name, limited := range map[string]bool{"answered": false, "limited": true} {
		made := 0
		r, err := Verify(context.Background(), program(t, body), "main", Options{
			Semantics: found.Semantics{Checks: found.DefaultChecks()}},
			func(c *smt.Context) (smt.Solver, error) {
				made++
				s := &smttest.Enumerator{C: c, Queries: new(int)}
				if limited && made == 2 { // the solver of feasibility
					return stepLimited{s}, nil
				}
				return s, nil
			})
		if err != nil {
			t.Fatal(err)
		}
		failed := map[int]bool{}
		for _, i := range r.Instances {
			failed[i.Pos.Line] = failed[i.Pos.Line] || i.Verdict == found.Failed
		}
		if !failed[7] || !failed[8] {
			t.Errorf("%s: a violation in the third iteration of a loop was not found: by line %v", name, failed)
		}
	}
}
