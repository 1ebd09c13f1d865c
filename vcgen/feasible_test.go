package vcgen

import (
	"context"
	"testing"

	"github.com/unitproof/unitproof/vcgen/seair"
	"github.com/unitproof/unitproof/vcgen/smt"
)

// checkCounter counts the solvers that were made, and the questions to each.
type checkCounter struct {
	*enumerator
	checks *int
	broken func(checks int) bool
}

func (s *checkCounter) Check(ctx context.Context, assumptions []smt.Term, steps int64) smt.Result {
	*s.checks++
	if s.broken != nil && s.broken(*s.checks) {
		*s.queries++
		return smt.Result{Answer: smt.Failed, Reason: "memory limit"}
	}
	return s.enumerator.Check(ctx, assumptions, steps)
}

// A loop whose bound is not constant runs as long as its next iteration is feasible; the questions share a solver, and where that
// breaks each gets one of its own.
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
		var r *Report
		at := func() map[int]Instance {
			opts := Options{Checks: seair.DefaultChecks()}
			var err error
			r, err = Verify(context.Background(), program(t, body), "main", opts, func(c *smt.Context) (smt.Solver, error) {
				n, k := len(checks)+1, new(int)
				checks = append(checks, k)
				s := &checkCounter{&enumerator{c: c, queries: new(int)}, k, nil}
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
				if old, ok := worst[i.Pos.Line]; !ok || old.Verdict != Proved {
					worst[i.Pos.Line] = i
				}
			}
			return worst
		}()
		expect(t, at, map[int]Verdict{6: Proved, 7: Proved})
		// The first solver is that of reachability, the second one the first that feasibility made.
		if most := *checks[1]; broken == nil && most < 3 {
			t.Errorf("%s: %d questions went to the solver that they share", name, most)
		}
		if r.Stats.Mechanisms["feasible-by-query"] < 3 {
			t.Errorf("%s: the bound of the loop was not asked for: %v", name, r.Stats.Mechanisms)
		}
	}
}
