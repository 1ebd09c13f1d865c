package vcgen

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
	"github.com/unitproof/unitproof/vcgen/smt"
	"github.com/unitproof/unitproof/vcgen/smt/smttest"
)

// instancesBehind has one finding, at line 20, with four instances. Two exclude each other, one is reached only
// through the violation of line 21, and one is excluded by the assumption.
var instancesBehind = func() string {
	body := "entry:\n%x = call zeroext i8 @nd_uint8_t() @2\n%ok = icmp ult i8 %x, 240\ncall void @assume(i1 %ok) @3\n"
	under := func(n int, cmp string, k int) {
		body += fmt.Sprintf("%%g%d = icmp %s i8 %%x, %d\nbr i1 %%g%d, label %%in%d, label %%out%d, !dbg !120\nin%d:\n", n,
			cmp, k, n, n, n, n)
		body += assertion(fmt.Sprintf("a%d", n), "%x", "ule", 250, 20)
		body += fmt.Sprintf("br label %%out%d\nout%d:\n", n, n)
	}
	under(1, "ult", 100)
	under(2, "ugt", 200)
	body += "%y = and i8 %x, 248\n" + assertion("fails", "%y", "ne", 144, 21) // the first model has 144
	under(3, "eq", 150)
	under(4, "ugt", 245)
	return body + "ret i32 0 @29\n"
}()

// verdictsAt returns the verdicts of the instances at a line, in execution order.
func verdictsAt(r *Report, line int) []found.Verdict {
	var out []found.Verdict
	for _, in := range r.Instances {
		if in.Pos.Line == line {
			out = append(out, in.Verdict)
		}
	}
	return out
}

func TestInstancesBehindAViolation(t *testing.T) {
	_, r, _ := verify(t, instancesBehind, Options{}, nil)
	if got, want := verdictsAt(r, 20), []found.Verdict{found.Proved, found.Proved, found.Unknown,
		found.Unreached}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := verdictsAt(r, 21); !slices.Equal(got, []found.Verdict{found.Failed}) {
		t.Errorf("line 21 is %q", got)
	}
	for _, in := range r.Instances {
		if in.Verdict == found.Unknown && !in.Reason.Behind() {
			t.Errorf("not said to be behind the violation: %+v", in)
		}
	}
}

// TestBehindWhichViolation checks that an obligation that is not examined names a violation on a path to it, not the
// first violation of another path.
func TestBehindWhichViolation(t *testing.T) {
	body := "entry:\n%x = call zeroext i8 @nd_uint8_t() @2\n" +
		"%low = icmp ult i8 %x, 100\nbr i1 %low, label %one, label %two, !dbg !120\none:\n" +
		assertion("first", "%x", "ugt", 100, 20) + assertion("behind", "%x", "ult", 50, 21) + "ret i32 0 @29\ntwo:\n" +
		assertion("second", "%x", "ult", 100, 22) + assertion("later", "%x", "ugt", 150, 23) + "ret i32 0 @29\n"
	_, r, _ := verify(t, body, Options{}, nil)
	for line, way := range map[int]int{21: 20, 23: 22} {
		for _, in := range r.Instances {
			if in.Pos.Line == line && (in.Reason.Why != found.BehindViolation || in.Reason.At.Line != way) {
				t.Errorf("line %d: %+v, want behind line %d", line, in.Reason, way)
			}
		}
		if got := verdictsAt(r, line); !slices.Equal(got, []found.Verdict{found.Unknown}) {
			t.Errorf("line %d: %q", line, got)
		}
	}
}

// TestUnansweredReach checks, for each query without an answer, that an instance that only a violation leads to is
// neither proved nor unreached.
func TestUnansweredReach(t *testing.T) {
	_, _, all := verify(t, instancesBehind, Options{}, nil)
	for from := range all {
		for _, to := range []int{from, all} {
			asked := 0
			_, r, _ := verify(t, instancesBehind, Options{}, func(s *smttest.Enumerator) {
				s.Fault = func([]smt.Term) *smt.Result {
					asked++
					if asked-1 >= from && asked-1 <= to {
						return &smt.Result{Answer: smt.StepLimit, Reason: "enough"}
					}
					return nil
				}
			})
			got := verdictsAt(r, 20)
			if len(got) != 4 || got[2] != found.Unknown || got[3] == found.Proved {
				t.Errorf("without answers %d to %d of %d: %q", from, to, all, got)
			}
			if v := verdictsAt(r, 21); v[0] == found.Proved || v[0] == found.Unreached {
				t.Errorf("without answers %d to %d of %d: line 21 is %q", from, to, all, v)
			}
		}
	}
}

// twoLoops has a loop of five iterations, and one that only an excluded execution reaches. Assertions are before them
// (line 20), behind the first (21) and behind the second (22). The unfolding reaches none of them within two
// iterations.
const twoLoops = `entry:
%x = call zeroext i8 @nd_uint8_t() @2
%small = icmp ult i8 %x, 9
call void @assume(i1 %small) @3
br i1 false, label %never, label %head, !dbg !12
never:
call void @sassert(i1 %small) @20
br label %head
head:
%i = phi i8 [ 0, %entry ], [ 0, %never ], [ %n, %body ]
%c = icmp ult i8 %i, 5
br i1 %c, label %body, label %out, !dbg !12
body:
%n = add i8 %i, 1
%y = mul i8 %x, %x
%odd = icmp eq i8 %y, 50
br i1 %odd, label %second, label %head, !dbg !12
second:
%k = phi i8 [ 0, %body ], [ %m, %again ]
%d = icmp ult i8 %k, 7
br i1 %d, label %again, label %past, !dbg !12
again:
%m = add i8 %k, 1
br label %second
past:
call void @sassert(i1 %small) @22
ret i32 0 @23
out:
call void @sassert(i1 %small) @21
ret i32 0 @24
`

// TestNotMetBehindACut checks that an assertion behind a reached cut is bounded, and that any other one that was not
// unfolded is unreached.
func TestNotMetBehindACut(t *testing.T) {
	at, r, _ := verify(t, twoLoops, Options{Unwind: 2}, nil)
	expect(t, at, map[int]found.Verdict{20: found.Unreached, 21: found.Bounded, 22: found.Bounded})
	cuts := 0
	for _, in := range r.Instances {
		if in.Kind == found.Unwinding {
			cuts++
		}
	}
	if cuts != 1 { // the second is behind a square that no number has
		t.Errorf("%d cuts are reached", cuts)
	}
	// Without the first loop's cut only the second's leads to them, and no execution reaches that.
	at, _, _ = verify(t, strings.Replace(twoLoops, "icmp ult i8 %i, 5", "icmp ult i8 %i, 1", 1), Options{Unwind: 2}, nil)
	expect(t, at, map[int]found.Verdict{20: found.Unreached, 21: found.Proved, 22: found.Unreached})
}

// rounds counts to x, which is assumed to be below a number. It asserts that a variable is below 3 (line 20), and has
// an assertion in the fourth iteration (21) and an unreachable one (22).
func rounds(assumed int, variable string) string {
	return fmt.Sprintf(`entry:
%%x = call zeroext i8 @nd_uint8_t() @2
%%b = call zeroext i1 @nd_bool() @2
%%w = zext i1 %%b to i8
%%other = shl i8 %%w, 2
%%few = icmp ult i8 %%x, %d
call void @assume(i1 %%few) @3
br i1 false, label %%never, label %%start, !dbg !12
never:
call void @sassert(i1 %%few) @22
br label %%start
start:
`, assumed) + assertion("first", variable, "ult", 3, 20) + `br label %head
head:
%i = phi i8 [ 0, %start ], [ %n, %next ]
%c = icmp ult i8 %i, %x
br i1 %c, label %body, label %out, !dbg !12
body:
%fourth = icmp eq i8 %i, 3
br i1 %fourth, label %late, label %next, !dbg !12
late:
call void @sassert(i1 %few) @21
br label %next
next:
%n = add i8 %i, 1
br label %head
out:
ret i32 0 @23
`
}

// TestNotMetBehindAViolation checks assertions that the unfolding omits. If an earlier assertion is violated on every
// path to it, it is behind that violation. If the assumptions exclude it, it is unreached, whatever is violated.
func TestNotMetBehindAViolation(t *testing.T) {
	at, _, _ := verify(t, rounds(8, "%x"), Options{}, nil)
	expect(t, at, map[int]found.Verdict{20: found.Failed, 21: found.Unknown, 22: found.Unreached})
	if !at[21].Reason.Behind() {
		t.Errorf("line 21 is not said to be behind the violation: %+v", at[21])
	}
	at, _, _ = verify(t, rounds(4, "%x"), Options{}, nil) // three iterations
	expect(t, at, map[int]found.Verdict{20: found.Failed, 21: found.Unknown, 22: found.Unreached})
	at, _, _ = verify(t, rounds(3, "%x"), Options{}, nil)
	expect(t, at, map[int]found.Verdict{20: found.Proved, 21: found.Unreached, 22: found.Unreached})
	at, _, _ = verify(t, rounds(3, "%other"), Options{}, nil)
	expect(t, at, map[int]found.Verdict{20: found.Failed, 21: found.Unreached, 22: found.Unreached})
	at, _, _ = verify(t, rounds(5, "%other"), Options{}, nil)
	expect(t, at, map[int]found.Verdict{20: found.Failed, 21: found.Proved, 22: found.Unreached})
}
