package vcgen

import (
	"fmt"
	"slices"
	"testing"

	"github.com/unitproof/unitproof/vcgen/smt"
)

// instancesBehind has one finding, at line 20, with four instances: two that exclude each other, one that only the violation of
// line 21 leads to, and one that the assumption excludes.
var instancesBehind = func() string {
	body := "entry:\n%x = call zeroext i8 @nd_uint8_t() @2\n%ok = icmp ult i8 %x, 240\ncall void @assume(i1 %ok) @3\n"
	under := func(n int, cmp string, k int) {
		body += fmt.Sprintf("%%g%d = icmp %s i8 %%x, %d\nbr i1 %%g%d, label %%in%d, label %%out%d, !dbg !120\nin%d:\n", n, cmp, k, n, n, n, n)
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

// verdictsAt are those of the instances at a line, in the order of the execution.
func verdictsAt(r *Report, line int) []Verdict {
	var out []Verdict
	for _, in := range r.Instances {
		if in.Pos.Line == line {
			out = append(out, in.Verdict)
		}
	}
	return out
}

func TestInstancesBehindAViolation(t *testing.T) {
	_, r, _ := verify(t, instancesBehind, Options{}, nil)
	if got, want := verdictsAt(r, 20), []Verdict{Proved, Proved, Unknown, Unreached}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := verdictsAt(r, 21); !slices.Equal(got, []Verdict{Failed}) {
		t.Errorf("line 21 is %q", got)
	}
	for _, in := range r.Instances {
		if in.Verdict == Unknown && !in.Behind {
			t.Errorf("not said to be behind the violation: %+v", in)
		}
	}
}

// Whichever question has no answer: what only a violation leads to is neither proved nor said to be unreached.
func TestUnansweredReach(t *testing.T) {
	_, _, all := verify(t, instancesBehind, Options{}, nil)
	for from := range all {
		for _, to := range []int{from, all} {
			asked := 0
			_, r, _ := verify(t, instancesBehind, Options{}, func(s *enumerator) {
				s.fault = func([]smt.Term) *smt.Result {
					asked++
					if asked-1 >= from && asked-1 <= to {
						return &smt.Result{Answer: smt.StepLimit, Reason: "enough"}
					}
					return nil
				}
			})
			got := verdictsAt(r, 20)
			if len(got) != 4 || got[2] != Unknown || got[3] == Proved {
				t.Errorf("without answers %d to %d of %d: %q", from, to, all, got)
			}
			if v := verdictsAt(r, 21); v[0] == Proved || v[0] == Unreached {
				t.Errorf("without answers %d to %d of %d: line 21 is %q", from, to, all, v)
			}
		}
	}
}
