package vcgen

import (
	"testing"

	"github.com/unitproof/unitproof/vcgen/found"
)

// The time of each question is the cost of those that it was about, by a clock that goes on with questions only.
func TestCosts(t *testing.T) {
	now := int64(0)
	at, r, queries := verify(t, `entry:
%x = call zeroext i8 @nd_uint8_t() @2
%y = call zeroext i8 @nd_uint8_t() @3
`+assertion("a", "%x", "ule", 255, 4)+`
%q = xor i8 %x, %y
%s = and i8 %q, 63
`+assertion("b", "%s", "ult", 64, 5)+assertion("c", "%x", "ne", 7, 6)+`
ret i32 0 @9
`, Options{Clock: func() int64 { return now }}, func(s *enumerator) {
		s.fault = nil
		now += 1000 // a solver is made for each question
	})
	expect(t, at, map[int]found.Verdict{4: found.Proved, 5: found.Proved, 6: found.Failed})
	if queries == 0 || now == 0 {
		t.Fatal("nothing was asked")
	}
	sum := int64(0)
	for _, in := range r.Instances {
		if in.Cost < 0 {
			t.Errorf("line %d cost %d", in.Pos.Line, in.Cost)
		}
		sum += in.Cost
	}
	if sum == 0 || sum > r.Stats.Nanoseconds || r.Stats.Nanoseconds != now {
		t.Errorf("the parts are %d of %d; the clock says %d", sum, r.Stats.Nanoseconds, now)
	}
	if at[6].Cost == 0 {
		t.Error("the violated one cost nothing")
	}
	// What was settled without a question took no time.
	for _, line := range []int{4, 5} {
		if at[line].Cost > at[6].Cost {
			t.Errorf("line %d cost more than the violated one: %d, %d", line, at[line].Cost, at[6].Cost)
		}
	}
}
