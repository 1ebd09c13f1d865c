package vcgen

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/pipeline/solver"
	"github.com/unitproof/unitproof/vcgen/ask"
	"github.com/unitproof/unitproof/vcgen/clangir"
	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/language"
	"github.com/unitproof/unitproof/vcgen/llvmir"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smt/smttest"
)

// program returns a module whose main has the body; a line that ends in "@N" is at line N.
func program(t *testing.T, body string) *clangir.Module {
	t.Helper()
	lines := map[string]bool{}
	var text strings.Builder
	text.WriteString(`target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"
define i32 @main() !dbg !4 {
`)
	at := regexp.MustCompile(`^(.*\S)\s+@(\d+)$`)
	for _, line := range strings.Split(body, "\n") {
		if m := at.FindStringSubmatch(line); m != nil {
			lines[m[2]] = true
			line = fmt.Sprintf("%s, !dbg !1%s", m[1], m[2])
		}
		text.WriteString(line + "\n")
	}
	text.WriteString(`}
declare zeroext i8 @nd_uint8_t()
declare zeroext i1 @nd_bool()
declare void @assume(i1)
declare void @sassert(i1)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, producer: "", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "p.c", directory: "/d")
!2 = !DISubroutineType(types: !5)
!3 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "main", scope: !1, file: !1, line: 1, type: !2, unit: !0, spFlags: DISPFlagDefinition)
!5 = !{}
`)
	if strings.Contains(body, "@__unitproof_loops") {
		text.WriteString(`declare i32 @__unitproof_loops()
declare void @__unitproof_invariant(i1, i8*)
declare void @__unitproof_stop()
`)
	}
	if strings.Contains(body, "@__unitproof_") {
		text.WriteString("declare void @__unitproof_assume(i1)\ndeclare void @__unitproof_assuming(i32)\n")
	}
	for n := range maps.Keys(lines) {
		fmt.Fprintf(&text, "!1%s = !DILocation(line: %s, column: 1, scope: !4)\n", n, n)
	}
	m, err := clangir.Read([]byte(text.String()), llvmir.ReadOptions{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	return m
}

// again returns the memo of the next run.
func again(t *testing.T, m *ask.Memo) *ask.Memo {
	t.Helper()
	segments, err := m.Segments()
	if err != nil {
		t.Fatal(err)
	}
	return ask.NewMemo(segments)
}

func realSolver(c *smt.Context) (smt.Solver, error) { return solver.New("", c, solver.Options{}) }

// verify checks a program; the result is the verdicts by line, with reasons.
func verify(t *testing.T, body string, opts Options, make func(*smttest.Enumerator)) (map[int]Instance, *Report, int) {
	t.Helper()
	queries := 0
	opts.Checks = found.DefaultChecks()
	r, err := Verify(context.Background(), program(t, body), "main", opts, func(c *smt.Context) (smt.Solver, error) {
		s := &smttest.Enumerator{C: c, Queries: &queries}
		if make != nil {
			make(s)
		}
		return s, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	at := map[int]Instance{}
	for _, i := range r.Instances {
		at[i.Pos.Line] = i
	}
	return at, r, queries
}

func expect(t *testing.T, at map[int]Instance, want map[int]found.Verdict) {
	t.Helper()
	for line, v := range want {
		if got := at[line]; got.Verdict != v {
			t.Errorf("line %d is %q (%v), want %q", line, got.Verdict, got.Reason, v)
		}
	}
}

// assertion returns "sassert(x CMP k)" at a line.
func assertion(name, x, cmp string, k, line int) string {
	return fmt.Sprintf("%%%s = icmp %s i8 %s, %d\ncall void @sassert(i1 %%%s) @%d\n", name, cmp, x, k, name, line)
}

func TestVerdicts(t *testing.T) {
	at, r, _ := verify(t, `entry:
%x = call zeroext i8 @nd_uint8_t() @2
%a = icmp ugt i8 %x, 3
call void @assume(i1 %a) @3
`+assertion("b", "%x", "ugt", 2, 4)+assertion("c", "%x", "ult", 200, 5)+`
%d = icmp ugt i8 %x, 250
br i1 %d, label %dead, label %end, !dbg !16
dead:
`+assertion("e", "%x", "eq", 7, 6)+`
br label %end
end:
ret i32 0 @9
`, Options{}, nil)
	expect(t, at, map[int]found.Verdict{4: found.Proved, 5: found.Failed, 6: found.Unknown})
	if !at[6].Reason.Behind() {
		t.Errorf("line 6 is not reached because of line 5: %+v", at[6])
	}
	cx := at[5].Counterexample
	if cx == nil || len(cx.Inputs) != 1 {
		t.Fatalf("line 5 has no counterexample with the one input: %+v", cx)
	}
	if !r.EndReached {
		t.Error("the end is reached")
	}
}

func TestVacuityCore(t *testing.T) {
	at, r, _ := verify(t, `entry:
%x = call zeroext i8 @nd_uint8_t() @2
%y = call zeroext i1 @nd_bool() @2
%a = icmp ugt i8 %x, 9
call void @assume(i1 %a) @3
call void @assume(i1 %y) @4
%c = icmp ult i8 %x, 5
call void @assume(i1 %c) @5
`+assertion("d", "%x", "eq", 1, 6)+`
ret i32 0 @9
`, Options{EntryFile: "/d/p.c", Vacuity: VacuityEntry}, nil)
	expect(t, at, map[int]found.Verdict{6: found.Unreached}) // the finding of all instances is vacuous
	var lines []int
	for _, c := range at[6].Core {
		lines = append(lines, c.Pos.Line)
	}
	if fmt.Sprint(lines) != "[3 5]" {
		t.Errorf("lines %v contradict each other, want 3 and 5", lines)
	}
	if r.EndReached {
		t.Error("no execution reaches the end")
	}
}

// TestQueriesDoNotGrow checks that without violations the number of queries does not grow with the number of
// obligations.
func TestQueriesDoNotGrow(t *testing.T) {
	count := func(n int) int {
		body := "entry:\n%x = call zeroext i8 @nd_uint8_t() @2\n%y = call zeroext i8 @nd_uint8_t() @2\n%s = xor i8 %x, " +
			"%y\n%t = or i8 %x, %y\n"
		for k := range n {
			body += fmt.Sprintf("%%m%d = add i8 %%s, %d\n%%n%d = sub i8 %%m%d, %d\n%%k%d = icmp ule i8 %%n%d, %%t\ncall void "+
				"@sassert(i1 %%k%d) @%d\n", k, k, k, k, k, k, k, k, 10+k)
			body += fmt.Sprintf("%%o%d = or i8 %%t, %d\n%%p%d = icmp ule i8 %%s, %%o%d\ncall void @sassert(i1 %%p%d) @%d\n", k,
				k, k, k, k, 500+k)
		}
		at, _, queries := verify(t, body+"ret i32 0 @9\n", Options{}, nil)
		for line, i := range at {
			if i.Verdict != found.Proved {
				t.Fatalf("line %d is %v (%v)", line, i.Verdict, i.Reason)
			}
		}
		return queries
	}
	few, many := count(2), count(20)
	if many > few {
		t.Errorf("%d queries for 4 assertions, %d for 40", few, many)
	}
}

// TestHardObligation checks that a single hard obligation is unknown with its reason, and does not affect the others.
func TestHardObligation(t *testing.T) {
	mentions := func(c *smt.Context, ts []smt.Term) bool {
		seen := map[smt.Term]bool{}
		var visit func(smt.Term) bool
		visit = func(x smt.Term) bool {
			if seen[x] {
				return false
			}
			seen[x] = true
			found := c.Op(x) == smt.OpUrem
			for _, a := range c.Args(x) {
				found = visit(a) || found
			}
			return found
		}
		for _, x := range ts {
			if visit(x) {
				return true
			}
		}
		return false
	}
	at, _, _ := verify(t, `entry:
%x = call zeroext i8 @nd_uint8_t() @2
%y = call zeroext i8 @nd_uint8_t() @2
%u = or i8 %x, 1
%a = xor i8 %x, %y
%b = or i8 %x, %y
%c = icmp ule i8 %a, %b
call void @sassert(i1 %c) @3
%d = urem i8 %y, %u
%e = icmp ult i8 %d, %u
call void @sassert(i1 %e) @4
%f = and i8 %x, %y
%g = icmp ule i8 %f, %b
call void @sassert(i1 %g) @5
%h = icmp ne i8 %f, 77
call void @sassert(i1 %h) @6
ret i32 0 @9
`, Options{}, func(s *smttest.Enumerator) {
		s.Fault = func(q []smt.Term) *smt.Result {
			if mentions(s.C, q) {
				return &smt.Result{Answer: smt.StepLimit, Reason: "conflict budget used up"}
			}
			return nil
		}
	})
	expect(t, at, map[int]found.Verdict{3: found.Proved, 4: found.Unknown, 5: found.Proved})
	if at[4].Reason.None() {
		t.Error("no reason for the unknown obligation")
	}
	// Line 6 is violated, but not certainly behind line 4.
	if v := at[6].Verdict; v == found.Proved || v == found.Unreached {
		t.Errorf("line 6 is %v", v)
	}
}

// TestBrokenSolvers checks that a solver that breaks, or gives wrong answers, leads to no verdict.
func TestBrokenSolvers(t *testing.T) {
	body := `entry:
%x = call zeroext i8 @nd_uint8_t() @2
%y = call zeroext i8 @nd_uint8_t() @2
%a = and i8 %x, %y
%b = or i8 %x, %y
%c = icmp ule i8 %a, %b
call void @sassert(i1 %c) @3
%d = icmp ne i8 %a, 77
call void @sassert(i1 %d) @4
ret i32 0 @9
`
	for name, make := range map[string]func(*smttest.Enumerator){
		"fails": func(s *smttest.Enumerator) {
			s.Fault = func([]smt.Term) *smt.Result {
				return &smt.Result{Answer: smt.Failed, Reason: "the solver process was killed"}
			}
		},
		"is stopped": func(s *smttest.Enumerator) {
			s.Fault = func([]smt.Term) *smt.Result { return &smt.Result{Answer: smt.Timeout, Reason: "timeout"} }
		},
		"lies": func(s *smttest.Enumerator) { s.Lie = true },
	} {
		at, _, _ := verify(t, body, Options{}, make)
		for _, line := range []int{3, 4} {
			if i := at[line]; i.Verdict != found.Unknown || i.Reason.None() {
				t.Errorf("a solver that %s: line %d is %v (%v)", name, line, i.Verdict, i.Reason)
			}
		}
	}
	_, err := Verify(context.Background(), program(t, body), "main", Options{
		Semantics: found.Semantics{Checks: found.DefaultChecks()}},
		func(*smt.Context) (smt.Solver, error) { return nil, errors.New("no such solver") })
	if err == nil || !strings.Contains(err.Error(), "no such solver") {
		t.Errorf("error %v", err)
	}
}

// TestCutLoop checks that an obligation to which a cut loop can lead is bounded, and that any other one is proved.
func TestCutLoop(t *testing.T) {
	at, _, _ := verify(t, `entry:
%n = call zeroext i8 @nd_uint8_t() @2
`+assertion("z", "%n", "ule", 255, 3)+`
br label %head
head:
%i = phi i8 [ 0, %entry ], [ %j, %body ]
%c = icmp ult i8 %i, %n
br i1 %c, label %body, label %end @4
body:
%b = icmp ult i8 %i, 255
call void @sassert(i1 %b) @5
%j = add i8 %i, 1
br label %head
end:
%e = icmp eq i8 %i, %n
call void @sassert(i1 %e) @6
ret i32 0 @9
`, Options{Unwind: 3}, nil)
	expect(t, at, map[int]found.Verdict{3: found.Proved, 5: found.Bounded, 6: found.Bounded})
}

// TestViolationsInParts checks a query about all obligations that is too hard, so that parts are queried. Each part
// rests on the obligations before it, and on none behind it.
func TestViolationsInParts(t *testing.T) {
	m := program(t, `
%x = call zeroext i8 @nd_uint8_t() @1
%a = icmp ult i8 %x, 200
call void @sassert(i1 %a) @2
%b = icmp ult i8 %x, 220
call void @sassert(i1 %b) @3
%c = icmp ult i8 %x, 100
call void @sassert(i1 %c) @4
%d = icmp ult i8 %x, 150
call void @sassert(i1 %d) @5
ret i32 0 @6
`)
	opts := Options{Semantics: found.Semantics{Checks: found.DefaultChecks()},
		Disable: map[Mechanism]bool{Executions: true}, SolverSteps: 1}
	for hard := range 4 { // number of queries without an answer
		queries := 0
		r, err := Verify(t.Context(), m, "main", opts, func(c *smt.Context) (smt.Solver, error) {
			return &smttest.Enumerator{C: c, Queries: &queries, Fault: func([]smt.Term) *smt.Result {
				if queries <= hard {
					return &smt.Result{Answer: smt.StepLimit}
				}
				return nil
			}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		want := map[int]found.Verdict{2: found.Failed, 3: found.Proved, 4: found.Failed, 5: found.Proved}
		for _, in := range r.Instances {
			// A single obligation may be too hard; then later ones rest on it.
			if in.Verdict != want[in.Pos.Line] && (hard < 2 || in.Verdict != found.Unknown) {
				t.Errorf("%d questions too hard, line %d: %s", hard, in.Pos.Line, in.Verdict)
			}
		}
	}
}

// TestHardObligationsLast checks that an obligation that is hard by itself is queried after all others. When the time
// for that ends it is unknown, and the reachability of the others is still determined.
func TestHardObligationsLast(t *testing.T) {
	m := program(t, `
%x = call zeroext i8 @nd_uint8_t() @1
%s = mul i8 %x, %x
%a = and i8 %s, 3
%b = icmp ne i8 %a, 2
call void @sassert(i1 %b) @2
%c = and i8 %s, 7
%d = icmp ne i8 %c, 5
call void @sassert(i1 %d) @3
%e = and i8 %s, 15
%f = icmp ne i8 %e, 8
call void @sassert(i1 %f) @4
ret i32 0 @5
`)
	clock := found.Reason{Why: found.Timeout, Name: "1m0s"}
	for _, ends := range []bool{false, true} {
		var late func()
		over := false
		opts := Options{Semantics: found.Semantics{Checks: found.DefaultChecks()},
			Disable: map[Mechanism]bool{Executions: true}, Limits: Limits{
				Time: clock,
				Watch: func(share float64, _, end func()) func() {
					if share == hardShare {
						late = end
					}
					return func() {}
				}}}
		queries, solvers := 0, 0
		var asked []string // in parts: a search pauses
		budgets, hard := map[string]int64{}, map[string]bool{}
		r, err := Verify(t.Context(), m, "main", opts, func(c *smt.Context) (smt.Solver, error) {
			solvers++
			s, solver := &smttest.Enumerator{C: c, Queries: &queries}, solvers
			s.Fault = func(question []smt.Term) *smt.Result {
				key := fmt.Sprint(solver, question)
				if budgets[key] == 0 {
					asked = append(asked, key)
				}
				budgets[key] += s.Budget
				switch n := slices.Index(asked, key); {
				case n < 2 || over && hard[fmt.Sprint(question)]: // about all, and about the first
					hard[fmt.Sprint(question)] = true
					return &smt.Result{Answer: smt.StepLimit}
				case ends && n == 4:
					over, hard[fmt.Sprint(question)] = true, true
					late()
					return &smt.Result{Answer: smt.Cancelled}
				case n == 4 && budgets[key] < ask.SingleBudget:
					return &smt.Result{Answer: smt.StepLimit}
				}
				return nil
			}
			return s, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		const small = batchBudget / 5
		if len(asked) < 5 || budgets[asked[0]] != small || budgets[asked[1]] != small ||
			!ends && budgets[asked[4]] != ask.SingleBudget {
			t.Errorf("questions %q with budgets %v", asked, budgets)
		}
		for _, in := range r.Instances {
			want, why := found.Proved, found.Reason{}
			if ends && in.Pos.Line == 2 {
				want, why = found.Unknown, clock
			}
			if in.Verdict != want || in.Reason != why {
				t.Errorf("the time ends: %t, line %d: %s, %+v; want %s", ends, in.Pos.Line, in.Verdict, in.Reason, want)
			}
		}
	}
}

// TestHardObligationsWarm checks that a run with cached answers makes the same queries, even if it has cached the
// later answer to a postponed query.
func TestHardObligationsWarm(t *testing.T) {
	m := program(t, `
%x = call zeroext i8 @nd_uint8_t() @1
%s = mul i8 %x, %x
%a = and i8 %s, 3
%b = icmp ne i8 %a, 2
call void @sassert(i1 %b) @2
ret i32 0 @3
`)
	opts := Options{Semantics: found.Semantics{Checks: found.DefaultChecks()},
		Disable: map[Mechanism]bool{Executions: true}, Memo: ask.NewMemo(nil)}
	asked := 0
	for run := range 2 {
		queries, spent := 0, int64(0)
		r, err := Verify(t.Context(), m, "main", opts, func(c *smt.Context) (smt.Solver, error) {
			s := &smttest.Enumerator{C: c, Queries: &queries}
			s.Fault = func([]smt.Term) *smt.Result {
				if spent += s.Budget; spent <= batchBudget/5 { // the small budget ends
					return &smt.Result{Answer: smt.StepLimit, Steps: s.Budget}
				}
				return nil
			}
			return s, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Instances) != 1 || r.Instances[0].Verdict != found.Proved {
			t.Fatalf("run %d: %+v", run, r.Instances)
		}
		switch {
		case run == 0:
			asked = r.Stats.SolverQueries
		case queries > 0 || r.Stats.CacheHits != asked || asked < 2:
			t.Errorf("%d questions, then %d are remembered and %d asked", asked, r.Stats.CacheHits, queries)
		}
		opts.Memo = again(t, opts.Memo)
	}
}

// TestCheapObligationsAtTheEnd checks a run whose time for queries about several obligations is over: each obligation
// is still decided if that is cheap.
func TestCheapObligationsAtTheEnd(t *testing.T) {
	m := program(t, `entry:
%x = call zeroext i8 @nd_uint8_t() @2
%y = call zeroext i8 @nd_uint8_t() @2
%a = and i8 %x, %y
%c = icmp ule i8 %a, %x
call void @sassert(i1 %c) @3
%d = icmp ule i8 %a, %y
call void @sassert(i1 %d) @4
ret i32 0 @9
`)
	for _, hurry := range []float64{0, 0.9} {
		opts := Options{Semantics: found.Semantics{Checks: found.DefaultChecks()}}
		opts.Limits.Watch = func(share float64, _, late func()) func() {
			if share == hurry {
				late()
			}
			return func() {}
		}
		r, err := runExtent(t.Context(), m, "main", opts, func(c *smt.Context) (smt.Solver, error) {
			return &smttest.Enumerator{C: c, Queries: new(int)}, nil
		}, extent{loops: language.LoopsChecked, hurry: hurry})
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range r.Instances {
			if in.Verdict != found.Proved {
				t.Errorf("share %g: line %d is %s (%v)", hurry, in.Pos.Line, in.Verdict, in.Reason)
			}
		}
	}
}
